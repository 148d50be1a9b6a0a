package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// compareFamilies runs eight tokens on the six families.
func compareFamilies(t testing.TB) *run.Comparison {
	t.Helper()
	families, err := simcore.Families()
	if err != nil {
		t.Fatal(err)
	}
	c, err := run.Compare(families, func(*topology.Scenario) (*workload.Profile, error) { return workload.TargetOnly(8) }, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestComparisonPage: differences stand before the ranking, every machine has the
// numbers that put it there, and the views of the fastest follow.
func TestComparisonPage(t *testing.T) {
	c := compareFamilies(t)
	out, err := report.Comparison(c, report.Meta{CommandLine: "inferlab compare work.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	html := string(out)
	for _, want := range []string{"compare · 6 machines · identical workload", c.Entries[0].ScenarioID + " finishes the workload first, in a modeled 2.2 ms",
		"lower is better", "Every run against " + c.Entries[0].ScenarioID, "What is equal, and what differs?", "the fastest of these, not the fastest possible",
		"no refused run is missing", "all replays verified", "+380.2\u00a0%", "What ran when, and what decided the end? (" + c.Entries[0].ScenarioID + ")"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for i := range c.Entries {
		if !strings.Contains(html, c.Results[i].Scenario.Fingerprint()) {
			t.Errorf("the page lacks the fingerprint of %s", c.Entries[i].ScenarioID)
		}
	}
	if i, j := strings.Index(html, `id="differences"`), strings.Index(html, `id="ranking"`); i < 0 || j < i {
		t.Error("the differences do not come first")
	}
	if strings.Contains(html, "background drain") {
		t.Error("a quantity that is 0 everywhere has a column")
	}
	if again, err := report.PageOf(c, report.Meta{CommandLine: "inferlab compare work.yaml"}); err != nil || string(again) != html {
		t.Errorf("a second page differs: %v", err)
	}
	if *look != "" {
		if err := os.WriteFile(filepath.Join(filepath.Dir(*look), "compare.html"), out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestComparisonPageOfNothing(t *testing.T) {
	for _, c := range []*run.Comparison{nil, {}, {Model: cost.Default(), Results: []*run.Result{{}}, Entries: make([]run.ComparisonEntry, 1)}} {
		if _, err := report.Comparison(c, report.Meta{}); !errors.Is(err, report.ErrNoComparison) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
