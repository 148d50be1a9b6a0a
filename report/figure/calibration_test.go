package figure_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/document"
)

// dataset is the worked example of a calibration.
func dataset(t testing.TB) *calibration.Dataset {
	t.Helper()
	text, err := os.ReadFile("../../testdata/calibration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse(text, "calibration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := calibration.Read(doc, true)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fitted(t testing.TB) *calibration.Result {
	t.Helper()
	r, err := calibration.Fit(dataset(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func calibrationFigures(r *calibration.Result) map[string]figure.Figure {
	groups, curves := figure.GroupFits(r), figure.MessageCurves(r)
	return map[string]figure.Figure{
		"groupfit": groups[7], "groupfit-invocation": groups[5],
		"gates": figure.CalibrationGates(r), "agreement": figure.CalibrationAgreement(r),
		"curve-collective": curves[0], "curve-transfer": curves[1],
	}
}

func TestCalibrationGolden(t *testing.T) {
	for name, f := range calibrationFigures(fitted(t)) {
		for variant, o := range map[string]figure.Options{"": {}, "-page": {Page: true, Width: 350}} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := f.SVG(o)
			if err != nil || !bytes.Equal(svg, again) {
				t.Errorf("%s%s: a second rendering differs (%v)", name, variant, err)
			}
			wellFormed(t, name+variant, svg)
			path := filepath.Join("testdata", "calibration-"+name+variant+".svg")
			if *update {
				if err := os.WriteFile(path, svg, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(svg)); diff != "" {
				t.Errorf("%s differs from the golden picture (-want +got):\n%s", path, diff)
			}
		}
	}
}

func TestCalibrationFiguresSayTheirFinding(t *testing.T) {
	r := fitted(t)
	for name, want := range map[string]string{
		"groupfit":            "gpu ffn: 37 µs a work item ± 493 ns, P95 error 1.4 %",
		"groupfit-invocation": "gpu invocation: 117 µs an invocation ± 1.12 µs, P95 error 0.9 %",
		"gates":               "All 19 fits keep their gates; ",
		"agreement":           "Half of the samples agree within ",
		"curve-collective":    "collective all_reduce_ring on multi-gpu: ",
		"curve-transfer":      "transfer point_to_point on multi-gpu: ",
	} {
		f := calibrationFigures(r)[name]
		if got := f.Text().Title; !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q, want %q", name, got, want)
		}
		table := f.Table()
		if table.Len == 0 || len(table.Row(0)) != len(table.Columns) {
			t.Errorf("%s: a table of %d rows with %d columns", name, table.Len, len(table.Columns))
		}
	}
	if n := figure.CalibrationAgreement(r).Table().Len; n != 15*3+12*20+5*13-30 {
		t.Errorf("%d samples", n)
	}
}

func TestRefusedCalibrationIsDrawn(t *testing.T) {
	d := dataset(t)
	for i := range d.Observations {
		if d.Observations[i].ID == "npu-draft-64" {
			for k := range d.Observations[i].DurationsNs {
				d.Observations[i].DurationsNs[k] /= 2
			}
		}
	}
	r, err := calibration.Fit(d)
	if err == nil {
		t.Fatal("half the time passed the gates")
	}
	gates := figure.CalibrationGates(r)
	if got := gates.Text().Title; !strings.HasPrefix(got, "1 of 19 fits refused: npu draft is at 19.8 × its gate") {
		t.Errorf("says %q", got)
	}
	svg, err := gates.SVG(figure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := wellFormed(t, "gates", svg); !strings.Contains(text, "npu draft") {
		t.Errorf("npu draft is not named in %q", text)
	}
}

func TestEmptyCalibrationFigures(t *testing.T) {
	for name, f := range map[string]figure.Figure{
		"groupfit": figure.GroupFit{Group: "gpu ffn"}, "gates": figure.Gates{}, "agreement": figure.Agreement{},
		"curve": figure.MessageCurve{Operation: "transfer"},
	} {
		svg, err := f.SVG(figure.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Text().Empty == "" || !strings.Contains(wellFormed(t, name, svg), strings.Fields(f.Text().Empty)[0]) {
			t.Errorf("%s does not say why it is empty", name)
		}
		if f.Table().Len != 0 {
			t.Errorf("%s has rows", name)
		}
	}
}
