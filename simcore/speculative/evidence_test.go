package speculative

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// sampleTrace is an mtp run of nine tokens: a correction, a bonus, an accepted tail.
func sampleTrace() *trace.TokenTrace {
	return &trace.TokenTrace{
		ID: "sample", Family: workload.MTP, MaxAdditionalTokens: 2,
		Provenance: trace.TokenProvenance{Source: "lab", RuntimeRevision: "r1", ModelFingerprint: "m", ProposerFingerprint: "p",
			TokenizerFingerprint: "t", GenerationConfigFingerprint: "g", TargetOnlyRunID: "base", SpeculativeRunID: "spec"},
		Prompt: []int64{5, 6}, ExpectedOutput: []int64{10, 11, 12, 13, 14, 15, 16, 17, 18},
		Iterations: []trace.TokenIteration{
			{ID: "a", Proposal: []int64{10, 11, 99}, Target: []int64{10, 11, 12}},
			{ID: "b", Proposal: []int64{13, 14, 15}, Target: []int64{13, 14, 15, 16}},
			{ID: "c", Proposal: []int64{17, 18}, Target: []int64{17, 18}},
		},
	}
}

func TestTokenTrace(t *testing.T) {
	r, err := CheckTokens(sampleTrace())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Differential.MatchesTargetOnly() || !slices.Equal(r.Committed, r.Trace.ExpectedOutput) {
		t.Errorf("committed %v, %+v", r.Committed, r.Differential)
	}
	want := []DerivedIteration{
		{Shape{1, 2}, 1, Decision{2, 1, 3, 1, trace.OutcomeCorrection}, 0, []int64{10, 11, 12}},
		{Shape{1, 2}, 2, Decision{3, 1, 4, 0, trace.OutcomeBonus}, 3, []int64{13, 14, 15, 16}},
		{Shape{1, 1}, 1, Decision{2, 0, 2, 0, trace.OutcomeAcceptedTail}, 7, []int64{17, 18}},
	}
	if diff := cmp.Diff(want, r.Iterations); diff != "" {
		t.Errorf("iterations (-want +got):\n%s", diff)
	}
	if m := r.Workload.Trace.Metrics; m.Iterations != 3 || m.CommittedTokens != 9 || r.Workload.Trace.FinalTokens != 11 {
		t.Errorf("workload: %+v", m)
	}
}

// TestAMismatchIsAFinding: the trace is sound, the two runs differ.
func TestAMismatchIsAFinding(t *testing.T) {
	s := sampleTrace()
	s.ExpectedOutput[5] = 77
	s.ExpectedOutput[8] = 78
	r, err := CheckTokens(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&TokenMismatch{5, 77, 15}, r.Differential.Mismatch); diff != "" {
		t.Errorf("first mismatch (-want +got):\n%s", diff)
	}
}

// TestMutatedTokenTracesAreRefused breaks one clause at a time; the refusal names
// the clause and the iteration.
func TestMutatedTokenTracesAreRefused(t *testing.T) {
	set := func(i int, proposal, target []int64) func(*trace.TokenTrace) {
		return func(s *trace.TokenTrace) { s.Iterations[i].Proposal, s.Iterations[i].Target = proposal, target }
	}
	for _, m := range []struct {
		name  string
		spoil func(*trace.TokenTrace)
		code  string
		names string
	}{
		{"prefix missing", set(0, nil, []int64{10}), "rule_1", `"a"`},
		{"too wide", func(s *trace.TokenTrace) { s.MaxAdditionalTokens = 1 }, "rule_2", `"a"`},
		{"over the output", set(2, []int64{17, 18, 19}, []int64{17, 18, 19}), "rule_3", `"c"`},
		{"too many rows", set(1, []int64{13, 14, 15}, []int64{13, 14, 15, 16, 17}), "rule_4", `"b"`},
		{"prefix rejected", set(1, []int64{13, 14, 15}, []int64{12}), "rule_5", `"b"`},
		{"no row for the prefix", set(1, []int64{13}, nil), "rule_5", `"b"`},
		{"counterfactual row", set(0, []int64{10, 98, 99}, []int64{10, 11, 12}), "rule_6", `"a"`},
		{"row missing", set(1, []int64{13, 14, 15}, []int64{13, 14}), "rule_7", `"b"`},
		{"bonus missing", set(1, []int64{13, 14, 15}, []int64{13, 14, 15}), "rule_8", `"b"`},
		{"row after the tail", set(2, []int64{17, 18}, []int64{17, 18, 19}), "rule_8", `"c"`},
		{"ended early", func(s *trace.TokenTrace) { s.Iterations = s.Iterations[:2] }, "missing_iteration", ""},
		{"trailing", func(s *trace.TokenTrace) {
			s.Iterations = append(s.Iterations, trace.TokenIteration{ID: "d", Proposal: []int64{1}, Target: []int64{1}})
		}, "trailing_iteration", `"d"`},
		{"duplicate id", func(s *trace.TokenTrace) { s.Iterations[2].ID = "a" }, "duplicate_id", `"a"`},
		{"blank id", func(s *trace.TokenTrace) { s.Iterations[1].ID = "\u2003" }, "blank", "iterations[1].id"},
		{"same runs", func(s *trace.TokenTrace) { s.Provenance.SpeculativeRunID = "base" }, "same_run", "base"},
		{"blank fingerprint", func(s *trace.TokenTrace) { s.Provenance.TokenizerFingerprint = " \ufeff" }, "blank", "tokenizer_fingerprint"},
		{"unknown family", func(s *trace.TokenTrace) { s.Family = "oracle" }, "unknown_family", `"oracle"`},
	} {
		s := sampleTrace()
		m.spoil(s)
		_, err := CheckTokens(s)
		var e *issue.Error
		if !errors.As(err, &e) || e.Code != m.code || !strings.Contains(err.Error(), m.names) {
			t.Errorf("%s: %v, want %s naming %s", m.name, err, m.code, m.names)
		}
	}
}

