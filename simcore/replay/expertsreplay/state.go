package expertsreplay

import (
	"cmp"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// stage is what the checker waits for.
type stage uint8

const (
	stageFree     stage = iota // nothing in particular
	stageLoading               // evictions and the load of a certain expert
	stageDecision              // a decision of the adaptive policy
	stageAdaptive              // the prefetch of a decision
)

// checker is the derived state of a cache.
type checker struct {
	tr       *trace.Experts
	workload *workload.ExpertWorkload
	endNs    int64

	consecutive bool
	cfg         *workload.ExpertCache
	index       int64 // of the event under examination
	rows        [trace.ExpertAccessed + 1]int32

	now   int64
	clock int64 // ticks of use
	tiers [2]side
	draws draws

	pending []pendingLoad // by completion time, then by order of scheduling
	starts  int32         // loads started

	open    *trace.ExpertRoute // the outstanding route
	openAt  int64              // ns
	ready   int64              // ns: of the latest access, or as far as the outstanding route is ready
	tiersOf []trace.Tier       // source tiers of the outstanding route
	chosen  []bool             // experts of the outstanding route

	stage    stage
	queue    []int32 // experts that a route or prefetch may still have to load
	due      int32   // the first of them that needs it
	into     trace.Tier
	kind     trace.LoadKind
	adaptive []int32 // ids of the adaptive prefetch that is due

	seen    []seen // by expert
	routes  int64  // completed
	token   int64  // index of the latest completed route
	tokens  int64  // routes begun
	metrics trace.ExpertMetrics
}

// seen is how often and when last completed routes selected an expert.
type seen struct{ count, last int64 }

type pendingLoad struct {
	trace.ExpertLoad
	order int64
}

// side is one tier: who owns each expert, when it was last used (0: not resident),
// and the bytes held by partition.
type side struct {
	parts    []workload.ExpertPartition
	members  [][]int32 // experts of each partition
	owner    []int32
	used     []int64
	uses     [][]use // of each partition, oldest first; stale where used has moved on
	coming   []bool  // a load is pending
	resident []int64
	reserved []int64
	highest  int64
	capacity int64
}

// use is one use of an expert.
type use struct {
	expert int32
	stamp  int64
}

func newSide(table []workload.ExpertPartition, capacity int64, number map[string]int32) side {
	n := len(number)
	s := side{
		parts: table, members: make([][]int32, len(table)), uses: make([][]use, len(table)), capacity: capacity,
		owner: make([]int32, n), used: make([]int64, n), coming: make([]bool, n),
		resident: make([]int64, len(table)), reserved: make([]int64, len(table)),
	}
	for p := range table {
		for _, id := range table[p].ExpertIDs {
			s.owner[number[id]] = int32(p)
			s.members[p] = append(s.members[p], number[id])
		}
	}
	return s
}

// held is the whole tier's resident and reserved bytes.
func (s *side) held() (resident, reserved int64) {
	for p := range s.parts {
		resident += s.resident[p]
		reserved += s.reserved[p]
	}
	return resident, reserved
}

func (s *side) mark() {
	resident, reserved := s.held()
	s.highest = max(s.highest, resident+reserved)
}

// initialize takes over the configuration and its initial residents.
func (c *checker) initialize(ev trace.ExpertEvent) error {
	c.cfg = &c.tr.Config
	if ev.AtNs != 0 {
		return c.bad(TimeOrder, "initialize at %d ns", ev.AtNs)
	}
	if err := c.cfg.Validate(); err != nil {
		return &Mismatch{Index: c.index, Rule: Initialization, Detail: "the configuration is not valid", Cause: err}
	}
	n := len(c.cfg.Experts)
	number := make(map[string]int32, n)
	for i := range c.cfg.Experts {
		number[c.cfg.Experts[i].ID] = int32(i)
	}
	c.tiers[trace.TierHot] = newSide(c.cfg.HotTable(), c.cfg.HotCapacityBytes, number)
	c.tiers[trace.TierWarm] = newSide(c.cfg.WarmTable(), c.cfg.WarmCapacityBytes, number)
	for _, id := range c.cfg.InitialWarmExpertIDs {
		c.makeResident(trace.TierWarm, number[id])
	}
	for _, id := range c.cfg.InitialHotExpertIDs {
		c.makeResident(trace.TierHot, number[id])
	}
	c.tiers[trace.TierHot].mark()
	c.tiers[trace.TierWarm].mark()
	c.draws = newDraws(c.cfg)
	c.seen, c.chosen = make([]seen, n), make([]bool, n)
	return nil
}

func (c *checker) makeResident(t trace.Tier, e int32) {
	s := &c.tiers[t]
	if s.used[e] == 0 {
		s.resident[s.owner[e]] += c.bytes(e)
	}
	c.clock++
	s.used[e] = c.clock
	s.note(s.owner[e], use{e, c.clock})
}

// note files a use; stale uses are swept out when they are the greater part.
func (s *side) note(p int32, u use) {
	if len(s.uses[p]) > 16+2*len(s.members[p]) {
		s.uses[p] = slices.DeleteFunc(s.uses[p], func(u use) bool { return s.used[u.expert] != u.stamp })
	}
	s.uses[p] = append(s.uses[p], u)
}

func (c *checker) bytes(e int32) int64 { return c.cfg.Experts[e].Bytes }

func (c *checker) id(e int32) string { return c.cfg.Experts[e].ID }

// known reports whether an expert index names an expert.
func (c *checker) known(e int32) bool { return e >= 0 && int(e) < len(c.cfg.Experts) }

// list reads a range of the flat expert list; indices in it may name no expert.
func (c *checker) list(from, to int32) ([]int32, error) {
	if from < 0 || to < from || int(to) > len(c.tr.ExpertLists) {
		return nil, c.bad(RowOrder, "experts %d to %d of %d", from, to, len(c.tr.ExpertLists))
	}
	return c.tr.ExpertLists[from:to], nil
}

// addPending files a load by its completion; among equals the latest comes last.
func (c *checker) addPending(p pendingLoad) {
	at, _ := slices.BinarySearchFunc(c.pending, p, func(a, b pendingLoad) int {
		if a.CompletesAtNs != b.CompletesAtNs {
			return cmp.Compare(a.CompletesAtNs, b.CompletesAtNs)
		}
		return cmp.Compare(a.order, b.order)
	})
	c.pending = slices.Insert(c.pending, at, p)
}

// findPending is the position of a pending load, or -1.
func (c *checker) findPending(load int32) int {
	return slices.IndexFunc(c.pending, func(p pendingLoad) bool { return p.Load == load })
}

// snapshot is the derived state in the form of contract 05 section 2.14.
func (c *checker) snapshot() trace.ExpertSnapshot {
	s := trace.ExpertSnapshot{
		CurrentTimeNs: c.now,
		Hot:           c.tiers[trace.TierHot].state(),
		Warm:          c.tiers[trace.TierWarm].state(),
		PendingLoads:  make([]trace.ExpertLoad, len(c.pending)),
		Metrics:       c.metrics,
	}
	s.Metrics.HighWaterHotBytes = c.tiers[trace.TierHot].highest
	s.Metrics.HighWaterWarmBytes = c.tiers[trace.TierWarm].highest
	for i := range c.pending {
		s.PendingLoads[i] = c.pending[i].ExpertLoad
	}
	slices.SortStableFunc(s.PendingLoads, func(a, b trace.ExpertLoad) int {
		if a.CompletesAtNs != b.CompletesAtNs {
			return cmp.Compare(a.CompletesAtNs, b.CompletesAtNs)
		}
		return quantity.CompareIDs(trace.LoadID(a.Load), trace.LoadID(b.Load))
	})
	return s
}

func (s *side) state() trace.ExpertTierState {
	resident, reserved := s.held()
	t := trace.ExpertTierState{CapacityBytes: s.capacity, ResidentBytes: resident, ReservedBytes: reserved}
	byUse := func(a, b int32) int { return cmp.Compare(s.used[a], s.used[b]) }
	for p := range s.parts {
		var held []int32
		for _, e := range s.members[p] {
			if s.used[e] != 0 {
				held = append(held, e)
			}
		}
		slices.SortFunc(held, byUse)
		t.Experts = append(t.Experts, held...)
		t.Partitions = append(t.Partitions, trace.ExpertPartitionState{
			ID: s.parts[p].ID, CapacityBytes: s.parts[p].CapacityBytes,
			ResidentBytes: s.resident[p], ReservedBytes: s.reserved[p], Experts: held,
		})
	}
	slices.SortFunc(t.Experts, byUse)
	return t
}
