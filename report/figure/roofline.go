package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// Roofline shows predicted rates of work against the roofs that bound them: a
// diagonal for the bandwidth of the selected roof (thin ones for the others), a
// horizontal line for the peak of the computers, and a knee where they meet. Both
// axes are logarithmic (contract 09, V3; contract 07, section 15).
//
// A rate is predicted, never achieved. A peak without evidence is not drawn, and
// work of several devices is not held against the memory of one.
type Roofline struct {
	Source
	Roofs       []Roof
	Selected    string       // id of a roof; empty: the first
	Compute     *ComputeRoof // nil: absent
	Absence     string       // why there is no compute roof
	Points      []RoofPoint
	Phase       string // only points of this phase; empty: all
	Unavailable string // reason; then there are no axes
}

// Roof is one bandwidth.
type Roof struct {
	ID             string
	Kind           string // device_memory, host_memory, storage or interconnect
	Label          string // empty: the id
	BytesPerSecond float64
	Confidence     evidence.Class
	Used           bool // the run moved model data through it; interconnects and storage only
}

// Name is what readers see.
func (r *Roof) Name() string {
	if r.Label != "" {
		return r.Label
	}
	return r.ID
}

// Counterfactual says that the run did not move model data through the roof.
func (r *Roof) Counterfactual() bool {
	return (r.Kind == "interconnect" || r.Kind == "storage") && !r.Used
}

// PeakEvidence is what a compute roof rests on.
type PeakEvidence string

// The four kinds of evidence (contract 07, section 15.3).
const (
	VendorPeak          PeakEvidence = "vendor_peak"
	UserDeclared        PeakEvidence = "user_declared"
	CalibratedEffective PeakEvidence = "calibrated_effective"
	HeuristicEffective  PeakEvidence = "heuristic_effective"
)

// String names the evidence for readers.
func (e PeakEvidence) String() string {
	switch e {
	case VendorPeak:
		return "official peak"
	case UserDeclared:
		return "user-declared peak"
	case CalibratedEffective:
		return "calibrated effective rate"
	case HeuristicEffective:
		return "heuristic effective rate"
	}
	return string(e)
}

// ComputeRoof is the peak of all target devices together.
type ComputeRoof struct {
	FlopsPerSecond float64
	DType          string
	Evidence       PeakEvidence
	SourceURLs     []string
}

// RoofPoint is one phase or component.
type RoofPoint struct {
	ID, Phase       string
	Intensity       float64 // FLOP/byte
	FlopsPerSecond  float64 // predicted
	TokensPerSecond float64 // predicted; 0: none
	Interpretation  string  // of the result; empty: none
	Confidence      evidence.Class
}

