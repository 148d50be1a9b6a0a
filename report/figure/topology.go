package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Topology draws a machine: one container a system with its compute devices, the
// memory local to them, host and storage memory and NICs in rows, fabrics above;
// every declared access and every directed link as an edge of its own (contract
// 09, V1). It draws the scenario's projection and knows no other hierarchy;
// coordinates are presentation only.
type Topology struct {
	Source
	Nodes []topology.ProjectedNode
	Edges []topology.ProjectedEdge
}

// Machine shows the topology of a scenario.
func Machine(s *topology.Scenario) Topology {
	if s == nil {
		return Topology{}
	}
	p := s.Projection()
	return Topology{Source: Source{Run: s.ID(), Confidence: evidence.Exact}, Nodes: p.Nodes, Edges: p.Edges}
}

// counts are the numbers of declared items.
type topologyCounts struct{ systems, devices, domains, networks, links, accesses int64 }

func (f Topology) counts() (n topologyCounts) {
	for i := range f.Nodes {
		switch f.Nodes[i].Category {
		case topology.SystemNode:
			n.systems++
		case topology.DeviceNode:
			n.devices++
		case topology.MemoryNode:
			n.domains++
		case topology.NetworkNode:
			n.networks++
		}
	}
	for i := range f.Edges {
		switch e := &f.Edges[i]; {
		case e.Link == nil:
			n.accesses++
		case e.SegmentIndex == 0:
			n.links++
		}
	}
	return n
}

// Text gives the figure's words.
func (f Topology) Text() Text {
	t := f.words()
	t.What = "Devices, memory domains and directed links as declared"
	if len(f.Nodes) == 0 {
		t.Title, t.Empty = "No machine", "The scenario is not part of this result."
		return t
	}
	n := f.counts()
	t.Title = fmt.Sprintf("%s with %s and %s", unit.Plural(n.systems, "system"), unit.Plural(n.devices, "device"), unit.Plural(n.domains, "memory domain"))
	switch {
	case n.links == 0:
		t.Title += ", without links"
	default:
		t.Title += ", joined by " + unit.Plural(n.links, "directed link")
	}
	t.Alt = fmt.Sprintf("%s has %s, %s, %s and %s", brief(f.Run), unit.Plural(n.systems, "system"), unit.Plural(n.devices, "device"),
		unit.Plural(n.domains, "memory domain"), unit.Plural(n.links, "directed link"))
	if n.networks > 0 {
		t.Alt += " over " + unit.Plural(n.networks, "network resource")
	}
	t.Alt += "."
	t.Caption = "A pair of equal links in both directions shares one label; labels without room are left to the table."
	switch {
	case n.links == 0:
		t.Caption = "This scenario has no link."
	case len(f.Edges) > crowdedEdges:
		t.Caption = fmt.Sprintf("%s and %s are too many to draw one by one: those of one kind, bandwidth, latency and lane count share a line that joins all their ends. The table lists each.",
			unit.Plural(n.links, "directed link"), unit.Plural(n.accesses, "access edge"))
	}
	return t
}

// SVG renders the figure.
func (f Topology) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Topology) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Topology) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row an edge: accesses, then links segment by segment.
func (f Topology) Table() Table {
	return Table{
		Columns: []Column{{"edge", "", false}, {"kind", "", false}, {"scope", "", false}, {"source", "", false}, {"target", "", false},
			{"link", "", false}, {"transport", "", false}, {"bandwidth", "bytes/s", true}, {"latency", "ns", true}, {"lanes", "", true}},
		Len: len(f.Edges),
		Row: func(i int) []string {
			e := &f.Edges[i]
			row := []string{e.ID, e.Kind, scope(e), e.Source, e.Target}
			if e.Link == nil {
				relation := "accessible"
				if e.Local {
					relation = "local"
				}
				return append(row, relation, "", "", "", "")
			}
			l := e.Link
			return append(row, l.ID, string(l.Transport), strconv.FormatInt(l.BandwidthBytesPerSec, 10),
				strconv.FormatInt(l.LatencyNs, 10), strconv.FormatInt(l.ConcurrencyLanes, 10))
		},
	}
}

func scope(e *topology.ProjectedEdge) string {
	if e.InterNode {
		return "inter-node"
	}
	return "intra-node"
}

