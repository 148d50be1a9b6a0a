package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/experts"
)

// CapacityWhatIf shows the hot hit rate that the same routes would have had with
// other hot capacities. Capacities in which the working set does not fit at all are
// crosses on the base line.
type CapacityWhatIf struct {
	Source
	Points       []WhatIfPoint // by capacity
	CurrentBytes int64         // the capacity of the run itself; 0: unknown
}

// WhatIfPoint is one capacity.
type WhatIfPoint struct {
	CapacityBytes int64
	HitRate       float64 // meaningful when Refused is empty
	StallNs       int64
	BytesMoved    int64
	Refused       string // why the cache could not do the workload; empty: it could
}

// WhatIf reads a figure from a sweep; current is the run's own hot capacity.
func WhatIf(src Source, sweep []experts.WhatIf, current int64) CapacityWhatIf {
	f := CapacityWhatIf{Source: src, CurrentBytes: current}
	for i := range sweep {
		p := WhatIfPoint{CapacityBytes: sweep[i].HotCapacityBytes}
		if sweep[i].Refused != nil {
			p.Refused = sweep[i].Refused.Error()
		} else {
			m := &sweep[i].Metrics
			p.HitRate, p.StallNs, p.BytesMoved = m.HotHitRate(), m.StallNs, m.BytesMoved
		}
		f.Points = append(f.Points, p)
	}
	slices.SortStableFunc(f.Points, func(a, b WhatIfPoint) int {
		return int(math.Copysign(1, float64(a.CapacityBytes-b.CapacityBytes)))
	})
	return f
}

// done lists the capacities that could do the workload.
func (f CapacityWhatIf) done() (points []WhatIfPoint) {
	for _, p := range f.Points {
		if p.Refused == "" {
			points = append(points, p)
		}
	}
	return points
}

// Text gives the figure's words.
func (f CapacityWhatIf) Text() Text {
	t := f.words()
	t.What = "Hot hit rate of the same routes with other hot capacities"
	done := f.done()
	if len(done) == 0 {
		t.Title, t.Empty = "No capacity to show", "No capacity of the sweep can hold the working set."
		return t
	}
	first, last := done[0], done[len(done)-1]
	t.Title = fmt.Sprintf("From %s to %s hot, the hit rate goes from %s to %s", unit.Bytes(float64(first.CapacityBytes)), unit.Bytes(float64(last.CapacityBytes)),
		unit.Percent(first.HitRate), unit.Percent(last.HitRate))
	if len(done) == 1 {
		t.Title = fmt.Sprintf("With %s hot, the hit rate is %s", unit.Bytes(float64(first.CapacityBytes)), unit.Percent(first.HitRate))
	}
	t.Alt = t.Title + fmt.Sprintf("; the modeled stall from %s to %s.", dur(first.StallNs), dur(last.StallNs))
	t.Caption = "Every point is a simulation of its own, replayed, with the same seed and therefore the same routes."
	if n := len(f.Points) - len(done); n > 0 {
		t.Caption += fmt.Sprintf(" %s (a cross each) cannot hold the experts that one token needs.", capacities(n))
	}
	return t
}

func capacities(n int) string {
	if n == 1 {
		return "1 capacity"
	}
	return fmt.Sprintf("%d capacities", n)
}

// SVG renders the figure.
func (f CapacityWhatIf) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f CapacityWhatIf) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f CapacityWhatIf) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a capacity.
func (f CapacityWhatIf) Table() Table {
	return Table{
		Columns: []Column{{"hot capacity", "bytes", true}, {"hot hit rate", "", true}, {"stall", "ns", true}, {"moved", "bytes", true}, {"refused", "", false}},
		Len:     len(f.Points),
		Row: func(i int) []string {
			p := &f.Points[i]
			if p.Refused != "" {
				return []string{decimals(p.CapacityBytes)[0], "", "", "", p.Refused}
			}
			return append([]string{decimals(p.CapacityBytes)[0], exact(p.HitRate)}, append(decimals(p.StallNs, p.BytesMoved), "")...)
		},
	}
}

func (f CapacityWhatIf) plotHeight(float64) float64 { return 220 }

func (f CapacityWhatIf) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	top := 0.0
	for _, p := range f.Points {
		top = math.Max(top, float64(p.CapacityBytes))
	}
	top = math.Max(top, float64(f.CurrentBytes)) * 1.03
	curve := line{ink: Hot, width: 2}
	for _, p := range f.done() {
		curve.points = append(curve.points, point{float64(p.CapacityBytes), p.HitRate})
	}
	p := panel{x: bytesAxis("Hot capacity", top, width-60, xTickSpace), y: percentAxis("Hot hit rate, all accesses", (c.Max.Y-c.Min.Y).Points()-70, yTickSpace), right: 16,
		marks: []plot.Plotter{curve, whatIfMarks{f}}}
	p.left = p.leftMargin()
	p.draw(c)
}

// whatIfMarks are the points of the sweep and the line of the run's own capacity.
type whatIfMarks struct{ f CapacityWhatIf }

// Plot draws the marks.
func (w whatIfMarks) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	if at := w.f.CurrentBytes; at > 0 {
		x := crisp(tx(float64(at)))
		stroke(c, Muted, 1, segment(x, c.Min.Y, x, c.Max.Y), 5, 3)
		side, dx := left, vg.Length(5)
		if x > c.Center().X {
			side, dx = right, -5
		}
		label(c, x+dx, c.Min.Y+6, side, inkText, "this run, "+unit.Bytes(float64(at)))
	}
	for _, p := range w.f.Points {
		x := tx(float64(p.CapacityBytes))
		if p.Refused != "" {
			marked(c, unit.Bytes(float64(p.CapacityBytes))+": refused", func() {
				cross := segment(x-4, c.Min.Y-4, x+4, c.Min.Y+4)
				stroke(c, Fault, 1.75, append(cross, segment(x-4, c.Min.Y+4, x+4, c.Min.Y-4)...))
			})
			continue
		}
		hover := fmt.Sprintf("%s hot: hit rate %s, stall %s, %s moved", unit.Bytes(float64(p.CapacityBytes)), unit.Percent(p.HitRate), dur(p.StallNs), unit.Bytes(float64(p.BytesMoved)))
		marked(c, hover, func() { fill(c, Hot, circle(x, ty(p.HitRate), 3.5)) })
	}
}
