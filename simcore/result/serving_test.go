package result_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

var update = flag.Bool("update", false, "write the golden documents again")

// tinyRun has ids that need escaping, a one-token request and an idle gap.
var tinyRun = workload.Serving{
	MaxBatchSize: 2, MaxBatchTokens: 4, PrefillChunkTokens: 4, MaxKVTokens: 12,
	Requests: []workload.Request{
		{ID: "a \"quoted\" <id>", PromptTokens: 5, OutputTokens: 2},
		{ID: "ünï→漢", PromptTokens: 2, OutputTokens: 1, Priority: -1},
		{ID: "late", ArrivalNs: 50_000_000, PromptTokens: 1, OutputTokens: 1},
	},
}

func simulate(t testing.TB, machine string, cfg workload.Serving) *serving.Run {
	t.Helper()
	scn, err := topology.Preset(machine)
	if err != nil {
		t.Fatal(err)
	}
	run, err := serving.Simulate(scn, cfg, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func document(t testing.TB, write func(*jsondoc.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := jsondoc.NewWriter(&out)
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// scenarioInput is the scenario among a document's inputs, which topology tests.
var scenarioInput = regexp.MustCompile(`(?s)(\n    "scenario": )\{.*?\n    \},`)

// golden compares a document with the reviewed one. The fingerprint covers the
// provenance texts of the presets and is not the subject here.
func golden(t *testing.T, name string, got []byte, fingerprint string) {
	t.Helper()
	if fingerprint != "" {
		got = bytes.ReplaceAll(got, []byte(fingerprint), []byte("FINGERPRINT"))
	}
	got = scenarioInput.ReplaceAll(got, []byte("${1}SCENARIO,"))
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestServingDocument(t *testing.T) {
	run := simulate(t, "multi-gpu", tinyRun)
	full := document(t, func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) })
	golden(t, "serving.json", full, run.Scenario.Fingerprint())
	again := document(t, func(w *jsondoc.Writer) {
		result.Serving(w, simulate(t, "multi-gpu", tinyRun), result.Full)
	})
	if !bytes.Equal(full, again) {
		t.Error("the same run gives other bytes")
	}
}

// TestSummaryIsTheDocumentWithoutEvidence removes the evidence from the full
// document and expects the summary.
func TestSummaryIsTheDocumentWithoutEvidence(t *testing.T) {
	run := simulate(t, "gpu-npu", tinyRun)
	var full, summary map[string]any
	for form, into := range map[result.Form]*map[string]any{result.Full: &full, result.Summary: &summary} {
		doc := document(t, func(w *jsondoc.Writer) { result.Serving(w, run, form) })
		if err := json.Unmarshal(doc, into); err != nil {
			t.Fatal(err)
		}
	}
	delete(full, "inputs")
	delete(full, "batches")
	inner := full["serving"].(map[string]any)
	delete(inner, "trace")
	for _, r := range inner["requests"].([]any) {
		delete(r.(map[string]any), "tokenTimestampsNs")
	}
	if diff := cmp.Diff(full, summary); diff != "" {
		t.Errorf("summary differs (-full +summary):\n%s", diff)
	}
}

func TestServingCompareDocument(t *testing.T) {
	var machines []*topology.Scenario
	for _, name := range topology.FamilyNames() {
		scn, err := topology.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, scn)
	}
	c, err := serving.Compare(machines, tinyRun, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "serving-compare.json", document(t, func(w *jsondoc.Writer) { result.ServingCompare(w, c) }), "")
}

// BenchmarkServingDocument writes the full document of 131,072 tokens.
func BenchmarkServingDocument(b *testing.B) {
	cfg := workload.Serving{MaxBatchSize: 32, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 140_000}
	for i := range 32 {
		cfg.Requests = append(cfg.Requests, workload.Request{
			ID: "request-" + strings.Repeat("0", 4) + string(rune('a'+i)), ArrivalNs: int64(i) * 1000, PromptTokens: 64, OutputTokens: 4096})
	}
	run := simulate(b, "multi-gpu", cfg)
	var size counter
	b.ReportAllocs()
	for b.Loop() {
		size = 0
		w := jsondoc.NewWriter(&size)
		result.Serving(w, run, result.Full)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	b.ReportMetric(float64(run.Metrics.OutputTokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// counter counts what is written to it.
type counter int64

var _ io.Writer = new(counter)

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
