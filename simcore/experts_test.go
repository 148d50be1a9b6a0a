package simcore_test

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Serving with an expert cache in a few lines.
func ExampleServeWithExperts() {
	machine, err := simcore.Scenario("multi-gpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := simcore.ServeWithExperts(machine, simcore.Serving{
		MaxBatchSize: 2, MaxBatchTokens: 8, PrefillChunkTokens: 8, MaxKVTokens: 64,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 8, OutputTokens: 6}},
	}, simcore.ServingExperts{TopK: 1, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		Experts:          []workload.Expert{{ID: "code", Bytes: 16 << 20, RoutingWeight: 3}, {ID: "prose", Bytes: 16 << 20, RoutingWeight: 1}},
		HotCapacityBytes: 32 << 20, WarmCapacityBytes: 32 << 20, RoutingSeed: 42,
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &run.Snapshot.Metrics
	fmt.Println(m.Routes, "routes,", m.ColdMisses, "cold misses,", len(run.Physical.Requests)-len(run.Batches), "demand plans")
	// Output: 13 routes, 2 cold misses, 2 demand plans
}
