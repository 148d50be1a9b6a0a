package report

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/cost"
)

// ErrNoFit reports that there is no calibration to make a page of.
var ErrNoFit = errors.New("report: the calibration is nil or was not fitted")

// maxCurves is how many message curves a page draws.
const maxCurves = 24

// Calibrate makes the page of one fitted calibration dataset (contract 09, view
// V17), also of one that its gates refused: then the page says which points stand
// behind the refusal.
func Calibrate(r *calibration.Result, meta Meta) ([]byte, error) {
	if r == nil || r.Dataset == nil || len(r.Groups) == 0 {
		return nil, ErrNoFit
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return calibrationPage(r, meta, rows) })
}

func calibrationPage(r *calibration.Result, meta Meta, rows int) ([]byte, error) {
	c := calibrationReport{result: r, meta: meta, rows: rows}
	p := &page{
		Title:        "calibrate · " + r.Dataset.ID + " · " + string(r.Dataset.Provenance.Kind) + " evidence",
		Verdict:      c.verdict(),
		Confidence:   r.Confidence(),
		Replay:       c.badge(),
		Cards:        c.cards(),
		Evidence:     c.evidence(),
		Assumptions:  c.assumptions(),
		Limits:       c.limits(),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if c.refused() > 0 {
		p.Standing = "fault"
	}
	if err := p.keep(viewResult, &meta, nil); err != nil {
		return nil, err
	}
	for _, build := range []func() (section, error){c.gates, c.agreement, c.groups, c.curves} {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, sec)
	}
	return p.render()
}

// calibrationReport holds what several parts of the page need.
type calibrationReport struct {
	result *calibration.Result
	meta   Meta
	rows   int
}

func (c *calibrationReport) refused() int {
	groups := make(map[string]bool)
	for i := range c.result.Refusals {
		groups[c.result.Refusals[i].Group] = true
	}
	return len(groups)
}

func (c *calibrationReport) samples() (n int64) {
	for i := range c.result.Groups {
		n += c.result.Groups[i].Samples
	}
	for i := range c.result.Curves {
		n += c.result.Curves[i].Samples
	}
	return n
}

// verdict says whether there is a model and how well it fits.
func (c *calibrationReport) verdict() string {
	if n := c.refused(); n > 0 {
		return fmt.Sprintf("This dataset gives no cost model: %s of %d refused by its own gates and rules. The points behind each refusal are listed below.",
			unit.Plural(int64(n), "fit"), len(c.result.Groups)+len(c.result.Curves))
	}
	return fmt.Sprintf("A %s cost model from %s. %s.", c.result.Confidence(), unit.Plural(c.samples(), "sample"),
		figure.CalibrationAgreement(c.result).Text().Title)
}

func (c *calibrationReport) badge() string {
	if n := c.refused(); n > 0 {
		return unit.Plural(int64(n), "fit") + " refused"
	}
	return "gates passed"
}

func (c *calibrationReport) cards() []card {
	r, q := c.result, &c.result.Dataset.Quality
	worstRMSE, worstP95 := &r.Groups[0], &r.Groups[0]
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.NormalizedRMSE > worstRMSE.NormalizedRMSE {
			worstRMSE = g
		}
		if g.P95RelativeError > worstP95.P95RelativeError {
			worstP95 = g
		}
	}
	return []card{
		{"Observations", unit.Count(int64(len(r.Dataset.Observations) + len(r.Dataset.Transports))), "", unit.Plural(c.samples(), "sample")},
		{"Largest normalized RMSE", unit.Percent(worstRMSE.NormalizedRMSE), "", fmt.Sprintf("%s; gate %s", worstRMSE.Name(), unit.Percent(q.MaxNormalizedRMSE))},
		{"Largest P95 relative error", unit.Percent(worstP95.P95RelativeError), "", fmt.Sprintf("%s; gate %s", worstP95.Name(), unit.Percent(q.MaxP95RelativeError))},
		{"Transport curves", unit.Count(int64(len(r.Curves))), "", "each for one exact path, participant count and algorithm"},
	}
}

