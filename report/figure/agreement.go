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

// Agreement plots what a calibration predicts against what was measured, sample by
// sample, on equal logarithmic axes; the dashed line is perfect agreement (contract
// 09, V17).
type Agreement struct {
	Source
	Compute   []FitSample
	Transport []FitSample // Items: bytes
}

// errors lists the relative errors of all samples, ascending.
func (f Agreement) errors() []float64 {
	all := make([]float64, 0, len(f.Compute)+len(f.Transport))
	for _, list := range [][]FitSample{f.Compute, f.Transport} {
		for _, s := range list {
			all = append(all, math.Abs(s.relative()))
		}
	}
	slices.Sort(all)
	return all
}

// Text gives the figure's words.
func (f Agreement) Text() Text {
	t := f.words()
	errors := f.errors()
	n := len(errors)
	t.What = fmt.Sprintf("Predicted against measured, %s", unit.Plural(int64(n), "sample"))
	if n == 0 {
		t.Title, t.Empty = "Nothing was measured", "The dataset has no sample."
		return t
	}
	t.Title = fmt.Sprintf("Half of the samples agree within %s, 95 %% within %s", unit.Percent(errors[(n+1)/2-1]), unit.Percent(errors[max(0, (19*n+19)/20-1)]))
	t.Alt = fmt.Sprintf("%s; the worst is %s off.", t.Title, unit.Percent(errors[n-1]))
	t.Caption = "The dashed line is perfect agreement. Transports are compared with the medians of their own sizes."
	if n > ecdfExact {
		t.Caption += " Samples on the same half pixel are drawn once."
	}
	return t
}

// SVG renders the figure.
func (f Agreement) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Agreement) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Agreement) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a sample, compute first.
func (f Agreement) Table() Table {
	return Table{
		Columns: []Column{{"observation", "", false}, {"work items or bytes", "", true}, {"measured", "ns", true}, {"predicted", "ns", true}},
		Len:     len(f.Compute) + len(f.Transport),
		Row: func(i int) []string {
			list := f.Compute
			if i >= len(list) {
				i, list = i-len(list), f.Transport
			}
			s := list[i]
			return append(append([]string{s.Observation}, decimals(s.Items, s.DurationNs)...), exact(s.PredictedNs))
		},
	}
}

func (f Agreement) plotHeight(width float64) float64 { return keyLineHeight + math.Min(width*0.7, 460) }

func (f Agreement) paint(c draw.Canvas) {
	c = drawKeys(c, []key{{Compute, "compute", keyBox}, {Transfer, "transports", keyBox}})
	lo, hi := math.Inf(1), 0.0
	place := func(list []FitSample) []point {
		points := make([]point, 0, len(list))
		for _, s := range list {
			d := float64(s.DurationNs)
			p := math.Max(s.PredictedNs, 1)
			points = append(points, point{d, p})
			lo, hi = math.Min(lo, math.Min(d, p)), math.Max(hi, math.Max(d, p))
		}
		return points
	}
	compute, transport := place(f.Compute), place(f.Transport)
	lo, hi = lo/1.3, hi*1.3
	width, height := (c.Max.X - c.Min.X).Points(), (c.Max.Y - c.Min.Y).Points()
	p := panel{
		x: logDurationAxis("Measured", lo, hi, width-60, 72),
		y: logDurationAxis("Predicted", lo, hi, height-60, yTickSpace),
	}
	p.marks = []plot.Plotter{
		line{ink: Muted, width: 1, dash: []vg.Length{4, 3}, points: []point{{lo, lo}, {hi, hi}}},
		dots{points: transport, ink: Transfer, radius: 2.5}, dots{points: compute, ink: Compute, radius: 2.5},
	}
	p.draw(c)
}
