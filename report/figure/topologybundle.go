package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/topology"
)

// A drawing of hundreds of edges shows none of them. Above crowdedEdges edges the
// same links are drawn in fewer lines, by a rule that the caption states: links that
// are alike share a line which joins all their ends, and segments with the same two
// ends share an edge (contract 09, D2). Boxes then hold their names alone. The table
// keeps every edge.
const (
	crowdedEdges = 96
	bundleFrom   = 8 // edges that a shared line stands for, at least
	bundleLane   = 6.0
	crowdedBox   = 22.0
	crowdedLocal = 8.0
	classesShown = 8
)

// topologySingle is an edge that is drawn by itself, for itself and those with the
// same ends and group.
type topologySingle struct {
	edge  *topology.ProjectedEdge
	count int64
}

// topologyBundle is a line that joins the ends of links that are alike.
type topologyBundle struct {
	key, hover, label string
	ink               Ink
	dash              []vg.Length
	system            int // -1: between systems
	members           []*topologyBox
	lane              int // place among the bundles of its system
	edges             int64
}

// gather sorts the edges into those drawn alone and bundles.
func (l *topologyLayout) gather(f Topology) {
	if !l.crowded {
		for i := range f.Edges {
			l.singles = append(l.singles, topologySingle{&f.Edges[i], 1})
		}
		return
	}
	order, groups := []string{}, map[string][]*topology.ProjectedEdge{}
	for i := range f.Edges {
		e := &f.Edges[i]
		key := l.bundleKey(e)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], e)
	}
	lanes := map[int]int{}
	for _, key := range order {
		if edges := groups[key]; len(edges) >= bundleFrom && !(edges[0].Link == nil && edges[0].Local) {
			b := l.newBundle(edges)
			b.key, b.lane = "b"+strconv.Itoa(len(l.bundles)), lanes[b.system]
			lanes[b.system]++
			l.bundles = append(l.bundles, b)
			continue
		}
		l.merge(groups[key])
	}
}

// bundleKey is equal for edges that may share a line.
func (l *topologyLayout) bundleKey(e *topology.ProjectedEdge) string {
	a, b := l.byID[e.Source], l.byID[e.Target]
	where := "between"
	if a.system == b.system {
		where = strconv.Itoa(a.system)
	}
	if e.Link == nil {
		return fmt.Sprint("access ", where, " ", e.Local, " ", e.Target)
	}
	return fmt.Sprint("link ", where, " ", e.Kind, " ", edgeLabel(e), " ", e.Link.ConcurrencyLanes)
}

// merge keeps one edge of those with the same ends.
func (l *topologyLayout) merge(edges []*topology.ProjectedEdge) {
	from := len(l.singles)
	for _, e := range edges {
		at := slices.IndexFunc(l.singles[from:], func(s topologySingle) bool { return s.edge.Source == e.Source && s.edge.Target == e.Target })
		if at < 0 {
			l.singles = append(l.singles, topologySingle{e, 1})
		} else {
			l.singles[from+at].count++
		}
	}
}

// newBundle joins edges that are alike.
func (l *topologyLayout) newBundle(edges []*topology.ProjectedEdge) *topologyBundle {
	first := edges[0]
	a, b := l.byID[first.Source], l.byID[first.Target]
	t := &topologyBundle{system: a.system, edges: int64(len(edges))}
	if a.system != b.system {
		t.system = -1
	}
	seen, out := map[*topologyBox]bool{}, map[*topologyBox]int64{}
	links := map[string]bool{}
	for _, e := range edges {
		out[l.byID[e.Source]]++
		for _, end := range []*topologyBox{l.byID[e.Source], l.byID[e.Target]} {
			if !seen[end] {
				seen[end] = true
				t.members = append(t.members, end)
			}
		}
		if e.Link != nil {
			links[e.Link.ID] = true
		}
	}
	if first.Link == nil {
		t.ink, t.dash = Muted, []vg.Length{3, 3}
		t.label = fmt.Sprintf("%s may use %s", unit.Plural(int64(len(edges)), "device"), first.Target)
		t.hover = t.label + ": accessible memory"
		return t
	}
	t.ink, _ = linkGroup(first.Kind)
	noun := "memory domain"
	if slices.ContainsFunc(t.members, func(b *topologyBox) bool { return b.node.Category != topology.MemoryNode }) {
		noun = "end"
	}
	t.label = fmt.Sprintf("%s × %s, %s, among %s", unit.Count(int64(len(links))), first.Kind, edgeLabel(first), unit.Plural(int64(len(t.members)), noun))
	if n := out[a]; len(out) == len(t.members) && !slices.ContainsFunc(t.members, func(b *topologyBox) bool { return out[b] != n }) {
		t.label += fmt.Sprintf(", %s leaving each", unit.Count(n))
	}
	t.hover = fmt.Sprintf("%s, %s each: from %s to %s", t.label, unit.Plural(first.Link.ConcurrencyLanes, "lane"), first.Link.ID, edges[len(edges)-1].Link.ID)
	return t
}