// with adds figures to a section.
func (c *calibrationReport) with(sec section, half bool, figures ...figure.Figure) (section, error) {
	for _, f := range figures {
		p, err := draw(f, half, c.rows)
		if err != nil {
			return sec, err
		}
		sec.Figures = append(sec.Figures, p)
	}
	return sec, nil
}

func (c *calibrationReport) gates() (section, error) {
	f := figure.CalibrationGates(c.result)
	sec := section{ID: "gates", Question: "Is the fit good enough?", Answer: f.Text().Alt}
	if len(c.result.Refusals) > 0 {
		t := cut("Why the dataset gives no model: every offending point", c.refusals(), c.rows)
		t.Open = true
		sec.Tables = []table{t}
	}
	return c.with(sec, false, f)
}

// refusals has one row an offending point, or one for a refusal that no single
// point explains.
func (c *calibrationReport) refusals() figure.Table {
	var rows [][]string
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for i := range c.result.Refusals {
		f := &c.result.Refusals[i]
		head := []string{f.Group, string(f.Statistic), number(f.Value), number(f.Bound)}
		for _, p := range f.Points {
			rows = append(rows, append(append([]string(nil), head...), p.ObservationID, strconv.FormatInt(p.At, 10), number(p.Value)))
		}
		if len(f.Points) == 0 {
			rows = append(rows, append(head, "no single point", "", ""))
		}
	}
	return figure.Table{
		Columns: []figure.Column{{Name: "fit"}, {Name: "statistic"}, {Name: "value", Numeric: true}, {Name: "bound", Numeric: true},
			{Name: "observation"}, {Name: "work items or bytes", Numeric: true}, {Name: "its own value", Numeric: true}},
		Len: len(rows),
		Row: func(i int) []string { return rows[i] },
	}
}

func (c *calibrationReport) agreement() (section, error) {
	f := figure.CalibrationAgreement(c.result)
	return c.with(section{ID: "agreement", Question: "Do predictions agree with measurements?", Answer: f.Text().Alt}, false, f)
}

func (c *calibrationReport) groups() (section, error) {
	g := &c.result.Groups[0]
	for i := range c.result.Groups {
		if w := &c.result.Groups[i]; w.ConfidenceNs*float64(g.CoefficientNs) > g.ConfidenceNs*float64(w.CoefficientNs) {
			g = w
		}
	}
	sec := section{ID: "groups", Question: "What does work cost?", Answer: fmt.Sprintf(
		"An invocation costs its overhead, and every work item the slope of its line. The least certain is %s: %s ± %s.",
		g.Name(), unit.Duration(float64(g.CoefficientNs)), unit.Duration(g.ConfidenceNs))}
	sec.Tables = []table{cut("All coefficients with their intervals and ranges", c.coefficients(), c.rows)}
	var figures []figure.Figure
	for _, f := range figure.GroupFits(c.result) {
		figures = append(figures, f)
	}
	return c.with(sec, true, figures...)
}

func (c *calibrationReport) coefficients() figure.Table {
	num := func(name, u string) figure.Column { return figure.Column{Name: name, Unit: u, Numeric: true} }
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	return figure.Table{
		Columns: []figure.Column{{Name: "group"}, num("coefficient", "ns"), num("standard error", "ns"), num("± 95 %", "ns"), num("samples", ""),
			num("least work items", ""), num("most work items", ""), num("normalized RMSE", ""), num("P95 relative error", "")},
		Len: len(c.result.Groups),
		Row: func(i int) []string {
			g := &c.result.Groups[i]
			return []string{g.Name(), strconv.FormatInt(g.CoefficientNs, 10), float(g.StandardErrorNs), float(g.ConfidenceNs), strconv.FormatInt(g.Samples, 10),
				strconv.FormatInt(g.MinWorkItems, 10), strconv.FormatInt(g.MaxWorkItems, 10), float(g.NormalizedRMSE), float(g.P95RelativeError)}
		},
	}
}

