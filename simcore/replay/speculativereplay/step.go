package speculativereplay

import "github.com/inferlab/inferlab/simcore/trace"

// step is one derived iteration.
type step struct {
	prefix, drafted, accepted, own int64 // g, k, a, t
	outcome                        trace.DecodeOutcome
}

// widthOf derives prefix and additional width: what remains is filled with the
// prefix first, then with at most n additional tokens, and one row is kept for the
// target.
func widthOf(prefix, remaining, n, rows int64) (g, k int64) {
	space := remaining
	if rows-1 < space {
		space = rows - 1
	}
	if space < 1 {
		return 0, 0
	}
	k = space - prefix
	if k > n {
		k = n
	}
	return prefix, k
}

// settle derives the end of an iteration.
func settle(g, k, accepted, remaining int64) step {
	s := step{prefix: g, drafted: k, accepted: accepted, own: 1}
	whole := accepted == k
	switch {
	case g+k == 0:
		s.outcome = trace.OutcomeTargetOnly
	case !whole:
		s.outcome = trace.OutcomeCorrection
	case g+k < remaining:
		s.outcome = trace.OutcomeBonus
	default:
		s.outcome, s.own = trace.OutcomeAcceptedTail, 0
	}
	return s
}

func (s step) committed() int64 { return s.prefix + s.accepted + s.own }
