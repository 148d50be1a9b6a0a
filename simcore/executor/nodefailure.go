package executor

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// nodeFault is a node failure with an abort deadline, applied to a fault-free
// schedule (contract 03 section 17.2). The failed node is not a cut in time:
// work is partitioned by node. Operations of survivors that were submitted before
// the fault drain; operations that span the failed node are kept only when they
// had started, and are truncated when they had not finished.
type nodeFault struct {
	fault trace.Fault
	dead  []bool // by rank
}

func newNodeFault(fabric *plan.Fabric, fault *trace.Fault) *nodeFault {
	return &nodeFault{fault: fault.Normal(), dead: ranksOnNode(fabric, fault.NodeID)}
}

// spans reports whether a participant of step i is on the failed node.
func (n *nodeFault) spans(f *plan.Frozen, i int32) bool {
	for _, rank := range f.Participants(i) {
		if n.dead[rank] {
			return true
		}
	}
	return false
}

// retains reports whether an operation of the schedule stands in the fault trace.
func (n *nodeFault) retains(f *plan.Frozen, i int32, op *trace.Operation) bool {
	return op.SubmittedAtNs < n.fault.AtNs && (op.StartNs < n.fault.AtNs || !n.spans(f, i))
}

// terminal closes an execution whose retained operations are in log.
func (n *nodeFault) terminal(f *plan.Frozen, log *recorder) trace.Terminal {
	at := n.fault.AtNs
	p := f.Plan()
	drained := at
	for k, i := range log.steps {
		if !n.spans(f, i) {
			drained = max(drained, log.operations[k].FinishNs)
		}
	}
	retained := make([]bool, f.Len())
	for _, i := range log.steps {
		retained[i] = true
	}
	fault := n.fault
	end := trace.Terminal{
		ContractRevision: plan.ContractRevision, ExecutionID: p.ExecutionID, TopologyEpoch: p.TopologyEpoch,
		SourceSequence: int64(len(log.operations)), Status: trace.Failed,
		TimestampNs: min(drained, at+fault.QuiesceTimeoutNs),
		FailureAtNs: at, Reason: fault.Reason, Fault: &fault,
		UnsubmittedStepIDs: unsubmitted(f, retained),
	}
	end.RankStates = n.rankStates(f, log, end.TimestampNs)
	return end
}

func (n *nodeFault) rankStates(f *plan.Frozen, log *recorder, quiescedNs int64) []trace.RankState {
	done, whole := rankCompletionsOf(f, log), wholeRanks(f, log)
	shared := n.sharedRanks(f)
	states := make([]trace.RankState, 0, len(f.Ranks()))
	for _, rank := range f.Ranks() {
		s := trace.RankState{RankID: f.Fabric().RankID(rank)}
		switch {
		case n.dead[rank]:
			s.Status, s.TerminalAtNs = trace.Failed, n.fault.AtNs
		case whole[rank] && (done[rank] < n.fault.AtNs || !shared[rank]):
			s.Status, s.TerminalAtNs = trace.Succeeded, done[rank]
		default:
			s.Status, s.TerminalAtNs = trace.Aborted, quiescedNs
		}
		states = append(states, s)
	}
	return states
}

// sharedRanks marks the ranks that share any step with the failed node.
func (n *nodeFault) sharedRanks(f *plan.Frozen) []bool {
	shared := make([]bool, len(n.dead))
	for i := range int32(f.Len()) {
		if !n.spans(f, i) {
			continue
		}
		for _, rank := range f.Participants(i) {
			shared[rank] = true
		}
	}
	return shared
}

// runNodeFailure executes one plan under a node failure with a deadline.
func runNodeFailure(f *plan.Frozen, fault *trace.Fault) (*Result, error) {
	r := newSingleRun(f, Options{})
	r.spent = 1 // the fault is an event as well
	if err := r.execute(); err != nil {
		return nil, err
	}
	if fault.AtNs > r.log.lastFinish() {
		return r.result(), nil
	}
	n := newNodeFault(f.Fabric(), fault)
	kept := newRecorder(len(r.log.operations), 0)
	for k, i := range r.log.steps {
		op := r.log.operations[k]
		if n.retains(f, i, &op) {
			op.SourceSequence = int64(len(kept.operations))
			kept.operations, kept.steps = append(kept.operations, op), append(kept.steps, i)
		}
	}
	return newResult(kept.operations, n.terminal(f, &kept)), nil
}
