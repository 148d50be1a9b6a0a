package trace

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// The kinds of the trace documents of plan executions, and their revision. A
// document holds the lossless trace of a run and, under inputs, all that an
// independent replay needs.
const (
	PlanDocumentKind        = "inferlab/plan-trace"
	FaultDocumentKind       = "inferlab/fault-trace"
	ConcurrentDocumentKind  = "inferlab/concurrent-trace"
	NodeFailureDocumentKind = "inferlab/node-failure-trace"
	FailoverDocumentKind    = "inferlab/failover-trace"

	PlanDocumentRevision int64 = 1
)

func openDocument(w *jsondoc.Writer, kind string) {
	w.Object()
	w.Key("kind").Text(kind)
	w.Key("revision").Int(PlanDocumentRevision)
	w.Key("contractRevision").Int(plan.ContractRevision)
	w.Key("inputs").Object()
}

// WritePlanDocument writes the trace of one execution.
func WritePlanDocument(w *jsondoc.Writer, scn *topology.Scenario, p *plan.Plan, t *Plan) {
	openDocument(w, PlanDocumentKind)
	w.Key("scenario").Value(scn.Document())
	w.Key("plan")
	p.Encode(w)
	w.End()
	w.Key("trace")
	t.Encode(w)
	w.End()
}

// FaultDocument writes the traces of a fault campaign one by one, so that none
// needs to be kept: Open, then Case for the baseline (with an empty id) and every
// case, then Close.
type FaultDocument struct{ w *jsondoc.Writer }

// OpenFaultDocument begins the document.
func OpenFaultDocument(w *jsondoc.Writer, scn *topology.Scenario, p *plan.Plan) *FaultDocument {
	openDocument(w, FaultDocumentKind)
	w.Key("scenario").Value(scn.Document())
	w.Key("plan")
	p.Encode(w)
	w.End()
	w.Key("trace").Array()
	return &FaultDocument{w}
}

// Case writes one execution.
func (d *FaultDocument) Case(id string, t *Plan) {
	d.w.Element().Object()
	d.w.Key("id").Text(id)
	d.w.Key("trace")
	t.Encode(d.w)
	d.w.End()
}

// Close ends the document.
func (d *FaultDocument) Close() {
	d.w.End()
	d.w.End()
}

// WriteConcurrentDocument writes the trace of a concurrent run; with a fault it is
// that of a concurrent node failure.
func WriteConcurrentDocument(w *jsondoc.Writer, scn *topology.Scenario, requests []plan.Request, fault *Fault, t *Concurrent) {
	kind := ConcurrentDocumentKind
	if fault != nil {
		kind = NodeFailureDocumentKind
	}
	openDocument(w, kind)
	w.Key("scenario").Value(scn.Document())
	writeRequests(w, requests)
	if fault != nil {
		w.Key("fault")
		fault.Encode(w)
	}
	w.End()
	w.Key("trace")
	t.Encode(w)
	w.End()
}

// writeRequests writes every list of steps once, under plans, and the requests
// with their own identities.
func writeRequests(w *jsondoc.Writer, requests []plan.Request) {
	of := make([]int, len(requests)) // plan of each request
	var plans []*plan.Plan
	seen := make(map[*plan.Step]int)
	for k := range requests {
		p := requests[k].Plan
		at, known := seen[&p.Steps[0]]
		if !known || len(plans[at].Steps) != len(p.Steps) || plans[at].TopologyEpoch != p.TopologyEpoch {
			at = len(plans)
			plans = append(plans, p)
			seen[&p.Steps[0]] = at
		}
		of[k] = at
	}
	w.Key("plans").Array()
	for _, p := range plans {
		w.Element()
		p.Encode(w)
	}
	w.End()
	w.Key("requests").Array()
	for k := range requests {
		q := &requests[k]
		w.Element().Object()
		w.Key("plan").Int(int64(of[k]))
		w.Key("planId").Text(q.Plan.ID)
		w.Key("executionId").Text(q.Plan.ExecutionID)
		w.Key("arrivalNs").Int(q.ArrivalNs)
		w.Key("admissionOrder").Int(q.AdmissionOrder)
		w.Key("stepNotBeforeNs").Array()
		for _, n := range q.NotBefore {
			w.Element().Object()
			w.Key("stepId").Int(n.StepID)
			w.Key("notBeforeNs").Int(n.AtNs)
			w.End()
		}
		w.End()
		w.End()
	}
	w.End()
}

// WriteFailoverDocument writes the trace of a failover.
func WriteFailoverDocument(w *jsondoc.Writer, q *FailoverRequest, t *Failover) {
	openDocument(w, FailoverDocumentKind)
	w.Key("failedScenario").Value(q.FailedScenario.Document())
	w.Key("failedPlan")
	q.FailedPlan.Encode(w)
	fault := q.Fault()
	w.Key("fault")
	fault.Encode(w)
	w.Key("recoveryScenario").Value(q.RecoveryScenario.Document())
	w.Key("recoveryPlan")
	q.RecoveryPlan.Encode(w)
	w.End()
	w.Key("trace").Object()
	w.Key("handoff")
	t.Handoff.Encode(w)
	w.Key("failedExecution")
	t.Failed.Encode(w)
	w.Key("recoveryExecution")
	t.Recovery.Encode(w)
	w.Key("completedAtNs").Int(t.CompletedAtNs)
	w.End()
	w.End()
}
