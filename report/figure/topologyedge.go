package figure

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// side is one of the four sides of a box.
type side int

const (
	topSide side = iota
	rightSide
	bottomSide
	leftSide
)

// topologyEnd is one end of an edge on a side of a box; ends are spread over the
// side in the order of their sort keys, so that no two lines coincide.
type topologyEnd struct {
	sort float64
	x, y float64
}

// topologyEdge is an edge with its route: a polyline with rounded corners, or a
// curve when it has four points and curved is set.
type topologyEdge struct {
	hover, label string
	ink          Ink
	width        float64
	dash         []vg.Length
	arrow        bool
	points       []point
	curved       bool
	key          string   // place among the marks
	ends         []string // keys of the two boxes
}

// connect routes every edge of the projection.
func (l *topologyLayout) connect() {
	type plan struct {
		edge     topologySingle
		a, b     *topologyBox
		sa, sb   side
		ea, eb   *topologyEnd
		sideways bool // an access that runs beside its device's own memory
	}
	plans := make([]plan, 0, len(l.singles))
	for i, s := range l.singles {
		e := s.edge
		p := plan{edge: s, a: l.byID[e.Source], b: l.byID[e.Target]}
		p.sa, p.sb = l.sides(p.a, p.b)
		if p.sideways = e.Link == nil && p.sa == bottomSide && l.hidden(p.a, p.b); p.sideways {
			p.sa = rightSide
		}
		ax, ay := p.a.center()
		bx, by := p.b.center()
		p.ea, p.eb = l.attach(p.a, p.sa, bx, by, i), l.attach(p.b, p.sb, ax, ay, i)
		plans = append(plans, p)
	}
	for _, b := range l.boxes {
		b.spread()
	}
	lane := 0
	used := make([]int, len(l.systems))
	columns := make([]int, l.columns)
	walks := map[*topologyBox]int{}
	for _, p := range plans {
		edge := newTopologyEdge(p.edge)
		edge.key = "e" + strconv.Itoa(len(l.edges))
		edge.ends = []string{p.a.key, p.b.key}
		switch {
		case around(p.a, p.b):
			inner := max(p.a.system, p.b.system)
			column := l.systems[inner].column
			edge.points = l.aroundSystem(p.a, p.b, p.ea, p.eb, [3]int{used[inner], columns[column], lane})
			used[inner]++
			columns[column]++
			lane++
		case p.sideways:
			edge.points = sidewalk(p.a, p.ea, p.eb, walks[p.a])
			walks[p.a]++
		default:
			edge.points, edge.curved = bend(p.ea, p.eb, p.sa, p.sb), true
		}
		l.edges = append(l.edges, edge)
	}
}

func newTopologyEdge(s topologySingle) *topologyEdge {
	e := s.edge
	if e.Link == nil {
		t := &topologyEdge{hover: edgeHover(e), ink: Muted, width: 1, dash: []vg.Length{3, 3}}
		if e.Local {
			t.width = 2.25
		}
		return t
	}
	t := &topologyEdge{hover: edgeHover(e), width: 1.5, arrow: true}
	t.ink, _ = linkGroup(e.Kind)
	if e.Labelled {
		t.label = edgeLabel(e)
	}
	if s.count > 1 {
		times := unit.Count(s.count) + " × "
		t.hover = times + t.hover
		if t.label != "" {
			t.label = times + t.label
		}
	}
	return t
}

// sides chooses where an edge leaves a and enters b.
func (l *topologyLayout) sides(a, b *topologyBox) (side, side) {
	switch {
	case around(a, b):
		return bottomSide, bottomSide
	case a.y+a.h <= b.y:
		return bottomSide, topSide
	case b.y+b.h <= a.y:
		return topSide, bottomSide
	case l.between(a, b):
		return bottomSide, bottomSide
	case a.x < b.x:
		return rightSide, leftSide
	}
	return leftSide, rightSide
}

