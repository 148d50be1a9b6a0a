package simcore_test

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore"
)

// requests is the workload of the examples: one chat request every 20 ms, as in
// the notebook on topologies.
func requests(count int) []simcore.Request {
	list := make([]simcore.Request, count)
	for i := range list {
		list[i] = simcore.Request{ID: fmt.Sprintf("r%02d", i), ArrivalNs: int64(i) * 20_000_000, PromptTokens: 300, OutputTokens: 40}
	}
	return list
}

// limits are those of a small server.
func limits(count int) simcore.Serving {
	return simcore.Serving{MaxBatchSize: 16, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 60_000, Requests: requests(count)}
}

// One run, as in the quickstart: a machine and a configuration go in, a run
// that was verified by an independent replay comes out.
func ExampleServe() {
	machine, err := simcore.Scenario("multi-gpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := simcore.Serve(machine, limits(60))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := run.Metrics
	fmt.Printf("%d requests, %d tokens, %s\n", m.Requests, m.OutputTokens, run.Confidence)
	fmt.Printf("p95 TTFT %.2f ms, p95 ITL %.2f ms\n", float64(m.P95TimeToFirstTokenNs)/1e6, float64(m.P95InterTokenLatencyNs)/1e6)
	// Output:
	// 60 requests, 2400 tokens, heuristic
	// p95 TTFT 10.98 ms, p95 ITL 1.77 ms
}

// The same configuration on the six topology families, fastest first, as in the
// notebook on topologies.
func ExampleCompareServing() {
	comparison, err := simcore.CompareServing(limits(60))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range comparison.Entries {
		fmt.Printf("%d. %s, %.2f times as long as the fastest\n", e.Rank, e.Run.Scenario.ID(), e.RelativeToFastest)
	}
	// Output:
	// 1. multi-gpu, 1.00 times as long as the fastest
	// 2. single-gpu-cpu, 1.15 times as long as the fastest
	// 3. unified-memory, 1.15 times as long as the fastest
	// 4. multi-node, 1.33 times as long as the fastest
	// 5. gpu-npu, 2.71 times as long as the fastest
	// 6. cpu-only, 8.92 times as long as the fastest
}

// A run may be stopped from outside, which is what the bar of a notebook's long
// cell does.
func ExampleServingOptions() {
	machine, err := simcore.Scenario("multi-gpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = simcore.Serve(machine, limits(60), simcore.ServingOptions{Interrupted: func() bool { return true }})
	fmt.Println(err)
	// Output:
	// serving: interrupted
}

// Decoding token by token, without a server around it, as in the notebook on
// faults.
func ExampleRun() {
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
	result, err := simcore.Run(machine, work)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d steps, %.3f ms, %s\n", len(result.Compiled.Plan.Steps), float64(result.Metrics.TotalDurationNs)/1e6, result.Confidence)
	// Output:
	// 40 steps, 2.626 ms, heuristic
}

// A published model: what it weighs, and what one token costs.
func ExampleModel() {
	p, err := simcore.Model("llama-3-8b", "int4", "fp16")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d parameters, %.0f bytes of weights, %s\n", p.TotalParams, p.WeightBytes(), p.Provenance.Confidence)
	fmt.Printf("%.0f bytes of KV and %.3g FLOP a token\n", p.KVBytesPerToken(), p.ForwardFLOPsPerToken())
	// Output:
	// 8029995008 parameters, 4014997504 bytes of weights, heuristic
	// 131072 bytes of KV and 1.5e+10 FLOP a token
}
