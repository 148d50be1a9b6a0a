package lab

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// captured runs f with displays and complaints going to strings, and exits
// turned into panics that it catches.
func captured(t *testing.T, f func()) (shown, complained string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	oldOut, oldErr, oldExit := output, complaints, exit
	defer func() { output, complaints, exit = oldOut, oldErr, oldExit }()
	type exited int
	output, complaints = &out, &errs
	exit = func(code int) { panic(exited(code)) }
	func() {
		defer func() {
			if r := recover(); r != nil {
				status = int(r.(exited))
			}
		}()
		f()
	}()
	return out.String(), errs.String(), status
}

// sampleRun is a finished run of two requests, made by hand.
func sampleRun() *serving.Run {
	return &serving.Run{
		Config: workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 8, PrefillChunkTokens: 8, MaxKVTokens: 1000,
			Requests: []workload.Request{{ID: "a", PromptTokens: 4, OutputTokens: 3}, {ID: "b<b>", ArrivalNs: 1000, PromptTokens: 4, OutputTokens: 2}}},
		Trace: &trace.Serving{RequestIDs: []string{"a", "b<b>"}},
		Requests: []serving.RequestResult{
			{Request: 0, FirstTokenNs: 2_000_000, CompletedAtNs: 6_000_000, TimeToFirstTokenNs: 2_000_000, LatencyNs: 6_000_000, TokensFrom: 0, TokensTo: 3},
			{Request: 1, ArrivalNs: 1000, FirstTokenNs: 4_000_000, CompletedAtNs: 6_000_000, TimeToFirstTokenNs: 3_999_000, LatencyNs: 5_999_000, TokensFrom: 3, TokensTo: 5},
		},
		TokenTimes: []int64{2_000_000, 4_000_000, 6_000_000, 4_000_000, 6_000_000},
		Metrics: serving.Metrics{Requests: 2, Batches: 3, OutputTokens: 5, TotalDurationNs: 6_000_000, ThroughputTokensPerSecond: 833.3333,
			P50TimeToFirstTokenNs: 2_000_000, P95TimeToFirstTokenNs: 3_999_000, P50InterTokenLatencyNs: 2_000_000,
			P95InterTokenLatencyNs: 2_000_000, TokenBatchUtilization: 0.5, KVHighWaterTokens: 11},
		Replay:     serving.Replay{AppliedEvents: 1234, CompletedRequests: 2},
		Confidence: evidence.Heuristic,
	}
}

func TestShowRun(t *testing.T) {
	shown, _, _ := captured(t, func() { Show(sampleRun()) })
	want := `2 requests served in a modeled 6 ms at 833 output tokens/s. 95 % see their first token within 4 ms; KV peaks at 1.1 % of its budget.
  Predicted throughput           833 tokens/s (5 output tokens in 6 ms)
  Modeled TTFT, p50 / p95        2 ms / 4 ms (mean 0 ns)
  Modeled ITL, p50 / p95         2 ms / 2 ms (mean 0 ns)
  Modeled request latency, mean  0 ns (arrival to completion, 2 requests)
  KV high water                  11 tokens (1.1 % of a budget of 1,000)
  Batches                        3 (50.0 % of token slots, 0.0 % of sequence slots used)
  heuristic; replay verified, 1,234 events
`
	head, rest, _ := strings.Cut(shown, "p95 TTFT 4 ms, 2.0 ×")
	if diff := cmp.Diff(want, head); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	if !strings.Contains(rest, "heuristic") || !strings.Contains(rest, "p50") {
		t.Errorf("the figure's words: %q", rest)
	}
	bs := bundles(sampleRun())
	if len(bs) != 2 || !strings.HasPrefix(bs[1].text(mimeSVG), "<svg") {
		t.Errorf("a run shows its head and one figure, got %d displays", len(bs))
	}
	for _, want := range []string{"2 requests served", "Modeled TTFT, p50 / p95", "replay verified, 1,234 events", ">heuristic</span>"} {
		if !strings.Contains(bs[0].text(mimeHTML), want) {
			t.Errorf("the head lacks %q:\n%s", want, bs[0].text(mimeHTML))
		}
	}
}

func TestShowEmptyRun(t *testing.T) {
	shown, _, status := captured(t, func() { Show(&serving.Run{Trace: &trace.Serving{}}) })
	if status != 0 || shown != "*serving.Run: nothing to show\n" {
		t.Errorf("status %d, shown:\n%s", status, shown)
	}
}

func TestShowFigure(t *testing.T) {
	b := bundles(figure.TTFT(sampleRun()))[0]
	if !strings.HasPrefix(b.text(mimeSVG), "<svg") || !strings.Contains(b.text(mimeText), "p95 TTFT 4 ms") || len(b) != 3 {
		t.Errorf("figure shown as %d forms, text %q", len(b), b.text(mimeText))
	}
}

// figureThatFails cannot be drawn.
type figureThatFails struct{ figure.Distribution }

func (figureThatFails) SVG(figure.Options) ([]byte, error) { return nil, errors.New("no <ink>") }

