package speculative

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
)

// CaptureRun is a pair of captures that belong together (contract 04 section 9).
type CaptureRun struct {
	TargetOnlyID, SpeculativeID string
	Tokens                      *TokenRun
}

// BindCaptures checks that two captures describe one configuration, derives every
// commit of the speculative one, compares it with what the runtime claims, and the
// output with that of the target-only run. Claims that contradict the capture's
// own rows are errors; an output that differs from the target-only one is not.
func BindCaptures(target, speculative *trace.Capture) (*CaptureRun, error) {
	if err := checkPair(target, speculative); err != nil {
		return nil, err
	}
	p := &speculative.Provenance
	t := &trace.TokenTrace{
		ID: target.ID + ":" + speculative.ID,
		Provenance: trace.TokenProvenance{
			Source: p.Source, RuntimeRevision: p.RuntimeRevision, ModelFingerprint: p.ModelFingerprint,
			ProposerFingerprint: speculative.ProposerFingerprint, TokenizerFingerprint: p.TokenizerFingerprint,
			GenerationConfigFingerprint: p.GenerationConfigFingerprint,
			TargetOnlyRunID:             target.ID, SpeculativeRunID: speculative.ID,
		},
		Family: speculative.Family, MaxAdditionalTokens: speculative.MaxAdditionalTokens,
		Prompt: target.Prompt, ExpectedOutput: target.Output,
		Iterations: make([]trace.TokenIteration, len(speculative.Iterations)),
	}
	for i := range speculative.Iterations {
		t.Iterations[i] = speculative.Iterations[i].TokenIteration
	}
	tokens, err := CheckTokens(t)
	if err != nil {
		return nil, err
	}
	if err := checkClaims(speculative, tokens); err != nil {
		return nil, err
	}
	return &CaptureRun{TargetOnlyID: target.ID, SpeculativeID: speculative.ID, Tokens: tokens}, nil
}

// checkPair applies rules 1 to 5 of contract 04 section 9.2.
func checkPair(target, speculative *trace.Capture) error {
	switch {
	case target.Role != trace.CaptureTargetOnly:
		return issue.New("role", "role", "the first capture must have the role target_only, found %s", target.Role)
	case speculative.Role != trace.CaptureSpeculative:
		return issue.New("role", "role", "the second capture must have the role speculative, found %s", speculative.Role)
	case target.ID == speculative.ID:
		return issue.New("same_run", "id", "both captures have the id %q", target.ID)
	}
	a, b := &target.Provenance, &speculative.Provenance
	for _, f := range [...]struct{ key, target, speculative string }{
		{"source", a.Source, b.Source}, {"runtime_revision", a.RuntimeRevision, b.RuntimeRevision},
		{"model_fingerprint", a.ModelFingerprint, b.ModelFingerprint}, {"tokenizer_fingerprint", a.TokenizerFingerprint, b.TokenizerFingerprint},
		{"generation_config_fingerprint", a.GenerationConfigFingerprint, b.GenerationConfigFingerprint},
	} {
		if f.target != f.speculative {
			return issue.New("provenance", "provenance."+f.key, "the captures differ: %q and %q", f.target, f.speculative)
		}
	}
	switch {
	case !slices.Equal(target.Prompt, speculative.Prompt):
		return issue.New("prompt", "prompt_token_ids", "the prompts of the two captures differ")
	case len(target.Output) != len(speculative.Output):
		return issue.New("output_length", "output_token_ids", "the outputs differ in length: %d and %d", len(target.Output), len(speculative.Output))
	}
	return nil
}

// checkClaims applies rules 7 and 8 of contract 04 section 9.2.
func checkClaims(c *trace.Capture, derived *TokenRun) error {
	for i := range c.Iterations {
		claim, d := &c.Iterations[i], &derived.Iterations[i]
		if claim.OutputOffset != d.OutputOffset {
			return issue.New("output_offset", "", "iteration %q claims output_offset %d, its rows imply %d", claim.ID, claim.OutputOffset, d.OutputOffset)
		}
		if !slices.Equal(claim.Committed, d.Committed) {
			return issue.New("committed", "", "iteration %q claims committed_token_ids %v, its rows imply %v", claim.ID, claim.Committed, d.Committed)
		}
	}
	if !slices.Equal(c.Output, derived.Committed) {
		return issue.New("output", "output_token_ids", "the output of capture %q is not the stream that its iterations commit", c.ID)
	}
	return nil
}
