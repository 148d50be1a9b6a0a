package planreplay_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// rejectedAt requires that a check fails with a mismatch at an index that the
// caller allows. Every expectation is derived from the inputs alone, so a changed
// event must be refused itself, never a later one.
func rejectedAt(t *testing.T, what string, err error, earliest, latest int) {
	t.Helper()
	var bad *planreplay.Mismatch
	if !errors.As(err, &bad) {
		t.Errorf("%s: accepted (%v)", what, err)
		return
	}
	if bad.Index < int64(earliest) || bad.Index > int64(latest) {
		t.Errorf("%s: rejected at %d, expected %d..%d: %v", what, bad.Index, earliest, latest, bad)
	}
}

// singleCorpus is executions of one plan that end in every way there is.
func singleCorpus(t *testing.T) (*planreplay.Checker, map[string]*plan.Frozen, map[string]*trace.Plan) {
	t.Helper()
	s := plantest.Small
	fabric := plan.NewFabric(plantest.Spec(s))
	plans, traces := make(map[string]*plan.Frozen), make(map[string]*trace.Plan)
	run := func(name string, f *plan.Frozen, o executor.Options) {
		r, err := executor.Run(f, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plans[name], traces[name] = f, &r.Trace
	}
	for seed := range uint64(4) {
		p := plantest.Plan(s, "x", plantest.Mix{Steps: 24, MaxDuration: 4, Shuffle: true}, plantest.Generator(seed))
		f, err := fabric.Validate(p)
		if err != nil {
			t.Fatal(err)
		}
		name := func(kind string) string { return fmt.Sprintf("%s of plan %d", kind, seed) }
		run(name("success"), f, executor.Options{})
		end := traces[name("success")].Terminal.TimestampNs
		for _, fault := range []trace.Fault{
			{Kind: trace.NodeFailure, NodeID: "n1"},
			{Kind: trace.NodeFailure, NodeID: "n0", HasQuiesceTimeout: true, QuiesceTimeoutNs: 3},
			{Kind: trace.DeviceFailure, DeviceID: "n0/d1"},
			{Kind: trace.TopologyEpochChange, NextTopologyEpoch: 4},
		} {
			fault.AtNs, fault.Reason = end/2, "power"
			run(name(fmt.Sprintf("%s (deadline %v)", fault.Kind, fault.HasQuiesceTimeout)), f, executor.Options{Fault: &fault})
		}
		link := ""
		for i := range p.Steps {
			if p.Steps[i].Operation.Kind == plan.Transfer {
				link = p.Steps[i].Operation.LinkID
			}
		}
		run(name("link failure"), f, executor.Options{Fault: &trace.Fault{Kind: trace.LinkFailure, LinkID: link, AtNs: end / 3, Reason: "cable"}})
		run(name("injection"), f, executor.Options{Injection: &executor.Injection{StepID: p.Steps[11].ID, Status: trace.Failed, Reason: "test"}})
	}
	return planreplay.New(fabric.Spec()), plans, traces
}

func TestEveryMutationOfASingleTraceIsRejected(t *testing.T) {
	checker, plans, traces := singleCorpus(t)
	count := 0
	for name, tr := range traces {
		p := plans[name].Plan()
		if _, err := checker.Check(p, tr); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k := range tr.Operations {
			for _, m := range mutations(fmt.Sprintf("operations[%d]", k), reflect.ValueOf(&tr.Operations[k]).Elem()) {
				m.apply()
				_, err := checker.Check(p, tr)
				rejectedAt(t, name+" "+m.path, err, k, k)
				m.undo()
				count++
			}
		}
		for _, m := range mutations("terminal", reflect.ValueOf(&tr.Terminal).Elem()) {
			m.apply()
			if _, err := checker.Check(p, tr); err != nil {
				rejectedAt(t, name+" "+m.path, err, 0, len(tr.Operations)) // another fault makes other events wrong
			} else {
				equivalent(t, name+" "+m.path, plans[name], tr)
			}
			m.undo()
			count++
		}
		count += reorderings(t, name, len(tr.Operations), func(edit func([]trace.Operation) []trace.Operation) error {
			c := *tr
			c.Operations = edit(append([]trace.Operation{}, tr.Operations...))
			c.Terminal.SourceSequence = int64(len(c.Operations))
			_, err := checker.Check(p, &c)
			return err
		})
		if _, err := checker.Check(p, tr); err != nil {
			t.Fatalf("%s after all mutations were undone: %v", name, err)
		}
	}
	t.Logf("%d mutations", count)
	if count < 10_000 {
		t.Errorf("%d mutations, expected at least 10000", count)
	}
}

// equivalent is the one rule under which a changed trace of a single plan may
// stand: the fault and the injection are inputs that only the terminal records,
// so a change of them alone (another later epoch, another deadline that does not
// bind, another reason of an injection) names another run. The changed trace must
// then be exactly that run's.
func equivalent(t *testing.T, what string, f *plan.Frozen, tr *trace.Plan) {
	t.Helper()
	o := executor.Options{Fault: tr.Terminal.Fault}
	if tr.Terminal.HasBeforeStep {
		o.Injection = &executor.Injection{StepID: tr.Terminal.BeforeStepID, Status: tr.Terminal.Status, Reason: tr.Terminal.Reason}
	}
	r, err := executor.Run(f, o)
	if err != nil {
		t.Errorf("%s: accepted, but the run it names is refused: %v", what, err)
		return
	}
	if diff := cmp.Diff(&r.Trace, tr); diff != "" {
		t.Errorf("%s: accepted, but it is not the trace of the run it names (-run +trace):\n%s", what, diff)
	}
}

// reorderings drops, repeats and swaps events and renumbers what is left, so that
// only the schedule itself can tell.
func reorderings(t *testing.T, name string, n int, check func(func([]trace.Operation) []trace.Operation) error) int {
	t.Helper()
	renumber := func(ops []trace.Operation) []trace.Operation {
		for i := range ops {
			ops[i].SourceSequence = int64(i)
		}
		return ops
	}
	for k := range n {
		err := check(func(ops []trace.Operation) []trace.Operation { return renumber(append(ops[:k], ops[k+1:]...)) })
		rejectedAt(t, fmt.Sprintf("%s without operations[%d]", name, k), err, k, k)
		err = check(func(ops []trace.Operation) []trace.Operation {
			return renumber(append(ops[:k+1], append([]trace.Operation{ops[k]}, ops[k+1:]...)...))
		})
		rejectedAt(t, fmt.Sprintf("%s with operations[%d] twice", name, k), err, k+1, k+1)
		if k+1 < n {
			err = check(func(ops []trace.Operation) []trace.Operation {
				ops[k], ops[k+1] = ops[k+1], ops[k]
				return renumber(ops)
			})
			rejectedAt(t, fmt.Sprintf("%s with operations[%d] and the next swapped", name, k), err, k, k)
		}
	}
	return 3*n - 1
}

// concurrentRequests makes a few executions that meet in every nanosecond.
func concurrentRequests(s plantest.Shape, seed uint64) []plan.Request {
	draw := plantest.Generator(seed)
	var requests []plan.Request
	arrival := int64(0)
	for k := range 4 {
		p := plantest.Plan(s, fmt.Sprintf("x%d", k), plantest.Mix{Steps: 10, MaxDuration: 3, Shuffle: true}, draw)
		q := plan.Request{Plan: p, ArrivalNs: arrival, AdmissionOrder: int64(k)}
		q.NotBefore = []plan.NotBefore{{StepID: p.Steps[4].ID, AtNs: arrival + int64(draw(9))}}
		requests = append(requests, q)
		arrival += int64(draw(3))
	}
	return requests
}

func TestEveryMutationOfAConcurrentTraceIsRejected(t *testing.T) {
	s := plantest.Small
	fabric := plan.NewFabric(plantest.Spec(s))
	checker := planreplay.New(fabric.Spec())
	count := 0
	for seed := range uint64(2) {
		requests := concurrentRequests(s, seed)
		r, err := executor.RunConcurrent(fabric, requests)
		if err != nil {
			t.Fatal(err)
		}
		count += mutateConcurrent(t, fmt.Sprintf("run %d", seed), &r.Trace, false, func() error {
			_, err := checker.CheckConcurrent(requests, &r.Trace)
			return err
		})
		fault := &trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: r.CompletedAtNs * 2 / 3, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 4}
		for _, e := range r.Executions {
			fault.AtNs = min(fault.AtNs, e.CompletedAtNs)
		}
		failed, err := executor.RunConcurrentNodeFailure(fabric, requests, fault)
		if err != nil {
			t.Fatal(err)
		}
		count += mutateConcurrent(t, fmt.Sprintf("node failure %d", seed), &failed.Trace, true, func() error {
			_, err := checker.CheckConcurrentNodeFailure(requests, fault, &failed.Trace)
			return err
		})
	}
	t.Logf("%d mutations", count)
	if count < 10_000 {
		t.Errorf("%d mutations, expected at least 10000", count)
	}
}

