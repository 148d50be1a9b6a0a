package experts

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// plan is a set of loads that are about to start at one time in one tier, with
// the victims that make room for them. Planning follows the order of contract 05
// section 2.9 to the letter but touches no state that a snapshot shows, so a
// refusal leaves nothing behind; committing cannot fail.
type plan struct {
	number  int64 // of the current plan; marks in a tier count only with this number
	steps   []planStep
	victims []int32
	moved   int64 // bytes of the steps
}

type planStep struct {
	expert      int32
	source      trace.Tier
	completesAt int64
	from, to    int32 // victims, in order
}

// begin empties the plan.
func (p *plan) begin() {
	p.number++
	p.steps, p.victims, p.moved = p.steps[:0], p.victims[:0], 0
}

// planLoad adds one load to the plan. Residents that are members of the active
// route are protected when protect is set.
func (c *Cache) planLoad(t *tier, e int32, protect bool) error {
	p := &t.parts[t.owner[e]]
	if p.plan != c.plan.number {
		p.plan, p.delta, p.cursor = c.plan.number, 0, p.oldest
	}
	step := planStep{expert: e, from: int32(len(c.plan.victims))}
	var latency int64
	step.source, latency = c.way(t, e)
	var err error
	if step.completesAt, err = quantity.Add(c.now, latency); err != nil {
		return issue.New(CodeOverflow, "completesAtNs", "expert %s: a load at %d ns would complete beyond the safe integers", c.tr.ExpertID(e), c.now)
	}
	if c.plan.moved, err = quantity.Add(c.plan.moved, c.bytes[e]); err == nil {
		_, err = quantity.Add(c.metrics.BytesMoved, c.plan.moved)
	}
	if err != nil {
		return issue.New(CodeOverflow, "bytesMoved", "expert %s: the bytes moved leave the safe integers", c.tr.ExpertID(e))
	}
	if !c.planVictims(t, p, c.bytes[e], protect) {
		return issue.New(CodeCapacity, t.path(), "%s partition %s of %d bytes has no room for expert %s of %d bytes",
			t.kind, p.id, p.capacity, c.tr.ExpertID(e), c.bytes[e])
	}
	p.delta += c.bytes[e]
	step.to = int32(len(c.plan.victims))
	t.planned[e], t.plannedOut[e] = c.plan.number, false
	c.plan.steps = append(c.plan.steps, step)
	return nil
}

// planVictims takes residents, least recently used first, until bytes fit. No
// resident is installed or touched while a plan is made, so the walk of a
// partition goes on where the previous load's ended.
func (c *Cache) planVictims(t *tier, p *partition, bytes int64, protect bool) bool {
	if bytes > p.capacity {
		return false
	}
	excess := p.resident + p.reserved + p.delta + bytes - p.capacity
	for ; excess > 0; p.cursor = t.newer[p.cursor] {
		if p.cursor == none {
			return false
		}
		victim := p.cursor
		if protect && c.active.holds(victim) {
			continue
		}
		t.planned[victim], t.plannedOut[victim] = c.plan.number, true
		c.plan.victims = append(c.plan.victims, victim)
		p.delta -= c.bytes[victim]
		excess -= c.bytes[victim]
	}
	return true
}

// needed reports whether an expert is neither resident in the tier nor on its way
// there, as it will be once the plan so far is carried out.
func (c *Cache) needed(t *tier, e int32) bool {
	if t.planned[e] == c.plan.number {
		return t.plannedOut[e]
	}
	return !t.has(e) && t.pending[e] == 0
}

// way is the source and the latency of a load.
func (c *Cache) way(t *tier, e int32) (trace.Tier, int64) {
	cfg := &c.tr.Config
	switch {
	case t.kind == trace.TierWarm:
		return trace.TierCold, cfg.ColdToWarmLatencyNs
	case c.warm.has(e):
		return trace.TierWarm, cfg.WarmToHotLatencyNs
	}
	return trace.TierCold, cfg.ColdToHotLatencyNs
}

// commit carries the plan out: for each load its evictions, then its start. It
// appends the numbers of the started loads to started.
func (c *Cache) commit(t *tier, kind trace.LoadKind, started []int32) []int32 {
	for i := range c.plan.steps {
		step := &c.plan.steps[i]
		for _, victim := range c.plan.victims[step.from:step.to] {
			t.evict(victim, c.bytes[victim])
			c.metrics.Evictions++
			c.tr.Evictions = push(c.tr.Evictions, trace.ExpertEviction{
				Bytes: c.bytes[victim], Expert: victim, Partition: t.owner[victim], Tier: t.kind,
			})
			c.record(trace.ExpertEvicted, c.now, len(c.tr.Evictions))
		}
		started = append(started, c.start(t, kind, step))
	}
	return started
}

// start reserves a load's bytes and schedules its completion.
func (c *Cache) start(t *tier, kind trace.LoadKind, step *planStep) int32 {
	number := int32(len(c.loads) + 1)
	row := trace.ExpertLoad{
		StartedAtNs: c.now, CompletesAtNs: step.completesAt, Bytes: c.bytes[step.expert],
		Load: number, Expert: step.expert, Source: step.source, Target: t.kind, Kind: kind,
	}
	c.loads = push(c.loads, load{pending: true})
	t.reserve(step.expert, row.Bytes, number)
	if kind == trace.LoadDemand {
		c.metrics.DemandLoads++
	} else {
		c.metrics.PrefetchLoads++
	}
	c.metrics.BytesMoved += row.Bytes
	c.schedule(number, step.completesAt)
	c.tr.Loads = push(c.tr.Loads, row)
	c.record(trace.ExpertLoadStarted, c.now, len(c.tr.Loads))
	return number
}
