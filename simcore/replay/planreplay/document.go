package planreplay

import (
	"errors"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Document is a trace document of plan executions (inferlab/plan-trace and its
// kin), read and ready to be verified. Its events are counted over the whole
// document: operations, then terminals; in a fault campaign case after case; in a
// failover the old execution, then the recovery, then the handoff.
type Document struct {
	Kind   string
	Events int64

	Contents Contents

	verify     func() error // the index of a *Mismatch is that of the document
	unreadable *trace.Unreadable
}

// RuleUnreadable is the rule that an event breaks which is none at all: a key too
// many or too few, a value of the wrong type.
const RuleUnreadable = "malformed_event"

// ReadDocument reads a trace document. What lies around the events (kind,
// revision, inputs) is refused here, as an *issue.Error or *issue.List; the inputs
// are valid afterwards. An event that cannot be read is reported by Verify at its
// place.
func ReadDocument(root document.Value) (*Document, error) {
	r := document.NewReader(root, "")
	n := r.Root()
	if !n.Closed([]string{"kind", "revision", "contractRevision", "inputs", "trace"}) {
		return nil, r.Err()
	}
	d := &Document{Kind: n.Get("kind").OneOf(trace.PlanDocumentKind, trace.FaultDocumentKind, trace.ConcurrentDocumentKind,
		trace.NodeFailureDocumentKind, trace.FailoverDocumentKind)}
	exactly(n.Get("revision"), trace.PlanDocumentRevision)
	exactly(n.Get("contractRevision"), plan.ContractRevision)
	if err := r.Err(); err != nil {
		return nil, err
	}
	read := map[string]func(*documentReader) error{
		trace.PlanDocumentKind: (*documentReader).single, trace.FaultDocumentKind: (*documentReader).faults,
		trace.ConcurrentDocumentKind: (*documentReader).concurrent, trace.NodeFailureDocumentKind: (*documentReader).concurrent,
		trace.FailoverDocumentKind: (*documentReader).failover,
	}[d.Kind]
	p := &documentReader{Document: d, pass: r, inputs: n.Get("inputs"), trace: n.Get("trace")}
	if err := read(p); err != nil {
		return nil, err
	}
	d.unreadable = p.events.First
	return d, r.Err()
}

// Verify replays the document. The error is a *Mismatch with the index of the
// first offending event.
func (d *Document) Verify() error {
	err := d.verify()
	var bad *Mismatch
	if u := d.unreadable; u != nil && errors.As(err, &bad) && bad.Index >= u.Index {
		return mismatch(int(u.Index), RuleUnreadable, "%v", u.Issue)
	}
	return err
}

func exactly(n document.Node, want int64) {
	if v := n.Integer(); n.OK() && v != want {
		n.Fail(document.CodeChoice, "expected %d, found %d", want, v)
	}
}

// documentReader is one pass over a document.
type documentReader struct {
	*Document
	pass          *document.Reader
	inputs, trace document.Node
	events        trace.EventReader
}

// scenario reads and validates a scenario of the inputs.
func (r *documentReader) scenario(key string) (*topology.Scenario, error) {
	sketch := topology.ReadSketch(r.inputs.Get(key))
	if err := r.pass.Err(); err != nil {
		return nil, err
	}
	return sketch.Validate()
}

// plan reads a plan and validates it on a scenario.
func (r *documentReader) plan(n document.Node, fabric *plan.Fabric) (*plan.Plan, error) {
	p := plan.Read(n)
	if err := r.pass.Err(); err != nil {
		return nil, err
	}
	if _, err := fabric.Validate(p); err != nil {
		return nil, err
	}
	return p, nil
}

// run reads the trace of one execution.
func (r *documentReader) run(n document.Node) *trace.Plan {
	t := &trace.Plan{}
	if !n.Closed([]string{"operations", "terminal"}) {
		return t
	}
	for _, o := range n.Get("operations").Items() {
		t.Operations = append(t.Operations, r.events.Operation(o.Value()))
	}
	if n.OK() {
		t.Terminal = r.events.Terminal(n.Get("terminal").Value())
	}
	r.Events += int64(len(t.Operations)) + 1
	return t
}

func (r *documentReader) single() error {
	scn, p, err := r.one()
	if err != nil {
		return err
	}
	t := r.run(r.trace)
	r.Contents.Scenario = scn
	r.add(Execution{Plan: p, Trace: t})
	r.verify = func() error { _, err := Check(scn, p, t); return err }
	return nil
}

// one reads the inputs of a document about one plan.
func (r *documentReader) one() (*topology.Scenario, *plan.Plan, error) {
	r.inputs.Closed([]string{"scenario", "plan"})
	scn, err := r.scenario("scenario")
	if err != nil {
		return nil, nil, err
	}
	p, err := r.plan(r.inputs.Get("plan"), plan.Bind(scn))
	return scn, p, err
}

func (r *documentReader) faults() error {
	scn, p, err := r.one()
	if err != nil {
		return err
	}
	var runs []*trace.Plan
	r.Contents.Scenario = scn
	for _, c := range r.trace.Items() {
		if c.Closed([]string{"id", "trace"}) {
			id, run := c.Get("id").Text(), r.run(c.Get("trace"))
			if fault := run.Terminal.Fault; fault != nil && id != fault.CaseID() {
				c.Get("id").Fail(document.CodeChoice, "is %q; the fault of its trace is that of case %q", id, fault.CaseID())
			}
			runs = append(runs, run)
			r.add(Execution{CaseID: id, Plan: p, Trace: run})
		}
	}
	r.verify = func() error {
		checker, before := New(scn.Spec()), int64(0)
		for _, t := range runs {
			if _, err := checker.Check(p, t); err != nil {
				return shifted(err, before)
			}
			before += int64(len(t.Operations)) + 1
		}
		return nil
	}
	return nil
}

// shifted counts a mismatch within one trace over the whole document.
func shifted(err error, by int64) error {
	var bad *Mismatch
	if errors.As(err, &bad) {
		moved := *bad
		moved.Index += by
		return &moved
	}
	return err
}

func (r *documentReader) concurrent() error {
	required := []string{"scenario", "plans", "requests"}
	if r.Kind == trace.NodeFailureDocumentKind {
		required = append(required, "fault")
	}
	r.inputs.Closed(required)
	scn, err := r.scenario("scenario")
	if err != nil {
		return err
	}
	requests, err := r.requests(plan.Bind(scn))
	if err != nil {
		return err
	}
	var fault *trace.Fault
	if r.Kind == trace.NodeFailureDocumentKind {
		f := trace.ReadFault(r.inputs.Get("fault"))
		fault = &f
	}
	t := r.concurrentTrace()
	if err := r.pass.Err(); err != nil {
		return err
	}
	r.Contents.Scenario = scn
	r.addConcurrent(requests, t)
	checker := New(scn.Spec())
	list, err := checker.readRequests(requests)
	if err != nil {
		return err
	}
	if fault != nil {
		if err := newConcurrentReplay(checker.machine, list, t).readFault(fault); err != nil {
			return err
		}
	}
	r.verify = func() error {
		if fault == nil {
			_, err := checker.CheckConcurrent(requests, t)
			return err
		}
		_, err := checker.CheckConcurrentNodeFailure(requests, fault, t)
		return err
	}
	return nil
}

func (r *documentReader) requests(fabric *plan.Fabric) ([]plan.Request, error) {
	var plans []*plan.Plan
	for _, n := range r.inputs.Get("plans").Items() {
		p, err := r.plan(n, fabric)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	var requests []plan.Request
	for _, n := range r.inputs.Get("requests").Items() {
		if !n.Closed([]string{"plan", "planId", "executionId", "arrivalNs", "admissionOrder", "stepNotBeforeNs"}) {
			break
		}
		at := n.Get("plan").IntegerIn(0, int64(len(plans))-1, "the position of a plan")
		if !n.OK() {
			break
		}
		own := *plans[at]
		own.ID, own.ExecutionID = n.Get("planId").NonEmpty(), n.Get("executionId").NonEmpty()
		q := plan.Request{Plan: &own, ArrivalNs: n.Get("arrivalNs").Count(), AdmissionOrder: n.Get("admissionOrder").Count()}
		for _, b := range n.Get("stepNotBeforeNs").Items() {
			if b.Closed([]string{"stepId", "notBeforeNs"}) {
				q.NotBefore = append(q.NotBefore, plan.NotBefore{StepID: b.Get("stepId").Count(), AtNs: b.Get("notBeforeNs").Count()})
			}
		}
		requests = append(requests, q)
	}
	return requests, r.pass.Err()
}

func (r *documentReader) concurrentTrace() *trace.Concurrent {
	t, n := &trace.Concurrent{}, r.trace
	if !n.Closed([]string{"revision", "admissions", "operations", "terminals"}) {
		return t
	}
	t.Revision = n.Get("revision").Integer()
	for _, a := range n.Get("admissions").Items() {
		if a.Closed([]string{"executionId", "arrivalNs", "admissionOrder"}) {
			t.Admissions = append(t.Admissions, trace.Admission{ExecutionID: a.Get("executionId").Text(),
				ArrivalNs: a.Get("arrivalNs").Integer(), AdmissionOrder: a.Get("admissionOrder").Integer()})
		}
	}
	for _, o := range n.Get("operations").Items() {
		t.Operations = append(t.Operations, r.events.Global(o.Value()))
	}
	for _, e := range n.Get("terminals").Items() {
		t.Terminals = append(t.Terminals, r.events.Terminal(e.Value()))
	}
	r.Events = int64(len(t.Operations) + len(t.Terminals))
	return t
}

func (r *documentReader) failover() error {
	r.inputs.Closed([]string{"failedScenario", "failedPlan", "fault", "recoveryScenario", "recoveryPlan"})
	q := &trace.FailoverRequest{}
	var err error
	if q.FailedScenario, err = r.scenario("failedScenario"); err != nil {
		return err
	}
	if q.FailedPlan, err = r.plan(r.inputs.Get("failedPlan"), plan.Bind(q.FailedScenario)); err != nil {
		return err
	}
	if q.RecoveryScenario, err = r.scenario("recoveryScenario"); err != nil {
		return err
	}
	if q.RecoveryPlan, err = r.plan(r.inputs.Get("recoveryPlan"), plan.Bind(q.RecoveryScenario)); err != nil {
		return err
	}
	fault := trace.ReadFault(r.inputs.Get("fault"))
	q.FailedNodeID, q.FaultAtNs, q.Reason = fault.NodeID, fault.AtNs, fault.Reason
	q.HasTimeout, q.QuiesceTimeoutNs = fault.HasQuiesceTimeout, fault.QuiesceTimeoutNs
	if fault.Kind != trace.NodeFailure {
		r.inputs.Get("fault").Fail(document.CodeChoice, "expected a node_failure")
	}
	t := &trace.Failover{}
	if r.trace.Closed([]string{"handoff", "failedExecution", "recoveryExecution", "completedAtNs"}) {
		t.Handoff = trace.ReadHandoff(r.trace.Get("handoff"))
		t.Failed = *r.run(r.trace.Get("failedExecution"))
		t.Recovery = *r.run(r.trace.Get("recoveryExecution"))
		t.CompletedAtNs = r.trace.Get("completedAtNs").Integer()
	}
	r.Events++ // the handoff
	if err := r.pass.Err(); err != nil {
		return err
	}
	if err := checkFailoverRequest(q); err != nil {
		return err
	}
	r.Contents.Scenario = q.FailedScenario
	admitted := t.Handoff.RecoveryAdmittedAtNs
	r.add(Execution{Plan: q.FailedPlan, Trace: &t.Failed})
	r.add(Execution{Plan: q.RecoveryPlan, Trace: &t.Recovery, ArrivalNs: admitted, OffsetNs: admitted})
	r.verify = func() error { _, err := CheckFailover(q, t); return err }
	return nil
}
