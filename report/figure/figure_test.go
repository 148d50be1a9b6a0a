package figure_test

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore/topology"
)

var update = flag.Bool("update", false, "rewrite the golden pictures; look at them before you commit them")

func preset(t testing.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGolden(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 24, Output: 20, Rate: 30, Scenario: preset(t, "multi-gpu")})
	for name, f := range figures(run) {
		for variant, o := range map[string]figure.Options{
			"":      {},
			"-dark": {Theme: figure.Dark, Width: 600},
			"-page": {Page: true, Width: 350},
		} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := f.SVG(o)
			if err != nil || !bytes.Equal(svg, again) {
				t.Errorf("%s%s: a second rendering differs (%v)", name, variant, err)
			}
			wellFormed(t, name+variant, svg)
			path := filepath.Join("testdata", name+variant+".svg")
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

// wellFormed reads a drawing as XML and returns its text.
func wellFormed(t *testing.T, name string, svg []byte) (text string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "svg", "desc", "path", "text", "g", "title":
			default:
				t.Errorf("%s: unexpected element %s", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if a.Name.Local == "style" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: attribute %s", name, a.Name.Local)
				}
			}
		case xml.CharData:
			text += string(e)
		}
	}
}

// TestWordsInside checks K8: a standalone figure carries title, subtitle with the
// confidence, and its axis names.
func TestWordsInside(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 24, Output: 20, Rate: 30, Scenario: preset(t, "multi-gpu")})
	axes := map[string]string{"ttft": "Modeled TTFT, ms", "itl": "Modeled ITL, ms", "batches": "Modeled time, ms",
		"kv": "KV held, token positions", "utilization": "Predicted utilisation, %", "throughput": "Output tokens so far",
		"requests": "Modeled latency, ms", "timeline": "Modeled time, ms", "memory": "Share of the domain's allocatable limit, %"}
	for name, f := range figures(run) {
		svg, err := f.SVG(figure.Options{Width: 1000})
		if err != nil {
			t.Fatal(err)
		}
		text := wellFormed(t, name, svg)
		for _, want := range []string{f.Text().Title, string(f.Text().Confidence), "multi-gpu", axes[name]} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if f.Text().Alt == "" {
			t.Errorf("%s has no text alternative", name)
		}
	}
}

// TestEmpty checks K7: the empty state of every figure is an image with a reason.
func TestEmpty(t *testing.T) {
	empty := map[string]figure.Figure{
		"distribution": figure.Distribution{Name: "TTFT", Sample: "request"}, "pair": figure.Pair{},
		"batches": figure.BatchTimeline{}, "kv": figure.KVTimeline{}, "utilization": figure.ResourceUse{},
		"throughput": figure.TokenCurve{}, "requests": figure.RequestBars{}, "timeline": figure.RequestTimeline{},
		"flow": figure.LinkFlow{}, "memory": figure.MemoryDomains{}, "memory timeline": figure.MemoryTimeline{},
		"topology": figure.Topology{}, "ranking": figure.Ranking{}, "overlay": figure.Overlay{Name: "TTFT"}, "tradeoff": figure.Tradeoff{},
		"machine of nothing": figure.Machine(nil), "memory of nothing": figure.Memory(nil),
	}
	for name, f := range empty {
		reason := f.Text().Empty
		if reason == "" {
			t.Errorf("%s states no reason", name)
			continue
		}
		svg, err := f.SVG(figure.Options{Width: 1200})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text := wellFormed(t, name, svg); !strings.Contains(text, reason) {
			t.Errorf("%s does not show %q", name, reason)
		}
		if png, err := f.PNG(figure.Options{}); err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
			t.Errorf("%s: no PNG (%v)", name, err)
		}
		if pdf, err := f.PDF(figure.Options{}); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
			t.Errorf("%s: no PDF (%v)", name, err)
		}
		if f.Table().Len != 0 {
			t.Errorf("%s has table rows", name)
		}
	}
}

