package report_test

import (
	"flag"
	"os"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/topology"
)

var (
	look      = flag.String("look", "", "write the page of a sample run to this file, to be looked at")
	lookAt    = flag.String("scenario", "", "scenario file for -look (JSON)")
	lookCount = flag.Int("requests", 200, "requests of the run for -look")
)

// TestLook writes a page for human eyes; without -look it has nothing to do.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look file given")
	}
	o := sample.Options{Requests: *lookCount, Output: 60, Rate: 30}
	if *lookAt != "" {
		data, err := os.ReadFile(*lookAt)
		if err != nil {
			t.Fatal(err)
		}
		v, err := document.ParseJSON(data, *lookAt)
		if err != nil {
			t.Fatal(err)
		}
		if o.Scenario, err = topology.ReadScenario(v); err != nil {
			t.Fatal(err)
		}
	}
	html, err := report.Serving(sample.Run(o), report.Meta{CommandLine: "inferlab serving multi-gpu serving.yaml",
		Inputs: []report.Input{{Name: "serving.yaml", Fingerprint: "fnv1a32:0badcafe"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(html))
	if err := os.WriteFile(*look, html, 0o644); err != nil {
		t.Fatal(err)
	}
}
