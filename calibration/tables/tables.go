package tables

import (
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// contract is what the tables restate.
const contract = "contract 06 section 16 (calibration dataset revision 3)"

var definitions = []arrowio.Definition{
	{Figure: "normalized_rmse", Text: "root mean square of predicted minus measured over the samples, over their mean duration"},
	{Figure: "p95_relative_error", Text: "95th percentile by nearest rank of |predicted - measured| / measured over the samples"},
	{Figure: "confidence95_ns_float", Text: "half width of the two-sided 95 % interval of the coefficient by Student's t"},
	{Figure: "standard_error_ns_float", Text: "slopes: sandwich form with leverage correction, the overhead's error carried through; overheads: sqrt(pi/2) sd / sqrt(n)"},
}

// All returns every table in a fixed order: groups, points, transports, sizes,
// samples, refusals.
func All(r *calibration.Result, opt arrowio.Options) []*arrowio.Table {
	return []*arrowio.Table{
		Groups(r, opt), Points(r, opt), Transports(r, opt), Sizes(r, opt), Samples(r, opt), Refusals(r, opt),
	}
}

// provenance puts the dataset in the place of a scenario: its id and fingerprint
// identify what the tables rest on.
func provenance(r *calibration.Result) arrowio.Provenance {
	return arrowio.Provenance{
		Command: "calibrate", ScenarioID: "dataset " + r.Dataset.ID, ScenarioFingerprint: r.Fingerprint, Confidence: r.Confidence(),
		Revisions: []jsondoc.Revision{{Name: "calibrationDataset", Revision: calibration.Revision}, {Name: "costModel", Revision: cost.Revision}},
	}
}

// passed spells whether a value keeps its gate; equality does.
func passed(value, bound float64) string {
	if value > bound {
		return "refused"
	}
	return "passed"
}

// Groups is the table calibration_groups.
func Groups(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	rows, q := r.Groups, r.Dataset.Quality
	type row = calibration.GroupFit
	return table("calibration_groups", "one row a device kind and capability: 15 rows, kinds cpu, gpu, npu", provenance(r), opt, definitions,
		labels(rows, "device_kind", arrowio.UnitWord, "kind of device that the coefficient is for", func(g *row) string { return string(g.DeviceKind) }),
		labels(rows, "capability", arrowio.UnitWord, "work: invocation, attention, ffn, draft or lookup", func(g *row) string { return string(g.Capability) }),
		integers(rows, "observations", arrowio.UnitCount, "observations of the group", func(g *row) int64 { return g.ObservationPoints }),
		integers(rows, "samples", arrowio.UnitCount, "measured durations of the group", func(g *row) int64 { return g.Samples }),
		integers(rows, "min_work_items", arrowio.UnitCount, "least observed work items; costs are not extrapolated below", func(g *row) int64 { return g.MinWorkItems }),
		integers(rows, "max_work_items", arrowio.UnitCount, "most observed work items; costs are not extrapolated above", func(g *row) int64 { return g.MaxWorkItems }),
		integers(rows, "coefficient_ns", arrowio.UnitNs, "overhead of an invocation, otherwise time of one work item", func(g *row) int64 { return g.CoefficientNs }),
		integers(rows, "overhead_ns", arrowio.UnitNs, "overhead that the slope was fitted against", func(g *row) int64 { return g.OverheadNs }),
		reals(rows, "standard_error_ns_float", arrowio.UnitNs, "standard error of the coefficient", func(g *row) float64 { return g.StandardErrorNs }),
		reals(rows, "confidence95_ns_float", arrowio.UnitNs, "half width of the coefficient's 95 % interval", func(g *row) float64 { return g.ConfidenceNs }),
		reals(rows, "normalized_rmse", arrowio.UnitCount, "normalized root mean square error of the fit", func(g *row) float64 { return g.NormalizedRMSE }),
		labels(rows, "rmse_gate", arrowio.UnitWord, "passed or refused by max_normalized_rmse", func(g *row) string { return passed(g.NormalizedRMSE, q.MaxNormalizedRMSE) }),
		reals(rows, "p95_relative_error", arrowio.UnitCount, "95th percentile of the relative errors", func(g *row) float64 { return g.P95RelativeError }),
		labels(rows, "p95_gate", arrowio.UnitWord, "passed or refused by max_p95_relative_error", func(g *row) string { return passed(g.P95RelativeError, q.MaxP95RelativeError) }),
	)
}

// Points is the table calibration_points.
func Points(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	type row struct {
		group *calibration.GroupFit
		point *calibration.PointFit
	}
	var rows []row
	for i := range r.Groups {
		for k := range r.Groups[i].Points {
			rows = append(rows, row{&r.Groups[i], &r.Groups[i].Points[k]})
		}
	}
	return table("calibration_points", "one row an observation of compute work, by group, in dataset order", provenance(r), opt, definitions,
		labels(rows, "observation_id", arrowio.UnitID, "id of the observation", func(p *row) string { return p.point.ObservationID }),
		labels(rows, "device_kind", arrowio.UnitWord, "kind of device", func(p *row) string { return string(p.group.DeviceKind) }),
		labels(rows, "capability", arrowio.UnitWord, "work", func(p *row) string { return string(p.group.Capability) }),
		integers(rows, "work_items", arrowio.UnitCount, "work items of the observation, 0 for an invocation", func(p *row) int64 { return p.point.WorkItems }),
		integers(rows, "samples", arrowio.UnitCount, "measured durations", func(p *row) int64 { return p.point.Samples }),
		reals(rows, "median_ns_float", arrowio.UnitNs, "median of the durations", func(p *row) float64 { return p.point.MedianNs }),
		integers(rows, "min_ns", arrowio.UnitNs, "shortest duration", func(p *row) int64 { return p.point.MinNs }),
		integers(rows, "max_ns", arrowio.UnitNs, "longest duration", func(p *row) int64 { return p.point.MaxNs }),
		reals(rows, "predicted_ns_float", arrowio.UnitNs, "duration by the fit", func(p *row) float64 { return p.point.PredictedNs }),
		reals(rows, "normalized_rmse", arrowio.UnitCount, "error of this observation alone, over the mean duration of its group", func(p *row) float64 { return p.point.NormalizedRMSE }),
		reals(rows, "max_relative_error", arrowio.UnitCount, "greatest relative error of its samples", func(p *row) float64 { return p.point.MaxRelativeError }),
	)
}

// Transports is the table calibration_transports.
func Transports(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	rows, q := r.Curves, r.Dataset.Quality
	type row = calibration.CurveFit
	columns := append(curveColumns(rows, func(c *row) *row { return c }),
		integers(rows, "observations", arrowio.UnitCount, "message sizes observed", func(c *row) int64 { return c.ObservationPoints }),
		integers(rows, "samples", arrowio.UnitCount, "measured durations", func(c *row) int64 { return c.Samples }),
		integers(rows, "min_bytes", arrowio.UnitBytes, "least message size; nothing is extrapolated below", func(c *row) int64 { return c.MinBytes }),
		integers(rows, "max_bytes", arrowio.UnitBytes, "greatest message size; nothing is extrapolated above", func(c *row) int64 { return c.MaxBytes }),
		reals(rows, "normalized_rmse", arrowio.UnitCount, "normalized root mean square error against the medians", func(c *row) float64 { return c.NormalizedRMSE }),
		labels(rows, "rmse_gate", arrowio.UnitWord, "passed or refused by max_normalized_rmse", func(c *row) string { return passed(c.NormalizedRMSE, q.MaxNormalizedRMSE) }),
		reals(rows, "p95_relative_error", arrowio.UnitCount, "95th percentile of the relative errors", func(c *row) float64 { return c.P95RelativeError }),
		labels(rows, "p95_gate", arrowio.UnitWord, "passed or refused by max_p95_relative_error", func(c *row) string { return passed(c.P95RelativeError, q.MaxP95RelativeError) }),
	)
	return table("calibration_transports", "one row a transport curve, ordered by identity", provenance(r), opt, definitions, columns...)
}

// curveColumns identify the curve of a row.
func curveColumns[T any](rows []T, of func(*T) *calibration.CurveFit) []column {
	return []column{
		labels(rows, "transport_id", arrowio.UnitID, "identity of the curve: compact JSON of all that must match", func(t *T) string { return of(t).Identity }),
		labels(rows, "scenario_id", arrowio.UnitID, "scenario that the curve was measured on", func(t *T) string { return of(t).ScenarioID }),
		labels(rows, "operation", arrowio.UnitWord, "transfer or collective", func(t *T) string { return string(of(t).Operation) }),
		labels(rows, "algorithm", arrowio.UnitWord, "algorithm of the movement", func(t *T) string { return of(t).Algorithm }),
		integers(rows, "participants", arrowio.UnitCount, "ranks that take part", func(t *T) int64 { return of(t).ParticipantCount }),
		labels(rows, "links", arrowio.UnitText, "directed links in order, joined by a space", func(t *T) string { return strings.Join(of(t).LinkIDs, " ") }),
		labels(rows, "traffic_signature", arrowio.UnitText, "shape of all-to-all traffic; null for everything else", func(t *T) string { return of(t).TrafficSignature }).orNull(),
	}
}

// Sizes is the table calibration_sizes.
func Sizes(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	type row struct {
		curve *calibration.CurveFit
		point *calibration.CurvePoint
	}
	var rows []row
	for i := range r.Curves {
		for k := range r.Curves[i].Points {
			rows = append(rows, row{&r.Curves[i], &r.Curves[i].Points[k]})
		}
	}
	return table("calibration_sizes", "one row a message size of a transport, by curve, ascending", provenance(r), opt, definitions,
		labels(rows, "observation_id", arrowio.UnitID, "id of the observation", func(p *row) string { return p.point.ObservationID }),
		labels(rows, "transport_id", arrowio.UnitID, "identity of the curve", func(p *row) string { return p.curve.Identity }),
		integers(rows, "bytes", arrowio.UnitBytes, "message size of the whole step", func(p *row) int64 { return p.point.Bytes }),
		integers(rows, "duration_ns", arrowio.UnitNs, "rounded median: what the curve says", func(p *row) int64 { return p.point.DurationNs }),
		integers(rows, "samples", arrowio.UnitCount, "measured durations", func(p *row) int64 { return p.point.Samples }),
		integers(rows, "min_ns", arrowio.UnitNs, "shortest duration", func(p *row) int64 { return p.point.MinNs }),
		integers(rows, "max_ns", arrowio.UnitNs, "longest duration", func(p *row) int64 { return p.point.MaxNs }),
		reals(rows, "normalized_rmse", arrowio.UnitCount, "error of this size alone, over the mean duration of its curve", func(p *row) float64 { return p.point.NormalizedRMSE }),
		reals(rows, "max_relative_error", arrowio.UnitCount, "greatest relative error of its samples", func(p *row) float64 { return p.point.MaxRelativeError }),
	)
}

// Samples is the table calibration_samples.
func Samples(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	type row struct {
		calibration.Sample
		group string
		unit  string
	}
	var rows []row
	for i := range r.Groups {
		g := &r.Groups[i]
		for s := range g.AllSamples() {
			rows = append(rows, row{s, g.Name(), "work_items"})
		}
	}
	for i := range r.Curves {
		c := &r.Curves[i]
		for s := range c.AllSamples() {
			rows = append(rows, row{s, c.Identity, "bytes"})
		}
	}
	return table("calibration_samples", "one row a measured duration: groups in order, then transports in order", provenance(r), opt, definitions,
		labels(rows, "observation_id", arrowio.UnitID, "id of the observation", func(s *row) string { return s.ObservationID }),
		labels(rows, "group", arrowio.UnitID, "device kind and capability, or identity of the transport", func(s *row) string { return s.group }),
		integers(rows, "at", arrowio.UnitCount, "work items or bytes, as the column scale says", func(s *row) int64 { return s.At }),
		labels(rows, "scale", arrowio.UnitWord, "work_items or bytes", func(s *row) string { return s.unit }),
		integers(rows, "duration_ns", arrowio.UnitNs, "measured duration", func(s *row) int64 { return s.DurationNs }),
		reals(rows, "predicted_ns_float", arrowio.UnitNs, "duration by the fit", func(s *row) float64 { return s.PredictedNs }),
		reals(rows, "residual_ns_float", arrowio.UnitNs, "predicted minus measured", func(s *row) float64 { return s.ResidualNs() }),
	)
}

// Refusals is the table calibration_refusals, empty when the dataset gave a model.
func Refusals(r *calibration.Result, opt arrowio.Options) *arrowio.Table {
	type row struct {
		refusal *calibration.Refusal
		point   calibration.OffendingPoint
	}
	var rows []row
	for i := range r.Refusals {
		f := &r.Refusals[i]
		points := f.Points
		if len(points) == 0 {
			points = []calibration.OffendingPoint{{Value: f.Value}}
		}
		for _, p := range points {
			rows = append(rows, row{f, p})
		}
	}
	return table("calibration_refusals", "one row an observation that stands behind a refusal, by refusal, worst first", provenance(r), opt, definitions,
		labels(rows, "group", arrowio.UnitText, "refused group or transport, in words", func(f *row) string { return f.refusal.Group }),
		labels(rows, "statistic", arrowio.UnitWord, "what is refused: coefficient, duration, normalizedRmse or p95RelativeError", func(f *row) string { return string(f.refusal.Statistic) }),
		reals(rows, "value", arrowio.UnitCount, "the statistic of the whole group", func(f *row) float64 { return f.refusal.Value }),
		reals(rows, "bound", arrowio.UnitCount, "what it may be at most; for a duration at least; for a coefficient 1", func(f *row) float64 { return f.refusal.Bound }),
		labels(rows, "observation_id", arrowio.UnitID, "id of the observation; null when no single one is to blame", func(f *row) string { return f.point.ObservationID }).orNull(),
		integers(rows, "at", arrowio.UnitCount, "work items or bytes of the observation", func(f *row) int64 { return f.point.At }),
		reals(rows, "point_value", arrowio.UnitCount, "the statistic of this observation alone", func(f *row) float64 { return f.point.Value }),
	)
}
