package composed_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestRandomRuns: on any family, with any proposer and any cache that can hold its
// routes, a composed run ends, its three replays agree with it, and its figures hang
// together. A run may only be refused for a working set beyond a partition.
func TestRandomRuns(t *testing.T) {
	scenarios := make(map[string]*topology.Scenario)
	for _, name := range append(topology.FamilyNames(), "multi-gpu-ring-4") {
		s, err := topology.Target(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		scenarios[name] = s
	}
	names := append(topology.FamilyNames(), "multi-gpu-ring-4")
	rapid.Check(t, func(r *rapid.T) {
		scn := scenarios[rapid.SampledFrom(names).Draw(r, "scenario")]
		cfg := workload.Serving{
			MaxBatchSize: rapid.Int64Range(1, 3).Draw(r, "batch"), MaxBatchTokens: rapid.Int64Range(1, 8).Draw(r, "tokens"),
			PrefillChunkTokens: rapid.Int64Range(1, 5).Draw(r, "chunk"), MaxKVTokens: rapid.Int64Range(14, 30).Draw(r, "pool"),
		}
		for i := range rapid.IntRange(1, 4).Draw(r, "requests") {
			cfg.Requests = append(cfg.Requests, workload.Request{ID: fmt.Sprintf("r%d", i),
				ArrivalNs:    rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 300_000_000)).Draw(r, "arrival"),
				PromptTokens: rapid.Int64Range(1, 7).Draw(r, "prompt"), OutputTokens: rapid.Int64Range(1, 7).Draw(r, "output")})
		}
		x := drawExperts(r)
		var opts composed.Options
		if family := rapid.SampledFrom(append([]string{""}, workload.FamilyNames()...)).Draw(r, "proposer"); family != "" {
			opts.Speculation = speculation(workload.Family(family))
		}
		run, err := composed.Simulate(scn, cfg, x, cost.Default(), opts)
		if err != nil {
			if all := issue.All(err); len(all) != 1 || all[0].Code != "capacity" {
				r.Fatal(err)
			}
			return
		}
		consistent(t, run)
		if t.Failed() {
			r.Fatal("inconsistent")
		}
	})
}

func drawExperts(r *rapid.T) workload.ServingExperts {
	n := rapid.IntRange(1, 7).Draw(r, "experts")
	x := workload.ServingExperts{
		TopK:     rapid.Int64Range(1, int64(min(n, 3))).Draw(r, "topK"),
		Strategy: rapid.SampledFrom([]workload.PlacementStrategy{workload.Contiguous, workload.RoundRobin}).Draw(r, "strategy"),
	}
	for i := range n {
		x.Cache.Experts = append(x.Cache.Experts, workload.Expert{ID: fmt.Sprintf("e%d", i),
			Bytes: rapid.Int64Range(1, 24*mib).Draw(r, "bytes"), RoutingWeight: rapid.Float64Range(0.2, 4).Draw(r, "weight")})
	}
	x.Cache.HotCapacityBytes = rapid.Int64Range(30*mib, 80*mib).Draw(r, "hot")
	x.Cache.WarmCapacityBytes = rapid.Int64Range(0, 60*mib).Draw(r, "warm")
	x.Cache.ColdToHotLatencyNs = rapid.Int64Range(0, 1<<50).Draw(r, "cold to hot") // replaced by physical time
	x.Cache.RoutingSeed = rapid.Int64Range(0, 1<<33).Draw(r, "seed")
	if x.Cache.WarmCapacityBytes > 0 && rapid.Bool().Draw(r, "adaptive") {
		x.Cache.AdaptivePrefetch = &workload.AdaptivePrefetch{TargetTier: workload.Warm,
			MinObservations: rapid.Int64Range(1, 2).Draw(r, "least"), IntervalTokens: rapid.Int64Range(1, 4).Draw(r, "interval"),
			MaxExpertsPerDecision: rapid.Int64Range(1, 3).Draw(r, "most")}
	}
	return x
}
