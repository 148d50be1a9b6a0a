package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/trace"
)

// FaultCases shows a fault campaign: one row a fault, from 0 to its quiescence, with
// the instant of the fault and how many of the plan's steps were still submitted,
// beside the execution without a fault (contract 09, V15).
type FaultCases struct {
	Source
	Rows    []FaultCase // the baseline first
	Steps   int64       // of the plan
	MaxRows int         // 0: 64
}

// FaultCase is one row of FaultCases.
type FaultCase struct {
	ID                     string // empty: the baseline
	Kind                   trace.FaultKind
	Status                 trace.Status
	AtNs, CompletedNs      int64
	Submitted, Unsubmitted int64
	Preview                []int64 // the first unsubmitted step ids
	Ranks                  [3]int64
	ReplayEvents           int64
}

// Faults shows a fault campaign.
func Faults(f *campaign.Faults) FaultCases {
	out := FaultCases{Source: Source{f.Scenario.ID(), f.Confidence}, Steps: int64(len(f.Plan.Steps))}
	out.Rows = append(out.Rows, faultCase(&f.Baseline))
	for i := range f.Cases {
		out.Rows = append(out.Rows, faultCase(&f.Cases[i]))
	}
	return out
}

func faultCase(c *campaign.Case) FaultCase {
	r := FaultCase{ID: c.ID, Status: c.Status, CompletedNs: c.CompletedAtNs, Submitted: c.SubmittedSteps,
		Unsubmitted: int64(len(c.UnsubmittedStepIDs)), ReplayEvents: c.AppliedEvents}
	r.Preview = c.UnsubmittedStepIDs[:min(16, len(c.UnsubmittedStepIDs))]
	if c.Fault != nil {
		r.AtNs, r.Kind = c.Fault.AtNs, c.Fault.Kind
	}
	for _, s := range c.RankStates {
		for i, style := range statusStyles {
			if s.Status == style.status {
				r.Ranks[i]++
			}
		}
	}
	return r
}

func (r *FaultCase) name() string {
	if r.ID == "" {
		return "no fault"
	}
	return r.ID
}

func (f *FaultCases) drawn() []FaultCase {
	most := f.MaxRows
	if most <= 0 {
		most = defaultPlanRows
	}
	return f.Rows[:min(most, len(f.Rows))]
}

// Text gives the figure's words.
func (f FaultCases) Text() Text {
	t := f.words()
	t.What = "Quiescence of each fault, against the run without one"
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "No case", "The campaign has no case."
		return t
	}
	if len(f.Rows) == 1 {
		t.Title = fmt.Sprintf("No fault fits this plan; it completes at %s", dur(f.Rows[0].CompletedNs))
		t.Alt = t.Title + "."
		return t
	}
	worst, least := f.Rows[1], f.Rows[1]
	for _, r := range f.Rows[1:] {
		if r.CompletedNs-r.AtNs > worst.CompletedNs-worst.AtNs {
			worst = r
		}
		if r.Submitted < least.Submitted {
			least = r
		}
	}
	cases := unit.Plural(int64(len(f.Rows)-1), "fault")
	t.Title = fmt.Sprintf("%s: %s takes longest to quiesce, %s", cases, brief(worst.ID), dur(worst.CompletedNs-worst.AtNs))
	t.Alt = fmt.Sprintf("%s; the longest quiescence, %s, after %s; the least of the plan's %s submitted, %s, before %s; without a fault it completes at %s.",
		cases, dur(worst.CompletedNs-worst.AtNs), brief(worst.ID), unit.Plural(f.Steps, "step"), unit.Count(least.Submitted), brief(least.ID), dur(f.Rows[0].CompletedNs))
	t.Caption = "Each fault falls in the middle of the first operation that occupies the item. Right: steps submitted of the plan's steps."
	if _, beyond := f.end(); beyond {
		t.Caption += fmt.Sprintf(" The axis ends soon after the last case; the run without a fault goes on until %s.", dur(f.Rows[0].CompletedNs))
	}
	if n := len(f.drawn()); n < len(f.Rows) {
		t.Caption = fmt.Sprintf("Showing the first %d of %s rows; the table has all. ", n, unit.Count(int64(len(f.Rows)))) + t.Caption
	}
	return t
}

