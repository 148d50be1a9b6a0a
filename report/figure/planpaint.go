package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/simcore/plan"
)

const (
	planRowHeight = 18.0 // 14 px of bar and the gap to the next
	planGroupGap  = 4.0  // above the first row of a group
	planBarHalf   = 7.0
)

func kindInk(k plan.Kind) Ink {
	switch k {
	case plan.Compute:
		return Compute
	case plan.Transfer:
		return Transfer
	}
	return Collective
}

// groups counts the groups of rows.
func (v *planView) groups() (n int) {
	for i := range v.rows {
		if i == 0 || v.rows[i].group != v.rows[i-1].group {
			n++
		}
	}
	return n
}

func (f *PlanTimeline) head() float64 {
	return textLine * float64(len(f.Faults))
}

func (v *planView) height() float64 {
	return planRowHeight*float64(len(v.rows)) + planGroupGap*float64(v.groups())
}

// planDrawing is a timeline whose rows are arranged, once for all that a rendering
// asks of it.
type planDrawing struct {
	f *PlanTimeline
	v *planView
}

func (f *PlanTimeline) arrange() planDrawing { return planDrawing{f, f.arranged()} }

// Text gives the figure's words.
func (d planDrawing) Text() Text { return d.f.text(d.v) }

func (d planDrawing) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(d.f.keys(d.v), width))) + 8 + d.f.head() + d.v.height() + tickHeight + xNameSpace
}

// keys lists only what the drawing holds.
func (f *PlanTimeline) keys(v *planView) []key {
	var has [3]bool
	algorithms := map[plan.Algorithm]bool{}
	for _, i := range v.shown {
		o := &f.Operations[i]
		has[0] = has[0] || o.Kind == plan.Compute
		has[1] = has[1] || o.Kind == plan.Transfer
		if o.Kind == plan.Collective {
			algorithms[o.Algorithm] = true
		}
	}
	var keys []key
	if has[0] {
		keys = append(keys, key{ink: Compute, label: "compute"})
	}
	if has[1] {
		keys = append(keys, key{ink: Transfer, label: "transfer"})
	}
	if algorithms[plan.AllReduceRing] {
		keys = append(keys, key{ink: Collective, label: "all-reduce, ring", shape: keyHatch})
	}
	if algorithms[plan.AllToAllV] {
		keys = append(keys, key{ink: Collective, label: "all-to-all", shape: keyHatchBack})
	}
	keys = append(keys, key{ink: Muted, label: "submitted, waiting", shape: keyLine})
	if v.critical {
		keys = append(keys, key{ink: inkText, label: "critical path", shape: keyUnder})
	}
	if v.truncated > 0 {
		keys = append(keys, key{ink: Fault, label: "truncated: scheduled rest", shape: keyOutline})
	}
	if v.dropped > 0 {
		keys = append(keys, key{ink: Fault, label: "dropped: times without the fault", shape: keyDash})
	}
	return keys
}

func (d planDrawing) paint(c draw.Canvas) {
	f, v := d.f, d.v
	c = drawKeys(c, f.keys(v))
	width := (c.Max.X - c.Min.X).Points()
	from, to := f.Window.over(f.EndNs)
	rows := planRows{f: f, v: v, lit: f.related(), labels: planLabels(v, width), selected: f.selectedOperation() + 1}
	p := panel{x: timeAxis(from, to, width), left: rows.labels.width(), right: 16, head: f.head(), y: axis{max: v.height()}}
	p.marks = []plot.Plotter{&rows}
	p.draw(c)
}

// labelColumns are the widths of the two columns of words left of the rows.
type labelColumns struct{ group, lane float64 }

func (l labelColumns) width() float64 {
	w := l.group + 10
	if l.lane > 0 {
		w += l.lane + 8
	}
	return w
}

// planLabels measures the words; a narrow drawing has no room for lanes.
func planLabels(v *planView, width float64) (l labelColumns) {
	for i := range v.rows {
		r := &v.rows[i]
		l.group = math.Max(l.group, widthOf(strong(textSize), r.group))
		if p := i - 1; p >= 0 && v.rows[p].group == r.group {
			l.group = math.Max(l.group, widthOf(plain(textSize), r.detail))
		}
		if width > 480 {
			l.lane = math.Max(l.lane, widthOf(plain(textSize), r.lane))
		}
	}
	most := width * 0.3
	if l.lane > 0 {
		most = width * 0.17
	}
	l.group, l.lane = math.Min(math.Ceil(l.group), most), math.Min(math.Ceil(l.lane), most*1.1)
	return l
}

// planRows draws the rows of a timeline, the first on top.
type planRows struct {
	f      *PlanTimeline
	v      *planView
	lit    map[int]bool // with a selection: the operations that are not dimmed
	labels labelColumns

	selected int // the selected operation plus 1; 0: none
}

