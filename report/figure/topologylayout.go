package figure

import (
	"math"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/topology"
)

// Sizes of the topology drawing in px.
const (
	boxText     = 11.0 // type size
	boxLine     = 14.0 // line distance
	boxWidest   = 176.0
	boxNarrow   = 78.0
	boxGap      = 20.0 // between boxes of a row; accesses run here
	rowGap      = 58.0 // between rows; links and their labels run here
	localGap    = 20.0 // between a device and its own memory
	systemPad   = 16.0
	systemHead  = 26.0
	systemGap   = 34.0 // between systems, at least; links to fabrics run here
	laneSpacing = 4.0
)

// topologyLayout is a topology with coordinates.
type topologyLayout struct {
	width, height float64
	boxW          float64
	systems       []topologySystem
	boxes         []*topologyBox
	byID          map[string]*topologyBox
	edges         []*topologyEdge
	lanes         int     // links that run around systems to a fabric
	gutter        float64 // px between systems and, with fabrics, left of them
	columns       int

	crowded bool // too many edges to draw one by one
	head    float64
	singles []topologySingle
	bundles []*topologyBundle
}

type topologySystem struct {
	id         string
	x, y, w, h float64
	rows       [][]topologyStack // devices, host and storage memory, NICs, broken into lines
	column     int
	lanes      int // links that run around this system
}

// topologyStack is a box with the boxes placed under it: a device and its own
// memory.
type topologyStack []*topologyBox

type topologyBox struct {
	node       *topology.ProjectedNode
	key, owner string // place among the boxes; key of the device that governs a memory
	lines      []string
	system     int // -1: outside
	x, y, w, h float64
	ends       [4][]*topologyEnd // by side

	line                int     // row of its system
	lineTop, lineBottom float64 // of that row
	stacked             bool    // in a row of devices
	covered             bool    // a box of its stack stands below it
	name                string
}

func (b *topologyBox) center() (x, y float64) { return b.x + b.w/2, b.y + b.h/2 }

// write breaks the box's lines to a width, which decides its height.
func (b *topologyBox) write(width float64, l *topologyLayout) {
	b.w, b.lines, b.name = width, nil, b.node.ID
	if l.crowded || widthOf(strong(boxText), b.name) > width-14 {
		b.name = l.shortName(b)
	}
	if l.crowded {
		b.h = crowdedBox
		return
	}
	for _, text := range boxLines(b.node) {
		b.lines = append(b.lines, breakList(text, width-14)...)
	}
	b.h = 14 + boxLine*float64(len(b.lines)) + 8
}

// breakList breaks a list after its commas where it is wider than width.
func breakList(text string, width float64) (lines []string) {
	line := ""
	for _, item := range strings.Split(text, ", ") {
		next := item
		if line != "" {
			next = line + ", " + item
		}
		if line != "" && widthOf(plain(boxText), next+",") > width {
			lines = append(lines, line+",")
			next = item
		}
		line = next
	}
	return append(lines, line)
}

// layoutTopology places everything for a width. It is a pure function of the
// projection and the width.
func layoutTopology(f Topology, width float64) *topologyLayout {
	l := &topologyLayout{width: width, byID: map[string]*topologyBox{}, crowded: len(f.Edges) > crowdedEdges}
	fabrics := l.collect(f)
	l.gather(f)
	l.head = l.headHeight()
	l.countLanes()
	l.columns = l.chooseColumns(len(fabrics) > 0)
	for _, b := range l.boxes {
		b.write(l.boxW, l)
	}
	top := l.placeFabrics(fabrics)
	l.height = l.placeSystems(top, len(fabrics) > 0)
	l.connect()
	for _, e := range l.edges {
		for k := range 21 { // arcs under the last row reach below the systems
			l.height = math.Max(l.height, e.along(float64(k)/20).y+10)
		}
	}
	return l
}

