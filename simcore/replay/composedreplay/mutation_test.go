package composedreplay_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/replay/composedreplay"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// everything is a run with demand loads from cold and warm, evictions, background
// copies that outlast their batch, several batches and an idle gap.
func everything(t testing.TB) *composed.Run {
	t.Helper()
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	x := workload.ServingExperts{TopK: 2, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		HotCapacityBytes: 2 << 20, WarmCapacityBytes: 6 << 20, RoutingSeed: 5,
		WarmToHotLatencyNs: 3_000, ColdToHotLatencyNs: 30_000, ColdToWarmLatencyNs: 20_000,
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 3, MaxExpertsPerDecision: 2},
	}}
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		x.Cache.Experts = append(x.Cache.Experts, workload.Expert{ID: id, Bytes: 1 << 20, RoutingWeight: 1})
	}
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 4, PrefillChunkTokens: 3, MaxKVTokens: 20, Requests: []workload.Request{
		{ID: "r0", PromptTokens: 4, OutputTokens: 3}, {ID: "r1", PromptTokens: 2, OutputTokens: 2}, {ID: "late", ArrivalNs: 50_000_000, PromptTokens: 6, OutputTokens: 3},
	}}
	run, err := composed.Simulate(scn, cfg, x, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &run.Snapshot.Metrics
	if m.WarmMisses == 0 || m.ColdMisses == 0 || m.Evictions == 0 || m.PrefetchLoads == 0 {
		t.Fatalf("the run lacks variety: %+v", *m)
	}
	return run
}

// claimed believes every duration that the serving trace claims: whatever is wrong
// with one must show in the other traces.
type claimed struct{ tr *trace.Serving }

func (c claimed) Duration(w *trace.BatchWork, _ int64) (int64, error) {
	return c.tr.Batches[w.BatchID].DurationNs, nil
}

func tie(run *composed.Run) (composedreplay.Result, error) {
	return composedreplay.Check(composedreplay.Input{ScenarioID: run.Serving.Scenario.ID(), Serving: run.Serving.Trace, Cache: run.Cache,
		Requests: run.Physical.Requests, Physical: &run.Physical.Trace})
}

// verdict runs the four checkers and says which one refuses the run.
func verdict(run *composed.Run, end int64) (by string, err error) {
	_, err = servingreplay.Check(servingreplay.Input{Config: run.Serving.Config, Trace: run.Serving.Trace, Estimator: claimed{run.Serving.Trace}})
	if err != nil {
		return "serving", err
	}
	cache, err := expertsreplay.Check(expertsreplay.Input{Trace: run.Cache, ConsecutiveTokens: true, EndNs: end})
	if err == nil {
		err = cache.Confirm(&run.Snapshot)
	}
	if err != nil {
		return "experts", err
	}
	if _, err = planreplay.New(run.Serving.Scenario.Spec()).CheckConcurrent(run.Physical.Requests, &run.Physical.Trace); err != nil {
		return "plans", err
	}
	_, err = tie(run)
	return "ties", err
}

func TestTiesTheRunItself(t *testing.T) {
	run := everything(t)
	got, err := tie(run)
	if err != nil {
		t.Fatal(err)
	}
	m := &run.Snapshot.Metrics
	want := composedreplay.Result{Batches: int64(len(run.Batches)), Routes: m.Routes, DemandLoads: m.DemandLoads, Prefetches: m.PrefetchLoads, Executions: int64(len(run.Physical.Requests))}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if by, err := verdict(run, run.Snapshot.CurrentTimeNs); err != nil {
		t.Fatalf("%s: %v", by, err)
	}
}

// positions are fields that say where a row stands in another table: a document
// cannot spell them, and its reader makes sound ones.
var positions = []string{"Ref", "From", "To", "TierFrom", "TierTo", "Expert", "Partition", "PrefillFrom", "PrefillTo", "DecodeFrom", "DecodeTo",
	"TokensFrom", "TokensTo", "CompletedFrom", "CompletedTo", "Request", "HasPhysical"}

