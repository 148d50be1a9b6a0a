package report_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculativeResult is a run with everything: a machine and token evidence, of
// which one token differs from the target-only run.
func speculativeResult(t testing.TB, name string) report.SpeculativeResult {
	t.Helper()
	tokens, err := speculative.CheckTokens(&trace.TokenTrace{
		ID: name, Family: workload.DraftModel, MaxAdditionalTokens: 2, Prompt: []int64{1}, ExpectedOutput: []int64{10, 11, 77, 13},
		Provenance: trace.TokenProvenance{Source: name, RuntimeRevision: "r", ModelFingerprint: "m", ProposerFingerprint: "p",
			TokenizerFingerprint: "t", GenerationConfigFingerprint: "g", TargetOnlyRunID: "base", SpeculativeRunID: "spec"},
		Iterations: []trace.TokenIteration{{ID: "a", Proposal: []int64{10, 99}, Target: []int64{10, 11}}, {ID: "b", Proposal: []int64{12, 13}, Target: []int64{12, 13}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	machine := preset(t, "multi-gpu")
	cfg := tokens.Workload.Config
	e, err := simcore.SpeculateOn(machine, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.SpeculativeResult{Workload: tokens.Workload, Tokens: tokens, Run: e.Run, Speculation: e.Speculation}
}

func TestSpeculativePage(t *testing.T) {
	r := speculativeResult(t, "evidence")
	out, err := report.Speculative(r, report.Meta{Command: "speculative-trace", CommandLine: "inferlab speculative-trace trace.yaml multi-gpu"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"differ from the target-only run: first at output 2, expected token 77, found 12",
		"speculative-trace · draft_model, width 2 · multi-gpu", "replay verified, 2 iterations", "spec", "draft_model:target_kv:0"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if fetches.MatchString(string(out)) {
		t.Errorf("the page fetches: %s", fetches.FindString(string(out)))
	}
	again, err := report.Speculative(r, report.Meta{Command: "speculative-trace", CommandLine: "inferlab speculative-trace trace.yaml multi-gpu"})
	if err != nil || string(again) != string(out) {
		t.Errorf("two pages of one run differ (%v)", err)
	}
	if dir := os.Getenv("LOOK"); dir != "" {
		_ = os.WriteFile(dir+"/speculative.html", out, 0o600)
	}
}

func TestSpeculativePageOfNothing(t *testing.T) {
	if _, err := report.Speculative(report.SpeculativeResult{}, report.Meta{}); !errors.Is(err, report.ErrNoRun) {
		t.Errorf("got %v", err)
	}
}

func TestHostileEvidenceStaysText(t *testing.T) {
	for _, name := range hostile {
		out, err := report.Speculative(speculativeResult(t, name), report.Meta{})
		if err != nil {
			t.Fatal(err)
		}
		if fetches.MatchString(string(out)) || strings.Contains(string(out), "<script>alert") {
			t.Errorf("%.40q leaves its place", name)
		}
	}
}

// TestServingPageWithAProposer: the page says what speculation bought, beside what
// was declared and what bounds it; without a proposer it does not speak of it.
func TestServingPageWithAProposer(t *testing.T) {
	spec, err := simcore.ProposeServing("mtp", 3, simcore.AcceptanceLadder(0.8, 3))
	if err != nil {
		t.Fatal(err)
	}
	cfg := simcore.Serving{MaxBatchSize: 4, MaxBatchTokens: 48, PrefillChunkTokens: 24, MaxKVTokens: 2000,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 20, OutputTokens: 40}, {ID: "b", PromptTokens: 20, OutputTokens: 30}}}
	run, err := simcore.Serve(preset(t, "multi-gpu"), cfg, simcore.ServingOptions{Speculation: spec})
	if err != nil {
		t.Fatal(err)
	}
	with := page(t, run, report.Meta{})
	for _, want := range []string{"What did speculation buy?", "Predicted speedup over target-only", "declared acceptance 80", "declared decay from position to position"} {
		if !strings.Contains(with, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	plain, err := simcore.Serve(preset(t, "multi-gpu"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page(t, plain, report.Meta{}), "What did speculation buy?") {
		t.Error("a target-only page speaks of speculation")
	}
}