// TestGeneratedTracesPass: a trace made from any sampled run is sound, commits the
// target's stream, and derives the same iterations.
func TestGeneratedTracesPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawRun(t)
		run, err := Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleTrace()
		s.Family, s.MaxAdditionalTokens = cfg.Family, cfg.MaxAdditionalTokens
		s.Prompt = make([]int64, cfg.InitialTokens)
		s.ExpectedOutput, s.Iterations = []int64{}, nil
		for i := range cfg.OutputTokens {
			s.ExpectedOutput = append(s.ExpectedOutput, 100+i)
		}
		for i := range run.Trace.Iterations {
			s.Iterations = append(s.Iterations, tokensOf(&run.Trace.Iterations[i], i, s.ExpectedOutput[run.Trace.Iterations[i].BaseTokens-cfg.InitialTokens:]))
		}
		r, err := CheckTokens(s)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Differential.MatchesTargetOnly() {
			t.Fatalf("%+v", r.Differential.Mismatch)
		}
		if diff := cmp.Diff(run.Trace.Iterations, r.Workload.Trace.Iterations); diff != "" && len(run.Trace.Iterations) > 0 {
			t.Fatalf("iterations differ:\n%s", diff)
		}
	})
}

// tokensOf gives an iteration token values: the target follows rest, the proposer
// strays after the accepted part.
func tokensOf(it *trace.SpeculativeIteration, number int, rest []int64) trace.TokenIteration {
	accepted, proposed := it.AcceptedDraftTokens(), it.ProposedDraftTokens()
	p := slices.Clone(rest[:accepted])
	for int64(len(p)) < proposed {
		p = append(p, 1)
	}
	return trace.TokenIteration{ID: fmt.Sprint("i", number), Proposal: p, Target: rest[:accepted+int64(it.Authoritative)]}
}

// sampleCaptures are the two captures behind the sample trace.
func sampleCaptures() (target, spec *trace.Capture) {
	s := sampleTrace()
	p := trace.CaptureProvenance{Source: "lab", RuntimeRevision: "r1", ModelFingerprint: "m", TokenizerFingerprint: "t", GenerationConfigFingerprint: "g"}
	target = &trace.Capture{ID: "base", Role: trace.CaptureTargetOnly, Provenance: p, Prompt: s.Prompt, Output: slices.Clone(s.ExpectedOutput)}
	spec = &trace.Capture{ID: "spec", Role: trace.CaptureSpeculative, Provenance: p, Prompt: slices.Clone(s.Prompt), Output: slices.Clone(s.ExpectedOutput),
		Family: s.Family, ProposerFingerprint: "p", MaxAdditionalTokens: 2}
	offset := int64(0)
	for i, commits := range [][]int64{{10, 11, 12}, {13, 14, 15, 16}, {17, 18}} {
		spec.Iterations = append(spec.Iterations, trace.CaptureIteration{TokenIteration: s.Iterations[i], OutputOffset: offset, Committed: commits})
		offset += int64(len(commits))
	}
	return target, spec
}

