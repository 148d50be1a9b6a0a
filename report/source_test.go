package report_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
)

// served is a simulated run with its full document.
func served(t testing.TB, machine string, batch int64) (*serving.Run, []byte) {
	t.Helper()
	cfg := simcore.Serving{MaxBatchSize: batch, MaxBatchTokens: 256, PrefillChunkTokens: 64, MaxKVTokens: 4000}
	for i := range 24 {
		id := "request-" + string(rune('a'+i))
		if i < len(hostile) {
			id = hostile[i]
		}
		cfg.Requests = append(cfg.Requests, simcore.Request{ID: id, ArrivalNs: int64(i/4) * 90_000_000,
			PromptTokens: int64(10 + i*37%300), OutputTokens: int64(1 + i*11%30), Priority: int64(i % 3)})
	}
	run, err := simcore.Serve(preset(t, machine), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := jsondoc.NewWriter(nil)
	result.Serving(w, run, result.Full)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return run, w.Bytes()
}

// TestRebuild: a page gives itself again, byte for byte, also one with hostile
// names, and the run in memory gives the page of its document.
func TestRebuild(t *testing.T) {
	run, doc := served(t, "multi-gpu", 8)
	meta := report.Meta{Command: "serving", CommandLine: "inferlab serving multi-gpu " + hostile[0], Seed: 42, HasSeed: true, Result: doc,
		Inputs: []report.Input{{Name: hostile[1], Fingerprint: "fnv1a32:0badcafe", Travels: true}}}
	first := page(t, run, meta)
	again, _, err := report.Rebuild([]byte(first))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, []byte(first)) {
		t.Errorf("the rebuilt page differs at byte %d of %d", firstDifference(again, []byte(first)), len(first))
	}
	read, err := resultdoc.Run(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if html := page(t, read, meta); !strings.Contains(html, "unknown number of operations") {
		t.Error("a page of a document claims to know how many operations used a link")
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestRebuildRefusals: a changed result, a page without one and any other file.
func TestRebuildRefusals(t *testing.T) {
	run, doc := served(t, "multi-gpu", 8)
	whole := page(t, run, report.Meta{Result: doc})
	if _, _, err := report.Rebuild([]byte("<!DOCTYPE html><p>not ours")); !errors.Is(err, report.ErrNoPage) {
		t.Errorf("another file: %v", err)
	}
	if _, _, err := report.Rebuild([]byte(page(t, run, report.Meta{}))); !errors.Is(err, report.ErrResultLeftOut) {
		t.Errorf("no result: %v", err)
	}
	w := jsondoc.NewWriter(nil)
	result.Serving(w, run, result.Summary)
	if _, _, err := report.Rebuild([]byte(page(t, run, report.Meta{Result: w.Bytes()}))); !errors.Is(err, report.ErrResultLeftOut) {
		t.Errorf("a summary: %v", err)
	}
	link := regexp.MustCompile(`(<a download="result\.json[^"]*" href=")[^"]*`)
	_, other := served(t, "multi-gpu", 4)
	foreign := page(t, run, report.Meta{Result: other})
	swapped := link.ReplaceAllString(whole, strings.ReplaceAll(link.FindString(foreign), "$", "$$"))
	if _, _, err := report.Rebuild([]byte(swapped)); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a swapped result: %v", err)
	}
}

// TestRuns: three runs, two of them of one workload on two machines.
func TestRuns(t *testing.T) {
	a, _ := served(t, "multi-gpu", 8)
	b, _ := served(t, "multi-node", 8)
	c, _ := served(t, "multi-gpu", 2)
	docs := []report.Document{{Name: "wide", Run: a}, {Name: "unified", Run: b}, {Name: "narrow <b>", Run: c}}
	out, err := report.Runs(docs, 0, report.Meta{CommandLine: "inferlab report wide.json unified.json narrow.json"})
	if err != nil {
		t.Fatal(err)
	}
	html := string(out)
	for _, want := range []string{"comparison · 3 runs · identical workload", "serving.maxBatchSize", "Every run against wide", "narrow &lt;b&gt;",
		"Held equal: the 24 requests with arrivals, lengths and priorities, the cost model", "is sooner for", `id="tradeoff"`, "p95 TTFT"} {
		if !strings.Contains(strings.ToLower(html), strings.ToLower(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if i, j := strings.Index(html, `id="differences"`), strings.Index(html, `id="ranking"`); i < 0 || j < i {
		t.Error("the differences do not come first")
	}
	again, _, err := report.Rebuild(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, out) {
		t.Errorf("the rebuilt page differs at byte %d", firstDifference(again, out))
	}
	if _, err := report.Runs(docs, 3, report.Meta{}); !errors.Is(err, report.ErrReference) {
		t.Errorf("reference 3: %v", err)
	}
}

// TestRunsOfDifferentWorkloads: nothing is ranked and nothing is paired.
func TestRunsOfDifferentWorkloads(t *testing.T) {
	a, _ := served(t, "multi-gpu", 8)
	cfg := a.Config
	cfg.Requests = cfg.Requests[:20]
	b, err := simcore.Serve(a.Scenario, cfg)
	if err != nil {
		t.Fatal(err)
	}
	out, err := report.Runs([]report.Document{{Run: a}, {Run: b}}, 1, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"different workloads", "Not ranked", "Not paired", "multi-gpu (2)", "24 requests", "20 requests"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(out), "is sooner for") {
		t.Error("requests of different workloads are paired")
	}
}