// TestEveryChangedNumberIsRejected changes every number of every row of the three
// traces, one at a time, and expects one of the four checkers to refuse the run.
// None of them has seen the engine: durations are taken as claimed.
func TestEveryChangedNumberIsRejected(t *testing.T) {
	run := everything(t)
	end := run.Snapshot.CurrentTimeNs
	refused, mutations := map[string]int{}, 0
	tables := map[string]any{
		"serving events": run.Serving.Trace.Events, "batches": run.Serving.Trace.Batches, "prefill": run.Serving.Trace.Prefill, "decode": run.Serving.Trace.Decode,
		"tokens": run.Serving.Trace.Tokens, "cache events": run.Cache.Events, "routes": run.Cache.Routes, "decisions": run.Cache.Decisions, "evictions": run.Cache.Evictions,
		"loads": run.Cache.Loads, "retimes": run.Cache.Retimes, "accesses": run.Cache.Accesses,
		"admissions": run.Physical.Trace.Admissions, "operations": run.Physical.Trace.Operations,
	}
	for _, name := range sortedKeys(tables) {
		rows := reflect.ValueOf(tables[name])
		for i := range rows.Len() {
			numbers(rows.Index(i), fmt.Sprintf("%s[%d]", name, i), func(path string, v reflect.Value) {
				for _, delta := range []int64{-1, 1, 1 << 12} {
					before := v.Int()
					v.SetInt(before + delta)
					if v.Int() == before+delta { // it fits the type
						mutations++
						by, err := verdict(run, end)
						if err == nil {
							t.Errorf("%s %d changed by %d is accepted", path, before, delta)
						} else {
							refused[by]++
						}
					}
					v.SetInt(before)
				}
			})
		}
	}
	t.Logf("%d mutations: refused by %v", mutations, refused)
	if refused["ties"] == 0 {
		t.Error("no mutation needed the check that ties the traces")
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// numbers visits every integer of a row that is no position.
func numbers(row reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch {
	case row.CanInt():
		visit(path, row)
	case row.Kind() == reflect.Struct:
		for f := range row.NumField() {
			if name := row.Type().Field(f).Name; !slices.Contains(positions, name) {
				numbers(row.Field(f), path+"."+name, visit)
			}
		}
	}
}

// TestConsistentLiesAreRejected changes two traces so that each stays sound alone:
// what is wrong is only that they no longer tell of the same run.
func TestConsistentLiesAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		lie  func(run *composed.Run)
		rule composedreplay.Rule
	}{
		"the last batch lasts longer": {func(run *composed.Run) {
			tr := run.Serving.Trace
			tr.Batches[len(tr.Batches)-1].DurationNs += 7
			for i := len(tr.Events) - 2; i < len(tr.Events); i++ { // its finish and the terminal
				tr.Events[i].AtNs += 7
			}
		}, composedreplay.BatchFinish},
		"a load ends earlier than its transfers": {func(run *composed.Run) {
			run.Cache.Retimes[0].PhysicalCompletesAtNs--
		}, composedreplay.DemandFinish},
		"a plan of nobody": {func(run *composed.Run) {
			last := run.Physical.Requests[len(run.Physical.Requests)-1]
			stray := *last.Plan
			stray.ExecutionID = "stray"
			last.Plan = &stray
			run.Physical.Requests = append(run.Physical.Requests, last)
		}, composedreplay.StrayExecution},
		"a batch without a plan": {func(run *composed.Run) {
			run.Physical.Requests = run.Physical.Requests[:len(run.Physical.Requests)-1]
		}, composedreplay.BatchExecution},
		"a background step that nothing holds back": {func(run *composed.Run) {
			for i := range run.Physical.Requests {
				for k := range run.Physical.Requests[i].NotBefore {
					run.Physical.Requests[i].NotBefore[k].AtNs++
				}
			}
		}, composedreplay.PrefetchHeld},
		"a copy that never arrives": {func(run *composed.Run) {
			for i := range run.Cache.Retimes {
				if r := &run.Cache.Retimes[i]; r.HasPhysical && run.Cache.Loads[r.Load-1].Kind == trace.LoadPrefetch {
					r.HasPhysical = false
				}
			}
		}, composedreplay.PrefetchLost},
		"a token that was never routed": {func(run *composed.Run) {
			run.Serving.Trace.Batches[len(run.Serving.Trace.Batches)-1].TokenWork++
		}, composedreplay.RouteCount},
	} {
		run := everything(t)
		c.lie(run)
		_, err := tie(run)
		var m *composedreplay.Mismatch
		if !errors.As(err, &m) || m.Rule != c.rule {
			t.Errorf("%s: got %v, want %s", name, err, c.rule)
		}
	}
}
