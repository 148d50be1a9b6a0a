package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// PlanTimeline shows the operations of one execution, or of many on one clock, as
// bars from start to finish: one row a lane, grouped by rank, by class of resource or
// by execution (contract 09, V7). A thin line before a bar is the time between
// submission and start; a line under bars marks the chain that decides the end of the
// foreground; what runs after it is shaded. A fault is a full-height rule.
//
// More than MaxBars bars are reduced: neighbours of one row and kind within one slice
// of time become one bar whose height is the busy share. The caption says so; a
// narrower Window shows single operations again.
type PlanTimeline struct {
	Source
	Window     Window
	Arrange    Arrangement
	Filter     PlanFilter
	Selected   *PlanStep // draws its dependencies and hazards and dims the rest; nil: none
	AllLanes   bool      // by rank or execution: a row for every lane held, not only the first
	Ranks      []PlanRank
	Executions []PlanExecution
	Operations []PlanOperation // in submission order; an operation never waits for a later one
	Faults     []PlanFault

	EndNs        int64 // of the drawn time
	ForegroundNs int64 // end of the foreground; 0: the end of the run
	MaxBars      int   // 0: 5,000
	MaxRows      int   // 0: 64
}

// Arrangement says what the rows of a PlanTimeline are grouped by.
type Arrangement int

// The arrangements. By rank and by execution an operation stands on the row of the
// first lane that it holds, unless AllLanes is set; by resource it stands on every lane.
const (
	ByRank Arrangement = iota
	ByResource
	ByExecution
)

// PlanFilter keeps the operations that match every list that is not empty.
type PlanFilter struct {
	Ranks, Groups, Executions []string
	Kinds                     []plan.Kind
	FromStep, ToStep          int64 // inclusive range of step ids; both 0: all
}

// PlanStep names a step of an execution; an empty execution is the first one.
type PlanStep struct {
	Execution string
	StepID    int64
}

// PlanRank is a rank with the machine under it, in display order.
type PlanRank struct{ ID, Device, Node string }

// PlanExecution is one execution of the timeline in admission order.
type PlanExecution struct {
	ID                    string
	ArrivalNs, TerminalNs int64
	Status                trace.Status
	Unsubmitted           int64 // steps without an operation
}

// PlanFault is a rule at an instant with its name.
type PlanFault struct {
	AtNs int64
	Name string
}

// Outcome is what became of an operation.
type Outcome uint8

// The outcomes: a truncated operation had started and never completed; a dropped one
// stands where the schedule without the fault has it.
const (
	Completed Outcome = iota
	Truncated
	Dropped
)

// PlanOperation is one operation of a PlanTimeline.
type PlanOperation struct {
	Execution                      int // index in Executions
	StepID                         int64
	Kind                           plan.Kind
	Algorithm                      plan.Algorithm
	Group                          string
	Sequence                       int64 // of a collective within its group
	SubmittedNs, StartNs, FinishNs int64
	CutNs                          int64 // when a truncated operation was cut
	Resources                      []trace.Reservation
	Ranks                          []string
	Dependencies                   []int64 // step ids of the same execution
	Reads, Writes                  []string
	Outcome                        Outcome
	Critical                       bool
}

func (f *PlanTimeline) passes(o *PlanOperation) bool {
	q := &f.Filter
	if (q.FromStep != 0 || q.ToStep != 0) && (o.StepID < q.FromStep || o.StepID > q.ToStep) {
		return false
	}
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, o.Kind) {
		return false
	}
	if len(q.Groups) > 0 && !slices.Contains(q.Groups, o.Group) {
		return false
	}
	if len(q.Executions) > 0 && !slices.Contains(q.Executions, f.Executions[o.Execution].ID) {
		return false
	}
	return len(q.Ranks) == 0 || slices.ContainsFunc(o.Ranks, func(r string) bool { return slices.Contains(q.Ranks, r) })
}

// selection lists what passes the filter and lies in the window.
func (f *PlanTimeline) selection() []int {
	from, to := f.Window.over(f.EndNs)
	whole := f.Window == Window{}
	var list []int
	for i := range f.Operations {
		o := &f.Operations[i]
		if !f.passes(o) || !whole && (float64(o.FinishNs) < from || float64(o.SubmittedNs) >= to) {
			continue
		}
		list = append(list, i)
	}
	return list
}

