package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// The geometry of an expert heat map, in px.
const (
	heatStall     = 58.0 // the stall strip, its name included
	heatGroup     = 18.0 // a partition's heading
	heatMargin    = 118.0
	heatNarrow    = 46.0 // the right margin of a narrow figure
	heatCell      = 6.0  // narrower columns are binned
	heatColumn    = 3.0  // least width of a bin
	heatMaxColumn = 512  // more routes are binned whatever the width
	heatMaxRow    = 256  // more experts are binned
)

var tierInks = [...]Ink{Hot, Warm, Cold}

// heatGrid says how routes and experts fall into cells.
type heatGrid struct {
	from, routes       int
	rows               []int // shown
	names, margin      float64
	perColumn, perRow  int
	columns, lines     int
	rowHeight          float64
	groups             []string // partition headings, by first line; empty: one partition
	groupAt            []int
	narrow             bool
	plotWidth, cellWdt float64
}

func (g *heatGrid) binned() bool { return g.perColumn > 1 || g.perRow > 1 }

// grid lays the figure out for a width.
func (f ExpertHeatmap) grid(width float64) heatGrid {
	from, to := f.window()
	g := heatGrid{from: from, routes: to - from, rows: f.shown(), narrow: width < 480, perRow: 1, perColumn: 1}
	g.names = widthOf(plain(textSize), "8.88 ms") // the stalls' labels stand in the same column
	for _, r := range g.rows {
		g.names = math.Max(g.names, widthOf(plain(textSize), elide(f.Rows[r].ID, plain(textSize), width*0.22)))
	}
	g.names += 10
	g.margin = heatMargin
	if g.narrow {
		g.margin = heatNarrow
	}
	g.plotWidth = width - g.names - g.margin
	if n := (len(g.rows) + heatMaxRow - 1) / heatMaxRow; n > 1 {
		g.perRow = n
	}
	if g.routes > heatMaxColumn || g.plotWidth/float64(max(g.routes, 1)) < heatCell || g.perRow > 1 {
		most := math.Min(heatMaxColumn, math.Max(1, math.Floor(g.plotWidth/heatColumn)))
		g.perColumn = int(math.Ceil(float64(g.routes) / most))
	}
	g.columns = (g.routes + g.perColumn - 1) / max(g.perColumn, 1)
	g.lines = (len(g.rows) + g.perRow - 1) / g.perRow
	g.cellWdt = g.plotWidth / float64(max(g.routes, 1))
	g.rowHeight = math.Min(20, math.Max(4, math.Floor(640/float64(max(g.lines, 1)))))
	last := ""
	for i, r := range g.rows {
		if p := f.Rows[r].Partition; i == 0 || p != last {
			g.groups, g.groupAt = append(g.groups, p), append(g.groupAt, i/g.perRow)
			last = p
		}
	}
	if len(g.groups) < 2 || g.perRow > 1 {
		g.groups, g.groupAt = nil, nil
	}
	return g
}

// most is the largest number of accesses in a cell.
func (g *heatGrid) most(f *ExpertHeatmap) (most int64) {
	for _, n := range g.counts(f) {
		most = max(most, n)
	}
	return most
}

// counts are the accesses of every cell, by line and column.
func (g *heatGrid) counts(f *ExpertHeatmap) []int64 {
	line := g.lineOf(f)
	counts := make([]int64, g.lines*g.columns)
	for _, u := range f.Uses {
		if k := u.Route - g.from; k >= 0 && k < g.routes && line[u.Row] >= 0 {
			counts[line[u.Row]*g.columns+k/g.perColumn]++
		}
	}
	return counts
}

// evictions are the copies that left every cell, of either tier.
func (g *heatGrid) evictions(f *ExpertHeatmap) []int64 {
	line := g.lineOf(f)
	counts := make([]int64, g.lines*g.columns)
	for i := range f.Stays {
		s := &f.Stays[i]
		if k := int(s.ToRoute) - g.from; s.Evicted && k >= 0 && k < g.routes && line[s.Row] >= 0 {
			counts[line[s.Row]*g.columns+k/g.perColumn]++
		}
	}
	return counts
}

