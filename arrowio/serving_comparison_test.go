package arrowio

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestServingComparison compares the table with the comparison of two machines.
func TestServingComparison(t *testing.T) {
	cfg := workload.Serving{MaxBatchSize: 4, MaxBatchTokens: 64, PrefillChunkTokens: 32, MaxKVTokens: 500,
		Requests: []workload.Request{{ID: "a", PromptTokens: 40, OutputTokens: 6}, {ID: "b", ArrivalNs: 5, PromptTokens: 9, OutputTokens: 3}}}
	var runs []*serving.Run
	for _, name := range []string{"cpu-only", "multi-gpu"} {
		scn, err := simcore.Scenario(name)
		if err != nil {
			t.Fatal(err)
		}
		run, err := simcore.Serve(scn, cfg)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	c := &serving.Comparison{Confidence: runs[0].Confidence, Entries: []serving.ComparisonEntry{
		{Rank: 1, RelativeToFastest: 1, Run: runs[1]}, {Rank: 2, RelativeToFastest: 2.5, Run: runs[0]},
	}}
	table := ServingComparison(c, Options{})
	for rec := range table.Batches(checked(t)) {
		if rec.NumRows() != 2 {
			t.Errorf("%d rows", rec.NumRows())
		}
	}
	ids, _, err := table.Strings("scenario_id")
	if diff := cmp.Diff([]string{"multi-gpu", "cpu-only"}, ids); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for column, want := range map[string]func(r *serving.Run) int64{
		"total_duration_ns":     func(r *serving.Run) int64 { return r.Topology.TotalDurationNs },
		"p95_ttft_ns":           func(r *serving.Run) int64 { return r.Metrics.P95TimeToFirstTokenNs },
		"p95_itl_ns":            func(r *serving.Run) int64 { return r.Metrics.P95InterTokenLatencyNs },
		"kv_high_water_tokens":  func(r *serving.Run) int64 { return r.Metrics.KVHighWaterTokens },
		"replay_applied_events": func(r *serving.Run) int64 { return r.Replay.AppliedEvents },
	} {
		got, _, err := table.Ints(column)
		if diff := cmp.Diff([]int64{want(runs[1]), want(runs[0])}, got); diff != "" || err != nil {
			t.Error(column, diff, err)
		}
	}
	relative, _, err := table.Floats("relative_to_fastest")
	if diff := cmp.Diff([]float64{1, 2.5}, relative); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
