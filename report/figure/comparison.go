package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/serving"
)

// seriesStyles tell overlaid runs apart by colour and by dash; the seventh run
// starts again with the first colour and wider gaps.
var seriesStyles = []struct {
	ink  Ink
	dash []vg.Length
}{
	{Series, nil}, {Rejected, []vg.Length{7, 3}}, {Accepted, []vg.Length{2, 2}}, {Correction, []vg.Length{9, 3, 2, 3}},
	{Prefill, []vg.Length{4, 2}}, {Sidecar, []vg.Length{1, 3}},
}

// Ranking shows runs by one quantity as horizontal bars, the best first and marked
// (contract 09, V14).
type Ranking struct {
	Source
	Quantity       string // "Modeled duration"
	Unit           string // "ns" is spelled as a duration, anything else follows the number
	HigherIsBetter bool
	Rows           []Ranked // best first
}

// Ranked is one run of a Ranking.
type Ranked struct {
	Label      string
	Value      float64
	Confidence evidence.Class
}

func (f Ranking) spell(v float64) string {
	if f.Unit == "ns" {
		return unit.Duration(v)
	}
	return strings.TrimSpace(unit.Number(v) + " " + f.Unit)
}

// Text gives the figure's words.
func (f Ranking) Text() Text {
	t := f.words()
	t.What = f.Quantity + ", lower is better"
	if f.HigherIsBetter {
		t.What = f.Quantity + ", higher is better"
	}
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "Nothing to compare", "No run was compared."
		return t
	}
	best := f.Rows[0]
	t.Title = fmt.Sprintf("%s is first with %s", brief(best.Label), f.spell(best.Value))
	if len(f.Rows) > 1 {
		second := f.Rows[1]
		ratio := second.Value / best.Value
		if f.HigherIsBetter {
			ratio = best.Value / second.Value
		}
		switch {
		case best.Value == second.Value:
			t.Title = fmt.Sprintf("%s and %s share the first place with %s", brief(best.Label), brief(second.Label), f.spell(best.Value))
		case !math.IsNaN(ratio) && !math.IsInf(ratio, 0):
			t.Title += fmt.Sprintf(", %s ahead of %s", lead(ratio), brief(second.Label))
		}
	}
	last := f.Rows[len(f.Rows)-1]
	t.Alt = fmt.Sprintf("%s of %s: from %s (%s) to %s (%s).", f.Quantity, unit.Plural(int64(len(f.Rows)), "run"),
		f.spell(best.Value), brief(best.Label), f.spell(last.Value), brief(last.Label))
	for _, r := range f.Rows {
		if r.Confidence != best.Confidence {
			t.Caption = "Warning: the runs are of unequal confidence, so their order is no more certain than the weakest of them."
		}
	}
	return t
}

// lead spells how far the first is ahead: a narrow one in percent, since every factor
// near one reads the same.
func lead(ratio float64) string {
	if ratio < 1.1 {
		return unit.Percent(ratio - 1)
	}
	return unit.Factor(ratio)
}

// SVG renders the figure.
func (f Ranking) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Ranking) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Ranking) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a run.
func (f Ranking) Table() Table {
	return Table{
		Columns: []Column{{"run", "", false}, {f.Quantity, f.Unit, true}, {"confidence", "", false}},
		Len:     len(f.Rows),
		Row: func(i int) []string {
			return []string{f.Rows[i].Label, exact(f.Rows[i].Value), string(f.Rows[i].Confidence)}
		},
	}
}

func (f Ranking) plotHeight(float64) float64 { return barRow*float64(len(f.Rows)) + 8 }

