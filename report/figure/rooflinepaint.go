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

func (f Roofline) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + math.Min(math.Max(width*0.6, 280), 460)
}

// phaseInks tells phases apart, by shape as well.
var phaseInks = []struct {
	phase string
	ink   Ink
}{
	{"prefill", Prefill}, {"decode", Decode}, {"mixed_batch", Sidecar}, {"spec_verify", Accepted}, {"spec_draft", Bonus},
	{"pipeline", Collective}, {"moe", Hot},
}

func phaseOf(phase string) (ink Ink, shape int) {
	for i, p := range phaseInks {
		if p.phase == phase {
			return p.ink, i
		}
	}
	return Waiting, len(phaseInks)
}

// keys explains the lines and the phases present.
func (f Roofline) keys() []key {
	var keys []key
	if f.Compute != nil {
		shape := keyLine
		if f.Compute.Evidence == HeuristicEffective {
			shape = keyDash
		}
		keys = append(keys, key{Fault, "compute roof, " + f.Compute.Evidence.String(), shape})
	}
	if len(f.Roofs) > 0 {
		keys = append(keys, key{Series, "selected bandwidth roof", keyLine})
	}
	if len(f.Roofs) > 1 {
		keys = append(keys, key{Waiting, "other bandwidth roofs", keyLine})
	}
	seen := make(map[string]bool)
	for _, p := range f.drawable() {
		if !seen[p.Phase] {
			seen[p.Phase] = true
			ink, _ := phaseOf(p.Phase)
			keys = append(keys, key{ink, p.Phase + ", predicted", keyDot})
		}
	}
	return keys
}

func (f Roofline) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	x0, x1, y0, y1 := f.bounds()
	width, height := (c.Max.X-c.Min.X).Points()-70, (c.Max.Y-c.Min.Y).Points()-60
	p := panel{
		x: axis{min: x0, max: x1, log: true, name: "Arithmetic intensity, FLOP/byte, log scale", ticks: logTicks(x0, x1, width, xTickSpace*0.6, unit.Number)},
		y: axis{min: y0, max: y1, log: true, name: "Predicted rate, FLOP/s, log scale", ticks: logTicks(y0, y1, height, yTickSpace, unit.Flops)},
	}
	r := rooflinePainter{f: f, g: p.plot(), roof: f.SelectedRoof(), x0: x0, x1: x1, y0: y0, y1: y1}
	if svg, ok := svgOf(c); ok && svg.classes {
		r.svg = svg
	}
	put(c, plain(textSize), Muted, c.Min.X, c.Max.Y-13, left, p.y.name)
	c.Max.Y -= nameHeight
	p.left = p.leftMargin()
	area := draw.Crop(c, vg.Length(p.left), vg.Length(-p.rightMargin()), tickHeight+xNameSpace, 0)
	r.tx, r.ty = r.g.Transforms(&area)
	r.tagged("moving", nil, func() { r.grid(area, &p) })
	r.plane(area)
	r.words(area)
	r.points(area)
	p.drawBase(area)
	r.tagged("ticks", nil, func() {
		p.drawXLabels(c, area, r.g)
		for _, t := range p.y.ticks {
			put(area, plain(textSize), Muted, area.Min.X-7, r.ty(t.Value)-4, right, t.Label)
		}
	})
	p.drawXName(c, area)
}

// rooflinePainter draws the parts in the order of their layers.
type rooflinePainter struct {
	f              Roofline
	g              *plot.Plot
	svg            *svgCanvas // nil: no page, no script
	roof           int
	x0, x1, y0, y1 float64
	tx, ty         func(float64) vg.Length
}

// tagged groups a part for the page's script.
func (r *rooflinePainter) tagged(class string, data []string, paint func()) {
	if r.svg == nil {
		paint()
		return
	}
	r.svg.openTagged(class, data...)
	paint()
	r.svg.closeGroup()
}

