package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// Distribution is a histogram over an empirical cumulative distribution of
// durations, on one shared axis, with p50, p95 and p99 labelled on the lines.
//
// Quantiles use the nearest-rank rule of contract 05 section 4.9. The axis is
// linear unless all samples are positive and the largest is more than 10 times the
// median, when it is logarithmic and says so.
type Distribution struct {
	Source
	Name    string  // "TTFT"
	What    string  // "Time to first token"
	Sample  string  // what one sample is, singular: "request", "token gap"
	Nothing string  // reason shown when there is no sample
	Sorted  []int64 // ns, ascending
}

// NewDistribution sorts a copy of the samples.
func NewDistribution(src Source, name, what, sample string, ns []int64) Distribution {
	sorted := slices.Clone(ns)
	slices.Sort(sorted)
	return Distribution{Source: src, Name: name, What: what, Sample: sample, Sorted: sorted}
}

// Quantile is the nearest-rank quantile num/den in ns; 0 without samples.
func (d Distribution) Quantile(num, den int64) int64 {
	n := int64(len(d.Sorted))
	if n == 0 {
		return 0
	}
	k := max((n*num+den-1)/den, 1)
	return d.Sorted[k-1]
}

func (d Distribution) p50() int64 { return d.Quantile(1, 2) }
func (d Distribution) p95() int64 { return d.Quantile(19, 20) }
func (d Distribution) p99() int64 { return d.Quantile(99, 100) }

// Text gives the figure's words.
func (d Distribution) Text() Text {
	t := d.words()
	n := len(d.Sorted)
	t.What = fmt.Sprintf("%s, %s", d.What, unit.Plural(int64(n), d.Sample))
	switch n {
	case 0:
		t.Title = d.Name + ": nothing to show"
		t.Empty = d.Nothing
		if t.Empty == "" {
			t.Empty = "No " + d.Sample + " was recorded in this run."
		}
		return t
	case 1:
		t.Title = fmt.Sprintf("%s %s", d.Name, dur(d.Sorted[0]))
		t.Empty = fmt.Sprintf("One %s: %s. A distribution needs at least two; every percentile equals this value.",
			d.Sample, dur(d.Sorted[0]))
		return t
	}
	t.Title = d.finding()
	t.Alt = fmt.Sprintf("Modeled %s of %s: p50 %s, p95 %s, p99 %s, from %s to %s.", d.Name,
		unit.Plural(int64(n), d.Sample), dur(d.p50()), dur(d.p95()), dur(d.p99()), dur(d.Sorted[0]), dur(d.Sorted[n-1]))
	if n > ecdfExact {
		t.Caption = fmt.Sprintf("The cumulative curve is drawn at pixel resolution from all %s samples.", unit.Count(int64(n)))
	}
	return t
}

// ecdfExact is the number of samples up to which every step of the curve is drawn.
const ecdfExact = 2000

func (d Distribution) finding() string {
	p50, p95 := float64(d.p50()), float64(d.p95())
	switch {
	case d.Sorted[0] == d.Sorted[len(d.Sorted)-1]:
		return fmt.Sprintf("%s is %s for every %s", d.Name, unit.Duration(p50), d.Sample)
	case p50 <= 0 || p95/p50 < 1.05:
		return fmt.Sprintf("p95 %s %s, close to the median of %s", d.Name, unit.Duration(p95), unit.Duration(p50))
	}
	return fmt.Sprintf("p95 %s %s, %s the median", d.Name, unit.Duration(p95), unit.Factor(p95/p50))
}

// SVG renders the figure.
func (d Distribution) SVG(o Options) ([]byte, error) { return renderSVG(d, o) }

// PNG renders the figure.
func (d Distribution) PNG(o Options) ([]byte, error) { return renderPNG(d, o) }

// PDF renders the figure.
func (d Distribution) PDF(o Options) ([]byte, error) { return renderPDF(d, o) }

