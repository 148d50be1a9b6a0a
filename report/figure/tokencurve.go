package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// TokenCurve is the cumulative number of output tokens over time with the average
// rate as a line from the first arrival to the last completion (contract 09, V13).
type TokenCurve struct {
	Source
	AtNs      []int64 // ascending instants at which tokens were emitted
	Tokens    []int64 // emitted up to and including AtNs[i]
	StartNs   int64   // first arrival
	EndNs     int64   // last completion
	PerSecond float64 // average rate, as the result states it
}

// Text gives the figure's words.
func (f TokenCurve) Text() Text {
	t := f.words()
	t.What = "Output tokens emitted up to each instant"
	if len(f.AtNs) == 0 {
		t.Title, t.Empty = "No token was emitted", "No token was emitted in this run."
		return t
	}
	total := f.Tokens[len(f.Tokens)-1]
	t.Title = fmt.Sprintf("%s in %s: %s tokens/s predicted on average",
		unit.Plural(total, "token"), dur(f.EndNs-f.StartNs), unit.Number(f.PerSecond))
	t.Alt = t.Title + "."
	t.Caption = "The dashed line is the average rate from the first arrival to the last completion."
	return t
}

// SVG renders the figure.
func (f TokenCurve) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f TokenCurve) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f TokenCurve) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row an instant.
func (f TokenCurve) Table() Table {
	return Table{
		Columns: []Column{{"at", "ns", true}, {"emitted so far", "tokens", true}},
		Len:     len(f.AtNs),
		Row:     func(i int) []string { return decimals(f.AtNs[i], f.Tokens[i]) },
	}
}

func (f TokenCurve) plotHeight(float64) float64 { return 240 }

func (f TokenCurve) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	from, to := Window{}.over(f.EndNs)
	total := float64(f.Tokens[len(f.Tokens)-1])
	p := panel{x: timeAxis(from, to, width), noGridX: true,
		y: countAxis("Output tokens so far", total*1.08, (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)}
	l := line{ink: Decode, width: 2, step: true, about: fmt.Sprintf("%s by %s", unit.Plural(int64(total), "output token"), dur(f.EndNs))}
	// The curve never falls, so its value at the start of each column is the whole
	// envelope at the resolution of the picture.
	if columns := int(width); len(f.AtNs) > columns {
		e := reduce(f.AtNs, f.Tokens, 0, from, to, columns)
		for i, x := range e.at {
			l.points = append(l.points, point{x, e.low[i]})
		}
	} else {
		xs, ys := stepsWithin(f.AtNs, f.Tokens, 0, from, to)
		for i, x := range xs {
			l.points = append(l.points, point{x, ys[i]})
		}
	}
	l.points = append(l.points, point{to, total})
	average := line{ink: Muted, width: 1, dash: []vg.Length{5, 3},
		points: []point{{float64(f.StartNs), 0}, {float64(f.EndNs), total}}}
	p.marks = []plot.Plotter{average, l, f.averageName(total)}
	p.draw(c)
}

// averageName is the name of the average line, on the side of it where the curve does
// not run: above the line and to its left, unless the curve is ahead of the average
// there.
func (f TokenCurve) averageName(total float64) lineName {
	n := lineName{at: point{float64(f.StartNs) + 0.62*float64(f.EndNs-f.StartNs), 0.62 * total}, label: "average " + unit.Number(f.PerSecond) + " tokens/s"}
	span := float64(f.EndNs - f.StartNs)
	for i, at := range f.AtNs {
		if x := (float64(at) - float64(f.StartNs)) / math.Max(1, span); x > 0.3 && x < 0.64 && float64(f.Tokens[i]) > total*(x+0.03) {
			n.below = true
		}
	}
	return n
}

// lineName is a label beside a point of a rising line: above and to the left of it, or
// below and to the right.
type lineName struct {
	at    point
	label string
	below bool
}

// Plot draws nothing that could be stretched.
func (s lineName) Plot(draw.Canvas, *plot.Plot) {}

func (s lineName) group() string { return "moving" }

// over writes the label.
func (s lineName) over(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	if s.below {
		label(c, tx(s.at.x)+12, ty(s.at.y)-20, left, Muted, s.label)
		return
	}
	label(c, tx(s.at.x)-10, ty(s.at.y)+10, right, Muted, s.label)
}
