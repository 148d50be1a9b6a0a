package experts

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Prefetch starts loads of the given experts into the hot or warm tier at atNs
// (contract 05 section 2.10, trigger manual). Repeated ids count once; residents
// and pending copies need no load. It happens as a whole or not at all, and
// returns the numbers of the loads started.
func (c *Cache) Prefetch(ids []string, target trace.Tier, atNs int64) ([]int32, error) {
	if c.active.request != 0 {
		return nil, issue.New(CodeActiveRoute, "", "%s is active; a prefetch must wait", trace.RequestID(c.active.request))
	}
	if target != trace.TierHot && target != trace.TierWarm {
		return nil, issue.New(CodeArgument, "targetTier", "%s is not hot or warm", target)
	}
	if err := c.Advance(atNs); err != nil {
		return nil, err
	}
	experts := make([]int32, 0, len(ids))
	listed := make([]bool, len(c.bytes))
	for _, id := range ids {
		e, known := c.index[id]
		if !known {
			return nil, issue.New(CodeUnknown, "expertIds", "expert %q is not declared", id)
		}
		if !listed[e] {
			listed[e] = true
			experts = append(experts, e)
		}
	}
	t := c.tier(target)
	if err := c.planPrefetch(t, experts); err != nil {
		return nil, err
	}
	return c.prefetch(t, experts, trace.TriggerManual, nil), nil
}

// planPrefetch checks the reservation of a whole request, then plans its loads.
// Making room for one listed expert may evict another one that is listed later
// and was resident; it is then loaded again, as contract 05 section 2.10 (4) has
// it, and planning finds out whether that still fits.
func (c *Cache) planPrefetch(t *tier, experts []int32) error {
	c.plan.begin()
	for _, e := range experts {
		if t.has(e) || t.pending[e] != 0 {
			continue
		}
		p := &t.parts[t.owner[e]]
		if p.plan != c.plan.number {
			p.plan, p.delta = c.plan.number, 0
		}
		p.delta += c.bytes[e]
		if p.reserved+p.delta > p.capacity {
			return issue.New(CodeCapacity, t.path(), "%s partition %s of %d bytes cannot reserve the prefetch: %d bytes are reserved, at least %d more are asked for",
				t.kind, p.id, p.capacity, p.reserved, p.delta)
		}
	}
	c.plan.begin()
	for _, e := range experts {
		if !c.needed(t, e) {
			continue
		}
		if err := c.planLoad(t, e, false); err != nil {
			return err
		}
	}
	return nil
}

// prefetch records a planned request and carries it out.
func (c *Cache) prefetch(t *tier, experts []int32, trigger trace.PrefetchTrigger, started []int32) []int32 {
	from, to := c.list(experts)
	c.tr.Prefetches = append(c.tr.Prefetches, trace.ExpertPrefetch{From: from, To: to, Target: t.kind, Trigger: trigger})
	c.record(trace.ExpertPrefetched, c.now, len(c.tr.Prefetches))
	return c.commit(t, trace.LoadPrefetch, started)
}
