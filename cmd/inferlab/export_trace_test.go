package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
)

// cellsOf reads a table of a folder as text.
func cellsOf(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := arrowio.ReadIPC(f, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(path, err)
	}
	defer table.Release()
	return table.Cells(0, table.NumRows())
}

// sameTables compares every table of two folders.
func sameTables(t *testing.T, name, want, got string) {
	t.Helper()
	a, b := tablesIn(t, want, ".arrow"), tablesIn(t, got, ".arrow")
	if diff := cmp.Diff(a, b); diff != "" || len(a) == 0 {
		t.Errorf("%s: tables of the run and of its document differ (-run +document):\n%s", name, diff)
		return
	}
	for table := range a {
		if diff := cmp.Diff(cellsOf(t, filepath.Join(want, table+".arrow")), cellsOf(t, filepath.Join(got, table+".arrow"))); diff != "" {
			t.Errorf("%s: table %s (-run +document):\n%s", name, table, diff)
		}
	}
}

// TestExportOfEveryTrace: the tables of a trace document are those of the run.
func TestExportOfEveryTrace(t *testing.T) {
	commands := planCommands(t)
	for name, text := range map[string]string{"expert.yaml": expertFile + "workload: {token_count: 12, top_k: 1, token_interval_ns: 1000}\n",
		"served.yaml": servedFile, "composed.yaml": servedFile + expertFile,
		"drafted.yaml": servedFile + "  speculative:\n    family: mtp\n    max_additional_tokens: 2\n    acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.7, 0.5], seed: 3}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands["serving"] = []string{"serving", "multi-gpu", "served.yaml"}
	commands["serving with speculation"] = []string{"serving", "multi-gpu", "drafted.yaml"}
	commands["serving with an expert cache"] = []string{"serving", "multi-gpu", "composed.yaml"}
	commands["expert cache"] = []string{"expert-cache", "expert.yaml"}
	holds := map[string]string{"serving with an expert cache": "physical_operations", "serving with speculation": "acceptance_by_position",
		"expert cache": "expert_residency", "fault-campaign": "plan_faults", "serving": "memory_timeline"}
	for name, args := range commands {
		direct, exported, trace := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "document"), filepath.Join(t.TempDir(), "trace.json")
		if code, _, stderr := inferlab(slices.Concat(args, []string{"--arrow", direct, "--trace", trace})...); code != exitDone {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
			continue
		}
		if code, _, stderr := inferlab("export", trace, "--format", "arrow", "-o", exported); code != exitDone {
			t.Errorf("%s: export: exit %d: %s", name, code, stderr)
			continue
		}
		sameTables(t, name, direct, exported)
		if telling := holds[name]; telling != "" && !tablesIn(t, exported, ".arrow")[telling] {
			t.Errorf("%s: there is no table %s", name, telling)
		}
	}
}

// TestExportOfExpertResults: the results of both commands with an expert cache give
// the tables of the run, not only of the part that stands in the document.
func TestExportOfExpertResults(t *testing.T) {
	in(t, map[string]string{"expert.yaml": expertFile + "workload: {token_count: 12, top_k: 1, token_interval_ns: 1000}\n", "composed.yaml": servedFile + expertFile})
	for name, args := range map[string][]string{"expert-cache": {"expert-cache", "expert.yaml"}, "serving": {"serving", "multi-gpu", "composed.yaml"}} {
		code, stdout, stderr := inferlab(append(args, "--arrow", name+"-direct")...)
		if code != exitDone {
			t.Fatalf("%s: exit %d: %s", name, code, stderr)
		}
		if err := os.WriteFile(name+".json", []byte(stdout), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := inferlab("export", name+".json", "--format", "arrow", "-o", name+"-exported"); code != exitDone {
			t.Errorf("%s: export: exit %d: %s", name, code, stderr)
			continue
		}
		sameTables(t, name, name+"-direct", name+"-exported")
		if names := tablesIn(t, name+"-exported", ".arrow"); !names["expert_residency"] {
			t.Errorf("%s: the tables are %v", name, names)
		}
	}
}

// TestExportRefusesWhatIsNoTrace: a changed trace is refused by its replay, and a
// document without tables by its kind.
func TestExportRefusesWhatIsNoTrace(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile, "plan.json": `{"kind":"inferlab/plan","revision":1}`, "list.json": `[]`,
		"result.json": `{"kind":"inferlab/result","revision":1,"command":"run"}`})
	if code, _, stderr := inferlab("serving", "multi-gpu", "served.yaml", "--trace", "trace.json", "--summary"); code != exitDone {
		t.Fatal(stderr)
	}
	text, err := os.ReadFile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"kvTokensAfter": 8`, `"kvTokensAfter": 9`, 1)
	if err := os.WriteFile("changed.json", []byte(changed), 0o600); err != nil || changed == string(text) {
		t.Fatal("nothing was changed", err)
	}
	for file, want := range map[string]string{"changed.json": "serving trace: event", "plan.json": "inferlab/plan-trace",
		"list.json": "kind", "result.json": `"run" has no tables`} {
		code, _, stderr := inferlab("export", file, "-o", "tables")
		if code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, stderr %q", file, code, stderr)
		}
	}
}

// TestExportOfASpeculativeResult: iterations, acceptance and the pages of the cache.
func TestExportOfASpeculativeResult(t *testing.T) {
	in(t, map[string]string{"s.yaml": `speculative:
  family: mtp
  initial_token_length: 5
  output_token_count: 7
  max_additional_tokens: 2
  acceptance: {kind: replay, accepted_draft_tokens: [1, 2, 2]}
  paged_kv: {page_size_tokens: 4, bytes_per_token: 10, capacity_bytes: 4000}
`})
	code, stdout, stderr := inferlab("speculative", "s.yaml", "--arrow", "run")
	if code != exitDone {
		t.Fatal(stderr)
	}
	if err := os.WriteFile("s.json", []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := inferlab("export", "s.json", "--format", "arrow", "-o", "document"); code != exitDone {
		t.Fatal(stderr)
	}
	sameTables(t, "speculative", "run", "document")
	if names := tablesIn(t, "document", ".arrow"); !names["kv_pages"] || !names["kv_events"] || !names["speculative_iterations"] {
		t.Errorf("tables %v", names)
	}
	broken := strings.Replace(stdout, `"committedTokens": 3`, `"committedTokens": 4`, 1)
	if err := os.WriteFile("broken.json", []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := inferlab("export", "broken.json", "-o", "none"); code != exitFailure || !strings.Contains(stderr, "committedTokens") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}
