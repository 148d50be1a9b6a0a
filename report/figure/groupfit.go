package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// GroupFit is the fit of one device kind and capability of a calibration: measured
// durations with the fitted line over the measured range, and below the relative
// residuals against their gate (contract 09, V17). Nothing is drawn outside the
// range, because nothing is priced there. An invocation, which has no work items,
// shows its samples in order.
type GroupFit struct {
	Source
	Group         string // "gpu ffn"
	Invocation    bool
	Samples       []FitSample
	OverheadNs    int64
	CoefficientNs int64   // ns a work item; of an invocation ns
	ConfidenceNs  float64 // half width of the coefficient's 95 % interval
	RMSE, P95     float64
	MaxRMSE       float64 // gates
	MaxP95        float64
}

// FitSample is one measured duration.
type FitSample struct {
	Observation string
	Items       int64
	DurationNs  int64
	PredictedNs float64
}

func (s FitSample) relative() float64 {
	return (s.PredictedNs - float64(s.DurationNs)) / float64(s.DurationNs)
}

// Text gives the figure's words.
func (f GroupFit) Text() Text {
	t := f.words()
	if len(f.Samples) == 0 {
		t.Title, t.Empty = f.Group+": nothing was measured", "The dataset has no sample of this group."
		return t
	}
	lo, hi := f.span()
	what := "a work item"
	if f.Invocation {
		what = "an invocation"
	}
	t.Title = fmt.Sprintf("%s: %s %s ± %s, P95 error %s", f.Group, unit.Duration(float64(f.CoefficientNs)), what,
		unit.Duration(f.ConfidenceNs), unit.Percent(f.P95))
	t.What = fmt.Sprintf("Measured durations and the fit, %s", unit.Plural(int64(len(f.Samples)), "sample"))
	t.Alt = fmt.Sprintf("%s of %s: normalized RMSE %s against a gate of %s, P95 relative error %s against %s.", t.Title,
		unit.Plural(int64(len(f.Samples)), "sample"), unit.Percent(f.RMSE), unit.Percent(f.MaxRMSE), unit.Percent(f.P95), unit.Percent(f.MaxP95))
	if !f.Invocation {
		t.Caption = fmt.Sprintf("The line spans the measured range, %s to %s work items; nothing is priced outside it. ", unit.Count(lo), unit.Count(hi))
	}
	t.Caption += "± is the 95 % interval, dotted. Below: predicted minus measured; "
	if f.residualRange() > f.MaxP95 {
		t.Caption += fmt.Sprintf("dashed lines are the P95 gate, %s.", unit.Percent(f.MaxP95))
	} else {
		t.Caption += fmt.Sprintf("the P95 gate of %s lies outside the picture.", unit.Percent(f.MaxP95))
	}
	return t
}

// span is the measured range of work items.
func (f GroupFit) span() (lo, hi int64) {
	lo, hi = f.Samples[0].Items, f.Samples[0].Items
	for _, s := range f.Samples {
		lo, hi = min(lo, s.Items), max(hi, s.Items)
	}
	return lo, hi
}

// SVG renders the figure.
func (f GroupFit) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f GroupFit) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f GroupFit) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a sample.
func (f GroupFit) Table() Table {
	return Table{
		Columns: []Column{{"observation", "", false}, {"work items", "", true}, {"measured", "ns", true}, {"predicted", "ns", true}, {"relative residual", "", true}},
		Len:     len(f.Samples),
		Row: func(i int) []string {
			s := f.Samples[i]
			return append(append([]string{s.Observation}, decimals(s.Items, s.DurationNs)...), exact(s.PredictedNs), exact(s.relative()))
		},
	}
}

func (f GroupFit) plotHeight(float64) float64 { return 380 }

// at is where sample i stands on the x axis.
func (f GroupFit) at(i int) float64 {
	if f.Invocation {
		return float64(i + 1)
	}
	return float64(f.Samples[i].Items)
}

