package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// PrefixHistogram counts iterations by the number of additional tokens that they
// accepted; the mean is marked (contract 09, V10).
type PrefixHistogram struct {
	Source
	Family string
	Counts []int64 // by accepted additional tokens, from 0 to the width
}

func (f PrefixHistogram) total() (iterations int64, mean float64) {
	var tokens float64
	for a, n := range f.Counts {
		iterations += n
		tokens += float64(float64(a) * float64(n))
	}
	return iterations, tokens / math.Max(1, float64(iterations))
}

// bins is how many accepted lengths one bar stands for.
func (f PrefixHistogram) bins() int { return (len(f.Counts) + 63) / 64 }

// Text gives the figure's words.
func (f PrefixHistogram) Text() Text {
	t := f.words()
	t.What = "Iterations by accepted additional tokens, " + f.Family
	n, mean := f.total()
	if n == 0 {
		t.Title, t.Empty = "No iteration", "No iteration was run."
		return t
	}
	last := len(f.Counts) - 1
	t.Title = fmt.Sprintf("%s of %s drafted tokens are accepted on average; nothing in %s of iterations",
		unit.Number(mean), unit.Count(int64(last)), unit.Percent(float64(f.Counts[0])/float64(n)))
	t.Alt = fmt.Sprintf("%s; the whole width of %s was accepted in %s.", unit.Plural(n, "iteration"), unit.Count(int64(last)), unit.Count(f.Counts[last]))
	t.Caption = "Additional-draft coordinate: the guaranteed token is not counted. Iterations without a proposal count as 0."
	if k := f.bins(); k > 1 {
		t.Caption += fmt.Sprintf(" A bar stands for %d lengths.", k)
	}
	return t
}

// SVG renders the figure.
func (f PrefixHistogram) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f PrefixHistogram) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f PrefixHistogram) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a length.
func (f PrefixHistogram) Table() Table {
	return Table{
		Columns: []Column{{"accepted additional tokens", "tokens", true}, {"iterations", "", true}},
		Len:     len(f.Counts),
		Row:     func(i int) []string { return decimals(int64(i), f.Counts[i]) },
	}
}

func (f PrefixHistogram) plotHeight(float64) float64 { return 220 }

func (f PrefixHistogram) paint(c draw.Canvas) {
	k := f.bins()
	bars, top := boxes{ink: Accepted, minWidth: 1}, 0.0
	for i := 0; i < len(f.Counts); i += k {
		var n int64
		for _, v := range f.Counts[i:min(i+k, len(f.Counts))] {
			n += v
		}
		bars.spans = append(bars.spans, box{float64(i) + 0.1*float64(k), 0, float64(i) + 0.9*float64(k), float64(n), prefixAbout(i, min(i+k, len(f.Counts))-1, n)})
		top = math.Max(top, float64(n))
	}
	_, mean := f.total()
	p := panel{x: positionAxis("Accepted additional tokens", len(f.Counts), 0), noGridX: true,
		y: countAxis("Iterations", top*1.15, (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)}
	p.marks = []plot.Plotter{bars, meanLine{mean + 0.5, "mean " + unit.Number(mean)}}
	p.draw(c)
}

// prefixAbout tells of the iterations with so many accepted tokens.
func prefixAbout(from, to int, n int64) string {
	if from == to {
		return fmt.Sprintf("%s accepted: %s", unit.Plural(int64(from), "token"), unit.Plural(n, "iteration"))
	}
	return fmt.Sprintf("%d to %d tokens accepted: %s", from, to, unit.Plural(n, "iteration"))
}

// meanLine is a labelled upright line.
type meanLine struct {
	x     float64
	label string
}

// Plot draws the line and its name at the side that has room.
func (m meanLine) Plot(c draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&c)
	x := crisp(tx(m.x))
	stroke(c, inkText, 1.25, segment(x, c.Min.Y, x, c.Max.Y), 5, 3)
	a, dx := left, vg.Length(6)
	if x > c.Center().X {
		a, dx = right, -6
	}
	label(c, x+dx, c.Max.Y-12, a, inkText, m.label)
}
