package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// WidthCurve shows a figure of merit against the additional width, one line a
// proposer family (contract 09, V10): committed tokens per target forward, or the
// speedup over target-only decoding, where the best width pays most.
type WidthCurve struct {
	Source
	Measure string  // y, for example "Committed tokens per target forward"
	Break   float64 // value at which speculation neither gains nor loses; 0: none
	Lines   []WidthLine
}

// WidthLine is one family.
type WidthLine struct {
	Family string
	Points []WidthPoint // by width, ascending
}

// WidthPoint is one run.
type WidthPoint struct {
	Width int64
	Value float64
}

// best finds the largest value, at the smallest width that has it.
func (f WidthCurve) best() (family string, at WidthPoint, any bool) {
	for _, l := range f.Lines {
		for _, p := range l.Points {
			if !any || p.Value > at.Value {
				family, at, any = l.Family, p, true
			}
		}
	}
	return family, at, any
}

// Text gives the figure's words.
func (f WidthCurve) Text() Text {
	t := f.words()
	t.What = f.Measure + " against the additional width"
	family, at, any := f.best()
	if !any {
		t.Title, t.Empty = "No run", "No width was run."
		return t
	}
	t.Title = fmt.Sprintf("%s is best at width %d: %s", family, at.Width, unit.Number(at.Value))
	t.Alt = fmt.Sprintf("%s of %s; the largest is %s, of %s at width %d.", f.Measure, unit.Count(int64(len(f.Lines)))+" families",
		unit.Number(at.Value), family, at.Width)
	t.Caption = "Dots: best width of each family."
	if f.Break > 0 {
		t.Caption += " Thin line: break-even, where speculation neither gains nor loses."
	}
	return t
}

// SVG renders the figure.
func (f WidthCurve) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f WidthCurve) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f WidthCurve) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a point.
func (f WidthCurve) Table() Table {
	var rows [][]string
	for _, l := range f.Lines {
		for _, p := range l.Points {
			rows = append(rows, []string{l.Family, strconv.FormatInt(p.Width, 10), exact(p.Value)})
		}
	}
	return Table{
		Columns: []Column{{"family", "", false}, {"width", "tokens", true}, {f.Measure, "", true}},
		Len:     len(rows),
		Row:     func(i int) []string { return rows[i] },
	}
}

func (f WidthCurve) plotHeight(float64) float64 { return 260 + 2*keyLineHeight }

// familyLooks tell lines apart by ink and dash.
var familyLooks = []struct {
	ink  Ink
	dash []vg.Length
}{{Series, nil}, {Sidecar, nil}, {Prefill, nil}, {Series, []vg.Length{5, 3}}, {Sidecar, []vg.Length{5, 3}}, {Prefill, []vg.Length{5, 3}}}

func (f WidthCurve) paint(c draw.Canvas) {
	var keys []key
	for i, l := range f.Lines {
		look := familyLooks[i%len(familyLooks)]
		shape := keyLine
		if look.dash != nil {
			shape = keyHeavyDash
		}
		keys = append(keys, key{ink: look.ink, label: l.Family, shape: shape})
	}
	c = drawKeys(c, keys)
	last, top := int64(1), f.Break
	for _, l := range f.Lines {
		for _, p := range l.Points {
			last, top = max(last, p.Width), math.Max(top, p.Value)
		}
	}
	width, height := (c.Max.X - c.Min.X).Points(), (c.Max.Y - c.Min.Y).Points()
	top *= 1.1
	p := panel{x: axis{max: float64(last), name: "Additional width (tokens drafted a proposal)", ticks: linearTicks(0, float64(last), 1, width-60, xTickSpace, true)},
		y: axis{max: top, name: f.Measure, ticks: linearTicks(0, top, 1, height-60, yTickSpace, false)}}
	for i, l := range f.Lines {
		look := familyLooks[i%len(familyLooks)]
		p.marks = append(p.marks, l.curve(look.ink, look.dash), dotsOf(l, look.ink))
	}
	if f.Break > 0 {
		p.marks = append(p.marks, breakEven(f.Break))
	}
	p.draw(c)
}

func (l WidthLine) curve(ink Ink, dash []vg.Length) line {
	out := line{ink: ink, width: 2, dash: dash}
	for _, p := range l.Points {
		out.points = append(out.points, point{float64(p.Width), p.Value})
	}
	return out
}

// bestDot marks a family's best width.
type bestDot struct {
	at   point
	ink  Ink
	text string
}

func dotsOf(l WidthLine, ink Ink) bestDot {
	_, at, _ := WidthCurve{Lines: []WidthLine{l}}.best()
	return bestDot{point{float64(at.Width), at.Value}, ink, fmt.Sprintf("%s: best at width %d, %s", l.Family, at.Width, unit.Number(at.Value))}
}

// Plot draws the dot.
func (d bestDot) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	marked(c, d.text, func() { fill(c, d.ink, circle(tx(d.at.x), ty(d.at.y), 4)) })
}

// breakEven is a thin line with its name below it, away from the ends, where lines
// of families are likely to cross it.
type breakEven float64

// Plot draws line and name.
func (b breakEven) Plot(c draw.Canvas, g *plot.Plot) {
	_, ty := g.Transforms(&c)
	y := crisp(ty(float64(b)))
	stroke(c, Muted, 1, segment(c.Min.X, y, c.Max.X, y), 2, 2)
	label(c, c.Min.X+(c.Max.X-c.Min.X)/3, y-14, left, Muted, "break-even")
}
