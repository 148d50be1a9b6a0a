package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// LinkFlow shows how long each directed link was busy between which memory domains:
// sources on the left, targets on the right, network resources between, band width
// proportional to busy time, because the result of a serving run states no bytes
// (contract 09, V2). The two directions of a connection are two bands.
type LinkFlow struct {
	Source
	Bands    []FlowBand
	Unused   []string // declared links that no operation used, by id
	WindowNs int64    // observation window
	Kind     string   // only links of this kind; empty: all
	MaxBands int      // 0: 40
}

// FlowBand is one directed link with any use.
type FlowBand struct {
	Link, Kind                 string
	SourceSystem, SourceDomain string
	TargetSystem, TargetDomain string
	Through                    []string // network resources in path order
	Operations, BusyNs, Lanes  int64    // Operations is -1 when the result does not hold them
	Share                      float64  // utilisation of the lanes over the window
}

// operations spells the count of operations.
func (b FlowBand) operations() string {
	if b.Operations < 0 {
		return "unknown"
	}
	return strconv.FormatInt(b.Operations, 10)
}

// counted says how many operations there were.
func (b FlowBand) counted() string {
	if b.Operations < 0 {
		return "an unknown number of operations"
	}
	return unit.Plural(b.Operations, "operation")
}

// linkGroup is the colour group of a link kind.
func linkGroup(kind string) (Ink, string) {
	switch kind {
	case "nvlink", "on-chip":
		return OnDevice, "on-device"
	case "pcie", "thunderbolt":
		return HostAttachment, "host attachment"
	case "storage":
		return StorageTier, "storage"
	}
	return Network, "network"
}

// drawn lists the bands that pass the filter, busiest first when they are too
// many, and how many there are.
func (f LinkFlow) drawn() (bands []FlowBand, all int, total int64) {
	for _, b := range f.Bands {
		if f.Kind == "" || b.Kind == f.Kind {
			bands = append(bands, b)
			total += b.BusyNs
		}
	}
	all = len(bands)
	most := f.MaxBands
	if most <= 0 {
		most = 40
	}
	if all > most {
		slices.SortStableFunc(bands, func(a, b FlowBand) int {
			return cmp.Or(cmp.Compare(b.BusyNs, a.BusyNs), quantity.CompareIDs(a.Link, b.Link))
		})
		bands = bands[:most]
	}
	return bands, all, total
}

// Text gives the figure's words.
func (f LinkFlow) Text() Text {
	t := f.words()
	t.What = "Busy time of each directed link between memory domains"
	bands, all, total := f.drawn()
	if all == 0 {
		t.Title, t.Empty = "No operation used a link", "No operation used a link."
		return t
	}
	top := bands[0]
	for _, b := range bands {
		if b.BusyNs > top.BusyNs {
			top = b
		}
	}
	share := float64(top.BusyNs) / math.Max(1, float64(total))
	t.Title = fmt.Sprintf("Busy time by link: %s carries %s, its lanes are %s used", brief(top.Link), unit.Percent(share), unit.Percent(top.Share))
	t.Alt = fmt.Sprintf("%s in use for %s together; the busiest, %s from %s to %s, for %s (%s of the predicted busy time).",
		unit.Plural(int64(all), "directed link"), dur(total), brief(top.Link), brief(top.SourceDomain), brief(top.TargetDomain),
		dur(top.BusyNs), unit.Percent(share))
	t.Caption = "Band width is busy time, because the result states no bytes; bands are at least one pixel wide. A collective counts on the links it reserves."
	if len(bands) < all {
		t.Caption = fmt.Sprintf("Showing the %d busiest of %d links in use. ", len(bands), all) + t.Caption
	}
	if n := len(f.Unused); n > 0 {
		t.Caption += " Declared but unused: " + enumerate(f.Unused, 12) + "."
	}
	return t
}

// enumerate lists ids, at most n of them.
func enumerate(ids []string, n int) string {
	short := make([]string, 0, n+1)
	for i, id := range ids {
		if i == n {
			short = append(short, fmt.Sprintf("and %d more", len(ids)-n))
			break
		}
		short = append(short, brief(id))
	}
	return strings.Join(short, ", ")
}

// SVG renders the figure.
func (f LinkFlow) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f LinkFlow) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f LinkFlow) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a link in use.
func (f LinkFlow) Table() Table {
	return Table{
		Columns: []Column{{"link", "", false}, {"kind", "", false}, {"source", "", false}, {"target", "", false},
			{"through", "", false}, {"operations", "", true}, {"bytes", "", false}, {"busy", "ns", true}, {"lanes", "", true}, {"utilisation", "", true}},
		Len: len(f.Bands),
		Row: func(i int) []string {
			b := f.Bands[i]
			return []string{b.Link, b.Kind, b.SourceDomain, b.TargetDomain, strings.Join(b.Through, ", "),
				b.operations(), "unknown", strconv.FormatInt(b.BusyNs, 10),
				strconv.FormatInt(b.Lanes, 10), exact(b.Share)}
		},
	}
}

