package executor

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// rankCompletionsOf gives, by rank, the greatest finish of the recorded
// operations that the rank participates in.
func rankCompletionsOf(f *plan.Frozen, log *recorder) []int64 {
	done := make([]int64, len(f.Fabric().RankIDs()))
	for k, i := range log.steps {
		finish := log.operations[k].FinishNs
		for _, rank := range f.Participants(i) {
			done[rank] = max(done[rank], finish)
		}
	}
	return done
}

// succeededRanks lists the states of an execution that ran to its end.
func succeededRanks(f *plan.Frozen, log *recorder) []trace.RankState {
	done := rankCompletionsOf(f, log)
	states := make([]trace.RankState, 0, len(f.Ranks()))
	for _, rank := range f.Ranks() {
		states = append(states, trace.RankState{RankID: f.Fabric().RankID(rank), Status: trace.Succeeded, TerminalAtNs: done[rank]})
	}
	return states
}

// interruptedRanks lists the states after a fault or injection at atNs (contract
// 03 section 9): what a rank had finished before stays finished.
func interruptedRanks(f *plan.Frozen, log *recorder, failed []bool, atNs, completedAtNs int64) []trace.RankState {
	done := rankCompletionsOf(f, log)
	whole := wholeRanks(f, log)
	states := make([]trace.RankState, 0, len(f.Ranks()))
	for _, rank := range f.Ranks() {
		s := trace.RankState{RankID: f.Fabric().RankID(rank)}
		switch {
		case whole[rank] && done[rank] < atNs:
			s.Status, s.TerminalAtNs = trace.Succeeded, done[rank]
		case failed[rank]:
			s.Status, s.TerminalAtNs = trace.Failed, atNs
		case whole[rank]:
			s.Status, s.TerminalAtNs = trace.Succeeded, done[rank]
		default:
			s.Status, s.TerminalAtNs = trace.Aborted, completedAtNs
		}
		states = append(states, s)
	}
	return states
}

// wholeRanks marks, by rank, those all of whose steps are recorded.
func wholeRanks(f *plan.Frozen, log *recorder) []bool {
	recorded := make([]bool, f.Len())
	for _, i := range log.steps {
		recorded[i] = true
	}
	whole := make([]bool, len(f.Fabric().RankIDs()))
	for i := range whole {
		whole[i] = true
	}
	for i := range int32(f.Len()) {
		if recorded[i] {
			continue
		}
		for _, rank := range f.Participants(i) {
			whole[rank] = false
		}
	}
	return whole
}

// faultedRanks marks, by rank, those that a fault fails (contract 03 section 9).
func faultedRanks(f *plan.Frozen, log *recorder, fault *trace.Fault) []bool {
	fabric := f.Fabric()
	failed := make([]bool, len(fabric.RankIDs()))
	switch fault.Kind {
	case trace.NodeFailure:
		copy(failed, ranksOnNode(fabric, fault.NodeID))
	case trace.DeviceFailure:
		device, _ := fabric.DeviceIndex(fault.DeviceID)
		for _, rank := range f.Ranks() {
			failed[rank] = fabric.RankDevice(rank) == device
		}
	case trace.LinkFailure:
		for k, i := range log.steps {
			if log.operations[k].FinishNs < fault.AtNs || !usesLink(f.Step(i), fault.LinkID) {
				continue
			}
			for _, rank := range f.Participants(i) {
				failed[rank] = true
			}
		}
	}
	return failed
}

// ranksOnNode marks, by rank, those whose device is on a node.
func ranksOnNode(fabric *plan.Fabric, nodeID string) []bool {
	on := make([]bool, len(fabric.RankIDs()))
	for rank := range on {
		node, ok := fabric.RankNode(int32(rank))
		on[rank] = ok && node == nodeID
	}
	return on
}

// usesLink reports whether a step moves data over a link.
func usesLink(s *plan.Step, linkID string) bool {
	switch s.Operation.Kind {
	case plan.Transfer:
		return s.Operation.LinkID == linkID
	case plan.Collective:
		return slices.Contains(s.Operation.LinkIDs, linkID)
	}
	return false
}

// completions lists the ranks that succeeded.
func completions(states []trace.RankState) []trace.RankCompletion {
	var done []trace.RankCompletion
	for _, s := range states {
		if s.Status == trace.Succeeded {
			done = append(done, trace.RankCompletion{RankID: s.RankID, CompletedAtNs: s.TerminalAtNs})
		}
	}
	return done
}

// unsubmitted lists the ids of the steps that were not submitted, in plan order.
func unsubmitted(f *plan.Frozen, submitted []bool) []int64 {
	ids := []int64{}
	for i, done := range submitted {
		if !done {
			ids = append(ids, f.Step(int32(i)).ID)
		}
	}
	return ids
}
