package perfetto_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestComposedLiesOnTheSharedClock: one slice a reservation, none before its batch,
// the last one at the end of all plans.
func TestComposedLiesOnTheSharedClock(t *testing.T) {
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	x := workload.ServingExperts{TopK: 1, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		Experts:          []workload.Expert{{ID: "a", Bytes: 1 << 20, RoutingWeight: 1}, {ID: "b", Bytes: 1 << 20, RoutingWeight: 1}, {ID: "c", Bytes: 1 << 20, RoutingWeight: 1}},
		HotCapacityBytes: 1 << 20, WarmCapacityBytes: 2 << 20, RoutingSeed: 3,
	}}
	run, err := composed.Simulate(scn, workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 4, PrefillChunkTokens: 4, MaxKVTokens: 12,
		Requests: []workload.Request{{ID: "r", PromptTokens: 5, OutputTokens: 2}, {ID: "late", ArrivalNs: 50_000_000, PromptTokens: 1, OutputTokens: 2}}},
		x, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := perfetto.Composed(&out, run); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		TraceEvents []struct {
			Ph, Cat string
			Ts, Dur float64
			Args    struct{ Batch int }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	slices, last := 0, 0.0
	for _, e := range doc.TraceEvents {
		if e.Ph != "X" || e.Cat != "compute" && e.Cat != "transfer" && e.Cat != "collective" {
			continue
		}
		slices++
		last = max(last, e.Ts+e.Dur)
		if begin := float64(run.Serving.Trace.Batches[e.Args.Batch].StartNs) / 1000; e.Ts < begin {
			t.Errorf("an operation of batch %d begins at %g µs, the batch at %g µs", e.Args.Batch, e.Ts, begin)
		}
	}
	held := 0
	for i := range run.Physical.Trace.Operations {
		held += len(run.Physical.Trace.Operations[i].Event.Resources)
	}
	if slices != held || last != float64(run.Physical.CompletedAtNs)/1000 {
		t.Errorf("%d slices up to %g µs, want %d up to %g", slices, last, held, float64(run.Physical.CompletedAtNs)/1000)
	}
}
