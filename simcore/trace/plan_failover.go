package trace

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// RecoveryRevision is the revision of the failover handoff.
const RecoveryRevision int64 = 1

// FailoverRequest is a transaction over two topology epochs: a plan that a node
// failure interrupts, and the plan that takes its place on a scenario without
// that node (contract 03 section 18).
type FailoverRequest struct {
	FailedScenario   *topology.Scenario
	FailedPlan       *plan.Plan
	FailedNodeID     string
	FaultAtNs        int64
	Reason           string
	QuiesceTimeoutNs int64 // meaningful when HasQuiesceTimeout
	HasTimeout       bool
	RecoveryScenario *topology.Scenario
	RecoveryPlan     *plan.Plan
}

// Fault is the node failure that the request asks for.
func (q *FailoverRequest) Fault() Fault {
	f := Fault{Kind: NodeFailure, AtNs: q.FaultAtNs, Reason: q.Reason, NodeID: q.FailedNodeID,
		HasQuiesceTimeout: q.HasTimeout, QuiesceTimeoutNs: q.QuiesceTimeoutNs}
	return f.Normal()
}

// Handoff records how one execution followed the other (revision 1).
type Handoff struct {
	Revision                 int64
	FailedNodeID             string
	FailedExecutionID        string
	RecoveryExecutionID      string
	OldTopologyEpoch         int64
	NewTopologyEpoch         int64
	FaultAtNs                int64
	OldExecutionQuiescedAtNs int64
	RecoveryAdmittedAtNs     int64
}

// Failover is the whole trace of a failover: both executions, each on its own
// clock from 0, and how they are joined.
type Failover struct {
	Handoff       Handoff
	Failed        Plan
	Recovery      Plan
	CompletedAtNs int64 // admission of the recovery plus its own completion
}

// Encode writes the handoff as a JSON object.
func (h *Handoff) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("revision").Int(h.Revision)
	w.Key("failedNodeId").Text(h.FailedNodeID)
	w.Key("failedExecutionId").Text(h.FailedExecutionID)
	w.Key("recoveryExecutionId").Text(h.RecoveryExecutionID)
	w.Key("oldTopologyEpoch").Int(h.OldTopologyEpoch)
	w.Key("newTopologyEpoch").Int(h.NewTopologyEpoch)
	w.Key("faultAtNs").Int(h.FaultAtNs)
	w.Key("oldExecutionQuiescedAtNs").Int(h.OldExecutionQuiescedAtNs)
	w.Key("recoveryAdmittedAtNs").Int(h.RecoveryAdmittedAtNs)
	w.End()
}

// ReadHandoff reads a handoff in the spelling of Handoff.Encode.
func ReadHandoff(n document.Node) Handoff {
	var h Handoff
	if !n.Closed([]string{"revision", "failedNodeId", "failedExecutionId", "recoveryExecutionId", "oldTopologyEpoch", "newTopologyEpoch",
		"faultAtNs", "oldExecutionQuiescedAtNs", "recoveryAdmittedAtNs"}) {
		return h
	}
	h.Revision = n.Get("revision").Integer()
	h.FailedNodeID = n.Get("failedNodeId").Text()
	h.FailedExecutionID = n.Get("failedExecutionId").Text()
	h.RecoveryExecutionID = n.Get("recoveryExecutionId").Text()
	h.OldTopologyEpoch = n.Get("oldTopologyEpoch").Integer()
	h.NewTopologyEpoch = n.Get("newTopologyEpoch").Integer()
	h.FaultAtNs = n.Get("faultAtNs").Integer()
	h.OldExecutionQuiescedAtNs = n.Get("oldExecutionQuiescedAtNs").Integer()
	h.RecoveryAdmittedAtNs = n.Get("recoveryAdmittedAtNs").Integer()
	return h
}