// dot is a drawing of a reader's own.
type dot struct{ svg string }

func (d dot) SVG() ([]byte, error) {
	if d.svg == "broken" {
		return nil, errors.New("no paper")
	}
	return []byte(d.svg), nil
}

func TestShowOtherValues(t *testing.T) {
	tests := []struct {
		name  string
		value any
		want  bundle
	}{
		{"nothing", nil, bundle{mimeText: "nothing to show"}},
		{"text", "a < b", bundle{mimeText: "a < b"}},
		{"a number", 42, bundle{mimeText: "42"}},
		{"a struct", struct{ A int }{3}, bundle{mimeText: "{A:3}"}},
		{"Markdown", Markdown("*x*"), bundle{mimeText: "*x*", mimeMarkdown: "*x*"}},
		{"a confidence class", evidence.Exact, bundle{mimeText: "exact",
			mimeHTML: `<span style="border:1px solid #1B5E20;border-radius:4px;padding:1px 6px;font-size:13px">exact</span>`}},
		{"a drawing", dot{"<svg/>"}, bundle{mimeSVG: "<svg/>", mimeText: "a drawing in SVG"}},
		{"a broken drawing", dot{"broken"}, errorBundle(errors.New("the drawing cannot be made: no paper"))},
		{"an empty drawing", dot{}, errorBundle(errors.New("the drawing is empty"))},
		{"a figure that cannot be drawn", figureThatFails{}, bundle{mimeText: "the figure cannot be drawn: no <ink>",
			mimeHTML: `<pre style="border-left:3px solid #B3261E;padding:4px 12px;white-space:pre-wrap">the figure cannot be drawn: no &lt;ink&gt;</pre>`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]bundle{tt.want}, bundles(tt.value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTableText(t *testing.T) {
	table := NewTable("machines", []string{"machine", "p95 TTFT (ms)", "note"},
		[]any{"lan <2>", 12.3456, "x"}, []any{"ring", 7, nil})
	shown, _, _ := captured(t, func() { Show(table) })
	want := "" +
		"machine  p95 TTFT (ms)  note\n" +
		"lan <2>          12.35  x\n" +
		"ring                 7  <nil>\n" +
		"machines, 2 rows\n"
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableShowsTenRows(t *testing.T) {
	long := &Table{Columns: []Column{{Name: "n", Numeric: true}}}
	for range 1234 {
		long.Rows = append(long.Rows, []string{"1234567"})
	}
	b := bundles(long)[0]
	if n := strings.Count(b.text(mimeHTML), "<tr><td"); n != 10 {
		t.Errorf("%d rows shown, want 10", n)
	}
	for mime, want := range map[string]string{mimeHTML: "<bdi>1,234,567</bdi>", mimeText: "first 10 of 1,234 rows"} {
		if !strings.Contains(b.text(mime), want) {
			t.Errorf("%s lacks %q", mime, want)
		}
	}
	if long.Rows[0][0] != "1234567" {
		t.Errorf("showing changed the table: %q", long.Rows[0][0])
	}
	empty := bundles(&Table{Name: "none"})[0]
	if empty.text(mimeText) != "\nnone, 0 rows" {
		t.Errorf("empty table: %q", empty.text(mimeText))
	}
}

// Names and ids are data: whatever they hold, it stays text in one cell.
func TestTableEscapes(t *testing.T) {
	hostile := "<script>alert(1)</script>\"'&\u202e\x00\n" + strings.Repeat("é", 300)
	table := &Table{
		Name:    hostile,
		Columns: []Column{{Name: hostile, Unit: "<i>", Description: "\" onmouseover=\"x"}, {Name: "short row"}},
		Rows:    [][]string{{hostile}, {"\xff"}},
	}
	b := bundles(table)[0]
	for _, bad := range []string{"<script", "<i>", "\" onmouseover", "\x00"} {
		if strings.Contains(b.text(mimeHTML), bad) {
			t.Errorf("the table holds %q:\n%s", bad, b.text(mimeHTML))
		}
	}
	if !strings.Contains(b.text(mimeHTML), "␀␊é") || strings.Contains(b.text(mimeHTML), strings.Repeat("é", 60)) {
		t.Errorf("control characters or length:\n%s", b.text(mimeHTML))
	}
}

func TestShowArrowTable(t *testing.T) {
	field := func(name, unit string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Metadata: arrow.NewMetadata([]string{"description", "unit"}, []string{"what " + name + " is", unit})}
	}
	schema := arrow.NewSchema([]arrow.Field{
		field("request_id", arrowio.UnitID, arrow.BinaryTypes.String),
		field("ttft_ns", arrowio.UnitNs, arrow.PrimitiveTypes.Int64),
	}, nil)
	b := bundles(arrowio.FromBatches("requests", schema, nil))[0]
	for _, want := range []string{
		`<th style="text-align:left;padding:2px 8px;vertical-align:bottom" title="what request_id is">request_id</th>`,
		`title="what ttft_ns is">ttft_ns<br><span style="font-weight:normal;opacity:.75">ns</span></th>`,
		"requests, 0 rows",
	} {
		if !strings.Contains(b.text(mimeHTML), want) {
			t.Errorf("lacks %q:\n%s", want, b.text(mimeHTML))
		}
	}
}

func TestReadable(t *testing.T) {
	for s, want := range map[string]string{
		"":                    "",
		"id-1":                "id-1",
		"1234567":             "1,234,567",
		"-12":                 "-12",
		"0.5":                 "0.5",
		"0.1234567891":        "0.123457",
		"1580.750031496063":   "1580.75",
		"335416.92063492065":  "335,417",
		"1.0713220975609e+06": "1,071,322",
		"1e+300":              "1e+300",
		"NaN":                 "NaN",
		"[1 2]":               "[1 2]",
	} {
		if got := readable(s); got != want {
			t.Errorf("readable(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestShowFigureTable(t *testing.T) {
	b := bundles(figure.TTFT(sampleRun()).Table())[0]
	if !strings.Contains(b.text(mimeText), "from (ns)") || !strings.Contains(b.text(mimeText), "at or below") {
		t.Errorf("text:\n%s", b.text(mimeText))
	}
}

func TestMustAndCheck(t *testing.T) {
	if got := Must(7, nil); got != 7 {
		t.Errorf("got %d", got)
	}
	Check(nil)
	list := &issue.List{Subject: "scenario x"}
	list.Add("bad_link", "links[2].id", "found %q", "q")
	list.Add("bad_node", "", "missing")
	tests := []struct {
		name string
		f    func()
		want string
	}{
		{"Must", func() { Must(0, errors.New("broken")) }, ": broken\n"},
		{"Check", func() { Check(errors.New("broken")) }, ": broken\n"},
		{"a list", func() { Check(list.Err()) }, ": 2 issues in scenario x\n  [bad_link] links[2].id: found \"q\"\n  [bad_node] missing\n"},
		{"Save", func() { Save(filepath.Join(t.TempDir(), "x.svg"), 3) }, "there is no way to write int to a file\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, complained, status := captured(t, tt.f)
			if status != 1 || !strings.HasSuffix(complained, tt.want) {
				t.Errorf("status %d, complaint %q", status, complained)
			}
			if !strings.Contains(complained, "lab_test.go:") {
				t.Errorf("the complaint does not name the caller: %q", complained)
			}
		})
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := figure.TTFT(sampleRun())
	tests := []struct {
		name    string
		content any
		begins  string
	}{
		{"a/page.html", []byte("<p>"), "<p>"},
		{"a/b/text.txt", "text", "text"},
		{"func.bin", func(w io.Writer) error { _, err := io.WriteString(w, "fn"); return err }, "fn"},
		{"to.bin", bytes.NewBufferString("buffer"), "buffer"},
		{"f.svg", f, "<svg"},
		{"f.PNG", f, "\x89PNG"},
		{"f.pdf", f, "%PDF"},
	}
	for _, tt := range tests {
		path := filepath.Join(dir, tt.name)
		shown, complained, status := captured(t, func() { Save(path, tt.content) })
		if status != 0 || !strings.HasPrefix(shown, "saved "+filepath.ToSlash(path)+" (") {
			t.Errorf("%s: status %d, shown %q, complained %q", tt.name, status, shown, complained)
		}
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), tt.begins) {
			t.Errorf("%s: %v, begins with %.20q", tt.name, err, data)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	table := arrowio.FromBatches("t", arrow.NewSchema(nil, nil), nil)
	tests := []struct {
		path    string
		content any
		want    string
	}{
		{"x.html", 3, "no way to write int"},
		{"x.gif", figure.TTFT(sampleRun()), ".svg, .png or .pdf"},
		{"x.parquet", table, "parquetio"},
		{"x.xls", table, ".csv, .arrow or .parquet"},
		{"file/x.html", "text", "file"},
		{"x.html", func(io.Writer) error { return errors.New("half way") }, "half way"},
	}
	for _, tt := range tests {
		_, complained, status := captured(t, func() { Save(filepath.Join(dir, tt.path), tt.content) })
		if status != 1 || !strings.Contains(complained, tt.want) {
			t.Errorf("%s: status %d, complained %q", tt.path, status, complained)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestSaveTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	one, two := arrowio.FromBatches("one", schema, nil), arrowio.FromBatches("two", schema, nil)
	shown, complained, status := captured(t, func() { SaveTables(dir, ".csv", arrowio.WriteCSV, one, two) })
	if status != 0 || !strings.Contains(shown, "one.csv") || !strings.Contains(shown, "two.csv") {
		t.Errorf("status %d, shown %q, complained %q", status, shown, complained)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "two.csv")); err != nil || string(data) != "n\n" {
		t.Errorf("two.csv: %q, %v", data, err)
	}
	_, complained, status = captured(t, func() {
		SaveTables(dir, ".bad", func(io.Writer, *arrowio.Table) error { return errors.New("full") }, one)
	})
	if status != 1 || !strings.Contains(complained, "full") {
		t.Errorf("status %d, complained %q", status, complained)
	}
}
