package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// axis is a range with its name and ticks. Values stay in base units; only labels
// know of the unit that was chosen.
type axis struct {
	min, max float64
	log      bool
	time     bool    // run time: a page may zoom along it
	size     float64 // ns of the unit of a time axis
	name     string
	ticks    []plot.Tick
}

// Space that one tick label needs, in px.
const (
	xTickSpace = 84.0
	yTickSpace = 34.0
)

// steps are the distances that a linear axis may have between its ticks.
var steps = []float64{1, 2, 5, 10}

// niceStep is the smallest 1, 2 or 5 times a power of ten that gives at most n
// intervals over span.
func niceStep(span float64, n float64) float64 {
	raw := span / math.Max(n, 1)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, s := range steps {
		if s*power >= raw*(1-1e-9) {
			return s * power
		}
	}
	return 10 * power
}

// linearTicks places labelled ticks at multiples of a nice step of the unit, as
// many as have room, and two where the range holds two.
func linearTicks(min, max, size, pixels, space float64, whole bool) []plot.Tick {
	span := (max - min) / size
	if !(span > 0) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: min, Label: unit.Number(min / size)}}
	}
	for intervals := pixels / space; ; intervals *= 1.5 {
		ticks := ticksEvery(min, max, size, niceStep(span, intervals), whole)
		if len(ticks) >= 2 || intervals > 64 {
			return ticks
		}
	}
}

