package planreplay_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
)

func BenchmarkCheckLarge(b *testing.B) {
	wide := plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1_000_000}
	f, err := plan.NewFabric(plantest.Spec(wide)).Validate(plantest.Large(wide, 100_000))
	if err != nil {
		b.Fatal(err)
	}
	r, err := executor.Run(f, executor.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := planreplay.New(f.Spec()).Check(f.Plan(), &r.Trace); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((f.Len()+1)*b.N)/b.Elapsed().Seconds(), "events/s")
}
