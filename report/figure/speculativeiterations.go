package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// IterationTimeline shows what became of the rows of every verification forward
// (contract 09, V10): one column an iteration, from below the guaranteed token, the
// accepted drafts, the target's own token (a correction, a bonus, or its only one),
// and the rejected drafts. One lane a request, or one for a workload without
// requests. Columns are as wide as iterations last when they have times, otherwise
// equally wide.
//
// A lane with more iterations than a third of its pixels is reduced: a column is
// then the mean over the iterations that begin in it.
type IterationTimeline struct {
	Source
	Family   string // with its support when that is not a release
	Lanes    []IterationLane
	Timed    bool // columns stand at run times in ns, otherwise at ordinals
	MaxLanes int  // 0: 40
}

// IterationLane is one sequence's iterations.
type IterationLane struct {
	ID    string // of the request; empty for a workload without requests
	Steps []IterationStep
}

// IterationStep is one iteration. Rows are token counts.
type IterationStep struct {
	From, To                        float64 // ns, or ordinals
	ProposedTo                      float64 // end of the proposer step; From without one
	Guaranteed, Accepted, Own, Lost float64
	Correction                      float64 // share of Own that is corrections
	Bonus                           float64 // share of Own that is bonuses
}

func (s *IterationStep) width() float64 { return s.Guaranteed + s.Accepted + s.Own + s.Lost }

// lanes are those that are drawn.
func (f IterationTimeline) lanes() []IterationLane {
	most := f.MaxLanes
	if most <= 0 {
		most = 40
	}
	return f.Lanes[:min(most, len(f.Lanes))]
}

// extent is the end of the x axis and the widest forward.
func (f IterationTimeline) extent() (end, widest float64, steps int) {
	for _, l := range f.lanes() {
		steps += len(l.Steps)
		for i := range l.Steps {
			end, widest = math.Max(end, l.Steps[i].To), math.Max(widest, l.Steps[i].width())
		}
	}
	return end, widest, steps
}

// columnsOf is how many columns a lane may have at a width.
func columnsOf(width float64) int { return max(int((width-60)/3), 1) }

// Text gives the figure's words.
func (f IterationTimeline) Text() Text {
	t := f.words()
	t.What = "Rows of every verification forward, " + f.Family
	_, _, steps := f.extent()
	if steps == 0 {
		t.Title, t.Empty = "No iteration", "No iteration was run: nothing was decoded speculatively."
		return t
	}
	var rows, lost, committed float64
	longest := 0
	for _, l := range f.lanes() {
		longest = max(longest, len(l.Steps))
		for i := range l.Steps {
			s := &l.Steps[i]
			rows, lost, committed = rows+s.width(), lost+s.Lost, committed+s.Guaranteed+s.Accepted+s.Own
		}
	}
	t.Title = fmt.Sprintf("%s rejected; a forward commits %s tokens on average", unit.Percent(lost/math.Max(1, rows))+" of verified rows are",
		unit.Number(committed/float64(steps)))
	t.Alt = fmt.Sprintf("%s commit %s; rejected drafts took %s of the verified rows.",
		unit.Plural(int64(steps), "iteration"), unit.Plural(int64(committed), "token"), unit.Count(int64(lost)))
	t.Caption = "Full-proposal coordinate: the guaranteed token is the target's own and never counted as an accepted draft."
	if f.Timed {
		t.Caption += " A column is as wide as its iteration lasts."
	}
	if f.strip(DefaultWidth) {
		t.Caption += " The strip above shows the proposer's part of it. Rollbacks are reported and take no modeled time."
	}
	if longest > columnsOf(DefaultWidth) {
		t.Caption += fmt.Sprintf(" %s iterations: columns three pixels wide show means.", unit.Count(int64(longest)))
	}
	if n := len(f.Lanes); n > len(f.lanes()) {
		t.Caption += fmt.Sprintf(" The first %d of %s requests to arrive.", len(f.lanes()), unit.Count(int64(n)))
	}
	return t
}

