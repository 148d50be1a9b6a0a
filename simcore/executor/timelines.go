package executor

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// timelines holds the availability of every lane of every resource of a fabric
// and grants lanes by the reservation rule (contract 03 section 6).
//
// Only lanes that were ever used are kept: an unused lane is free from 0, and the
// one of lowest index is the next to be used. So a resource that declares more
// lanes than any run could fill costs what is used of it. The used lanes form a
// heap by (free time, index), so that the choice does not depend on their number.
type timelines struct {
	resources []plan.Resource
	lanes     [][]lane
}

type lane struct {
	freeNs int64
	index  int32
}

func newTimelines(f *plan.Fabric) *timelines {
	resources := f.Resources()
	return &timelines{resources: resources, lanes: make([][]lane, len(resources))}
}

// ready returns the earliest time at or after t at which the chosen lane of every
// resource is free.
func (tl *timelines) ready(resources []int32, t int64) int64 {
	for _, r := range resources {
		if used := tl.lanes[r]; int64(len(used)) == tl.resources[r].Lanes {
			t = max(t, used[0].freeNs)
		}
	}
	return t
}

// occupy makes the chosen lane of every resource busy until finish and appends
// the reservations to held.
func (tl *timelines) occupy(resources []int32, finish int64, held []trace.Reservation) []trace.Reservation {
	for _, r := range resources {
		used := tl.lanes[r]
		// A lane that is free at 0 has the lowest index among the free ones; only
		// when no used lane is free from 0 does a fresh one come before it.
		if n := int64(len(used)); n < tl.resources[r].Lanes && (n == 0 || used[0].freeNs > 0) {
			used = swim(append(used, lane{index: int32(n)}))
			tl.lanes[r] = used
		}
		held = append(held, trace.Reservation{ResourceID: tl.resources[r].ID, ResourceLane: int64(used[0].index)})
		used[0].freeNs = finish
		sink(used)
	}
	return held
}

// swim restores the heap after a lane was appended.
func swim(used []lane) []lane {
	for i := len(used) - 1; i > 0; {
		parent := (i - 1) / 2
		if !used[i].before(used[parent]) {
			break
		}
		used[i], used[parent] = used[parent], used[i]
		i = parent
	}
	return used
}

// sink restores the heap after its head changed.
func sink(used []lane) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(used) {
			return
		}
		if child+1 < len(used) && used[child+1].before(used[child]) {
			child++
		}
		if !used[child].before(used[i]) {
			return
		}
		used[i], used[child] = used[child], used[i]
		i = child
	}
}

func (l lane) before(o lane) bool {
	if l.freeNs != o.freeNs {
		return l.freeNs < o.freeNs
	}
	return l.index < o.index
}

// finish adds a step's duration to its start, or refuses the overflow by name.
func finish(s *plan.Step, start int64) (int64, error) {
	end, err := quantity.Add(start, s.Operation.DurationNs)
	if err != nil {
		return 0, overflow(s, start)
	}
	return end, nil
}
