package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const tokenProvenance = `source: s, runtime_revision: r, model_fingerprint: m, tokenizer_fingerprint: t, generation_config_fingerprint: g`

// speculativeFiles are a workload, a token trace and two captures of one run.
var speculativeFiles = map[string]string{
	"draft.yaml": `speculative: {family: eagle3, initial_token_length: 9, output_token_count: 20, max_additional_tokens: 3,
  acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.8, 0.6, 0.5]},
  paged_kv: {page_size_tokens: 4, bytes_per_token: 16, capacity_bytes: 4096}}
`,
	"tokens.yaml": `revision: 2
id: t
family: draft_model
max_additional_tokens: 2
prompt_token_ids: [1, 2]
expected_output_token_ids: [5, 6, 7, 8]
provenance: {` + tokenProvenance + `, proposer_fingerprint: p, target_only_run_id: a, speculative_run_id: b}
iterations:
  - {id: i0, proposal_token_ids: [5, 9], target_token_ids: [5, 6]}
  - {id: i1, proposal_token_ids: [7, 8], target_token_ids: [7, 8]}
`,
	"target.yaml": `revision: 1
id: a
role: target_only
completion_reason: max_tokens
prompt_token_ids: [1, 2]
output_token_ids: [5, 6, 7, 8]
provenance: {` + tokenProvenance + `}
terminal: {status: completed, output_token_count: 4, iteration_count: 0}
`,
	"speculative.yaml": `revision: 1
id: b
role: speculative
completion_reason: max_tokens
prompt_token_ids: [1, 2]
output_token_ids: [5, 6, 7, 8]
provenance: {` + tokenProvenance + `}
family: draft_model
proposer_fingerprint: p
max_additional_tokens: 2
terminal: {status: completed, output_token_count: 4, iteration_count: 2}
iterations:
  - {id: i0, output_offset: 0, proposal_token_ids: [5, 9], target_token_ids: [5, 6], committed_token_ids: [5, 6]}
  - {id: i1, output_offset: 2, proposal_token_ids: [7, 8], target_token_ids: [7, 8], committed_token_ids: [7, 8]}
`,
}

