package report_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
)

// axe is the source of the accessibility checker. In continuous integration its
// absence is a failure.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../testdata/node/node_modules/axe-core/axe.min.js")
	if err == nil {
		return string(source)
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("the accessibility checker is missing: %v", err)
	}
	t.Skip("axe-core is not installed; make axe fetches it")
	return ""
}

// runAxe opens every fold, checks the page, and answers with its findings of
// serious and critical impact.
const runAxe = `<script>
document.documentElement.dataset.theme = %q;
for (const d of document.querySelectorAll("details")) d.open = true;
axe.run(document, {resultTypes: ["violations"]}).then(r => {
  const bad = r.violations.filter(v => v.impact === "serious" || v.impact === "critical");
  document.documentElement.setAttribute("data-probe", JSON.stringify({rules: r.passes.length,
    bad: bad.map(v => v.id + ": " + v.nodes.length + " × " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message).join(" | "))}));
}, e => document.documentElement.setAttribute("data-probe", JSON.stringify({rules: 0, bad: [String(e)]})));
</script>`

// TestAccessible checks the pages in both schemes.
func TestAccessible(t *testing.T) {
	browser(t)
	checker := "<script>" + strings.ReplaceAll(axe(t), "</script", `<\/script`) + "</script>"
	run := sample.Run(sample.Options{Requests: 8, Output: 6, Rate: 30, Names: hostile, Scenario: preset(t, "multi-gpu")})
	a, _ := served(t, "multi-gpu", 8)
	b, _ := served(t, "multi-node", 8)
	comparison, err := report.Runs([]report.Document{{Run: a}, {Run: b}}, 0, report.Meta{CommandLine: "inferlab report a.json b.json"})
	if err != nil {
		t.Fatal(err)
	}
	roofline, err := report.Roofline(rooflineStudy(), report.Meta{CommandLine: "inferlab roofline"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, theme, html string }{
		{"serving", "light", page(t, run, report.Meta{CommandLine: "inferlab serving multi-gpu serving.yaml"})},
		{"roofline", "dark", string(roofline)},
		{"runs", "light", string(comparison)},
	} {
		got := drivePage(t, c.html, checker+fmt.Sprintf(runAxe, c.theme))
		if rules, _ := got["rules"].(float64); rules < 10 {
			t.Errorf("%s, %s: only %v rules were checked", c.name, c.theme, got["rules"])
		}
		bad, _ := got["bad"].([]any)
		for _, finding := range bad {
			t.Errorf("%s, %s: %s", c.name, c.theme, finding)
		}
	}
}

// TestAxeSees proves that the check above would see a finding.
func TestAxeSees(t *testing.T) {
	browser(t)
	checker := "<script>" + strings.ReplaceAll(axe(t), "</script", `<\/script`) + "</script>"
	got := drivePage(t, `<!DOCTYPE html><html lang="en"><title>x</title><body><main><h1>x</h1><button></button><p style="color:#ddd;background:#fff">pale</p></main></body></html>`,
		checker+fmt.Sprintf(runAxe, "light"))
	if bad, _ := got["bad"].([]any); len(bad) != 2 {
		t.Errorf("findings %v, want a button without a name and pale text", got["bad"])
	}
}