func (f LinkFlow) plotHeight(float64) float64 {
	bands, _, _ := f.drawn()
	return keyLineHeight + 12 + math.Min(560, math.Max(150, 26*float64(len(bands))))
}

// flowNode is a memory domain (first and last column) or a network resource.
type flowNode struct {
	column      int
	system, id  string
	total       int64
	top, bottom float64 // px below the top of the area
	inAt, outAt float64 // where the next band attaches
	out         int     // bands that touch it
}

// flowLayout places nodes and bands.
type flowLayout struct {
	columns int
	nodes   []*flowNode
	index   map[flowKey]*flowNode
	bands   []FlowBand
	scale   float64 // px per ns
	labels  []flowLabel
}

// flowLabel is written after all bands, so that none covers it.
type flowLabel struct {
	x, y  vg.Length
	room  float64  // px
	texts []string // the longest first
}

type flowKey struct {
	column     int
	system, id string
}

// layoutFlow stacks the nodes of each column in order of system and id and gives
// every band a thickness.
func layoutFlow(bands []FlowBand, height float64) *flowLayout {
	l := &flowLayout{columns: 2, index: map[flowKey]*flowNode{}, bands: slices.Clone(bands)}
	for _, b := range bands {
		l.columns = max(l.columns, 2+len(b.Through))
	}
	for _, b := range bands {
		for _, k := range l.path(b) {
			n := l.index[k]
			if n == nil {
				n = &flowNode{column: k.column, system: k.system, id: k.id}
				l.index[k] = n
				l.nodes = append(l.nodes, n)
			}
			n.total += b.BusyNs
			n.out++
		}
	}
	slices.SortFunc(l.nodes, func(a, b *flowNode) int {
		return cmp.Or(cmp.Compare(a.column, b.column), quantity.CompareIDs(a.system, b.system), quantity.CompareIDs(a.id, b.id))
	})
	l.scaleTo(height)
	l.stack(height)
	slices.SortStableFunc(l.bands, l.order)
	return l
}

// path lists the nodes that a band passes: its source, its resources from the
// second column on, its target in the last column.
func (l *flowLayout) path(b FlowBand) []flowKey {
	keys := []flowKey{{0, b.SourceSystem, b.SourceDomain}}
	for i, r := range b.Through {
		keys = append(keys, flowKey{1 + i, "", r})
	}
	return append(keys, flowKey{l.columns - 1, b.TargetSystem, b.TargetDomain})
}

const flowGap = 14.0 // px between the nodes of a column

// scaleTo fits the fullest column into the height; every band counts at least a
// pixel.
func (l *flowLayout) scaleTo(height float64) {
	l.scale = math.Inf(1)
	for col := range l.columns {
		var total int64
		count, bands := 0, 0
		for _, n := range l.nodes {
			if n.column == col {
				total += n.total
				bands += n.out
				count++
			}
		}
		room := height - flowGap*float64(max(count-1, 0)) - float64(bands)
		if total > 0 {
			l.scale = math.Min(l.scale, math.Max(room, 10)/float64(total))
		}
	}
	if math.IsInf(l.scale, 1) {
		l.scale = 0
	}
}

func (l *flowLayout) thickness(b FlowBand) float64 { return 1 + float64(b.BusyNs)*l.scale }

func (l *flowLayout) stack(height float64) {
	for col := range l.columns {
		used, count := 0.0, 0
		for _, n := range l.nodes {
			if n.column == col {
				used += float64(n.total)*l.scale + float64(n.out)
				count++
			}
		}
		gap := flowGap
		if count > 1 {
			gap = math.Min(60, math.Max(2, (height-used)/float64(count-1)))
		}
		y := math.Max(0, (height-used-gap*float64(max(count-1, 0)))/2)
		for _, n := range l.nodes {
			if n.column != col {
				continue
			}
			n.top = y
			n.bottom = y + float64(n.total)*l.scale + float64(n.out)
			n.inAt, n.outAt = n.top, n.top
			y = n.bottom + gap
		}
	}
}

// order sorts bands by where they start, then by where they end, so that bands of
// one node cross as little as possible.
func (l *flowLayout) order(a, b FlowBand) int {
	pa, pb := l.path(a), l.path(b)
	sa, sb := l.index[pa[0]], l.index[pb[0]]
	ta, tb := l.index[pa[len(pa)-1]], l.index[pb[len(pb)-1]]
	return cmp.Or(cmp.Compare(sa.top, sb.top), cmp.Compare(ta.top, tb.top), quantity.CompareIDs(a.Link, b.Link))
}

