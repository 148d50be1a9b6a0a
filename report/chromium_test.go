package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
)

// browser finds a Chromium. In continuous integration its absence is a failure.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium found: the page cannot be checked")
	}
	t.Skip("no Chromium on this machine; make test installs one")
	return ""
}

// load opens a file in a headless browser whose network is off and returns the
// document after loading, the console, and the network log.
func load(t *testing.T, file string, width int) (dom, console string, log netLog) {
	t.Helper()
	dir := t.TempDir()
	netlog := filepath.Join(dir, "net.json")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser(t), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-first-run",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--log-net-log="+netlog, "--net-log-capture-mode=Everything",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--v=0",
		fmt.Sprintf("--window-size=%d,900", width), "--virtual-time-budget=2000", "--dump-dom", "file://"+file)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, errs.String())
	}
	data, err := os.ReadFile(netlog)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatalf("network log: %v", err)
	}
	return string(out), errs.String(), log
}

// netLog is the part of Chromium's network log that tells of requests.
type netLog struct {
	Constants struct {
		LogEventTypes map[string]int
	}
	Events []struct {
		Type   int
		Params struct{ URL string }
	}
}

// requests lists the URLs that were asked for by anything but the browser's own
// services, whose hosts no page here could name.
func (l netLog) requests() (urls []string) {
	start := l.Constants.LogEventTypes["URL_REQUEST_START_JOB"]
	for _, e := range l.Events {
		if e.Type == start && e.Params.URL != "" && !strings.Contains(e.Params.URL, ".google.com/") && !strings.Contains(e.Params.URL, ".googleapis.com/") {
			urls = append(urls, e.Params.URL)
		}
	}
	return urls
}

var consoleLine = regexp.MustCompile(`(?m)^.*CONSOLE.*$`)

// TestInChromium loads pages with the network off: no request, no console message.
func TestInChromium(t *testing.T) {
	browser(t)
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Names: hostile, Scenario: preset(t, "multi-node")})
	run.Assumptions = append(run.Assumptions, hostile...)
	html := page(t, run, report.Meta{Command: "serving", CommandLine: "inferlab serving multi-node " + hostile[0],
		Inputs: []report.Input{{Name: hostile[7], Fingerprint: "fnv1a32:0badcafe"}}})
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, console, log := load(t, file, 1400)
	if lines := consoleLine.FindAllString(console, -1); len(lines) > 0 {
		t.Errorf("console: %s", strings.Join(lines, "\n"))
	}
	if urls := log.requests(); len(urls) > 0 {
		t.Errorf("the page asked for %q", urls)
	}
	if len(log.Constants.LogEventTypes) == 0 {
		t.Error("the network log is empty: requests would not be seen")
	}
	if n := strings.Count(dom, "<svg"); n < 15 {
		t.Errorf("%d drawings in the document", n)
	}
	if !strings.Contains(dom, ">Save SVG</button>") {
		t.Error("the page's own script did not run under its policy")
	}
}

// drive is appended to a copy of the page, without its policy, to use its
// interactions as a reader would.
const drive = `<script>
const out = {}, key = (e, k) => e.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
const labels = svg => [...svg.querySelectorAll("g.ticks text")].map(t => t.textContent).join(" ");
const areas = [...document.querySelectorAll("svg.area")].filter(a => a.parentNode.closest("svg.figure").getBoundingClientRect().width > 0);
const first = areas[0].parentNode.closest("svg.figure"), last = areas[areas.length - 1];
out.timelines = areas.length;
out.ticksBefore = labels(first);
key(first, "+"); key(first, "+");
out.ticksZoomed = labels(first);
const span = a => a.getAttribute("viewBox").split(" ")[2] / a.dataset.box.split(" ")[2];
out.zoomLinked = [span(areas[0]), span(last)].map(v => v.toFixed(3)).join(" ");
const left = areas[0].getAttribute("viewBox").split(" ")[0];
key(first, "ArrowRight");
out.panned = +areas[0].getAttribute("viewBox").split(" ")[0] > +left;
for (let i = 0; i < 40; i++) key(first, "+");
out.leastSpan = span(areas[0]) >= 0.99e-4;
key(first, "0");
out.ticksAfter = labels(first);
const r = areas[0].parentNode.closest("svg.figure").getBoundingClientRect();
first.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, bubbles: true}));
out.cursors = [...document.querySelectorAll("g.cursor")].filter(c => c.style.display !== "none" && c.getBoundingClientRect().height > 0).length;
const table = document.querySelector("#request-table");
table.open = true;
const cells = i => [...table.querySelectorAll("tbody tr:not([hidden])")].map(r => r.cells[i].textContent);
const sortBy = name => [...table.querySelectorAll("th button")].find(b => b.textContent === name).click();
out.rows = cells(0).length;
sortBy("latency, ns");
out.ascending = cells(5).every((v, i, a) => !i || +a[i - 1] <= +v);
sortBy("latency, ns");
out.descending = cells(5).every((v, i, a) => !i || +a[i - 1] >= +v);
sortBy("latency, ns");
out.original = cells(0).slice(0, 2).join(" ");
const filter = table.querySelector("input");
filter.value = "request-1"; filter.dispatchEvent(new Event("input"));
out.filtered = cells(0).length + " " + table.querySelector(".tools .note").textContent;
const machine = [...document.querySelectorAll("#machine svg.figure")].find(s => s.getBoundingClientRect().width > 0);
key(machine, "ArrowDown");
out.tip = document.querySelector(".tip").textContent;
const gpu = [...machine.querySelectorAll("g[data-about]")].find(g => g.dataset.about.startsWith("node0:gpu0:vram"));
gpu.dispatchEvent(new MouseEvent("click", {bubbles: true}));
out.related = machine.querySelectorAll("g.on").length;
key(machine, "Escape");
out.unpicked = machine.querySelectorAll("g.on").length;
document.querySelector(".scheme").click(); document.querySelector(".scheme").click();
out.dark = document.documentElement.dataset.theme + " " + getComputedStyle(document.documentElement).backgroundColor;
out.filterNames = document.querySelectorAll("button:not([aria-label]), input:not([aria-label])").length;
document.documentElement.setAttribute("data-probe", JSON.stringify(out));
</script>`

