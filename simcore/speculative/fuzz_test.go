package speculative

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/document"
)

// FuzzReadTokenTrace: no text makes the reader or the oracle panic, and what the
// oracle accepts commits as many tokens as the target-only run.
func FuzzReadTokenTrace(f *testing.F) {
	f.Add(`speculative_token_trace: {revision: 2, id: a, family: mtp, max_additional_tokens: 2, prompt_token_ids: [5], expected_output_token_ids: [10, 11],
  provenance: {source: s, runtime_revision: r, model_fingerprint: m, proposer_fingerprint: p, tokenizer_fingerprint: t, generation_config_fingerprint: g, target_only_run_id: b, speculative_run_id: c},
  iterations: [{id: i, proposal_token_ids: [10], target_token_ids: [10, 11]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := document.Parse([]byte(text), "trace.yaml")
		if err != nil {
			return
		}
		trace, err := ReadTokenTrace(doc)
		if err != nil {
			return
		}
		if r, err := CheckTokens(trace); err == nil && len(r.Committed) != len(trace.ExpectedOutput) {
			t.Errorf("%d tokens committed of %d", len(r.Committed), len(trace.ExpectedOutput))
		}
	})
}

// FuzzReadCapture: no text makes the reader panic, and a capture binds to no
// capture of its own role.
func FuzzReadCapture(f *testing.F) {
	f.Add(captureFile)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := document.Parse([]byte(text), "capture.yaml")
		if err != nil {
			return
		}
		c, err := ReadCapture(doc)
		if err != nil {
			return
		}
		if _, err := BindCaptures(c, c); err == nil {
			t.Error("a capture binds to itself")
		}
	})
}
