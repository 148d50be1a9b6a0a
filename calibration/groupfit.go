package calibration

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
)

// GroupFit is the fit of one device kind and capability. Times in ns.
type GroupFit struct {
	DeviceKind        topology.DeviceKind
	Capability        topology.Capability
	ObservationPoints int64 // observations, not distinct points
	Samples           int64
	MinWorkItems      int64
	MaxWorkItems      int64

	CoefficientNs    int64   // overhead of an invocation, or ns a work item
	OverheadNs       int64   // overhead of the device kind
	StandardErrorNs  float64 // of the coefficient, robust to scatter that grows with duration; the overhead's share included
	ConfidenceNs     float64 // half width of its 95 % interval
	NormalizedRMSE   float64
	P95RelativeError float64
	Points           []PointFit // by observation, in dataset order

	dataset *Dataset
	members []int
}

// PointFit is one observation against the fit.
type PointFit struct {
	ObservationID    string
	WorkItems        int64
	Samples          int64
	MedianNs         float64
	MinNs, MaxNs     int64
	PredictedNs      float64
	NormalizedRMSE   float64 // of this observation alone, over the group's mean duration
	MaxRelativeError float64 // greatest |residual| / duration of its samples
}

// Sample is one measured duration against the fit.
type Sample struct {
	ObservationID string
	At            int64 // work items or bytes
	DurationNs    int64
	PredictedNs   float64
}

// ResidualNs is predicted minus measured.
func (s *Sample) ResidualNs() float64 { return s.PredictedNs - float64(s.DurationNs) }

// Name is the group in words, for example "gpu attention".
func (g *GroupFit) Name() string { return string(g.DeviceKind) + " " + string(g.Capability) }

// Predict is the fitted duration of a number of work items, before any scaling.
// It is a claim only within the observed range.
func (g *GroupFit) Predict(items int64) float64 {
	if g.Capability == Invocation {
		return float64(g.CoefficientNs)
	}
	return float64(g.OverheadNs) + float64(float64(g.CoefficientNs)*float64(items))
}

// AllSamples walks every sample of the group in dataset order.
func (g *GroupFit) AllSamples() iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for _, i := range g.members {
			o := &g.dataset.Observations[i]
			for _, ns := range o.DurationsNs {
				if !yield(Sample{o.ID, o.WorkItems, ns, g.Predict(o.WorkItems)}) {
					return
				}
			}
		}
	}
}

// fitGroups fits all 15 groups in order.
func (r *Result) fitGroups() {
	members := make(map[group][]int, len(cost.Kinds)*len(Capabilities))
	for i := range r.Dataset.Observations {
		o := &r.Dataset.Observations[i]
		g := group{o.DeviceKind, o.Capability}
		members[g] = append(members[g], i)
	}
	for _, kind := range cost.Kinds {
		var overhead *GroupFit
		for _, capability := range Capabilities {
			g := &GroupFit{
				DeviceKind: kind, Capability: capability,
				dataset: r.Dataset, members: members[group{kind, capability}],
			}
			ok := g.fit(overhead)
			g.diagnose()
			r.Groups = append(r.Groups, *g)
			if capability == Invocation {
				overhead = g
			}
			r.refuseGroup(g, ok)
		}
	}
}

// fit finds the group's coefficient: the median of an invocation, or the slope of
// least squares through the fixed overhead. It reports whether the coefficient is
// a positive safe integer.
func (g *GroupFit) fit(overhead *GroupFit) bool {
	if overhead == nil {
		return g.fitOverhead()
	}
	g.OverheadNs = overhead.CoefficientNs
	v := float64(g.OverheadNs)
	var moment, weight, items float64
	for _, i := range g.members {
		o := &g.dataset.Observations[i]
		w := float64(o.WorkItems)
		inner := 0.0
		for _, ns := range o.DurationsNs {
			inner += float64(w * (float64(ns) - v))
		}
		moment += inner
		n := float64(len(o.DurationsNs))
		weight += float64(float64(n*w) * w)
		items += float64(n * w)
	}
	coefficient, ok := positiveCoefficient(moment / weight)
	g.CoefficientNs = coefficient
	if !ok && coefficient == 0 {
		g.CoefficientNs = int64(math.Round(min(0, moment/weight)))
	}
	g.StandardErrorNs = g.slopeError(weight, items, overhead.StandardErrorNs)
	return ok
}

// fitOverhead pools the samples of all invocation observations.
func (g *GroupFit) fitOverhead() bool {
	var pooled []int64
	var samples []float64
	for _, i := range g.members {
		for _, ns := range g.dataset.Observations[i].DurationsNs {
			pooled = append(pooled, ns)
			samples = append(samples, float64(ns))
		}
	}
	middle, _ := median(nil, pooled)
	coefficient, ok := positiveCoefficient(middle)
	g.CoefficientNs, g.OverheadNs = coefficient, coefficient
	g.StandardErrorNs = medianStandardError(samples)
	return ok
}