// driveMore uses what takes time or speaks to the browser: the wheel, dragging, the
// filter of marks, the detail panel, copying and saving.
const driveMore = `<script>
(async () => {
const out = {}, shown = e => e.getBoundingClientRect().width > 0;
const figure = [...document.querySelectorAll("#requests figure")].find(f => f.querySelector("svg.area"));
const svg = [...figure.querySelectorAll("svg.figure")].find(shown), area = svg.querySelector("svg.area");
const [x, y, w, h] = area.dataset.box.split(" ").map(Number), box = svg.getBoundingClientRect(), size = box.width / svg.viewBox.baseVal.width;
const mid = {clientX: box.left + (x + w / 2) * size, clientY: box.top + (y + h / 2) * size, bubbles: true, cancelable: true};
const span = () => +area.getAttribute("viewBox").split(" ")[2] / w;
svg.dispatchEvent(new WheelEvent("wheel", {...mid, deltaY: -1}));
out.wheelAlone = span();
svg.focus({preventScroll: true});
svg.dispatchEvent(new WheelEvent("wheel", {...mid, deltaY: -1}));
out.wheelFocused = span().toFixed(3);
svg.setPointerCapture = () => {};
const from = +area.getAttribute("viewBox").split(" ")[0];
svg.dispatchEvent(new PointerEvent("pointerdown", mid));
svg.dispatchEvent(new PointerEvent("pointermove", {...mid, clientX: mid.clientX - 40}));
svg.dispatchEvent(new PointerEvent("pointerup", mid));
out.dragged = +area.getAttribute("viewBox").split(" ")[0] > from;
[...figure.querySelectorAll(".tools button")].find(b => b.textContent === "Whole run").click();
out.whole = span().toFixed(6);
const marks = [...svg.querySelectorAll("g[data-about]")], filter = figure.querySelector(".tools input");
filter.value = "request-1"; filter.dispatchEvent(new Event("input"));
out.filtered = filter.nextElementSibling.textContent;
out.left = marks.filter(m => getComputedStyle(m).display !== "none").length;
filter.value = "nothing is called so"; filter.dispatchEvent(new Event("input"));
out.none = filter.nextElementSibling.textContent;
filter.value = ""; filter.dispatchEvent(new Event("input"));
out.unfiltered = filter.nextElementSibling.textContent + marks.filter(m => getComputedStyle(m).display === "none").length;
marks[3].dispatchEvent(new MouseEvent("click", {bubbles: true}));
out.detail = figure.querySelector(".detail").textContent === marks[3].dataset.about && marks[3].dataset.about !== "";
out.dimmed = Math.max(...marks.filter((m, i) => i !== 3).map(m => +getComputedStyle(m).opacity));
out.clear = getComputedStyle(marks[3]).opacity;
svg.dispatchEvent(new MouseEvent("click", {bubbles: true}));
out.background = figure.querySelector(".detail").textContent + Math.min(...marks.map(m => +getComputedStyle(m).opacity));
let csv = "";
Object.defineProperty(navigator, "clipboard", {value: {writeText: text => { csv = text; return Promise.resolve(); }}});
const table = document.querySelector("#request-table");
[...table.querySelectorAll("button")].find(b => b.textContent === "Copy as CSV").click();
out.csv = csv.split("\r\n").length + " " + csv.split("\r\n")[0];
const names = [], blobs = [];
URL.createObjectURL = b => { blobs.push(b); return "#" + blobs.length; };
HTMLAnchorElement.prototype.click = function() { names.push(this.download); };
for (const kind of ["Save SVG", "Save PNG"]) [...figure.querySelectorAll("button")].find(b => b.textContent === kind).click();
for (let i = 0; i < 40 && blobs.length < 2; i++) await new Promise(r => setTimeout(r, 25));
out.names = names.map(n => n.split(".").pop()).join(" ");
const text = await blobs[0].text(), png = new Uint8Array(await blobs[1].arrayBuffer());
const doc = new DOMParser().parseFromString(text, "image/svg+xml");
out.svg = doc.documentElement.tagName + " " + (doc.querySelector("parsererror") === null) + " " + text.includes(figure.querySelector("h3").textContent) + " " + /class="f-[^"]*"(?![^>]*fill=)/.test(text);
out.png = [...png.slice(1, 4)].map(c => String.fromCharCode(c)).join("") + " " + (png.length > 5000);
const data = [...document.querySelectorAll("#reproduce a[download]")];
out.data = data.length + " " + data.every(a => a.getAttribute("href").startsWith("data:application/"));
const memory = [...document.querySelectorAll("#memory svg.figure")].find(shown);
out.everyMark = [...document.querySelectorAll("figure")].filter(f => [...f.querySelectorAll("svg.figure")].some(s => shown(s) && !s.querySelector("g[data-about]"))).map(f => f.querySelector("h3").textContent).join("; ");
document.documentElement.setAttribute("data-probe", JSON.stringify(out));
})().catch(e => document.documentElement.setAttribute("data-probe", JSON.stringify({error: String(e.stack)})));
</script>`

