package figure

import (
	"slices"
	"sort"

	"github.com/inferlab/inferlab/simcore/trace"
)

// lastToFinish is the operation with the greatest finish, the first of equals; -1
// without operations.
func (f *PlanTimeline) lastToFinish() int {
	last := -1
	for i := range f.Operations {
		if last < 0 || f.Operations[i].FinishNs > f.Operations[last].FinishNs {
			last = i
		}
	}
	return last
}

// markCritical marks the chain of operations that decides the finish of one: from it
// back to the operation whose finish let it be submitted (a dependency) or, when it
// waited after submission, let it start (the holder of one of its lanes, or of an
// allocation in a conflicting way), and so on to an operation that nothing delayed.
func (f *PlanTimeline) markCritical(end int) {
	if end < 0 {
		return
	}
	h := newHistory(f)
	for at := end; at >= 0; {
		o := &f.Operations[at]
		o.Critical = true
		if o.StartNs > o.SubmittedNs {
			at = h.blocker(at)
			continue
		}
		at = h.releaser(at)
	}
}

// history finds the operations around an instant.
type history struct {
	f       *PlanTimeline
	steps   map[planStepKey]int
	lanes   map[trace.Reservation][]int // holders of a lane in submission order
	holders map[string][]int            // users of an allocation in submission order
	groups  map[string][]int            // collectives of a communicator in submission order
}

func newHistory(f *PlanTimeline) *history {
	h := &history{f: f, steps: make(map[planStepKey]int, len(f.Operations)), lanes: make(map[trace.Reservation][]int),
		holders: make(map[string][]int), groups: make(map[string][]int)}
	for i := range f.Operations {
		o := &f.Operations[i]
		h.steps[planStepKey{o.Execution, o.StepID}] = i
		for _, r := range o.Resources {
			h.lanes[r] = append(h.lanes[r], i)
		}
		if o.Group != "" {
			h.groups[o.Group] = append(h.groups[o.Group], i)
		}
		if len(f.Executions) < 2 {
			continue // within one execution conflicting users depend on each other
		}
		for _, list := range [][]string{o.Reads, o.Writes} {
			for _, a := range list {
				h.holders[a] = append(h.holders[a], i)
			}
		}
	}
	return h
}

// before is how many entries of an ascending list precede operation i.
func before(list []int, i int) int { return sort.SearchInts(list, i) }

// blocker is the earlier operation whose finish is the start of operation i.
func (h *history) blocker(i int) int {
	o := &h.f.Operations[i]
	for _, r := range o.Resources {
		list := h.lanes[r]
		if k := before(list, i); k > 0 && h.f.Operations[list[k-1]].FinishNs == o.StartNs {
			return list[k-1]
		}
	}
	for k, list := range [][]string{o.Writes, o.Reads} {
		for _, a := range list {
			users := h.holders[a]
			for n := before(users, i) - 1; n >= 0; n-- {
				u := &h.f.Operations[users[n]]
				if u.FinishNs == o.StartNs && (k == 0 || slices.Contains(u.Writes, a)) {
					return users[n]
				}
			}
		}
	}
	return -1
}

// releaser is the operation that let operation i be submitted: a dependency that
// finished then, or the collective whose submission handed the communicator on.
func (h *history) releaser(i int) int {
	o := &h.f.Operations[i]
	for _, d := range o.Dependencies {
		if k, ok := h.steps[planStepKey{o.Execution, d}]; ok && k < i && h.f.Operations[k].FinishNs == o.SubmittedNs {
			return k
		}
	}
	if o.Group == "" {
		return -1
	}
	list := h.groups[o.Group]
	if k := before(list, i); k > 0 {
		if p := &h.f.Operations[list[k-1]]; p.Execution != o.Execution && p.SubmittedNs == o.SubmittedNs && p.SubmittedNs > h.f.Executions[o.Execution].ArrivalNs {
			return list[k-1]
		}
	}
	return -1
}
