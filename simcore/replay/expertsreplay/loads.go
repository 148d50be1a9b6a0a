package expertsreplay

import (
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// await expects the loads of a route or a prefetch: the experts of a list, in its
// order, that are neither resident in the tier nor on their way when their turn
// comes.
func (c *checker) await(experts []int32, into trace.Tier, kind trace.LoadKind) {
	c.queue, c.into, c.kind = experts, into, kind
	c.nextDue()
}

// nextDue finds the first expert of the queue that still needs a load.
func (c *checker) nextDue() {
	s := &c.tiers[c.into]
	for len(c.queue) > 0 {
		if e := c.queue[0]; s.used[e] == 0 && !s.coming[e] {
			c.due, c.stage = e, stageLoading
			return
		}
		c.queue = c.queue[1:]
	}
	c.stage = stageFree
}

// lack is what the due load's partition lacks to hold it, in bytes.
func (c *checker) lack() int64 {
	s := &c.tiers[c.into]
	p := s.owner[c.due]
	return s.resident[p] + s.reserved[p] + c.bytes(c.due) - s.parts[p].CapacityBytes
}

// evict: the due load lacks room, and this is the next victim.
func (c *checker) evict(ev trace.ExpertEvent) error {
	v := &c.tr.Evictions[ev.Ref]
	switch {
	case c.stage != stageLoading || c.lack() <= 0:
		return c.bad(EvictionNeed, "no load needs room")
	case ev.AtNs != c.now:
		return c.bad(TimeOrder, "evict at %d ns, the load is due at %d ns", ev.AtNs, c.now)
	case v.Tier != c.into:
		return c.bad(EvictionNeed, "in %s, but the load goes to %s", v.Tier, c.into)
	case !c.known(v.Expert):
		return c.bad(EvictionVictim, "the expert is not declared")
	}
	s := &c.tiers[c.into]
	p := s.owner[v.Expert]
	switch {
	case v.Partition != p:
		return c.bad(EvictionNeed, "partition %d does not own expert %s", v.Partition, c.id(v.Expert))
	case p != s.owner[c.due]:
		return c.bad(EvictionNeed, "partition %s, but %s owns the load's expert", s.parts[p].ID, s.parts[s.owner[c.due]].ID)
	}
	if want := c.oldest(s, p); v.Expert != want {
		return c.bad(EvictionVictim, "expert %s is not the least recently used unprotected resident of %s partition %s",
			c.id(v.Expert), v.Tier, s.parts[p].ID)
	}
	if v.Bytes != c.bytes(v.Expert) {
		return c.bad(EvictionBytes, "%d bytes, expert %s has %d", v.Bytes, c.id(v.Expert), c.bytes(v.Expert))
	}
	s.resident[p] -= v.Bytes
	s.used[v.Expert] = 0
	c.metrics.Evictions++
	return nil
}

// oldest is the least recently used resident of a partition that the outstanding
// route has not selected, or -1: the first of the partition's uses that is still
// the latest of its expert. An evicted expert has no use that is.
func (c *checker) oldest(s *side, p int32) int32 {
	for len(s.uses[p]) > 0 && s.used[s.uses[p][0].expert] != s.uses[p][0].stamp {
		s.uses[p] = s.uses[p][1:]
	}
	for _, u := range s.uses[p] {
		if s.used[u.expert] == u.stamp && !c.chosen[u.expert] {
			return u.expert
		}
	}
	return -1
}

// loadStart: the due load, with room for it.
func (c *checker) loadStart(ev trace.ExpertEvent) error {
	l := &c.tr.Loads[ev.Ref]
	switch {
	case c.stage != stageLoading:
		return c.bad(LoadIdentity, "%s, but no load is due", trace.LoadID(l.Load))
	case ev.AtNs != c.now || l.StartedAtNs != c.now:
		return c.bad(TimeOrder, "%s starts at %d ns in an event at %d ns, but is due at %d ns", trace.LoadID(l.Load), l.StartedAtNs, ev.AtNs, c.now)
	case l.Load != c.starts+1:
		return c.bad(LoadIdentity, "%s, want %s", trace.LoadID(l.Load), trace.LoadID(c.starts+1))
	case l.Expert != c.due || l.Target != c.into || l.Kind != c.kind:
		return c.bad(LoadIdentity, "a %s load of expert index %d to %s; due is a %s load of %s to %s",
			l.Kind, l.Expert, l.Target, c.kind, c.id(c.due), c.into)
	case l.Bytes != c.bytes(l.Expert):
		return c.bad(LoadBytes, "%d bytes, expert %s has %d", l.Bytes, c.id(l.Expert), c.bytes(l.Expert))
	case c.lack() > 0:
		return c.bad(LoadCapacity, "partition %s lacks %d bytes", c.tiers[c.into].parts[c.tiers[c.into].owner[c.due]].ID, c.lack())
	}
	if err := c.loadPath(l); err != nil {
		return err
	}
	moved, err := quantity.Add(c.metrics.BytesMoved, l.Bytes)
	if err != nil {
		return c.bad(Overflow, "the bytes moved leave the safe integers")
	}
	c.metrics.BytesMoved = moved
	if l.Kind == trace.LoadDemand {
		c.metrics.DemandLoads++
	} else {
		c.metrics.PrefetchLoads++
	}
	s := &c.tiers[c.into]
	s.reserved[s.owner[l.Expert]] += l.Bytes
	s.coming[l.Expert] = true
	s.mark()
	c.starts++
	c.addPending(pendingLoad{ExpertLoad: *l, order: c.index})
	c.nextDue()
	return nil
}

// loadPath: the source that holds a copy, and the latency from it.
func (c *checker) loadPath(l *trace.ExpertLoad) error {
	source, latency := trace.TierCold, c.cfg.ColdToWarmLatencyNs
	if l.Target == trace.TierHot {
		latency = c.cfg.ColdToHotLatencyNs
		if c.tiers[trace.TierWarm].used[l.Expert] != 0 {
			source, latency = trace.TierWarm, c.cfg.WarmToHotLatencyNs
		}
	}
	if l.Source != source {
		return c.bad(LoadSource, "from %s, but the copy is %s", l.Source, source)
	}
	if l.CompletesAtNs != l.StartedAtNs+latency || !quantity.IsCount(l.CompletesAtNs) {
		return c.bad(LoadLatency, "completes at %d ns, started at %d ns, latency %d ns", l.CompletesAtNs, l.StartedAtNs, latency)
	}
	return nil
}

// loadComplete: the pending load whose turn it is.
func (c *checker) loadComplete(ev trace.ExpertEvent) error {
	done := &c.tr.Completions[ev.Ref]
	at := c.findPending(done.Load)
	if at < 0 {
		return c.bad(Completion, "%s is not pending", trace.LoadID(done.Load))
	}
	l := c.pending[at].ExpertLoad
	switch {
	case ev.AtNs != l.CompletesAtNs:
		return c.bad(Completion, "%s at %d ns, due at %d ns", trace.LoadID(l.Load), ev.AtNs, l.CompletesAtNs)
	case at != 0:
		return c.bad(Completion, "%s before %s", trace.LoadID(l.Load), trace.LoadID(c.pending[0].Load))
	case done.Expert != l.Expert || done.Target != l.Target:
		return c.bad(Completion, "%s loads expert %s to %s", trace.LoadID(l.Load), c.id(l.Expert), l.Target)
	}
	c.pending = c.pending[1:]
	s := &c.tiers[l.Target]
	s.reserved[s.owner[l.Expert]] -= l.Bytes
	s.coming[l.Expert] = false
	c.makeResident(l.Target, l.Expert)
	c.now = ev.AtNs
	if l.Target == trace.TierHot && c.chosen[l.Expert] {
		c.ready = ev.AtNs
	}
	return nil
}

// loadRetime: another completion time of a pending load, not in the past.
func (c *checker) loadRetime(ev trace.ExpertEvent) error {
	r := &c.tr.Retimes[ev.Ref]
	at := c.findPending(r.Load)
	if at < 0 {
		return c.bad(Retime, "%s is not pending", trace.LoadID(r.Load))
	}
	p := c.pending[at]
	switch {
	case c.workload != nil:
		return c.bad(Retime, "%s in the trace of a cache that stood alone", trace.LoadID(r.Load))
	case r.PriorCompletesAtNs != p.CompletesAtNs:
		return c.bad(Retime, "%s was due at %d ns, not %d ns", trace.LoadID(r.Load), p.CompletesAtNs, r.PriorCompletesAtNs)
	case r.CompletesAtNs < ev.AtNs || r.CompletesAtNs < p.StartedAtNs || !quantity.IsCount(r.CompletesAtNs):
		return c.bad(Retime, "%s to %d ns at %d ns, started at %d ns", trace.LoadID(r.Load), r.CompletesAtNs, ev.AtNs, p.StartedAtNs)
	case r.HasPhysical && (r.PhysicalCompletesAtNs < p.StartedAtNs || r.PhysicalCompletesAtNs > r.CompletesAtNs):
		return c.bad(Retime, "%s finished physically at %d ns, outside %d to %d", trace.LoadID(r.Load), r.PhysicalCompletesAtNs, p.StartedAtNs, r.CompletesAtNs)
	case !r.HasPhysical && (r.CompletesAtNs == p.CompletesAtNs || r.PhysicalCompletesAtNs != 0):
		return c.bad(Retime, "%s changes nothing", trace.LoadID(r.Load))
	}
	if ev.AtNs > c.now {
		if err := c.moveTo(ev.AtNs); err != nil {
			return err
		}
	}
	if r.CompletesAtNs == p.CompletesAtNs {
		return nil // the physical time alone: the completion keeps its turn
	}
	c.pending = append(c.pending[:at], c.pending[at+1:]...)
	p.CompletesAtNs, p.order = r.CompletesAtNs, c.index
	c.addPending(p)
	return nil
}