// middles gives the height of the middle of every row.
func (p *planRows) middles(c draw.Canvas) []vg.Length {
	ys := make([]vg.Length, len(p.v.rows))
	y := c.Max.Y.Points()
	for i := range ys {
		if i == 0 || p.v.rows[i].group != p.v.rows[i-1].group {
			y -= planGroupGap
		}
		ys[i] = vg.Length(y - planRowHeight/2)
		y -= planRowHeight
	}
	return ys
}

// Plot draws everything that follows a zoom along time.
func (p *planRows) Plot(c draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&c)
	at := func(ns int64) vg.Length { return tx(clampTo(float64(ns), g.X.Min, g.X.Max)) }
	f := p.f
	if end := f.foreground(); end < f.EndNs && float64(end) < g.X.Max {
		fill(c, Waiting.Faint(0.14), rect(at(end), c.Min.Y, at(f.EndNs), c.Max.Y))
	}
	ys := p.middles(c)
	p.separators(c, ys)
	for i := range p.v.rows {
		for k := range p.v.rows[i].marks {
			p.mark(c, &p.v.rows[i].marks[k], ys[i], at, g)
		}
	}
	p.lines(c, ys, at)
	for k, fault := range f.Faults {
		if x := float64(fault.AtNs); x >= g.X.Min && x <= g.X.Max {
			marked(c, fmt.Sprintf("%s at %s", fault.Name, dur(fault.AtNs)), func() {
				stroke(c, Fault, 1.5, segment(at(fault.AtNs), c.Min.Y, at(fault.AtNs), c.Max.Y), dashOf(k)...)
			})
		}
	}
}

// dashOf draws the fault itself as a solid rule and what follows from it dashed.
func dashOf(k int) []vg.Length {
	if k == 0 {
		return nil
	}
	return []vg.Length{4, 3}
}

func (p *planRows) separators(c draw.Canvas, ys []vg.Length) {
	var lines vg.Path
	for i := 1; i < len(ys); i++ {
		if p.v.rows[i].group != p.v.rows[i-1].group {
			y := crisp(ys[i] + planRowHeight/2 + planGroupGap/2)
			lines.Move(vg.Point{X: c.Min.X, Y: y})
			lines.Line(vg.Point{X: c.Max.X, Y: y})
		}
	}
	if len(lines) > 0 {
		stroke(c, Hairline, 1, lines)
	}
}

// key names an operation on a page; it holds no text of an input.
func planKey(op int) string { return "o" + strconv.Itoa(op) }

func (p *planRows) mark(c draw.Canvas, m *planMark, y vg.Length, at func(int64) vg.Length, g *plot.Plot) {
	o := &p.f.Operations[m.op]
	if float64(m.to) < g.X.Min && float64(o.SubmittedNs) < g.X.Min || float64(min(m.from, o.SubmittedNs)) > g.X.Max {
		return
	}
	name, others := "", []string(nil)
	if m.count == 1 {
		name, others = planKey(m.op), p.neighbours(m.op)
	}
	related(c, p.f.hover(m), name, others, func() {
		strength := 1.0
		if p.lit != nil && !p.lit[m.op] {
			strength = 0.25
		}
		if m.count == 1 && o.SubmittedNs < o.StartNs && o.Outcome != Dropped {
			stroke(c, Muted.Faint(strength), 1, segment(at(o.SubmittedNs), y, at(o.StartNs), y))
			stroke(c, Muted.Faint(strength), 1, segment(at(o.SubmittedNs), y-3, at(o.SubmittedNs), y+3))
		}
		x0, x1 := at(m.from), at(m.to)
		if x1-x0 < 1 { // at least a pixel, also at the end of the axis
			x0 = min(x0, c.Max.X-1)
			x1 = x0 + 1
		}
		p.bar(c, m, o, x0, x1, y, strength, at)
		if p.selected == m.op+1 {
			stroke(c, inkText, 2, rect(x0, y-planBarHalf, x1, y+planBarHalf))
		}
		if m.isCritical {
			fill(c, inkText.Faint(strength), rect(x0, y-planBarHalf-1.5, x1, y-planBarHalf+0.5))
		}
	})
}

// neighbours are the keys of an operation's own bars and of its dependencies.
func (p *planRows) neighbours(op int) []string {
	if len(p.v.shown) > 1500 {
		return nil // a page of that many marks has no room for the keys of all pairs
	}
	o := &p.f.Operations[op]
	list := []string{planKey(op)}
	for _, d := range o.Dependencies {
		if i, ok := p.v.index(p.f)[planStepKey{o.Execution, d}]; ok {
			list = append(list, planKey(i))
		}
	}
	return list
}