// lineOf maps rows of the figure to lines of the grid, -1 for those not shown.
func (g *heatGrid) lineOf(f *ExpertHeatmap) []int {
	line := make([]int, len(f.Rows))
	for i := range line {
		line[i] = -1
	}
	for i, r := range g.rows {
		line[r] = i / g.perRow
	}
	return line
}

func (f ExpertHeatmap) keys(binned bool) []key {
	keys := []key{{ink: Hot.Faint(heatFill), label: "hot"}, {ink: Warm.Faint(heatFill), label: "warm"}, {ink: Cold.Faint(coldFill), label: "cold"}}
	shares := []key{{ink: Series, label: "share of accesses"}, {ink: inkText, label: "declared weight", shape: keyOutline}}
	if binned {
		return append(append(keys, key{ink: inkText, label: "accesses in a cell"}, key{ink: Fault, label: "evictions in a cell"}), shares...)
	}
	keys = append(keys,
		key{ink: inkText, label: "routed, was hot", shape: keyDot}, key{ink: inkText, label: "was warm", shape: keyRing}, key{ink: inkText, label: "was cold", shape: keyCross},
		key{ink: inkText, label: "load from cold", shape: keyLine}, key{ink: inkText, label: "load from warm", shape: keyDash},
		key{ink: Fault, label: "eviction", shape: keyTick}, key{ink: inkText, label: "adaptive prefetch", shape: keyTriangle},
		key{ink: inkText, label: "manual prefetch", shape: keyOpenTriangle}, key{ink: Muted, label: "decision", shape: keyDash})
	return append(keys, shares...)
}

func (f ExpertHeatmap) plotHeight(width float64) float64 {
	g := f.grid(width)
	return keyLineHeight*float64(len(keyRows(f.keys(g.binned()), width))) + 8 + heatStall +
		g.rowHeight*float64(g.lines) + heatGroup*float64(len(g.groups)) + tickHeight + xNameSpace + 4
}

// How strongly a cell's ink covers the ground: marks must stand out on it.
const (
	heatFill = 0.62
	coldFill = 0.16
)

func (f ExpertHeatmap) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	g := f.grid(width)
	c = drawKeys(c, f.keys(g.binned()))
	c.Max.Y -= 8
	h := heatPaint{f: &f, g: g, line: g.lineOf(&f)}
	h.area = draw.Crop(c, vg.Length(g.names), -vg.Length(g.margin), tickHeight+xNameSpace, -heatStall)
	h.stalls(c)
	h.cells()
	if g.binned() {
		h.bins()
	} else {
		h.decisions()
		h.loads()
		h.uses()
		h.evictions()
	}
	h.names()
	h.margin()
	h.axis(c)
}

// heatPaint draws one heat map.
type heatPaint struct {
	f    *ExpertHeatmap
	g    heatGrid
	line []int // figure row -> line, -1 when not shown
	area draw.Canvas
}

// x is the left edge of a route; routes outside the window clamp to its edges.
func (h *heatPaint) x(route float64) vg.Length {
	k := math.Min(math.Max(route-float64(h.g.from), 0), float64(h.g.routes))
	return h.area.Min.X + vg.Length(k*h.g.cellWdt)
}

// y is the lower edge of a line.
func (h *heatPaint) y(line int) vg.Length {
	below := float64(line+1) * h.g.rowHeight
	for _, at := range h.g.groupAt {
		if at <= line {
			below += heatGroup
		}
	}
	return h.area.Max.Y - vg.Length(below)
}

