package calibration

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Result is a fitted dataset with its diagnosis. It is read-only.
type Result struct {
	Dataset     *Dataset
	Fingerprint string
	Model       *cost.Model // nil when Refusals is not empty
	Groups      []GroupFit  // 15: kinds cpu, gpu, npu, each with Capabilities in order
	Curves      []CurveFit  // in the order of their identity texts
	Refusals    []Refusal   // why the dataset gives no model, in the order of groups and curves
}

// Fit validates a dataset and fits it (contract 06 sections 16.3 to 16.6).
//
// A dataset that breaks its own rules gives no result and an *issue.List. One that
// only a fit refuses (a coefficient that is not positive, durations that fall with
// message size, a gate) gives the whole diagnosis without a model, and an
// *issue.List that names every refused group and its offending points.
func Fit(d *Dataset) (*Result, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	r := &Result{Dataset: d, Fingerprint: d.Fingerprint()}
	r.fitGroups()
	r.fitCurves()
	if err := r.refusalError(); err != nil {
		return r, err
	}
	r.Model = r.model()
	return r, nil
}

// Confidence is the class of the fitted coefficients: calibrated for measured
// evidence, heuristic for synthetic evidence.
func (r *Result) Confidence() evidence.Class {
	if r.Dataset.Provenance.Kind == Measured {
		return evidence.Calibrated
	}
	return evidence.Heuristic
}

// model assembles the fitted cost model (contract 06 section 16.6).
func (r *Result) model() *cost.Model {
	d := r.Dataset
	m := &cost.Model{
		Revision:   cost.Revision,
		Confidence: r.Confidence(),
		Source:     fmt.Sprintf("calibration dataset %s (%s): %s", d.ID, r.Fingerprint, d.Provenance.Source),

		ActivationBytesPerToken: d.Constants.ActivationBytesPerToken,
		CollectiveBytesPerToken: d.Constants.CollectiveBytesPerToken,
		ColdLoadByteMultiplier:  d.Constants.ColdLoadByteMultiplier,
		Applicability: &cost.Applicability{
			ScenarioIDs: sortedIDs(d.Applicability.ScenarioIDs),
			Labels:      d.Applicability.Labels,
		},
		Ranges:    &cost.DeviceRanges{},
		Curves:    make([]cost.Curve, len(r.Curves)),
		HasCurves: true,
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		g.store(m.Devices.For(g.DeviceKind), m.Ranges.For(g.DeviceKind))
	}
	for i := range r.Curves {
		m.Curves[i] = r.Curves[i].curve()
	}
	return m
}

// store writes a group's coefficient and range into the model's tables.
func (g *GroupFit) store(c *cost.Coefficients, k *cost.KindRanges) {
	observed := &cost.Range{MinWorkItems: g.MinWorkItems, MaxWorkItems: g.MaxWorkItems}
	switch g.Capability {
	case Invocation:
		c.InvocationOverheadNs = g.CoefficientNs
	case "attention":
		c.AttentionNsPerToken, k.Attention = g.CoefficientNs, observed
	case "ffn":
		c.FFNNsPerToken, k.FFN = g.CoefficientNs, observed
	case "draft":
		c.DraftNsPerToken, k.Draft = g.CoefficientNs, observed
	case "lookup":
		c.LookupNsPerToken, k.Lookup = g.CoefficientNs, observed
	}
}

// Statistic names what a refusal is about.
type Statistic string

// What a fit can refuse.
const (
	Coefficient   Statistic = "coefficient"      // not a positive safe integer
	Monotony      Statistic = "duration"         // falls as the message grows
	NormalizedRMS Statistic = "normalizedRmse"   // gate max_normalized_rmse
	P95Relative   Statistic = "p95RelativeError" // gate max_p95_relative_error
)

// Refusal is one reason why a dataset gives no model.
type Refusal struct {
	Group     string // "cpu attention", or the curve's identity in words
	Statistic Statistic
	Value     float64
	Bound     float64
	Points    []OffendingPoint // the observations behind it, worst first
}

// OffendingPoint is one observation that goes beyond the bound by itself.
type OffendingPoint struct {
	ObservationID string
	At            int64   // work items or bytes
	Value         float64 // the statistic of this point alone
}

// mostListed bounds how many points a message spells out; the Refusal has all.
const mostListed = 12

// refusalError turns the refusals into one list, one issue each.
func (r *Result) refusalError() error {
	l := &issue.List{Subject: "calibration dataset " + r.Dataset.ID}
	for i := range r.Refusals {
		f := &r.Refusals[i]
		l.Issues = append(l.Issues, &issue.Error{Code: f.code(), Path: f.Group, Message: f.reason()})
	}
	return l.Err()
}

func (f *Refusal) code() string {
	switch f.Statistic {
	case Coefficient:
		return "coefficient"
	case Monotony:
		return "decreasing_curve"
	case NormalizedRMS:
		return "gate_normalized_rmse"
	}
	return "gate_p95_relative_error"
}

// String states the refusal with its value, its bound and its points.
func (f *Refusal) String() string { return f.Group + ": " + f.reason() }

func (f *Refusal) reason() string {
	var text string
	switch f.Statistic {
	case Coefficient:
		text = fmt.Sprintf("the fitted coefficient %v is not a positive safe integer of ns", f.Value)
	case Monotony:
		text = fmt.Sprintf("the median duration falls to %v ns from %v ns as the message grows", f.Value, f.Bound)
	case NormalizedRMS:
		text = fmt.Sprintf("normalized RMSE %.6g exceeds max_normalized_rmse %v", f.Value, f.Bound)
	default:
		text = fmt.Sprintf("P95 relative error %.6g exceeds max_p95_relative_error %v", f.Value, f.Bound)
	}
	for i, p := range f.Points {
		if i == mostListed {
			return text + fmt.Sprintf(", and %d more", len(f.Points)-i)
		}
		separator := ", "
		if i == 0 {
			separator = "; observation "
		}
		text += fmt.Sprintf("%s%s at %d: %.6g", separator, p.ObservationID, p.At, p.Value)
	}
	return text
}

// positiveCoefficient rounds a fitted value; false means that it is no duration.
func positiveCoefficient(f float64) (int64, bool) {
	v, ok := quantity.Round(f)
	return v, ok && v > 0
}
