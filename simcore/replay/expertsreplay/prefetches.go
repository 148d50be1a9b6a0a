package expertsreplay

import (
	"cmp"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// prefetch: a manual request that could be reserved as a whole, or the adaptive
// one that is due.
func (c *checker) prefetch(ev trace.ExpertEvent) error {
	p := &c.tr.Prefetches[ev.Ref]
	if p.Target > trace.TierWarm || p.Trigger > trace.TriggerAdaptive {
		return c.bad(UnknownKind, "prefetch to %s with trigger %s", p.Target, p.Trigger)
	}
	if c.open != nil {
		return c.bad(RouteOpen, "prefetch, but %s is outstanding", trace.RequestID(c.open.Request))
	}
	experts, err := c.list(p.From, p.To)
	if err != nil {
		return err
	}
	if due := c.stage == stageAdaptive; due != (p.Trigger == trace.TriggerAdaptive) {
		if due {
			return c.bad(PrefetchDue, "a manual prefetch, but an adaptive one is due")
		}
		return c.bad(PrefetchRequest, "an adaptive prefetch, but none is due")
	}
	if p.Trigger == trace.TriggerAdaptive {
		err = c.adaptivePrefetch(ev, p, experts)
	} else {
		err = c.manualPrefetch(ev, p, experts)
	}
	if err != nil {
		return err
	}
	if err := c.reservable(experts, p.Target); err != nil {
		return err
	}
	c.await(experts, p.Target, trace.LoadPrefetch)
	return nil
}

func (c *checker) adaptivePrefetch(ev trace.ExpertEvent, p *trace.ExpertPrefetch, experts []int32) error {
	if ev.AtNs != c.now || p.Target != trace.TierWarm || !slices.Equal(experts, c.adaptive) {
		return c.bad(PrefetchRequest, "not the prefetch that was decided at %d ns", c.now)
	}
	return nil
}

func (c *checker) manualPrefetch(ev trace.ExpertEvent, p *trace.ExpertPrefetch, experts []int32) error {
	for i, e := range experts {
		if !c.known(e) {
			return c.bad(PrefetchRequest, "expert %d of the request is not declared", i)
		}
		if slices.Contains(experts[:i], e) {
			return c.bad(PrefetchRequest, "expert %s is requested twice", c.id(e))
		}
	}
	if err := c.moveTo(ev.AtNs); err != nil {
		return err
	}
	return c.workloadPrefetch(ev, p, experts)
}

// reservable requires every partition to take all its new bytes beside what is
// reserved already.
func (c *checker) reservable(experts []int32, target trace.Tier) error {
	s := &c.tiers[target]
	incoming := make(map[int32]int64)
	for _, e := range experts {
		if s.used[e] != 0 || s.coming[e] {
			continue
		}
		p := s.owner[e]
		incoming[p] += c.bytes(e)
		if s.reserved[p]+incoming[p] > s.parts[p].CapacityBytes {
			return c.bad(PrefetchFit, "%s partition %s cannot reserve the request", target, s.parts[p].ID)
		}
	}
	return nil
}

// decision: due now, with the ranking's choice.
func (c *checker) decision(ev trace.ExpertEvent) error {
	d := &c.tr.Decisions[ev.Ref]
	if c.stage != stageDecision {
		return c.bad(Decision, "no decision is due")
	}
	if d.TokenIndex != c.token || ev.AtNs != c.now || d.ObservedRoutes != c.routes {
		return c.bad(Decision, "token %d at %d ns after %d routes; want %d, %d, %d",
			d.TokenIndex, ev.AtNs, d.ObservedRoutes, c.token, c.now, c.routes)
	}
	experts, err := c.list(d.From, d.To)
	if err != nil {
		return err
	}
	want := c.ranked()
	if !slices.Equal(experts, want) {
		return c.bad(Decision, "%d experts, not the %d that rank first and fit, or in another order", len(experts), len(want))
	}
	c.metrics.AdaptivePrefetchDecisions++
	c.metrics.AdaptivePrefetchSelections += int64(len(want))
	c.stage = stageFree
	if len(want) > 0 {
		c.adaptive, c.stage = want, stageAdaptive
	}
	return nil
}

// ranked is the policy's choice, from the whole ranking in order.
func (c *checker) ranked() []int32 {
	policy := c.cfg.AdaptivePrefetch
	s := &c.tiers[trace.TierWarm]
	room := make([]int64, len(s.parts))
	for p := range room {
		room[p] = s.parts[p].CapacityBytes - s.reserved[p]
	}
	var ranking []int32
	for e := range c.seen {
		if c.seen[e].count >= policy.MinObservations && s.used[e] == 0 && !s.coming[e] && c.bytes(int32(e)) <= room[s.owner[e]] {
			ranking = append(ranking, int32(e))
		}
	}
	slices.SortFunc(ranking, func(a, b int32) int {
		switch x, y := c.seen[a], c.seen[b]; {
		case x.count != y.count:
			return cmp.Compare(y.count, x.count)
		case x.last != y.last:
			return cmp.Compare(y.last, x.last)
		}
		return quantity.CompareIDs(c.id(a), c.id(b))
	})
	chosen := []int32{}
	for _, e := range ranking {
		if int64(len(chosen)) == policy.MaxExpertsPerDecision {
			break
		}
		if p := s.owner[e]; c.bytes(e) <= room[p] {
			room[p] -= c.bytes(e)
			chosen = append(chosen, e)
		}
	}
	return chosen
}
