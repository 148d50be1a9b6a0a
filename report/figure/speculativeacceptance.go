package figure

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// AcceptanceBars shows the conditional acceptance of every draft position with its
// 95 % interval, and as outlines the probabilities that the configuration declared
// (contract 09, V10). Positions are additional: the guaranteed token has none.
type AcceptanceBars struct {
	Source
	Family   string
	Rows     []AcceptanceRow
	Declared []float64 // by position; empty when nothing was declared
}

// AcceptanceRow is one draft position.
type AcceptanceRow struct {
	Trials, Accepted int64
	Share            float64 // accepted over trials; 0 without a trial
	Low, High        float64 // ends of its interval
}

// Text gives the figure's words.
func (f AcceptanceBars) Text() Text {
	t := f.words()
	t.What = "Conditional acceptance by draft position, " + f.Family
	if len(f.Rows) == 0 || f.Rows[0].Trials == 0 {
		t.Title, t.Empty = "No draft was verified", "No additional token was proposed, so there is no acceptance to count."
		return t
	}
	first, last := f.Rows[0], f.last()
	t.Title = fmt.Sprintf("The first draft is accepted in %s of its trials", unit.Percent(first.Share))
	if last > 0 {
		t.Title += fmt.Sprintf(", the %s in %s", ordinal(last+1), unit.Percent(f.Rows[last].Share))
	}
	t.Alt = fmt.Sprintf("%s; interval of the first %s to %s over %s.", t.Title, unit.Percent(first.Low), unit.Percent(first.High), unit.Plural(first.Trials, "trial"))
	t.Caption = "Of the iterations that reached a position, the share that accepted it. Whiskers: 95 % Wilson score interval."
	if len(f.Declared) > 0 {
		t.Caption += " Outlines: declared probabilities."
	}
	if len(f.drawn()) < len(f.Rows) {
		t.Caption += fmt.Sprintf(" The first %d of %d positions.", len(f.drawn()), len(f.Rows))
	}
	return t
}

// last is the last position with a trial.
func (f AcceptanceBars) last() int {
	for i := len(f.Rows) - 1; i > 0; i-- {
		if f.Rows[i].Trials > 0 {
			return i
		}
	}
	return 0
}

// drawn are the positions that have room.
func (f AcceptanceBars) drawn() []AcceptanceRow { return f.Rows[:min(len(f.Rows), 32)] }

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// SVG renders the figure.
func (f AcceptanceBars) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f AcceptanceBars) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f AcceptanceBars) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a position.
func (f AcceptanceBars) Table() Table {
	return Table{
		Columns: []Column{{"position", "", true}, {"trials", "", true}, {"accepted", "", true}, {"acceptance", "", true},
			{"interval low", "", true}, {"interval high", "", true}, {"declared", "", true}},
		Len: len(f.Rows),
		Row: func(i int) []string {
			r := f.Rows[i]
			declared := "none"
			if i < len(f.Declared) {
				declared = exact(f.Declared[i])
			}
			share := "none"
			if r.Trials > 0 {
				share = exact(r.Share)
			}
			return append(decimals(int64(i+1), r.Trials, r.Accepted), share, exact(r.Low), exact(r.High), declared)
		},
	}
}

func (f AcceptanceBars) plotHeight(float64) float64 { return 220 + keyLineHeight }

func (f AcceptanceBars) paint(c draw.Canvas) {
	keys := []key{{ink: Accepted, label: "accepted of trials"}, {ink: inkText, label: "95 % interval", shape: keyTick}}
	if len(f.Declared) > 0 {
		keys = append(keys, key{ink: Muted, label: "declared", shape: keyOutline})
	}
	c = drawKeys(c, keys)
	rows := f.drawn()
	p := panel{x: positionAxis("Draft position (additional tokens)", len(rows), 1), noGridX: true,
		y: percentAxis("Accepted of the trials that reached the position", (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)}
	bars := boxes{ink: Accepted, minWidth: 1}
	for i, r := range rows {
		about := fmt.Sprintf("position %d: %s accepted of %s, %s (95 %% interval %s to %s)", i+1, unit.Count(r.Accepted), unit.Plural(r.Trials, "trial"),
			unit.Percent(r.Share), unit.Percent(r.Low), unit.Percent(r.High))
		if i < len(f.Declared) {
			about += ", declared " + unit.Percent(f.Declared[i])
		}
		bars.spans = append(bars.spans, box{float64(i) + 0.2, 0, float64(i) + 0.8, r.Share, about})
	}
	p.marks = []plot.Plotter{bars, outlines{f.Declared[:min(len(f.Declared), len(rows))]}, whiskers(rows)}
	p.draw(c)
}

// positionAxis has one unit a bar, labelled in its middle from first on.
func positionAxis(name string, bars, first int) axis {
	a := axis{max: float64(bars), name: name}
	step := max(1, (bars+15)/16)
	for i := 0; i < bars; i += step {
		a.ticks = append(a.ticks, plot.Tick{Value: float64(i) + 0.5, Label: strconv.Itoa(first + i)})
	}
	return a
}

// outlines are the declared probabilities.
type outlines struct{ heights []float64 }

// Plot draws the outlines.
func (o outlines) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	for i, h := range o.heights {
		stroke(c, Muted, 1.25, rect(tx(float64(i)+0.14), ty(0), tx(float64(i)+0.86), ty(h)), 4, 2)
	}
}

// whiskers are the intervals, with the trials as hover text.
type whiskers []AcceptanceRow

// Plot draws the intervals.
func (w whiskers) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	for i, r := range w {
		if r.Trials == 0 {
			continue
		}
		x := tx(float64(i) + 0.5)
		hover := fmt.Sprintf("position %d: %s of %s accepted, %s (%s to %s)", i+1, unit.Count(r.Accepted), unit.Plural(r.Trials, "trial"),
			unit.Percent(r.Share), unit.Percent(r.Low), unit.Percent(r.High))
		marked(c, hover, func() {
			var p vg.Path
			for _, s := range [][4]vg.Length{{x, ty(r.Low), x, ty(r.High)}, {x - 4, ty(r.Low), x + 4, ty(r.Low)}, {x - 4, ty(r.High), x + 4, ty(r.High)}} {
				p.Move(vg.Point{X: s[0], Y: s[1]})
				p.Line(vg.Point{X: s[2], Y: s[3]})
			}
			stroke(c, inkText, 1.25, p)
		})
	}
}
