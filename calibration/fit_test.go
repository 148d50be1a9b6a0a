package calibration_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"gonum.org/v1/gonum/stat"
)

func fit(t testing.TB, d *calibration.Dataset) *calibration.Result {
	t.Helper()
	r, err := calibration.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNoiselessDataGiveTheTruth(t *testing.T) {
	r := fit(t, synthetic.Measure(1, 0, 3, 1, 6, 40))
	if d := cmp.Diff(synthetic.Truth, r.Model.Devices); d != "" {
		t.Error(d)
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.NormalizedRMSE != 0 || g.P95RelativeError != 0 || g.StandardErrorNs != 0 || g.ConfidenceNs != 0 {
			t.Errorf("%s: no scatter, yet %+v", g.Name(), g)
		}
	}
	if err := r.Model.Validate(); err != nil {
		t.Error(err)
	}
	if r.Model.Confidence != evidence.Calibrated || !r.Model.HasCurves || len(r.Model.Curves) != 2 {
		t.Errorf("%s with %d curves", r.Model.Confidence, len(r.Model.Curves))
	}
	for _, said := range []string{"lab-1", r.Fingerprint, "bench log 12"} {
		if !strings.Contains(r.Model.Source, said) {
			t.Errorf("the source does not say %s: %s", said, r.Model.Source)
		}
	}
	want := &cost.Range{MinWorkItems: 1, MaxWorkItems: 40}
	if d := cmp.Diff(want, r.Model.Ranges.NPU.Lookup); d != "" {
		t.Error(d)
	}
}

// The 95 % intervals hold the true coefficients about as often as they say.
func TestTrueCoefficientsComeBack(t *testing.T) {
	const runs = 200
	held := make(map[topology.Capability]int)
	for seed := range uint64(runs) {
		r := fit(t, synthetic.Measure(seed, 0.03, 12, 1, 4, 16, 64))
		for i := range r.Groups {
			g := &r.Groups[i]
			miss := math.Abs(float64(g.CoefficientNs - synthetic.Coefficient(g.DeviceKind, g.Capability)))
			if miss <= g.ConfidenceNs {
				held[g.Capability]++
			}
			if relative := miss / float64(synthetic.Coefficient(g.DeviceKind, g.Capability)); relative > 0.15 {
				t.Errorf("seed %d, %s: %.1f %% off", seed, g.Name(), 100*relative)
			}
		}
	}
	for _, c := range calibration.Capabilities {
		share := float64(held[c]) / (runs * float64(len(cost.Kinds)))
		if share < 0.90 {
			t.Errorf("%s: the interval held the truth in %.1f %% of the runs", c, 100*share)
		}
		t.Logf("%s: held %.1f %%", c, 100*share)
	}
}

// The contract's sums are least squares through the fixed overhead.
func TestSlopeIsLeastSquaresThroughTheOverhead(t *testing.T) {
	r := fit(t, synthetic.Measure(5, 0.05, 9, 1, 3, 9, 27))
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Capability == calibration.Invocation {
			continue
		}
		var w, rest []float64
		for s := range g.AllSamples() {
			w, rest = append(w, float64(s.At)), append(rest, float64(s.DurationNs-g.OverheadNs))
		}
		_, slope := stat.LinearRegression(w, rest, nil, true)
		if math.Abs(slope-float64(g.CoefficientNs)) > 0.5+1e-6 {
			t.Errorf("%s: %d ns, gonum says %v", g.Name(), g.CoefficientNs, slope)
		}
	}
}

func TestMediansRoundHalvesUpAndPool(t *testing.T) {
	d := synthetic.Measure(1, 0, 3, 1, 2)
	d.Observations[0].DurationsNs = []int64{410000, 410001, 410002, 410005} // pooled below with three more
	d.Observations = append(d.Observations, calibration.Observation{ID: "cpu-launch-2", DeviceKind: topology.CPU,
		Capability: calibration.Invocation, DurationsNs: []int64{409990, 409991, 409992, 410003}, Regime: "empty"})
	d.Transports[0].DurationsNs = []int64{1033, 1034, 1034, 1033}
	r := fit(t, d)
	// Sorted, the pool is 409990 409991 409992 410000 | 410001 410002 410003 410005.
	if got := r.Model.Devices.CPU.InvocationOverheadNs; got != 410001 {
		t.Errorf("the pooled median is 410000.5 and rounds up, got %d", got)
	}
	if r.Groups[0].ObservationPoints != 2 || r.Groups[0].Samples != 8 {
		t.Errorf("%+v", r.Groups[0])
	}
	for _, c := range r.Curves {
		if c.Operation == cost.TransferOperation && c.Points[0].DurationNs != 1034 {
			t.Errorf("the curve's median is 1033.5 and rounds up, got %d", c.Points[0].DurationNs)
		}
	}
}

