package experts

import (
	"cmp"
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Codes of the refusals of a running cache.
const (
	CodeTime        = "time"           // a time runs backwards or is no safe integer
	CodeArgument    = "argument"       // a number outside its range
	CodeActiveRoute = "active_route"   // a route is active, or is not the named one
	CodeTopK        = "top_k"          // more experts a token than there are
	CodeCapacity    = "capacity"       // a partition cannot hold what is asked of it
	CodeUnknown     = "unknown_expert" // an expert that is not declared
	CodeLoad        = "load"           // a load that is not pending, or of the wrong kind
	CodeOverflow    = "overflow"       // a time or a count beyond the safe integers
)

// Cache is a running expert cache. It is driven by calls with absolute times that
// never run backwards, and records everything in its trace.
type Cache struct {
	index map[string]int32
	bytes []int64

	hot, warm *tier
	router    *router
	clock     int64 // access clock: one tick a touch
	now       int64 // ns

	requests int32 // route numbers given
	loads    []load
	queue    completions
	ordered  int64 // completions scheduled

	active  route
	plan    plan
	history history
	metrics trace.ExpertMetrics
	tr      trace.Experts
}

// load is the live state of a load, by number - 1; what never changes is in the
// trace's row of the same position.
type load struct {
	completesAt int64 // ns, as last retimed
	order       int64 // of its latest scheduling
	pending     bool
}

// row is a load as it stands now.
func (c *Cache) row(number int32) trace.ExpertLoad {
	l := c.tr.Loads[number-1]
	l.CompletesAtNs = c.loads[number-1].completesAt
	return l
}

// New validates a configuration and starts a cache with its initial residents, at
// time 0. The error is an *issue.List.
func New(cfg workload.ExpertCache) (*Cache, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := len(cfg.Experts)
	c := &Cache{
		index:  expertIndex(&cfg),
		bytes:  make([]int64, n),
		hot:    newTier(trace.TierHot, &cfg, cfg.HotTable(), cfg.HotCapacityBytes),
		warm:   newTier(trace.TierWarm, &cfg, cfg.WarmTable(), cfg.WarmCapacityBytes),
		router: newRouter(&cfg),
	}
	c.history.count, c.history.last = make([]int64, n), make([]int64, n)
	c.active.member = make([]int64, n)
	for i := range cfg.Experts {
		c.bytes[i] = cfg.Experts[i].Bytes
	}
	c.install(c.warm, cfg.InitialWarmExpertIDs)
	c.install(c.hot, cfg.InitialHotExpertIDs)
	c.tr.Config = cfg
	c.record(trace.ExpertInitialize, 0, 0)
	return c, nil
}

func (c *Cache) install(t *tier, ids []string) {
	for _, id := range ids {
		e := c.index[id]
		c.clock++
		t.install(e, c.bytes[e], c.clock)
	}
	t.mark()
}

// record appends an event that refers to the row that its table has just got.
func (c *Cache) record(kind trace.ExpertEventKind, atNs int64, rows int) {
	c.tr.Events = push(c.tr.Events, trace.ExpertEvent{AtNs: atNs, Ref: int32(max(rows-1, 0)), Kind: kind})
}

// push appends a row and doubles the table when it is full: long tables would
// otherwise grow by a quarter and be copied several times over.
func push[T any](table []T, row T) []T {
	if len(table) == cap(table) {
		table = slices.Grow(table, max(len(table), 64))
	}
	return append(table, row)
}

// list copies experts to the trace's flat list and returns their range.
func (c *Cache) list(experts []int32) (from, to int32) {
	from = int32(len(c.tr.ExpertLists))
	c.tr.ExpertLists = append(c.tr.ExpertLists, experts...)
	return from, int32(len(c.tr.ExpertLists))
}

// Now is the cache's current time in ns.
func (c *Cache) Now() int64 { return c.now }

// Trace is the trace so far. It grows with later calls and is read-only.
func (c *Cache) Trace() *trace.Experts { return &c.tr }

// Load returns a started load by number, with the completion time it has now, and
// whether it is pending.
func (c *Cache) Load(number int32) (l trace.ExpertLoad, pending bool) {
	if number < 1 || int(number) > len(c.loads) {
		return trace.ExpertLoad{}, false
	}
	return c.row(number), c.loads[number-1].pending
}

// Advance moves time to atNs, which must not lie in the past: loads that complete
// until then become visible, in order of completion time and scheduling (contract
// 05 section 2.6).
func (c *Cache) Advance(atNs int64) error {
	if atNs < c.now || !quantity.IsCount(atNs) {
		return issue.New(CodeTime, "atNs", "expert cache: time %d is not a safe integer from %d on", atNs, c.now)
	}
	for len(c.queue) > 0 && c.queue[0].atNs <= atNs {
		next := c.queue[0]
		c.queue.pop()
		if l := &c.loads[next.load-1]; l.pending && l.order == next.order {
			c.finish(next.load)
		}
	}
	c.now = atNs
	return nil
}

// finish makes a pending load's copy visible.
func (c *Cache) finish(number int32) {
	c.loads[number-1].pending = false
	l := c.row(number)
	t := c.tier(l.Target)
	t.release(l.Expert, l.Bytes)
	c.clock++
	t.install(l.Expert, l.Bytes, c.clock)
	c.tr.Completions = push(c.tr.Completions, trace.ExpertCompletion{Load: l.Load, Expert: l.Expert, Target: l.Target})
	c.record(trace.ExpertLoadCompleted, l.CompletesAtNs, len(c.tr.Completions))
}

// tier is the tier that a load may target.
func (c *Cache) tier(target trace.Tier) *tier {
	if target == trace.TierHot {
		return c.hot
	}
	return c.warm
}

// source is where an expert's bytes are now.
func (c *Cache) source(e int32) trace.Tier {
	switch {
	case c.hot.has(e):
		return trace.TierHot
	case c.warm.has(e):
		return trace.TierWarm
	}
	return trace.TierCold
}

// Retime moves the completion of a pending load (contract 05 section 2.12). The
// new time must not lie before the present or the load's start. physicalNs, when
// given, is the physical finish behind the new time. Nothing is recorded when
// nothing changes.
func (c *Cache) Retime(number int32, completesAtNs int64, physicalNs *int64) error {
	return c.retime(number, completesAtNs, physicalNs, false)
}

// RetimePrefetch is Retime for a load that must be a prefetch.
func (c *Cache) RetimePrefetch(number int32, completesAtNs int64, physicalNs *int64) error {
	return c.retime(number, completesAtNs, physicalNs, true)
}

func (c *Cache) retime(number int32, at int64, physical *int64, prefetch bool) error {
	id := trace.LoadID(number)
	if number < 1 || int(number) > len(c.loads) || !c.loads[number-1].pending {
		return issue.New(CodeLoad, "loadId", "%s is not pending", id)
	}
	l := c.row(number)
	switch {
	case prefetch && l.Kind != trace.LoadPrefetch:
		return issue.New(CodeLoad, "loadId", "%s is a %s load, not a prefetch", id, l.Kind)
	case !quantity.IsCount(at) || at < c.now || at < l.StartedAtNs:
		return issue.New(CodeTime, "completesAtNs", "%s cannot complete at %d: the present is %d, its start %d", id, at, c.now, l.StartedAtNs)
	case physical != nil && (*physical < l.StartedAtNs || *physical > at):
		return issue.New(CodeTime, "physicalCompletesAtNs", "%s cannot finish physically at %d: outside %d to %d", id, *physical, l.StartedAtNs, at)
	case at == l.CompletesAtNs && physical == nil:
		return nil
	}
	row := trace.ExpertRetime{Load: number, PriorCompletesAtNs: l.CompletesAtNs, CompletesAtNs: at}
	if physical != nil {
		row.PhysicalCompletesAtNs, row.HasPhysical = *physical, true
	}
	if at != l.CompletesAtNs {
		c.schedule(number, at)
	}
	c.tr.Retimes = append(c.tr.Retimes, row)
	c.record(trace.ExpertLoadRetimed, c.now, len(c.tr.Retimes))
	return nil
}

// schedule queues a load's completion, which makes earlier entries of it stale.
func (c *Cache) schedule(number int32, atNs int64) {
	c.ordered++
	l := &c.loads[number-1]
	l.completesAt, l.order = atNs, c.ordered
	c.queue.push(completion{atNs: atNs, order: c.ordered, load: number})
}

// Metrics are the counts so far (contract 05 section 2.13).
func (c *Cache) Metrics() trace.ExpertMetrics {
	m := c.metrics
	m.HighWaterHotBytes, m.HighWaterWarmBytes = c.hot.highWater, c.warm.highWater
	return m
}

// Snapshot is the visible state (contract 05 section 2.14).
func (c *Cache) Snapshot() trace.ExpertSnapshot {
	s := trace.ExpertSnapshot{
		CurrentTimeNs: c.now, Hot: c.hot.state(), Warm: c.warm.state(),
		PendingLoads: []trace.ExpertLoad{}, Metrics: c.Metrics(),
	}
	for i := range c.queue {
		if l := &c.loads[c.queue[i].load-1]; l.pending && l.order == c.queue[i].order {
			s.PendingLoads = append(s.PendingLoads, c.row(c.queue[i].load))
		}
	}
	slices.SortFunc(s.PendingLoads, func(a, b trace.ExpertLoad) int {
		if by := cmp.Compare(a.CompletesAtNs, b.CompletesAtNs); by != 0 {
			return by
		}
		return quantity.CompareIDs(trace.LoadID(a.Load), trace.LoadID(b.Load))
	})
	return s
}
