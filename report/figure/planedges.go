package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/report/unit"
)

// planEdge joins two operations of one execution, one of them the selected step. An
// edge over an allocation is a hazard: the later step waits for the buffer.
type planEdge struct {
	from, to   int // operations, the earlier first
	allocation string
}

// selectedOperation finds the operation of the selected step; -1: none.
func (f *PlanTimeline) selectedOperation() int {
	if f.Selected == nil {
		return -1
	}
	for i := range f.Operations {
		o := &f.Operations[i]
		if o.StepID == f.Selected.StepID && (f.Selected.Execution == "" && o.Execution == 0 || f.Executions[o.Execution].ID == f.Selected.Execution) {
			return i
		}
	}
	return -1
}

// edges lists the dependencies of the selected step, and its hazards: for each
// allocation that it reads the last writer, for each that it writes the last writer
// and the readers since, and the same the other way round.
func (f *PlanTimeline) edges() (dependencies, hazards []planEdge) {
	at := f.selectedOperation()
	if at < 0 {
		return nil, nil
	}
	s := &f.Operations[at]
	for i := range f.Operations {
		o := &f.Operations[i]
		switch {
		case o.Execution != s.Execution:
		case slices.Contains(s.Dependencies, o.StepID):
			dependencies = append(dependencies, planEdge{from: i, to: at})
		case slices.Contains(o.Dependencies, s.StepID):
			dependencies = append(dependencies, planEdge{from: at, to: i})
		}
	}
	allocations := slices.Clone(s.Writes)
	for _, a := range s.Reads {
		if !slices.Contains(allocations, a) {
			allocations = append(allocations, a)
		}
	}
	for _, a := range allocations {
		hazards = append(hazards, f.hazards(at, a)...)
	}
	return dependencies, hazards
}

// hazards lists the neighbours of an operation in the history of one allocation.
func (f *PlanTimeline) hazards(at int, allocation string) []planEdge {
	type user struct {
		op     int
		writes bool
	}
	var history []user
	self := 0
	for i := range f.Operations {
		o := &f.Operations[i]
		if o.Execution != f.Operations[at].Execution {
			continue
		}
		writes := slices.Contains(o.Writes, allocation)
		if !writes && !slices.Contains(o.Reads, allocation) {
			continue
		}
		if i == at {
			self = len(history)
		}
		history = append(history, user{i, writes})
	}
	var list []planEdge
	walk := func(step int) {
		for k := self + step; k >= 0 && k < len(history); k += step {
			if u := history[k]; u.writes || history[self].writes {
				e := planEdge{from: u.op, to: at, allocation: allocation}
				if step > 0 {
					e.from, e.to = at, u.op
				}
				list = append(list, e)
			}
			if history[k].writes {
				return
			}
		}
	}
	walk(-1)
	walk(+1)
	return list
}

// sayEdges tells of the selected step in the caption.
func (f *PlanTimeline) sayEdges(*planView) string {
	at := f.selectedOperation()
	if at < 0 {
		return fmt.Sprintf("Step %d, which was selected, has no operation.", f.Selected.StepID)
	}
	dependencies, hazards := f.edges()
	before := 0
	for _, e := range dependencies {
		if e.to == at {
			before++
		}
	}
	var names []string
	for _, e := range hazards {
		if !slices.Contains(names, e.allocation) {
			names = append(names, e.allocation)
		}
	}
	text := fmt.Sprintf("Step %d waits for %s and releases %s (solid lines)", f.Selected.StepID,
		unit.Plural(int64(before), "step"), unit.Plural(int64(len(dependencies)-before), "step"))
	if len(hazards) > 0 {
		text += fmt.Sprintf("; %s (dashed) over %s", unit.Plural(int64(len(hazards)), "hazard"), strings.Join(shorten(names, 4), ", "))
	}
	return text + "."
}

// shorten keeps the first n ids of a list and counts the others.
func shorten(ids []string, n int) []string {
	if len(ids) <= n {
		return ids
	}
	return append(slices.Clone(ids[:n]), fmt.Sprintf("and %d more", len(ids)-n))
}

// related lists the operations that a selection lights: the step and both ends of
// its edges.
func (f *PlanTimeline) related() map[int]bool {
	at := f.selectedOperation()
	if at < 0 {
		return nil
	}
	lit := map[int]bool{at: true}
	dependencies, hazards := f.edges()
	for _, list := range [][]planEdge{dependencies, hazards} {
		for _, e := range list {
			lit[e.from], lit[e.to] = true, true
		}
	}
	return lit
}
