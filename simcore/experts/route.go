package experts

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// route is the active route; its slices are reused by the next one.
type route struct {
	request     int32 // 0: none is active
	tokenIndex  int64
	requestedAt int64
	experts     []int32
	sources     []trace.Tier
	required    []int32 // loads waited for
	started     []int32 // loads among them that this route started

	draws  int64   // routes drawn, refused ones included
	member []int64 // expert -> latest draw that selected it
}

func (r *route) holds(e int32) bool { return r.member[e] == r.draws }

// Admission is what the first phase of a route decided. Its slices are borrowed
// until the next Begin.
type Admission struct {
	Request         int32 // request number
	ExpertIndices   []int32
	SourceTiers     []trace.Tier // of each expert, at admission
	RequiredLoads   []int32      // load numbers that the access waits for
	NewDemandLoads  []int32      // those of them that this route started
	RequestedAtNs   int64
	TokenIndex      int64
	EarliestReadyNs int64 // as the loads are scheduled now
}

// Begin is the first phase of a route (contract 05 section 2.7): it draws topK
// experts at atNs, admits the whole working set or refuses it, and starts the
// demand loads that are missing. A refusal puts the generator back and leaves
// nothing in trace, reservations and counts.
func (c *Cache) Begin(tokenIndex, topK, atNs int64) (Admission, error) {
	switch {
	case c.active.request != 0:
		return Admission{}, issue.New(CodeActiveRoute, "", "%s is active; a second route must wait", trace.RequestID(c.active.request))
	case !quantity.IsCount(tokenIndex):
		return Admission{}, issue.New(CodeArgument, "tokenIndex", "is %d, must be a non-negative safe integer", tokenIndex)
	case !quantity.IsPositive(topK):
		return Admission{}, issue.New(CodeArgument, "topK", "is %d, must be a positive safe integer", topK)
	}
	if err := c.Advance(atNs); err != nil {
		return Admission{}, err
	}
	if topK > int64(len(c.bytes)) {
		return Admission{}, issue.New(CodeTopK, "topK", "is %d, must be at most %d, the number of experts", topK, len(c.bytes))
	}
	before := c.router.state
	if err := c.admit(int(topK)); err != nil {
		c.router.state = before
		c.active.request = 0
		return Admission{}, err
	}
	r := &c.active
	c.requests++
	r.tokenIndex, r.requestedAt = tokenIndex, c.now
	c.metrics.Routes++
	c.metrics.RoutedExperts += topK
	from, to := c.list(r.experts)
	c.tr.Routes = append(c.tr.Routes, trace.ExpertRoute{TokenIndex: tokenIndex, TopK: topK, Request: r.request, From: from, To: to})
	c.record(trace.ExpertRouted, c.now, len(c.tr.Routes))
	return c.demand(), nil
}

// admit draws the experts, checks their partitions and plans the missing loads.
func (c *Cache) admit(topK int) error {
	r := &c.active
	r.request = c.requests + 1
	r.draws++
	r.experts = c.router.draw(topK, r.experts[:0])
	r.sources = r.sources[:0]
	for _, e := range r.experts {
		r.member[e] = r.draws
		r.sources = append(r.sources, c.source(e))
	}
	c.plan.begin()
	if err := c.admitWorkingSet(); err != nil {
		return err
	}
	c.plan.begin()
	for _, e := range r.experts {
		if !c.needed(c.hot, e) {
			continue
		}
		if err := c.planLoad(c.hot, e, true); err != nil {
			return err
		}
	}
	return nil
}

// admitWorkingSet requires every partition to hold, at once, its selected experts
// that are resident or new, and all that is reserved in it.
func (c *Cache) admitWorkingSet() error {
	for _, e := range c.active.experts {
		p := &c.hot.parts[c.hot.owner[e]]
		if p.plan != c.plan.number {
			p.plan, p.delta = c.plan.number, 0
		}
		if c.hot.has(e) || c.hot.pending[e] == 0 {
			p.delta += c.bytes[e]
		}
		if p.reserved+p.delta > p.capacity {
			return issue.New(CodeCapacity, c.hot.path(), "hot partition %s of %d bytes cannot hold the selected experts: %d bytes are reserved, at least %d more are needed",
				p.id, p.capacity, p.reserved, p.delta)
		}
	}
	return nil
}