func (r *rooflinePainter) grid(area draw.Canvas, p *panel) {
	var lines vg.Path
	for _, t := range p.y.ticks {
		lines = append(lines, segment(area.Min.X, crisp(r.ty(t.Value)), area.Max.X, crisp(r.ty(t.Value)))...)
	}
	for _, t := range p.x.ticks {
		lines = append(lines, segment(crisp(r.tx(t.Value)), area.Min.Y, crisp(r.tx(t.Value)), area.Max.Y)...)
	}
	stroke(area, Hairline, 1, lines)
}

// beyond is how many decades lines reach out of the picture on a page, where a
// reader may zoom out; elsewhere they end at its edge.
func (r *rooflinePainter) beyond() float64 {
	if r.svg == nil {
		return 0
	}
	return 18
}

// plane draws the roofs and the knee.
func (r *rooflinePainter) plane(area draw.Canvas) {
	if r.svg != nil {
		r.svg.openPlane(area.Rectangle, math.Log10(r.x0), math.Log10(r.x1), math.Log10(r.y0), math.Log10(r.y1))
		defer r.svg.closeArea()
	}
	for i := range r.f.Roofs {
		if i != r.roof {
			r.diagonal(area, i)
		}
	}
	if r.roof >= 0 {
		r.diagonal(area, r.roof)
	}
	r.ceiling(area)
}

// diagonal draws one bandwidth roof with its knee.
func (r *rooflinePainter) diagonal(area draw.Canvas, i int) {
	rate := r.f.Roofs[i].BytesPerSecond
	if !sound(rate) {
		return
	}
	reach := math.Pow(10, r.beyond())
	from, to := math.Max(r.x0/reach, r.y0/reach/rate), math.Min(r.x1*reach, r.y1*reach/rate)
	if !(to > from) {
		return
	}
	selected := i == r.roof
	class := "roof"
	if selected {
		class = "roof on"
	}
	about := fmt.Sprintf("%s: %s, %s", r.f.Roofs[i].Name(), unit.Rate(rate), r.f.Roofs[i].Confidence)
	if r.f.Roofs[i].Counterfactual() {
		about += ", counterfactual"
	}
	r.tagged(class, []string{"roof", strconv.Itoa(i)}, func() {
		ink, weight := Waiting.Faint(0.6), 1.0
		if selected {
			ink, weight = Series, 2
		}
		marked(area, about, func() { stroke(area, ink, weight, segment(r.tx(from), r.ty(from*rate), r.tx(to), r.ty(to*rate))) })
		if k := r.f.Knee(i); k > 0 && (selected || r.svg != nil) {
			r.tagged("knee", nil, func() { r.knee(area, k) })
		}
	})
}

func (r *rooflinePainter) knee(area draw.Canvas, k float64) {
	if r.svg == nil && (k < r.x0 || k > r.x1) {
		return
	}
	x := r.tx(k)
	low, high := area.Min.Y, r.ty(math.Min(r.f.peak(), r.y1))
	if r.svg != nil {
		low -= 4000 // stays a line when a reader zooms out
	}
	stroke(area, Muted, 1, segment(x, low, x, high), 4, 3)
}

// ceiling draws the compute roof, dashed shorter the weaker its evidence.
func (r *rooflinePainter) ceiling(area draw.Canvas) {
	peak := r.f.peak()
	if peak == 0 {
		return
	}
	var dash []vg.Length
	switch r.f.Compute.Evidence {
	case UserDeclared, CalibratedEffective:
		dash = []vg.Length{10, 4}
	case HeuristicEffective:
		dash = []vg.Length{3, 3}
	}
	low, high := area.Min.X, area.Max.X
	if r.svg != nil {
		low, high = low-8000, high+8000
	}
	about := fmt.Sprintf("compute roof: %s, %s, %s", unit.Flops(peak), r.f.Compute.DType, r.f.Compute.Evidence)
	marked(area, about, func() { stroke(area, Fault, 1.5, segment(low, r.ty(peak), high, r.ty(peak)), dash...) })
}