func (c *calibrationReport) curves() (section, error) {
	sec := section{ID: "transports", Question: "What do transports cost?", Answer: fmt.Sprintf(
		"%s, each valid for its exact links, participants and algorithm between its smallest and its largest message.",
		unit.Plural(int64(len(c.result.Curves)), "measured curve"))}
	all := figure.MessageCurves(c.result)
	if len(all) > maxCurves {
		sec.Note = fmt.Sprintf("The first %d of %d curves, in the order of their identities.", maxCurves, len(all))
		all = all[:maxCurves]
	}
	var figures []figure.Figure
	for _, f := range all {
		figures = append(figures, f)
	}
	return c.with(sec, true, figures...)
}

func (c *calibrationReport) evidence() []fact {
	d := c.result.Dataset
	p, a := &d.Provenance, &d.Applicability
	facts := []fact{
		{Label: "Confidence", Value: string(c.result.Confidence()) + ": measured evidence makes coefficients calibrated, synthetic evidence leaves them heuristic"},
		{Label: "Dataset", Value: d.ID},
		{Label: "Dataset fingerprint", Value: c.result.Fingerprint, Code: true},
		{Label: "Evidence", Value: string(p.Kind)},
		{Label: "Measured", Value: orUnknown(p.MeasuredAt)},
		{Label: "Source", Value: p.Source},
		{Label: "Software stack", Value: p.SoftwareStack},
		{Label: "Model artifact", Value: p.ModelArtifact},
		{Label: "Applies to", Value: strings.Join(a.ScenarioIDs, ", ")},
		{Label: "Products", Value: fmt.Sprintf("cpu: %s; gpu: %s; npu: %s", a.Labels.CPU, a.Labels.GPU, a.Labels.NPU)},
		{Label: "Contract revisions", Value: fmt.Sprintf("calibrationDataset %d, costModel %d", calibration.Revision, cost.Revision)},
		{Label: "Gates", Value: fmt.Sprintf("at least %s a point, normalized RMSE at most %s, P95 relative error at most %s", unit.Plural(d.Quality.MinSamplesPerPoint, "sample"),
			unit.Percent(d.Quality.MaxNormalizedRMSE), unit.Percent(d.Quality.MaxP95RelativeError))},
	}
	if p.Notes != "" {
		facts = append(facts, fact{Label: "Notes", Value: p.Notes})
	}
	return facts
}

func (c *calibrationReport) assumptions() []string {
	return []string{
		"The overhead of a device kind is the median of its empty invocations; slopes are least squares through that overhead.",
		"A transport lasts the median of its samples at each message size and is interpolated linearly in between.",
		"Intervals are 95 %, by Student's t from residuals that may grow with the duration; the overhead's error is carried into the slopes.",
	}
}

func (c *calibrationReport) limits() []string {
	return []string{
		"Costs are linear in work items and fitted per device kind: roofline knees, sequence length and differences between products of one kind are not modeled.",
		"Nothing is extrapolated: work outside a measured range and transports without their exact curve are refused when a run uses this model.",
		"Routes are still chosen by declared bandwidths and latencies; a route without a curve is not replaced by another.",
	}
}

// CalibrationOf is what pages say about the dataset behind their timing; nil gives nil.
func CalibrationOf(r *calibration.Result) *Calibration {
	if r == nil {
		return nil
	}
	rmse, p95 := 0.0, 0.0
	for i := range r.Groups {
		rmse, p95 = max(rmse, r.Groups[i].NormalizedRMSE), max(p95, r.Groups[i].P95RelativeError)
	}
	return &Calibration{DatasetID: r.Dataset.ID, Fingerprint: r.Fingerprint, EvidenceKind: string(r.Dataset.Provenance.Kind) + " evidence",
		Fit: fmt.Sprintf("largest normalized RMSE %s, largest p95 relative error %s", unit.Percent(rmse), unit.Percent(p95))}
}
