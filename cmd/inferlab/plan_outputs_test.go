package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
)

// planWork is a workload with the blocks of every campaign; the faults fall into the
// run of it on the machine multi-node.
const planWork = `target_only:
  token_count: 2
concurrent_campaign:
  execution_count: 6
  seed: 11
  arrival_window_ns: 1000
node_failure:
  node_id: node1
  at_ns: 200000
  quiesce_timeout_ns: 50000
node_failover:
  failed_node_id: node1
  fault_at_ns: 200000
`

// planCommands lists every command that executes plans by its arguments.
func planCommands(t *testing.T) map[string][]string {
	t.Helper()
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("work.yaml", planWork)
	code, artifact, stderr := inferlab("plan-export", "multi-node", "work.yaml")
	if code != 0 {
		t.Fatal(stderr)
	}
	write("plan.json", artifact)
	return map[string][]string{
		"run":                     {"run", "multi-node", "work.yaml"},
		"plan-run":                {"plan-run", "plan.json"},
		"fault-campaign":          {"fault-campaign", "multi-node", "work.yaml"},
		"concurrent-campaign":     {"concurrent-campaign", "multi-node", "work.yaml"},
		"concurrent-node-failure": {"concurrent-node-failure", "multi-node", "work.yaml"},
		"node-failover":           {"node-failover", "multi-node", "single-gpu-cpu", "work.yaml"},
	}
}

// TestPlanOutputs runs every command with all its files and checks them against the
// document: the same numbers, the trace replayed by the checker, a second run of the
// same bytes, and the document unchanged by the files.
func TestPlanOutputs(t *testing.T) {
	kinds := map[string]string{"run": "plan", "plan-run": "plan", "fault-campaign": "fault", "concurrent-campaign": "concurrent",
		"concurrent-node-failure": "node-failure", "node-failover": "failover"}
	for name, args := range planCommands(t) {
		code, plain, stderr := inferlab(args...)
		if code != 0 {
			t.Errorf("%s: %s", name, stderr)
			continue
		}
		files := func(dir string) (page, trace []byte) {
			with := slices.Concat(args, []string{"--report", dir + ".html", "--parquet", dir, "--arrow", dir, "--trace", dir + ".json"})
			code, stdout, stderr := inferlab(with...)
			if code != 0 || stdout != plain {
				t.Errorf("%s with files: exit %d %s, another document %v", name, code, stderr, stdout != plain)
			}
			page, _ = os.ReadFile(dir + ".html")
			trace, _ = os.ReadFile(dir + ".json")
			return page, trace
		}
		page, trace := files(name + "-1")
		page2, trace2 := files(name + "-2")
		if len(page) == 0 || !bytes.Equal(page, page2) || !bytes.Equal(trace, trace2) {
			t.Errorf("%s: two runs leave different files (%d bytes of page)", name, len(page))
		}
		if !strings.Contains(string(page), "inferlab "+strings.Join(args, " ")) || strings.Contains(string(page), t.TempDir()) {
			t.Errorf("%s: the page does not say its command line, or names a folder", name)
		}
		checkTrace(t, name, "inferlab/"+kinds[name]+"-trace", trace)
		checkPlanTables(t, name, plain)
	}
}

func checkTrace(t *testing.T, name, kind string, data []byte) {
	t.Helper()
	doc, err := document.Parse(data, "trace.json")
	if err != nil {
		t.Errorf("%s: trace: %v", name, err)
		return
	}
	if got := doc.Get("kind").Text(); got != kind {
		t.Errorf("%s: trace of kind %s, expected %s", name, got, kind)
	}
	read, err := planreplay.ReadDocument(doc)
	if err != nil {
		t.Errorf("%s: trace: %v", name, err)
		return
	}
	if err := read.Verify(); err != nil {
		t.Errorf("%s: the trace does not replay: %v", name, err)
	}
}

