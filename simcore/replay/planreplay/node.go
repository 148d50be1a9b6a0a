package planreplay

import "github.com/inferlab/inferlab/simcore/trace"

// nodeRule is a node failure with an abort deadline as the checker reads it
// (contract 03 section 17.2).
type nodeRule struct {
	atNs       int64
	deadlineNs int64
	fault      *trace.Fault
	onNode     []bool // by rank of one script
	spanning   []bool // by step: a participant is on the node
}

func newNodeRule(s *script, fault *trace.Fault) *nodeRule {
	n := &nodeRule{
		atNs: fault.AtNs, deadlineNs: fault.AtNs + fault.QuiesceTimeoutNs, fault: fault,
		onNode: make([]bool, len(s.rankIDs)), spanning: make([]bool, len(s.ranks)),
	}
	for rank, id := range s.rankIDs {
		n.onNode[rank] = s.machine.rankHome[id].node == fault.NodeID
	}
	for i := range s.ranks {
		for _, rank := range s.ranks[i] {
			n.spanning[i] = n.spanning[i] || n.onNode[rank]
		}
	}
	return n
}

// keeps reports whether an operation of the schedule stands in the fault trace.
func (n *nodeRule) keeps(i int32, submittedNs, startNs int64) bool {
	if submittedNs >= n.atNs {
		return false
	}
	return !n.spanning[i] || startNs < n.atNs
}

// close compares what section 17.2 says of an execution's end. The list of
// unsubmitted steps has been compared before.
func (n *nodeRule) close(at int, s *script, has func(int32) bool, finish []int64, end *trace.Terminal) *Mismatch {
	drained := n.atNs
	for i := range s.ranks {
		if has(int32(i)) && !n.spanning[i] {
			drained = max(drained, finish[i])
		}
	}
	if want := min(drained, n.deadlineNs); end.TimestampNs != want {
		return mismatch(at, RuleTimestamp, "quiesces at %d ns, expected %d ns", end.TimestampNs, want)
	}
	touched := make([]bool, len(s.rankIDs)) // ranks that share a step with the node
	for i := range s.ranks {
		if n.spanning[i] {
			for _, rank := range s.ranks[i] {
				touched[rank] = true
			}
		}
	}
	last, complete := s.lastFinishes(has, finish), s.complete(has)
	want := make([]trace.RankState, len(last))
	for rank, id := range s.rankIDs {
		switch {
		case n.onNode[rank]:
			want[rank] = trace.RankState{RankID: id, Status: trace.Failed, TerminalAtNs: n.atNs}
		case complete[rank] && (last[rank] < n.atNs || !touched[rank]):
			want[rank] = trace.RankState{RankID: id, Status: trace.Succeeded, TerminalAtNs: last[rank]}
		default:
			want[rank] = trace.RankState{RankID: id, Status: trace.Aborted, TerminalAtNs: end.TimestampNs}
		}
	}
	return sameRanks(at, end.RankStates, want)
}
