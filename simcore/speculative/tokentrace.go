package speculative

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TokenRun is a token trace whose every iteration was derived again (contract 04
// section 8). It is read-only.
type TokenRun struct {
	Trace        *trace.TokenTrace
	Contract     *workload.FamilyContract
	Iterations   []DerivedIteration
	Committed    []int64 // the committed stream, as long as the expected output
	Differential Differential
	Workload     *Run // the derived widths and counts, replayed through the transaction
}

// DerivedIteration is what the token values of one iteration imply.
type DerivedIteration struct {
	Shape              Shape
	AcceptedAdditional int64
	Decision           Decision
	OutputOffset       int64   // committed before it
	Committed          []int64 // token ids
}

// Differential compares the committed stream with the target-only output. A
// mismatch is a finding about the two runs, not a malformed trace.
type Differential struct {
	ComparedTokens int64
	Mismatch       *TokenMismatch // nil: the streams are equal
}

// TokenMismatch is the first index at which the streams differ.
type TokenMismatch struct {
	OutputIndex, Expected, Actual int64
}

// MatchesTargetOnly reports that the streams are equal.
func (d *Differential) MatchesTargetOnly() bool { return d.Mismatch == nil }

// CheckTokens derives every iteration of a token trace from its token values,
// replays the derived widths and counts through the composite transaction, and
// compares the committed stream with the target-only output. Errors name the
// iteration and the clause that it breaks; a mismatch of tokens is no error.
func CheckTokens(t *trace.TokenTrace) (*TokenRun, error) {
	contract, err := workload.ContractOf(t.Family)
	if err != nil {
		return nil, err
	}
	if err := checkTokenTrace(t); err != nil {
		return nil, err
	}
	r := &TokenRun{Trace: t, Contract: contract, Iterations: make([]DerivedIteration, 0, len(t.Iterations))}
	expected := int64(len(t.ExpectedOutput))
	r.Committed = make([]int64, 0, expected)
	for int64(len(r.Committed)) < expected {
		i := len(r.Iterations)
		if i == len(t.Iterations) {
			return nil, issue.New("missing_iteration", "iterations", "the iterations end after %d of %s", len(r.Committed), quantity.Counted(expected, "output token"))
		}
		d, err := derive(contract, t.MaxAdditionalTokens, &t.Iterations[i], int64(len(r.Committed)), expected)
		if err != nil {
			return nil, err
		}
		r.Committed = append(r.Committed, d.Committed...)
		r.Iterations = append(r.Iterations, d)
	}
	if i := len(r.Iterations); i < len(t.Iterations) {
		return nil, issue.New("trailing_iteration", "iterations", "iteration %q follows the last output token", t.Iterations[i].ID)
	}
	r.compare()
	return r, r.replay()
}

// checkTokenTrace checks what a reader of files has checked already, for traces
// that were built in a program.
func checkTokenTrace(t *trace.TokenTrace) error {
	p := &t.Provenance
	for _, text := range [...]struct{ key, value string }{
		{"id", t.ID}, {"source", p.Source}, {"runtime_revision", p.RuntimeRevision}, {"model_fingerprint", p.ModelFingerprint},
		{"proposer_fingerprint", p.ProposerFingerprint}, {"tokenizer_fingerprint", p.TokenizerFingerprint},
		{"generation_config_fingerprint", p.GenerationConfigFingerprint},
		{"target_only_run_id", p.TargetOnlyRunID}, {"speculative_run_id", p.SpeculativeRunID},
	} {
		if blank(text.value) {
			return issue.New("blank", text.key, "must not be blank")
		}
	}
	if p.TargetOnlyRunID == p.SpeculativeRunID {
		return issue.New("same_run", "provenance", "target_only_run_id and speculative_run_id are both %q", p.SpeculativeRunID)
	}
	seen := make(map[string]bool, len(t.Iterations))
	for i := range t.Iterations {
		id := t.Iterations[i].ID
		if blank(id) {
			return issue.New("blank", fmt.Sprintf("iterations[%d].id", i), "must not be blank")
		}
		if seen[id] {
			return issue.New("duplicate_id", fmt.Sprintf("iterations[%d].id", i), "iteration id %q is used twice", id)
		}
		seen[id] = true
	}
	return nil
}

// derive applies the oracle to one iteration (contract 04 section 8.2); committed
// tokens lie before it.
func derive(c *workload.FamilyContract, additional int64, it *trace.TokenIteration, committed, expected int64) (DerivedIteration, error) {
	p, q := it.Proposal, it.Target
	proposed, rows := int64(len(p)), int64(len(q))
	g, remaining := c.GuaranteedTokens(), expected-committed
	broken := func(rule int, format string, args ...any) (DerivedIteration, error) {
		return DerivedIteration{}, issue.New(fmt.Sprintf("rule_%d", rule), "", "iteration %q breaks rule %d of contract 04 section 8.2: %s",
			it.ID, rule, fmt.Sprintf(format, args...))
	}
	switch {
	case proposed < g:
		return broken(1, "the guaranteed prefix of family %s is missing", c.Family)
	case proposed-g > additional:
		return broken(2, "proposed: %s, max_additional_tokens: %d", quantity.Counted(proposed-g, "additional token"), additional)
	case proposed > remaining:
		return broken(3, "proposed: %s, remaining: %d", quantity.Counted(proposed, "token"), remaining)
	case rows > proposed+1:
		return broken(4, "%s for %s", quantity.Counted(rows, "target row"), quantity.Counted(proposed, "proposed token"))
	}
	accepted := agreement(p, q)
	switch mismatch := accepted < proposed && rows > accepted; {
	case accepted < g:
		return broken(5, "the guaranteed prefix differs from the first target row")
	case mismatch && rows != accepted+1:
		return broken(6, "after the first mismatch: %s", quantity.Counted(rows-accepted-1, "target row"))
	case !mismatch && rows < proposed:
		return broken(7, "the target rows end at %d of %s without a mismatch", rows, quantity.Counted(proposed, "proposed token"))
	}
	d := DerivedIteration{
		Shape:              Shape{Guaranteed: g, ProposedAdditional: proposed - g},
		AcceptedAdditional: accepted - g, OutputOffset: committed,
	}
	var err error
	if d.Decision, err = Decide(d.Shape, d.AcceptedAdditional, remaining); err != nil {
		return broken(8, "%v", err)
	}
	if want := targetRows(proposed, accepted, d.Decision.Outcome); rows != want {
		return broken(8, "%s has %s, found %d", d.Decision.Outcome, quantity.Counted(want, "target row"), rows)
	}
	d.Committed = slices.Clone(p[:accepted])
	if d.Decision.Authoritative == 1 {
		d.Committed = append(d.Committed, q[accepted])
	}
	return d, nil
}

// targetRows is the number of rows that the target loop selects.
func targetRows(proposed, accepted int64, outcome trace.DecodeOutcome) int64 {
	switch outcome {
	case trace.OutcomeBonus:
		return proposed + 1
	case trace.OutcomeAcceptedTail:
		return proposed
	}
	return accepted + 1
}

// agreement is the length of the longest prefix on which two streams agree.
func agreement(p, q []int64) int64 {
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return int64(n)
}

func (r *TokenRun) compare() {
	r.Differential.ComparedTokens = int64(len(r.Committed))
	for i, want := range r.Trace.ExpectedOutput {
		if got := r.Committed[i]; got != want {
			r.Differential.Mismatch = &TokenMismatch{OutputIndex: int64(i), Expected: want, Actual: got}
			return
		}
	}
}

// replay runs the derived widths and counts through the workload, and asks for the
// same decision at every iteration.
func (r *TokenRun) replay() error {
	prompt, output := int64(len(r.Trace.Prompt)), int64(len(r.Trace.ExpectedOutput))
	cfg := workload.SpeculativeRun{
		Family: r.Trace.Family, InitialTokens: prompt, OutputTokens: output,
		StateGroups:         r.Contract.Groups(prompt+output, r.Trace.MaxAdditionalTokens),
		MaxAdditionalTokens: r.Trace.MaxAdditionalTokens, MaxIterations: max(1, int64(len(r.Iterations))),
		Eligibility: r.Contract.DefaultEligibility(),
		Acceptance:  workload.Acceptance{Kind: workload.AcceptReplay, Accepted: make([]float64, len(r.Iterations))},
		Widths:      make([]int64, len(r.Iterations)),
	}
	for i := range r.Iterations {
		cfg.Widths[i] = r.Iterations[i].Shape.ProposedAdditional
		cfg.Acceptance.Accepted[i] = float64(r.Iterations[i].AcceptedAdditional)
	}
	run, err := Simulate(cfg)
	if err != nil {
		return fmt.Errorf("replaying the derived iterations: %w", err)
	}
	r.Workload = run
	states := run.Trace.Iterations
	if len(states) != len(r.Iterations) {
		return issue.New("parity", "", "tokens decide %d iterations and states %d", len(r.Iterations), len(states))
	}
	for i := range states {
		s, d := &states[i], &r.Iterations[i].Decision
		if s.ProposedDraftTokens() != r.Iterations[i].Shape.ProposedDraftTokens() || s.AcceptedDraftTokens() != d.AcceptedDraft ||
			int64(s.Authoritative) != d.Authoritative || s.CommittedTokens() != d.Committed || s.Outcome != d.Outcome {
			return issue.New("parity", "", "iteration %q: tokens and states decide differently", r.Trace.Iterations[i].ID)
		}
	}
	return nil
}

// blank reports whether nothing but white space is in s (contract 04 section 1:
// U+0085 is not white space).
func blank(s string) bool {
	for _, c := range s {
		switch {
		case c >= 0x09 && c <= 0x0D, c == 0x20, c == 0xA0, c == 0x1680, c >= 0x2000 && c <= 0x200A,
			c == 0x2028, c == 0x2029, c == 0x202F, c == 0x205F, c == 0x3000, c == 0xFEFF:
		default:
			return false
		}
	}
	return true
}