func (f LinkFlow) paint(c draw.Canvas) {
	bands, _, total := f.drawn()
	c = drawKeys(c, f.keys(bands))
	c.Max.Y -= 8
	width := (c.Max.X - c.Min.X).Points()
	side := math.Min(190, width*0.24)
	l := layoutFlow(bands, (c.Max.Y - c.Min.Y - 4).Points())
	x := func(col int) vg.Length {
		inner := width - 2*side - flowNodeWidth
		return c.Min.X + vg.Length(side+inner*float64(col)/float64(l.columns-1))
	}
	for _, b := range l.bands {
		f.band(c, l, b, x, total)
	}
	for _, n := range l.nodes {
		l.drawNode(c, n, x(n.column), side)
	}
	for _, t := range l.labels {
		for _, text := range t.texts { // the longest that fits; none: left to hover and table
			if widthOf(plain(textSize), text) <= t.room {
				put(c, plain(textSize), inkText, t.x, t.y, left, text)
				break
			}
		}
	}
}

const flowNodeWidth = 8.0

func (f LinkFlow) keys(bands []FlowBand) []key {
	var keys []key
	for _, kind := range []string{"nvlink", "pcie", "ethernet", "storage"} {
		ink, name := linkGroup(kind)
		for _, b := range bands {
			if bi, _ := linkGroup(b.Kind); bi == ink {
				keys = append(keys, key{ink: ink, label: name})
				break
			}
		}
	}
	return keys
}

// band draws one link from node to node, its label noted for the first span when
// it is thick enough.
func (f LinkFlow) band(c draw.Canvas, l *flowLayout, b FlowBand, x func(int) vg.Length, total int64) {
	ink, _ := linkGroup(b.Kind)
	h := l.thickness(b)
	keys := l.path(b)
	share := float64(b.BusyNs) / math.Max(1, float64(total))
	hover := fmt.Sprintf("%s, %s: %s to %s; busy %s, %s of all; %s of %s used; %s", b.Link, b.Kind, b.SourceDomain, b.TargetDomain,
		dur(b.BusyNs), unit.Percent(share), unit.Percent(b.Share), unit.Plural(b.Lanes, "lane"), b.counted())
	texts := []string{fmt.Sprintf("%s · %s · %s used", b.Link, unit.Percent(share), unit.Percent(b.Share)), b.Link + " · " + unit.Percent(share), b.Link, unit.Percent(share)}
	marked(c, hover, func() {
		for i := 0; i+1 < len(keys); i++ {
			from, to := l.index[keys[i]], l.index[keys[i+1]]
			x0, x1 := x(from.column)+flowNodeWidth, x(to.column)
			y0, y1 := c.Max.Y-vg.Length(from.outAt), c.Max.Y-vg.Length(to.inAt)
			from.outAt, to.inAt = from.outAt+h, to.inAt+h
			ribbon(c, ink.Faint(0.38), x0, y0, x1, y1, vg.Length(h))
			if i == 0 && h >= 13 {
				room := (x1 - x0).Points() - 20
				if l.columns > 2 { // the names of adapters stand around the next column
					room = (x(1) - x0).Points() - 50
				}
				l.labels = append(l.labels, flowLabel{x0 + 10, y0 - vg.Length(h/2) - 4, room, texts})
			}
		}
	})
}

// ribbon fills a band of constant vertical thickness whose upper edge runs from
// (x0, y0) to (x1, y1).
func ribbon(c draw.Canvas, ink Ink, x0, y0, x1, y1, h vg.Length) {
	mid := (x0 + x1) / 2
	var p vg.Path
	p.Move(vg.Point{X: x0, Y: y0})
	p.CubeTo(vg.Point{X: mid, Y: y0}, vg.Point{X: mid, Y: y1}, vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x1, Y: y1 - h})
	p.CubeTo(vg.Point{X: mid, Y: y1 - h}, vg.Point{X: mid, Y: y0 - h}, vg.Point{X: x0, Y: y0 - h})
	p.Close()
	fill(c, ink, p)
}

func (l *flowLayout) drawNode(c draw.Canvas, n *flowNode, x vg.Length, side float64) {
	top, bottom := c.Max.Y-vg.Length(n.top), c.Max.Y-vg.Length(n.bottom)
	hover := fmt.Sprintf("%s %s: busy %s together", n.system, n.id, dur(n.total))
	marked(c, strings.TrimSpace(hover), func() {
		fill(c, inkText, rect(x, bottom, x+flowNodeWidth, top))
	})
	y := (top+bottom)/2 - 4
	face := plain(textSize)
	room := side - 8
	switch n.column {
	case 0:
		put(c, face, inkText, x-6, y, right, elide(n.id, face, room))
	case l.columns - 1:
		put(c, face, inkText, x+flowNodeWidth+6, y, left, elide(n.id, face, room))
	default:
		label(c, x+flowNodeWidth/2, top+3, middle, inkText, elide(n.id, face, 140))
	}
}