// stalls draws the strip above the cells.
func (h *heatPaint) stalls(c draw.Canvas) {
	from, to := h.f.window()
	top := 0.0
	bars := boxes{ink: Waiting, minWidth: 1}
	for i := from; i < to; i += h.g.perColumn {
		sum, end := int64(0), min(i+h.g.perColumn, to)
		for _, ns := range h.f.StallNs[i:end] {
			sum += ns
		}
		if mean := float64(sum) / float64(end-i); mean > 0 {
			bars.spans = append(bars.spans, box{float64(i), 0, float64(end), mean, fmt.Sprintf("routes %s to %s: mean stall %s", unit.Count(int64(i+1)), unit.Count(int64(end)), unit.Duration(mean))})
			top = math.Max(top, mean)
		}
	}
	if h.g.cellWdt*float64(h.g.perColumn) > 4 {
		bars.inset = 1
	}
	strip := c
	strip.Min.Y = h.area.Max.Y + 6
	p := panel{x: axis{min: float64(from), max: float64(to)}, left: h.g.names, right: h.g.margin, hideX: true, marks: []plot.Plotter{bars},
		y: axis{max: math.Max(top, 1), name: "Modeled stall of a route", ticks: []plot.Tick{{Label: "0"}}}}
	if top > 0 {
		p.y.ticks = append(p.y.ticks, plot.Tick{Value: top, Label: unit.Duration(top)})
	}
	if h.g.perColumn > 1 {
		p.y.name = "Modeled stall, mean of a column's routes"
	}
	p.draw(strip)
}

// cells fills the grid: cold ground, then stays. A hot copy hides a warm one but
// for its lower edge.
func (h *heatPaint) cells() {
	for line := range h.g.lines {
		y := h.y(line)
		fill(h.area, Cold.Faint(coldFill), rect(h.area.Min.X, y+0.5, h.area.Max.X, y+vg.Length(h.g.rowHeight)-0.5))
	}
	if h.g.binned() {
		h.dominant()
		return
	}
	for _, tier := range []trace.Tier{trace.TierWarm, trace.TierHot} {
		for i := range h.f.Stays {
			if s := &h.f.Stays[i]; s.Tier == tier && h.line[s.Row] >= 0 {
				h.stay(s)
			}
		}
	}
	for i := range h.f.Stays { // the warm edge lies over the hot ink
		s := &h.f.Stays[i]
		if s.Tier != trace.TierWarm || h.line[s.Row] < 0 {
			continue
		}
		if x0, x1, y := h.x(float64(s.FromRoute)), h.x(float64(s.ToRoute)), h.y(h.line[s.Row]); x1 > x0 {
			fill(h.area, Warm, rect(x0, y+0.5, x1, y+3))
		}
	}
}

func (h *heatPaint) stay(s *HeatStay) {
	x0, x1 := h.x(float64(s.FromRoute)), h.x(float64(s.ToRoute))
	if x1 <= x0 {
		return
	}
	y, e := h.y(h.line[s.Row]), &h.f.Rows[s.Row]
	how := "until the end"
	if s.Evicted {
		how = "then evicted"
	}
	marked(h.area, fmt.Sprintf("%s, %s: %s from route %d to %d (%s to %s), %s", e.ID, unit.Bytes(float64(e.Bytes)), s.Tier,
		s.FromRoute, s.ToRoute, dur(s.FromNs), dur(s.ToNs), how), func() {
		fill(h.area, Ground, rect(x0, y+0.5, x1, y+vg.Length(h.g.rowHeight)-0.5))
		fill(h.area, tierInks[s.Tier].Faint(heatFill), rect(x0, y+0.5, x1, y+vg.Length(h.g.rowHeight)-0.5))
	})
}

