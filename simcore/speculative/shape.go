package speculative

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Shape is the plan of one iteration (contract 04 section 3.1).
type Shape struct {
	Guaranteed         int64 // g, 0 or 1
	ProposedAdditional int64 // k
}

// ProposedDraftTokens is D, the full proposal.
func (s Shape) ProposedDraftTokens() int64 { return s.Guaranteed + s.ProposedAdditional }

// TargetTokenWidth is W, the rows of the verification forward.
func (s Shape) TargetTokenWidth() int64 { return s.ProposedDraftTokens() + 1 }

// Plan plans an iteration without a row limit: guaranteed is the width of the
// family's prefix (0 or 1), remaining what is left to commit (at least 1) and
// additional the configured width.
func Plan(guaranteed, remaining, additional int64) Shape {
	if guaranteed == 0 {
		return Shape{ProposedAdditional: min(additional, remaining)}
	}
	return Shape{Guaranteed: 1, ProposedAdditional: min(additional, remaining-1)}
}

// PlanWithin is Plan with at most rows rows (at least 1) in the target forward.
func PlanWithin(guaranteed, remaining, additional, rows int64) Shape {
	m := min(remaining, max(0, rows-1))
	if m == 0 {
		return Shape{}
	}
	return Plan(guaranteed, m, additional)
}

// Decision is how an iteration ends (contract 04 section 3.2).
type Decision struct {
	AcceptedDraft int64 // A
	Authoritative int64 // t: the target's own token, 0 or 1
	Committed     int64 // C
	RejectedDraft int64
	Outcome       trace.DecodeOutcome
}

// Decide ends an iteration of a shape of which accepted additional tokens were
// accepted, with remaining tokens left to commit.
func Decide(s Shape, accepted, remaining int64) (Decision, error) {
	proposed := s.ProposedDraftTokens()
	switch {
	case accepted < 0 || accepted > s.ProposedAdditional:
		return Decision{}, issue.New("accepted", "", "%d of %d additional tokens cannot be accepted", accepted, s.ProposedAdditional)
	case remaining < 1 || proposed > remaining:
		return Decision{}, issue.New("remaining", "", "a proposal of %d tokens does not suit the %d that remain", proposed, remaining)
	}
	d := Decision{AcceptedDraft: s.Guaranteed + accepted, Authoritative: 1}
	d.RejectedDraft = proposed - d.AcceptedDraft
	switch {
	case proposed == 0:
		d.Outcome = trace.OutcomeTargetOnly
	case d.RejectedDraft > 0:
		d.Outcome = trace.OutcomeCorrection
	case proposed == remaining:
		d.Outcome, d.Authoritative = trace.OutcomeAcceptedTail, 0
	default:
		d.Outcome = trace.OutcomeBonus
	}
	d.Committed = d.AcceptedDraft + d.Authoritative
	return d, nil
}
