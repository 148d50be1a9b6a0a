package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// MessageCurve is a measured transport: the median of every message size with the
// spread of its samples, and the piecewise-linear curve between them (contract 09,
// V17). The curve ends where the measurements end.
type MessageCurve struct {
	Source
	Operation    string // "collective all_reduce_ring"
	Scenario     string
	Participants int64
	Links        []string
	Signature    string // traffic shape; empty when there is none
	Points       []MessagePoint
}

// MessagePoint is one message size.
type MessagePoint struct {
	Bytes        int64
	MedianNs     int64
	MinNs, MaxNs int64
	Samples      int64
}

// Text gives the figure's words.
func (f MessageCurve) Text() Text {
	t := f.words()
	if len(f.Points) == 0 {
		t.Title, t.Empty = f.Operation+": nothing was measured", "The dataset has no sample of this transport."
		return t
	}
	first, last := f.Points[0], f.Points[len(f.Points)-1]
	samples := int64(0)
	for _, p := range f.Points {
		samples += p.Samples
	}
	t.What = fmt.Sprintf("Duration over message size, %s at %s", unit.Plural(samples, "sample"), unit.Plural(int64(len(f.Points)), "size"))
	t.Title = fmt.Sprintf("%s on %s: %s at %s, %s at the largest", f.Operation, f.Scenario, dur(last.MedianNs), unit.Bytes(float64(last.Bytes)),
		unit.Rate(float64(last.Bytes)/float64(last.MedianNs)*1e9))
	t.Alt = fmt.Sprintf("%s among %s: from %s at %s to %s at %s.", f.Operation, unit.Plural(f.Participants, "rank"),
		dur(first.MedianNs), unit.Bytes(float64(first.Bytes)), dur(last.MedianNs), unit.Bytes(float64(last.Bytes)))
	t.Caption = fmt.Sprintf("%s over %s. Between the medians durations are interpolated linearly; below %s and above %s nothing is priced.",
		unit.Plural(f.Participants, "rank"), strings.Join(f.Links, ", "), unit.Bytes(float64(first.Bytes)), unit.Bytes(float64(last.Bytes)))
	if f.Signature != "" {
		t.Caption += " Traffic " + f.Signature + "."
	}
	return t
}

// SVG renders the figure.
func (f MessageCurve) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f MessageCurve) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f MessageCurve) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a message size.
func (f MessageCurve) Table() Table {
	return Table{
		Columns: []Column{{"size", "bytes", true}, {"median", "ns", true}, {"shortest", "ns", true}, {"longest", "ns", true}, {"samples", "", true}},
		Len:     len(f.Points),
		Row: func(i int) []string {
			p := f.Points[i]
			return decimals(p.Bytes, p.MedianNs, p.MinNs, p.MaxNs, p.Samples)
		},
	}
}

func (f MessageCurve) plotHeight(float64) float64 { return 300 }

func (f MessageCurve) paint(c draw.Canvas) {
	width, height := (c.Max.X - c.Min.X).Points(), (c.Max.Y - c.Min.Y).Points()
	first, last := float64(f.Points[0].Bytes), float64(f.Points[len(f.Points)-1].Bytes)
	lo, hi := math.Inf(1), 0.0
	var medians []point
	var spans []plot.Plotter
	for _, p := range f.Points {
		x := float64(p.Bytes)
		medians = append(medians, point{x, float64(p.MedianNs)})
		spans = append(spans, whisker{x: x, low: float64(p.MinNs), high: float64(p.MaxNs), ink: Muted})
		lo, hi = math.Min(lo, float64(p.MinNs)), math.Max(hi, float64(p.MaxNs))
	}
	p := panel{
		x: logBytesAxis("Message size", first/1.25, last*1.25, width-60, xTickSpace),
		y: logDurationAxis("Duration", lo/1.25, hi*1.25, height-60, yTickSpace),
	}
	p.marks = append([]plot.Plotter{shade{from: first, to: last, ink: f.ink().Faint(0.07)}, line{ink: f.ink(), width: 2, points: between(medians)}}, spans...)
	p.marks = append(p.marks, dots{points: medians, ink: f.ink(), radius: 3.5})
	p.draw(c)
}

func (f MessageCurve) ink() Ink {
	if strings.HasPrefix(f.Operation, "transfer") {
		return Transfer
	}
	return Collective
}

// between adds points to a piecewise-linear curve, because a straight line of
// numbers is bent on logarithmic axes.
func between(points []point) []point {
	const pieces = 24
	var curve []point
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for k := range pieces {
			x := a.x * math.Pow(b.x/a.x, float64(k)/pieces)
			curve = append(curve, point{x, a.y + float64((x-a.x)/(b.x-a.x)*(b.y-a.y))})
		}
	}
	return append(curve, points[len(points)-1])
}

// logBytesAxis is a logarithmic axis of bytes with ticks at powers of two.
func logBytesAxis(name string, min, max, pixels, space float64) axis {
	a := axis{min: min, max: max, log: true, name: name + ", log scale"}
	lo, hi := int(math.Ceil(math.Log2(min))), int(math.Floor(math.Log2(max)))
	stride := 1
	for float64(hi-lo)/float64(stride)*space > pixels {
		stride++
	}
	for e := lo; e <= hi; e++ {
		if mod(e, stride) == 0 {
			v := math.Exp2(float64(e))
			a.ticks = append(a.ticks, plot.Tick{Value: v, Label: unit.Bytes(v)})
		}
	}
	if len(a.ticks) < 2 {
		a.ticks = []plot.Tick{{Value: min, Label: unit.Bytes(min)}, {Value: max, Label: unit.Bytes(max)}}
	}
	return a
}