// dominant fills binned cells with the tier that holds most of their routes and
// experts, neighbours of one tier in one piece.
func (h *heatPaint) dominant() {
	held := [2][]int64{make([]int64, h.g.lines*h.g.columns), make([]int64, h.g.lines*h.g.columns)}
	for i := range h.f.Stays {
		s := &h.f.Stays[i]
		line := h.line[s.Row]
		from, to := max(int(s.FromRoute)-h.g.from, 0), min(int(s.ToRoute)-h.g.from, h.g.routes)
		if line < 0 {
			continue
		}
		for k := from; k < to; {
			column := k / h.g.perColumn
			end := min((column+1)*h.g.perColumn, to)
			held[s.Tier][line*h.g.columns+column] += int64(end - k)
			k = end
		}
	}
	for line := range h.g.lines {
		experts := int64(min(h.g.perRow, len(h.g.rows)-line*h.g.perRow))
		tier := func(column int) trace.Tier {
			routes := int64(min(h.g.perColumn, h.g.routes-column*h.g.perColumn))
			hot, warm := held[0][line*h.g.columns+column], held[1][line*h.g.columns+column]
			cold := experts*routes - hot - warm
			switch {
			case hot > 0 && hot >= warm && hot >= cold:
				return trace.TierHot
			case warm > 0 && warm >= cold:
				return trace.TierWarm
			}
			return trace.TierCold
		}
		for from := 0; from < h.g.columns; {
			to := from + 1
			for to < h.g.columns && tier(to) == tier(from) {
				to++
			}
			if t := tier(from); t != trace.TierCold {
				y := h.y(line)
				box := rect(h.column(from), y+0.5, h.column(to), y+vg.Length(h.g.rowHeight)-0.5)
				fill(h.area, Ground, box)
				fill(h.area, tierInks[t].Faint(heatFill), box)
			}
			from = to
		}
	}
}

// column is the left edge of a column of cells.
func (h *heatPaint) column(column int) vg.Length {
	return h.x(float64(h.g.from + min(column*h.g.perColumn, h.g.routes)))
}

// bins draws how often binned cells were accessed, as bars from below, and how many
// copies left them, as bars from above, on one scale.
func (h *heatPaint) bins() {
	most := float64(max(h.g.most(h.f), 1))
	h.countBars(h.g.counts(h.f), most, inkText.Faint(0.75), false)
	h.countBars(h.g.evictions(h.f), most, Fault, true)
}

// countBars draws one count of every cell as one path.
func (h *heatPaint) countBars(counts []int64, most float64, ink Ink, fromAbove bool) {
	var p vg.Path
	for line := range h.g.lines {
		for column := range h.g.columns {
			if n := counts[line*h.g.columns+column]; n > 0 {
				y, height := h.y(line)+0.5, vg.Length(math.Max(1, math.Min(1, float64(n)/most)*(h.g.rowHeight-2)))
				if fromAbove {
					y += vg.Length(h.g.rowHeight) - 1 - height
				}
				x0, x1 := h.column(column), h.column(column+1)
				addRect(&p, x0+(x1-x0)*0.2, y, x1-(x1-x0)*0.2, y+height)
			}
		}
	}
	if len(p) > 0 {
		fill(h.area, ink, p)
	}
}

// inside reports whether a boundary between routes lies in the window.
func (h *heatPaint) inside(route int64) bool {
	k := int(route) - h.g.from
	return k >= 0 && k <= h.g.routes
}

func (h *heatPaint) decisions() {
	for i := range h.f.Decisions {
		d := &h.f.Decisions[i]
		if !h.inside(d.AfterRoute) {
			continue
		}
		ids := make([]string, len(d.Rows))
		for k, r := range d.Rows {
			ids[k] = h.f.Rows[r].ID
		}
		words := "nothing"
		if len(ids) > 0 {
			words = enumerate(ids, 8)
		}
		x := crisp(h.x(float64(d.AfterRoute)))
		marked(h.area, fmt.Sprintf("adaptive decision at %s after %s: %s", dur(d.AtNs), unit.Plural(d.AfterRoute, "route"), words), func() {
			stroke(h.area, Muted, 1, segment(x, h.area.Min.Y, x, h.area.Max.Y+2), 3, 3)
		})
	}
}

