package arrowio

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// composedRun is a small run with misses, prefetches and an idle gap.
func composedRun(t testing.TB) *composed.Run {
	t.Helper()
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	x := workload.ServingExperts{TopK: 2, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		HotCapacityBytes: 64 << 20, WarmCapacityBytes: 48 << 20, RoutingSeed: 7,
		WarmToHotLatencyNs: 3_000, ColdToHotLatencyNs: 30_000, ColdToWarmLatencyNs: 20_000,
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 3, MaxExpertsPerDecision: 1},
	}}
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		x.Cache.Experts = append(x.Cache.Experts, workload.Expert{ID: id, Bytes: 16 << 20, RoutingWeight: 1})
	}
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 6, PrefillChunkTokens: 4, MaxKVTokens: 40, Requests: []workload.Request{
		{ID: "r0", PromptTokens: 5, OutputTokens: 4}, {ID: "r1", ArrivalNs: 700_000_000, PromptTokens: 5, OutputTokens: 5},
	}}
	run, err := composed.Simulate(scn, cfg, x, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func sumOf(t *testing.T, table *Table, column string) (sum int64) {
	t.Helper()
	values, _, err := table.Ints(column)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		sum += v
	}
	return sum
}

// TestComposedTables: the figures of the run follow from its tables, every row of
// one table finds its partner in the other, and all times are absolute.
func TestComposedTables(t *testing.T) {
	run := composedRun(t)
	tables := Composed(run, Options{})
	m, top := &run.Snapshot.Metrics, &run.Serving.Topology
	if n := sumOf(t, tables.BatchRouting(), "routes"); n != m.Routes || n == 0 {
		t.Errorf("%d routes of batches, %d of the cache", n, m.Routes)
	}
	if n := sumOf(t, tables.BatchRouting(), "demand_loads"); n != m.DemandLoads || n == 0 {
		t.Errorf("%d demand loads of batches, %d of the cache", n, m.DemandLoads)
	}
	if n := sumOf(t, tables.BatchRouting(), "prefetches"); n != m.PrefetchLoads || n == 0 {
		t.Errorf("%d prefetches of batches, %d of the cache", n, m.PrefetchLoads)
	}
	if n := sumOf(t, tables.Executions(), "operations"); n != top.PlanSteps || n != tables.Operations().NumRows() {
		t.Errorf("%d operations of executions, %d rows, %d plan steps", n, tables.Operations().NumRows(), top.PlanSteps)
	}
	if ns := sumOf(t, tables.Operations(), "service_ns"); ns != top.ComputeServiceNs+top.TransferServiceNs+top.CollectiveServiceNs {
		t.Errorf("%d ns of service", ns)
	}
	busyOfReservations(t, tables, run)
	timesAreAbsolute(t, tables, run)
	seen := map[string]bool{}
	for _, table := range tables.All() {
		if seen[table.Name()] {
			t.Errorf("two tables %s", table.Name())
		}
		seen[table.Name()] = true
		var rows int64
		for rec := range table.Batches(checked(t)) {
			rows += rec.NumRows()
		}
		if rows != table.NumRows() {
			t.Errorf("%s: %d rows in batches, %d declared", table.Name(), rows, table.NumRows())
		}
	}
	if seen["operations"] || seen["reservations"] {
		t.Error("plans in isolation are written as if they had happened")
	}
}

// busyOfReservations recounts the busy time of every counted resource.
func busyOfReservations(t *testing.T, tables *ComposedTables, run *composed.Run) {
	t.Helper()
	table := tables.Reservations()
	ids, _, err := table.Strings("resource_id")
	if err != nil {
		t.Fatal(err)
	}
	starts, _, _ := table.Ints("start_ns")
	ends, _, _ := table.Ints("finish_ns")
	busy := map[string]int64{}
	for i, id := range ids {
		busy[id] += ends[i] - starts[i]
	}
	for _, u := range run.Serving.Topology.ResourceUtilization {
		if busy[u.ResourceID] != u.BusyNs {
			t.Errorf("%s is busy for %d ns in the table, %d ns in the run", u.ResourceID, busy[u.ResourceID], u.BusyNs)
		}
	}
}

// timesAreAbsolute: no batch's plan runs before its batch, and the last operation
// ends when the run's plans do.
func timesAreAbsolute(t *testing.T, tables *ComposedTables, run *composed.Run) {
	t.Helper()
	batch, _, err := tables.Operations().Ints("batch_id")
	if err != nil {
		t.Fatal(err)
	}
	starts, _, _ := tables.Operations().Ints("start_ns")
	ends, _, _ := tables.Operations().Ints("finish_ns")
	var last int64
	for i := range batch {
		if begin := run.Serving.Trace.Batches[batch[i]].StartNs; starts[i] < begin {
			t.Errorf("operation %d of batch %d starts at %d ns, the batch at %d ns", i, batch[i], starts[i], begin)
		}
		last = max(last, ends[i])
	}
	if last != run.Physical.CompletedAtNs {
		t.Errorf("the last operation ends at %d ns, the plans at %d ns", last, run.Physical.CompletedAtNs)
	}
}