// keys is the legend: only what the drawing holds.
func (f Topology) keys() []key {
	n := f.counts()
	keys := []key{{ink: Compute, label: "compute", shape: keyOutline}, {ink: KVCache, label: "memory", shape: keyOutline}}
	if n.networks > 0 {
		keys = append(keys, key{ink: Muted, label: "NIC or fabric", shape: keyOutline})
	}
	keys = append(keys, key{ink: Muted, label: "local memory", shape: keyHeavyDash}, key{ink: Muted, label: "accessible memory", shape: keyDash})
	seen := map[string]bool{}
	for _, kind := range []string{"nvlink", "pcie", "ethernet", "storage"} {
		ink, name := linkGroup(kind)
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Link != nil && !seen[name] {
				if other, _ := linkGroup(e.Kind); other == ink {
					seen[name] = true
					keys = append(keys, key{ink: ink, label: name + " link", shape: keyLine})
				}
			}
		}
	}
	return keys
}

func (f Topology) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + 10 + layoutTopology(f, width).height
}

func (f Topology) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	c = drawKeys(c, f.keys())
	c.Max.Y -= 10
	l := layoutTopology(f, width)
	for i := range l.systems {
		l.drawSystem(c, i)
	}
	l.drawHead(c)
	for _, b := range l.bundles {
		b.draw(c, l)
	}
	for _, e := range l.edges {
		e.draw(c)
	}
	for _, b := range l.boxes {
		b.draw(c)
	}
	l.drawLabels(c)
}

// boxInk is the colour of a box's outline by its category.
func boxInk(n *topology.ProjectedNode) Ink {
	switch n.Category {
	case topology.DeviceNode:
		return Compute
	case topology.MemoryNode:
		return KVCache
	}
	return Muted
}

// boxLines are the lines of a box below its id.
func boxLines(n *topology.ProjectedNode) []string {
	switch n.Category {
	case topology.DeviceNode:
		return deviceLines(n)
	case topology.MemoryNode:
		return memoryLines(n)
	}
	r := n.Network
	direct := "host staged"
	if len(r.DirectMemoryDomainIDs) > 0 {
		direct = "direct: " + someOf(r.DirectMemoryDomainIDs)
	}
	kind := "NIC"
	if r.Kind == topology.Switch {
		kind = "switch"
	}
	return []string{
		fmt.Sprintf("%s, %s, %s", kind, unit.Rate(float64(r.BandwidthBytesPerSec)), dur(r.LatencyNs)),
		fmt.Sprintf("%s, %s", unit.Plural(r.ConcurrencyLanes, "lane"), someOf(r.SupportedTransports)), direct,
	}
}

func deviceLines(n *topology.ProjectedNode) []string {
	d := n.Device
	peak := "no peak bound"
	switch {
	case n.ComputeModel != "":
		peak = n.ComputeModel
	case d.ComputeProfileID != "":
		peak = d.ComputeProfileID
	case d.HasCustomPeaks:
		peak = "custom peaks"
	}
	return []string{
		fmt.Sprintf("%s, %s, %s", strings.ToUpper(string(d.Kind)), strings.TrimSuffix(d.ExecutionProvider, "ExecutionProvider"), unit.Plural(d.MaxConcurrentCompute, "lane")),
		peak, someOf(d.Capabilities), someOf(d.SupportedDtypes),
	}
}

func memoryLines(n *topology.ProjectedNode) []string {
	m := n.Memory
	size := unit.Bytes(float64(m.ResourceLimitBytes))
	if m.CapacityBytes != m.ResourceLimitBytes {
		size += " of " + unit.Bytes(float64(m.CapacityBytes))
	}
	if !n.Enabled {
		size = "disabled, " + size
	}
	coherent := "not coherent"
	if m.Coherent {
		coherent = "coherent"
	}
	return []string{string(m.Kind) + ", " + size, fmt.Sprintf("%s, %s", unit.Rate(float64(m.BandwidthBytesPerSec)), dur(m.LatencyNs)), coherent}
}

