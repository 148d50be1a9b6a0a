package arrowio

import "github.com/inferlab/inferlab/simcore/serving"

// MetricsDeclaration declares the table metrics.
var MetricsDeclaration = Declaration{
	Table: "metrics", Revision: 1, Contract: servingContract,
	Description: "one row a figure of the run's result document, by the name it has there",
	Fields: []Field{
		{"metric", Label, false, UnitWord, "name of the figure in the result document"},
		{"integer", Int64, true, UnitText, "value in the row's unit; null when the figure is not an integer"},
		{"real", Float64, false, UnitText, "the same value as a double"},
		{"unit", Label, false, UnitWord, "unit of the value"},
		{"definition", Text, false, UnitText, "what the figure is; figures of different definitions do not compare"},
		{"quantile_method", Text, false, UnitText, "how a percentile was taken; empty for other figures"},
	},
}

// metric is one row of the table metrics.
type metric struct {
	name, unit, definition string
	integer                int64
	real                   float64
	isReal, isQuantile     bool
}

// Metrics is the table metrics: the scheduler's figures, then the machine's.
func (t *ServingTables) Metrics() *Table {
	rows := append(schedulerMetrics(&t.run.Metrics), topologyMetrics(&t.run.Topology)...)
	units, names := newDictionary(), newDictionary()
	for _, m := range rows {
		units.code(m.unit)
		names.code(m.name)
	}
	return t.table(&MetricsDeclaration, int64(len(rows)),
		column{words: names.words, codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = names.codes[rows[from+int64(i)].name]
			}
		}},
		column{opt: func(dst []int64, ok []bool, from int64) {
			for i := range dst {
				m := &rows[from+int64(i)]
				dst[i], ok[i] = m.integer, !m.isReal
			}
		}},
		column{floats: func(dst []float64, _ []bool, from int64) {
			for i := range dst {
				dst[i] = rows[from+int64(i)].value()
			}
		}},
		column{words: units.words, codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = units.codes[rows[from+int64(i)].unit]
			}
		}},
		column{texts: func(row int64) string { return rows[row].definition }},
		column{texts: func(row int64) string {
			if rows[row].isQuantile {
				return definitionQuantile
			}
			return ""
		}},
	)
}

func (m *metric) value() float64 {
	if m.isReal {
		return m.real
	}
	return float64(m.integer)
}

func schedulerMetrics(m *serving.Metrics) []metric {
	count := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitCount, integer: v, definition: definition}
	}
	tokens := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitTokens, integer: v, definition: definition}
	}
	span := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitNs, integer: v, definition: definition}
	}
	quantile := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitNs, integer: v, definition: definition, isQuantile: true}
	}
	real := func(name, unit string, v float64, definition string) metric {
		return metric{name: name, unit: unit, real: v, isReal: true, definition: definition}
	}
	return []metric{
		count("requests", m.Requests, "requests served"),
		count("batches", m.Batches, "batches run"),
		tokens("prefillTokens", m.PrefillTokens, "sum of the prompt lengths"),
		tokens("decodeTokens", m.DecodeTokens, "output tokens after the first of each request"),
		tokens("outputTokens", m.OutputTokens, "sum of the output lengths"),
		count("targetForwards", m.TargetForwards, "decode slices"),
		tokens("targetVerificationTokens", m.TargetVerificationTokens, "sum of the target token widths of the decode slices"),
		tokens("guaranteedTargetTokens", m.GuaranteedTargetTokens, "sum over the decode slices"),
		tokens("proposedAdditionalTokens", m.ProposedAdditionalTokens, "sum over the decode slices"),
		tokens("acceptedAdditionalTokens", m.AcceptedAdditionalTokens, "sum over the decode slices"),
		tokens("proposedDraftTokens", m.ProposedDraftTokens, "sum over the decode slices"),
		tokens("acceptedDraftTokens", m.AcceptedDraftTokens, "sum over the decode slices"),
		tokens("rejectedDraftTokens", m.RejectedDraftTokens, "proposed minus accepted draft tokens"),
		tokens("targetAuthoritativeTokens", m.TargetAuthoritativeTokens, "sum over the decode slices"),
		real("committedTokensPerTargetForward", UnitTokens, m.CommittedTokensPerTargetForward, "decode tokens over target forwards, 0 without forwards"),
		span("totalDurationNs", m.TotalDurationNs, "last completion minus first arrival"),
		span("batchServiceNs", m.BatchServiceNs, "sum of the batch durations"),
		real("throughputTokensPerSecond", UnitTokensPS, m.ThroughputTokensPerSecond, "output tokens over total duration, 0 without duration"),
		real("averageTimeToFirstTokenNs", UnitNs, m.AverageTimeToFirstTokenNs, definitionTTFT),
		quantile("p50TimeToFirstTokenNs", m.P50TimeToFirstTokenNs, definitionTTFT),
		quantile("p95TimeToFirstTokenNs", m.P95TimeToFirstTokenNs, definitionTTFT),
		real("averageInterTokenLatencyNs", UnitNs, m.AverageInterTokenLatencyNs, definitionITL),
		quantile("p50InterTokenLatencyNs", m.P50InterTokenLatencyNs, definitionITL),
		quantile("p95InterTokenLatencyNs", m.P95InterTokenLatencyNs, definitionITL),
		real("averageRequestLatencyNs", UnitNs, m.AverageRequestLatencyNs, definitionLatency),
		real("sequenceBatchUtilization", UnitCount, m.SequenceBatchUtilization, "sequences over batches times the limit of sequences"),
		real("tokenBatchUtilization", UnitCount, m.TokenBatchUtilization, "token work over batches times the limit of tokens"),
		tokens("kvHighWaterTokens", m.KVHighWaterTokens, "largest KV held and reserved while a batch runs"),
	}
}

func topologyMetrics(m *serving.TopologyMetrics) []metric {
	count := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitCount, integer: v, definition: definition}
	}
	span := func(name string, v int64, definition string) metric {
		return metric{name: name, unit: UnitNs, integer: v, definition: definition}
	}
	return []metric{
		span("idleNs", m.IdleNs, "total duration minus batch service"),
		span("resourceObservationNs", m.ResourceObservationNs, "window over which resources are observed, from the first arrival"),
		span("backgroundDrainNs", m.BackgroundDrainNs, "observation window minus total duration"),
		count("compiledTopologyTemplates", m.CompiledTopologyTemplates, "plans compiled, executed and replayed"),
		count("reusedTopologyBatches", m.ReusedTopologyBatches, "batches that reused one"),
		count("planSteps", m.PlanSteps, "operations of all batches"),
		count("computeOperations", m.ComputeOperations, "operations of kind compute"),
		count("transferOperations", m.TransferOperations, "operations of kind transfer"),
		count("collectiveOperations", m.CollectiveOperations, "operations of kind collective"),
		count("allReduceOperations", m.AllReduceOperations, "collectives by all_reduce_ring"),
		count("allToAllOperations", m.AllToAllOperations, "collectives by all_to_all_v"),
		span("computeServiceNs", m.ComputeServiceNs, "sum of the service times of compute operations"),
		span("transferServiceNs", m.TransferServiceNs, "sum of the service times of transfer operations"),
		span("collectiveServiceNs", m.CollectiveServiceNs, "sum of the service times of collective operations"),
	}
}
