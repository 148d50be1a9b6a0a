package resultdoc

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/cputime"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// simulated is a run with chunked prompts, one-token requests and an idle gap.
func simulated(t testing.TB, requests int) *serving.Run {
	t.Helper()
	scn, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	cfg := workload.Serving{MaxBatchSize: 8, MaxBatchTokens: 256, PrefillChunkTokens: 64, MaxKVTokens: 4000}
	for i := range requests {
		cfg.Requests = append(cfg.Requests, workload.Request{
			ID: fmt.Sprintf("r<%d>", i), ArrivalNs: int64(i/4) * 400_000_000, Priority: int64(i % 3),
			PromptTokens: int64(10 + i*37%300), OutputTokens: int64(1 + i*11%30),
		})
	}
	run, err := simcore.Serve(scn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func written(t testing.TB, run *serving.Run, form result.Form) []byte {
	t.Helper()
	var out bytes.Buffer
	w := jsondoc.NewWriter(&out)
	result.Serving(w, run, form)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestTablesOfDocument: the tables of a run's document are those of the run, but
// for what the document does not hold.
func TestTablesOfDocument(t *testing.T) {
	run := simulated(t, 40)
	doc, err := Serving(bytes.NewReader(written(t, run, result.Full)), arrowio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]*arrowio.Table{}
	for _, table := range arrowio.Serving(run, arrowio.Options{}).All() {
		whole[table.Name()] = table
	}
	var names []string
	for _, got := range doc.All() {
		names = append(names, got.Name())
		want := whole[got.Name()]
		x, y := got.Cells(0, got.NumRows()), want.Cells(0, want.NumRows())
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%s: %s", got.Name(), cmp.Diff(y, x))
		}
		if !got.Schema().Equal(want.Schema()) || !got.Schema().Metadata().Equal(want.Schema().Metadata()) {
			t.Errorf("%s: the schema is %v", got.Name(), got.Schema())
		}
	}
	if diff := cmp.Diff([]string{"requests", "tokens", "batches", "batch_members", "resources", "metrics", "memory_timeline"}, names); diff != "" {
		t.Error(diff)
	}
	if n := len(run.Templates); n < 3 {
		t.Errorf("the run has %d templates; the test needs several", n)
	}
}

// TestWithoutInputs: a document that does not hold its inputs does not say
// priorities.
func TestWithoutInputs(t *testing.T) {
	full := written(t, simulated(t, 6), result.Full)
	from, to := bytes.Index(full, []byte("\n  \"inputs\"")), bytes.Index(full, []byte("\n  \"metrics\""))
	if from < 0 || to < from {
		t.Fatal("the document does not hold its inputs before its metrics")
	}
	tables, err := Serving(bytes.NewReader(append(full[:from:from], full[to:]...)), arrowio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, valid, err := tables.Requests().Ints("priority")
	if err != nil || len(valid) != 6 || slices.Contains(valid, true) {
		t.Errorf("priorities are valid %v, error %v; want six nulls", valid, err)
	}
}

func TestRefusals(t *testing.T) {
	run := simulated(t, 6)
	full := string(written(t, run, result.Full))
	// replace changes the first place of a text after the inputs, or in the head.
	replace := func(old, new string) string {
		head, results, _ := strings.Cut(full, "\n  \"metrics\"")
		results = "\n  \"metrics\"" + results
		switch {
		case strings.Contains(results, old):
			return head + strings.Replace(results, old, new, 1)
		case strings.Contains(head, old):
			return strings.Replace(head, old, new, 1) + results
		}
		t.Fatalf("the document does not hold %q", old)
		return ""
	}
	inResult := func(old, new string) string { // behind the inputs
		at := strings.Index(full, `"kvHighWaterTokens"`)
		return full[:at] + strings.Replace(full[at:], old, new, 1)
	}
	for _, c := range []struct{ name, text, code, path string }{
		{"empty", "", "result_syntax", ""},
		{"no object", "[]", "result_type", ""},
		{"cut", full[:len(full)/2], "result_syntax", "serving.trace["},
		{"text after", full + "{}", "result_syntax", ""},
		{"other kind", replace(`"inferlab/result"`, `"inferlab/trace"`), "result_kind", "kind"},
		{"other command", replace(`"command": "serving"`, `"command": "run"`), "result_command", "command"},
		{"other revision", replace(`"revision": 1`, `"revision": 2`), "result_revision", "revision"},
		{"bad confidence", replace(`"confidence": "`, `"confidence": "very `), "result_confidence", "confidence"},
		{"summary", string(written(t, run, result.Summary)), "result_summary", "serving.trace"},
		{"trace revision", replace(`"contractRevision": 3`, `"contractRevision": 2`), "result_revision", "serving.trace[0].contractRevision"},
		{"unknown event", replace(`"kind": "arrival"`, `"kind": "departure"`), "result_event", "serving.trace[0].kind"},
		{"text as number", replace(`"kvTokensBefore": 0`, `"kvTokensBefore": "0"`), "result_syntax", "serving.trace["},
		{"unknown source", replace(`"source": "prefill"`, `"source": "dream"`), "result_token", "serving.trace["},
		{"token out of order", replace(`"tokenIndex": 0`, `"tokenIndex": 1`), "result_token", "serving.trace["},
		{"unknown mode", replace(`"mode": "target_only"`, `"mode": "x"`), "result_slice", "serving.trace["},
		{"batch out of order", replace(`"batchId": 0`, `"batchId": 7`), "result_event", "serving.trace["},
		{"negative time", inResult(`"arrivalNs": 0`, `"arrivalNs": -1`), "result_request", "serving.requests[0]"},
		{"request not configured", replace(`"id": "r<1>"`, `"id": "r<9>"`), "result_request", "serving.requests["},
		{"request twice", inResult(`"id": "r<1>"`, `"id": "r<0>"`), "result_request", "serving.requests["},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Serving(strings.NewReader(c.text), arrowio.Options{})
			var got *issue.Error
			if !errors.As(err, &got) || got.Code != c.code || !strings.HasPrefix(got.Path, c.path) {
				t.Errorf("error = %v; want %s at %s", err, c.code, c.path)
			}
		})
	}
}

// FuzzServing: no document makes the reader panic, and what it accepts agrees with
// itself: every token has a request, in order of its index, and every gap leads to the
// time of the one before.
func FuzzServing(f *testing.F) {
	f.Add(written(f, simulated(f, 2), result.Full))
	f.Fuzz(func(t *testing.T, data []byte) {
		tables, err := Serving(bytes.NewReader(data), arrowio.Options{})
		if err != nil {
			return
		}
		for _, table := range tables.All() {
			if got := len(table.Cells(0, table.NumRows())); int64(got) != table.NumRows() {
				t.Errorf("%s: %d of %d rows", table.Name(), got, table.NumRows())
			}
		}
		type last struct{ index, ns string }
		seen := map[string]last{}
		for _, row := range tables.Tokens().Cells(0, tables.Tokens().NumRows()) {
			id, index, at, gap := row[1], row[2], row[3], row[4]
			before, known := seen[id]
			if !known && (index != "0" || gap != "") {
				t.Fatalf("the first token of %q is %v", id, row)
			}
			if known && (number(t, index) != number(t, before.index)+1 || number(t, at)-number(t, gap) != number(t, before.ns)) {
				t.Fatalf("after token %v of %q comes %v", before, id, row)
			}
			seen[id] = last{index, at}
		}
		for _, row := range tables.Requests().Cells(0, tables.Requests().NumRows()) {
			if _, emitted := seen[row[0]]; !emitted {
				t.Fatalf("request %v has no token", row)
			}
		}
	})
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func BenchmarkServing(b *testing.B) {
	data := written(b, simulated(b, 400), result.Full)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	before := cputime.Used()
	for b.Loop() {
		if _, err := Serving(bytes.NewReader(data), arrowio.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(data))*float64(b.N)/1e6/(cputime.Used()-before).Seconds(), "MB/cpu-s")
}
