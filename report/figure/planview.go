package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// planView is a timeline as rows of marks, after filters and reductions.
type planView struct {
	rows       []planRow
	rowsBefore int
	shown      []int // operations that pass window and filter
	operations int   // of these, those that stand on a row

	bars, barsBefore, summaries int
	sliceNs                     int64 // width of a slice when bars are merged
	folded                      bool  // one row an execution
	several                     bool  // some operation holds more than one lane
	critical                    bool
	dropped, truncated          int

	steps map[planStepKey]int // made by index
}

// planRow is one lane's row. Rows of one group stand together.
type planRow struct {
	group, detail, lane string
	marks               []planMark
	busyNs              int64
}

// planMark is one bar: an operation, or several of one kind.
type planMark struct {
	op         int // the operation, or the first of several
	count      int
	from, to   int64
	busyNs     int64
	kind       plan.Kind
	isCritical bool
}

// rowKey places a row: group first, then class of resource, then its id, then its lane.
type rowKey struct {
	group    int
	resource string
	lane     int64
}

const (
	defaultPlanBars = 5000
	defaultPlanRows = 64
)

func (f *PlanTimeline) limits() (bars, rows int) {
	bars, rows = f.MaxBars, f.MaxRows
	if bars <= 0 {
		bars = defaultPlanBars
	}
	if rows <= 0 {
		rows = defaultPlanRows
	}
	return bars, rows
}

// arranged places the selected operations on rows and reduces them.
func (f *PlanTimeline) arranged() *planView {
	maxBars, maxRows := f.limits()
	v := &planView{shown: f.selection()}
	keys, marks := f.place(v, false)
	if f.Arrange == ByExecution && len(keys) > maxRows {
		v.folded = true
		keys, marks = f.place(v, true)
	}
	v.rowsBefore = len(keys)
	v.rows = make([]planRow, len(keys))
	for i, k := range keys {
		v.rows[i] = f.describe(k, v.folded)
		v.rows[i].marks = marks[k]
		for _, m := range marks[k] {
			v.rows[i].busyNs += m.busyNs
		}
	}
	v.keepBusiest(maxRows)
	v.reduce(f, maxBars)
	for i := range v.shown {
		o := &f.Operations[v.shown[i]]
		v.several = v.several || len(o.Resources) > 1
		v.critical = v.critical || o.Critical
		switch o.Outcome {
		case Dropped:
			v.dropped++
		case Truncated:
			v.truncated++
		}
	}
	v.operations = v.barsBefore
	return v
}

// place puts every selected operation on its rows and lists the rows in order.
func (f *PlanTimeline) place(v *planView, folded bool) ([]rowKey, map[rowKey][]planMark) {
	rank := make(map[string]int, len(f.Ranks))
	for i := range f.Ranks {
		rank[f.Ranks[i].ID] = i
	}
	marks := make(map[rowKey][]planMark)
	var keys []rowKey
	put := func(k rowKey, i int) {
		if _, known := marks[k]; !known {
			keys = append(keys, k)
		}
		o := &f.Operations[i]
		busy := o.end() - o.StartNs
		if o.Outcome == Dropped {
			busy = 0
		}
		marks[k] = append(marks[k], planMark{op: i, count: 1, from: o.StartNs, to: o.FinishNs, busyNs: busy, kind: o.Kind, isCritical: o.Critical})
	}
	for _, i := range v.shown {
		o := &f.Operations[i]
		held := o.Resources
		if f.Arrange != ByResource && !f.AllLanes {
			held = held[:min(1, len(held))]
		}
		switch f.Arrange {
		case ByResource:
			for _, r := range held {
				put(rowKey{classOrder(r.ResourceID), r.ResourceID, r.ResourceLane}, i)
			}
		case ByRank:
			for _, id := range o.Ranks {
				if len(f.Filter.Ranks) > 0 && !slices.Contains(f.Filter.Ranks, id) {
					continue
				}
				for _, r := range held {
					put(rowKey{rank[id], r.ResourceID, r.ResourceLane}, i)
				}
			}
		default:
			if folded {
				put(rowKey{group: o.Execution}, i)
				continue
			}
			for _, r := range held {
				put(rowKey{o.Execution, r.ResourceID, r.ResourceLane}, i)
			}
		}
	}
	slices.SortFunc(keys, func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(classOrder(a.resource), classOrder(b.resource)),
			quantity.CompareIDs(a.resource, b.resource), cmp.Compare(a.lane, b.lane))
	})
	return keys, marks
}

// resourceClasses are the classes of lanes in row order.
var resourceClasses = []struct{ id, words string }{
	{"compute", "compute"}, {"link", "links"}, {"network", "NICs and fabrics"}, {"collective", "communicators"},
}

func classOrder(resource string) int {
	class, _, _ := strings.Cut(resource, ":")
	for i, c := range resourceClasses {
		if c.id == class {
			return i
		}
	}
	return len(resourceClasses)
}

