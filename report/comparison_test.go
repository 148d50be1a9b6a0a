package report_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/serving"
)

// compared runs one configuration on the six families.
func compared(t testing.TB, requests int) *serving.Comparison {
	t.Helper()
	cfg := sample.Run(sample.Options{Requests: requests, Output: 40, Rate: 400}).Config
	c, err := simcore.CompareServing(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestServingComparison checks what V14 must show.
func TestServingComparison(t *testing.T) {
	c := compared(t, 40)
	out, err := report.ServingComparison(c, report.Meta{CommandLine: "inferlab serving-compare serving.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	html := string(out)
	if *look != "" {
		if err := os.WriteFile(*look+".compare.html", out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := c.Entries[0].Run.Scenario.ID()
	for _, want := range []string{
		first + " serves the 40 requests first, in a modeled", "all replays verified, ", "Equal: the 40 requests with their arrivals and lengths",
		"lower is better", "Every run against " + first, "share at or below, one curve a run", "better is right and down",
		"not the fastest possible", `id="machine"`, "The ranking in numbers",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, e := range c.Entries {
		if n := strings.Count(html, e.Run.Scenario.ID()); n < 6 {
			t.Errorf("%s is named %d times", e.Run.Scenario.ID(), n)
		}
	}
	if found := fetches.FindString(html); found != "" {
		t.Errorf("the page holds %q", found)
	}
	again, err := report.ServingComparison(c, report.Meta{CommandLine: "inferlab serving-compare serving.yaml"})
	if err != nil || string(again) != html {
		t.Errorf("a second page differs (%v)", err)
	}
	if len(out) > 4<<20 {
		t.Errorf("%d bytes", len(out))
	}
	if strings.Contains(html, "unequal confidence") {
		t.Error("a warning about confidence without a reason")
	}
}

// TestUnequalConfidence: runs of unequal confidence are never ranked without a
// warning.
func TestUnequalConfidence(t *testing.T) {
	c := compared(t, 10)
	c.Entries[1].Run.Confidence = evidence.Calibrated
	out, err := report.ServingComparison(c, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "Warning: the runs are of unequal confidence") {
		t.Error("no warning")
	}
}

func TestNoComparison(t *testing.T) {
	for _, c := range []*serving.Comparison{nil, {}, {Entries: []serving.ComparisonEntry{{}}}} {
		if _, err := report.ServingComparison(c, report.Meta{}); !errors.Is(err, report.ErrNoComparison) {
			t.Errorf("error %v, want ErrNoComparison", err)
		}
	}
}
