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
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: "warm", MinObservations: 1, IntervalTokens: 2, MaxExpertsPerDecision: 1},
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
	checkCache(t, run, events(t, out.Bytes()))
	if slices != held || last != float64(run.Physical.CompletedAtNs)/1000 {
		t.Errorf("%d slices up to %g µs, want %d up to %g", slices, last, held, float64(run.Physical.CompletedAtNs)/1000)
	}
}

// checkCache: every load, wait, eviction and decision is there once, on rows whose slices
// lie apart, and flows lead forward in time to waits that last.
func checkCache(t *testing.T, run *composed.Run, all []event) {
	t.Helper()
	checkRows(t, all)
	count := make(map[string]int)
	begin := make(map[int64]int64)
	for _, e := range all {
		count[e.Ph+" "+e.Cat]++
		if e.Cat != "expert" {
			continue
		}
		switch at := ns(t, e.Ts); e.Ph {
		case "s":
			begin[e.ID] = at
		case "f":
			if from, ok := begin[e.ID]; !ok || from > at {
				t.Errorf("flow %d ends at %d ns and begins at %d", e.ID, at, from)
			}
		}
	}
	waits, c := 0, run.Cache
	for i := range c.Accesses {
		if c.Accesses[i].StallNs > 0 {
			waits++
		}
	}
	if waits == 0 || len(c.Evictions) == 0 || len(begin) == 0 {
		t.Errorf("the run has %d waits, %d evictions, %d flows: it shows nothing", waits, len(c.Evictions), len(begin))
	}
	for key, want := range map[string]int{"X demand load": int(run.Snapshot.Metrics.DemandLoads), "X prefetch load": int(run.Snapshot.Metrics.PrefetchLoads),
		"X wait for experts": waits, "i eviction": len(c.Evictions), "i decision": len(c.Decisions), "s expert": len(begin), "f expert": len(begin)} {
		if count[key] != want {
			t.Errorf("%d of %q, want %d", count[key], key, want)
		}
	}
}
