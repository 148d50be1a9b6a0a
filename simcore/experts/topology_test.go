package experts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

func target(t *testing.T, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Target(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const mib = 1 << 20

// five experts of 24, 32, 40, 48 and 56 MiB.
func five(hot, warm int64) workload.ExpertCache {
	c := workload.ExpertCache{HotCapacityBytes: hot * mib, WarmCapacityBytes: warm * mib, RoutingSeed: 3}
	for i, id := range []string{"e0", "e1", "e2", "e3", "e4"} {
		c.Experts = append(c.Experts, workload.Expert{ID: id, Bytes: (24 + 8*int64(i)) * mib, RoutingWeight: 1})
	}
	return c
}

func parts(spec ...any) []workload.ExpertPartition {
	var table []workload.ExpertPartition
	for i := 0; i < len(spec); i += 3 {
		table = append(table, workload.ExpertPartition{ID: spec[i].(string), CapacityBytes: int64(spec[i+1].(int)) * mib, ExpertIDs: strings.Fields(spec[i+2].(string))})
	}
	return table
}

// On multi-node, shard 0 is on node0 and shard 1 on node1; contiguous gives owner
// floor(i*2/5) = 0 0 0 1 1, round robin 0 1 0 1 0. Capacities are capped at what an
// owner or node can own.
func TestPartition(t *testing.T) {
	for _, c := range []struct {
		name, scenario string
		strategy       workload.PlacementStrategy
		hot, warm      int64
		wantHot        []workload.ExpertPartition
		wantWarm       []workload.ExpertPartition
	}{
		{"contiguous", "multi-node", workload.Contiguous, 96, 120,
			parts("target-shard-0", 96, "e0 e1 e2", "target-shard-1", 96, "e3 e4"),
			parts("node0", 96, "e0 e1 e2", "node1", 104, "e3 e4")},
		{"round robin", "multi-node", workload.RoundRobin, 120, 120,
			parts("target-shard-0", 120, "e0 e2 e4", "target-shard-1", 80, "e1 e3"),
			parts("node0", 120, "e0 e2 e4", "node1", 80, "e1 e3")},
		{"owners of one node", "multi-gpu", workload.Contiguous, 200, 500,
			parts("target-shard-0", 96, "e0 e1 e2", "target-shard-1", 104, "e3 e4"),
			parts("node0", 200, "e0 e1 e2 e3 e4")},
		{"no warm tier", "multi-gpu", workload.Contiguous, 60, 0,
			parts("target-shard-0", 60, "e0 e1 e2", "target-shard-1", 60, "e3 e4"),
			parts("node0", 0, "e0 e1 e2 e3 e4")},
		{"one owner for all", "single-gpu-cpu", workload.Contiguous, 60, 70, nil, nil},
	} {
		got, err := experts.Partition(five(c.hot, c.warm), target(t, c.scenario), c.strategy)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.wantHot, got.HotPartitions) + cmp.Diff(c.wantWarm, got.WarmPartitions); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestPartitionOrderIsThatOfExperts(t *testing.T) {
	cfg := five(1000, 1000)
	cfg.Experts[0], cfg.Experts[4] = cfg.Experts[4], cfg.Experts[0]
	got, err := experts.Partition(cfg, target(t, "multi-gpu-ring-4"), workload.Contiguous)
	if err != nil {
		t.Fatal(err)
	}
	// floor(i*4/5) = 0 0 1 2 3 over e4 e1 e2 e3 e0
	want := parts("target-shard-0", 88, "e4 e1", "target-shard-1", 40, "e2", "target-shard-2", 48, "e3", "target-shard-3", 24, "e0")
	if d := cmp.Diff(want, got.HotPartitions); d != "" {
		t.Error(d)
	}
	if _, err := experts.Partition(got, target(t, "multi-gpu"), workload.Contiguous); err == nil {
		t.Error("a partitioned cache is partitioned again")
	}
}

func TestPhysicalRoom(t *testing.T) {
	// resize gives an allocation another size, wherever it stands.
	resize := func(name, id string, bytes int64) *topology.Scenario {
		spec := *target(t, name).Spec()
		found := false
		placements := append([]topology.Placement(nil), spec.Placements...)
		for i := range placements {
			placements[i].Allocations = append([]topology.Allocation(nil), placements[i].Allocations...)
			for j := range placements[i].Allocations {
				if a := &placements[i].Allocations[j]; a.PhysicalAllocationID == id {
					a.Bytes, found = bytes, true
				}
			}
		}
		if !found {
			t.Fatalf("%s has no allocation %s", name, id)
		}
		spec.Placements = placements
		s, err := topology.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name      string
		scenario  *topology.Scenario
		hot, warm int64
		want      string // empty: enough room
	}{
		{"all as it is", target(t, "multi-node"), 96, 120, ""},
		// Shard 1 owns 104 MiB: the capacity decides while it is smaller.
		{"an owner exactly", resize("multi-node", "expert-hot-cache:target-shard-1", 100*mib), 100, 120, ""},
		{"an owner short", resize("multi-node", "expert-hot-cache:target-shard-1", 100*mib-1), 100, 120, "target-shard-1"},
		{"owned bytes decide", resize("multi-node", "expert-hot-cache:target-shard-1", 104*mib), 500, 120, ""},
		{"owned bytes short", resize("multi-node", "expert-hot-cache:target-shard-1", 104*mib-1), 500, 120, "target-shard-1"},
		{"a node exactly", resize("multi-node", "expert-warm-cache:node0", 96*mib), 10, 500, ""},
		{"a node short", resize("multi-node", "expert-warm-cache:node0", 96*mib-1), 10, 500, "node0"},
		{"one owner exactly", resize("single-gpu-cpu", "expert-warm-cache:node0", 200*mib), 10, 500, ""},
		{"one owner short", resize("single-gpu-cpu", "expert-warm-cache:node0", 200*mib-1), 10, 500, "warm experts"},
	} {
		cfg := five(c.hot, c.warm)
		err := experts.CheckPhysical(&cfg, c.scenario, workload.Contiguous)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || issue.All(err)[0].Code != experts.CodeCapacity):
			t.Errorf("%s: %v; want a refusal that names %s", c.name, err, c.want)
		}
	}
}

// On multi-gpu both owners keep their hot experts in their own device memory and
// share the host and the storage of one node; on unified-memory hot and warm copies
// share one memory, and the two sums add up.
func TestResourceLimits(t *testing.T) {
	limit := func(name, domain string, bytes int64) *topology.Scenario {
		spec := *target(t, name).Spec()
		spec.MemoryDomains = append([]topology.MemoryDomain(nil), spec.MemoryDomains...)
		for i := range spec.MemoryDomains {
			if d := &spec.MemoryDomains[i]; d.ID == domain {
				d.ResourceLimitBytes = bytes
				s, err := topology.New(spec)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		t.Fatalf("%s has no domain %s", name, domain)
		return nil
	}
	domainOf := func(name, allocation string) string {
		for _, p := range target(t, name).Spec().Placements {
			for _, a := range p.Allocations {
				if a.PhysicalAllocationID == allocation {
					return a.DomainID
				}
			}
		}
		t.Fatalf("%s has no allocation %s", name, allocation)
		return ""
	}
	unifiedHot := ""
	for _, p := range target(t, "unified-memory").Spec().Placements {
		for _, a := range p.Allocations {
			if strings.HasPrefix(a.PhysicalAllocationID, "expert-hot-cache:") {
				unifiedHot = a.PhysicalAllocationID
			}
		}
	}
	for _, c := range []struct {
		name, scenario, allocation string
		hot, warm, need            int64 // MiB
	}{
		{"the second owner's bytes", "multi-gpu", "expert-hot-cache:target-shard-1", 500, 10, 104},
		{"the owner's capacity", "multi-gpu", "expert-hot-cache:target-shard-0", 50, 10, 50},
		{"the node's warm capacity", "multi-gpu", "expert-warm-cache:node0", 50, 150, 150},
		{"the node's backing bytes", "multi-gpu", "expert-backing:node0", 50, 10, 200},
		{"the other node's backing bytes", "multi-node", "expert-backing:node1", 50, 10, 104},
		{"hot and warm in one memory", "unified-memory", unifiedHot, 50, 70, 120},
		{"all bytes at most", "unified-memory", unifiedHot, 5000, 7000, 400},
	} {
		cfg := five(c.hot, c.warm)
		domain := domainOf(c.scenario, c.allocation)
		if err := experts.CheckLimits(&cfg, limit(c.scenario, domain, c.need*mib), workload.Contiguous); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		err := experts.CheckLimits(&cfg, limit(c.scenario, domain, c.need*mib-1), workload.Contiguous)
		if err == nil || !strings.Contains(err.Error(), domain) {
			t.Errorf("%s: %v; want a refusal that names %s", c.name, err, domain)
		}
	}
}

// TestProfile follows one run by hand. The seed draws a, c, a, b, b, c, b.
//
//	route 0 at 19 ns: a is on its way to warm until 20 ns, so its source is cold
//	routes 1, 2:      c and a come from the copies that the prefetches 1 and 2 made
//	after route 3:    the policy wants b warm; a and c make room for it
//	route 5:          c is cold again, its producer forgotten
//	route 6:          b comes from the copy that prefetch 7 made after unit 3
func TestProfile(t *testing.T) {
	run, err := experts.Simulate(workload.ExpertRun{
		Cache: workload.ExpertCache{
			HotCapacityBytes: 30, WarmCapacityBytes: 40, WarmToHotLatencyNs: 5, ColdToHotLatencyNs: 50, ColdToWarmLatencyNs: 20, RoutingSeed: 174,
			Experts:          []workload.Expert{{ID: "b", Bytes: 20, RoutingWeight: 1}, {ID: "a", Bytes: 10, RoutingWeight: 1}, {ID: "c", Bytes: 30, RoutingWeight: 1}},
			AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 4, MaxExpertsPerDecision: 1},
		},
		Workload: workload.ExpertWorkload{TokenCount: 7, TopK: 1, TokenIntervalNs: 100,
			InitialPrefetch: &workload.InitialPrefetch{ExpertIDs: []string{"a", "c"}, TargetTier: workload.Warm, LeadTimeNs: 19}},
	})
	if err != nil {
		t.Fatal(err)
	}
	unit := func(i int, expert string, tier workload.SourceTier, load int64, requires ...string) workload.Unit {
		u := workload.Unit{ID: fmt.Sprintf("route-%d", i), TargetTokenWidth: 1, CommittedTokens: 1, ActiveExperts: 1, ExpertRouted: true,
			RoutedExperts:       []workload.RoutedExpert{{ExpertID: expert, SourceTier: tier, LoadBytes: load}},
			RequiredPrefetchIDs: requires}
		switch tier {
		case workload.Warm:
			u.WarmLoadBytes = load
		case workload.Cold:
			u.ColdLoadBytes = load
		}
		return u
	}
	want := &workload.Profile{
		ID: "expert-cache", BatchSize: 1, ExpertTokenPlacement: "round_robin",
		ExpertPlacement: &workload.ExpertPlacement{Strategy: workload.RoundRobin, ExpertIDs: []string{"b", "a", "c"}},
		Units: []workload.Unit{
			unit(0, "a", workload.Cold, 10),
			unit(1, "c", workload.Warm, 30, "expert-load-2"),
			unit(2, "a", workload.Warm, 10, "expert-load-1"),
			unit(3, "b", workload.Cold, 20),
			unit(4, "b", workload.Hot, 0),
			unit(5, "c", workload.Cold, 30),
			unit(6, "b", workload.Warm, 20, "expert-load-7"),
		},
		BackgroundPrefetches: []workload.BackgroundPrefetch{
			{ID: "expert-load-1", ExpertID: "a", AfterUnitIndex: -1, Bytes: 10},
			{ID: "expert-load-2", ExpertID: "c", AfterUnitIndex: -1, Bytes: 30},
			{ID: "expert-load-7", ExpertID: "b", AfterUnitIndex: 3, Bytes: 20},
		},
	}
	got := run.Profile(workload.RoundRobin)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

// TestSimulateOn partitions before it simulates: each owner's limit is its own.
func TestSimulateOn(t *testing.T) {
	cfg := workload.ExpertRun{Cache: five(104, 104), Workload: workload.ExpertWorkload{TokenCount: 6, TopK: 2}}
	cfg.Cache.InitialHotExpertIDs = []string{"e0", "e1", "e2", "e3", "e4"} // 200 MiB, 96 and 104 by owner
	run, err := experts.SimulateOn(target(t, "multi-gpu"), cfg, workload.Contiguous)
	if err != nil {
		t.Fatal(err)
	}
	if m := run.Snapshot.Metrics; m.HotHits != 12 || run.Snapshot.Hot.CapacityBytes != 200*mib {
		t.Errorf("%+v, %d bytes", m, run.Snapshot.Hot.CapacityBytes)
	}
	if _, err := experts.SimulateOn(target(t, "single-gpu-cpu"), cfg, workload.Contiguous); err == nil || !strings.Contains(err.Error(), "partition default") {
		t.Errorf("200 MiB in one partition of 104: %v", err)
	}
}
