package compiler_test

import (
	"strconv"
	"testing"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// BenchmarkServingBatch compiles batches of ever new shapes, as a serving run does
// whose batches never repeat. The bar is 20 µs a batch.
func BenchmarkServingBatch(b *testing.B) {
	for _, target := range []string{"single-gpu-cpu", "multi-gpu", "gpu-npu", "multi-node"} {
		b.Run(target, func(b *testing.B) { compileNewShapes(b, preset(b, target)) })
	}
	b.Run("multi-gpu-ring-8", func(b *testing.B) { compileNewShapes(b, ring(b, 8)) })
}

func compileNewShapes(b *testing.B, s *topology.Scenario) {
	c, err := compiler.New(s, cost.Default())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	steps := 0
	for i := 0; b.Loop(); i++ {
		batch := workload.ServingBatch{TokenWork: int64(1 + i), ExpectedOutputTokens: 1}
		compiled, err := c.Compile(batch.Template(int64(i), int64(i)))
		if err != nil {
			b.Fatal(err)
		}
		steps += len(compiled.Plan.Steps)
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkTargetOnly compiles a thousand tokens of one width on eight ranks.
func BenchmarkTargetOnly(b *testing.B) {
	s := ring(b, 8)
	p, err := workload.TargetOnly(1000)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compiler.Compile(s, p, cost.Default()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func preset(tb testing.TB, name string) *topology.Scenario {
	tb.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func ring(tb testing.TB, n int) *topology.Scenario {
	tb.Helper()
	s, err := topology.Ring(n)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkRoutedBatch compiles a batch of 512 tokens, each routed to 8 of 64
// resident experts on eight owners.
func BenchmarkRoutedBatch(b *testing.B) {
	const tokens, topK = 512, 8
	universe := workload.ExpertPlacement{Strategy: workload.RoundRobin}
	for e := range 64 {
		universe.ExpertIDs = append(universe.ExpertIDs, "expert-"+strconv.Itoa(e))
	}
	routes := make([][]string, tokens)
	for t := range routes {
		for k := range topK {
			routes[t] = append(routes[t], universe.ExpertIDs[(t*7+k*5)%64])
		}
	}
	batch := workload.ServingBatch{TokenWork: tokens, ExpectedOutputTokens: 1}
	p, err := batch.Profile(0).WithExperts(universe, topK, routes, nil)
	if err != nil {
		b.Fatal(err)
	}
	c, err := compiler.New(ring(b, 8), cost.Default())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Compile(p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(tokens*topK*float64(b.N)/b.Elapsed().Seconds(), "assignments/s")
}