// checkPlanTables compares tables with the printed document.
func checkPlanTables(t *testing.T, name, printed string) {
	t.Helper()
	var doc struct {
		CompletedAtNs   int64 `json:"completedAtNs"`
		Submitted       int64 `json:"submittedOperations"`
		ExecutionCount  int64 `json:"executionCount"`
		PlanSteps       int64 `json:"planSteps"`
		Cases           []any `json:"cases"`
		FailedExecution struct {
			Submitted int64 `json:"submittedOperations"`
		} `json:"failedExecution"`
		RecoveryExecution struct {
			Submitted int64 `json:"submittedOperations"`
		} `json:"recoveryExecution"`
		Execution struct {
			Trace struct {
				Operations []any `json:"operations"`
			} `json:"trace"`
		} `json:"execution"`
		Baseline struct {
			Submitted int64 `json:"submittedSteps"`
		} `json:"baseline"`
	}
	if err := json.Unmarshal([]byte(printed), &doc); err != nil {
		t.Fatal(err)
	}
	want := doc.Submitted + doc.PlanSteps + doc.FailedExecution.Submitted + doc.RecoveryExecution.Submitted +
		int64(len(doc.Execution.Trace.Operations)) + doc.Baseline.Submitted
	rows := func(table string) int64 {
		data, err := os.ReadFile(filepath.Join(name+"-1", table+".parquet"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return -1
		}
		read, err := parquetio.Read(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return -1
		}
		defer read.Release()
		if p := arrowio.ProvenanceOf(read.Schema()); p.Command != name || p.ScenarioFingerprint == "" {
			t.Errorf("%s: %s says it comes from %+v", name, table, p)
		}
		if _, err := os.Stat(filepath.Join(name+"-1", table+arrowio.IPCExt)); err != nil {
			t.Error(err)
		}
		return read.NumRows()
	}
	if got := rows("plan_operations"); got != want || want == 0 {
		t.Errorf("%s: %d rows of plan_operations, the document says %d", name, got, want)
	}
	if got := rows("plan_executions"); got != max(1, doc.ExecutionCount) && name != "node-failover" || name == "node-failover" && got != 2 {
		t.Errorf("%s: %d executions", name, got)
	}
	if name == "fault-campaign" {
		if got := rows("plan_faults"); got != int64(len(doc.Cases))+1 || got < 5 {
			t.Errorf("%d rows of plan_faults for %d cases", got, len(doc.Cases))
		}
	}
}

// TestPlanOutputsAreRefusedFirst checks that what cannot be written is refused before
// any work, and leaves nothing behind.
func TestPlanOutputsAreRefusedFirst(t *testing.T) {
	for name, args := range planCommands(t) {
		for _, c := range []struct {
			more []string
			want string
		}{
			{[]string{"--report", "nowhere/x.html"}, "nowhere"},
			{[]string{"--trace", "trace.txt"}, "must end in .json"},
			{[]string{"--trace", "nowhere/x.json"}, "nowhere"},
			{[]string{"--parquet", "plan.json"}, "plan.json"},
			{[]string{"--plain-strings"}, "--parquet or --arrow"},
			{[]string{"--format", "xml"}, "--format"},
		} {
			code, stdout, stderr := inferlab(append(slices.Clone(args), c.more...)...)
			if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("%s %v: exit %d, stdout %d bytes, %s", name, c.more, code, len(stdout), stderr)
			}
		}
	}
	var left []string
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"plan.json", "work.yaml"}, left); diff != "" {
		t.Errorf("refused commands left files (-want +got):\n%s", diff)
	}
}

// TestPlanTablesForPeople checks --format table of every command.
func TestPlanTablesForPeople(t *testing.T) {
	want := map[string][]string{
		"run":                     {"replay verified", "throughput"},
		"plan-run":                {"succeeded", "rank"},
		"fault-campaign":          {"faults on multi-node", "node:node1", "epoch:1"},
		"concurrent-campaign":     {"6 executions on", "latency, p95", ":campaign:5"},
		"concurrent-node-failure": {"node node1 of", "under 6 executions", "ranks succeeded"},
		"node-failover":           {"node node1 fails at 200.000 µs", "failed", "succeeded"},
	}
	for name, args := range planCommands(t) {
		code, stdout, stderr := inferlab(append(args, "--format", "table")...)
		if code != 0 {
			t.Errorf("%s: %s", name, stderr)
		}
		for _, word := range want[name] {
			if !strings.Contains(stdout, word) {
				t.Errorf("%s lacks %q:\n%s", name, word, stdout)
			}
		}
	}
}