// between says whether another box stands between two boxes of a row.
func (l *topologyLayout) between(a, b *topologyBox) bool {
	lo, hi := math.Min(a.x, b.x), math.Max(a.x, b.x)
	for _, o := range l.boxes {
		if o != a && o != b && o.x > lo && o.x < hi && o.y < a.y+a.h && a.y < o.y+o.h {
			return true
		}
	}
	return false
}

// hidden says whether a straight way from the foot of a to the head of b would run
// behind another box.
func (l *topologyLayout) hidden(a, b *topologyBox) bool {
	ax, _ := a.center()
	bx, _ := b.center()
	way := topologyEdge{curved: true, points: bend(&topologyEnd{x: ax, y: a.y + a.h}, &topologyEnd{x: bx, y: b.y}, bottomSide, topSide)}
	for _, o := range l.boxes {
		if o == a || o == b {
			continue
		}
		for k := 1; k < 20; k++ {
			p := way.along(float64(k) / 20)
			if p.x > o.x-4 && p.x < o.x+o.w+4 && p.y > o.y && p.y < o.y+o.h {
				return true
			}
		}
	}
	return false
}

// attach adds an end to a side, sorted by where the other end lies.
func (l *topologyLayout) attach(b *topologyBox, s side, otherX, otherY float64, order int) *topologyEnd {
	e := &topologyEnd{sort: otherX}
	if s == leftSide || s == rightSide {
		e.sort = otherY
	}
	e.sort += float64(order) * 1e-6 // equal ends keep the order of the edges
	b.ends[s] = append(b.ends[s], e)
	return e
}

// spread places the ends of every side at equal distances.
func (b *topologyBox) spread() {
	for s, ends := range b.ends {
		sorted := slices.Clone(ends)
		slices.SortStableFunc(sorted, func(p, q *topologyEnd) int { return cmp.Compare(p.sort, q.sort) })
		for k, e := range sorted {
			share := (float64(k) + 1) / (float64(len(sorted)) + 1)
			switch side(s) {
			case topSide:
				e.x, e.y = b.x+b.w*share, b.y
			case bottomSide:
				e.x, e.y = b.x+b.w*share, b.y+b.h
			case rightSide:
				e.x, e.y = b.x+b.w, b.y+b.h*share
			case leftSide:
				e.x, e.y = b.x, b.y+b.h*share
			}
		}
	}
}

// bend is a curve that leaves and enters at right angles to the sides.
func bend(a, b *topologyEnd, sa, sb side) []point {
	reach := 0.45 * math.Hypot(b.x-a.x, b.y-a.y)
	if sa == sb { // an arc under a row
		reach = 22 + 0.05*math.Abs(b.x-a.x)
	}
	reach = math.Min(math.Max(reach, 8), 60)
	out := func(e *topologyEnd, s side) point {
		switch s {
		case topSide:
			return point{e.x, e.y - reach}
		case bottomSide:
			return point{e.x, e.y + reach}
		case rightSide:
			return point{e.x + reach, e.y}
		}
		return point{e.x - reach, e.y}
	}
	return []point{{a.x, a.y}, out(a, sa), out(b, sb), {b.x, b.y}}
}

// sidewalk leaves a device at its right side, runs down beside its memory and
// enters the target from above.
func sidewalk(device *topologyBox, a, b *topologyEnd, lane int) []point {
	x := device.x + device.w + 6 + 3*float64(lane%4)
	y := b.y - 10 - 3*float64(lane%4)
	return []point{{a.x, a.y}, {x, a.y}, {x, y}, {b.x, y}, {b.x, b.y}}
}

