package planreplay

import "github.com/inferlab/inferlab/simcore/trace"

// laneTable is when each used lane of each resource becomes free.
type laneTable struct {
	machine *machine
	free    [][]int64
	atZero  []int // used lanes that are still free from 0
}

func newLaneTable(m *machine) *laneTable {
	return &laneTable{machine: m, free: make([][]int64, len(m.names)), atZero: make([]int, len(m.names))}
}

// choice is the lane of least free time, the lowest on ties; a lane that was
// never used is free from 0.
func (t *laneTable) choice(r int32) (lane int, freeNs int64) {
	free := t.free[r]
	if t.atZero[r] == 0 && int64(len(free)) < t.machine.limits[r] {
		return len(free), 0
	}
	for i, f := range free {
		if i == 0 || f < freeNs {
			lane, freeNs = i, f
		}
	}
	return lane, freeNs
}

// readyFrom is the earliest time from t on at which all chosen lanes are free.
func (t *laneTable) readyFrom(resources []int32, at int64) int64 {
	for _, r := range resources {
		_, f := t.choice(r)
		at = max(at, f)
	}
	return at
}

// take occupies the chosen lanes until finish.
func (t *laneTable) take(resources []int32, finish int64) {
	for _, r := range resources {
		lane, was := t.choice(r)
		if lane == len(t.free[r]) {
			t.free[r] = append(t.free[r], 0)
			t.atZero[r]++
		}
		if was == 0 && finish > 0 {
			t.atZero[r]--
		}
		t.free[r][lane] = finish
	}
}

// compare checks the lanes that an event names against the choice.
func (t *laneTable) compare(at int, resources []int32, e *trace.Operation) *Mismatch {
	for k, r := range resources {
		named := e.Resources[k].ResourceLane
		if named < 0 || named >= t.machine.limits[r] {
			return mismatch(at, RuleLane, "%s has no lane %d", e.Resources[k].ResourceID, named)
		}
		if lane, _ := t.choice(r); int64(lane) != named {
			return mismatch(at, RuleLane, "lane %d of %s, expected lane %d, which is free first", named, e.Resources[k].ResourceID, lane)
		}
	}
	return nil
}
