package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/internal/experiment"
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

// runAxe opens every fold, checks the page in both schemes and answers with the
// findings of serious and critical impact, and with what reaches beyond the window.
const runAxe = `<script>
for (const d of document.querySelectorAll("details")) d.open = true;
// Rows beyond the first are like those before them. The contents of drawings are left
// out: a drawing is one picture (role img) with its finding as its name, so that nothing
// inside it reaches a screen reader but the details that the script speaks; the checker
// cannot tell what text in a drawing stands on, and takes minutes for thousands of marks.
// The contrast of every ink on its ground has a test of its own.
for (const b of document.querySelectorAll("tbody")) for (const r of [...b.rows].slice(4)) r.remove();
for (const v of document.querySelectorAll(".wide")) if (!v.getBoundingClientRect().width) v.remove();
const beyond = [...document.querySelectorAll("body *")].filter(e => {
  if (e.closest("svg") && !e.matches("svg.figure") || e.closest(".scroll") || e.closest(".skip") || e.closest(".quiet")) return false;
  const r = e.getBoundingClientRect();
  return r.width > 0 && r.right > innerWidth + 1;
}).map(e => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)).slice(0, 5);
(async () => {
  const bad = [];
  let rules = 0;
  try {
    for (const theme of ["light", "dark"]) {
      document.documentElement.dataset.theme = theme;
      const r = await axe.run({exclude: [["svg.figure > *"]]}, theme === "light" ? {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]} : {resultTypes: ["violations"], runOnly: ["color-contrast"]});
      rules += r.passes.length;
      for (const v of r.violations.filter(v => v.impact === "serious" || v.impact === "critical"))
        bad.push(theme + ", " + v.id + ": " + v.nodes.length + " × " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message).join(" | "));
    }
  } catch (e) { bad.push(String(e)); }
  const found = {rules, bad, beyond};
  document.documentElement.setAttribute("data-probe", JSON.stringify(found));
  if (parent !== window) parent.postMessage({page: location.pathname.split("/").pop(), found}, "*");
})();
</script>`

// everyPage makes a page of every kind, with hostile names where names come from
// inputs.
func everyPage(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	keep := func(name string, html []byte, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pages[name] = string(html)
	}
	for name, html := range planPages(t) {
		keep(name, html, nil)
	}
	meta := report.Meta{CommandLine: "inferlab x " + hostile[0], ModelName: hostile[4], Inputs: []report.Input{{Name: hostile[7], Fingerprint: "fnv1a32:0badcafe"}}}
	keep("serving", []byte(page(t, sample.Run(sample.Options{Requests: 11, Output: 6, Rate: 30, Names: hostile, Scenario: preset(t, "multi-gpu")}), meta)), nil)
	keep("one request", []byte(page(t, sample.Run(sample.Options{Requests: 1, Output: 1, Rate: 30, Scenario: preset(t, "cpu-only")}), meta)), nil)
	a, _ := served(t, "multi-gpu", 8)
	b, _ := served(t, "multi-node", 8)
	html, err := report.Runs([]report.Document{{Run: a}, {Run: b}}, 0, meta)
	keep("runs", html, err)
	html, err = report.ServingComparison(compared(t, 20), meta)
	keep("serving-compare", html, err)
	html, err = report.Roofline(rooflineStudy(), meta)
	keep("roofline", html, err)
	spoken := speculativeResult(t, hostile[0])
	html, err = report.Speculative(spoken, meta)
	keep("speculative-trace", html, err)
	html, err = report.PageOf(&experiment.Ran{Result: spoken.Run, Speculation: spoken.Speculation, Drafted: spoken.Workload}, meta)
	keep("run with proposals", html, err)
	html, err = report.ExpertCache(expertRun(t, 60), nil, meta)
	keep("expert-cache", html, err)
	fit, err := calibration.Fit(workedDataset(t))
	if err != nil {
		t.Fatal(err)
	}
	html, err = report.Calibrate(fit, meta)
	keep("calibrate", html, err)
	return pages
}

// turn shows one page after the other in a frame and collects what each one found.
const turn = `<!DOCTYPE html><html lang="en"><body><script>
const pages = %s, found = {};
const next = () => {
  for (const f of document.querySelectorAll("iframe")) f.remove();
  const name = pages.find(p => !(p in found));
  if (!name) { document.documentElement.setAttribute("data-probe", JSON.stringify(found)); return; }
  document.body.append(Object.assign(document.createElement("iframe"), {width: 500, height: 900, src: name}));
};
addEventListener("message", e => { found[e.data.page] = e.data.found; next(); });
next();
</script></body></html>`

// TestAccessible checks a page of every kind on a small screen in both schemes: no
// serious finding, nothing beyond the window, no request and no message.
func TestAccessible(t *testing.T) {
	browser(t)
	checker := "<script>" + strings.ReplaceAll(axe(t), "</script", `<\/script`) + "</script>"
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	dir, names := t.TempDir(), []string{}
	for name, html := range everyPage(t) {
		name = strings.ReplaceAll(name, " ", "-") + ".html"
		html = strings.Replace(policy.ReplaceAllString(html, ""), "</body>", checker+runAxe+"</body>", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(html), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "turn.html")
	if err := os.WriteFile(file, fmt.Appendf(nil, turn, list), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, console, log := load(t, file, 800)
	found := answer(t, dom, console)
	if len(names) < 15 || len(found) != len(names) {
		t.Errorf("%d of %d pages answered", len(found), len(names))
	}
	for _, name := range names {
		got, _ := found[name].(map[string]any)
		if rules, _ := got["rules"].(float64); rules < 10 {
			t.Errorf("%s: only %v rules were checked", name, got["rules"])
		}
		for _, kind := range []string{"bad", "beyond"} {
			findings, _ := got[kind].([]any)
			for _, finding := range findings {
				t.Errorf("%s, %s: %s", name, kind, finding)
			}
		}
	}
	if lines := consoleLine.FindAllString(console, -1); len(lines) > 0 {
		t.Errorf("console: %s", strings.Join(lines, "\n"))
	}
	if urls := log.requests(); len(urls) > 0 {
		t.Errorf("the pages asked for %q", urls)
	}
}

// TestAxeSees proves that the check above would see a finding.
func TestAxeSees(t *testing.T) {
	browser(t)
	checker := "<script>" + strings.ReplaceAll(axe(t), "</script", `<\/script`) + "</script>"
	got := drivePage(t, `<!DOCTYPE html><html lang="en"><title>x</title><body><main><h1>x</h1><button></button><p style="color:#ddd;background:#fff">pale</p></main></body></html>`,
		checker+runAxe)
	if bad, _ := got["bad"].([]any); len(bad) != 3 {
		t.Errorf("findings %v, want a button without a name, and pale text in both schemes", got["bad"])
	}
}
