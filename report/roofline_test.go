package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// rooflineStudy has two phases, one roof that is counterfactual, and names that are
// no markup.
func rooflineStudy() report.RooflineStudy {
	return report.RooflineStudy{
		Subject: "serving on multi-gpu " + hostile[0],
		Figure: figure.Roofline{
			Source: figure.Source{Run: "multi-gpu", Confidence: evidence.Heuristic},
			Roofs: []figure.Roof{
				{ID: "aggregate:device-memory", Kind: "device_memory", Label: "all device memories", BytesPerSecond: 6.7e12, Confidence: evidence.Bounded},
				{ID: "memory:vram0", Kind: "device_memory", BytesPerSecond: 3.35e12, Confidence: evidence.Bounded},
				{ID: "link:" + hostile[1], Kind: "interconnect", BytesPerSecond: 64e9, Confidence: evidence.Heuristic},
			},
			Selected: "aggregate:device-memory",
			Compute:  &figure.ComputeRoof{FlopsPerSecond: 1.979e15, DType: "bf16", Evidence: figure.VendorPeak, SourceURLs: []string{"https://example.invalid/peak"}},
			Points: []figure.RoofPoint{
				{ID: "serving-prefill", Phase: "prefill", Intensity: 412, FlopsPerSecond: 8.8e14, Interpretation: "compute", Confidence: evidence.Heuristic},
				{ID: "serving-decode", Phase: "decode", Intensity: 2, FlopsPerSecond: 9.1e12, TokensPerSecond: 2100, Interpretation: "bandwidth", Confidence: evidence.Heuristic},
				{ID: "no-work", Phase: "decode", Intensity: 0, FlopsPerSecond: 0},
			},
		},
		Reading: &report.RooflineReading{RoofID: "aggregate:device-memory", Phase: "all", Verdict: "phase_dependent", Tone: "neutral", NextStep: "tune_phases_separately",
			Points: []report.RooflineClass{{ID: "serving-prefill", Classification: "compute", Ratio: 0.445, HasRatio: true}, {ID: "serving-decode", Classification: "bandwidth", Ratio: 0.679, HasRatio: true}}},
		Assumptions: []string{"intensity_from_active_weight_bytes"},
		Unknowns:    []string{"kv_traffic"},
	}
}

// TestRooflineComesBack: a study is drawn again from its page, with and without the
// result that it was taken from; a changed study is refused.
func TestRooflineComesBack(t *testing.T) {
	for _, meta := range []report.Meta{{}, {CommandLine: "inferlab roofline", Result: []byte("{}\n")}, {OutputFingerprint: "fnv1a32:0badcafe"}} {
		page, err := report.Roofline(rooflineStudy(), meta)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := report.Rebuild(page)
		if err != nil || !bytes.Equal(again, page) {
			t.Errorf("%v: equal %v", err, bytes.Equal(again, page))
		}
		other := rooflineStudy()
		other.Unknowns = nil
		changed, err := report.Roofline(other, meta)
		if err != nil {
			t.Fatal(err)
		}
		link := regexp.MustCompile(`(<a download="study\.json" href=")[^"]*`)
		swapped := link.ReplaceAllLiteral(page, link.Find(changed))
		if _, _, err := report.Rebuild(swapped); err == nil || !strings.Contains(err.Error(), "was changed") {
			t.Errorf("a swapped study: %v", err)
		}
	}
}

func TestRoofline(t *testing.T) {
	out, err := report.Roofline(rooflineStudy(), report.Meta{CommandLine: "inferlab roofline"})
	if err != nil {
		t.Fatal(err)
	}
	html := string(out)
	for _, want := range []string{"serving on multi-gpu &lt;script", "The phases lie on both sides of the knee", "Tune the phases separately", "1.98 PFLOP/s", "official peak",
		"https://example.invalid/peak", "counterfactual", "Not known: kv traffic.", "44.5 %", "295 FLOP/byte", "predicted 880 TFLOP/s at 412 FLOP/byte", "log scale"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"achieved", `href="https://example`, hostile[0]} {
		if strings.Contains(html, never) {
			t.Errorf("the page holds %q", never)
		}
	}
	again, err := report.Roofline(rooflineStudy(), report.Meta{CommandLine: "inferlab roofline"})
	if err != nil || string(again) != html {
		t.Errorf("the same study gives another page: %v", err)
	}
}

