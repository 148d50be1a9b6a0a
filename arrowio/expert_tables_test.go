package arrowio

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/workload"
)

// cached is a cache of two of four experts with a warm tier of one that the
// adaptive policy fills.
func cached(t testing.TB, tokens int64) *experts.Run {
	t.Helper()
	run, err := experts.Simulate(workload.ExpertRun{
		Cache: workload.ExpertCache{
			Experts: []workload.Expert{
				{ID: "code", Bytes: 10, RoutingWeight: 4}, {ID: "prose", Bytes: 10, RoutingWeight: 3},
				{ID: "maths", Bytes: 10, RoutingWeight: 2}, {ID: "names", Bytes: 10, RoutingWeight: 1},
			},
			HotCapacityBytes: 20, WarmCapacityBytes: 10,
			WarmToHotLatencyNs: 5, ColdToHotLatencyNs: 50, ColdToWarmLatencyNs: 40,
			RoutingSeed: workload.DefaultRoutingSeed, InitialHotExpertIDs: []string{"code"},
			AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 2, MaxExpertsPerDecision: 1},
		},
		Workload: workload.ExpertWorkload{TokenCount: tokens, TopK: 2, TokenIntervalNs: 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func expertTables(run *experts.Run) *ExpertTables {
	return Experts(run.Trace, run.Snapshot.CurrentTimeNs, Provenance{Command: "expert-cache", Confidence: evidence.Heuristic}, Options{})
}

// TestExpertTables compares every cell with testdata/experts.
func TestExpertTables(t *testing.T) {
	for i, table := range expertTables(cached(t, 5)).All() {
		if table.Name() != ExpertDeclarations()[i].Table {
			t.Errorf("table %d is %s", i, table.Name())
		}
		var got bytes.Buffer
		if err := writeTable(&got, table, OpenCSV, checked(t)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "experts", table.Name()+".csv")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s:\n%s", table.Name(), diff)
		}
	}
}

// TestExpertFigures: the figures of the snapshot follow from the tables.
func TestExpertFigures(t *testing.T) {
	run := cached(t, 400)
	tables, m := expertTables(run), run.Snapshot.Metrics
	count := func(table *Table, column, word string) (n int64) {
		words, _, err := table.Strings(column)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if w == word {
				n++
			}
		}
		return n
	}
	sum := func(table *Table, column string) (total int64) {
		values, _, err := table.Ints(column)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			total += v
		}
		return total
	}
	events, accesses, residency := tables.Events(), tables.Accesses(), tables.Residency()
	got := []int64{
		count(accesses, "source_tier", "hot"), count(accesses, "source_tier", "warm"), count(accesses, "source_tier", "cold"),
		count(events, "cause", "demand"), count(events, "cause", "prefetch"),
		count(events, "kind", "evict"), count(residency, "end", "evicted"),
		count(events, "kind", "route"), accesses.NumRows(), sum(events, "stall_ns"),
	}
	want := []int64{
		m.HotHits, m.WarmMisses, m.ColdMisses, m.DemandLoads, m.PrefetchLoads,
		m.Evictions, m.Evictions, m.Routes, m.RoutedExperts, m.StallNs,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Evictions == 0 || m.PrefetchLoads == 0 || m.WarmMisses == 0 {
		t.Errorf("the run shows too little: %+v", m)
	}
}