func (h *heatPaint) loads() {
	for i := range h.f.Loads {
		l := &h.f.Loads[i]
		if h.line[l.Row] < 0 || !h.inside(l.FromRoute) && !h.inside(l.ToRoute) {
			continue
		}
		x0, x1 := h.x(float64(l.FromRoute)), h.x(float64(l.ToRoute))
		if least := vg.Length(h.g.cellWdt * 0.7); x1 < x0+least {
			x0 = min(x0, h.area.Max.X-least) // of a load that the last route left
			x1 = x0 + least
		}
		y := h.y(h.line[l.Row]) + vg.Length(math.Max(2, h.g.rowHeight*0.2))
		marked(h.area, h.say(l), func() {
			var dash []vg.Length
			if l.Source == trace.TierWarm {
				dash = []vg.Length{2, 2}
			}
			stroke(h.area, inkText, 1.25, segment(x0+1, y, x1-1, y), dash...)
			if l.HasPhysical && l.PhysicalNs < l.ToNs && !l.Pending {
				stroke(h.area, inkText, 1.25, segment(x1-1, y-2.5, x1-1, y+2.5))
			}
			if l.Prefetch && h.inside(l.FromRoute) {
				triangle(h.area, inkText, min(x0+4, h.area.Max.X-4), y+2, 3, l.Adaptive)
			}
		})
	}
}

// say is the hover text of a load.
func (h *heatPaint) say(l *HeatLoad) string {
	e := &h.f.Rows[l.Row]
	s := fmt.Sprintf("%s of %s, %s, %s to %s: %s to %s", l.what(), e.ID, unit.Bytes(float64(l.Bytes)), l.Source, l.Target, dur(l.FromNs), dur(l.ToNs))
	if l.HasPhysical && l.PhysicalNs != l.ToNs {
		s += ", physically complete at " + dur(l.PhysicalNs)
	}
	return s
}

func (h *heatPaint) uses() {
	r := vg.Length(math.Min(3.2, math.Min(h.g.cellWdt*0.38, h.g.rowHeight*0.3)))
	for _, u := range h.f.Uses {
		if h.line[u.Row] < 0 || u.Route < h.g.from || u.Route >= h.g.from+h.g.routes {
			continue
		}
		x, y := h.x(float64(u.Route)+0.5), h.y(h.line[u.Row])+vg.Length(h.g.rowHeight*0.58)
		marked(h.area, fmt.Sprintf("%s routed at token %d, was %s", h.f.Rows[u.Row].ID, h.f.TokenOf[u.Route], u.Tier), func() {
			choice(h.area, u.Tier, x, y, r)
		})
	}
}

// choice draws a routed expert: filled when it was hot, a ring when warm, a cross
// when cold.
func choice(c draw.Canvas, tier trace.Tier, x, y, r vg.Length) {
	switch tier {
	case trace.TierHot:
		fill(c, inkText, circle(x, y, r))
	case trace.TierWarm:
		stroke(c, inkText, 1.25, circle(x, y, r))
	default:
		p := segment(x-r, y-r, x+r, y+r)
		p = append(p, segment(x-r, y+r, x+r, y-r)...)
		stroke(c, inkText, 1.25, p)
	}
}

// triangle draws a prefetch, filled or open.
func triangle(c draw.Canvas, ink Ink, x, y, r vg.Length, filled bool) {
	var p vg.Path
	p.Move(vg.Point{X: x - r, Y: y})
	p.Line(vg.Point{X: x + r, Y: y})
	p.Line(vg.Point{X: x, Y: y + 1.7*r})
	p.Close()
	if filled {
		fill(c, ink, p)
		return
	}
	stroke(c, ink, 1, p)
}

