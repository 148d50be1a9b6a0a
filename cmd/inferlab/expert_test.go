package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const expertFile = `expert_cache:
  contract_revision: 3
  top_k: 1
  experts:
    - {id: a, bytes: 1048576, routing_weight: 2}
    - {id: b, bytes: 1048576}
    - {id: c, bytes: 1048576}
  hot_capacity_bytes: 2097152
  warm_capacity_bytes: 2097152
  warm_to_hot_latency_ns: 3000
  cold_to_hot_latency_ns: 30000
  cold_to_warm_latency_ns: 20000
  adaptive_prefetch: {target_tier: warm, min_observations: 1, interval_tokens: 4, max_experts_per_decision: 1}
`

const servedFile = `serving:
  max_batch_size: 2
  max_batch_tokens: 8
  prefill_chunk_tokens: 4
  max_kv_tokens: 40
  requests:
    - {id: r0, arrival_ns: 0, prompt_tokens: 6, output_tokens: 4}
    - {id: r1, arrival_ns: 90000000, prompt_tokens: 4, output_tokens: 3}
`

// in writes files into an empty folder and works there.
func in(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func tablesIn(t *testing.T, dir, ext string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))] = filepath.Ext(e.Name()) == ext
	}
	return names
}

// TestServingWithExpertsLeavesItsOutputs: outputs hold what happened on the shared
// clock, and neither they nor the page change the document.
func TestServingWithExpertsLeavesItsOutputs(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile + expertFile})
	_, plain, _ := inferlab("serving", "multi-gpu", "served.yaml")
	code, stdout, stderr := inferlab("serving", "multi-gpu", "served.yaml", "--report", "run.html", "--parquet", "p", "--arrow", "a", "--trace", "trace.json")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if stdout != plain {
		t.Error("outputs change the document")
	}
	for dir, ext := range map[string]string{"p": ".parquet", "a": ".arrow"} {
		names := tablesIn(t, dir, ext)
		for _, want := range []string{"requests", "batch_routing", "executions", "physical_operations", "physical_reservations", "expert_events", "expert_accesses", "expert_residency"} {
			if !names[want] {
				t.Errorf("%s has no table %s", dir, want)
			}
		}
		if names["operations"] {
			t.Errorf("%s holds the operations of plans in isolation", dir)
		}
	}
	text, err := os.ReadFile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	trace := decode(t, string(text))
	if trace["kind"] != "inferlab/serving-trace" || trace["inputs"].(map[string]any)["experts"] == nil || trace["physical"] == nil || trace["expertCache"] == nil {
		t.Error("the trace document lacks inputs or traces of the experts")
	}
	page, err := os.ReadFile("run.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Where were the experts when tokens needed them?", "inferlab serving multi-gpu served.yaml<"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestExpertCacheLeavesItsOutputs(t *testing.T) {
	in(t, map[string]string{"experts.yaml": expertFile + "workload: {token_count: 30, top_k: 1, token_interval_ns: 1000}\n"})
	code, _, stderr := inferlab("expert-cache", "experts.yaml", "--report", "e.html", "--parquet", "p", "--trace", "trace.json", "--what-if", "3")
	if code != exitDone || stderr != "" && !strings.Contains(stderr, "warning") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	page, err := os.ReadFile("e.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "What would another hot capacity have done?") || !strings.Contains(string(page), "--what-if=3") {
		t.Error("the page lacks the sweep or its reproduction")
	}
	if names := tablesIn(t, "p", ".parquet"); len(names) != 3 || !names["expert_residency"] {
		t.Errorf("tables: %v", names)
	}
	for _, args := range [][]string{{"--what-if", "3"}, {"--what-if", "1", "--report", "x.html"}, {"--what-if", "1000", "--report", "x.html"}} {
		if code, _, stderr := inferlab(append([]string{"expert-cache", "experts.yaml"}, args...)...); code != exitFailure || !strings.Contains(stderr, "--what-if") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
}

func TestServingCompareLeavesItsOutputs(t *testing.T) {
	in(t, map[string]string{"dense.yaml": servedFile, "experts.yaml": servedFile + expertFile})
	for file, want := range map[string]string{"dense.yaml": "Which machine is fastest, and by how much?", "experts.yaml": "What did experts cost on each machine?"} {
		code, _, stderr := inferlab("serving-compare", file, "--report", "c.html", "--parquet", "p")
		if code != exitDone || stderr != "" {
			t.Fatalf("%s: exit %d: %s", file, code, stderr)
		}
		page, err := os.ReadFile("c.html")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("%s: the page lacks %q", file, want)
		}
		if names := tablesIn(t, "p", ".parquet"); !names["serving_comparison"] {
			t.Errorf("%s: tables %v", file, names)
		}
	}
}

func TestUnsafeAdmissionIsNotComposed(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile + expertFile})
	code, stdout, stderr := inferlab("serving", "multi-gpu", "served.yaml", "--unsafe-admission")
	if code != exitFailure || stdout != "" || !strings.Contains(stderr, "--unsafe-admission does not act on a run with expert_cache") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
