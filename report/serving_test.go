package report_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

func preset(t testing.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hostile are names that try to leave their place.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></style></svg>`, `a&amp;b'c`,
	"\u202eevil\u202c שלום عربى", "🦀🚀👩‍👩‍👧‍👦", strings.Repeat("x", 250), strings.Repeat("long ", 2000),
	"{{.Title}}", "javascript:alert(1)", "new\nline",
}

func page(t testing.TB, run *serving.Run, meta report.Meta) string {
	t.Helper()
	out, err := report.Serving(run, meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSameBytes checks K1.
func TestSameBytes(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	meta := report.Meta{CommandLine: "inferlab serving multi-gpu serving.yaml"}
	first, second := page(t, run, meta), page(t, run, meta)
	if first != second {
		t.Error("two pages of one run differ")
	}
}

// fetches finds what a browser would load: K2.
var fetches = regexp.MustCompile(`(?i)<(script\s|link|img|iframe|object|embed|audio|video|source|base|form)\b|@import|(?-i:url\()|<[a-z][^\s>]*(\s+[a-z:-]+="[^"]*")*\s+(src|srcset|style|on[a-z]+)\s*=`)

// TestNothingToFetch checks K2: one file, one script of its own, every reference
// inside, and a policy that allows just that.
func TestNothingToFetch(t *testing.T) {
	html := page(t, sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-node")}), report.Meta{})
	if found := fetches.FindString(html); found != "" {
		t.Errorf("the page holds %q", found)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:application/json;base64,") {
			t.Errorf("reference to %.60q", m[1])
		}
		if id, ok := strings.CutPrefix(m[1], "#"); ok && !strings.Contains(html, `id="`+id+`"`) {
			t.Errorf("reference to #%s leads nowhere", id)
		}
	}
	if n := strings.Count(html, "<script>"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	policy := regexp.MustCompile(`content="default-src &#39;none&#39;; style-src &#39;sha256-[^ ]*&#39;; script-src &#39;sha256-[^ ]*&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;"`)
	if !policy.MatchString(html) {
		t.Error("no strict content security policy")
	}
}

// TestHostileNames checks D5 and K5.
func TestHostileNames(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 40, Output: 20, Rate: 30, Names: hostile, Scenario: preset(t, "multi-gpu")})
	run.Assumptions = append(run.Assumptions, hostile...)
	html := page(t, run, report.Meta{Command: hostile[0], ModelName: hostile[1], CommandLine: hostile[2],
		Inputs: []report.Input{{Name: hostile[0], Fingerprint: hostile[1]}}, Calibration: &report.Calibration{DatasetID: hostile[2]}})
	if found := fetches.FindString(html); found != "" {
		at := strings.Index(html, found)
		t.Errorf("the page holds %q in %q", found, html[max(at-80, 0):min(at+80, len(html))])
	}
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "{{.Title}}", "שלום"} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if n := strings.Count(html, "<script>"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if n := strings.Count(html, "</title>"); n != strings.Count(html, "<title>") {
		t.Errorf("%d ends of titles, %d starts", n, strings.Count(html, "<title>"))
	}
}

// TestHead checks what V0 must show.
func TestHead(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	doc := []byte(`{"kind":"inferlab/result"}`)
	html := page(t, run, report.Meta{Command: "serving", CommandLine: "inferlab serving multi-gpu serving.yaml", Result: doc,
		InputFingerprint: "fnv1a32:00000001", Inputs: []report.Input{{Name: "serving.yaml", Fingerprint: "fnv1a32:0badcafe", Travels: true}}})
	for _, want := range []string{
		"serving · continuous batching, target-only · multi-gpu (multi-gpu) · synthetic",
		"60 requests served in a modeled", "replay verified, ", "heuristic timing",
		"Predicted throughput", "Modeled TTFT, p50 / p95", "Modeled ITL, p50 / p95", "KV high water", "Batches",
		run.Scenario.Fingerprint(), "fnv1a32:00000001", "plan 5, serving-trace 3", "must be handed over as a file",
		"inferlab serving multi-gpu serving.yaml", "No model is bound", "The last 12 requests to complete, newest first",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(html, `class="card"`); n < 4 || n > 8 {
		t.Errorf("%d cards, want 4 to 8", n)
	}
	if got := embedded(t, html); !bytes.Equal(got, doc) {
		t.Errorf("embedded %q, want %q", got, doc)
	}
	for _, id := range []string{"latency", "requests", "batches", "memory", "resources", "links", "machine", "capacity", "evidence", "reproduce"} {
		if !strings.Contains(html, `<section id="`+id+`"`) {
			t.Errorf("no section %s", id)
		}
	}
	for _, forbidden := range []string{"measured throughput", "achieved"} {
		if strings.Contains(html, forbidden) {
			t.Errorf("modelled time is called %q (R1)", forbidden)
		}
	}
}

func embedded(t *testing.T, html string) []byte {
	t.Helper()
	_, rest, ok := strings.Cut(html, `href="data:application/json;base64,`)
	if !ok {
		t.Fatal("no result is embedded")
	}
	text, _, _ := strings.Cut(rest, `"`)
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSummaryStandsIn: without a document the metrics are embedded.
func TestSummaryStandsIn(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 20, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	for _, meta := range []report.Meta{{}, {Result: bytes.Repeat([]byte("x"), 6<<20)}} {
		html := page(t, run, meta)
		var got struct {
			ScenarioID string `json:"scenarioId"`
			Metrics    struct{ Requests, OutputTokens int64 }
		}
		if err := json.Unmarshal(embedded(t, html), &got); err != nil {
			t.Fatal(err)
		}
		if got.ScenarioID != "multi-gpu" || got.Metrics.Requests != 20 || got.Metrics.OutputTokens != run.Metrics.OutputTokens {
			t.Errorf("summary %+v", got)
		}
	}
}

// TestLongTables checks F3.
func TestLongTables(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 1200, Output: 4, Rate: 200, Scenario: preset(t, "multi-gpu")})
	html := page(t, run, report.Meta{})
	for _, want := range []string{"Showing the first 250 and the last 250 of 1,200 rows.", "700 rows not shown", ">request-249<", ">request-1199<"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestSmallRuns: one request, one token, no scenario, no resource: every section
// shows something or says why not.
func TestSmallRuns(t *testing.T) {
	one := sample.Run(sample.Options{Requests: 1, Output: 1, Rate: 30})
	html := page(t, one, report.Meta{})
	for _, want := range []string{"1 request served", "One request:", "No resource was used.", "No operation used a link.", "scenario is not part of this result"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page of one request lacks %q", want)
		}
	}
	for _, run := range []*serving.Run{nil, {}} {
		if _, err := report.Serving(run, report.Meta{}); !errors.Is(err, report.ErrNoRun) {
			t.Errorf("error %v, want ErrNoRun", err)
		}
	}
	broken := sample.Run(sample.Options{Requests: 5, Output: 5, Rate: 30})
	broken.Replay = serving.Replay{}
	if html := page(t, broken, report.Meta{}); !strings.Contains(html, "replay not verified") {
		t.Error("a run without replay is called verified")
	}
}

// TestSizeBound checks F5 and K6: large results go first, then long tables.
func TestSizeBound(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 10_000, Output: 20, Rate: 400, Scenario: preset(t, "multi-gpu")})
	html := page(t, run, report.Meta{})
	if len(html) > 3<<20 {
		t.Errorf("%d bytes for %d requests and %d tokens", len(html), run.Metrics.Requests, run.Metrics.OutputTokens)
	}
	noise := make([]byte, 3<<20) // a compressor finds nothing in it
	draw := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(draw.Uint32())
	}
	doc := []byte(`"` + base64.StdEncoding.EncodeToString(noise) + `"`)
	small := page(t, run, report.Meta{Result: doc, MaxBytes: 2 << 20})
	if len(small) > 2<<20 || !strings.Contains(small, "summary.json") {
		t.Errorf("%d bytes under a bound of 2 MiB", len(small))
	}
}

// TestEveryPreset: the page stands for every built-in machine.
func TestEveryPreset(t *testing.T) {
	names := topology.PresetNames()
	if !slices.Contains(names, "multi-gpu") {
		t.Fatal("no presets")
	}
	for _, name := range names {
		run := sample.Run(sample.Options{Requests: 12, Output: 8, Rate: 30, Scenario: preset(t, name)})
		html := page(t, run, report.Meta{})
		if !strings.Contains(html, run.Scenario.ID()) {
			t.Errorf("%s: the scenario is not named", name)
		}
	}
}

func BenchmarkServingPage(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		run := sample.Run(sample.Options{Requests: n, Output: 64, Rate: 400, Scenario: preset(b, "multi-gpu")})
		b.Run(fmt.Sprintf("requests=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				out, err := report.Serving(run, report.Meta{})
				if err != nil {
					b.Fatal(err)
				}
				size = len(out)
			}
			b.ReportMetric(float64(size), "page-bytes")
			b.ReportMetric(float64(run.Metrics.OutputTokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