// bundlesOf counts the shared lines of a system, or between systems.
func (l *topologyLayout) bundlesOf(system int) (n int) {
	for _, b := range l.bundles {
		if b.system == system {
			n++
		}
	}
	return n
}

// gapBelow is the distance between rows of a system.
func (l *topologyLayout) gapBelow(system int) float64 {
	if !l.crowded {
		return rowGap
	}
	gap := 16 + bundleLane*float64(l.bundlesOf(system))
	if l.bundlesOf(system) == 0 {
		gap += 16
	}
	return gap
}

// systemDistance is the distance of systems above each other.
func (l *topologyLayout) systemDistance() float64 {
	return systemGap + bundleLane*float64(l.bundlesOf(-1))
}

// classes are the lines above a crowded drawing: what its boxes would say, each said
// once, with the number of boxes that it holds for.
func (l *topologyLayout) classes() (lines []string) {
	count := map[string]int64{}
	for _, b := range l.boxes {
		text := strings.Join(boxLines(b.node), "; ")
		if count[text] == 0 {
			lines = append(lines, text)
		}
		count[text]++
	}
	for i, text := range lines {
		lines[i] = unit.Count(count[text]) + " × " + text
	}
	if len(lines) > classesShown {
		lines = append(lines[:classesShown-1], fmt.Sprintf("and %d other kinds of items", len(lines)-classesShown+1))
	}
	return lines
}

// headHeight is the room of the lines above a crowded drawing.
func (l *topologyLayout) headHeight() float64 {
	if !l.crowded {
		return 0
	}
	return boxLine*float64(len(l.classes())+len(l.bundleLines())) + 10
}

// bundleLines are the bundles with different words, and how many say the same.
func (l *topologyLayout) bundleLines() (lines []bundleLine) {
	for _, b := range l.bundles {
		at := slices.IndexFunc(lines, func(o bundleLine) bool { return o.label == b.label })
		if at < 0 {
			lines = append(lines, bundleLine{b, 1})
		} else {
			lines[at].systems++
		}
	}
	return lines
}

type bundleLine struct {
	*topologyBundle
	systems int64
}

func (b bundleLine) text() string {
	if b.systems > 1 {
		return fmt.Sprintf("%s, in each of %s", b.label, unit.Plural(b.systems, "system"))
	}
	return b.label
}

// drawHead writes what boxes and shared lines have in common.
func (l *topologyLayout) drawHead(c draw.Canvas) {
	if !l.crowded {
		return
	}
	face, y := plain(boxText), 10.0
	for _, text := range l.classes() {
		p := at(c, 0, y)
		put(c, face, Muted, p.X, p.Y, left, elide(text, face, l.width))
		y += boxLine
	}
	for _, b := range l.bundleLines() {
		p := at(c, 0, y)
		var rule vg.Path
		rule.Move(vg.Point{X: p.X, Y: p.Y + 4})
		rule.Line(vg.Point{X: p.X + 18, Y: p.Y + 4})
		stroke(c, b.ink, 2, rule, b.dash...)
		put(c, face, inkText, p.X+24, p.Y, left, elide(b.text(), face, l.width-24))
		y += boxLine
	}
}

