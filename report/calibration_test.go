package report_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/document"
)

func workedDataset(t *testing.T) *calibration.Dataset {
	t.Helper()
	text, err := os.ReadFile("../testdata/calibration.yaml")
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

func TestCalibrationPage(t *testing.T) {
	d := workedDataset(t)
	d.Provenance.Source = `<script>alert("x")</script>`
	r, err := calibration.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	meta := report.Meta{CommandLine: "inferlab calibrate calibration.yaml", Result: []byte("{}\n")}
	page, err := report.Calibrate(r, meta)
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.Calibrate(r, meta)
	if err != nil || !bytes.Equal(page, again) {
		t.Errorf("the same fit gave two pages (%v)", err)
	}
	text := string(page)
	for _, said := range []string{"two-gpu-bench", "gates passed", r.Fingerprint, "Half of the samples agree within", "What does work cost?",
		"gpu ffn: ", "collective all_reduce_ring on multi-gpu", "example GPU", "inferlab calibrate calibration.yaml", "&lt;script&gt;alert"} {
		if !strings.Contains(text, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	if strings.Contains(text, `<script>alert`) || strings.Contains(text, "http://") && !strings.Contains(text, "http://www.w3.org/2000/svg") {
		t.Error("the page holds foreign markup or an address")
	}
	if n := strings.Count(text, "<figure"); n != 1+1+15+len(r.Curves) {
		t.Errorf("%d figures", n)
	}
}

func TestRefusedCalibrationPage(t *testing.T) {
	d := workedDataset(t)
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
	page, err := report.Calibrate(r, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"gives no cost model: 1 fit of 19 refused", `badge-fault">1 fit refused<`, "npu-draft-64", "every offending point"} {
		if !strings.Contains(string(page), said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	if _, err := report.Calibrate(nil, report.Meta{}); !errors.Is(err, report.ErrNoFit) {
		t.Errorf("no calibration: %v", err)
	}
}
