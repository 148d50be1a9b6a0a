package experts

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

const none int32 = -1

// tier is one bounded tier: its partitions, and for every expert whether it is
// resident, pending, and where it stands in its partition's order of use. Each
// partition links its residents from least to most recently used.
type tier struct {
	kind      trace.Tier
	capacity  int64
	resident  int64 // whole tier, bytes
	reserved  int64
	highWater int64

	parts []partition
	owner []int32 // expert -> partition

	stamp      []int64 // access clock of the last use, 0: not resident
	older      []int32 // neighbour links inside the partition
	newer      []int32
	pending    []int32 // load number on its way into this tier, 0: none
	planned    []int64 // plan in which the expert is a victim or a new load, see plan.go
	plannedOut []bool  // …and which of the two
}

type partition struct {
	id       string
	capacity int64
	resident int64
	reserved int64
	oldest   int32
	newest   int32

	plan   int64 // of the fields below, see plan.go
	delta  int64 // planned reservations minus planned evictions, bytes
	cursor int32 // next resident to look at
}

// path is the setting of the tier's capacity in a configuration.
func (t *tier) path() string { return "expert_cache." + t.kind.String() + "_capacity_bytes" }

func newTier(kind trace.Tier, cfg *workload.ExpertCache, table []workload.ExpertPartition, capacity int64) *tier {
	n := len(cfg.Experts)
	t := &tier{
		kind: kind, capacity: capacity,
		parts: make([]partition, len(table)), owner: make([]int32, n),
		stamp: make([]int64, n), older: make([]int32, n), newer: make([]int32, n),
		pending: make([]int32, n), planned: make([]int64, n), plannedOut: make([]bool, n),
	}
	index := expertIndex(cfg)
	for p := range table {
		t.parts[p] = partition{id: table[p].ID, capacity: table[p].CapacityBytes, oldest: none, newest: none}
		for _, id := range table[p].ExpertIDs {
			t.owner[index[id]] = int32(p)
		}
	}
	return t
}

// expertIndex maps ids to declaration indices.
func expertIndex(cfg *workload.ExpertCache) map[string]int32 {
	index := make(map[string]int32, len(cfg.Experts))
	for i := range cfg.Experts {
		index[cfg.Experts[i].ID] = int32(i)
	}
	return index
}

func (t *tier) has(e int32) bool { return t.stamp[e] != 0 }

// touch makes a resident the most recently used of its partition.
func (t *tier) touch(e int32, clock int64) {
	p := &t.parts[t.owner[e]]
	if p.newest != e {
		t.unlink(p, e)
		t.link(p, e)
	}
	t.stamp[e] = clock
}

// install makes an expert resident, or touches it when it is already.
func (t *tier) install(e int32, bytes, clock int64) {
	if t.has(e) {
		t.touch(e, clock)
		return
	}
	p := &t.parts[t.owner[e]]
	p.resident += bytes
	t.resident += bytes
	t.link(p, e)
	t.stamp[e] = clock
}

func (t *tier) evict(e int32, bytes int64) {
	p := &t.parts[t.owner[e]]
	p.resident -= bytes
	t.resident -= bytes
	t.unlink(p, e)
	t.stamp[e] = 0
}

// reserve holds bytes for a load; release gives them back.
func (t *tier) reserve(e int32, bytes int64, load int32) {
	t.parts[t.owner[e]].reserved += bytes
	t.reserved += bytes
	t.pending[e] = load
	t.mark()
}

func (t *tier) release(e int32, bytes int64) {
	t.parts[t.owner[e]].reserved -= bytes
	t.reserved -= bytes
	t.pending[e] = 0
}

// mark raises the high water to what is held now.
func (t *tier) mark() { t.highWater = max(t.highWater, t.resident+t.reserved) }

func (t *tier) link(p *partition, e int32) {
	t.older[e], t.newer[e] = p.newest, none
	if p.newest != none {
		t.newer[p.newest] = e
	} else {
		p.oldest = e
	}
	p.newest = e
}

func (t *tier) unlink(p *partition, e int32) {
	before, after := t.older[e], t.newer[e]
	if before != none {
		t.newer[before] = after
	} else {
		p.oldest = after
	}
	if after != none {
		t.older[after] = before
	} else {
		p.newest = before
	}
}

// state is the tier as a snapshot shows it.
func (t *tier) state() trace.ExpertTierState {
	s := trace.ExpertTierState{
		CapacityBytes: t.capacity, ResidentBytes: t.resident, ReservedBytes: t.reserved,
		Experts: []int32{}, Partitions: make([]trace.ExpertPartitionState, len(t.parts)),
	}
	for i := range t.parts {
		p := &t.parts[i]
		experts := []int32{}
		for e := p.oldest; e != none; e = t.newer[e] {
			experts = append(experts, e)
		}
		s.Experts = append(s.Experts, experts...)
		s.Partitions[i] = trace.ExpertPartitionState{
			ID: p.id, CapacityBytes: p.capacity, ResidentBytes: p.resident, ReservedBytes: p.reserved, Experts: experts,
		}
	}
	slices.SortFunc(s.Experts, func(a, b int32) int { return int(t.stamp[a] - t.stamp[b]) })
	return s
}