// slopeError is the standard error of a slope b = sum w(d - v) / sum w^2. Scatter
// grows with the duration, so every sample counts with its own residual, enlarged
// by its leverage h = w^2 / sum w^2 (the jackknife's sandwich form, HC3); the error
// of the overhead v is carried through.
func (g *GroupFit) slopeError(weight, items, overheadError float64) float64 {
	var meat float64
	for s := range g.AllSamples() {
		w := float64(s.At)
		r := s.ResidualNs() / (1 - float64(w*w)/weight)
		meat += float64(float64(w*r) * float64(w*r))
	}
	scatter := math.Sqrt(meat) / weight
	return math.Hypot(scatter, items/weight*overheadError)
}

// diagnose measures the fit against its samples.
func (g *GroupFit) diagnose() {
	var sums errorSums
	g.ObservationPoints = int64(len(g.members))
	g.Points = make([]PointFit, 0, len(g.members))
	var scratch []int64
	for n, i := range g.members {
		o := &g.dataset.Observations[i]
		if n == 0 || o.WorkItems < g.MinWorkItems {
			g.MinWorkItems = o.WorkItems
		}
		g.MaxWorkItems = max(g.MaxWorkItems, o.WorkItems)
		p := PointFit{
			ObservationID: o.ID, WorkItems: o.WorkItems, Samples: int64(len(o.DurationsNs)),
			MinNs: slices.Min(o.DurationsNs), MaxNs: slices.Max(o.DurationsNs), PredictedNs: g.Predict(o.WorkItems),
		}
		p.MedianNs, scratch = median(scratch, o.DurationsNs)
		before, from := sums.squares, len(sums.relative)
		for _, ns := range o.DurationsNs {
			sums.add(p.PredictedNs, float64(ns))
		}
		p.MaxRelativeError = slices.Max(sums.relative[from:])
		p.NormalizedRMSE = math.Sqrt(max(0, sums.squares-before) / float64(p.Samples))
		g.Points = append(g.Points, p)
	}
	mean := sums.durations / float64(sums.n)
	for i := range g.Points {
		g.Points[i].NormalizedRMSE /= mean
	}
	g.Samples = sums.n
	g.NormalizedRMSE, g.P95RelativeError = sums.normalizedRMSE(), sums.p95()
	g.ConfidenceNs = confidence95(g.StandardErrorNs, g.Samples-1)
}

// refuseGroup records what is wrong with a group's fit.
func (r *Result) refuseGroup(g *GroupFit, ok bool) {
	if !ok {
		r.Refusals = append(r.Refusals, Refusal{Group: g.Name(), Statistic: Coefficient, Value: float64(g.CoefficientNs), Bound: 1})
	}
	q := &r.Dataset.Quality
	r.refuseGates(g.Name(), g.NormalizedRMSE, g.P95RelativeError, func(statistic Statistic) []OffendingPoint {
		points := make([]OffendingPoint, 0, len(g.Points))
		for i := range g.Points {
			p := &g.Points[i]
			points = offending(points, statistic, q, p.ObservationID, p.WorkItems, p.NormalizedRMSE, p.MaxRelativeError)
		}
		return points
	})
}

// refuseGates applies both gates; equality passes.
func (r *Result) refuseGates(name string, rmse, p95 float64, points func(Statistic) []OffendingPoint) {
	q := &r.Dataset.Quality
	if rmse > q.MaxNormalizedRMSE {
		r.refuse(Refusal{name, NormalizedRMS, rmse, q.MaxNormalizedRMSE, points(NormalizedRMS)})
	}
	if p95 > q.MaxP95RelativeError {
		r.refuse(Refusal{name, P95Relative, p95, q.MaxP95RelativeError, points(P95Relative)})
	}
}

func (r *Result) refuse(f Refusal) {
	slices.SortStableFunc(f.Points, func(a, b OffendingPoint) int { return cmp.Compare(b.Value, a.Value) })
	r.Refusals = append(r.Refusals, f)
}

// offending adds a point that breaks a gate by itself.
func offending(points []OffendingPoint, s Statistic, q *Quality, id string, at int64, rmse, relative float64) []OffendingPoint {
	switch {
	case s == NormalizedRMS && rmse > q.MaxNormalizedRMSE:
		return append(points, OffendingPoint{id, at, rmse})
	case s == P95Relative && relative > q.MaxP95RelativeError:
		return append(points, OffendingPoint{id, at, relative})
	}
	return points
}