// TestRooflineUnavailable: reasons instead of axes.
func TestRooflineUnavailable(t *testing.T) {
	study := rooflineStudy()
	study.Figure.Unavailable = "no model is bound"
	out, err := report.Roofline(study, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if html := string(out); !strings.Contains(html, "The roofline is unavailable: no model is bound.") || strings.Contains(html, "<svg") {
		t.Error("an unavailable roofline does not say why, or has axes")
	}
	study = rooflineStudy()
	study.Figure.Compute, study.Figure.Absence, study.Reading = nil, "dtype not published", nil
	if out, err = report.Roofline(study, report.Meta{}); err != nil || !strings.Contains(string(out), "No compute roof: dtype not published.") {
		t.Errorf("the absence of a compute roof is not told: %v", err)
	}
	if _, err := report.Roofline(report.RooflineStudy{}, report.Meta{}); !errors.Is(err, report.ErrNoRoofline) {
		t.Errorf("an empty study: %v", err)
	}
}

// driveRoofline chooses a roof and a phase, zooms and pans.
const driveRoofline = `<script>
const out = {}, key = (e, k) => e.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
const svg = [...document.querySelectorAll("svg.plane")].map(p => p.parentNode.closest("svg")).find(s => s.getBoundingClientRect().width > 0);
const plane = svg.querySelector("svg.plane"), box = () => plane.getAttribute("viewBox");
const home = box(), span = () => +box().split(" ")[2] / +home.split(" ")[2];
const [roof, phase] = document.querySelectorAll("select");
out.roofs = roof.options.length;
key(svg, "+");
out.zoomed = span().toFixed(3);
key(svg, "ArrowRight");
out.panned = box() !== home;
for (let i = 0; i < 60; i++) key(svg, "-");
out.widest = span() * (plane.dataset.log.split(" ")[1] - plane.dataset.log.split(" ")[0]) <= 18.0001;
for (let i = 0; i < 60; i++) key(svg, "+");
out.ticks = svg.querySelectorAll("g.ticks text").length >= 4;
key(svg, "0");
out.reset = box() === home;
key(svg, "+");
roof.value = "2"; roof.dispatchEvent(new Event("change"));
out.resetByRoof = box() === home;
out.on = svg.querySelectorAll("g.roof.on").length + " " + svg.querySelector("g.roof.on").dataset.roof;
phase.value = "decode"; phase.dispatchEvent(new Event("change"));
out.spots = [...svg.querySelectorAll("g.spot")].filter(s => s.style.display !== "none").length;
document.documentElement.setAttribute("data-probe", JSON.stringify(out));
</script>`

func TestRooflineInteractions(t *testing.T) {
	browser(t)
	page, err := report.Roofline(rooflineStudy(), report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	got := drivePage(t, string(page), driveRoofline)
	for k, v := range map[string]any{"roofs": 3.0, "zoomed": "0.500", "panned": true, "widest": true, "ticks": true, "reset": true, "resetByRoof": true, "on": "1 2", "spots": 1.0} {
		if got[k] != v {
			t.Errorf("%s: %v, want %v", k, got[k], v)
		}
	}
}

// drivePage appends a script to a copy of a page, without its policy, and returns
// what it answers.
func drivePage(t *testing.T, html, script string) map[string]any {
	t.Helper()
	html = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(html, "")
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(html, "</body>", script+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	// The browser's virtual time does not wait for the reading of blobs: on a busy machine it
	// may end before the script has answered. Then the page is loaded again, twice at most.
	dom, console, _ := load(t, file, 1400)
	for again := 0; again < 2 && !strings.Contains(dom, "data-probe="); again++ {
		dom, console, _ = load(t, file, 1400)
	}
	return answer(t, dom, console)
}
