package plan_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
)

func benchmarkValidate(b *testing.B, steps int) {
	wide := plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1_000_000}
	fabric := plan.NewFabric(plantest.Spec(wide))
	p := plantest.Large(wide, steps)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fabric.Validate(p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.Steps)*b.N)/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkValidateLarge(b *testing.B)    { benchmarkValidate(b, 100_000) }
func BenchmarkValidateTemplate(b *testing.B) { benchmarkValidate(b, 16) }

func BenchmarkFabric(b *testing.B) {
	spec := plantest.Spec(plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1})
	b.ReportAllocs()
	for b.Loop() {
		plan.NewFabric(spec)
	}
}