// Table gives the bins of the histogram.
func (d Distribution) Table() Table {
	var b bins
	if len(d.Sorted) > 0 {
		b = d.bins(60)
	}
	total := 0
	cumulated := make([]int, len(b.counts))
	for i, n := range b.counts {
		total += n
		cumulated[i] = total
	}
	return Table{
		Columns: []Column{{"from", "ns", true}, {"to", "ns", true}, {d.Sample + "s", "", true}, {"at or below", "", true}},
		Len:     len(b.counts),
		Row: func(i int) []string {
			return []string{exact(b.edges[i]), exact(b.edges[i+1]), strconv.Itoa(b.counts[i]), strconv.Itoa(cumulated[i])}
		},
	}
}

// exact writes a number without rounding.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// bins is a histogram: counts[i] samples from edges[i] up to, not including,
// edges[i+1]; the last bin includes its end.
type bins struct {
	edges  []float64
	counts []int
}

func (d Distribution) log() bool {
	n := len(d.Sorted)
	return n > 1 && d.Sorted[0] > 0 && d.Sorted[n-1] > 10*d.p50()
}

// bins cuts the range by the Freedman-Diaconis rule, on the axis' own scale, into
// 8 to most bins. Edges are whole nanoseconds.
func (d Distribution) bins(most int) bins {
	n := len(d.Sorted)
	lo, hi := float64(d.Sorted[0]), float64(d.Sorted[n-1])
	if lo == hi {
		return bins{edges: []float64{lo, hi + 1}, counts: []int{n}}
	}
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if d.log() {
		to, from = math.Log, math.Exp
	}
	span := to(hi) - to(lo)
	iqr := to(float64(d.Quantile(3, 4))) - to(float64(d.Quantile(1, 4)))
	k := 30.0
	if iqr > 0 {
		k = math.Ceil(span / (2 * iqr / math.Cbrt(float64(n))))
	}
	k = math.Min(math.Max(k, 8), float64(most))
	b := bins{edges: []float64{lo}}
	for i := 1.0; i <= k; i++ {
		edge := math.Round(from(to(lo) + float64(span*i/k)))
		if i == k {
			edge = hi
		}
		if edge > b.edges[len(b.edges)-1] {
			b.edges = append(b.edges, edge)
		}
	}
	b.counts = make([]int, len(b.edges)-1)
	below := 0
	for i := range b.counts {
		upto := n
		if i < len(b.counts)-1 {
			upto, _ = slices.BinarySearch(d.Sorted, int64(b.edges[i+1]))
		}
		b.counts[i], below = upto-below, upto
	}
	return b
}

func (d Distribution) plotHeight(width float64) float64 {
	return 340 + quantileRowHeight*float64(len(d.quantileRows(width)))
}

// quantile is one labelled vertical line.
type quantile struct {
	ns    float64
	label string
}

// quantiles merges those that coincide.
func (d Distribution) quantiles() []quantile {
	all := []struct {
		name string
		ns   int64
	}{{"p50", d.p50()}, {"p95", d.p95()}, {"p99", d.p99()}}
	var qs []quantile
	names := ""
	for i, q := range all {
		if names != "" {
			names += ", "
		}
		names += q.name
		if i+1 < len(all) && all[i+1].ns == q.ns {
			continue
		}
		qs = append(qs, quantile{float64(q.ns), names + " " + dur(q.ns)})
		names = ""
	}
	return qs
}

const quantileRowHeight = 16.0

// quantileRows puts labels that would overlap into rows of their own, the lowest
// row first. Positions are estimated with the area's usual margins.
func (d Distribution) quantileRows(width float64) [][]quantile {
	p := d.xAxis(width)
	g := (&panel{x: p, y: axis{max: 1}}).plot()
	var rows [][]quantile
	var ends []float64
	for _, q := range slices.Backward(d.quantiles()) {
		x0, x1 := d.labelSpan(q, g.X.Norm(q.ns)*(width-60), width-60)
		row := 0
		for row < len(rows) && x1 > ends[row]-10 {
			row++
		}
		if row == len(rows) {
			rows, ends = append(rows, nil), append(ends, 0)
		}
		rows[row] = append(rows[row], q)
		ends[row] = x0
	}
	return rows
}

// labelSpan is the horizontal extent of a label: right of its line when that fits.
func (d Distribution) labelSpan(q quantile, x, width float64) (from, to float64) {
	w := widthOf(plain(textSize), q.label)
	if x+4+w <= width {
		return x + 4, x + 4 + w
	}
	return x - 4 - w, x - 4
}

