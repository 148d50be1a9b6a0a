package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestSpeculativeTranscripts plays testdata/speculative, in the form of
// TestTranscripts but with all of standard output.
func TestSpeculativeTranscripts(t *testing.T) {
	t.Chdir(t.TempDir())
	datadriven.RunTest(t, filepath.Join(packageDir, "testdata", "speculative"), func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "file":
			if err := os.WriteFile(d.CmdArgs[0].Key, []byte(d.Input+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return ""
		case "replace": // a copy of a file with one text for another
			data, err := os.ReadFile(d.CmdArgs[0].Key)
			if err != nil {
				t.Fatal(err)
			}
			old, now, _ := strings.Cut(d.Input, "\n")
			text := strings.Replace(string(data), old, now, 1)
			if text == string(data) {
				t.Fatalf("%s does not hold %q", d.CmdArgs[0].Key, old)
			}
			if err := os.WriteFile(d.CmdArgs[1].Key, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return ""
		}
		code, stdout, stderr := inferlab(strings.Split(d.Input, "\n")...)
		return fmt.Sprintf("exit %d\n%s%s", code, stdout, stderr)
	})
}

// TestRunSplitsSpeculation: the summary of run carries the time split, whose parts
// add up to the service times, and serving carries what speculation gained.
func TestRunSplitsSpeculation(t *testing.T) {
	t.Chdir(t.TempDir())
	work := `speculative: {family: eagle3, initial_token_length: 9, output_token_count: 20, max_additional_tokens: 3,
  acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.8, 0.6, 0.5]}}
`
	serving := `serving: {max_batch_size: 2, max_batch_tokens: 16, prefill_chunk_tokens: 8, max_kv_tokens: 90,
  requests: [{id: a, arrival_ns: 0, prompt_tokens: 8, output_tokens: 24}, {id: b, arrival_ns: 0, prompt_tokens: 8, output_tokens: 20}],
  speculative: {family: mtp, max_additional_tokens: 2, acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.8, 0.624]}}}
`
	for name, text := range map[string]string{"work.yaml": work, "serving.yaml": serving} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := inferlab("run", "multi-gpu", "work.yaml")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	doc := decode(t, stdout)
	split, metrics := doc["speculation"].(map[string]any), doc["metrics"].(map[string]any)
	parts := split["proposerNs"].(float64) + split["verificationNs"].(float64)
	service := metrics["computeServiceNs"].(float64) + metrics["transferServiceNs"].(float64) + metrics["collectiveServiceNs"].(float64)
	if parts != service || parts == 0 {
		t.Errorf("the split adds up to %v, the service times to %v", parts, service)
	}
	if ratio := split["targetOnlyDurationNs"].(float64) / metrics["totalDurationNs"].(float64); ratio != split["speedupVersusTargetOnly"].(float64) {
		t.Errorf("speedup %v, want %v", split["speedupVersusTargetOnly"], ratio)
	}
	code, stdout, stderr = inferlab("serving", "multi-gpu", "serving.yaml", "--summary")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	gain := decode(t, stdout)["speculationGain"].(map[string]any)
	if gain["firstPositionAcceptance"] != 0.8 || gain["acceptanceDecay"] != 0.78 ||
		gain["speedup"] != gain["speculativeTokensPerSecond"].(float64)/gain["baselineTokensPerSecond"].(float64) {
		t.Errorf("gain %v", gain)
	}
}