// bar draws the body of a mark in the style of its kind and outcome.
func (p *planRows) bar(c draw.Canvas, m *planMark, o *PlanOperation, x0, x1, y vg.Length, strength float64, at func(int64) vg.Length) {
	ink := kindInk(m.kind)
	lo, hi := y-planBarHalf, y+planBarHalf
	switch {
	case o.Outcome == Dropped:
		stroke(c, Fault.Faint(strength), 1, rect(x0+0.5, lo+0.5, max(x1-0.5, x0+1), hi-0.5), 3, 2)
	case m.count > 1:
		fill(c, ink.Faint(0.25*strength), rect(x0, lo, x1, hi))
		fill(c, ink.Faint(strength), rect(x0, lo, x1, lo+vg.Length(math.Max(1, 2*planBarHalf*m.share()))))
	default:
		end := x1
		if o.Outcome == Truncated {
			end = max(at(o.end()), x0)
			stroke(c, Fault.Faint(strength), 1, rect(end, lo+0.5, max(x1-0.5, end+1), hi-0.5))
		}
		p.body(c, o, ink, x0, end, lo, hi, strength)
	}
}

// body is the served part of one operation.
func (p *planRows) body(c draw.Canvas, o *PlanOperation, ink Ink, x0, x1, lo, hi vg.Length, strength float64) {
	if o.Kind != plan.Collective || x1-x0 < 5 {
		fill(c, ink.Faint(strength), rect(x0, lo, x1, hi))
		if x1-x0 > 3 { // touching neighbours stay apart
			stroke(c, Ground, 1, segment(x1, lo, x1, hi))
		}
		return
	}
	fill(c, ink.Faint(0.18*strength), rect(x0, lo, x1, hi))
	if o.Algorithm == plan.AllToAllV {
		hatchBack(c, ink.Faint(strength), x0+0.5, lo+0.5, x1-0.5, hi-0.5)
	} else {
		hatch(c, ink.Faint(strength), x0+0.5, lo+0.5, x1-0.5, hi-0.5)
	}
}

// hatchBack is hatch with its lines leaning the other way.
func hatchBack(c draw.Canvas, ink Ink, x0, y0, x1, y1 vg.Length) {
	const gap = 4
	var p vg.Path
	for d := vg.Length(gap); d < (x1-x0)+(y1-y0); d += gap {
		from, to := max(d-(y1-y0), 0), min(d, x1-x0)
		if to > from {
			p.Move(vg.Point{X: x0 + from, Y: y0 + d - from})
			p.Line(vg.Point{X: x0 + to, Y: y0 + d - to})
		}
	}
	stroke(c, ink, 1, p)
	stroke(c, ink, 1, rect(x0, y0, x1, y1))
}

// lines draws the dependencies and hazards of the selected step between the first
// rows on which both ends stand.
func (p *planRows) lines(c draw.Canvas, ys []vg.Length, at func(int64) vg.Length) {
	dependencies, hazards := p.f.edges()
	if len(dependencies)+len(hazards) == 0 {
		return
	}
	row := p.rowOf(ys)
	edge := func(e planEdge, dash ...vg.Length) (x, y vg.Length, ok bool) {
		y0, known0 := row[e.from]
		y1, known1 := row[e.to]
		if !known0 || !known1 {
			return 0, 0, false
		}
		x0, x1 := at(p.f.Operations[e.from].FinishNs), at(p.f.Operations[e.to].StartNs)
		var p vg.Path
		p.Move(vg.Point{X: x0, Y: y0})
		if y0 == y1 { // along one row: an arch over the bars between
			p.QuadTo(vg.Point{X: (x0 + x1) / 2, Y: y0 + 2.2*planBarHalf}, vg.Point{X: x1, Y: y1})
		} else {
			p.Line(vg.Point{X: x1, Y: y1})
		}
		stroke(c, inkText, 1.25, p, dash...)
		fill(c, inkText, circle(x1, y1, 2.5))
		return (x0 + x1) / 2, (y0 + y1) / 2, true
	}
	for _, e := range dependencies {
		edge(e)
	}
	for _, e := range hazards {
		marked(c, "hazard over "+e.allocation, func() { edge(e, 4, 3) })
	}
}

// rowOf gives the height of the first row on which each operation stands.
func (p *planRows) rowOf(ys []vg.Length) map[int]vg.Length {
	row := make(map[int]vg.Length)
	for i := len(p.v.rows) - 1; i >= 0; i-- {
		for _, m := range p.v.rows[i].marks {
			row[m.op] = ys[i]
		}
	}
	return row
}

