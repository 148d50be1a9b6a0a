package speculative

import (
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// metrics evaluates a run (contract 04 sections 7.4 and 13.6).
func (r *runner) metrics(t *trace.Speculative) trace.SpeculativeMetrics {
	n := r.cfg.MaxAdditionalTokens
	m := trace.SpeculativeMetrics{
		Iterations: int64(len(t.Iterations)), CommittedTokens: r.cfg.OutputTokens,
		AcceptedPrefixHistogram: make([]int64, n+1), AcceptanceByPosition: make([]float64, n),
	}
	proposals := make([]int64, n+1) // iterations by k
	var rejecting, drafting int64
	for i := range t.Iterations {
		it := &t.Iterations[i]
		m.GuaranteedTargetTokens += int64(it.Guaranteed)
		m.ProposedAdditionalTokens += it.ProposedAdditional
		m.AcceptedAdditionalTokens += it.AcceptedAdditional
		m.TargetAuthoritativeTokens += int64(it.Authoritative)
		m.AcceptedPrefixHistogram[it.AcceptedAdditional]++
		proposals[it.ProposedAdditional]++
		if it.RejectedDraftTokens() > 0 {
			rejecting++
		}
		if it.ProposedAdditional > 0 {
			drafting++
		}
		switch it.Outcome {
		case trace.OutcomeCorrection:
			m.CorrectionTokens++
		case trace.OutcomeBonus:
			m.BonusTokens++
		case trace.OutcomeAcceptedTail:
			m.AcceptedTailIterations++
		default:
			m.TargetOnlyTokens++
		}
	}
	m.ProposedDraftTokens = m.GuaranteedTargetTokens + m.ProposedAdditionalTokens
	m.AcceptedDraftTokens = m.GuaranteedTargetTokens + m.AcceptedAdditionalTokens
	m.RejectedDraftTokens = m.ProposedDraftTokens - m.AcceptedDraftTokens
	if m.Iterations > 0 {
		m.CommittedTokensPerTargetForward = float64(m.CommittedTokens) / float64(m.Iterations)
	}
	var reached, passed int64 // iterations with k > j and a > j
	for j := n - 1; j >= 0; j-- {
		reached += proposals[j+1]
		passed += m.AcceptedPrefixHistogram[j+1]
		if reached > 0 {
			m.AcceptanceByPosition[j] = float64(passed) / float64(reached)
		}
	}
	r.stateMetrics(&m, t.Groups, rejecting, drafting)
	if t.PagedKV != nil {
		pagedMetrics(&m, t)
	}
	return m
}

// stateMetrics counts rollbacks by kind, of so many iterations that rejected
// something and so many that drafted, and the high water of the KV groups.
func (r *runner) stateMetrics(m *trace.SpeculativeMetrics, groups []trace.StateGroup, rejecting, drafting int64) {
	for _, g := range r.cfg.Groups() {
		switch {
		case g.Lifetime == workload.ProposalLocal:
			m.RollbackOperations.SidecarReset += drafting
		case g.Lifetime == workload.Borrowed: // releasing a lease is no rollback
		case g.Rollback.Bounded:
			m.RollbackOperations.SnapshotRestore += rejecting
		default:
			m.RollbackOperations.CursorOnly += rejecting
		}
	}
	for i := range groups {
		switch g := &groups[i]; g.Role {
		case workload.RoleTargetKV:
			m.TargetKVHighWaterTokens = max(m.TargetKVHighWaterTokens, g.HighWaterLength)
		case workload.RoleDraftKV, workload.RoleSidecarKV:
			m.ProposerKVHighWaterTokens = max(m.ProposerKVHighWaterTokens, g.HighWaterLength)
		}
	}
}

func pagedMetrics(m *trace.SpeculativeMetrics, t *trace.Speculative) {
	for i := range t.PagedKV.Events {
		e := &t.PagedKV.Events[i]
		pages := t.PagedKV.PageCount(e)
		switch {
		case e.Kind != trace.PagedKVRestore:
			m.KVPagesAllocated += pages
		case pages > 0:
			m.KVPagesReleased += pages
			m.RollbackOperations.PagedTableMutation++
		}
	}
	m.KVHighWaterReservedBytes = t.PagedKVSnapshot.HighWaterBytes()
	m.KVFinalReservedBytes = t.PagedKVSnapshot.ReservedBytes()
}
