package executor_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// drawRequests draws executions whose arrivals and finishes often coincide.
func drawRequests(t *rapid.T, s plantest.Shape) []plan.Request {
	n := rapid.IntRange(1, 6).Draw(t, "executions")
	requests := make([]plan.Request, n)
	arrival := int64(0)
	for k := range requests {
		arrival += int64(rapid.IntRange(0, 4).Draw(t, "gap"))
		p := drawPlan(t, s, fmt.Sprintf("x%d", k))
		requests[k] = plan.Request{Plan: p, ArrivalNs: arrival, AdmissionOrder: int64(k)}
		for i := range p.Steps {
			if rapid.IntRange(0, 9).Draw(t, "held back") == 0 {
				at := arrival + int64(rapid.IntRange(0, 30).Draw(t, "release"))
				requests[k].NotBefore = append(requests[k].NotBefore, plan.NotBefore{StepID: p.Steps[i].ID, AtNs: at})
			}
		}
	}
	return requests
}

func describeAll(requests []plan.Request) string {
	out := ""
	for _, q := range requests {
		out += fmt.Sprintf("arrival %d releases %v %s\n", q.ArrivalNs, q.NotBefore, plantest.Describe(q.Plan))
	}
	return out
}

func TestEveryConcurrentRunIsAcceptedByReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		fabric := plan.NewFabric(plantest.Spec(s))
		requests := drawRequests(t, s)
		r, err := executor.RunConcurrent(fabric, requests)
		if err != nil {
			t.Fatal(err)
		}
		got, err := planreplay.New(fabric.Spec()).CheckConcurrent(requests, &r.Trace)
		if err != nil {
			t.Fatalf("%v\n%s", err, describeAll(requests))
		}
		if got.MaximumConcurrentExecutions != r.MaximumConcurrentExecutions || got.CompletedAtNs != r.CompletedAtNs {
			t.Fatalf("replay %+v, run at most %d until %d", got, r.MaximumConcurrentExecutions, r.CompletedAtNs)
		}
		shuffled := rapid.Permutation(requests).Draw(t, "listing")
		again, err := executor.RunConcurrent(fabric, shuffled)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("the listing of the requests changes the run:\n%s", diff)
		}
	})
}

func TestNodeFailureKeepsItsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		fabric := plan.NewFabric(plantest.Spec(s))
		requests := drawRequests(t, s)
		fault := &trace.Fault{
			Kind: trace.NodeFailure, AtNs: int64(rapid.IntRange(1, 60).Draw(t, "fault")), Reason: "power",
			NodeID:           fmt.Sprintf("n%d", rapid.IntRange(0, s.Nodes-1).Draw(t, "node")),
			QuiesceTimeoutNs: int64(rapid.IntRange(1, 20).Draw(t, "timeout")), HasQuiesceTimeout: true,
		}
		r, err := executor.RunConcurrentNodeFailure(fabric, requests, fault)
		var refused *issue.Error
		if errors.As(err, &refused) && refused.Code == executor.CodeFault {
			t.Skip("the fault does not meet every execution")
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planreplay.New(fabric.Spec()).CheckConcurrentNodeFailure(requests, fault, &r.Trace); err != nil {
			t.Fatalf("%v\nfault %+v\n%s", err, fault, describeAll(requests))
		}
		checkNodeInvariants(t, fabric, requests, fault, r)
	})
}

// checkNodeInvariants states what contract 03 section 20 asks of section 17.
func checkNodeInvariants(t *rapid.T, fabric *plan.Fabric, requests []plan.Request, fault *trace.Fault, r *executor.ConcurrentResult) {
	dead := func(rank string) bool {
		i, _ := fabric.RankIndex(rank)
		node, _ := fabric.RankNode(i)
		return node == fault.NodeID
	}
	spans := func(ranks []string) bool {
		for _, rank := range ranks {
			if dead(rank) {
				return true
			}
		}
		return false
	}
	kept := make(map[string]bool)
	for _, g := range r.Trace.Operations {
		e := &g.Event
		kept[fmt.Sprint(e.ExecutionID, e.StepID)] = true
		if e.SubmittedAtNs >= fault.AtNs || spans(e.Participants) && e.StartNs >= fault.AtNs {
			t.Fatalf("operation %+v runs on the failed node, or was submitted, after the fault at %d", e, fault.AtNs)
		}
	}
	full, err := executor.RunConcurrent(fabric, requests)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range full.Trace.Operations {
		e := &g.Event
		if e.SubmittedAtNs < fault.AtNs && !spans(e.Participants) && !kept[fmt.Sprint(e.ExecutionID, e.StepID)] {
			t.Fatalf("survivors' operation %+v is discarded", e)
		}
	}
	for _, end := range r.Trace.Terminals {
		if end.TimestampNs > fault.AtNs+fault.QuiesceTimeoutNs {
			t.Fatalf("execution %s quiesces at %d, after the deadline", end.ExecutionID, end.TimestampNs)
		}
		for _, s := range end.RankStates {
			if dead(s.RankID) && (s.Status != trace.Failed || s.TerminalAtNs != fault.AtNs) {
				t.Fatalf("dead rank %+v", s)
			}
		}
	}
}

func TestEveryFaultIsAcceptedByReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		f := freeze(t, s, drawPlan(t, s, "x"))
		base, err := executor.Run(f, executor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fault := drawFault(t, s, base.CompletedAtNs)
		r, err := executor.Run(f, executor.Options{Fault: fault})
		if err != nil {
			t.Skip("the fault is not possible")
		}
		if interrupts := fault.AtNs <= base.CompletedAtNs; interrupts == (r.Status == trace.Succeeded) {
			t.Fatalf("fault at %d of a run until %d ends %s", fault.AtNs, base.CompletedAtNs, r.Status)
		}
		if _, err := planreplay.New(f.Spec()).Check(f.Plan(), &r.Trace); err != nil {
			t.Fatalf("%v\nfault %+v\n%s", err, fault, plantest.Describe(f.Plan()))
		}
	})
}

func drawFault(t *rapid.T, s plantest.Shape, end int64) *trace.Fault {
	device := rapid.IntRange(0, s.Devices()-1).Draw(t, "device")
	other := rapid.IntRange(0, s.Devices()-1).Draw(t, "other device")
	f := &trace.Fault{AtNs: rapid.Int64Range(0, end+2).Draw(t, "fault"), Reason: "test"}
	switch f.Kind = rapid.SampledFrom([]trace.FaultKind{trace.NodeFailure, trace.DeviceFailure, trace.LinkFailure, trace.TopologyEpochChange}).Draw(t, "kind"); f.Kind {
	case trace.NodeFailure:
		f.NodeID = s.NodeID(device)
		if f.HasQuiesceTimeout = rapid.Bool().Draw(t, "deadline"); f.HasQuiesceTimeout {
			f.QuiesceTimeoutNs = rapid.Int64Range(1, 10).Draw(t, "timeout")
		}
	case trace.DeviceFailure:
		f.DeviceID = s.DeviceID(device)
	case trace.LinkFailure:
		f.LinkID = s.LinkID(device, other)
	case trace.TopologyEpochChange:
		f.NextTopologyEpoch = 1
	}
	return f
}

func TestEveryInjectionIsAcceptedByReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		f := freeze(t, s, drawPlan(t, s, "x"))
		step := f.Step(int32(rapid.IntRange(0, f.Len()-1).Draw(t, "step")))
		status := rapid.SampledFrom([]trace.Status{trace.Failed, trace.Aborted}).Draw(t, "status")
		r, err := executor.Run(f, executor.Options{Injection: &executor.Injection{StepID: step.ID, Status: status, Reason: "test"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != status || r.Trace.Terminal.BeforeStepID != step.ID {
			t.Fatalf("ends %s before step %d", r.Status, r.Trace.Terminal.BeforeStepID)
		}
		if _, err := planreplay.New(f.Spec()).Check(f.Plan(), &r.Trace); err != nil {
			t.Fatalf("%v\n%s", err, plantest.Describe(f.Plan()))
		}
	})
}

func BenchmarkConcurrentCampaign(b *testing.B) {
	s := plantest.Shape{Nodes: 2, DevicesPerNode: 4, ComputeLanes: 2, LinkLanes: 2, NetworkLanes: 2, MaxEvents: 1_000_000}
	fabric := plan.NewFabric(plantest.Spec(s))
	f, err := fabric.Validate(plantest.Plan(s, "x", plantest.Mix{Steps: 100, MaxDuration: 500, Shuffle: true}, plantest.Generator(1)))
	if err != nil {
		b.Fatal(err)
	}
	requests, err := executor.Campaign(f, executor.CampaignOptions{ExecutionCount: 1000, Seed: 42, ArrivalWindowNs: 1_000_000})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := executor.RunConcurrent(fabric, requests)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := planreplay.New(fabric.Spec()).CheckConcurrent(requests, &r.Trace); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(1000*f.Len()*b.N)/b.Elapsed().Seconds(), "steps/s")
}
