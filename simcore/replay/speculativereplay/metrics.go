package speculativereplay

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// metrics derives the figures of contract 04 sections 7.4 and 13.6 from the
// iterations, which have been checked, and compares them.
func (c *checker) metrics(groups []trace.StateGroup) error {
	got := c.t.Metrics
	want := c.sums()
	c.rollbacks(&want)
	for _, g := range groups {
		if g.Role == workload.RoleTargetKV {
			want.TargetKVHighWaterTokens = max(want.TargetKVHighWaterTokens, g.HighWaterLength)
		}
		if g.Role == workload.RoleDraftKV || g.Role == workload.RoleSidecarKV {
			want.ProposerKVHighWaterTokens = max(want.ProposerKVHighWaterTokens, g.HighWaterLength)
		}
	}
	histogram, positions := c.positions()
	if !slices.Equal(got.AcceptedPrefixHistogram, histogram) {
		return c.bad(Metrics, "acceptedPrefixHistogram")
	}
	if !slices.Equal(got.AcceptanceByPosition, positions) {
		return c.bad(Metrics, "acceptanceByPosition")
	}
	got.AcceptedPrefixHistogram, got.AcceptanceByPosition = nil, nil
	if found, expected := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); found != expected {
		return c.bad(Metrics, "found %s, want %s", found, expected)
	}
	return nil
}

// sums derives the totals that are no lists. Sums that follow from others are
// counted by themselves.
func (c *checker) sums() trace.SpeculativeMetrics {
	var m trace.SpeculativeMetrics
	for i := range c.t.Iterations {
		it := &c.t.Iterations[i]
		g, t := int64(it.Guaranteed), int64(it.Authoritative)
		m.Iterations++
		m.GuaranteedTargetTokens += g
		m.ProposedAdditionalTokens += it.ProposedAdditional
		m.AcceptedAdditionalTokens += it.AcceptedAdditional
		m.ProposedDraftTokens += g + it.ProposedAdditional
		m.AcceptedDraftTokens += g + it.AcceptedAdditional
		m.RejectedDraftTokens += it.ProposedAdditional - it.AcceptedAdditional
		m.TargetAuthoritativeTokens += t
		m.CommittedTokens += g + it.AcceptedAdditional + t
		if it.ProposedAdditional > it.AcceptedAdditional {
			m.CorrectionTokens++
		} else if g+it.ProposedAdditional == 0 {
			m.TargetOnlyTokens++
		} else if t == 0 {
			m.AcceptedTailIterations++
		} else {
			m.BonusTokens++
		}
	}
	if m.Iterations > 0 {
		m.CommittedTokensPerTargetForward = float64(m.CommittedTokens) / float64(m.Iterations)
	}
	return m
}

// rollbacks counts what the iterations roll back, group by group, and what the
// pages did.
func (c *checker) rollbacks(m *trace.SpeculativeMetrics) {
	var rejected, drafted int64
	for i := range c.t.Iterations {
		if c.t.Iterations[i].ProposedAdditional > c.t.Iterations[i].AcceptedAdditional {
			rejected++
		}
		if c.t.Iterations[i].ProposedAdditional > 0 {
			drafted++
		}
	}
	for _, g := range c.cfg.Groups() {
		if g.Lifetime == workload.ProposalLocal {
			m.RollbackOperations.SidecarReset += drafted
		}
		if g.Lifetime == workload.CommittedPrefix && g.Rollback.Bounded {
			m.RollbackOperations.SnapshotRestore += rejected
		}
		if g.Lifetime == workload.CommittedPrefix && !g.Rollback.Bounded {
			m.RollbackOperations.CursorOnly += rejected
		}
	}
	if c.t.PagedKV == nil {
		return
	}
	p := c.cfg.PagedKV
	bytes := p.PageSizeTokens * p.BytesPerToken
	pages := func(tokens int64) int64 { return (tokens + p.PageSizeTokens - 1) / p.PageSizeTokens }
	live := pages(c.cfg.InitialTokens)
	m.KVPagesAllocated = live
	top := c.cfg.InitialTokens
	for i := range c.t.Iterations {
		it := &c.t.Iterations[i]
		kept := it.BaseTokens + int64(it.Guaranteed) + it.AcceptedAdditional
		candidate := kept + it.ProposedAdditional - it.AcceptedAdditional
		final := kept + int64(it.Authoritative)
		m.KVPagesAllocated += pages(candidate) - live + pages(final) - pages(kept)
		if released := pages(candidate) - pages(kept); released > 0 {
			m.KVPagesReleased += released
			m.RollbackOperations.PagedTableMutation++
		}
		top = max(top, candidate, final)
		live = pages(final)
	}
	m.KVHighWaterReservedBytes = pages(top) * bytes
	m.KVFinalReservedBytes = live * bytes
}

// positions derives the two lists. Every iteration adds to the positions that it
// reached and passed.
func (c *checker) positions() (histogram []int64, shares []float64) {
	n := c.cfg.MaxAdditionalTokens
	histogram = make([]int64, n+1)
	ends := make([]int64, n+1) // iterations by additional width
	for i := range c.t.Iterations {
		histogram[c.t.Iterations[i].AcceptedAdditional]++
		ends[c.t.Iterations[i].ProposedAdditional]++
	}
	shares = make([]float64, n)
	reached, passed := int64(len(c.t.Iterations)), int64(len(c.t.Iterations))
	for j := range n {
		reached -= ends[j]
		passed -= histogram[j]
		if reached > 0 {
			shares[j] = float64(passed) / float64(reached)
		}
	}
	return histogram, shares
}
