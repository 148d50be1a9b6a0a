package experts_test

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/workload"
)

// A cache of two of four experts, driven by eight tokens. Every run is replayed
// before it is returned.
func ExampleSimulate() {
	run, err := experts.Simulate(workload.ExpertRun{
		Cache: workload.ExpertCache{
			Experts: []workload.Expert{
				{ID: "code", Bytes: 10, RoutingWeight: 4}, {ID: "prose", Bytes: 10, RoutingWeight: 3},
				{ID: "maths", Bytes: 10, RoutingWeight: 2}, {ID: "names", Bytes: 10, RoutingWeight: 1},
			},
			HotCapacityBytes: 20, WarmCapacityBytes: 20,
			WarmToHotLatencyNs: 5, ColdToHotLatencyNs: 50, ColdToWarmLatencyNs: 40,
			RoutingSeed: workload.DefaultRoutingSeed,
		},
		Workload: workload.ExpertWorkload{TokenCount: 8, TopK: 1, TokenIntervalNs: 100},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := run.Snapshot.Metrics
	fmt.Printf("%d of %d routed experts were hot (%.1f%%); %d loads moved %d bytes and stalled %d ns\n",
		m.HotHits, m.RoutedExperts, 100*m.HotHitRate(), m.DemandLoads, m.BytesMoved, m.StallNs)
	for _, stay := range experts.Residences(run.Trace, run.Snapshot.CurrentTimeNs) {
		fmt.Printf("%s was %s from %d to %d ns\n", run.Trace.ExpertID(stay.Expert), stay.Tier, stay.FromNs, stay.ToNs)
	}
	// Output:
	// 4 of 8 routed experts were hot (50.0%); 4 loads moved 40 bytes and stalled 200 ns
	// code was hot from 50 to 700 ns
	// names was hot from 150 to 300 ns
	// prose was hot from 350 to 750 ns
	// maths was hot from 750 to 750 ns
}