func TestDiagnosticsFollowTheirFormulas(t *testing.T) {
	d := synthetic.Measure(1, 0, 3, 1, 2)
	d.Observations[1].DurationsNs = []int64{600000, 615000, 630000} // cpu attention at 1
	r := fit(t, d)
	g := &r.Groups[1]
	var squares, sum, worst, n float64
	for s := range g.AllSamples() {
		squares += s.ResidualNs() * s.ResidualNs()
		sum += float64(s.DurationNs)
		worst = max(worst, math.Abs(s.ResidualNs())/float64(s.DurationNs))
		n++
	}
	if want := math.Sqrt(squares/n) / (sum / n); math.Abs(g.NormalizedRMSE-want) > 1e-15 {
		t.Errorf("normalized RMSE %v, want %v", g.NormalizedRMSE, want)
	}
	if g.P95RelativeError != worst { // ceil(0.95 x 6) = 6: the last of six
		t.Errorf("P95 %v, want %v", g.P95RelativeError, worst)
	}
	if p := g.Points[0]; p.MedianNs != 615000 || p.MinNs != 600000 || p.MaxNs != 630000 || p.MaxRelativeError != worst {
		t.Errorf("%+v", p)
	}
}

func TestGatesPassAtEquality(t *testing.T) {
	d := synthetic.Measure(3, 0.02, 5, 1, 6, 40)
	r := fit(t, d)
	for i := range r.Groups {
		d.Quality.MaxNormalizedRMSE = max(r.Groups[i].NormalizedRMSE, d.Quality.MaxNormalizedRMSE*0)
	}
	worst, late := 0.0, 0.0
	for i := range r.Groups {
		worst, late = max(worst, r.Groups[i].NormalizedRMSE), max(late, r.Groups[i].P95RelativeError)
	}
	for i := range r.Curves {
		worst, late = max(worst, r.Curves[i].NormalizedRMSE), max(late, r.Curves[i].P95RelativeError)
	}
	d.Quality.MaxNormalizedRMSE, d.Quality.MaxP95RelativeError = worst, late
	fit(t, d)
	d.Quality.MaxNormalizedRMSE = math.Nextafter(worst, 0)
	if r, err := calibration.Fit(d); err == nil || r == nil || len(r.Refusals) != 1 || r.Refusals[0].Statistic != calibration.NormalizedRMS {
		t.Errorf("one ulp beyond must be refused once: %v", err)
	}
}

func TestRefusedDataKeepTheirDiagnosis(t *testing.T) {
	d := synthetic.Measure(4, 0.001, 5, 1, 6, 40)
	d.Quality.MaxNormalizedRMSE, d.Quality.MaxP95RelativeError = 0.05, 0.05
	spoil := func(id string, factor float64) {
		for i := range d.Observations {
			if d.Observations[i].ID == id {
				for k := range d.Observations[i].DurationsNs {
					d.Observations[i].DurationsNs[k] = int64(float64(d.Observations[i].DurationsNs[k]) * factor)
				}
			}
		}
	}
	spoil("gpu-ffn-6", 1.5)
	spoil("gpu-ffn-1", 1.4)
	spoil("npu-draft-1", 2)
	r, err := calibration.Fit(d)
	if err == nil || r == nil || r.Model != nil || len(r.Groups) != 15 || len(r.Curves) != 2 {
		t.Fatalf("want a diagnosis without a model: %v", err)
	}
	byGroup := make(map[string][]string)
	for _, f := range r.Refusals {
		for _, p := range f.Points {
			byGroup[f.Group+" "+string(f.Statistic)] = append(byGroup[f.Group+" "+string(f.Statistic)], p.ObservationID)
		}
		if f.Value <= f.Bound || f.Bound != 0.05 {
			t.Errorf("%s: %v against %v", f.Group, f.Value, f.Bound)
		}
	}
	if d := cmp.Diff([]string{"gpu-ffn-6", "gpu-ffn-1"}, byGroup["gpu ffn p95RelativeError"]); d != "" {
		t.Error(d)
	}
	if len(byGroup["npu draft p95RelativeError"]) == 0 || byGroup["npu draft p95RelativeError"][0] != "npu-draft-1" {
		t.Errorf("%v", byGroup)
	}
	for _, said := range []string{"gpu ffn", "gpu-ffn-6 at 6", "gpu-ffn-1 at 1", "npu draft", "npu-draft-1", "0.05"} {
		if !strings.Contains(err.Error(), said) {
			t.Errorf("the refusal does not say %q: %v", said, err)
		}
	}
	if len(issue.All(err)) != len(r.Refusals) {
		t.Errorf("%d issues for %d refusals", len(issue.All(err)), len(r.Refusals))
	}
}