// words labels the selected roof, the knee and the ceiling; on a page every roof
// has its words, of which those of the selected are shown.
func (r *rooflinePainter) words(area draw.Canvas) {
	r.tagged("moving", nil, func() {
		for i := range r.f.Roofs {
			if i != r.roof && r.svg == nil {
				continue
			}
			class := "roofwords"
			if i == r.roof {
				class = "roofwords on"
			}
			r.tagged(class, []string{"roof", strconv.Itoa(i)}, func() { r.roofWords(area, i) })
		}
		if peak := r.f.peak(); peak > 0 {
			label(area, area.Max.X-2, r.ty(peak)+4, right, Fault, "compute "+unit.Flops(peak))
		}
	})
}

func (r *rooflinePainter) roofWords(area draw.Canvas, i int) {
	roof := &r.f.Roofs[i]
	if !sound(roof.BytesPerSecond) {
		return
	}
	text := elide(roof.Name(), plain(textSize), 180) + ", " + unit.Rate(roof.BytesPerSecond)
	if roof.Counterfactual() {
		text += " (counterfactual)"
	}
	from := math.Max(r.x0, r.y0/roof.BytesPerSecond)
	to := math.Min(r.x1, math.Min(r.y1, r.f.attainable(-1, 1))/roof.BytesPerSecond)
	if to > from {
		at := math.Pow(from, 0.55) * math.Pow(to, 0.45)
		label(area, max(r.tx(at)-8, area.Min.X+vg.Length(widthOf(plain(textSize), text))+4), r.ty(at*roof.BytesPerSecond)+4, right, Series, text)
	}
	if k := r.f.Knee(i); k >= r.x0 && k <= r.x1 {
		label(area, r.tx(k)+4, area.Min.Y+5, left, Muted, "knee "+unit.Number(k)+" FLOP/byte")
	}
}

// points draws the work.
func (r *rooflinePainter) points(c draw.Canvas) {
	var taken []area
	for _, p := range r.f.drawable() {
		x, y := r.tx(p.Intensity), r.ty(p.FlopsPerSecond)
		ink, shape := phaseOf(p.Phase)
		about := fmt.Sprintf("%s, %s: predicted %s at %s FLOP/byte", p.ID, p.Phase, unit.Flops(p.FlopsPerSecond), unit.Number(p.Intensity))
		if p.TokensPerSecond > 0 {
			about += fmt.Sprintf(", predicted %s tokens/s", unit.Number(p.TokensPerSecond))
		}
		data := []string{"x", exact(math.Log10(p.Intensity)), "y", exact(math.Log10(p.FlopsPerSecond)), "phase", p.Phase}
		r.tagged("spot", data, func() {
			marked(c, about, func() {
				fill(c, Ground, circle(x, y, 6.5))
				fill(c, ink, phaseShape(x, y, shape))
			})
			text := elide(p.ID, plain(textSize), 160)
			if box := (area{x.Points() + 8, y.Points() - 16, x.Points() + 8 + widthOf(plain(textSize), text), y.Points() - 4}); !box.hits(taken) && box.x1 < c.Max.X.Points() {
				taken = append(taken, box)
				put(c, plain(textSize), inkText, x+8, y-14, left, text)
			}
		})
	}
}

// phaseShape is a disc, a square, a diamond or a triangle.
func phaseShape(x, y vg.Length, shape int) vg.Path {
	const r = 4.5
	switch shape % 4 {
	case 1:
		return rect(x-r, y-r, x+r, y+r)
	case 2:
		return polygon(vg.Point{X: x, Y: y + r*1.3}, vg.Point{X: x + r*1.3, Y: y}, vg.Point{X: x, Y: y - r*1.3}, vg.Point{X: x - r*1.3, Y: y})
	case 3:
		return polygon(vg.Point{X: x, Y: y + r*1.2}, vg.Point{X: x + r*1.2, Y: y - r}, vg.Point{X: x - r*1.2, Y: y - r})
	}
	return circle(x, y, r)
}

func polygon(points ...vg.Point) (p vg.Path) {
	for i, q := range points {
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}
