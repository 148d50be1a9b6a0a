package simcore_test

import (
	"fmt"
	"math"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/workload"
)

// A proposer that drafts three tokens at a time against decoding as many with the
// target alone, as in the notebook on speculation.
func ExampleSpeculateOn() {
	machine, err := simcore.Scenario("multi-gpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	config, err := simcore.Propose("mtp", 2048, 512, 3, simcore.AcceptanceLadder(0.8, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := simcore.SpeculateOn(machine, config, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f tokens a forward, %.2f times as fast as the target alone\n",
		e.Workload.Trace.Metrics.CommittedTokensPerTargetForward, e.Speculation.SpeedupVersusTargetOnly)
	// Output:
	// 3.44 tokens a forward, 2.04 times as fast as the target alone
}

// A cache in front of experts of which some are asked for far more often than
// others, as in the notebook on expert tiers.
func ExampleRouteExperts() {
	cache := workload.ExpertCache{HotCapacityBytes: 16 * 50 << 20, WarmCapacityBytes: 64 * 50 << 20,
		WarmToHotLatencyNs: 2_000_000, ColdToHotLatencyNs: 10_000_000, ColdToWarmLatencyNs: 8_000_000, RoutingSeed: workload.DefaultRoutingSeed}
	for i := range 64 {
		cache.Experts = append(cache.Experts, workload.Expert{ID: fmt.Sprintf("expert-%02d", i), Bytes: 50 << 20, RoutingWeight: math.Pow(float64(i+1), -1.2)})
	}
	run, err := simcore.RouteExperts(simcore.ExpertWork{Cache: cache,
		Workload: workload.ExpertWorkload{TokenCount: 4000, TopK: 4, TokenIntervalNs: 25_000_000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := run.Snapshot.Metrics
	fmt.Printf("a quarter of the experts fits: %.1f %% of %d accesses are hot, tokens wait %.1f s\n", 100*m.HotHitRate(), m.RoutedExperts, float64(m.StallNs)/1e9)
	// Output:
	// a quarter of the experts fits: 64.7 % of 16000 accesses are hot, tokens wait 34.2 s
}

// Every part that a plan uses fails once, as in the notebook on faults.
func ExampleFaults() {
	machine, err := simcore.Scenario("multi-node")
	if err != nil {
		fmt.Println(err)
		return
	}
	work, err := simcore.TargetOnly(8)
	if err != nil {
		fmt.Println(err)
		return
	}
	faults, err := simcore.Faults(machine, work)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range faults.Cases[:3] {
		fmt.Printf("%s: %s after %d of %d steps\n", c.ID, c.Status, c.SubmittedSteps, faults.Baseline.SubmittedSteps)
	}
	// Output:
	// node:node0: failed after 2 of 40 steps
	// node:node1: failed after 2 of 40 steps
	// device:node0:gpu0: failed after 2 of 40 steps
}

// A node fails half-way, and the work runs again on another machine, as in the
// notebook on faults.
func ExampleFailOver() {
	machine, err := simcore.Scenario("multi-node")
	if err != nil {
		fmt.Println(err)
		return
	}
	recovery, err := simcore.Scenario("single-gpu-cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	work, err := simcore.TargetOnly(8)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := simcore.FailOver(machine, recovery, work, simcore.NodeFails("node1", 1_300_000, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	h := f.Run.Trace.Handoff
	fmt.Printf("at rest after %.2f ms, done on %s after %.2f ms\n", float64(h.OldExecutionQuiescedAtNs)/1e6, recovery.ID(), float64(f.Run.Trace.CompletedAtNs)/1e6)
	// Output:
	// at rest after 1.31 ms, done on single-gpu-cpu after 3.76 ms
}