// Text gives the figure's words.
func (f PlanTimeline) Text() Text { return f.text(f.arranged()) }

func (f *PlanTimeline) text(v *planView) Text {
	t := f.words()
	t.What = f.Window.say() + [...]string{"Operations by rank and lane", "Operations by resource lane", "Operations by execution"}[f.Arrange]
	if v.operations == 0 {
		t.Title, t.Empty = "No operation", "No operation lies in this window or passes the filter."
		return t
	}
	t.Title = f.finding()
	t.Alt = f.alternative(v)
	t.Caption = f.caption(v)
	return t
}

// finding is the title: what decides the end, or what the fault did.
func (f *PlanTimeline) finding() string {
	truncated, dropped := f.lost()
	if len(f.Faults) > 0 {
		return fmt.Sprintf("%s at %s: %s, %s", capital(brief(f.Faults[0].Name)), dur(f.Faults[0].AtNs),
			unit.Plural(truncated, "operation")+" truncated", unit.Plural(dropped, "step")+" dropped")
	}
	end := f.foreground()
	path := f.path()
	on := path.serviceNs
	if len(f.Executions) > 1 {
		return fmt.Sprintf("%s complete within %s", unit.Plural(int64(len(f.Executions)), "execution"), dur(f.EndNs))
	}
	if path.steps == 0 || end == 0 {
		return fmt.Sprintf("%s complete within %s", unit.Plural(int64(len(f.Operations)), "operation"), dur(f.EndNs))
	}
	most := 0
	for k := range on {
		if on[k] > on[most] {
			most = k
		}
	}
	return fmt.Sprintf("The foreground ends at %s; %s is %s of the path that decides it", dur(end), plan.Kinds[most],
		unit.Percent(float64(on[most])/float64(end)))
}

// lost counts truncated operations and steps without an operation.
func (f *PlanTimeline) lost() (truncated, dropped int64) {
	for i := range f.Operations {
		if f.Operations[i].Outcome == Truncated {
			truncated++
		}
	}
	for i := range f.Executions {
		dropped += f.Executions[i].Unsubmitted
	}
	return truncated, dropped
}

func (f *PlanTimeline) foreground() int64 {
	if f.ForegroundNs > 0 {
		return f.ForegroundNs
	}
	return f.EndNs
}

func (f *PlanTimeline) alternative(v *planView) string {
	var n [3]int64
	for _, i := range v.shown {
		n[slices.Index(plan.Kinds[:], f.Operations[i].Kind)]++
	}
	text := fmt.Sprintf("%s over a modeled %s: %s compute, %s transfer, %s collective", unit.Plural(int64(len(v.shown)), "operation"), dur(f.EndNs),
		unit.Count(n[0]), unit.Count(n[1]), unit.Count(n[2]))
	if path := f.path(); path.steps > 0 {
		what := "end of the foreground"
		if len(f.Executions) > 1 {
			what = "last completion"
		}
		text += fmt.Sprintf("; %s on the path that decides the %s at %s", unit.Plural(path.steps, "operation"), what, dur(f.foreground()))
	}
	if truncated, dropped := f.lost(); len(f.Faults) > 0 {
		text += fmt.Sprintf("; %s at %s truncated %s and dropped %s", brief(f.Faults[0].Name), dur(f.Faults[0].AtNs), unit.Count(truncated), unit.Count(dropped))
	}
	return text + "."
}

