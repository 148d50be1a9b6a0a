package expertsreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// route: the drawn experts, which fit their partitions together.
func (c *checker) route(ev trace.ExpertEvent) error {
	r := &c.tr.Routes[ev.Ref]
	if c.open != nil {
		return c.bad(RouteOpen, "%s, but %s is outstanding", trace.RequestID(r.Request), trace.RequestID(c.open.Request))
	}
	if r.Request != ev.Ref+1 {
		return c.bad(RouteIdentity, "%s, want %s", trace.RequestID(r.Request), trace.RequestID(ev.Ref+1))
	}
	if err := c.moveTo(ev.AtNs); err != nil {
		return err
	}
	if err := c.routeArguments(ev, r); err != nil {
		return err
	}
	experts, err := c.selection(r)
	if err != nil {
		return err
	}
	if err := c.admitted(experts); err != nil {
		return err
	}
	c.open, c.openAt, c.ready = r, ev.AtNs, ev.AtNs
	c.metrics.Routes++
	c.metrics.RoutedExperts += r.TopK
	c.tokens++
	c.tiersOf = c.tiersOf[:0]
	for _, e := range experts {
		c.chosen[e] = true
		c.tiersOf = append(c.tiersOf, c.holder(e))
	}
	c.await(experts, trace.TierHot, trace.LoadDemand)
	return nil
}

func (c *checker) routeArguments(ev trace.ExpertEvent, r *trace.ExpertRoute) error {
	if !quantity.IsCount(r.TokenIndex) || r.TopK < 1 || r.TopK > int64(len(c.cfg.Experts)) {
		return c.bad(RouteArguments, "token %d with %d of %d experts", r.TokenIndex, r.TopK, len(c.cfg.Experts))
	}
	if c.consecutive && r.TokenIndex != c.tokens {
		return c.bad(RouteArguments, "token %d, want %d", r.TokenIndex, c.tokens)
	}
	return c.workloadRoute(ev, r)
}

// selection is the route's list, drawn again.
func (c *checker) selection(r *trace.ExpertRoute) ([]int32, error) {
	experts, err := c.list(r.From, r.To)
	if err != nil {
		return nil, err
	}
	if int64(len(experts)) != r.TopK {
		return nil, c.bad(RouteSelection, "%d experts for topK %d", len(experts), r.TopK)
	}
	for i, e := range experts {
		if !c.known(e) {
			return nil, c.bad(RouteSelection, "expert %d of the route is not declared", i)
		}
	}
	if k := c.draws.verify(experts); k >= 0 {
		return nil, c.bad(RouteSelection, "expert %d of the route is %s, which was not drawn", k, c.id(experts[k]))
	}
	return experts, nil
}

// admitted requires each hot partition to hold its selected experts beside all
// that is reserved in it.
func (c *checker) admitted(experts []int32) error {
	s := &c.tiers[trace.TierHot]
	for _, e := range experts {
		p := s.owner[e]
		room := s.parts[p].CapacityBytes - s.reserved[p]
		for _, other := range experts {
			if s.owner[other] == p && (s.used[other] != 0 || !s.coming[other]) {
				room -= c.bytes(other)
			}
			if room < 0 {
				return c.bad(RouteAdmission, "hot partition %s lacks at least %d bytes for the selected experts", s.parts[p].ID, -room)
			}
		}
	}
	return nil
}

// holder is the fastest tier that holds a copy.
func (c *checker) holder(e int32) trace.Tier {
	for t := range c.tiers {
		if c.tiers[t].used[e] != 0 {
			return trace.Tier(t)
		}
	}
	return trace.TierCold
}

// access: the outstanding route, after every load that it waits for.
func (c *checker) access(ev trace.ExpertEvent) error {
	a := &c.tr.Accesses[ev.Ref]
	if c.open == nil || c.open.Request != a.Request {
		return c.bad(AccessIdentity, "%s is not outstanding", trace.RequestID(a.Request))
	}
	if err := c.accessTimes(ev, a); err != nil {
		return err
	}
	experts, err := c.accessExperts(a)
	if err != nil {
		return err
	}
	if c.metrics.StallNs, err = quantity.Add(c.metrics.StallNs, a.StallNs); err != nil {
		return c.bad(Overflow, "the stalls leave the safe integers")
	}
	counts := [...]*int64{trace.TierHot: &c.metrics.HotHits, trace.TierWarm: &c.metrics.WarmMisses, trace.TierCold: &c.metrics.ColdMisses}
	for i, e := range experts {
		c.makeResident(trace.TierHot, e)
		*counts[c.tiersOf[i]]++
		c.seen[e].count++
		c.seen[e].last = c.open.TokenIndex
		c.chosen[e] = false
	}
	c.routes++
	c.token = c.open.TokenIndex
	c.open = nil
	if policy := c.cfg.AdaptivePrefetch; policy != nil && (c.token+1)%policy.IntervalTokens == 0 {
		c.stage = stageDecision
	}
	return nil
}

// accessTimes: the access comes when the last load that it waits for is complete.
// A caller that drives the cache itself may have advanced it further.
func (c *checker) accessTimes(ev trace.ExpertEvent, a *trace.ExpertAccess) error {
	switch {
	case a.RequestedAtNs != c.openAt:
		return c.bad(AccessTime, "requested at %d ns, the route was at %d ns", a.RequestedAtNs, c.openAt)
	case a.StallNs != ev.AtNs-a.RequestedAtNs:
		return c.bad(AccessTime, "stall %d ns, ready %d ns, requested %d ns", a.StallNs, ev.AtNs, a.RequestedAtNs)
	case c.workload != nil && ev.AtNs != c.ready:
		return c.bad(AccessTime, "ready at %d ns, but the last load was complete at %d ns", ev.AtNs, c.ready)
	}
	c.ready = ev.AtNs
	return c.moveTo(ev.AtNs)
}

func (c *checker) accessExperts(a *trace.ExpertAccess) ([]int32, error) {
	experts, err := c.list(a.From, a.To)
	if err != nil {
		return nil, err
	}
	if a.TierFrom < 0 || a.TierTo < a.TierFrom || int(a.TierTo) > len(c.tr.TierLists) {
		return nil, c.bad(RowOrder, "tiers %d to %d of %d", a.TierFrom, a.TierTo, len(c.tr.TierLists))
	}
	switch {
	case !slices.Equal(experts, c.tr.ExpertLists[c.open.From:c.open.To]):
		return nil, c.bad(AccessExperts, "the experts are not those of the route")
	case !slices.Equal(c.tr.TierLists[a.TierFrom:a.TierTo], c.tiersOf):
		return nil, c.bad(AccessExperts, "the source tiers are not those at the route")
	}
	for _, e := range experts {
		if c.tiers[trace.TierHot].used[e] == 0 {
			return nil, c.bad(AccessExperts, "expert %s is not resident hot", c.id(e))
		}
	}
	return experts, nil
}