// hazardNames writes the allocations of the selected step's hazards on their lines,
// those between the same two operations together.
func (p *planRows) hazardNames(c draw.Canvas, ys []vg.Length, at func(int64) vg.Length) {
	_, hazards := p.f.edges()
	if len(hazards) == 0 {
		return
	}
	row := p.rowOf(ys)
	type pair struct{ from, to int }
	names := make(map[pair][]string)
	for _, e := range hazards {
		k := pair{e.from, e.to}
		names[k] = append(names[k], e.allocation)
	}
	for _, e := range hazards {
		k := pair{e.from, e.to}
		y0, known0 := row[e.from]
		y1, known1 := row[e.to]
		if list := names[k]; list != nil && known0 && known1 {
			x := (at(p.f.Operations[e.from].FinishNs) + at(p.f.Operations[e.to].StartNs)) / 2
			label(c, clampLength(x, c.Min.X+40, c.Max.X-40), (y0+y1)/2+planBarHalf+1, middle, inkText, strings.Join(shorten(list, 2), ", "))
		}
		delete(names, k) // once a pair
	}
}

func clampLength(v, lo, hi vg.Length) vg.Length { return min(max(v, lo), hi) }

// group: words and rules that hold at any zoom.
func (p *planRows) group() string { return "fixed" }

// over writes the names of groups and lanes.
func (p *planRows) over(c draw.Canvas, g *plot.Plot) {
	ys := p.middles(c)
	for i := range p.v.rows {
		r := &p.v.rows[i]
		x := c.Min.X - vg.Length(p.labels.width()) + 2
		first := i == 0 || r.group != p.v.rows[i-1].group
		if first {
			put(c, strong(textSize), inkText, x, ys[i]-4, left, elide(r.group, strong(textSize), p.labels.group))
		} else if r.detail != "" && (i == 1 || r.group != p.v.rows[i-2].group) {
			put(c, plain(textSize), Muted, x, ys[i]-4, left, elide(r.detail, plain(textSize), p.labels.group))
		}
		if p.labels.lane > 0 {
			put(c, plain(textSize), Muted, c.Min.X-8, ys[i]-4, right, elide(r.lane, plain(textSize), p.labels.lane))
		}
	}
	p.moving(c, g, ys)
}

// moving writes what belongs to an instant: names of faults, sequence labels. A page
// hides it while zoomed.
func (p *planRows) moving(c draw.Canvas, g *plot.Plot, ys []vg.Length) {
	tx, _ := g.Transforms(&c)
	at := func(ns int64) vg.Length { return tx(clampTo(float64(ns), g.X.Min, g.X.Max)) }
	draw := func() {
		var xs []vg.Length
		var names []string
		for _, fault := range p.f.Faults {
			if x := float64(fault.AtNs); x >= g.X.Min && x <= g.X.Max {
				xs, names = append(xs, at(fault.AtNs)), append(names, fault.Name+", "+dur(fault.AtNs))
			}
		}
		for _, n := range slices.Backward(nameRules(c, xs, names)) { // the fault itself last, over the others' rules
			faultName(c, n)
		}
		for i := range p.v.rows {
			for k := range p.v.rows[i].marks {
				p.sequence(c, &p.v.rows[i].marks[k], ys[i], at)
			}
		}
		p.hazardNames(c, ys, at)
	}
	svg, ok := svgOf(c)
	if ok && svg.classes {
		svg.openGroup("moving")
		draw()
		svg.closeGroup()
		return
	}
	draw()
}

// faultName writes the name of a rule above the rows, and the rule up to it.
func faultName(c draw.Canvas, n ruleName) {
	y := c.Max.Y + vg.Length(textLine*float64(n.level))
	stroke(c, Fault, 1, segment(n.x, c.Max.Y, n.x, y+12))
	fill(c, Ground.Faint(0.85), rect(n.from-2, y+1, n.to+2, y+13))
	put(c, plain(textSize), Fault, n.from, y+4, left, n.text)
}

// sequence writes the place of a collective in its communicator into its bar.
func (p *planRows) sequence(c draw.Canvas, m *planMark, y vg.Length, at func(int64) vg.Length) {
	o := &p.f.Operations[m.op]
	if m.count > 1 || o.Kind != plan.Collective || o.Outcome == Dropped || p.lit != nil && !p.lit[m.op] {
		return
	}
	text := "#" + strconv.FormatInt(o.Sequence, 10)
	w := vg.Length(widthOf(plain(10), text))
	x0, x1 := at(m.from), at(o.end())
	if x1-x0 < w+8 {
		return
	}
	mid := (x0 + x1) / 2
	fill(c, Ground.Faint(0.9), rect(mid-w/2-2, y-5, mid+w/2+2, y+5))
	put(c, plain(10), inkText, mid, y-3.5, middle, text)
}
