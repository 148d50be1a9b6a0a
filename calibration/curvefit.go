package calibration

import (
	"iter"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
)

// CurveFit is the fit of one transport: the median of every message size. Times
// in ns.
type CurveFit struct {
	cost.CurveKey
	Identity          string // canonical identity text, by which curves are ordered
	ObservationPoints int64
	Samples           int64
	MinBytes          int64
	MaxBytes          int64
	NormalizedRMSE    float64
	P95RelativeError  float64
	Points            []CurvePoint // by message size, ascending

	dataset *Dataset
	members []int
}

// CurvePoint is one message size.
type CurvePoint struct {
	ObservationID    string
	Bytes            int64
	DurationNs       int64 // the rounded median: what the curve says
	Samples          int64
	MinNs, MaxNs     int64
	NormalizedRMSE   float64 // of this point alone, over the curve's mean duration
	MaxRelativeError float64
}

// Name is the curve in words.
func (c *CurveFit) Name() string { return c.CurveKey.String() }

// AllSamples walks every sample of the curve by message size.
func (c *CurveFit) AllSamples() iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for n, i := range c.members {
			o := &c.dataset.Transports[i]
			for _, ns := range o.DurationsNs {
				if !yield(Sample{o.ID, o.Bytes, ns, float64(c.Points[n].DurationNs)}) {
					return
				}
			}
		}
	}
}

// curve is the fitted curve of the cost model.
func (c *CurveFit) curve() cost.Curve {
	points := make([]cost.Point, len(c.Points))
	for i, p := range c.Points {
		points[i] = cost.Point{Bytes: p.Bytes, DurationNs: p.DurationNs}
	}
	return cost.Curve{CurveKey: c.CurveKey, Points: points}
}

// fitCurves fits every transport in the order of their identities.
func (r *Result) fitCurves() {
	for _, g := range curveGroups(r.Dataset) {
		c := CurveFit{
			CurveKey: r.Dataset.Transports[g.members[0]].CurveKey, Identity: g.identity,
			dataset: r.Dataset, members: g.members,
		}
		c.fit()
		r.refuseCurve(&c)
		r.Curves = append(r.Curves, c)
	}
}

func (c *CurveFit) fit() {
	var sums errorSums
	var scratch []int64
	c.ObservationPoints = int64(len(c.members))
	c.Points = make([]CurvePoint, 0, len(c.members))
	for _, i := range c.members {
		o := &c.dataset.Transports[i]
		p := CurvePoint{
			ObservationID: o.ID, Bytes: o.Bytes, Samples: int64(len(o.DurationsNs)),
			MinNs: slices.Min(o.DurationsNs), MaxNs: slices.Max(o.DurationsNs),
		}
		var middle float64
		middle, scratch = median(scratch, o.DurationsNs)
		p.DurationNs, _ = positiveCoefficient(middle)
		before, from := sums.squares, len(sums.relative)
		for _, ns := range o.DurationsNs {
			sums.add(float64(p.DurationNs), float64(ns))
		}
		p.MaxRelativeError = slices.Max(sums.relative[from:])
		p.NormalizedRMSE = math.Sqrt(max(0, sums.squares-before) / float64(p.Samples))
		c.Points = append(c.Points, p)
	}
	mean := sums.durations / float64(sums.n)
	for i := range c.Points {
		c.Points[i].NormalizedRMSE /= mean
	}
	c.MinBytes, c.MaxBytes = c.Points[0].Bytes, c.Points[len(c.Points)-1].Bytes
	c.Samples = sums.n
	c.NormalizedRMSE, c.P95RelativeError = sums.normalizedRMSE(), sums.p95()
}

// refuseCurve records what is wrong with a curve.
func (r *Result) refuseCurve(c *CurveFit) {
	for i := 1; i < len(c.Points); i++ {
		before, p := &c.Points[i-1], &c.Points[i]
		if p.DurationNs < before.DurationNs {
			r.refuse(Refusal{c.Name(), Monotony, float64(p.DurationNs), float64(before.DurationNs),
				[]OffendingPoint{{p.ObservationID, p.Bytes, float64(p.DurationNs)}}})
		}
	}
	q := &r.Dataset.Quality
	r.refuseGates(c.Name(), c.NormalizedRMSE, c.P95RelativeError, func(statistic Statistic) []OffendingPoint {
		points := make([]OffendingPoint, 0, len(c.Points))
		for i := range c.Points {
			p := &c.Points[i]
			points = offending(points, statistic, q, p.ObservationID, p.Bytes, p.NormalizedRMSE, p.MaxRelativeError)
		}
		return points
	})
}
