package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// RankBars shows how long each rank lived and how it ended: one bar a rank from 0 to
// its terminal time in the style of its state, with rules at the fault, at the
// quiescence and at the abort deadline (contract 09, V15).
type RankBars struct {
	Source
	Rows       []RankBar
	FaultName  string // empty: no fault
	FaultNs    int64
	QuiescedNs int64
	DeadlineNs int64 // 0: no deadline
	DrainedNs  int64 // end of the surviving work without a deadline; 0: unknown
	State      trace.Status
	MaxRows    int // 0: 64
}

// RankBar is one rank of RankBars.
type RankBar struct {
	Rank, Execution string
	Node            string
	Dead            bool // on the failed node
	Status          trace.Status
	FromNs          int64 // admission of its execution
	TerminalNs      int64
}

var statusStyles = []struct {
	status trace.Status
	ink    Ink
	shape  keyShape
}{{trace.Succeeded, Accepted, keyBox}, {trace.Aborted, Waiting, keyHatch}, {trace.Failed, Fault, keyOutline}}

// counts is the number of ranks by state, in the order of statusStyles.
func (f *RankBars) counts() (n [3]int64) {
	for _, r := range f.Rows {
		for i, s := range statusStyles {
			if r.Status == s.status {
				n[i]++
			}
		}
	}
	return n
}

func (f *RankBars) drawn() []RankBar {
	most := f.MaxRows
	if most <= 0 {
		most = defaultPlanRows
	}
	return f.Rows[:min(most, len(f.Rows))]
}

// Text gives the figure's words.
func (f RankBars) Text() Text {
	t := f.words()
	t.What = "Terminal time and state of each rank"
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "No rank", "No rank took part in this execution."
		return t
	}
	n := f.counts()
	if f.FaultName == "" {
		t.Title = fmt.Sprintf("All %s succeed without a fault", unit.Plural(int64(len(f.Rows)), "rank"))
		t.Alt = fmt.Sprintf("No fault: %s, the last completion at %s.", unit.Plural(int64(len(f.Rows)), "rank"), dur(f.last()))
		return t
	}
	t.Title = fmt.Sprintf("%s: %s fail, %s abort, %s succeed", capital(brief(f.FaultName)), unit.Count(n[2]), unit.Count(n[1]), unit.Count(n[0]))
	t.Alt = fmt.Sprintf("%s at %s; quiesced at %s, ended by %s; of %s %s failed, %s aborted, %s succeeded.", capital(brief(f.FaultName)), dur(f.FaultNs),
		dur(f.QuiescedNs), f.ended(), unit.Plural(int64(len(f.Rows)), "rank"), unit.Count(n[2]), unit.Count(n[1]), unit.Count(n[0]))
	t.Caption = "Bold: ranks of the failed item. A rank on a failed node ends at the fault; an aborted one when its execution quiesces."
	if drawn := len(f.drawn()); drawn < len(f.Rows) {
		t.Caption = fmt.Sprintf("Showing the first %d of %s. ", drawn, unit.Plural(int64(len(f.Rows)), "rank")) + t.Caption
	}
	return t
}

// ended says what ended the quiescence.
func (f *RankBars) ended() string {
	if f.DeadlineNs > 0 && f.QuiescedNs >= f.DeadlineNs {
		if f.DrainedNs > f.DeadlineNs {
			return "the deadline: surviving work would have drained at " + dur(f.DrainedNs)
		}
		return "the deadline"
	}
	return "the end of the surviving work"
}

// last is the latest instant of the figure.
func (f *RankBars) last() int64 {
	last := max(f.FaultNs, f.QuiescedNs, f.DeadlineNs)
	for _, r := range f.Rows {
		last = max(last, r.TerminalNs)
	}
	return last
}

// SVG renders the figure.
func (f RankBars) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f RankBars) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f RankBars) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a rank.
func (f RankBars) Table() Table {
	return Table{
		Columns: []Column{{"execution", "", false}, {"rank", "", false}, {"node", "", false}, {"state", "", false}, {"terminal", "ns", true}},
		Len:     len(f.Rows),
		Row: func(i int) []string {
			r := f.Rows[i]
			return append([]string{r.Execution, r.Rank, r.Node, string(r.Status)}, decimals(r.TerminalNs)...)
		},
	}
}

func (f *RankBars) keys() []key {
	var keys []key
	n := f.counts()
	for i, s := range statusStyles {
		if n[i] > 0 {
			keys = append(keys, key{ink: s.ink, label: string(s.status), shape: s.shape})
		}
	}
	return keys
}