// describe names a row.
func (f *PlanTimeline) describe(k rowKey, folded bool) planRow {
	row := planRow{lane: laneName(k, f.Arrange == ByRank)}
	switch f.Arrange {
	case ByResource:
		row.group = "other"
		if k.group < len(resourceClasses) {
			row.group = resourceClasses[k.group].words
		}
		_, name, _ := strings.Cut(k.resource, ":")
		row.lane = name
		if k.lane > 0 {
			row.lane += fmt.Sprintf(" /%d", k.lane)
		}
	case ByRank:
		r := f.Ranks[k.group]
		row.group, row.detail = r.ID, strings.Trim(r.Device+", "+r.Node, ", ")
	default:
		row.group = f.Executions[k.group].ID
		if folded {
			row.lane = ""
		}
	}
	return row
}

// laneName is the short name of a lane; a rank's compute lane needs no device beside
// the rank's own.
func laneName(k rowKey, ownDevice bool) string {
	name := k.resource
	if class, device, _ := strings.Cut(k.resource, ":"); class == "compute" {
		name = device
		if ownDevice {
			name = class
		}
	}
	if k.lane > 0 {
		name += fmt.Sprintf(" /%d", k.lane)
	}
	return name
}

// keepBusiest leaves at most n rows, in their order.
func (v *planView) keepBusiest(n int) {
	if len(v.rows) <= n {
		return
	}
	order := make([]int, len(v.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.rows[b].busyNs, v.rows[a].busyNs) })
	order = order[:n]
	slices.Sort(order)
	kept := make([]planRow, n)
	for i, k := range order {
		kept[i] = v.rows[k]
	}
	v.rows = kept
}

// reduce merges the bars of each row within equal slices of the view, so many that
// no more than maxBars remain.
func (v *planView) reduce(f *PlanTimeline, maxBars int) {
	for i := range v.rows {
		v.barsBefore += len(v.rows[i].marks)
	}
	v.bars = v.barsBefore
	if v.barsBefore <= maxBars {
		return
	}
	from, to := f.Window.over(f.EndNs)
	kinds := 0
	for i := range v.rows {
		kinds += v.rows[i].kinds()
	}
	count := max(1, maxBars/max(1, kinds))
	v.sliceNs = max(1, int64((to-from)/float64(count))+1)
	v.bars = 0
	for i := range v.rows {
		r := &v.rows[i]
		r.marks = f.merge(r.marks, int64(from), v.sliceNs)
		v.bars += len(r.marks)
		for _, m := range r.marks {
			if m.count > 1 {
				v.summaries++
			}
		}
	}
}

// kinds is how many kinds of operation a row has.
func (r *planRow) kinds() int {
	seen := make(map[plan.Kind]bool, 3)
	for _, m := range r.marks {
		seen[m.kind] = true
	}
	return len(seen)
}

// merge joins the marks of a row that have one kind, one outcome and start in one
// slice of time.
func (f *PlanTimeline) merge(marks []planMark, origin, sliceNs int64) []planMark {
	type slot struct {
		at      int64
		kind    plan.Kind
		outcome Outcome
	}
	at := make(map[slot]int)
	var out []planMark
	for _, m := range marks {
		k := slot{(m.from - origin) / sliceNs, m.kind, f.Operations[m.op].Outcome}
		i, known := at[k]
		if !known {
			at[k] = len(out)
			out = append(out, m)
			continue
		}
		sum := &out[i]
		sum.count += m.count
		sum.from, sum.to = min(sum.from, m.from), max(sum.to, m.to)
		sum.busyNs += m.busyNs
		sum.isCritical = sum.isCritical || m.isCritical
	}
	return out
}

// share is how much of its span a mark is busy.
func (m *planMark) share() float64 {
	if m.to <= m.from {
		return 1
	}
	return min(1, float64(m.busyNs)/float64(m.to-m.from))
}

// outcomeWords are what a hover text adds.
var outcomeWords = [...]string{"", ", truncated by the fault", ", dropped: times of the schedule without the fault"}

// hover describes a mark.
func (f *PlanTimeline) hover(m *planMark) string {
	o := &f.Operations[m.op]
	if m.count > 1 {
		return fmt.Sprintf("%d × %s, %s to %s, busy %s", m.count, m.kind, dur(m.from), dur(m.to), unit.Percent(m.share()))
	}
	text := fmt.Sprintf("step %d, %s, submitted %s, %s to %s (%s)", o.StepID, o.Kind, dur(o.SubmittedNs), dur(o.StartNs), dur(o.FinishNs), dur(o.FinishNs-o.StartNs))
	if o.Kind == plan.Collective {
		text += fmt.Sprintf(", %s #%d, %s", o.Group, o.Sequence, o.Algorithm)
	}
	if len(f.Executions) > 1 {
		text += ", " + f.Executions[o.Execution].ID
	}
	return text + outcomeWords[o.Outcome]
}

// planStepKey names a step among all executions.
type planStepKey struct {
	execution int
	step      int64
}

// index finds the operation of a step.
func (v *planView) index(f *PlanTimeline) map[planStepKey]int {
	if v.steps == nil {
		v.steps = make(map[planStepKey]int, len(f.Operations))
		for i := range f.Operations {
			v.steps[planStepKey{f.Operations[i].Execution, f.Operations[i].StepID}] = i
		}
	}
	return v.steps
}