// aroundSystem joins a box inside a system with a fabric above: down from the box,
// along the system's bottom, up beside it, along under the fabrics, into the
// fabric from below. The lanes are its places along the system, along the column
// of systems, and under the fabrics.
func (l *topologyLayout) aroundSystem(a, b *topologyBox, ea, eb *topologyEnd, lanes [3]int) []point {
	inner, ei, ef := a, ea, eb
	if a.system < 0 {
		inner, ei, ef = b, eb, ea
	}
	s := &l.systems[inner.system]
	perColumn := 0
	for i := range l.systems {
		if l.systems[i].column == s.column {
			perColumn += l.systems[i].lanes
		}
	}
	y := s.y + s.h - 6 - laneSpacing*float64(lanes[0])
	x := s.x - 6 - math.Min(laneSpacing, (l.gutter-10)/math.Max(1, float64(perColumn)))*float64(lanes[1])
	under := ef.y + 12 + laneSpacing*float64(lanes[2])
	pts := []point{{ei.x, ei.y}, {ei.x, y}, {x, y}, {x, under}, {ef.x, under}, {ef.x, ef.y}}
	if inner != a {
		slices.Reverse(pts)
	}
	return pts
}

// draw paints the route and its direction.
func (e *topologyEdge) draw(c draw.Canvas) {
	var p vg.Path
	p.Move(at(c, e.points[0].x, e.points[0].y))
	if e.curved {
		q := e.points
		p.CubeTo(at(c, q[1].x, q[1].y), at(c, q[2].x, q[2].y), at(c, q[3].x, q[3].y))
	} else {
		e.rounded(c, &p)
	}
	related(c, e.hover, e.key, e.ends, func() {
		stroke(c, e.ink, e.width, p, e.dash...)
		if e.arrow {
			e.drawArrow(c)
		}
	})
}

// rounded adds a polyline whose corners are curves of at most 6 px.
func (e *topologyEdge) rounded(c draw.Canvas, p *vg.Path) {
	for i := 1; i < len(e.points); i++ {
		q := e.points[i]
		if i == len(e.points)-1 {
			p.Line(at(c, q.x, q.y))
			return
		}
		before, after := toward(q, e.points[i-1], 6), toward(q, e.points[i+1], 6)
		p.Line(at(c, before.x, before.y))
		p.QuadTo(at(c, q.x, q.y), at(c, after.x, after.y))
	}
}

// toward is the point at a distance from p on the way to q, at most half way.
func toward(p, q point, distance float64) point {
	d := math.Hypot(q.x-p.x, q.y-p.y)
	if d == 0 {
		return p
	}
	share := math.Min(distance/d, 0.5)
	return point{p.x + float64((q.x-p.x)*share), p.y + float64((q.y-p.y)*share)}
}

func (e *topologyEdge) drawArrow(c draw.Canvas) {
	n := len(e.points)
	tip, from := e.points[n-1], e.points[n-2]
	d := math.Hypot(tip.x-from.x, tip.y-from.y)
	if d == 0 {
		return
	}
	ux, uy := (tip.x-from.x)/d, (tip.y-from.y)/d
	base := point{tip.x - 7*ux, tip.y - 7*uy}
	var p vg.Path
	p.Move(at(c, tip.x, tip.y))
	p.Line(at(c, base.x-3*uy, base.y+3*ux))
	p.Line(at(c, base.x+3*uy, base.y-3*ux))
	p.Close()
	fill(c, e.ink, p)
}

// along is the point at a share of the route.
func (e *topologyEdge) along(share float64) point {
	if e.curved {
		q, t := e.points, share
		u := 1 - t
		w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
		var p point
		for i := range w {
			p.x += float64(w[i] * q[i].x)
			p.y += float64(w[i] * q[i].y)
		}
		return p
	}
	total := 0.0
	for i := 1; i < len(e.points); i++ {
		total += math.Hypot(e.points[i].x-e.points[i-1].x, e.points[i].y-e.points[i-1].y)
	}
	rest := total * share
	for i := 1; i < len(e.points); i++ {
		d := math.Hypot(e.points[i].x-e.points[i-1].x, e.points[i].y-e.points[i-1].y)
		if rest <= d && d > 0 {
			p, q, t := e.points[i-1], e.points[i], rest/d
			return point{p.x + float64((q.x-p.x)*t), p.y + float64((q.y-p.y)*t)}
		}
		rest -= d
	}
	return e.points[len(e.points)-1]
}
