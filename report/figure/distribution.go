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
			t.Empty = "No sample was recorded in this run."
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
	case p50 <= 0:
		return fmt.Sprintf("p95 %s %s; half or more take %s", d.Name, unit.Duration(p95), unit.Duration(p50))
	case p95/p50 < 1.05:
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
	_, rows := d.placed(width)
	return 350 + quantileRowHeight*float64(rows)
}

// quantile is one labelled vertical line: its label stands in a row above the
// area, left or right of the line.
type quantile struct {
	ns       float64
	label    string
	row      int
	toLeft   bool
	x        float64 // px from the left of the area
	from, to float64 // px extent of the label
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
		qs = append(qs, quantile{ns: float64(q.ns), label: names + " " + dur(q.ns)})
		names = ""
	}
	return qs
}

const quantileRowHeight = 16.0

// placed puts the labels into as few rows as possible so that none covers another
// or is crossed by another's line: all placements are tried, of which there are at
// most 216. Positions assume an area 60 px narrower than the figure.
func (d Distribution) placed(width float64) (qs []quantile, rows int) {
	width -= 60
	qs = d.quantiles()
	g := (&panel{x: d.xAxis(width + 60), y: axis{max: 1}}).plot()
	for i := range qs {
		qs[i].x = g.X.Norm(qs[i].ns) * width
	}
	best, bestCost := slices.Clone(qs), math.MaxInt
	places := 1
	for range qs {
		places *= 6
	}
	for k := 0; k < places; k++ {
		cost, rest := 0, k
		for i := range qs {
			q := &qs[i]
			q.row, q.toLeft = rest%3, rest/3%2 == 1
			rest /= 6
			cost += q.row * 4
			w := widthOf(strong(textSize), q.label)
			q.from, q.to = q.x+4, q.x+4+w
			if q.toLeft {
				q.from, q.to = q.x-4-w, q.x-4
				cost++
			}
			if q.from < -20 || q.to > width+8 {
				cost += 1000
			}
		}
		if cost += 100 * conflicts(qs); cost < bestCost {
			bestCost = cost
			copy(best, qs)
		}
	}
	for _, q := range best {
		rows = max(rows, q.row+1)
	}
	return best, rows
}

// conflicts counts labels that touch another label or another's line.
func conflicts(qs []quantile) (n int) {
	for i, a := range qs {
		for j, b := range qs {
			if i == j {
				continue
			}
			if a.row == b.row && a.from < b.to+8 && b.from < a.to+8 {
				n++
			}
			if b.row >= a.row && b.x > a.from-3 && b.x < a.to+3 {
				n++
			}
		}
	}
	return n
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
	qs, rows := d.placed(width)
	head := quantileRowHeight * float64(rows)
	b := d.bins(int(math.Min(80, math.Max(8, width/9))))
	most := float64(slices.Max(b.counts))
	x := d.xAxis(width)

	topShare := head + math.Round((height-head)*0.52)
	hist := panel{x: x, hideX: true, noGridX: true, head: head,
		y: countAxis("Number of "+d.Sample+"s", most*1.05, topShare-head-30, yTickSpace)}
	ecdf := panel{x: x, y: percentAxis("At or below", height-topShare-60, 40)}
	alignPanels(&hist, &ecdf)
	hist.marks = []plot.Plotter{d.bars(b, x)}
	ecdf.marks = []plot.Plotter{d.curve(x, width)}
	hist.draw(draw.Crop(c, 0, 0, vg.Length(height-topShare), 0))
	ecdf.draw(draw.Crop(c, 0, 0, 0, -vg.Length(topShare)))
	area := draw.Crop(c, vg.Length(hist.left), -vg.Length(hist.right), tickHeight+xNameSpace, -vg.Length(nameHeight+head))
	seam := c.Max.Y - vg.Length(topShare) // between the panels: the lower one's name stands there
	drawQuantiles(area, hist.plot(), qs, seam+4, seam-nameHeight)
}

func (d Distribution) bars(b bins, x axis) plot.Plotter {
	m := boxes{ink: Series, minWidth: 1.5, inset: 1}
	for i, n := range b.counts {
		from, to := b.edges[i], b.edges[i+1]
		if len(b.counts) == 1 {
			half := (x.max - x.min) / 40
			from, to = from-half, from+half
		}
		m.spans = append(m.spans, box{from, 0, to, float64(n), fmt.Sprintf("%s to %s: %s", unit.Duration(b.edges[i]), unit.Duration(b.edges[i+1]), unit.Plural(int64(n), d.Sample))})
	}
	return m
}

// curve is the empirical distribution: each of its steps, or for many samples its
// exact value at every pixel column.
func (d Distribution) curve(x axis, width float64) line {
	n := len(d.Sorted)
	l := line{step: true, ink: Series, width: 2, points: []point{{x.min, 0}}, about: fmt.Sprintf("share at or below: p50 %s, p95 %s, p99 %s of %s",
		dur(d.p50()), dur(d.p95()), dur(d.p99()), unit.Plural(int64(n), d.Sample))}
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

// drawQuantiles draws each line from its label down through both panels, but not
// through the words between above and below.
func drawQuantiles(c draw.Canvas, g *plot.Plot, qs []quantile, above, below vg.Length) {
	tx, _ := g.Transforms(&c)
	for _, q := range qs {
		x := crisp(tx(q.ns))
		base := c.Max.Y + vg.Length(quantileRowHeight*float64(q.row)) + 4
		stroke(c, inkText, 1, segment(x, above, x, base+9), 4, 3)
		stroke(c, inkText, 1, segment(x, c.Min.Y, x, below), 4, 3)
		if q.toLeft {
			put(c, strong(textSize), inkText, x-4, base, right, q.label)
			continue
		}
		put(c, strong(textSize), inkText, x+4, base, left, q.label)
	}
}
