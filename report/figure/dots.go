package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dots are points of one ink. Points that fall on the same half pixel are drawn
// once, so a picture of a hundred thousand samples stays as small as it looks.
type dots struct {
	points []point
	ink    Ink
	radius float64
}

// Plot draws the dots that lie in range as one path.
func (d dots) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	drawn := make(map[[2]int]bool, len(d.points))
	var p vg.Path
	for _, q := range d.points {
		if q.x < g.X.Min || q.x > g.X.Max || q.y < g.Y.Min || q.y > g.Y.Max {
			continue
		}
		x, y := tx(q.x), ty(q.y)
		cell := [2]int{int(math.Round(2 * x.Points())), int(math.Round(2 * y.Points()))}
		if drawn[cell] {
			continue
		}
		drawn[cell] = true
		p = append(p, circle(x, y, vg.Length(d.radius))...)
	}
	if len(p) > 0 {
		fill(c, d.ink, p)
	}
}

// shade marks a range of x over the whole height of a panel.
type shade struct {
	from, to float64
	ink      Ink
}

// Plot paints the range.
func (s shade) Plot(c draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&c)
	from, to := math.Max(s.from, g.X.Min), math.Min(s.to, g.X.Max)
	if to > from {
		fill(c, s.ink, rect(tx(from), c.Min.Y, tx(to), c.Max.Y))
	}
}

// whisker is a vertical span with short ends.
type whisker struct {
	x, low, high float64
	ink          Ink
}

// Plot draws the span.
func (w whisker) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	x, y0, y1 := crisp(tx(w.x)), ty(w.low), ty(w.high)
	p := segment(x, y0, x, y1)
	p = append(p, segment(x-3, y0, x+3, y0)...)
	p = append(p, segment(x-3, y1, x+3, y1)...)
	stroke(c, w.ink, 1, p)
}

// signedPercentAxis is a linear axis of fractions around 0, labelled in percent.
func signedPercentAxis(name string, most, pixels, space float64) axis {
	if most <= 0 {
		most = 0.001
	}
	return axis{min: -most, max: most, name: name + ", %", ticks: linearTicks(-most, most, 0.01, pixels, space, false)}
}