// TestMoreInteractions checks the rest of contract 09, 1.4.
func TestMoreInteractions(t *testing.T) {
	browser(t)
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	got := drivePage(t, page(t, run, report.Meta{Result: []byte("{}")}), driveMore)
	for k, v := range map[string]any{"wheelAlone": 1.0, "wheelFocused": "0.800", "dragged": true, "whole": "1.000000",
		"filtered": "49 of 60 marks hidden", "left": 11.0, "none": "60 of 60 marks hidden: none matches", "unfiltered": "0",
		"detail": true, "clear": "1", "background": "1", "csv": "62 request,\"arrival, ns\",\"first token, ns\",\"completion, ns\",\"TTFT, ns\",\"latency, ns\",tokens,\"ITL mean, ns\"",
		"names": "svg png", "svg": "svg true true false", "png": "PNG true", "data": "1 true", "everyMark": ""} {
		if got[k] != v {
			t.Errorf("%s: %v, want %v", k, got[k], v)
		}
	}
	if o, _ := got["dimmed"].(float64); o <= 0 || o > 0.35 {
		t.Errorf("unrelated marks have the opacity %v, want at most 0.35", got["dimmed"])
	}
	if got["error"] != nil {
		t.Error(got["error"])
	}
}

// TestColoursRemembered: the choice outlives the page, and a browser without storage
// still has one.
func TestColoursRemembered(t *testing.T) {
	browser(t)
	html := page(t, sample.Run(sample.Options{Requests: 4, Output: 3, Rate: 30}), report.Meta{})
	look := `<script>
const chooser = document.querySelector(".scheme"), out = {first: chooser.textContent, theme: document.documentElement.dataset.theme || "none"};
chooser.click();
out.second = chooser.textContent;
try { out.kept = localStorage.getItem("inferlab-colours"); } catch { out.kept = "closed"; }
out.tools = document.querySelectorAll(".tools").length > 5;
document.documentElement.setAttribute("data-probe", JSON.stringify(out));
</script>`
	for _, c := range []struct {
		before string
		want   map[string]any
	}{
		{"", map[string]any{"first": "Colours: auto", "theme": "none", "second": "Colours: light", "kept": "light", "tools": true}},
		{`localStorage.setItem("inferlab-colours", "light")`, map[string]any{"first": "Colours: light", "theme": "light", "second": "Colours: dark", "kept": "dark", "tools": true}},
		{`Object.defineProperty(window, "localStorage", {get() { throw new Error("closed"); }})`, map[string]any{"first": "Colours: auto", "theme": "none", "second": "Colours: light", "kept": "closed", "tools": true}},
		{`localStorage.setItem("inferlab-colours", "purple")`, map[string]any{"first": "Colours: auto", "theme": "none", "second": "Colours: light", "kept": "light", "tools": true}},
	} {
		got := drivePage(t, strings.Replace(html, "<body>", "<body><script>"+c.before+"</script>", 1), look)
		for k, v := range c.want {
			if got[k] != v {
				t.Errorf("after %q, %s: %v, want %v", c.before, k, got[k], v)
			}
		}
	}
}

