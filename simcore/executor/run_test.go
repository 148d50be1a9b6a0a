package executor_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// shapes draws a scenario in which resources have one to three lanes.
func drawShape(t *rapid.T) plantest.Shape {
	return plantest.Shape{
		Nodes: rapid.IntRange(1, 3).Draw(t, "nodes"), DevicesPerNode: rapid.IntRange(2, 3).Draw(t, "devices per node"),
		ComputeLanes: int64(rapid.IntRange(1, 2).Draw(t, "compute lanes")),
		LinkLanes:    int64(rapid.IntRange(1, 2).Draw(t, "link lanes")),
		NetworkLanes: int64(rapid.IntRange(1, 3).Draw(t, "network lanes")), MaxEvents: 100_000,
	}
}

func drawPlan(t *rapid.T, s plantest.Shape, id string) *plan.Plan {
	m := plantest.Mix{Steps: rapid.IntRange(1, 40).Draw(t, "steps"), MaxDuration: rapid.IntRange(0, 6).Draw(t, "longest duration"), Shuffle: true}
	return plantest.Plan(s, id, m, plantest.Generator(rapid.Uint64().Draw(t, "plan seed")))
}

func freeze(t rapid.TB, s plantest.Shape, p *plan.Plan) *plan.Frozen {
	t.Helper()
	f, err := plan.NewFabric(plantest.Spec(s)).Validate(p)
	if err != nil {
		t.Fatalf("%v\n%s", err, plantest.Describe(p))
	}
	return f
}

func TestEveryRunIsAcceptedByReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		f := freeze(t, s, drawPlan(t, s, "x"))
		r, err := executor.Run(f, executor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := planreplay.New(f.Spec()).Check(f.Plan(), &r.Trace)
		if err != nil {
			t.Fatalf("%v\n%s", err, plantest.Describe(f.Plan()))
		}
		if got.AppliedEvents != int64(f.Len())+1 || got.CompletedAtNs != r.CompletedAtNs || r.Status != trace.Succeeded {
			t.Fatalf("replay %+v of %d steps completed at %d", got, f.Len(), r.CompletedAtNs)
		}
	})
}

var wide = plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1_000_000}

func BenchmarkRunLarge(b *testing.B) {
	f, err := plan.NewFabric(plantest.Spec(wide)).Validate(plantest.Large(wide, 100_000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := executor.Run(f, executor.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Len()*b.N)/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkRunTemplate(b *testing.B) {
	f, err := plan.NewFabric(plantest.Spec(wide)).Validate(plantest.Large(wide, 16))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := executor.Run(f, executor.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Len()*b.N)/b.Elapsed().Seconds(), "steps/s")
}