func (h *heatPaint) evictions() {
	for i := range h.f.Stays {
		s := &h.f.Stays[i]
		if !s.Evicted || h.line[s.Row] < 0 || !h.inside(s.ToRoute) {
			continue
		}
		x, y := crisp(h.x(float64(s.ToRoute))), h.y(h.line[s.Row])
		top := y + vg.Length(h.g.rowHeight) - 0.5
		if s.Tier == trace.TierWarm { // a warm copy leaves at the lower edge, where it is drawn
			top = y + vg.Length(h.g.rowHeight*0.4)
		}
		marked(h.area, fmt.Sprintf("%s evicted from %s at %s", h.f.Rows[s.Row].ID, s.Tier, dur(s.ToNs)), func() {
			stroke(h.area, Fault, 2, segment(x, y+0.5, x, top))
		})
	}
}

// names labels the rows, as many as have room, and the partitions.
func (h *heatPaint) names() {
	every := int(math.Ceil(12 / h.g.rowHeight))
	for line := 0; line < h.g.lines; line += every {
		e := &h.f.Rows[h.g.rows[line*h.g.perRow]]
		put(h.area, plain(textSize), inkText, h.area.Min.X-7, h.y(line)+vg.Length(h.g.rowHeight/2)-4, right, elide(e.ID, plain(textSize), h.g.names-10))
	}
	for i, at := range h.g.groupAt {
		y := h.y(at) + vg.Length(h.g.rowHeight)
		label(h.area, h.area.Min.X+2, y+4, left, Muted, "partition "+h.g.groups[i])
	}
}

// margin draws how often each line was routed beside its declared share of weight.
func (h *heatPaint) margin() {
	routed, weight := make([]float64, h.g.lines), make([]float64, h.g.lines)
	var uses, weights float64
	for i, r := range h.g.rows {
		e := &h.f.Rows[r]
		routed[i/h.g.perRow] += float64(e.Routed)
		weight[i/h.g.perRow] += e.Weight
		uses, weights = uses+float64(e.Routed), weights+e.Weight
	}
	top := 0.0
	for i := range routed {
		routed[i], weight[i] = routed[i]/math.Max(uses, 1), weight[i]/weights
		top = math.Max(top, math.Max(routed[i], weight[i]))
	}
	x0, room := h.area.Max.X+8, h.g.margin-52
	if h.g.narrow {
		room = h.g.margin - 12
	} else {
		put(h.area, plain(textSize), Muted, x0, h.area.Max.Y+4, left, "routed, times")
	}
	for line := range h.g.lines {
		y, width := h.y(line), func(share float64) vg.Length { return vg.Length(share / top * room) }
		low, high := y+vg.Length(h.g.rowHeight*0.2), y+vg.Length(h.g.rowHeight*0.8)
		hover := fmt.Sprintf("%s: %s of accesses, declared weight %s of all", h.f.Rows[h.g.rows[line*h.g.perRow]].ID, unit.Percent(routed[line]), unit.Percent(weight[line]))
		if h.g.perRow > 1 {
			hover = fmt.Sprintf("%s and %d more: ", h.f.Rows[h.g.rows[line*h.g.perRow]].ID, h.g.perRow-1) + hover
		}
		marked(h.area, hover, func() {
			fill(h.area, Series, rect(x0, low, x0+width(routed[line]), high))
			if h.g.rowHeight >= 8 {
				stroke(h.area, inkText, 1, rect(x0+0.5, low-1.5, x0+max(width(weight[line]), 1), high+1.5))
			}
		})
		if !h.g.narrow && h.g.rowHeight >= 11 {
			end := x0 + max(width(routed[line]), width(weight[line]))
			put(h.area, plain(textSize), Muted, end+5, y+vg.Length(h.g.rowHeight/2)-4, left, unit.Count(int64(math.Round(routed[line]*uses))))
		}
	}
}

// axis draws the base line and the route numbers.
func (h *heatPaint) axis(c draw.Canvas) {
	from, to := h.f.window()
	a := axis{min: float64(from), max: float64(to), ticks: linearTicks(float64(from), float64(to), 1, h.g.plotWidth, 64, true), name: "Routed token, in order"}
	p := panel{x: a}
	g := p.plot()
	p.drawBase(h.area)
	p.drawXLabels(c, h.area, g)
	p.drawXName(c, h.area)
}