func TestFitRefusals(t *testing.T) {
	for _, c := range []struct {
		name, code string
		named      []string
		change     func(*calibration.Dataset)
	}{
		{"work costs nothing", "coefficient", []string{"gpu draft"}, func(d *calibration.Dataset) {
			for i := range d.Observations {
				if o := &d.Observations[i]; o.DeviceKind == topology.GPU && o.Capability == topology.Draft {
					o.DurationsNs = []int64{118000, 118000, 118000}
				}
			}
		}},
		{"work gives time back", "coefficient", []string{"cpu lookup", "-"}, func(d *calibration.Dataset) {
			for i := range d.Observations {
				if o := &d.Observations[i]; o.DeviceKind == topology.CPU && o.Capability == topology.Lookup {
					o.DurationsNs = []int64{400000, 400000, 400000}
				}
			}
		}},
		{"more bytes, less time", "decreasing_curve", []string{"multi-gpu", "point_to_point", "bus-1000000"}, func(d *calibration.Dataset) {
			for i := range d.Transports {
				if d.Transports[i].ID == "bus-1000000" {
					d.Transports[i].DurationsNs = []int64{500, 500, 500}
				}
			}
		}},
	} {
		d := synthetic.Measure(1, 0, 3, 1, 6)
		d.Quality.MaxNormalizedRMSE, d.Quality.MaxP95RelativeError = 1, 1
		c.change(d)
		r, err := calibration.Fit(d)
		issues := issue.All(err)
		if r == nil || len(issues) != 1 || issues[0].Code != c.code {
			t.Errorf("%s: want one %s, got %v", c.name, c.code, issues)
			continue
		}
		for _, said := range c.named {
			if !strings.Contains(err.Error(), said) {
				t.Errorf("%s: %q is not said in %v", c.name, said, err)
			}
		}
	}
	var list *issue.List
	if r, err := calibration.Fit(synthetic.Empty()); r != nil || !errors.As(err, &list) {
		t.Errorf("a dataset without observations has nothing to diagnose: %v", err)
	}
}

// BenchmarkFit fits 100,000 observations. The bar is 0.5 s.
func BenchmarkFit(b *testing.B) {
	d := synthetic.Measure(1, 0.01, 3, 1, 6, 40)
	for i := 0; len(d.Observations) < 90000; i++ {
		o := d.Observations[i%45]
		o.ID = fmt.Sprintf("%s-again-%d", o.ID, i)
		d.Observations = append(d.Observations, o)
	}
	for i := 0; len(d.Transports) < 10000; i++ {
		o := synthetic.Transfer(fmt.Sprintf("link-%d-%d", i/2, i%2), int64(1000+1000*(i%2)), []int64{1000 + int64(i%2), 1001 + int64(i%2), 1002 + int64(i%2)})
		o.LinkIDs = []string{fmt.Sprintf("link-%d", i/2)}
		d.Transports = append(d.Transports, o)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := calibration.Fit(d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(d.Observations)+len(d.Transports))*float64(b.N)/b.Elapsed().Seconds(), "observations/s")
}