// rules are the instants that are marked, in order of their labels' priority.
func (f *RankBars) rules() []PlanFault {
	if f.FaultName == "" {
		return nil
	}
	list := []PlanFault{{f.FaultNs, "fault " + dur(f.FaultNs)}}
	if f.DeadlineNs > 0 {
		list = append(list, PlanFault{f.DeadlineNs, "abort deadline " + dur(f.DeadlineNs)})
	}
	if f.QuiescedNs != f.FaultNs && f.QuiescedNs != f.DeadlineNs {
		list = append(list, PlanFault{f.QuiescedNs, "quiesced " + dur(f.QuiescedNs)})
	}
	return list
}

func (f RankBars) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + 8 + textLine*float64(len(f.rules())) +
		planRowHeight*float64(len(f.drawn())) + tickHeight + xNameSpace
}

func (f RankBars) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	width := (c.Max.X - c.Min.X).Points()
	rows := f.drawn()
	names := 0.0
	for _, r := range rows {
		names = math.Max(names, widthOf(strong(textSize), elide(r.name(), strong(textSize), width*0.3)))
	}
	p := panel{x: timeAxis(0, float64(f.last())*1.05, width-names), left: names + 12, right: 16,
		head: textLine * float64(len(f.rules())), y: axis{max: float64(len(rows))}}
	p.marks = []plot.Plotter{rankRows{&f, rows, width * 0.3}}
	p.draw(c)
}

func (r *RankBar) name() string {
	return strings.Trim(r.Execution+" "+r.Rank, " ")
}

// rankRows draws the bars, the first on top.
type rankRows struct {
	f    *RankBars
	rows []RankBar
	room float64
}

// Plot draws bars and rules.
func (p rankRows) Plot(c draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&c)
	step := (c.Max.Y - c.Min.Y) / vg.Length(max(1, len(p.rows)))
	for i, r := range p.rows {
		y := c.Max.Y - step*vg.Length(float64(i)+0.5)
		x0 := tx(clampTo(float64(r.FromNs), g.X.Min, g.X.Max))
		x := max(tx(clampTo(float64(r.TerminalNs), g.X.Min, g.X.Max)), x0+1)
		marked(c, fmt.Sprintf("%s: %s at %s", r.name(), r.Status, dur(r.TerminalNs)), func() {
			switch r.Status {
			case trace.Succeeded:
				fill(c, Accepted, rect(x0, y-6, x, y+6))
			case trace.Aborted:
				hatch(c, Waiting, x0+0.5, y-6, x-0.5, y+6)
			default:
				fill(c, Fault.Faint(0.15), rect(x0, y-6, x, y+6))
				stroke(c, Fault, 1.5, rect(x0+0.75, y-6, max(x-0.75, x0+1), y+6))
			}
		})
	}
	for i, n := range p.names(c, g) {
		dash := []vg.Length{4, 3}
		if i == 0 {
			dash = nil
		}
		stroke(c, Fault, 1.5, segment(n.x, c.Min.Y, n.x, c.Max.Y+vg.Length(textLine*float64(n.level)+3)), dash...)
	}
}

// names places the names of the rules.
func (p rankRows) names(c draw.Canvas, g *plot.Plot) []ruleName {
	tx, _ := g.Transforms(&c)
	var xs []vg.Length
	var names []string
	for _, rule := range p.f.rules() {
		xs, names = append(xs, tx(clampTo(float64(rule.AtNs), g.X.Min, g.X.Max))), append(names, rule.Name)
	}
	return nameRules(c, xs, names)
}

func (p rankRows) group() string { return "fixed" }

// over writes the ranks and the names of the rules, each rule on a line of its own.
func (p rankRows) over(c draw.Canvas, g *plot.Plot) {
	step := (c.Max.Y - c.Min.Y) / vg.Length(max(1, len(p.rows)))
	for i, r := range p.rows {
		y := c.Max.Y - step*vg.Length(float64(i)+0.5)
		face := plain(textSize)
		if r.Dead {
			face = strong(textSize)
		}
		put(c, face, inkText, c.Min.X-8, y-4, right, elide(r.name(), face, p.room))
	}
	for _, n := range p.names(c, g) {
		put(c, plain(textSize), Fault, n.from, c.Max.Y+vg.Length(textLine*float64(n.level)+4), left, n.text)
	}
}