// demand starts the planned loads and collects what the route waits for.
func (c *Cache) demand() Admission {
	r := &c.active
	r.started = c.commit(c.hot, trace.LoadDemand, r.started[:0])
	r.required = r.required[:0]
	ready := c.now
	for _, e := range r.experts {
		if n := c.hot.pending[e]; n != 0 {
			r.required = append(r.required, n)
			ready = max(ready, c.loads[n-1].completesAt)
		}
	}
	return Admission{
		Request: r.request, ExpertIndices: r.experts, SourceTiers: r.sources,
		RequiredLoads: r.required, NewDemandLoads: r.started,
		RequestedAtNs: r.requestedAt, TokenIndex: r.tokenIndex, EarliestReadyNs: ready,
	}
}

// Access is the end of a route.
type Access struct {
	RequestedAtNs int64
	ReadyAtNs     int64
	StallNs       int64
	Prefetches    []int32 // loads that the adaptive policy started; borrowed until the next call
}

// Complete is the second phase of the active route (contract 05 section 2.8): it
// waits for the loads still required, touches the experts, and runs the adaptive
// policy. A refusal leaves the route active.
func (c *Cache) Complete(request int32) (Access, error) {
	r := &c.active
	if request == 0 || r.request != request {
		return Access{}, issue.New(CodeActiveRoute, "requestId", "%s is not the active route", trace.RequestID(request))
	}
	ready := max(r.requestedAt, c.now)
	for _, n := range r.required {
		if l := &c.loads[n-1]; l.pending {
			ready = max(ready, l.completesAt)
		}
	}
	if err := c.Advance(ready); err != nil {
		return Access{}, err
	}
	for _, e := range r.experts {
		if !c.hot.has(e) {
			return Access{}, issue.New(CodeActiveRoute, "", "expert %s of %s is not resident hot", c.tr.ExpertID(e), trace.RequestID(request))
		}
	}
	stall := ready - r.requestedAt
	total, err := quantity.Add(c.metrics.StallNs, stall)
	if err != nil {
		return Access{}, issue.New(CodeOverflow, "stallNs", "the stalls leave the safe integers")
	}
	decision, err := c.decide()
	if err != nil {
		return Access{}, err
	}
	c.metrics.StallNs = total
	c.access(ready, stall)
	r.request = 0
	return Access{RequestedAtNs: r.requestedAt, ReadyAtNs: ready, StallNs: stall, Prefetches: c.follow(decision)}, nil
}

// access touches the route's experts, counts them by the tier that they came from
// and records the access.
func (c *Cache) access(ready, stall int64) {
	r := &c.active
	for i, e := range r.experts {
		c.clock++
		c.hot.touch(e, c.clock)
		switch r.sources[i] {
		case trace.TierHot:
			c.metrics.HotHits++
		case trace.TierWarm:
			c.metrics.WarmMisses++
		default:
			c.metrics.ColdMisses++
		}
	}
	row := &c.tr.Routes[len(c.tr.Routes)-1] // the route's experts, listed once for both events
	from := int32(len(c.tr.TierLists))
	c.tr.TierLists = append(c.tr.TierLists, r.sources...)
	c.tr.Accesses = append(c.tr.Accesses, trace.ExpertAccess{
		RequestedAtNs: r.requestedAt, StallNs: stall, Request: r.request,
		From: row.From, To: row.To, TierFrom: from, TierTo: int32(len(c.tr.TierLists)),
	})
	c.record(trace.ExpertAccessed, ready, len(c.tr.Accesses))
}
