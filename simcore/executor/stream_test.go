package executor_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TestStreamingEqualsTheConcurrentRun feeds the requests one by one, with moves of
// time in between that do not split a batch of arrivals, and keeps no trace.
func TestStreamingEqualsTheConcurrentRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		fabric := plan.NewFabric(plantest.Spec(s))
		requests := drawRequests(t, s)
		want, err := executor.RunConcurrent(fabric, requests)
		if err != nil {
			t.Fatal(err)
		}
		r := executor.NewRuntime(fabric)
		if err := r.Stream(); err != nil {
			t.Fatal(err)
		}
		var told []trace.GlobalOperation
		r.OnOperation(func(op trace.Operation) {
			told = append(told, trace.GlobalOperation{GlobalSequence: int64(len(told)), Event: op})
		})
		for k, q := range requests {
			f, err := fabric.Validate(q.Plan)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Admit(f, q.ArrivalNs, q.NotBefore); err != nil {
				t.Fatal(err)
			}
			if k+1 < len(requests) && requests[k+1].ArrivalNs > q.ArrivalNs && rapid.Bool().Draw(t, "advance") {
				if err := r.Advance(rapid.Int64Range(q.ArrivalNs, requests[k+1].ArrivalNs-1).Draw(t, "to")); err != nil {
					t.Fatal(err)
				}
			}
		}
		completed, err := r.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Trace.Operations, told); diff != "" || completed != want.CompletedAtNs {
			t.Fatalf("completed at %d, expected %d; operations (-concurrent +streamed):\n%s", completed, want.CompletedAtNs, diff)
		}
	})
}

func TestStreamingRuntimeForgets(t *testing.T) {
	fabric := plan.NewFabric(plantest.Spec(plantest.Small))
	r := executor.NewRuntime(fabric)
	if err := r.Stream(); err != nil {
		t.Fatal(err)
	}
	p := plantest.Plan(plantest.Small, "x", plantest.Mix{Steps: 5, MaxDuration: 3}, plantest.Generator(1))
	f, err := fabric.Validate(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Admit(f, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Release("x"); err == nil {
		t.Error("an execution that is not completed was released")
	}
	last, err := r.RunUntil("x", p.Steps[4].ID)
	if err != nil || last.StepID != p.Steps[4].ID {
		t.Fatalf("%+v, %v", last, err)
	}
	if _, err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := r.Release("x"); err != nil {
		t.Error(err)
	}
	if _, err := r.RunUntil("x", p.Steps[4].ID); err == nil {
		t.Error("a released execution answers")
	}
	if _, err := r.Drain(); err == nil {
		t.Error("a streaming runtime drained a trace it does not have")
	}
	if err := r.Stream(); err == nil {
		t.Error("streaming began after an admission")
	}
}

// BenchmarkStream feeds plans of 20 steps one after the other, as serving does, and
// keeps nothing.
func BenchmarkStream(b *testing.B) {
	s := plantest.Shape{Nodes: 1, DevicesPerNode: 4, ComputeLanes: 1, LinkLanes: 1, NetworkLanes: 1, MaxEvents: 1 << 50}
	fabric := plan.NewFabric(plantest.Spec(s))
	f, err := fabric.Validate(plantest.Plan(s, "x", plantest.Mix{Steps: 20, MaxDuration: 9}, plantest.Generator(1)))
	if err != nil {
		b.Fatal(err)
	}
	last := f.Step(int32(f.Len() - 1)).ID
	b.ReportAllocs()
	r := executor.NewRuntime(fabric)
	if err := r.Stream(); err != nil {
		b.Fatal(err)
	}
	k := 0
	for b.Loop() {
		id := fmt.Sprintf("x%d", k)
		k++
		if _, err := r.Admit(f.WithIdentity(id, id), r.Now(), nil); err != nil {
			b.Fatal(err)
		}
		if _, err := r.RunUntil(id, last); err != nil {
			b.Fatal(err)
		}
		if k > 1 {
			_ = r.Release(fmt.Sprintf("x%d", k-2)) // the one before last has drained, or stays
		}
	}
	b.ReportMetric(float64(k*f.Len())/b.Elapsed().Seconds(), "steps/s")
}
