package experts

import "github.com/inferlab/inferlab/simcore/trace"

// history is what the adaptive policy knows: completed routes only.
type history struct {
	observed int64   // routes
	count    []int64 // routes that selected the expert
	last     []int64 // token index of the latest of them

	undo       []int64 // last of the active route's experts before it was observed
	candidates []int32
	chosen     []int32
	started    []int32
}

// decision is one turn of the policy, planned and not yet recorded.
type decision struct {
	due    bool
	chosen []int32
}

// decide takes the active route into the history and, when a decision is due,
// makes and plans it (contract 05 section 2.11). A refusal takes the route out of
// the history again.
func (c *Cache) decide() (decision, error) {
	h, r := &c.history, &c.active
	h.observed++
	h.undo = h.undo[:0]
	for _, e := range r.experts {
		h.undo = append(h.undo, h.last[e])
		h.count[e]++
		h.last[e] = r.tokenIndex
	}
	a := c.tr.Config.AdaptivePrefetch
	if a == nil || (r.tokenIndex+1)%a.IntervalTokens != 0 {
		return decision{}, nil
	}
	c.choose(a.MinObservations, a.MaxExpertsPerDecision)
	if err := c.planPrefetch(c.warm, h.chosen); err != nil {
		h.observed--
		for i, e := range r.experts {
			h.count[e]--
			h.last[e] = h.undo[i]
		}
		return decision{}, err
	}
	return decision{due: true, chosen: h.chosen}, nil
}

// choose walks the ranking until enough experts fit what is left of their
// partition's reservations. What is left only shrinks within a decision, so an
// expert that does not fit once never will and stops being a candidate; the walk
// then takes the best remaining one, one pass for each choice.
func (c *Cache) choose(least, most int64) {
	h := &c.history
	h.candidates, h.chosen = h.candidates[:0], h.chosen[:0]
	c.plan.begin()
	for _, e := range c.router.order { // by id, so that the first of equals ranks first
		if h.count[e] >= least && !c.warm.has(e) && c.warm.pending[e] == 0 && c.fits(e) {
			h.candidates = append(h.candidates, e)
		}
	}
	for int64(len(h.chosen)) < most {
		best := -1
		for i, e := range h.candidates {
			switch {
			case e == none:
			case !c.fits(e):
				h.candidates[i] = none
			case best < 0 || h.outranks(e, h.candidates[best]):
				best = i
			}
		}
		if best < 0 {
			return
		}
		e := h.candidates[best]
		h.candidates[best] = none
		c.warm.parts[c.warm.owner[e]].delta += c.bytes[e]
		h.chosen = append(h.chosen, e)
	}
}

// fits compares an expert with the bytes that a decision may still choose in its
// warm partition.
func (c *Cache) fits(e int32) bool {
	p := &c.warm.parts[c.warm.owner[e]]
	if p.plan != c.plan.number {
		p.plan, p.delta = c.plan.number, 0
	}
	return c.bytes[e] <= p.capacity-p.reserved-p.delta
}

// outranks orders by count, then by recency.
func (h *history) outranks(a, b int32) bool {
	if h.count[a] != h.count[b] {
		return h.count[a] > h.count[b]
	}
	return h.last[a] > h.last[b]
}

// follow records a decision and starts what it chose. The copies of the access
// count before it, and its loads are the last of the token.
func (c *Cache) follow(d decision) []int32 {
	if !d.due {
		return nil
	}
	c.metrics.AdaptivePrefetchDecisions++
	c.metrics.AdaptivePrefetchSelections += int64(len(d.chosen))
	from, to := c.list(d.chosen)
	c.tr.Decisions = append(c.tr.Decisions, trace.ExpertDecision{
		TokenIndex: c.active.tokenIndex, ObservedRoutes: c.history.observed, From: from, To: to,
	})
	c.record(trace.ExpertDecided, c.now, len(c.tr.Decisions))
	if len(d.chosen) == 0 {
		return nil
	}
	c.history.started = c.prefetch(c.warm, d.chosen, trace.TriggerAdaptive, c.history.started[:0])
	return c.history.started
}
