package expertsreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// firstNs is the earliest time of the first token, in ns; -1 beyond the safe
// integers.
func (c *checker) firstNs() int64 {
	first := c.workload.StartAtNs
	if p := c.workload.InitialPrefetch; p != nil {
		first += p.LeadTimeNs
	}
	if !quantity.IsCount(first) {
		return -1
	}
	return first
}

// workloadRoute: the workload's next token, at its planned time or as soon as the
// previous one is done.
func (c *checker) workloadRoute(ev trace.ExpertEvent, r *trace.ExpertRoute) error {
	if c.workload == nil {
		return nil
	}
	w := c.workload
	offset, err := quantity.Mul(c.tokens, w.TokenIntervalNs)
	first := c.firstNs()
	at := max(first+offset, c.ready)
	switch {
	case c.tokens == w.TokenCount:
		return c.bad(WorkloadEnd, "a token beyond the workload's %d", w.TokenCount)
	case w.InitialPrefetch != nil && c.prefetchEvents() == 0:
		return c.bad(PrefetchDue, "a route, but the workload begins with a prefetch")
	case r.TokenIndex != c.tokens || r.TopK != w.TopK:
		return c.bad(RouteArguments, "token %d with %d experts, want token %d with %d", r.TokenIndex, r.TopK, c.tokens, w.TopK)
	case err != nil || first < 0 || ev.AtNs != at:
		return c.bad(RouteArguments, "token %d at %d ns, want %d ns", r.TokenIndex, ev.AtNs, at)
	}
	return nil
}

// prefetchEvents counts the prefetch requests so far.
func (c *checker) prefetchEvents() int32 { return c.rows[trace.ExpertPrefetched] }

// workloadPrefetch: the workload's one manual request, before everything else.
func (c *checker) workloadPrefetch(ev trace.ExpertEvent, p *trace.ExpertPrefetch, experts []int32) error {
	if c.workload == nil {
		return nil
	}
	w := c.workload.InitialPrefetch
	if w == nil || ev.Ref != 0 || c.tokens != 0 {
		return c.bad(PrefetchRequest, "the workload asks for no manual prefetch here")
	}
	want := make([]string, 0, len(w.ExpertIDs))
	for _, id := range w.ExpertIDs {
		if !slices.Contains(want, id) {
			want = append(want, id)
		}
	}
	same := slices.EqualFunc(experts, want, func(e int32, id string) bool { return c.id(e) == id })
	if !same || ev.AtNs != c.workload.StartAtNs || workload.SourceTier(p.Target.String()) != w.TargetTier {
		return c.bad(PrefetchRequest, "not the workload's prefetch at %d ns", c.workload.StartAtNs)
	}
	return nil
}

// workloadEnd is the time at which the cache was left, in ns.
func (c *checker) workloadEnd() (int64, error) {
	switch {
	case c.workload == nil:
		return c.endNs, nil
	case c.tokens != c.workload.TokenCount:
		return 0, c.bad(WorkloadEnd, "%d tokens, the workload has %d", c.tokens, c.workload.TokenCount)
	case c.workload.InitialPrefetch == nil:
		return c.now, nil
	case c.prefetchEvents() == 0:
		return 0, c.bad(PrefetchDue, "the trace ends, but the workload begins with a prefetch")
	}
	return c.firstNs(), nil
}