func (f Ranking) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	names, values, top := 0.0, 0.0, 0.0
	for _, r := range f.Rows {
		names = math.Max(names, widthOf(strong(textSize), elide(r.Label, strong(textSize), width*0.34)))
		values = math.Max(values, widthOf(strong(textSize), f.spell(r.Value)))
		top = math.Max(top, r.Value)
	}
	area := draw.Crop(c, vg.Length(names+10), -vg.Length(values+10), 4, -4)
	for i, r := range f.Rows {
		y := area.Max.Y - vg.Length(barRow*(float64(i)+0.5))
		face, ink := plain(textSize), Waiting
		if r.Value == f.Rows[0].Value {
			face, ink = strong(textSize), Series
		}
		end := area.Min.X + (area.Max.X-area.Min.X)*vg.Length(r.Value/math.Max(top, 1e-300))
		put(c, face, inkText, area.Min.X-8, y-4, right, elide(r.Label, face, width*0.34))
		marked(c, fmt.Sprintf("%s: %s, %s", r.Label, f.spell(r.Value), r.Confidence), func() {
			fill(c, ink, rect(area.Min.X, y-7, max(end, area.Min.X+1), y+7))
		})
		put(c, face, inkText, end+6, y-4, left, f.spell(r.Value))
	}
	x := crisp(area.Min.X)
	stroke(c, Muted, 1, segment(x, area.Min.Y, x, area.Max.Y))
}

// Overlay compares distributions of the same quantity: one empirical cumulative
// curve a run on one shared axis.
type Overlay struct {
	Source
	Name, What, Sample string
	Runs               []Distribution // Run names each
}

// CompareTTFT overlays the time to first token of runs.
func CompareTTFT(runs []*serving.Run) Overlay {
	f := Overlay{Name: "TTFT", What: "Time to first token", Sample: "request", Source: sourceOfAll(runs)}
	for _, r := range runs {
		f.Runs = append(f.Runs, TTFT(r))
	}
	return f
}

// CompareITL overlays the gaps between tokens of runs.
func CompareITL(runs []*serving.Run) Overlay {
	f := Overlay{Name: "ITL", What: "Inter-token latency", Sample: "token gap", Source: sourceOfAll(runs)}
	for _, r := range runs {
		f.Runs = append(f.Runs, ITL(r))
	}
	return f
}

// sourceOfAll names a comparison and takes the weakest confidence.
func sourceOfAll(runs []*serving.Run) Source {
	s := Source{Run: unit.Plural(int64(len(runs)), "run"), Confidence: evidence.Exact}
	for _, r := range runs {
		s.Confidence = evidence.Weakest(s.Confidence, r.Confidence)
	}
	return s
}

// drawn lists the runs that have samples.
func (f Overlay) drawn() []Distribution {
	var out []Distribution
	for _, d := range f.Runs {
		if len(d.Sorted) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// Text gives the figure's words.
func (f Overlay) Text() Text {
	t := f.words()
	runs := f.drawn()
	t.What = f.What + ", share at or below, one curve a run"
	if len(runs) == 0 {
		t.Title, t.Empty = f.Name+": nothing to compare", "No run has a sample of "+f.Name+"."
		return t
	}
	best, worst := runs[0], runs[0]
	for _, d := range runs {
		if d.p95() < best.p95() {
			best = d
		}
		if d.p95() > worst.p95() {
			worst = d
		}
	}
	t.Title = fmt.Sprintf("p95 %s from %s on %s to %s on %s", f.Name, dur(best.p95()), brief(best.Run), dur(worst.p95()), brief(worst.Run))
	if best.p95() == worst.p95() {
		t.Title = fmt.Sprintf("p95 %s is %s on every machine", f.Name, dur(best.p95()))
	}
	t.Alt = "Modeled " + t.Title + "."
	t.Caption = "Every run is drawn at pixel resolution from all its samples, on one axis."
	return t
}

// SVG renders the figure.
func (f Overlay) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Overlay) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Overlay) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives the quantiles of every run.
func (f Overlay) Table() Table {
	runs := f.drawn()
	return Table{
		Columns: []Column{{"run", "", false}, {"samples", "", true}, {"p50", "ns", true}, {"p95", "ns", true}, {"p99", "ns", true}, {"largest", "ns", true}},
		Len:     len(runs),
		Row: func(i int) []string {
			d := runs[i]
			return append([]string{d.Run}, decimals(int64(len(d.Sorted)), d.p50(), d.p95(), d.p99(), d.Sorted[len(d.Sorted)-1])...)
		},
	}
}