// someOf lists three entries and the number of others.
func someOf[T ~string](items []T) string {
	var names []string
	for i, v := range items {
		if i == 3 {
			return strings.Join(names, ", ") + fmt.Sprintf(" +%d", len(items)-3)
		}
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// edgeHover describes an edge.
func edgeHover(e *topology.ProjectedEdge) string {
	if e.Link == nil {
		relation := "accessible"
		if e.Local {
			relation = "local"
		}
		return fmt.Sprintf("%s may use %s (%s memory, %s)", e.Source, e.Target, relation, scope(e))
	}
	l := e.Link
	return fmt.Sprintf("%s: %s to %s, %s, %s, %s, %s, %s", l.ID, l.SourceDomainID, l.TargetDomainID, e.Kind, scope(e),
		unit.Rate(float64(l.BandwidthBytesPerSec)), dur(l.LatencyNs), unit.Plural(l.ConcurrencyLanes, "lane"))
}

func edgeLabel(e *topology.ProjectedEdge) string {
	l := e.Link
	text := unit.Rate(float64(l.BandwidthBytesPerSec)) + ", " + dur(l.LatencyNs)
	if l.Transport != "" {
		text = string(l.Transport) + ", " + text
	}
	return text
}

// at maps layout coordinates, y downward from the top, to the canvas.
func at(c draw.Canvas, x, y float64) vg.Point {
	return vg.Point{X: c.Min.X + vg.Length(x), Y: c.Max.Y - vg.Length(y)}
}

// drawSystem draws the container of a system. It is a mark to which all its boxes
// and every edge that touches one of them belong (contract 09, V1).
func (l *topologyLayout) drawSystem(c draw.Canvas, system int) {
	s := l.systems[system]
	boxes, edges := l.touching(system)
	about := fmt.Sprintf("%s: %s, %s", s.id, unit.Plural(int64(len(boxes)), "part"), unit.Plural(int64(len(edges)), "drawn edge"))
	related(c, about, "s"+strconv.Itoa(system), append(boxes, edges...), func() {
		a, b := at(c, s.x, s.y), at(c, s.x+s.w, s.y+s.h)
		fill(c, Panel, rect(a.X, b.Y, b.X, a.Y))
		stroke(c, Hairline, 1, rect(a.X, b.Y, b.X, a.Y))
		face := strong(textSize)
		put(c, face, Muted, a.X+10, a.Y-16, left, elide(s.id, face, s.w-20))
	})
}

// touching lists the keys of a system's boxes, and of the edges and shared lines that
// end at one of them.
func (l *topologyLayout) touching(system int) (boxes, edges []string) {
	for _, b := range l.boxes {
		if b.system == system {
			boxes = append(boxes, b.key)
		}
	}
	for _, e := range l.edges {
		if slices.ContainsFunc(e.ends, func(end string) bool { return slices.Contains(boxes, end) }) {
			edges = append(edges, e.key)
		}
	}
	for _, b := range l.bundles {
		if slices.ContainsFunc(b.members, func(m *topologyBox) bool { return m.system == system }) {
			edges = append(edges, b.key)
		}
	}
	return boxes, edges
}

func (b *topologyBox) draw(c draw.Canvas) {
	p, q := at(c, b.x, b.y), at(c, b.x+b.w, b.y+b.h)
	ink := boxInk(b.node)
	var owner []string
	if b.owner != "" {
		owner = []string{b.owner}
	}
	related(c, b.node.ID+": "+strings.Join(boxLines(b.node), "; "), b.key, owner, func() {
		fill(c, Ground, rect(p.X, q.Y, q.X, p.Y))
		stroke(c, ink, 1.25, rect(p.X, q.Y, q.X, p.Y))
		fill(c, ink, rect(p.X, q.Y, p.X+3, p.Y))
		put(c, strong(boxText), inkText, p.X+9, p.Y-15, left, elide(b.name, strong(boxText), b.w-14))
		for i, text := range b.lines {
			put(c, plain(boxText), Muted, p.X+9, p.Y-15-vg.Length(boxLine*float64(i+1)), left, elide(text, plain(boxText), b.w-14))
		}
	})
}

// drawLabels writes the performance labels where they cover neither a box nor each
// other; the others are left to the table.
func (l *topologyLayout) drawLabels(c draw.Canvas) {
	var taken []area
	for _, b := range l.boxes {
		taken = append(taken, area{b.x, b.y, b.x + b.w, b.y + b.h})
	}
	face := plain(boxText)
	for _, e := range l.edges {
		if e.label == "" {
			continue
		}
		w := widthOf(face, e.label)
		for _, share := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82} {
			p := e.along(share)
			box := area{p.x - w/2 - 6, p.y - 7, p.x + w/2 + 6, p.y + 7}
			if box.x0 < 0 || box.x1 > l.width || box.hits(taken) {
				continue
			}
			taken = append(taken, box)
			// The words interrupt their line; link colours are too pale for text (contract 09, R5).
			mid := at(c, p.x, p.y)
			half := vg.Length(w/2) + 3
			fill(c, Ground, rect(mid.X-half, mid.Y-7, mid.X+half, mid.Y+7))
			put(c, face, inkText, mid.X, mid.Y-4, middle, e.label)
			break
		}
	}
}

// area is a rectangle in layout coordinates.
type area struct{ x0, y0, x1, y1 float64 }

func (a area) hits(others []area) bool {
	for _, b := range others {
		if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
			return true
		}
	}
	return false
}