// SVG renders the figure.
func (f FaultCases) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f FaultCases) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f FaultCases) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a case.
func (f FaultCases) Table() Table {
	return Table{
		Columns: []Column{{"fault", "", false}, {"at", "ns", true}, {"status", "", false}, {"quiesced or completed", "ns", true},
			{"submitted", "", true}, {"unsubmitted", "", true}, {"first unsubmitted step ids", "", false},
			{"ranks succeeded", "", true}, {"ranks aborted", "", true}, {"ranks failed", "", true}, {"replay events", "", true}},
		Len: len(f.Rows),
		Row: func(i int) []string {
			r := f.Rows[i]
			at := "none"
			if r.ID != "" {
				at = decimals(r.AtNs)[0]
			}
			cells := append([]string{r.name(), at, string(r.Status)}, decimals(r.CompletedNs, r.Submitted, r.Unsubmitted)...)
			cells = append(cells, strings.Join(decimals(r.Preview...), " "))
			return append(cells, decimals(r.Ranks[0], r.Ranks[1], r.Ranks[2], r.ReplayEvents)...)
		},
	}
}

// end is the last instant of the axis: that of the cases when the run without a fault
// is so much longer that none of them could be told from another.
func (f *FaultCases) end() (ns int64, beyond bool) {
	var cases, all int64
	for i, r := range f.Rows {
		all = max(all, r.CompletedNs, r.AtNs)
		if i > 0 {
			cases = max(cases, r.CompletedNs, r.AtNs)
		}
	}
	if cases > 0 && all/5 > cases {
		return cases, true
	}
	return all, false
}

func (f *FaultCases) keys() []key {
	return []key{{ink: Accepted, label: "before the fault, or without one"}, {ink: Waiting, label: "quiescing", shape: keyHatch},
		{ink: Fault, label: "fault", shape: keyTick}}
}

func (f FaultCases) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + 8 + planRowHeight*float64(len(f.drawn())) + tickHeight + xNameSpace
}

func (f FaultCases) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	rows := f.drawn()
	width := (c.Max.X - c.Min.X).Points()
	names, counts := 0.0, 0.0
	for _, r := range rows {
		names = math.Max(names, widthOf(plain(textSize), elide(r.name(), plain(textSize), width*0.34)))
		counts = math.Max(counts, widthOf(plain(textSize), f.submitted(&r)))
	}
	last, _ := f.end()
	p := panel{x: durationAxis("Modeled time", 0, float64(last)*1.05, width-names-counts, xTickSpace), left: names + 12, right: counts + 12,
		y: axis{max: float64(len(rows))}}
	p.draw(c)
	area := draw.Crop(c, vg.Length(p.left), -vg.Length(p.right), tickHeight+xNameSpace, -8)
	tx, _ := p.plot().Transforms(&area)
	step := (area.Max.Y - area.Min.Y) / vg.Length(len(rows))
	for i := range rows {
		f.bar(area, &rows[i], area.Max.Y-step*vg.Length(float64(i)+0.5), width, func(ns int64) vg.Length { return tx(float64(ns)) })
	}
}

func (f *FaultCases) submitted(r *FaultCase) string {
	return unit.Count(r.Submitted) + " of " + unit.Count(f.Steps)
}

func (f *FaultCases) bar(c draw.Canvas, r *FaultCase, y vg.Length, width float64, at func(int64) vg.Length) {
	until := r.AtNs
	if r.ID == "" {
		until = r.CompletedNs
	}
	hover := fmt.Sprintf("%s: %s at %s, %s steps submitted", r.name(), r.Status, dur(r.CompletedNs), f.submitted(r))
	marked(c, hover, func() {
		x1 := min(max(at(until), at(0)+1), c.Max.X)
		fill(c, Accepted, rect(at(0), y-6, x1, y+6))
		if at(until) > c.Max.X { // torn off: it goes on
			stroke(c, Ground, 2, segment(x1-12, y-7, x1-6, y+7))
			stroke(c, Ground, 2, segment(x1-18, y-7, x1-12, y+7))
		}
		if r.ID != "" {
			if at(r.CompletedNs)-at(until) > 2 {
				hatch(c, Waiting, at(until)+1, y-6, at(r.CompletedNs), y+6)
			}
			stroke(c, Fault, 2, segment(at(until), y-8, at(until), y+8))
		}
	})
	put(c, plain(textSize), inkText, c.Min.X-8, y-4, right, elide(r.name(), plain(textSize), width*0.34))
	put(c, plain(textSize), Muted, c.Max.X+vg.Length(8), y-4, left, f.submitted(r))
}