func TestCaptures(t *testing.T) {
	c, err := BindCaptures(sampleCaptures())
	if err != nil {
		t.Fatal(err)
	}
	if c.TargetOnlyID != "base" || c.SpeculativeID != "spec" || c.Tokens.Trace.ID != "base:spec" ||
		c.Tokens.Trace.Provenance.ProposerFingerprint != "p" || !c.Tokens.Differential.MatchesTargetOnly() {
		t.Errorf("%+v", c)
	}
	target, spec := sampleCaptures()
	target.Output[3] = 55 // consistent captures of runs that differ
	c, err = BindCaptures(target, spec)
	if err != nil || c.Tokens.Differential.Mismatch == nil || *c.Tokens.Differential.Mismatch != (TokenMismatch{3, 55, 13}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMutatedCapturesAreRefused(t *testing.T) {
	for _, m := range []struct {
		name  string
		spoil func(target, spec *trace.Capture)
		code  string
		names string
	}{
		{"two target-only runs", func(_, s *trace.Capture) { s.Role = trace.CaptureTargetOnly }, "role", "speculative"},
		{"swapped", func(a, b *trace.Capture) { *a, *b = *b, *a }, "role", "target_only"},
		{"one id", func(_, s *trace.Capture) { s.ID = "base" }, "same_run", "base"},
		{"source", func(_, s *trace.Capture) { s.Provenance.Source = "x" }, "provenance", "source"},
		{"runtime", func(_, s *trace.Capture) { s.Provenance.RuntimeRevision = "x" }, "provenance", "runtime_revision"},
		{"model", func(_, s *trace.Capture) { s.Provenance.ModelFingerprint = "x" }, "provenance", "model_fingerprint"},
		{"tokenizer", func(_, s *trace.Capture) { s.Provenance.TokenizerFingerprint = "x" }, "provenance", "tokenizer_fingerprint"},
		{"generation", func(_, s *trace.Capture) { s.Provenance.GenerationConfigFingerprint = "x" }, "provenance", "generation_config_fingerprint"},
		{"prompt", func(_, s *trace.Capture) { s.Prompt[1] = 7 }, "prompt", "prompt_token_ids"},
		{"length", func(a, _ *trace.Capture) { a.Output = a.Output[:8] }, "output_length", "output_token_ids"},
		{"offset", func(_, s *trace.Capture) { s.Iterations[1].OutputOffset = 4 }, "output_offset", `"b"`},
		{"commits", func(_, s *trace.Capture) { s.Iterations[0].Committed = []int64{10, 11} }, "committed", `"a"`},
		{"output", func(_, s *trace.Capture) { s.Output[8] = 3 }, "output", "output_token_ids"},
		{"rows", func(_, s *trace.Capture) { s.Iterations[0].Target = []int64{10, 11, 12, 13} }, "rule_6", `"a"`},
	} {
		target, spec := sampleCaptures()
		m.spoil(target, spec)
		_, err := BindCaptures(target, spec)
		var e *issue.Error
		if !errors.As(err, &e) || e.Code != m.code || !strings.Contains(err.Error(), m.names) {
			t.Errorf("%s: %v, want %s naming %s", m.name, err, m.code, m.names)
		}
	}
}

const captureFile = `
revision: 1
id: spec
role: speculative
provenance: {source: lab, runtime_revision: r1, model_fingerprint: m, tokenizer_fingerprint: t, generation_config_fingerprint: g}
completion_reason: max_tokens
prompt_token_ids: [5, 6]
output_token_ids: [10, 11]
terminal: {status: completed, output_token_count: 2, iteration_count: 1}
family: draft_model
proposer_fingerprint: p
max_additional_tokens: 1
iterations:
  - {id: a, output_offset: 0, proposal_token_ids: [10], target_token_ids: [10, 11], committed_token_ids: [10, 11]}
`

// TestEvidenceFilesAreClosed: every unknown, missing or wrong key is refused by its
// name.
func TestEvidenceFilesAreClosed(t *testing.T) {
	read := func(text string) error {
		doc, err := document.Parse([]byte(text), "capture.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, err = ReadCapture(doc)
		return err
	}
	if err := read(captureFile); err != nil {
		t.Fatal(err)
	}
	for _, m := range [][3]string{ // old, new, what the refusal must name
		{"revision: 1", "revision: 2", "revision"},
		{"id: spec", "id: ''", "id"},
		{"role: speculative", "role: draft", "draft"},
		{"source: lab", "source: ' '", "source"},
		{"model_fingerprint: m, ", "", "model_fingerprint"},
		{"source: lab", "source: lab, host: x", "host"},
		{"max_tokens", "eos", "max_tokens"},
		{"[5, 6]", "[]", "prompt_token_ids"},
		{"output_token_ids: [10, 11]", "output_token_ids: [10, 1.5]", "output_token_ids[1]"},
		{"status: completed", "status: failed", "completed"},
		{"output_token_count: 2", "output_token_count: 3", "output_token_count"},
		{"iteration_count: 1", "iteration_count: 0", "iteration_count"},
		{"family: draft_model", "family: oracle", "oracle"},
		{"proposer_fingerprint: p", "proposer_fingerprint: 7", "proposer_fingerprint"},
		{"max_additional_tokens: 1", "max_additional_tokens: -1", "max_additional_tokens"},
		{"output_offset: 0", "output_offset: x", "output_offset"},
		{"{id: a, ", "{id: a, logits: [], ", "logits"},
		{"role: speculative", "role: target_only", "family"},
		{"revision: 1", "revision: 1\nextra: 1", "extra"},
	} {
		text := strings.Replace(captureFile, m[0], m[1], 1)
		if err := read(text); err == nil || !strings.Contains(err.Error(), m[2]) {
			t.Errorf("%s for %s: %v, want it to name %s", m[1], m[0], err, m[2])
		}
	}
	if err := read("runtime_token_capture:\n" + strings.ReplaceAll(captureFile, "\n", "\n  ") + "\nother: 1"); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("a second root key: %v", err)
	}
}

func TestBlankFollowsTheContract(t *testing.T) {
	for s, want := range map[string]bool{"": true, " \t\n": true, "\u00a0\u3000\ufeff": true, "\u0085": false, " x ": false, "\u200b": false} {
		if blank(s) != want {
			t.Errorf("blank(%q) is %v", s, !want)
		}
	}
}