func TestFormatsAndSizes(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 24, Output: 20, Rate: 30, Scenario: preset(t, "multi-node")})
	for name, f := range figures(run) {
		for _, width := range []float64{240, 320, 500, 1600} {
			if _, err := f.SVG(figure.Options{Width: width}); err != nil {
				t.Errorf("%s at %g px: %v", name, width, err)
			}
		}
		pdf, err := f.PDF(figure.Options{Theme: figure.Dark})
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
			t.Errorf("%s: no PDF (%v)", name, err)
		}
		if n := bytes.Count(pdf, []byte("Date (D:20000101000000)")); n != 2 {
			t.Errorf("%s: the PDF holds %d fixed dates, want 2: it would differ from hour to hour", name, n)
		}
		if _, err := f.PNG(figure.Options{Height: 400, Scale: 1}); err != nil {
			t.Errorf("%s at a fixed height: %v", name, err)
		}
		for _, o := range []figure.Options{{Width: 10}, {Width: 1e6}, {Height: 5}, {Scale: 50}, {Width: math.NaN()}, {Width: -1}} {
			if _, err := f.SVG(o); !errors.Is(err, figure.ErrSize) {
				t.Errorf("%s with %+v: %v, want ErrSize", name, o, err)
			}
		}
	}
}

// TestPDFColours: a faint ink is its full colour at an opacity, not a darker colour.
func TestPDFColours(t *testing.T) {
	pdf, err := figure.KV(sample.Run(sample.Options{Requests: 24, Output: 20, Rate: 30})).PDF(figure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		if r, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			plain, _ := io.ReadAll(r)
			text = append(text, plain...)
		}
	}
	kv := figure.KVCache.Hex(figure.Light)
	red, _ := strconv.ParseInt(kv[1:3], 16, 64)
	if full := fmt.Sprintf("%.3f ", float64(red)/255); !bytes.Contains(text, []byte(full)) || !bytes.Contains(text, []byte("1.000 g")) {
		t.Errorf("the PDF lacks the full colour of KV (%s) or of the ground", full)
	}
	if bytes.Contains(text, []byte("0.800 g")) {
		t.Error("the patch behind labels is grey")
	}
}

