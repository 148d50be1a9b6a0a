package run

import (
	"fmt"
	"math/bits"
	"sort"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// RollbackCosts are what rollbacks are taken to last, in ns each: heuristic
// coefficients that are reported and never scheduled (contract 04 section 13.7).
// Recomputation is never assumed to be free: it has no default, and counting one
// without a declared coefficient is an error.
type RollbackCosts struct {
	CursorOnlyNs, SnapshotRestoreNs, PagedTableMutationNs, SidecarResetNs int64
	RecomputationNs                                                       int64 // 0: not declared
}

// DefaultRollbackCosts are the contract's coefficients.
func DefaultRollbackCosts() RollbackCosts {
	return RollbackCosts{SnapshotRestoreNs: 5_000, PagedTableMutationNs: 2_000, SidecarResetNs: 1_000}
}

// Total is what so many rollbacks last, in ns.
func (c RollbackCosts) Total(n trace.RollbackOperations) (int64, error) {
	if n.Recomputation > 0 && c.RecomputationNs <= 0 {
		return 0, issue.New("recomputation_cost", "", "%d recomputations were counted and no coefficient is declared", n.Recomputation)
	}
	var total int64
	for _, kind := range [...][2]int64{
		{n.CursorOnly, c.CursorOnlyNs}, {n.SnapshotRestore, c.SnapshotRestoreNs}, {n.PagedTableMutation, c.PagedTableMutationNs},
		{n.SidecarReset, c.SidecarResetNs}, {n.Recomputation, c.RecomputationNs},
	} {
		ns, err := quantity.Mul(kind[0], kind[1])
		if err == nil {
			total, err = quantity.Add(total, ns)
		}
		if err != nil {
			return 0, issue.New("overflow", "", "the time of rollbacks: %v", err)
		}
	}
	return total, nil
}

// Speculation splits the time of a topology-bound speculative run and compares it
// with target-only decoding of as many tokens on the same machine (contract 04
// section 13.7). Times are service times in ns; only the two durations are
// elapsed times.
type Speculation struct {
	ProposerNs              int64
	VerificationNs          int64
	RollbackNs              int64 // reported, not part of any duration
	RejectedProposerNs      int64 // the share of proposer work that was rejected
	RejectedComputeNs       int64 // the share of target rows that committed nothing
	RejectedCommunicationNs int64
	TargetOnlyDurationNs    int64
	SpeedupVersusTargetOnly float64
	Confidence              evidence.Class
	Units                   []UnitTime // by iteration
	TargetOnly              *Result    // the run compared with
}

// UnitTime is the service time of one iteration and when it ran.
type UnitTime struct {
	ProposerNs, ComputeNs, CommunicationNs int64
	ProposerStartNs, ProposerFinishNs      int64 // both 0 without a proposer step
	VerifyStartNs, FinishNs                int64
}

// MeasureSpeculation evaluates a run of t's profile with a cost model.
func MeasureSpeculation(r *Result, t *trace.Speculative, m *cost.Model) (*Speculation, error) {
	if len(t.Iterations) != len(r.Profile.Units) || len(r.Compiled.UnitTerminals) != len(r.Profile.Units) {
		return nil, issue.New("profile", "", "the run has %d units and the workload %d iterations", len(r.Profile.Units), len(t.Iterations))
	}
	s := &Speculation{Confidence: r.Confidence, Units: unitTimes(r)}
	for i := range s.Units {
		if err := s.add(&s.Units[i], &t.Iterations[i]); err != nil {
			return nil, err
		}
	}
	var err error
	if s.RollbackNs, err = DefaultRollbackCosts().Total(t.Metrics.RollbackOperations); err != nil {
		return nil, err
	}
	if s.TargetOnly, err = targetOnly(r.Scenario, r.Metrics.CommittedTokens, r.Profile, m); err != nil {
		return nil, fmt.Errorf("target-only run for comparison: %w", err)
	}
	s.TargetOnlyDurationNs = s.TargetOnly.Metrics.TotalDurationNs
	s.SpeedupVersusTargetOnly = 1
	if r.Metrics.TotalDurationNs > 0 {
		s.SpeedupVersusTargetOnly = float64(s.TargetOnlyDurationNs) / float64(r.Metrics.TotalDurationNs)
	}
	return s, nil
}

// targetOnly runs as many tokens on the same scenario, with the same work bound.
func targetOnly(s *topology.Scenario, tokens int64, like *workload.Profile, m *cost.Model) (*Result, error) {
	p, err := workload.TargetOnly(tokens)
	if err != nil {
		return nil, err
	}
	p.ModelWork, p.Pipeline = like.ModelWork, like.Pipeline
	return Execute(s, p, m)
}

// unitTimes sums the operations of every unit. A unit's steps are those after the
// previous unit's terminal up to its own.
func unitTimes(r *Result) []UnitTime {
	terminals := r.Compiled.UnitTerminals
	units := make([]UnitTime, len(terminals))
	for i := range r.Trace.Operations {
		op := &r.Trace.Operations[i]
		at := sort.Search(len(terminals), func(u int) bool { return terminals[u] >= op.StepID })
		if at == len(terminals) {
			continue
		}
		u, ns := &units[at], op.FinishNs-op.StartNs
		c := r.Compiled.Plan.Steps[op.StepID].Operation.Capability
		switch {
		case op.Kind == plan.Compute && (c == topology.Draft || c == topology.Lookup):
			u.ProposerNs += ns
			u.ProposerStartNs, u.ProposerFinishNs = op.StartNs, op.FinishNs
			continue
		case op.Kind == plan.Compute:
			u.ComputeNs += ns
		default:
			u.CommunicationNs += ns
		}
		if u.FinishNs == 0 || op.StartNs < u.VerifyStartNs {
			u.VerifyStartNs = op.StartNs
		}
		u.FinishNs = max(u.FinishNs, op.FinishNs)
	}
	return units
}

// add adds one iteration to the totals.
func (s *Speculation) add(u *UnitTime, it *trace.SpeculativeIteration) error {
	width := it.TargetTokenWidth()
	wasted := width - it.CommittedTokens()
	if it.ProposedAdditional > 0 {
		s.RejectedProposerNs += share(u.ProposerNs, it.RejectedDraftTokens(), it.ProposedAdditional)
	}
	s.RejectedComputeNs += share(u.ComputeNs, wasted, width)
	s.RejectedCommunicationNs += share(u.CommunicationNs, wasted, width)
	var err error
	if s.ProposerNs, err = quantity.Add(s.ProposerNs, u.ProposerNs); err == nil {
		s.VerificationNs, err = quantity.Sum(s.VerificationNs, u.ComputeNs, u.CommunicationNs)
	}
	if err != nil {
		return issue.New("overflow", "", "the service time of the iterations: %v", err)
	}
	return nil
}

// share is floor(ns * part / whole) for part <= whole, exact.
func share(ns, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(ns), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// WriteDocument writes the object of contract 04 section 13.7.
func (s *Speculation) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Key("proposerNs").Int(s.ProposerNs)
	w.Key("verificationNs").Int(s.VerificationNs)
	w.Key("rollbackNs").Int(s.RollbackNs)
	w.Key("rejectedProposerNs").Int(s.RejectedProposerNs)
	w.Key("rejectedComputeNs").Int(s.RejectedComputeNs)
	w.Key("rejectedCommunicationNs").Int(s.RejectedCommunicationNs)
	w.Key("targetOnlyDurationNs").Int(s.TargetOnlyDurationNs)
	w.Key("speedupVersusTargetOnly").Float(s.SpeedupVersusTargetOnly)
	w.Key("confidence").Text(string(s.Confidence))
	w.End()
}
