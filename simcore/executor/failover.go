package executor

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// FailoverResult is a completed failover.
type FailoverResult struct {
	Failed   *Result // the interrupted execution
	Recovery *Result // on its own clock from 0
	Trace    trace.Failover
}

// RunFailover executes the old plan until the node failure and its quiescence,
// then the replanned one on the recovery scenario, which is admitted at that
// quiescence (contract 03 section 18). The old plan is never edited or resumed.
// The first condition that does not hold is the error.
func RunFailover(q *trace.FailoverRequest) (*FailoverResult, error) {
	old, err := plan.Validate(q.FailedScenario, q.FailedPlan)
	if err != nil {
		return nil, err
	}
	if err := checkFailover(q); err != nil {
		return nil, err
	}
	replanned, err := plan.Validate(q.RecoveryScenario, q.RecoveryPlan)
	if err != nil {
		return nil, err
	}
	fault := q.Fault()
	failed, err := Run(old, Options{Fault: &fault})
	if err != nil {
		return nil, err
	}
	if failed.Status == trace.Succeeded {
		return nil, issue.New(CodeFailover, "fault_at_ns", "the fault at %d ns comes after the last completion at %d ns", q.FaultAtNs, failed.CompletedAtNs)
	}
	recovery, err := Run(replanned, Options{})
	if err != nil {
		return nil, err
	}
	total, err := quantity.Add(failed.CompletedAtNs, recovery.CompletedAtNs)
	if err != nil {
		return nil, issue.New(CodeOverflow, "", "quiescence at %d ns plus recovery of %d ns exceeds %d", failed.CompletedAtNs, recovery.CompletedAtNs, quantity.MaxSafe)
	}
	return &FailoverResult{Failed: failed, Recovery: recovery, Trace: trace.Failover{
		Handoff: handoff(q, failed.CompletedAtNs),
		Failed:  failed.Trace, Recovery: recovery.Trace, CompletedAtNs: total,
	}}, nil
}

func handoff(q *trace.FailoverRequest, quiescedNs int64) trace.Handoff {
	return trace.Handoff{
		Revision:     trace.RecoveryRevision,
		FailedNodeID: q.FailedNodeID, FailedExecutionID: q.FailedPlan.ExecutionID, RecoveryExecutionID: q.RecoveryPlan.ExecutionID,
		OldTopologyEpoch: q.FailedPlan.TopologyEpoch, NewTopologyEpoch: q.RecoveryPlan.TopologyEpoch,
		FaultAtNs: q.FaultAtNs, OldExecutionQuiescedAtNs: quiescedNs, RecoveryAdmittedAtNs: quiescedNs,
	}
}

// checkFailover makes the checks between the validity of the old plan and that of
// the replanned one.
func checkFailover(q *trace.FailoverRequest) error {
	refuse := func(path, format string, args ...any) error { return issue.New(CodeFailover, path, format, args...) }
	oldEpoch, newEpoch := q.FailedScenario.Spec().Execution.TopologyEpoch, q.RecoveryScenario.Spec().Execution.TopologyEpoch
	switch {
	case !onAnyDevice(q.FailedScenario.Spec(), q.FailedNodeID):
		return refuse("failed_node_id", "no device of scenario %q is on node %q", q.FailedScenario.ID(), q.FailedNodeID)
	case !quantity.IsCount(q.FaultAtNs):
		return refuse("fault_at_ns", "%d is not a count of nanoseconds", q.FaultAtNs)
	case q.Reason == "":
		return refuse("reason", "the reason is empty")
	case q.HasTimeout && !quantity.IsPositive(q.QuiesceTimeoutNs):
		return refuse("quiesce_timeout_ns", "%d is not a count greater than 0", q.QuiesceTimeoutNs)
	case newEpoch <= oldEpoch:
		return refuse("topologyEpoch", "the recovery scenario's epoch %d is not greater than the failed scenario's %d", newEpoch, oldEpoch)
	case q.RecoveryPlan.TopologyEpoch != newEpoch:
		return refuse("topologyEpoch", "the replanned plan is of epoch %d, the recovery scenario of %d", q.RecoveryPlan.TopologyEpoch, newEpoch)
	case q.RecoveryPlan.ExecutionID == q.FailedPlan.ExecutionID:
		return refuse("executionId", "the replanned plan has the old execution id %q", q.RecoveryPlan.ExecutionID)
	}
	return absentFrom(q.RecoveryScenario.Spec(), q.FailedNodeID)
}

func onAnyDevice(spec *topology.Spec, nodeID string) bool {
	for i := range spec.Devices {
		if spec.Devices[i].NodeID == nodeID && nodeID != "" {
			return true
		}
	}
	return false
}

// absentFrom refuses a recovery scenario that still has the failed node.
func absentFrom(spec *topology.Spec, nodeID string) error {
	for i := range spec.Devices {
		if spec.Devices[i].NodeID == nodeID {
			return issue.New(CodeFailover, "devices", "device %q of the recovery scenario is on the failed node %q", spec.Devices[i].ID, nodeID)
		}
	}
	for i := range spec.MemoryDomains {
		if spec.MemoryDomains[i].NodeID == nodeID {
			return issue.New(CodeFailover, "memoryDomains", "memory domain %q of the recovery scenario is on the failed node %q", spec.MemoryDomains[i].ID, nodeID)
		}
	}
	return nil
}