// collect makes the boxes and sorts them into systems and rows.
func (l *topologyLayout) collect(f Topology) (fabrics []*topologyBox) {
	index := map[string]int{}
	owner := map[string]string{}
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Link == nil && e.Local {
			owner[e.Target] = e.Source
		}
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Category == topology.SystemNode {
			index[n.ID] = len(l.systems)
			l.systems = append(l.systems, topologySystem{id: n.Title, rows: make([][]topologyStack, 3)})
			continue
		}
		b := &topologyBox{node: n, system: -1, key: strconv.Itoa(len(l.boxes))}
		l.boxes = append(l.boxes, b)
		l.byID[n.ID] = b
		if n.ParentID == "" {
			fabrics = append(fabrics, b)
			continue
		}
		b.system = index[n.ParentID]
		s := &l.systems[b.system]
		switch n.Category {
		case topology.DeviceNode:
			s.rows[0] = append(s.rows[0], topologyStack{b})
		case topology.MemoryNode:
			if device := l.byID[owner[n.ID]]; device != nil && device.system == b.system {
				b.owner = device.key
				for k := range s.rows[0] {
					if s.rows[0][k][0] == device {
						s.rows[0][k] = append(s.rows[0][k], b)
					}
				}
				continue
			}
			s.rows[1] = append(s.rows[1], topologyStack{b})
		default:
			s.rows[2] = append(s.rows[2], topologyStack{b})
		}
	}
	return fabrics
}

// chooseColumns takes the widest boxes with which every row of every system, and
// as many systems as possible, stand beside each other; rows that do not fit even
// with the narrowest boxes are broken.
func (l *topologyLayout) chooseColumns(fabrics bool) int {
	most := 1
	for i := range l.systems {
		for _, row := range l.systems[i].rows {
			most = max(most, len(row))
		}
	}
	for columns := len(l.systems); columns > 1; columns-- {
		room := l.reserveGutter(columns, fabrics)
		if l.boxWidth(room, columns, most) < boxNarrow {
			continue
		}
		columns = balanced(len(l.systems), columns)
		room = l.reserveGutter(columns, fabrics)
		l.boxW = math.Min(l.boxWidth(room, columns, most), boxWidest)
		return columns
	}
	room := l.reserveGutter(1, fabrics)
	l.boxW = math.Min(l.boxWidth(room, 1, most), boxWidest)
	if l.boxW < boxNarrow {
		perLine := max(1, int((room-2*systemPad+boxGap)/(boxNarrow+boxGap)))
		perLine = balanced(most, perLine)
		l.boxW = math.Min(l.boxWidth(room, 1, perLine), boxWidest)
		for i := range l.systems {
			l.breakRows(&l.systems[i], perLine)
		}
	}
	return 1
}

// balanced is how many of n things stand in a line when at most so many have room
// and no line should be nearly empty.
func balanced(n, most int) int {
	lines := (n + most - 1) / most
	return (n + lines - 1) / lines
}

// reserveGutter makes the gutters as wide as the lanes of the fullest column need,
// and answers the width left for systems and the gutters between them.
func (l *topologyLayout) reserveGutter(columns int, fabrics bool) float64 {
	lanes := make([]int, columns)
	most := 0
	for i := range l.systems {
		lanes[i%columns] += l.systems[i].lanes
		most = max(most, lanes[i%columns])
	}
	l.gutter = math.Min(math.Max(systemGap, 14+laneSpacing*float64(most)), 0.2*l.width)
	if fabrics {
		return l.width - l.gutter
	}
	return l.width
}

// boxWidth is the width of a box when so many stand in a row of so many systems.
func (l *topologyLayout) boxWidth(room float64, columns, boxes int) float64 {
	inner := (room-l.gutter*float64(columns-1))/float64(columns) - 2*systemPad
	return (inner - boxGap*float64(boxes-1)) / float64(boxes)
}

func (l *topologyLayout) breakRows(s *topologySystem, perLine int) {
	var rows [][]topologyStack
	for _, row := range s.rows {
		for len(row) > perLine {
			rows, row = append(rows, row[:perLine]), row[perLine:]
		}
		rows = append(rows, row)
	}
	s.rows = rows
}

// countLanes counts the segments that run around a system to a fabric.
func (l *topologyLayout) countLanes() {
	for _, s := range l.singles {
		if a, b := l.byID[s.edge.Source], l.byID[s.edge.Target]; around(a, b) {
			inner := a
			if a.system < 0 {
				inner = b
			}
			l.systems[inner.system].lanes++
			l.lanes++
		}
	}
}

// around says whether an edge joins a fabric with a box inside a system.
func around(a, b *topologyBox) bool { return (a.system < 0) != (b.system < 0) }