// TestHostileNames checks D5 and K5: ids are text and only text.
func TestHostileNames(t *testing.T) {
	names := []string{`<script>alert("1")</script>`, `a&b"c'd]]>`, "\u202eright to left\u202c שלום عربى", "🦀🚀 emoji",
		strings.Repeat("long-", 2000), "line\nbreak\ttab", "nul\x00bell\x07", "</title><svg onload=x>", "\ufffe\ufffd", strings.Repeat("W", 250)}
	run := sample.Run(sample.Options{Requests: 12, Output: 10, Rate: 30, Names: names, Scenario: preset(t, "multi-gpu")})
	for name, f := range figures(run) {
		svg, err := f.SVG(figure.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wellFormed(t, name, svg)
		if len(svg) > 200_000 {
			t.Errorf("%s: %d bytes", name, len(svg))
		}
		if _, err := f.PNG(figure.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.PDF(figure.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDistributionFindings(t *testing.T) {
	src := figure.Source{Run: "r", Confidence: "heuristic"}
	ns := func(vs ...int64) []int64 { return vs }
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i+1) * 1_000_000
	}
	cases := []struct {
		name         string
		samples      []int64
		title, empty string
	}{
		{"one", ns(412e6), "TTFT 412 ms", "One request: 412 ms. A distribution needs at least two; every percentile equals this value."},
		{"constant", ns(5e6, 5e6, 5e6), "TTFT is 5 ms for every request", ""},
		{"ranks", hundred, "p95 TTFT 95 ms, 1.9 × the median", ""},
		{"zeros", ns(0, 0, 0, 7), "p95 TTFT 7 ns; half or more take 0 ns", ""},
		{"tail", append(hundred, 60e9), "p95 TTFT 96 ms, 1.9 × the median", ""},
	}
	for _, c := range cases {
		d := figure.NewDistribution(src, "TTFT", "Time to first token", "request", c.samples)
		if got := d.Text(); got.Title != c.title || got.Empty != c.empty {
			t.Errorf("%s: title %q, empty %q", c.name, got.Title, got.Empty)
		}
		svg, err := d.SVG(figure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, c.name, svg)
	}
	d := figure.NewDistribution(src, "TTFT", "", "request", hundred)
	if p50, p95, p99 := d.Quantile(1, 2), d.Quantile(19, 20), d.Quantile(99, 100); p50 != 50e6 || p95 != 95e6 || p99 != 99e6 {
		t.Errorf("quantiles %d %d %d", p50, p95, p99)
	}
}

// TestTablesEqualMarks checks K4: the numbers below a figure add up to the run's.
func TestTablesEqualMarks(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 300, Output: 40, Rate: 60, Scenario: preset(t, "multi-gpu")})
	column := func(f figure.Figure, k int) (sum int64) {
		table := f.Table()
		for i := range table.Len {
			v, err := parse(table.Row(i)[k])
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		return sum
	}
	m := run.Metrics
	checks := []struct {
		name      string
		got, want int64
	}{
		{"TTFT samples", column(figure.TTFT(run), 2), m.Requests},
		{"ITL samples", column(figure.ITL(run), 2), m.OutputTokens - m.Requests},
		{"prefill tokens", column(figure.Batches(run), 2), m.PrefillTokens},
		{"decode tokens", column(figure.Batches(run), 3), m.DecodeTokens},
		{"service time", column(figure.Batches(run), 1), m.BatchServiceNs},
		{"resources", int64(figure.Utilization(run).Table().Len), int64(len(run.Topology.ResourceUtilization))},
		{"requests", int64(figure.Requests(run).Table().Len), m.Requests},
		{"links", int64(figure.Flow(run).Table().Len + len(figure.Flow(run).Unused)), int64(len(run.Scenario.Spec().Links))},
	}
	for _, c := range checks {
		if c.got != c.want {
			t.Errorf("%s: %d in the table, %d in the run", c.name, c.got, c.want)
		}
	}
	if got := figure.TTFT(run); got.Quantile(1, 2) != m.P50TimeToFirstTokenNs || got.Quantile(19, 20) != m.P95TimeToFirstTokenNs {
		t.Error("TTFT quantiles differ from the metrics")
	}
	if got := figure.ITL(run); got.Quantile(1, 2) != m.P50InterTokenLatencyNs || got.Quantile(19, 20) != m.P95InterTokenLatencyNs {
		t.Error("ITL quantiles differ from the metrics")
	}
}

// TestReduction checks D2: a picture does not grow with the run, and says what it
// reduced.
func TestReduction(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 3000, Output: 60, Rate: 60, Scenario: preset(t, "multi-gpu")})
	for name, f := range figures(run) {
		svg, err := f.SVG(figure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(svg) > 90_000 {
			t.Errorf("%s: %d bytes for %d output tokens", name, len(svg), run.Metrics.OutputTokens)
		}
	}
	for name, want := range map[string]string{
		"batches":  "drawn in columns two pixels wide",
		"kv":       "drawn in columns two pixels wide",
		"timeline": "Showing the 120 slowest of 3,000 requests",
		"requests": "largest value among consecutive arrivals",
		"itl":      "drawn at pixel resolution from all",
	} {
		if got := figures(run)[name].Text().Caption; !strings.Contains(got, want) {
			t.Errorf("%s: caption %q does not say %q", name, got, want)
		}
	}
}

func TestWindowAndFilter(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 100, Output: 20, Rate: 30, Scenario: preset(t, "multi-gpu")})
	b := figure.Batches(run)
	whole := b.Table().Len
	b.Window = figure.Window{FromNs: 0, ToNs: run.Trace.Batches[5].StartNs}
	if got := b.Table().Len; got != 5 || whole != len(run.Trace.Batches) {
		t.Errorf("window shows %d batches of %d", got, whole)
	}
	b.Window = figure.Window{FromNs: 1 << 52, ToNs: 1<<52 + 1}
	if b.Text().Empty == "" {
		t.Error("a window behind the run is not empty")
	}
	l := figure.Timeline(run)
	l.Only = []string{"request-7", "request-9"}
	if got := l.Table().Len; got != 2 {
		t.Errorf("filter shows %d requests", got)
	}
	u := figure.Utilization(run)
	u.Class = "link"
	if got := u.Table(); got.Len == 0 || !strings.HasPrefix(got.Row(0)[0], "link:") {
		t.Errorf("class filter shows %v", got.Row(0))
	}
}