func (f Overlay) keys() []key {
	var keys []key
	for i, d := range f.drawn() {
		s := seriesStyles[i%len(seriesStyles)]
		keys = append(keys, key{ink: s.ink, label: fmt.Sprintf("%s, p95 %s", brief(d.Run), dur(d.p95())), shape: keySeries + keyShape(i%len(seriesStyles))})
	}
	return keys
}

func (f Overlay) plotHeight(width float64) float64 {
	return 250 + keyLineHeight*float64(len(keyRows(f.keys(), width)))
}

func (f Overlay) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	width := (c.Max.X - c.Min.X).Points()
	runs := f.drawn()
	var all []int64
	for _, d := range runs {
		all = append(all, d.Sorted[0], d.p50(), d.Sorted[len(d.Sorted)-1])
	}
	slices.Sort(all)
	x := Distribution{Source: f.Source, Name: f.Name, Sorted: all}.xAxis(width)
	p := panel{x: x, y: percentAxis("At or below", (c.Max.Y-c.Min.Y).Points()-60, 40)}
	for i, d := range runs {
		s := seriesStyles[i%len(seriesStyles)]
		curve := d.curve(x, width)
		curve.ink, curve.dash, curve.about = s.ink, s.dash, d.Run+", "+curve.about
		p.marks = append(p.marks, curve)
	}
	p.draw(c)
}

// Tradeoff shows throughput against p95 TTFT, one point a run; the runs that no
// other beats in both are joined by the Pareto front.
type Tradeoff struct {
	Source
	Points []TradeoffPoint
}

// TradeoffPoint is one run of a Tradeoff.
type TradeoffPoint struct {
	Label      string
	Throughput float64 // tokens/s
	TTFTNs     int64   // p95
}

// CompareTradeoff makes a Tradeoff of runs.
func CompareTradeoff(runs []*serving.Run) Tradeoff {
	f := Tradeoff{Source: sourceOfAll(runs)}
	for _, r := range runs {
		f.Points = append(f.Points, TradeoffPoint{Label: sourceOf(r).Run, Throughput: r.Metrics.ThroughputTokensPerSecond,
			TTFTNs: r.Metrics.P95TimeToFirstTokenNs})
	}
	return f
}

// front lists the points that no other point beats in both, by throughput.
func (f Tradeoff) front() []TradeoffPoint {
	var out []TradeoffPoint
	for i, p := range f.Points {
		beaten := false
		for j, q := range f.Points {
			better := q.Throughput >= p.Throughput && q.TTFTNs <= p.TTFTNs && (q.Throughput > p.Throughput || q.TTFTNs < p.TTFTNs)
			if i != j && better {
				beaten = true
			}
		}
		if !beaten {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b TradeoffPoint) int {
		switch {
		case a.Throughput < b.Throughput:
			return -1
		case a.Throughput > b.Throughput:
			return 1
		}
		return 0
	})
	return out
}

// Text gives the figure's words.
func (f Tradeoff) Text() Text {
	t := f.words()
	t.What = "Predicted throughput against modeled p95 TTFT; better is right and down"
	if len(f.Points) == 0 {
		t.Title, t.Empty = "Nothing to compare", "No run was compared."
		return t
	}
	front := f.front()
	if len(front) == 1 {
		t.Title = fmt.Sprintf("No other run beats %s in throughput or p95 TTFT", brief(front[0].Label))
		if len(f.Points) == 1 {
			t.Title = fmt.Sprintf("%s is the only run", brief(front[0].Label))
		}
	} else {
		names := make([]string, len(front))
		for i, p := range front {
			names[i] = p.Label
		}
		t.Title = fmt.Sprintf("%d of %d runs are a choice between throughput and p95 TTFT", len(front), len(f.Points))
		t.Caption = "Not beaten in both: " + enumerate(names, 8) + "."
	}
	t.Alt = t.Title + "."
	return t
}