// placeFabrics puts the fabrics in a row on top and answers where the systems
// start.
func (l *topologyLayout) placeFabrics(fabrics []*topologyBox) float64 {
	if len(fabrics) == 0 {
		return l.head + bundleLane*float64(l.bundlesOf(-1)) + l.headroom()
	}
	n := float64(len(fabrics))
	w := math.Min(boxWidest, (l.width-boxGap*(n-1))/n)
	tallest := 0.0
	for i, b := range fabrics {
		b.write(w, l)
		b.x, b.y = l.width/n*(float64(i)+0.5)-w/2, l.head
		tallest = math.Max(tallest, b.h)
	}
	return l.head + tallest + 24 + laneSpacing*float64(l.lanes) + 2*bundleLane*float64(l.bundlesOf(-1))
}

// headroom is the distance of the first systems from what stands above them.
func (l *topologyLayout) headroom() float64 {
	if l.bundlesOf(-1) > 0 {
		return 10
	}
	return 0
}

// placeSystems puts the systems into a grid of equal columns.
func (l *topologyLayout) placeSystems(top float64, fabrics bool) float64 {
	margin := 0.0
	if fabrics || l.bundlesOf(-1) > 0 {
		margin = math.Max(l.gutter, 8+bundleLane*float64(l.bundlesOf(-1)))
	}
	columns := l.columns
	w := (l.width - margin - l.gutter*float64(columns-1)) / float64(columns)
	y := top
	for from := 0; from < len(l.systems); from += columns {
		line := l.systems[from:min(from+columns, len(l.systems))]
		heights := l.lineHeights(line)
		lanes := 0
		for i := range line {
			lanes = max(lanes, line[i].lanes)
		}
		tallest := 0.0
		for i := range line {
			s := &line[i]
			s.x, s.y, s.w, s.column = margin+float64(i)*(w+l.gutter), y, w, i
			s.h = l.placeRows(s, heights) + laneSpacing*float64(lanes)
			tallest = math.Max(tallest, s.h)
		}
		for i := range line {
			line[i].h = tallest
		}
		y += tallest + l.systemDistance()
	}
	return math.Max(y-l.systemDistance(), top) + 2
}

// lineHeights are the heights of the rows of systems that stand beside each other,
// so that equal rows align; 0 for a row that none of them has.
func (l *topologyLayout) lineHeights(systems []topologySystem) []float64 {
	var heights []float64
	for i := range systems {
		for k, row := range systems[i].rows {
			if k == len(heights) {
				heights = append(heights, 0)
			}
			for _, stack := range row {
				heights[k] = math.Max(heights[k], stack.height(l.localGap()))
			}
		}
	}
	return heights
}

func (s topologyStack) height(gap float64) float64 {
	h := gap * float64(len(s)-1)
	for _, b := range s {
		h += b.h
	}
	return h
}

// localGap is the distance between a device and its own memory.
func (l *topologyLayout) localGap() float64 {
	if l.crowded {
		return crowdedLocal
	}
	return localGap
}

// placeRows spreads each row over the system's width and answers its height.
func (l *topologyLayout) placeRows(s *topologySystem, heights []float64) float64 {
	y := s.y + systemHead
	last, gap := y, l.gapBelow(l.byIndex(s))
	for k, row := range s.rows {
		if heights[k] == 0 {
			continue
		}
		inner := s.w - 2*systemPad
		for i, stack := range row {
			x := s.x + systemPad + inner/float64(len(row))*(float64(i)+0.5) - l.boxW/2
			by := y
			for n, b := range stack {
				b.x, b.y = x, by
				by += b.h + l.localGap()
				b.line, b.lineTop, b.lineBottom = k, y, y+heights[k]
				b.covered, b.stacked = n+1 < len(stack), stack[0].node.Category == topology.DeviceNode
			}
		}
		y += heights[k]
		last = y
		y += gap
	}
	if l.crowded {
		last += gap - systemPad // trunks under the last row
	}
	return last - s.y + systemPad
}

// byIndex is a system's place.
func (l *topologyLayout) byIndex(s *topologySystem) int {
	for i := range l.systems {
		if &l.systems[i] == s {
			return i
		}
	}
	return -1
}
