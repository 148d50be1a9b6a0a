package planreplay

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// FailoverResult is what a valid failover trace amounts to.
type FailoverResult struct {
	Failed        *Result
	Recovery      *Result
	CompletedAtNs int64
}

// CheckFailover validates the request, replays both executions and rebuilds the
// handoff and the total (contract 03 section 18). The error is an *issue.Error or
// *issue.List when the request is invalid, otherwise a *Mismatch whose index
// counts the events of the old execution, then those of the recovery, then the
// handoff.
func CheckFailover(q *trace.FailoverRequest, t *trace.Failover) (*FailoverResult, error) {
	if err := checkFailoverRequest(q); err != nil {
		return nil, err
	}
	if _, err := plan.Validate(q.FailedScenario, q.FailedPlan); err != nil {
		return nil, err
	}
	if _, err := plan.Validate(q.RecoveryScenario, q.RecoveryPlan); err != nil {
		return nil, err
	}
	failed, err := Check(q.FailedScenario, q.FailedPlan, &t.Failed)
	if err != nil {
		return nil, err
	}
	if fault := t.Failed.Terminal.Fault; fault == nil || *fault != q.Fault() {
		return nil, mismatch(len(t.Failed.Operations), RuleFault, "the old execution did not fail by the request's failure of node %q", q.FailedNodeID)
	}
	before := len(t.Failed.Operations) + 1
	recovery, err := Check(q.RecoveryScenario, q.RecoveryPlan, &t.Recovery)
	if err != nil {
		return nil, shifted(err, int64(before))
	}
	end := before + len(t.Recovery.Operations)
	if recovery.Status != trace.Succeeded {
		return nil, mismatch(end, RuleStatus, "the recovery is %s, expected succeeded", recovery.Status)
	}
	if bad := checkHandoff(end+1, q, t, failed.CompletedAtNs); bad != nil {
		return nil, bad
	}
	total, overflow := quantity.Add(failed.CompletedAtNs, recovery.CompletedAtNs)
	if overflow != nil || t.CompletedAtNs != total {
		return nil, mismatch(end+1, RuleHandoff, "completedAtNs is %d, expected %d", t.CompletedAtNs, total)
	}
	return &FailoverResult{Failed: failed, Recovery: recovery, CompletedAtNs: total}, nil
}

// checkFailoverRequest refuses a transaction whose recovery is not of a newer
// epoch, not a new execution, or not free of the failed node.
func checkFailoverRequest(q *trace.FailoverRequest) error {
	before, after := q.FailedScenario.Spec(), q.RecoveryScenario.Spec()
	switch {
	case after.Execution.TopologyEpoch <= before.Execution.TopologyEpoch || q.RecoveryPlan.TopologyEpoch != after.Execution.TopologyEpoch:
		return issue.New(CodeRequests, "recoveryScenario", "the recovery is not of a newer epoch")
	case q.RecoveryPlan.ExecutionID == q.FailedPlan.ExecutionID:
		return issue.New(CodeRequests, "recoveryPlan", "the recovery has the old execution id %q", q.RecoveryPlan.ExecutionID)
	}
	for i := range after.Devices {
		if after.Devices[i].NodeID == q.FailedNodeID {
			return issue.New(CodeRequests, "recoveryScenario", "the recovery scenario still has devices on node %q", q.FailedNodeID)
		}
	}
	for i := range after.MemoryDomains {
		if after.MemoryDomains[i].NodeID == q.FailedNodeID {
			return issue.New(CodeRequests, "recoveryScenario", "the recovery scenario still has memory on node %q", q.FailedNodeID)
		}
	}
	return nil
}

func checkHandoff(at int, q *trace.FailoverRequest, t *trace.Failover, quiescedNs int64) *Mismatch {
	h := &t.Handoff
	for _, key := range []struct {
		name        string
		found, want int64
	}{
		{"revision", h.Revision, trace.RecoveryRevision},
		{"oldTopologyEpoch", h.OldTopologyEpoch, q.FailedScenario.Spec().Execution.TopologyEpoch},
		{"newTopologyEpoch", h.NewTopologyEpoch, q.RecoveryScenario.Spec().Execution.TopologyEpoch},
		{"faultAtNs", h.FaultAtNs, q.FaultAtNs},
		{"oldExecutionQuiescedAtNs", h.OldExecutionQuiescedAtNs, quiescedNs},
		{"recoveryAdmittedAtNs", h.RecoveryAdmittedAtNs, quiescedNs},
	} {
		if key.found != key.want {
			return mismatch(at, RuleHandoff, "%s is %d, expected %d", key.name, key.found, key.want)
		}
	}
	for _, key := range []struct{ name, found, want string }{
		{"failedNodeId", h.FailedNodeID, q.FailedNodeID},
		{"failedExecutionId", h.FailedExecutionID, q.FailedPlan.ExecutionID},
		{"recoveryExecutionId", h.RecoveryExecutionID, q.RecoveryPlan.ExecutionID},
	} {
		if key.found != key.want {
			return mismatch(at, RuleHandoff, "%s is %q, expected %q", key.name, key.found, key.want)
		}
	}
	return nil
}