// TestInteractions uses zoom, pan, cursor, sorting, filtering, selection and
// colours.
func TestInteractions(t *testing.T) {
	browser(t)
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	html := page(t, run, report.Meta{})
	html = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(html, "")
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(html, "</body>", drive+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, console, _ := load(t, file, 1400)
	got := answer(t, dom, console)
	want := map[string]any{
		"timelines": 7.0, "zoomLinked": "0.250 0.250", "panned": true, "leastSpan": true, "rows": 60.0,
		"ascending": true, "descending": true, "original": "request-0 request-1", "filtered": "11 49 of 60 rows hidden",
		"unpicked": 0.0, "dark": "dark rgb(18, 20, 23)", "cursors": 7.0, "filterNames": 0.0,
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %v, want %v", k, got[k], v)
		}
	}
	if got["ticksBefore"] != got["ticksAfter"] || got["ticksBefore"] == got["ticksZoomed"] || got["ticksZoomed"] == "" {
		t.Errorf("ticks %q, zoomed %q, reset %q", got["ticksBefore"], got["ticksZoomed"], got["ticksAfter"])
	}
	if n, _ := got["related"].(float64); n < 4 {
		t.Errorf("selecting a memory highlights %v marks", got["related"])
	}
	if tip, _ := got["tip"].(string); tip == "" {
		t.Error("the arrow key shows no details")
	}
}

// answer reads what an appended script left on the page.
func answer(t *testing.T, dom, console string) map[string]any {
	t.Helper()
	m := regexp.MustCompile(`data-probe="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatalf("no answer; console: %s", consoleLine.FindAllString(console, -1))
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestChecksSee proves that the check above would see a request and a message.
func TestChecksSee(t *testing.T) {
	browser(t)
	file := filepath.Join(t.TempDir(), "bad.html")
	bad := `<!DOCTYPE html><img src="http://picture.invalid/x.png"><script>console.error("seen")</script>`
	if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	_, console, log := load(t, file, 800)
	if !strings.Contains(consoleLine.FindString(console), "seen") {
		t.Errorf("the console message was not seen in %q", console)
	}
	if urls := log.requests(); len(urls) != 1 || urls[0] != "http://picture.invalid/x.png" {
		t.Errorf("the request was not seen: %q", urls)
	}
}

// probe is appended to a copy of the page, without its policy, to measure layout.
const probe = `<script>
const wide = [...document.querySelectorAll("body *")].filter(e => {
  if (e.closest("svg") && e.tagName !== "svg" || e.closest(".scroll") || e.closest(".skip")) return false;
  const r = e.getBoundingClientRect();
  return r.width > 0 && r.right > innerWidth + 1;
}).map(e => e.tagName + "." + e.className + " in " + e.parentElement.tagName + "." + e.parentElement.className + ": " + e.textContent.slice(0, 30)).slice(0, 5);
const shown = [...document.querySelectorAll("svg.figure")].filter(e => e.getBoundingClientRect().width > 0).length;
document.documentElement.setAttribute("data-probe", JSON.stringify({
  inner: innerWidth, scroll: document.documentElement.scrollWidth, wide, shown}));
</script>`

// TestLayout checks K5 at four widths: nothing reaches beyond the window.
func TestLayout(t *testing.T) {
	browser(t)
	run := sample.Run(sample.Options{Requests: 40, Output: 20, Rate: 30, Names: hostile, Scenario: preset(t, "multi-gpu")})
	run.Assumptions = append(run.Assumptions, hostile...)
	html := page(t, run, report.Meta{CommandLine: strings.Repeat("inferlab ", 60) + strings.Repeat("x", 400), ModelName: hostile[6],
		Inputs: []report.Input{{Name: hostile[6], Fingerprint: "fnv1a32:0badcafe"}}})
	for _, width := range []int{500, 720, 1000, 1400} {
		measure(t, html, width, 9)
	}
}

// TestComparisonLayout does the same for a comparison.
func TestComparisonLayout(t *testing.T) {
	browser(t)
	out, err := report.ServingComparison(compared(t, 20), report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{500, 1200} {
		measure(t, string(out), width, 15)
	}
}

// measure loads a page at a width and checks that nothing reaches beyond the
// window and that at least so many drawings are shown.
func measure(t *testing.T, html string, width, drawings int) {
	t.Helper()
	html = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(html, "")
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(html, "</body>", probe+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, _, _ := load(t, file, width)
	m := regexp.MustCompile(`data-probe="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatalf("no measurement at %d px", width)
	}
	var got struct {
		Inner, Scroll, Shown int
		Wide                 []string
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(m[1], "&quot;", `"`)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Inner != width || got.Scroll > got.Inner || len(got.Wide) > 0 || got.Shown < drawings {
		t.Errorf("at %d px: %+v", width, got)
	}
}