// SVG renders the figure.
func (f Tradeoff) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Tradeoff) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Tradeoff) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a run.
func (f Tradeoff) Table() Table {
	return Table{
		Columns: []Column{{"run", "", false}, {"throughput", "tokens/s", true}, {"p95 TTFT", "ns", true}},
		Len:     len(f.Points),
		Row: func(i int) []string {
			p := f.Points[i]
			return append([]string{p.Label, exact(p.Throughput)}, decimals(p.TTFTNs)...)
		},
	}
}

func (f Tradeoff) plotHeight(float64) float64 { return 300 }

func (f Tradeoff) paint(c draw.Canvas) {
	width, height := (c.Max.X - c.Min.X).Points(), (c.Max.Y - c.Min.Y).Points()
	fastest, slowest, longest, shortest := 0.0, math.Inf(1), 0.0, math.Inf(1)
	for _, p := range f.Points {
		fastest, slowest = math.Max(fastest, p.Throughput), math.Min(slowest, p.Throughput)
		longest, shortest = math.Max(longest, float64(p.TTFTNs)), math.Min(shortest, float64(p.TTFTNs))
	}
	x := countAxis("Predicted throughput, tokens/s", fastest*1.15, width-60, xTickSpace)
	y := durationAxis("Modeled p95 TTFT", 0, longest*1.15, height-60, yTickSpace)
	if shortest > 0 && longest > 10*shortest {
		y = logDurationAxis("Modeled p95 TTFT", shortest/1.6, longest*1.6, height-60, yTickSpace)
	}
	p := panel{x: x, y: y}
	var front line
	for _, q := range f.front() {
		front.points = append(front.points, point{q.Throughput, float64(q.TTFTNs)})
	}
	front.ink, front.width, front.dash = Muted, 1, []vg.Length{4, 3}
	p.marks = []plot.Plotter{front, scatter{f.Points}}
	p.draw(c)
}

// scatter draws labelled points; labels that would cover another are left to the
// table and the hover text.
type scatter struct{ points []TradeoffPoint }

// Plot draws the points and their labels.
func (s scatter) Plot(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	var taken []area
	for _, p := range s.points {
		x, y := tx(p.Throughput).Points(), ty(float64(p.TTFTNs)).Points()
		taken = append(taken, area{x - 5, y - 5, x + 5, y + 5})
	}
	named := map[point]string{} // points that coincide share a label
	for _, p := range s.points {
		at := point{p.Throughput, float64(p.TTFTNs)}
		if named[at] != "" {
			named[at] += ", "
		}
		named[at] += p.Label
	}
	for i, p := range s.points {
		x, y := tx(p.Throughput), ty(float64(p.TTFTNs))
		hover := fmt.Sprintf("%s: %s tokens/s, p95 TTFT %s", p.Label, unit.Number(p.Throughput), dur(p.TTFTNs))
		marked(c, hover, func() { fill(c, seriesStyles[i%len(seriesStyles)].ink, circle(x, y, 4.5)) })
		text := named[point{p.Throughput, float64(p.TTFTNs)}]
		if text == "" {
			continue
		}
		named[point{p.Throughput, float64(p.TTFTNs)}] = ""
		text = elide(text, plain(textSize), 260)
		w := widthOf(plain(textSize), text)
		for _, at := range []struct{ x, y float64 }{{x.Points() + 8, y.Points() - 4}, {x.Points() - 8 - w, y.Points() - 4},
			{x.Points() - w/2, y.Points() + 8}, {x.Points() - w/2, y.Points() - 17}} {
			box := area{at.x - 2, at.y - 3, at.x + w + 2, at.y + 11}
			if box.x0 < c.Min.X.Points() || box.x1 > c.Max.X.Points() || box.hits(taken) {
				continue
			}
			taken = append(taken, box)
			put(c, plain(textSize), inkText, vg.Length(at.x), vg.Length(at.y), left, text)
			break
		}
	}
}
