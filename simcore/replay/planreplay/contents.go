package planreplay

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Contents is what a document of plan executions holds, in typed form, for whoever
// shows it. It is worth showing only after Verify has accepted the document.
type Contents struct {
	Scenario   *topology.Scenario // of a failover: that of the failed epoch
	Executions []Execution        // in order of admission; in a fault campaign the baseline, then its cases
}

// Execution is one execution of a document.
type Execution struct {
	CaseID    string // case of a fault campaign; empty for its baseline and in other documents
	Plan      *plan.Plan
	Trace     *trace.Plan
	ArrivalNs int64 // on the clock of all executions
	OffsetNs  int64 // what places the trace's own times on that clock
}

// add puts an execution into the contents.
func (r *documentReader) add(e Execution) { r.Contents.Executions = append(r.Contents.Executions, e) }

// addConcurrent splits the trace of many executions: each gets its operations in
// the order of its own sequence, and its terminal.
func (r *documentReader) addConcurrent(requests []plan.Request, t *trace.Concurrent) {
	plans := make(map[string]*plan.Plan, len(requests))
	for i := range requests {
		plans[requests[i].Plan.ExecutionID] = requests[i].Plan
	}
	own := make(map[string]*trace.Plan, len(t.Admissions))
	for _, a := range t.Admissions {
		if plans[a.ExecutionID] == nil || own[a.ExecutionID] != nil {
			return // Verify refuses the document
		}
		own[a.ExecutionID] = &trace.Plan{}
		r.add(Execution{Plan: plans[a.ExecutionID], Trace: own[a.ExecutionID], ArrivalNs: a.ArrivalNs})
	}
	for i := range t.Operations {
		if p := own[t.Operations[i].Event.ExecutionID]; p != nil {
			p.Operations = append(p.Operations, t.Operations[i].Event)
		}
	}
	for i := range t.Terminals {
		if p := own[t.Terminals[i].ExecutionID]; p != nil {
			p.Terminal = t.Terminals[i]
		}
	}
}
