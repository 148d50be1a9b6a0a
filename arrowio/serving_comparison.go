package arrowio

import (
	"github.com/inferlab/inferlab/simcore/serving"
)

// ServingComparisonDeclaration declares the table serving_comparison.
var ServingComparisonDeclaration = Declaration{
	Table: "serving_comparison", Revision: 1, Contract: "contract 05 section 7.2",
	Description: "one row a scenario that served the same requests, by rank",
	Fields: []Field{
		{"rank", Int64, false, UnitCount, "by total_duration_ns ascending, then scenario_id; from 1"},
		{"scenario_id", Label, false, UnitID, "scenario"},
		{"scenario_fingerprint", Label, false, UnitID, "fingerprint of the scenario's document"},
		{"confidence", Label, false, UnitWord, "confidence class of the run's timing"},
		{"relative_to_fastest", Float64, false, UnitCount, "total duration over the smallest total duration"},
		{"total_duration_ns", Int64, false, UnitNs, "last completion minus first arrival"},
		{"throughput_tokens_per_second", Float64, false, UnitTokensPS, "output tokens over total duration, 0 without duration"},
		{"p95_ttft_ns", Int64, false, UnitNs, "95th percentile of the " + definitionTTFT},
		{"p95_itl_ns", Int64, false, UnitNs, "95th percentile of the " + definitionITL},
		{"average_request_latency", Float64, false, UnitNs, "mean of the " + definitionLatency},
		{"batches", Int64, false, UnitCount, "batches run"},
		{"kv_high_water_tokens", Int64, false, UnitTokens, "largest KV held and reserved while a batch runs"},
		{"target_forwards", Int64, false, UnitCount, "decode steps"},
		{"proposed_draft_tokens", Int64, false, UnitTokens, "draft tokens proposed, guaranteed ones included"},
		{"accepted_draft_tokens", Int64, false, UnitTokens, "of these, tokens accepted"},
		{"replay_applied_events", Int64, false, UnitCount, "events that the independent replay applied"},
	},
	Definitions: []Definition{
		{"ttft", definitionTTFT}, {"itl", definitionITL}, {"latency", definitionLatency}, {"quantile", definitionQuantile},
	},
}

// ServingComparison is the table serving_comparison. Its provenance names no
// scenario, as each row has its own.
func ServingComparison(c *serving.Comparison, opt Options) *Table {
	rows := c.Entries
	type entry = serving.ComparisonEntry
	ints := func(value func(e *entry) int64) column { return intsOf(rows, value) }
	floats := func(value func(e *entry) float64) column {
		return column{floats: func(dst []float64, _ []bool, from int64) {
			for i := range dst {
				dst[i] = value(&rows[from+int64(i)])
			}
		}}
	}
	labels := func(word func(e *entry) string) column {
		words := newDictionary()
		for i := range rows {
			words.code(word(&rows[i]))
		}
		return labelsOf(rows, words.words, func(e *entry) int32 { return words.codes[word(e)] })
	}
	p := Provenance{Command: "serving-compare", Confidence: c.Confidence, Revisions: c.ContractRevisions}
	return newTable(&ServingComparisonDeclaration, p, opt, int64(len(rows)), []column{
		ints(func(e *entry) int64 { return e.Rank }),
		labels(func(e *entry) string { return e.Run.Scenario.ID() }),
		labels(func(e *entry) string { return e.Run.Scenario.Fingerprint() }),
		labels(func(e *entry) string { return string(e.Run.Confidence) }),
		floats(func(e *entry) float64 { return e.RelativeToFastest }),
		ints(func(e *entry) int64 { return e.Run.Topology.TotalDurationNs }),
		floats(func(e *entry) float64 { return e.Run.Metrics.ThroughputTokensPerSecond }),
		ints(func(e *entry) int64 { return e.Run.Metrics.P95TimeToFirstTokenNs }),
		ints(func(e *entry) int64 { return e.Run.Metrics.P95InterTokenLatencyNs }),
		floats(func(e *entry) float64 { return e.Run.Metrics.AverageRequestLatencyNs }),
		ints(func(e *entry) int64 { return e.Run.Metrics.Batches }),
		ints(func(e *entry) int64 { return e.Run.Metrics.KVHighWaterTokens }),
		ints(func(e *entry) int64 { return e.Run.Metrics.TargetForwards }),
		ints(func(e *entry) int64 { return e.Run.Metrics.ProposedDraftTokens }),
		ints(func(e *entry) int64 { return e.Run.Metrics.AcceptedDraftTokens }),
		ints(func(e *entry) int64 { return e.Run.Replay.AppliedEvents }),
	})
}