func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSpeculativeTraces: every speculative command leaves its protocol trace, export
// makes the run's tables of it, and a changed trace is refused.
func TestSpeculativeTraces(t *testing.T) {
	writeFiles(t, speculativeFiles)
	for name, command := range map[string][]string{
		"workload": {"speculative", "draft.yaml"},
		"tokens":   {"speculative-trace", "tokens.yaml"},
		"captures": {"speculative-capture", "target.yaml", "speculative.yaml"},
	} {
		file, run, exported := name+".json", name+"-run", name+"-exported"
		if code, _, stderr := inferlab(append(command, "--trace", file, "--arrow", run)...); code != exitDone || stderr != "" {
			t.Fatalf("%s: exit %d, %s", name, code, stderr)
		}
		if code, _, stderr := inferlab("export", file, "--format", "arrow", "-o", exported); code != exitDone || stderr != "" {
			t.Fatalf("%s: export: exit %d, %s", name, code, stderr)
		}
		sameTables(t, name, run, exported)
		if left := decode(t, readText(t, file)); left["kind"] != "inferlab/speculative-trace" || (left["inputs"].(map[string]any)["tokens"] != nil) != (name != "workload") {
			t.Errorf("%s: kind %v, inputs %v", name, left["kind"], left["inputs"])
		}
		broken := strings.Replace(readText(t, file), `"iteration": 1,`, `"iteration": 2,`, 1)
		if err := os.WriteFile("broken.json", []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := inferlab("export", "broken.json", "-o", "nothing")
		if code != exitFailure || !strings.Contains(stderr, "iteration 1 breaks unreadable: trace.iterations[1].iteration: found 2, expected 1") {
			t.Errorf("%s: a changed trace: exit %d, %s", name, code, stderr)
		}
	}
}

// TestSpeculativeTraceOnAMachine: with a machine the trace of the plan is part of it,
// and its tables are exported too.
func TestSpeculativeTraceOnAMachine(t *testing.T) {
	writeFiles(t, speculativeFiles)
	if code, _, stderr := inferlab("speculative-trace", "tokens.yaml", "multi-gpu", "--trace", "t.json"); code != exitDone || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := inferlab("export", "t.json", "--format", "arrow", "-o", "tables"); code != exitDone || stderr != "" {
		t.Fatalf("export: exit %d, %s", code, stderr)
	}
	for _, table := range []string{"speculative_iterations", "plan_operations"} {
		if rows := cellsOf(t, filepath.Join("tables", table+".arrow")); len(rows) < 2 {
			t.Errorf("table %s has %d rows", table, len(rows))
		}
	}
	text := readText(t, "t.json")
	at := strings.LastIndex(text, `"finishNs": `)
	broken := text[:at] + `"finishNs": 1` + text[at+len(`"finishNs": `):]
	if err := os.WriteFile("broken.json", []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := inferlab("export", "broken.json", "-o", "nothing"); code != exitFailure || !strings.Contains(stderr, "breaks execution") {
		t.Errorf("a changed plan trace: exit %d, %s", code, stderr)
	}
}

// TestComparisonHasNoTrace: the refusal says which command leaves one.
func TestComparisonHasNoTrace(t *testing.T) {
	writeFiles(t, map[string]string{"serving.yaml": servedFile})
	code, stdout, stderr := inferlab("serving-compare", "serving.yaml", "--trace", "t.json")
	if code != exitFailure || stdout != "" || !strings.Contains(stderr, "inferlab serving TARGET serving.yaml --trace t.json") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if _, err := os.Stat("t.json"); err == nil {
		t.Error("a trace was written")
	}
}

// TestWorkloadRefusalsNameTheirFile: what only the run finds out is refused with the
// file and the path in it.
func TestWorkloadRefusalsNameTheirFile(t *testing.T) {
	const plain = "target_only: {token_count: 4}\n"
	const experts = "expert_cache: {experts: [{id: a, bytes: 100}], hot_capacity_bytes: 10, warm_capacity_bytes: 0, warm_to_hot_latency_ns: 1," +
		" cold_to_hot_latency_ns: 1, cold_to_warm_latency_ns: 1}\nworkload: {token_count: 1, top_k: 1, token_interval_ns: 1}\n"
	served, _, _ := strings.Cut(servedFile+strings.Replace(experts, "{experts", "{contract_revision: 3, top_k: 1, experts", 1), "workload:")
	for _, c := range []struct {
		text, want string
		command    []string
	}{
		{plain + "concurrent_campaign: {execution_count: 0}\n", "concurrent_campaign.execution_count: 0 ", []string{"concurrent-campaign", "multi-gpu", "w.yaml"}},
		{plain + "concurrent_campaign: {execution_count: 100000000}\n", "concurrent_campaign.execution_count: found 100000000, ", []string{"concurrent-campaign", "multi-gpu", "w.yaml"}},
		{plain + "concurrent_campaign: {seed: -1}\n", "concurrent_campaign.seed: -1 ", []string{"concurrent-campaign", "multi-gpu", "w.yaml"}},
		{plain + "node_failure: {node_id: x, at_ns: 5, quiesce_timeout_ns: 5}\n", "node_failure.node_id: ", []string{"concurrent-node-failure", "multi-node", "w.yaml"}},
		{plain + "node_failover: {failed_node_id: node1, fault_at_ns: -5}\n", "node_failover.fault_at_ns: -5 ", []string{"node-failover", "multi-node", "single-gpu-cpu", "w.yaml"}},
		{experts, "expert_cache.hot_capacity_bytes: hot partition default of 10 bytes cannot hold", []string{"expert-cache", "w.yaml"}},
		{experts + "initial_prefetch: {expert_ids: [b], target_tier: hot, lead_time_ns: 0}\n", "initial_prefetch.expert_ids[0]: ", []string{"expert-cache", "w.yaml"}},
		{served, "expert_cache.hot_capacity_bytes: ", []string{"serving", "multi-gpu", "w.yaml"}},
		{served, "expert_cache.hot_capacity_bytes: ", []string{"serving-compare", "w.yaml"}},
		{"speculative: {family: mtp, output_token_count: 9, max_additional_tokens: 1, acceptance: {kind: replay, accepted_draft_tokens: [9007199254740991]}}\n",
			"speculative.acceptance.accepted_draft_tokens[0]: found 9007199254740991, expected an integer from 0 to 1", []string{"run", "multi-gpu", "w.yaml"}},
	} {
		writeFiles(t, map[string]string{"w.yaml": c.text})
		code, stdout, stderr := inferlab(c.command...)
		if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "inferlab: w.yaml: ") || !strings.Contains(stderr, c.want) {
			t.Errorf("%s%v: exit %d, %s\nwant w.yaml and %s", c.text, c.command, code, stderr, c.want)
		}
	}
}

// TestSurroundingKeysAreWarnedOf: what a run document says around its blocks and no
// command reads is told with its nearest key, or refused with --strict.
func TestSurroundingKeysAreWarnedOf(t *testing.T) {
	writeFiles(t, map[string]string{"w.yaml": "target_only: {token_count: 4}\nsimulation: {sed: 4}\n"})
	if code, _, stderr := inferlab("run", "multi-gpu", "w.yaml"); code != exitDone ||
		stderr != "inferlab: warning: w.yaml: simulation.sed: unknown key is ignored; did you mean seed?\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := inferlab("run", "multi-gpu", "w.yaml", "--strict"); code != exitFailure || !strings.Contains(stderr, "w.yaml: simulation.sed: unknown key") {
		t.Errorf("strict: exit %d, %s", code, stderr)
	}
}