func (d Distribution) xAxis(width float64) axis {
	n := len(d.Sorted)
	lo, hi := float64(d.Sorted[0]), float64(d.Sorted[n-1])
	name := "Modeled " + d.Name
	if d.log() {
		return logDurationAxis(name, lo/1.15, hi*1.15, width-60, 72)
	}
	if lo < hi {
		pad := (hi - lo) * 0.03
		lo, hi = math.Max(0, lo-pad), hi+pad
	}
	if lo < hi*0.35 {
		lo = 0
	}
	return durationAxis(name, lo, hi, width-60, xTickSpace)
}

func (d Distribution) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	height := (c.Max.Y - c.Min.Y).Points()
	rows := d.quantileRows(width)
	head := quantileRowHeight * float64(len(rows))
	b := d.bins(int(math.Min(80, math.Max(8, width/9))))
	most := float64(slices.Max(b.counts))
	x := d.xAxis(width)

	topShare := math.Round((height - head) * 0.52)
	hist := panel{x: x, hideX: true, noGridX: true,
		y: countAxis("Number of "+d.Sample+"s", most*1.05, topShare-30, yTickSpace)}
	ecdf := panel{x: x, y: percentAxis("At or below", height-head-topShare-60, 40)}
	alignPanels(&hist, &ecdf)
	hist.marks = []plot.Plotter{d.bars(b, x)}
	ecdf.marks = []plot.Plotter{d.curve(x, width)}

	c.Max.Y -= vg.Length(head)
	top := draw.Crop(c, 0, 0, vg.Length(height-head-topShare), 0)
	bottom := draw.Crop(c, 0, 0, 0, -vg.Length(topShare))
	hist.draw(top)
	ecdf.draw(bottom)
	lines := draw.Crop(c, vg.Length(hist.left), -vg.Length(hist.right), tickHeight+xNameSpace, 0)
	d.drawQuantiles(lines, hist.plot(), rows)
}

func (d Distribution) bars(b bins, x axis) plot.Plotter {
	m := boxes{ink: Series, minWidth: 1.5, inset: 1}
	for i, n := range b.counts {
		from, to := b.edges[i], b.edges[i+1]
		if len(b.counts) == 1 {
			half := (x.max - x.min) / 40
			from, to = from-half, from+half
		}
		m.spans = append(m.spans, box{from, 0, to, float64(n)})
	}
	return m
}

// curve is the empirical distribution: each of its steps, or for many samples its
// exact value at every pixel column.
func (d Distribution) curve(x axis, width float64) plot.Plotter {
	n := len(d.Sorted)
	l := line{step: true, ink: Series, width: 2, points: []point{{x.min, 0}}}
	if n <= ecdfExact {
		for i := 0; i < n; i++ {
			if i+1 < n && d.Sorted[i+1] == d.Sorted[i] {
				continue
			}
			l.points = append(l.points, point{float64(d.Sorted[i]), float64(i+1) / float64(n)})
		}
	} else {
		columns := int(width)
		for k := 1; k <= columns; k++ {
			f := float64(k) / float64(columns)
			v := x.min + float64(f*(x.max-x.min))
			if x.log {
				v = x.min * math.Pow(x.max/x.min, f)
			}
			at, _ := slices.BinarySearch(d.Sorted, int64(v)+1)
			share := float64(at) / float64(n)
			if share != l.points[len(l.points)-1].y {
				l.points = append(l.points, point{v, share})
			}
		}
	}
	l.points = append(l.points, point{x.max, 1})
	return l
}

// drawQuantiles draws each line from its label down through both panels.
func (d Distribution) drawQuantiles(c draw.Canvas, g *plot.Plot, rows [][]quantile) {
	width := (c.Max.X - c.Min.X).Points()
	tx, _ := g.Transforms(&c)
	for r, row := range rows {
		base := c.Max.Y + vg.Length(quantileRowHeight*float64(r)) + 4
		for _, q := range row {
			x := crisp(tx(q.ns))
			stroke(c, inkText, 1, segment(x, c.Min.Y, x, base+9), 4, 3)
			from, _ := d.labelSpan(q, (x - c.Min.X).Points(), width)
			put(c, strong(textSize), inkText, c.Min.X+vg.Length(from), base, left, q.label)
		}
	}
}