// sound keeps values that a logarithmic axis can hold.
func sound(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// drawable lists the points that pass the filter and can be drawn.
func (f Roofline) drawable() []RoofPoint {
	var out []RoofPoint
	for _, p := range f.Points {
		if (f.Phase == "" || p.Phase == f.Phase) && sound(p.Intensity) && sound(p.FlopsPerSecond) {
			out = append(out, p)
		}
	}
	return out
}

// SelectedRoof is the index of the roof that the figure shows, the first when none
// has the selected id; -1 when there is no roof.
func (f Roofline) SelectedRoof() int {
	for i := range f.Roofs {
		if f.Roofs[i].ID == f.Selected {
			return i
		}
	}
	if len(f.Roofs) == 0 {
		return -1
	}
	return 0
}

// peak is the compute roof; 0 when absent.
func (f Roofline) peak() float64 {
	if f.Compute == nil || !sound(f.Compute.FlopsPerSecond) {
		return 0
	}
	return f.Compute.FlopsPerSecond
}

// Knee is the intensity at which a roof meets the compute roof; 0 without one.
func (f Roofline) Knee(roof int) float64 {
	if p := f.peak(); p > 0 && roof >= 0 && sound(f.Roofs[roof].BytesPerSecond) {
		return p / f.Roofs[roof].BytesPerSecond
	}
	return 0
}

// attainable is the lower of both roofs at an intensity.
func (f Roofline) attainable(roof int, intensity float64) float64 {
	v := math.Inf(1)
	if p := f.peak(); p > 0 {
		v = p
	}
	if roof >= 0 && sound(f.Roofs[roof].BytesPerSecond) {
		v = math.Min(v, f.Roofs[roof].BytesPerSecond*intensity)
	}
	return v
}

// Text gives the figure's words.
func (f Roofline) Text() Text {
	t := f.words()
	t.What = "Predicted FLOP/s against arithmetic intensity, both log scales"
	points := f.drawable()
	roof := f.SelectedRoof()
	switch {
	case f.Unavailable != "":
		t.Title, t.Empty = "No roofline", "The roofline is unavailable: "+f.Unavailable+"."
		return t
	case len(points) == 0:
		t.Title, t.Empty = "No roofline", "No work passes the phase filter, or none has a positive intensity and rate."
		return t
	case roof < 0 && f.peak() == 0:
		t.Title, t.Empty = "No roofline", "No roof is known."
		return t
	}
	top := points[0]
	share := func(p RoofPoint) float64 { return p.FlopsPerSecond / f.attainable(roof, p.Intensity) }
	for _, p := range points {
		if share(p) > share(top) {
			top = p
		}
	}
	under := "the compute roof"
	if roof >= 0 {
		under = "its roof, " + brief(f.Roofs[roof].Name())
	}
	t.Title = fmt.Sprintf("%s is predicted at %s of %s", brief(top.ID), unit.Percent(share(top)), under)
	t.Alt = fmt.Sprintf("%s: predicted %s at %s FLOP/byte.", brief(top.ID), unit.Flops(top.FlopsPerSecond), unit.Number(top.Intensity))
	if k := f.Knee(roof); k > 0 {
		t.Alt += fmt.Sprintf(" The roofs meet at %s FLOP/byte.", unit.Number(k))
	}
	t.Caption = f.caption(roof)
	return t
}

func (f Roofline) caption(roof int) string {
	var parts []string
	if f.Compute != nil {
		parts = append(parts, fmt.Sprintf("Compute roof: %s, %s, %s.", unit.Flops(f.Compute.FlopsPerSecond), f.Compute.DType, f.Compute.Evidence))
	} else {
		reason := f.Absence
		if reason == "" {
			reason = "no evidence of a peak"
		}
		parts = append(parts, "No compute roof: "+reason+".")
	}
	if roof >= 0 && f.Roofs[roof].Counterfactual() {
		parts = append(parts, "The selected roof is counterfactual: the run moved no model data through it.")
	}
	return strings.Join(parts, " ")
}

// SVG renders the figure.
func (f Roofline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Roofline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Roofline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a point.
func (f Roofline) Table() Table {
	return Table{
		Columns: []Column{{"work", "", false}, {"phase", "", false}, {"intensity", "FLOP/byte", true}, {"predicted rate", "FLOP/s", true},
			{"predicted tokens", "tokens/s", true}, {"interpretation", "", false}, {"confidence", "", false}},
		Len: len(f.Points),
		Row: func(i int) []string {
			p := f.Points[i]
			tokens := "none"
			if p.TokensPerSecond > 0 {
				tokens = exact(p.TokensPerSecond)
			}
			return []string{p.ID, p.Phase, exact(p.Intensity), exact(p.FlopsPerSecond), tokens, p.Interpretation, string(p.Confidence)}
		},
	}
}

// bounds are the default ranges of both axes.
func (f Roofline) bounds() (x0, x1, y0, y1 float64) {
	points := f.drawable()
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		least, most = math.Min(least, p.Intensity), math.Max(most, p.Intensity)
	}
	x0 = math.Max(0.001, least/4)
	x1 = math.Max(100*x0, 4*most)
	low, high := math.Inf(1), 0.0
	plotted := func(v float64) {
		if sound(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	for _, p := range points {
		plotted(p.FlopsPerSecond)
	}
	plotted(f.peak())
	roof := f.SelectedRoof()
	plotted(f.attainable(roof, x0))
	plotted(f.attainable(roof, x1))
	y0, y1 = low/4, high*2
	if y1 < 100*y0 { // at least two decades
		middle := math.Sqrt(y0 * y1)
		y0, y1 = middle/10, middle*10
	}
	return x0, x1, y0, y1
}