// TestKeysOfCampaignBlocksAreWarnedOf: so are those of the blocks that only some
// commands read, in the words of the command that does.
func TestKeysOfCampaignBlocksAreWarnedOf(t *testing.T) {
	writeFiles(t, map[string]string{"w.yaml": "target_only: {token_count: 4}\nconcurrent_campaign: {execution_count: 2, execution_counts: 3}\n" +
		"node_failure: {node_id: node0, at_ns: 1000, quiesce_timeout_ns: 1000, reasons: x}\n" +
		"node_failover: {failed_node_id: node0, fault_at_ns: 1000, reasons: x}\n"})
	for _, c := range []struct {
		command []string
		want    []string
	}{
		{[]string{"concurrent-campaign", "multi-node", "w.yaml"}, []string{"concurrent_campaign.execution_counts: unknown key is ignored; did you mean execution_count?"}},
		{[]string{"concurrent-node-failure", "multi-node", "w.yaml"}, []string{"concurrent_campaign.execution_counts: unknown key", "node_failure.reasons: unknown key is ignored; did you mean reason?"}},
		{[]string{"node-failover", "multi-node", "multi-gpu", "w.yaml"}, []string{"node_failover.reasons: unknown key is ignored; did you mean reason?"}},
		{[]string{"run", "multi-node", "w.yaml"}, nil},
	} {
		_, _, stderr := inferlab(c.command...)
		for _, want := range c.want {
			if strings.Count(stderr, "warning: w.yaml: "+want) != 1 {
				t.Errorf("%v says %q, want once %s", c.command, stderr, want)
			}
		}
		if n := strings.Count(stderr, "warning: "); n != len(c.want) {
			t.Errorf("%v: %d warnings in %q", c.command, n, stderr)
		}
	}
}

// TestStrictOnlyWhereKeysAreIgnored: commands that read no such file refuse it.
func TestStrictOnlyWhereKeysAreIgnored(t *testing.T) {
	for _, command := range []string{"presets", "tables", "demo", "report", "plan-run", "scenario", "validate"} {
		if code, _, stderr := inferlab(command, "--strict"); code != exitFailure || !strings.Contains(stderr, "unknown flag: --strict") {
			t.Errorf("%s: exit %d, %s", command, code, stderr)
		}
	}
}

// TestUnknownWordsAfterGroups: a word that names no command is refused wherever
// commands are named.
func TestUnknownWordsAfterGroups(t *testing.T) {
	for _, line := range []string{"help nope", "completion nope", "kernel instal", "notebook runn"} {
		if code, stdout, stderr := inferlab(strings.Fields(line)...); code != exitFailure || stdout != "" || !strings.Contains(stderr, "unknown command") {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
	}
	if code, stdout, _ := inferlab("help", "kernel", "install"); code != exitDone || !strings.Contains(stdout, "inferlab kernel install") {
		t.Errorf("help of a subcommand: exit %d, %s", code, stdout)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