func mutateConcurrent(t *testing.T, name string, tr *trace.Concurrent, failure bool, check func() error) int {
	t.Helper()
	if err := check(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	count := 0
	try := func(path string, v reflect.Value, earliest, latest int) {
		for _, m := range mutations(path, v) {
			m.apply()
			rejectedAt(t, name+" "+m.path, check(), earliest, latest)
			m.undo()
			count++
		}
	}
	n := len(tr.Operations)
	try("revision", reflect.ValueOf(&tr.Revision).Elem(), 0, 0)
	try("admissions", reflect.ValueOf(&tr.Admissions).Elem(), 0, 0)
	for k := range tr.Operations {
		try(fmt.Sprintf("operations[%d]", k), reflect.ValueOf(&tr.Operations[k]).Elem(), k, k)
	}
	for k := range tr.Terminals {
		try(fmt.Sprintf("terminals[%d]", k), reflect.ValueOf(&tr.Terminals[k]).Elem(), n+k, n+k)
	}
	for k := range n - 1 {
		ops := tr.Operations
		tr.Operations = swapped(ops, k)
		rejectedAt(t, fmt.Sprintf("%s with operations[%d] and the next swapped", name, k), check(), k, k)
		tr.Operations = without(ops, k)
		rejectedAt(t, fmt.Sprintf("%s without operations[%d]", name, k), check(), k, k)
		tr.Operations = ops
		count += 2
	}
	tr.Terminals = tr.Terminals[:len(tr.Terminals)-1]
	rejectedAt(t, name+" without its last terminal", check(), n, n)
	return count + 1
}

// swapped exchanges an operation with the next and renumbers both sequences.
func swapped(ops []trace.GlobalOperation, k int) []trace.GlobalOperation {
	c := append([]trace.GlobalOperation{}, ops...)
	c[k], c[k+1] = c[k+1], c[k]
	return renumbered(c)
}

func without(ops []trace.GlobalOperation, k int) []trace.GlobalOperation {
	c := append([]trace.GlobalOperation{}, ops[:k]...)
	return renumbered(append(c, ops[k+1:]...))
}

func renumbered(ops []trace.GlobalOperation) []trace.GlobalOperation {
	next := make(map[string]int64)
	for i := range ops {
		ops[i].GlobalSequence = int64(i)
		ops[i].Event.SourceSequence = next[ops[i].Event.ExecutionID]
		next[ops[i].Event.ExecutionID]++
	}
	return ops
}