// SVG renders the figure.
func (f IterationTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f IterationTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f IterationTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row an iteration.
func (f IterationTimeline) Table() Table {
	type place struct{ lane, step int }
	var places []place
	for l, lane := range f.lanes() {
		for s := range lane.Steps {
			places = append(places, place{l, s})
		}
	}
	at := ""
	if f.Timed {
		at = "ns"
	}
	return Table{
		Columns: []Column{{"request", "", false}, {"iteration", "", true}, {"from", at, true}, {"to", at, true}, {"guaranteed", "tokens", true},
			{"accepted", "tokens", true}, {"own", "tokens", true}, {"rejected", "tokens", true}, {"outcome", "", false}},
		Len: len(places),
		Row: func(i int) []string {
			lane := f.lanes()[places[i].lane]
			s := &lane.Steps[places[i].step]
			return append(append([]string{lane.ID}, decimals(int64(places[i].step), int64(s.From), int64(s.To),
				int64(s.Guaranteed), int64(s.Accepted), int64(s.Own), int64(s.Lost))...), s.outcome())
		},
	}
}

// outcome names a single iteration's outcome.
func (s *IterationStep) outcome() string {
	switch {
	case s.Own == 0:
		return "accepted_tail"
	case s.Correction > 0:
		return "correction"
	case s.Bonus > 0:
		return "bonus"
	}
	return "target_only"
}

// strip says whether the proposer's part is drawn: for one timed lane whose columns
// are iterations.
func (f IterationTimeline) strip(width float64) bool {
	lanes := f.lanes()
	return f.Timed && len(lanes) == 1 && len(lanes[0].Steps) <= columnsOf(width)
}

const laneHeight = 26.0 // px of one of several lanes

func (f IterationTimeline) plotHeight(float64) float64 {
	n := float64(len(f.lanes()))
	if n == 1 {
		return keyLineHeight + 220
	}
	return 2*keyLineHeight + nameHeight + laneHeight*n + tickHeight + xNameSpace + 4
}

func (f IterationTimeline) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	c = drawKeys(c, f.keys(width))
	end, widest, _ := f.extent()
	lanes := f.lanes()
	p := panel{noGridX: true}
	if f.Timed {
		p.x = timeAxis(0, end, width)
	} else {
		p.x = countAxis("Iteration", end, width-60, xTickSpace)
	}
	stack := newIterationStack()
	for _, l := range lanes {
		stack.join = stack.join || len(l.Steps) > columnsOf(width)
	}
	if len(lanes) == 1 {
		p.y = countAxis("Rows of the target forward", widest*1.12, (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)
		stack.add(lanes[0].reduced(end, columnsOf(width)), 0, 1, widest, f.strip(width))
	} else {
		p.y = axis{max: float64(len(lanes)), name: "Rows of the target forward by request, first arrival on top"}
		p.left, p.right = 14, 16
		for i, l := range lanes {
			p.left = math.Max(p.left, widthOf(plain(textSize), elide(l.ID, plain(textSize), width*0.25))+10)
			stack.add(l.reduced(end, columnsOf(width)), float64(len(lanes)-1-i), 0.82/widest, widest, false)
		}
		p.marks = append(p.marks, laneNames(lanes))
	}
	p.marks = append(stack.plotters(), p.marks...)
	p.draw(c)
}

func (f IterationTimeline) keys(width float64) []key {
	keys := []key{{ink: Accepted, label: "accepted draft"}, {ink: Correction, label: "correction"}, {ink: Bonus, label: "bonus"},
		{ink: Rejected, label: "rejected draft"}, {ink: Decode, label: "guaranteed or target-only"}}
	if f.strip(width) {
		keys = append(keys, key{ink: Sidecar, label: "proposing"})
	}
	return keys
}

// reduced gives a lane at most so many columns over [0, end).
func (l IterationLane) reduced(end float64, columns int) []IterationStep {
	if len(l.Steps) <= columns {
		return l.Steps
	}
	out := make([]IterationStep, 0, columns)
	for i := 0; i < len(l.Steps); {
		column := math.Floor(l.Steps[i].From / end * float64(columns))
		to := (column + 1) * end / float64(columns)
		mean := IterationStep{From: column * end / float64(columns), To: to}
		n := 0.0
		for ; i < len(l.Steps) && (n == 0 || l.Steps[i].From < to); i++ {
			s := &l.Steps[i]
			n++
			mean.Guaranteed += s.Guaranteed
			mean.Accepted += s.Accepted
			mean.Lost += s.Lost
			mean.Own += s.Own
			mean.Correction += s.Correction * s.Own
			mean.Bonus += s.Bonus * s.Own
		}
		if mean.Own > 0 {
			mean.Correction, mean.Bonus = mean.Correction/mean.Own, mean.Bonus/mean.Own
		}
		mean.Guaranteed, mean.Accepted, mean.Own, mean.Lost = mean.Guaranteed/n, mean.Accepted/n, mean.Own/n, mean.Lost/n
		mean.ProposedTo = mean.From
		out = append(out, mean)
	}
	return out
}

// stepsDetailed is how many iterations of a lane tell of themselves on hover.
const stepsDetailed = 300

// about tells of the i-th iteration.
func (s *IterationStep) about(i int) string {
	text := fmt.Sprintf("iteration %s: %s guaranteed, %s accepted, %s rejected", unit.Count(int64(i)), unit.Number(s.Guaranteed), unit.Number(s.Accepted), unit.Number(s.Lost))
	switch {
	case s.Correction > 0:
		return text + ", then a correction"
	case s.Bonus > 0:
		return text + ", then a bonus"
	case s.Own > 0:
		return text + ", then a target-only token"
	}
	return text + ", all accepted up to the end"
}

// iterationStack collects the boxes of all lanes, one path an ink.
type iterationStack struct {
	target, accepted, correction, bonus, rejected, proposing boxes
	join                                                     bool // columns stand for several iterations: no gaps
}

func newIterationStack() *iterationStack {
	of := func(ink Ink) boxes { return boxes{ink: ink, inset: 0.7, minWidth: 0.5} }
	s := &iterationStack{of(Decode), of(Accepted), of(Correction), of(Bonus), of(Rejected), of(Sidecar), false}
	s.proposing.inset = 0
	return s
}

// add stacks a lane's steps on a base line; scale is the height of a token. A
// timed single lane has a strip above its widest forward.
func (k *iterationStack) add(steps []IterationStep, base, scale, widest float64, strip bool) {
	for i := range steps {
		s := &steps[i]
		y, about := base, ""
		if len(steps) <= stepsDetailed && !k.join {
			about = s.about(i)
		}
		pile := func(b *boxes, tokens float64) {
			if tokens > 0 {
				b.spans = append(b.spans, box{s.From, y, s.To, y + tokens*scale, about})
				y += tokens * scale
			}
		}
		pile(&k.target, s.Guaranteed)
		pile(&k.accepted, s.Accepted)
		pile(&k.correction, s.Own*s.Correction)
		pile(&k.bonus, s.Own*s.Bonus)
		pile(&k.target, s.Own*(1-s.Correction-s.Bonus))
		pile(&k.rejected, s.Lost)
		if strip && s.ProposedTo > s.From {
			k.proposing.spans = append(k.proposing.spans, box{s.From, widest * 1.04, s.ProposedTo, widest * 1.1, about})
		}
	}
}

func (k *iterationStack) plotters() []plot.Plotter {
	list := []boxes{k.target, k.accepted, k.correction, k.bonus, k.rejected, k.proposing}
	marks := make([]plot.Plotter, len(list))
	for i, b := range list {
		if k.join {
			b.inset = 0
		}
		marks[i] = b
	}
	return marks
}

// laneNames writes the ids beside their lanes.
type laneNames []IterationLane

// Plot draws nothing that could be stretched.
func (l laneNames) Plot(draw.Canvas, *plot.Plot) {}

func (l laneNames) group() string { return "fixed" }

func (l laneNames) over(c draw.Canvas, g *plot.Plot) {
	_, ty := g.Transforms(&c)
	room := math.Max(c.Min.X.Points()-8, 40)
	for i, lane := range l {
		y := ty(float64(len(l)-1-i) + 0.41)
		put(c, plain(textSize), inkText, c.Min.X-8, y-4, right, elide(lane.ID, plain(textSize), room))
	}
}