func (f GroupFit) paint(c draw.Canvas) {
	width, height := (c.Max.X - c.Min.X).Points(), (c.Max.Y - c.Min.Y).Points()
	topShare := math.Round(height * 0.62)
	var measured, residuals []point
	for i, s := range f.Samples {
		measured = append(measured, point{f.at(i), float64(s.DurationNs)})
		residuals = append(residuals, point{f.at(i), s.relative()})
	}
	x := f.xAxis(width)
	top := panel{x: x, hideX: true, noGridX: true, y: f.durations(topShare - 30)}
	bottom := panel{x: x, noGridX: true,
		y: signedPercentAxis("Predicted minus measured", f.residualRange(), height-topShare-60, yTickSpace)}
	alignPanels(&top, &bottom)
	top.marks = append(f.fitMarks(x), dots{points: measured, ink: Series, radius: 2.5})
	dash := []vg.Length{4, 3}
	bottom.marks = []plot.Plotter{
		line{ink: Muted, width: 1, points: []point{{x.min, 0}, {x.max, 0}}},
		reference{y: f.MaxP95, ink: Fault, dash: dash}, reference{y: -f.MaxP95, ink: Fault, dash: dash},
		dots{points: residuals, ink: Series, radius: 2.5},
	}
	top.draw(draw.Crop(c, 0, 0, vg.Length(height-topShare), 0))
	bottom.draw(draw.Crop(c, 0, 0, 0, -vg.Length(topShare)))
}

// log reports whether the measured points spread so far that linear axes would
// press most of them into a corner.
func (f GroupFit) log() bool {
	lo, hi := f.span()
	return !f.Invocation && hi > 16*lo
}

// residualRange is the half height of the lower panel. A gate far beyond every
// residual would flatten them and is left out.
func (f GroupFit) residualRange() float64 {
	worst := f.largestResidual()
	if worst > 0 && worst*4 < f.MaxP95 {
		return worst * 1.4
	}
	return math.Max(worst*1.1, f.MaxP95*1.2)
}

func (f GroupFit) largestResidual() float64 {
	worst := 0.0
	for _, s := range f.Samples {
		worst = math.Max(worst, math.Abs(s.relative()))
	}
	return worst
}

func (f GroupFit) xAxis(width float64) axis {
	if f.Invocation {
		a := countAxis("Sample", float64(len(f.Samples))+0.5, width-60, xTickSpace)
		a.min = 0.5
		a.ticks = slices.DeleteFunc(a.ticks, func(t plot.Tick) bool { return t.Value < a.min })
		return a
	}
	lo, hi := f.span()
	if f.log() {
		a := axis{min: float64(lo) / 1.25, max: float64(hi) * 1.25, log: true, name: "Work items, log scale"}
		a.ticks = logTicks(a.min, a.max, width-60, xTickSpace, func(v float64) string { return unit.Count(int64(math.Round(v))) })
		return a
	}
	return countAxis("Work items", float64(hi)*1.05, width-60, xTickSpace)
}

// durations is the y axis of the upper panel.
func (f GroupFit) durations(pixels float64) axis {
	lo, hi := math.Inf(1), 0.0
	for _, s := range f.Samples {
		lo = math.Min(lo, math.Min(float64(s.DurationNs), s.PredictedNs))
		hi = math.Max(hi, math.Max(float64(s.DurationNs), s.PredictedNs))
	}
	switch {
	case f.Invocation:
		pad := math.Max(hi-lo, hi*0.01)
		return durationAxis("Duration", lo-pad, hi+pad, pixels, yTickSpace)
	case f.log():
		return logDurationAxis("Duration", math.Max(lo, 1)/1.25, hi*1.25, pixels, yTickSpace)
	}
	return durationAxis("Duration", 0, hi*1.06, pixels, yTickSpace)
}

// fitMarks are the measured range, the fitted line and the lines of its interval.
func (f GroupFit) fitMarks(x axis) []plot.Plotter {
	lo, hi := f.span()
	from, to := float64(lo), float64(hi)
	if f.Invocation {
		from, to = x.min, x.max
	}
	through := func(coefficient float64) []point {
		const pieces = 48 // a straight line of numbers is bent on logarithmic axes
		points := make([]point, 0, pieces+1)
		for k := 0.0; k <= pieces; k++ {
			at := from + float64((to-from)*k/pieces)
			if x.log {
				at = from * math.Pow(to/from, k/pieces)
			}
			points = append(points, point{at, f.predict(at, coefficient)})
		}
		return points
	}
	b := float64(f.CoefficientNs)
	dash := []vg.Length{2, 3}
	return []plot.Plotter{
		shade{from: from, to: to, ink: Series.Faint(0.07)},
		line{ink: Muted, width: 1, dash: dash, points: through(b - f.ConfidenceNs)},
		line{ink: Muted, width: 1, dash: dash, points: through(b + f.ConfidenceNs)},
		line{ink: inkText, width: 1.5, points: through(b)},
	}
}

func (f GroupFit) predict(items, coefficient float64) float64 {
	if f.Invocation {
		return coefficient
	}
	return float64(f.OverheadNs) + float64(coefficient*items)
}
