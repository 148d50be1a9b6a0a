package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is a position in data coordinates.
type point struct{ x, y float64 }

// band is a filled area between two step functions that share their instants: at
// at[i] the band spans low[i] to high[i] until at[i+1]; the last span ends at end.
type band struct {
	at        []float64
	low, high []float64 // low nil: 0
	end       float64
	ink       Ink
	about     string // its details; empty: none
	batches   bool   // it stands for batches over run time
}

// Plot draws the band.
func (b band) Plot(c draw.Canvas, g *plot.Plot) {
	if len(b.at) == 0 {
		return
	}
	tx, ty := g.Transforms(&c)
	clampX := func(v float64) vg.Length { return tx(math.Min(math.Max(v, g.X.Min), g.X.Max)) }
	clampY := func(v float64) vg.Length { return ty(math.Min(math.Max(v, g.Y.Min), g.Y.Max)) }
	var p vg.Path
	p.Move(vg.Point{X: clampX(b.at[0]), Y: clampY(b.lower(0))})
	for i, x := range b.at {
		y := clampY(b.high[i])
		p.Line(vg.Point{X: clampX(x), Y: y})
		p.Line(vg.Point{X: clampX(b.until(i)), Y: y})
	}
	for i := len(b.at) - 1; i >= 0; i-- {
		y := clampY(b.lower(i))
		p.Line(vg.Point{X: clampX(b.until(i)), Y: y})
		p.Line(vg.Point{X: clampX(b.at[i]), Y: y})
		if b.low == nil {
			p = p[:len(p)-1]
			p[len(p)-1] = vg.PathComp{Type: vg.LineComp, Pos: vg.Point{X: clampX(b.end), Y: y}}
			break
		}
	}
	p.Close()
	if b.batches {
		joined(c, b.about, markedAll, func() { fill(c, b.ink, p) })
		return
	}
	detailed(c, b.about, func() { fill(c, b.ink, p) })
}

// detailed draws a mark, with details when it has any.
func detailed(c draw.Canvas, about string, paint func()) {
	if about == "" {
		paint()
		return
	}
	marked(c, about, paint)
}

func (b band) lower(i int) float64 {
	if b.low == nil {
		return 0
	}
	return b.low[i]
}

func (b band) until(i int) float64 {
	if i+1 < len(b.at) {
		return b.at[i+1]
	}
	return b.end
}

// line is a polyline; with step, each value holds until the next x.
type line struct {
	points []point
	step   bool
	ink    Ink
	width  float64
	dash   []vg.Length
	about  string // its details; empty: none
}

// Plot draws the line.
func (l line) Plot(c draw.Canvas, g *plot.Plot) {
	if len(l.points) == 0 {
		return
	}
	tx, ty := g.Transforms(&c)
	var p vg.Path
	at := func(q point) vg.Point { return vg.Point{X: tx(q.x), Y: ty(q.y)} }
	p.Move(at(l.points[0]))
	for i, q := range l.points[1:] {
		if l.step {
			p.Line(at(point{q.x, l.points[i].y}))
		}
		p.Line(at(q))
	}
	detailed(c, l.about, func() { stroke(c, l.ink, l.width, p, l.dash...) })
}

// boxes are rectangles of one ink in data coordinates, each at least minWidth px
// wide so that none vanishes.
type boxes struct {
	spans    []box
	ink      Ink
	minWidth float64
	inset    float64 // px taken off the right, so that neighbours stay apart
	batches  bool    // each is a batch, from x0 to x1 in ns of run time
}

// box is a rectangle; boxes that say something about themselves are marks of their own.
type box struct {
	x0, y0, x1, y1 float64
	about          string
}

// mostDetailed is how many rectangles of a drawing tell of themselves; beyond it they
// are one path, so that a page stays small.
const mostDetailed = 1200

// Plot draws the rectangles without details as one path.
func (b boxes) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	var p vg.Path
	_, hover := svgOf(c)
	hover = hover && len(b.spans) <= mostDetailed
	for _, s := range b.spans {
		if s.x1 < g.X.Min || s.x0 > g.X.Max || s.y0 == s.y1 {
			continue
		}
		x0, x1 := tx(math.Max(s.x0, g.X.Min)), tx(math.Min(s.x1, g.X.Max))
		if w := x1 - x0; w > vg.Length(b.minWidth+b.inset) {
			x1 -= vg.Length(b.inset)
		} else if w < vg.Length(b.minWidth) {
			x1 = x0 + vg.Length(b.minWidth)
		}
		if hover && s.about != "" {
			paint := func() { fill(c, b.ink, rect(x0, ty(s.y0), x1, ty(s.y1))) }
			if b.batches {
				joined(c, s.about, markedBatch+spell(Span{int64(s.x0), int64(s.x1)}), paint)
			} else {
				marked(c, s.about, paint)
			}
			continue
		}
		addRect(&p, x0, ty(s.y0), x1, ty(s.y1))
	}
	if len(p) > 0 {
		fill(c, b.ink, p)
	}
}

// reference is a horizontal line with its label at the right end, above it.
type reference struct {
	y     float64
	label string
	ink   Ink
	dash  []vg.Length
	below bool // label under the line
}

// Plot draws nothing that could be stretched.
func (r reference) Plot(draw.Canvas, *plot.Plot) {}

func (r reference) group() string { return "fixed" }

// over draws the line when it lies in range.
func (r reference) over(c draw.Canvas, g *plot.Plot) {
	if r.y < g.Y.Min || r.y > g.Y.Max {
		return
	}
	_, ty := g.Transforms(&c)
	y := crisp(ty(r.y))
	stroke(c, r.ink, 1, segment(c.Min.X, y, c.Max.X, y), r.dash...)
	dy := vg.Length(4)
	if r.below {
		dy = -13
	}
	label(c, c.Max.X-2, y+dy, right, r.ink, r.label)
}

// label writes text on a patch of ground, so that marks under it do not disturb.
func label(c draw.Canvas, x, y vg.Length, a align, ink Ink, text string) {
	text = elide(text, plain(textSize), (c.Max.X - c.Min.X).Points())
	w := vg.Length(widthOf(plain(textSize), text))
	x0 := x
	switch a {
	case middle:
		x0 -= w / 2
	case right:
		x0 -= w
	}
	fill(c, Ground.Faint(0.8), rect(x0-2, y-3, x0+w+2, y+10))
	put(c, plain(textSize), ink, x0, y, left, text)
}