func (f *PlanTimeline) caption(v *planView) string {
	var parts []string
	if hidden := len(f.Operations) - len(v.shown); hidden > 0 {
		parts = append(parts, fmt.Sprintf("Showing %s of %s operations; the others are outside the window or filtered out.",
			unit.Count(int64(len(v.shown))), unit.Count(int64(len(f.Operations)))))
	}
	if v.rowsBefore > len(v.rows) {
		parts = append(parts, fmt.Sprintf("Showing the %d busiest of %s rows.", len(v.rows), unit.Count(int64(v.rowsBefore))))
	}
	if v.summaries > 0 {
		parts = append(parts, fmt.Sprintf("%s bars stand for %s: neighbours of one row and kind within %s are one bar, its height their busy share.",
			unit.Count(int64(v.bars)), unit.Plural(int64(v.barsBefore), "bar"), dur(v.sliceNs)))
	}
	switch {
	case v.folded:
		parts = append(parts, "One row an execution: operations of several lanes overlap.")
	case f.Arrange != ByResource && !f.AllLanes && v.several:
		parts = append(parts, "An operation stands on the first lane that it holds; the arrangement by resource shows every lane.")
	}
	switch {
	case v.critical && len(f.Executions) > 1:
		parts = append(parts, "Line under bars: the path that decides the last completion.")
	case v.critical:
		parts = append(parts, "Line under bars: the path that decides the end of the foreground.")
	}
	if f.foreground() < f.EndNs {
		parts = append(parts, fmt.Sprintf("Shaded: background drain of %s after the foreground.", dur(f.EndNs-f.foreground())))
	}
	if _, dropped := f.lost(); dropped > 0 && v.dropped == 0 {
		parts = append(parts, fmt.Sprintf("%s without an operation: dropped, or not submitted any more; they have no times.", unit.Plural(dropped, "step")))
	}
	if f.Selected != nil {
		parts = append(parts, f.sayEdges(v))
	}
	return strings.Join(parts, " ")
}

// SVG renders the figure.
func (f PlanTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f.arrange(), o) }

// PNG renders the figure.
func (f PlanTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f.arrange(), o) }

// PDF renders the figure.
func (f PlanTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f.arrange(), o) }

// Table gives one row an operation that passes window and filter.
func (f PlanTimeline) Table() Table {
	shown := f.selection()
	return Table{
		Columns: []Column{{"execution", "", false}, {"step", "", true}, {"kind", "", false}, {"submit", "ns", true}, {"start", "ns", true},
			{"finish", "ns", true}, {"duration", "ns", true}, {"resources", "", false}, {"ranks", "", false},
			{"group and sequence", "", false}, {"algorithm", "", false}, {"outcome", "", false}},
		Len: len(shown),
		Row: func(i int) []string { return f.row(&f.Operations[shown[i]]) },
	}
}

func (f *PlanTimeline) row(o *PlanOperation) []string {
	lanes := make([]string, len(o.Resources))
	for k, r := range o.Resources {
		lanes[k] = fmt.Sprintf("%s/%d", r.ResourceID, r.ResourceLane)
	}
	group, algorithm := "none", "none"
	if o.Kind == plan.Collective {
		group, algorithm = fmt.Sprintf("%s #%d", o.Group, o.Sequence), string(o.Algorithm)
	}
	outcome := [...]string{"completed", "truncated", "dropped"}[o.Outcome]
	if o.Critical {
		outcome += ", critical"
	}
	cells := append([]string{f.Executions[o.Execution].ID}, decimals(o.StepID)...)
	cells = append(cells, string(o.Kind))
	cells = append(cells, decimals(o.SubmittedNs, o.StartNs, o.FinishNs, o.FinishNs-o.StartNs)...)
	return append(cells, strings.Join(lanes, ", "), strings.Join(o.Ranks, ", "), group, algorithm, outcome)
}

// planPath sums up the critical operations.
type planPath struct {
	steps     int64
	serviceNs [3]int64 // by kind
}

func (f *PlanTimeline) path() (p planPath) {
	for i := range f.Operations {
		if o := &f.Operations[i]; o.Critical {
			p.steps++
			p.serviceNs[slices.Index(plan.Kinds[:], o.Kind)] += o.FinishNs - o.StartNs
		}
	}
	return p
}

// end clamps the end of an operation's bar to what it did.
func (o *PlanOperation) end() int64 {
	if o.Outcome == Truncated {
		return max(o.StartNs, min(o.FinishNs, o.CutNs))
	}
	return o.FinishNs
}

// capital begins a sentence with a phrase.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func clampTo(v, from, to float64) float64 { return math.Min(math.Max(v, from), to) }