// draw paints the shared line: a trunk below each row with members, stubs to them,
// and one rule that joins the trunks at the side.
func (b *topologyBundle) draw(c draw.Canvas, l *topologyLayout) {
	var p vg.Path
	segment := func(x0, y0, x1, y1 float64) {
		p.Move(at(c, x0, y0))
		p.Line(at(c, x1, y1))
	}
	type trunk struct{ from, to float64 }
	trunks := map[float64]trunk{}
	var ys []float64
	reach := func(x, y float64) {
		t, ok := trunks[y]
		if !ok {
			t = trunk{x, x}
			ys = append(ys, y)
		}
		trunks[y] = trunk{math.Min(t.from, x), math.Max(t.to, x)}
	}
	side := l.bundleSide(b)
	stubs := map[[2]float64]bool{} // boxes of one system share a stub between systems
	for _, m := range b.members {
		x, y, way := l.stub(b, m)
		reach(x, y)
		if stubs[[2]float64{x, y}] {
			continue
		}
		stubs[[2]float64{x, y}] = true
		for i := 1; i < len(way); i++ {
			segment(way[i-1].x, way[i-1].y, way[i].x, way[i].y)
		}
	}
	slices.Sort(ys)
	for _, y := range ys {
		t := trunks[y]
		if len(ys) > 1 {
			t = trunk{math.Min(t.from, side), math.Max(t.to, side)}
		}
		segment(t.from, y, t.to, y)
	}
	if len(ys) > 1 {
		segment(side, ys[0], side, ys[len(ys)-1])
	}
	var ends []string
	for _, m := range b.members {
		ends = append(ends, m.key)
	}
	related(c, b.hover, b.key, ends, func() { stroke(c, b.ink, 1.5, p, b.dash...) })
}

// bundleSide is where the rule runs that joins the trunks.
func (l *topologyLayout) bundleSide(b *topologyBundle) float64 {
	if b.system < 0 {
		return 4 + bundleLane*float64(b.lane)
	}
	s := &l.systems[b.system]
	return s.x + s.w - 4 - bundleLane/2*float64(b.lane)
}

// stub is the way from a member to its trunk: where it meets it, and its corners.
func (l *topologyLayout) stub(b *topologyBundle, m *topologyBox) (x, y float64, way []point) {
	lane := bundleLane * float64(b.lane)
	if b.system < 0 {
		if m.system < 0 { // a fabric, above all systems
			x, y = m.x+m.w*float64(b.lane+1)/float64(l.bundlesOf(-1)+1), m.y+m.h+8+lane
			return x, y, []point{{x, m.y + m.h}, {x, y}}
		}
		s := &l.systems[m.system]
		x = s.x + 24 + bundleLane*2*float64(b.lane)
		y = s.y - 8 - lane
		return x, y, []point{{x, s.y}, {x, y}}
	}
	x = m.x + m.w*float64(b.lane+1)/float64(l.bundlesOf(b.system)+1)
	if m.line > 0 && !m.stacked { // memory and adapters below: from the trunk above
		y = m.lineTop - l.gapBelow(b.system) + 8 + lane
		return x, y, []point{{x, m.y}, {x, y}}
	}
	y = m.lineBottom + 8 + lane
	if m.y+m.h < m.lineBottom-1 && m.covered { // a device above its own memory: beside it
		x = m.x + m.w + 3 + bundleLane/2*float64(b.lane)
		return x, y, []point{{m.x + m.w, m.y + m.h/2}, {x, m.y + m.h/2}, {x, y}}
	}
	return x, y, []point{{x, m.y + m.h}, {x, y}}
}

// shortName is an id without its system, which the container names.
func (l *topologyLayout) shortName(b *topologyBox) string {
	if b.system >= 0 {
		if rest, ok := strings.CutPrefix(b.node.ID, l.systems[b.system].id+":"); ok && rest != "" {
			return rest
		}
	}
	return b.node.ID
}