// ticksEvery places ticks at the multiples of a step of the unit, which is at
// least 1 when only whole units make sense.
func ticksEvery(min, max, size, step float64, whole bool) []plot.Tick {
	if whole && step < 1 {
		step = 1
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	var ticks []plot.Tick
	first := math.Ceil(min/size/step - 1e-9)
	for k := first; k*step <= max/size+step*1e-9; k++ {
		v := k * step
		ticks = append(ticks, plot.Tick{Value: v * size, Label: tickLabel(v, decimals)})
	}
	return ticks
}

// tickLabel writes a tick with fixed decimals and grouped thousands.
func tickLabel(v float64, decimals int) string {
	if v == 0 {
		return "0"
	}
	if decimals == 0 && math.Abs(v) < 1<<53 {
		return unit.Count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// logTicks places labelled ticks on a logarithmic axis: 1-2-5 or 1-3 of every decade
// where these have room, otherwise the decades; when they are fewer than two, the ticks
// of a linear axis, and at last the ends of the range.
func logTicks(min, max, pixels, space float64, label func(float64) string) []plot.Tick {
	decades := math.Log10(max / min)
	factors := []float64{1}
	switch {
	case decades < 3 && decades*space*3.2 < pixels:
		factors = []float64{1, 2, 5}
	case decades < 3 && decades*space*1.5 < pixels:
		factors = []float64{1, 3}
	}
	stride := int(math.Max(1, math.Ceil(decades*space*0.8/pixels)))
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(min))); e <= int(math.Ceil(math.Log10(max))); e++ {
		if mod(e, stride) != 0 {
			continue
		}
		for _, f := range factors {
			v := f * math.Pow(10, float64(e))
			if v >= min*(1-1e-9) && v <= max*(1+1e-9) {
				ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
			}
		}
	}
	if len(ticks) >= 2 {
		return ticks
	}
	ticks = linearTicks(min, max, 1, math.Max(pixels, 4*space), space, false)
	for i := range ticks {
		ticks[i].Label = label(ticks[i].Value)
	}
	if len(ticks) >= 2 {
		return ticks
	}
	return []plot.Tick{{Value: min, Label: label(min)}, {Value: max, Label: label(max)}}
}

func mod(a, b int) int { return ((a % b) + b) % b }

// widen gives a range without extent some, so that constant data draw in its middle.
func widen(min, max float64) (float64, float64) {
	if min < max {
		return min, max
	}
	d := math.Max(math.Abs(max)*0.1, 1)
	return min - d, max + d
}

// durationAxis is a linear axis of times in ns.
func durationAxis(name string, min, max, pixels, space float64) axis {
	min, max = widen(min, max)
	s := unit.Pick(unit.Durations, math.Max(math.Abs(min), math.Abs(max)))
	return axis{min: min, max: max, name: name + ", " + s.Name, size: s.Size,
		ticks: linearTicks(min, max, s.Size, pixels, space, s.Size == 1)}
}

// logDurationAxis is a logarithmic axis of times in ns; every label has its unit.
func logDurationAxis(name string, min, max, pixels, space float64) axis {
	return axis{min: min, max: max, log: true, name: name + ", log scale",
		ticks: logTicks(min, max, pixels, space, unit.Duration)}
}

// countAxis is a linear axis of whole numbers from 0.
func countAxis(name string, max, pixels, space float64) axis {
	if max <= 0 {
		max = 1
	}
	s := unit.Pick(unit.Counts, max/10)
	if s.Name != "" {
		name += ", " + s.Name + "s"
	}
	return axis{max: max, name: name, ticks: linearTicks(0, max, s.Size, pixels, space, s.Size == 1)}
}

// bytesAxis is a linear axis of bytes from 0 in a binary unit.
func bytesAxis(name string, max, pixels, space float64) axis {
	if max <= 0 {
		max = 1
	}
	s := unit.Pick(unit.Sizes, max)
	return axis{max: max, name: name + ", " + s.Name,
		ticks: linearTicks(0, max, s.Size, pixels, space, s.Size == 1)}
}

// percentAxis is a linear axis of fractions from 0 to 1, labelled in percent.
func percentAxis(name string, pixels, space float64) axis {
	return axis{max: 1, name: name + ", %", ticks: linearTicks(0, 1, 0.01, pixels, space, true)}
}

// panel is one pair of axes with its marks.
type panel struct {
	x, y        axis
	hideX       bool    // no labels and no name below: another panel under it has them
	left, right float64 // px beside the plot area; 0: what the labels need
	marks       []plot.Plotter
	noGridX     bool
	head        float64 // px between the y axis' name and the area, for labels on lines
}

const (
	nameHeight = 25.0 // the y axis' name above the area
	tickHeight = 18.0 // x labels
	xNameSpace = 18.0 // the x axis' name
)

// leftMargin is the width that the y labels need.
func (p *panel) leftMargin() float64 {
	w := 0.0
	for _, t := range p.y.ticks {
		w = math.Max(w, widthOf(plain(textSize), t.Label))
	}
	return math.Ceil(w) + 10
}

// rightMargin is what the last x label needs beyond the area.
func (p *panel) rightMargin() float64 {
	w := 2.0
	for _, t := range p.x.ticks {
		w = math.Max(w, widthOf(plain(textSize), t.Label)/2*p.fraction(t.Value))
	}
	return math.Ceil(w)
}

// fraction is a rough measure of how near the right end a value is: 1 in the last
// tenth, else 0.
func (p *panel) fraction(v float64) float64 {
	if p.x.max > p.x.min && (v-p.x.min)/(p.x.max-p.x.min) > 0.9 {
		return 1
	}
	return 0
}

// plot is the axis pair as gonum knows it: what plotters transform with.
func (p *panel) plot() *plot.Plot {
	g := plot.New()
	g.X.Min, g.X.Max, g.Y.Min, g.Y.Max = p.x.min, p.x.max, p.y.min, p.y.max
	g.X.Tick.Marker, g.Y.Tick.Marker = plot.ConstantTicks(p.x.ticks), plot.ConstantTicks(p.y.ticks)
	if p.x.log {
		g.X.Scale = plot.LogScale{}
	}
	if p.y.log {
		g.Y.Scale = plot.LogScale{}
	}
	return g
}

// align gives panels that stand above each other the same margins.
func alignPanels(ps ...*panel) {
	l, r := 0.0, 0.0
	for _, p := range ps {
		l, r = math.Max(l, p.leftMargin()), math.Max(r, p.rightMargin())
	}
	for _, p := range ps {
		p.left, p.right = l, r
	}
}

// draw paints axes, grid and marks, the marks clipped by their own care.
func (p *panel) draw(c draw.Canvas) {
	if p.left == 0 {
		p.left, p.right = p.leftMargin(), p.rightMargin()
	}
	below := tickHeight + xNameSpace
	if p.hideX {
		below = 4
	}
	if p.y.name != "" {
		name := elide(p.y.name, plain(textSize), (c.Max.X - c.Min.X).Points())
		put(c, plain(textSize), Muted, c.Min.X, c.Max.Y-13, left, name)
		c.Max.Y -= nameHeight
	} else {
		c.Max.Y -= 8
	}
	c.Max.Y -= vg.Length(p.head)
	area := draw.Crop(c, vg.Length(p.left), vg.Length(-p.right), vg.Length(below), 0)
	g := p.plot()
	p.drawGrid(area, g)
	p.stretched(area, func() {
		for _, m := range p.marks {
			m.Plot(area, g)
		}
	})
	for _, m := range p.marks {
		if o, ok := m.(overlay); ok {
			p.grouped(area, o.group(), func() { o.over(area, g) })
		}
	}
	p.drawBase(area)
	if !p.hideX {
		p.grouped(area, "ticks", func() { p.drawXLabels(c, area, g) })
		p.drawXName(c, area)
	}
}

// overlay is a mark with a part that must not be stretched along a zoomed time
// axis: words and dots. The group "fixed" holds for any zoom, "moving" only for the
// whole range.
type overlay interface {
	group() string
	over(c draw.Canvas, g *plot.Plot)
}

// stretched draws marks into the part of a page's timeline that follows a zoom.
func (p *panel) stretched(area draw.Canvas, paint func()) {
	svg, ok := svgOf(area)
	if !ok || !svg.classes || !p.x.time {
		paint()
		return
	}
	svg.openArea(area.Rectangle, p.x)
	paint()
	svg.closeArea()
}

// grouped names a part of a page's timeline for its script.
func (p *panel) grouped(area draw.Canvas, class string, paint func()) {
	svg, ok := svgOf(area)
	if !ok || !svg.classes || !p.x.time {
		paint()
		return
	}
	svg.openGroup(class)
	paint()
	svg.closeGroup()
}

func (p *panel) drawGrid(area draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&area)
	var grid, upright vg.Path
	for _, t := range p.y.ticks {
		y := crisp(ty(t.Value))
		grid.Move(vg.Point{X: area.Min.X, Y: y})
		grid.Line(vg.Point{X: area.Max.X, Y: y})
	}
	stroke(area, Hairline, 1, grid)
	if !p.noGridX {
		for _, t := range p.x.ticks {
			x := crisp(tx(t.Value))
			upright.Move(vg.Point{X: x, Y: area.Min.Y})
			upright.Line(vg.Point{X: x, Y: area.Max.Y})
		}
		p.grouped(area, "moving", func() { stroke(area, Hairline, 1, upright) })
	}
	for _, t := range p.y.ticks {
		put(area, plain(textSize), Muted, area.Min.X-7, ty(t.Value)-4, right, t.Label)
	}
}

// drawBase draws the base line over the marks' feet.
func (p *panel) drawBase(area draw.Canvas) {
	y := crisp(area.Min.Y)
	stroke(area, Muted, 1, segment(area.Min.X, y, area.Max.X, y))
}

func (p *panel) drawXLabels(c, area draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&area)
	y := area.Min.Y - 14
	end := math.Inf(-1) // right end of the last label, so that none overlap
	for _, t := range p.x.ticks {
		x, w := tx(t.Value), widthOf(plain(textSize), t.Label)
		from := math.Max(x.Points()-w/2, c.Min.X.Points())
		from = math.Min(from, c.Max.X.Points()-w)
		if from < end+8 {
			continue
		}
		put(area, plain(textSize), Muted, vg.Length(from), y, left, t.Label)
		end = from + w
	}
}

func (p *panel) drawXName(c, area draw.Canvas) {
	if p.x.name != "" {
		name := elide(p.x.name, plain(textSize), (c.Max.X - c.Min.X).Points())
		put(area, plain(textSize), Muted, area.Min.X, area.Min.Y-32, left, name)
	}
}
