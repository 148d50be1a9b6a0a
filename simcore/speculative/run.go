package speculative

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/kvcache"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// MaxRecordedIterations bounds what one run records: about a gigabyte, or five with
// paged KV.
const MaxRecordedIterations = 1 << 24

// MaxRecordedPages is the most pages that a sequence may begin with: every page is
// part of the evidence.
const MaxRecordedPages = 1 << 20

// Run is a finished, verified speculative workload. It is read-only.
type Run struct {
	Config   workload.SpeculativeRun
	Contract *workload.FamilyContract
	Trace    trace.Speculative
	Replayed speculativereplay.Result
}

// Simulate runs a workload to its last token and has the record checked by the
// independent replay (contract 04 sections 7.2 and 13.9). Errors are those of
// workload.SpeculativeRun.Validate, of the acceptance model, the transaction and
// the page cache with the iteration they struck, and *speculativereplay.Mismatch.
func Simulate(cfg workload.SpeculativeRun) (*Run, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r, err := newRunner(&cfg)
	if err != nil {
		return nil, err
	}
	if most := r.guaranteed + cfg.MaxAdditionalTokens + 1; cfg.OutputTokens/most > MaxRecordedIterations {
		return nil, r.tooLong() // not even full acceptance would end in time
	}
	for r.remaining > 0 {
		if err := r.iterate(); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", len(r.iterations), err)
		}
	}
	run := &Run{Config: cfg, Contract: r.contract}
	if err := r.finish(&run.Trace); err != nil {
		return nil, err
	}
	if run.Replayed, err = speculativereplay.Check(&cfg, &run.Trace); err != nil {
		return nil, err
	}
	return run, nil
}

// runner is the state of one run.
type runner struct {
	cfg        *workload.SpeculativeRun
	contract   *workload.FamilyContract
	guaranteed int64
	tx         *Transaction
	pages      *kvcache.Cache // nil: no paging
	cursor     Cursor
	remaining  int64 // R
	iterations []trace.SpeculativeIteration
}

func newRunner(cfg *workload.SpeculativeRun) (*runner, error) {
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		return nil, err
	}
	r := &runner{
		cfg: cfg, contract: contract, guaranteed: contract.GuaranteedTokens(), remaining: cfg.OutputTokens,
		cursor: *NewCursor(&cfg.Acceptance, workload.SpeculativeStream),
	}
	if r.tx, err = NewTransaction(Binding{SequenceID: workload.SpeculativeStream}, cfg.InitialTokens, cfg.Groups()); err != nil {
		return nil, err
	}
	// At least one token an iteration, and no more iterations than allowed; long
	// runs grow from here.
	expected := min(cfg.OutputTokens, cfg.Iterations(), 1<<16)
	r.iterations = make([]trace.SpeculativeIteration, 0, expected)
	if cfg.PagedKV != nil {
		paged := *cfg.PagedKV
		paged.InitialTokenLength = cfg.InitialTokens
		if paged.PageSizeTokens > 0 && cfg.InitialTokens/paged.PageSizeTokens > MaxRecordedPages {
			return nil, issue.New("too_many_pages", "speculative.initial_token_length", "is %d, in pages of %d, must be at most %d pages: every page is recorded",
				cfg.InitialTokens, paged.PageSizeTokens, MaxRecordedPages)
		}
		if r.pages, err = kvcache.New(paged); err != nil {
			return nil, err
		}
		r.pages.Reserve(int(4 * expected))
	}
	return r, nil
}

// iterate runs one iteration (contract 04 section 7.2).
func (r *runner) iterate() error {
	switch done := int64(len(r.iterations)); {
	case done >= r.cfg.Iterations():
		return issue.New("max_iterations", "speculative.max_iterations", "found %d, and after them %s of output left", done, quantity.Counted(r.remaining, "token"))
	case done >= MaxRecordedIterations:
		return r.tooLong()
	}
	shape, err := r.plan()
	if err != nil {
		return err
	}
	base := r.tx.CommittedTokens()
	accepted, err := r.cursor.Accept(shape.ProposedAdditional, base)
	if err != nil {
		return err
	}
	d, err := Decide(shape, accepted, r.remaining)
	if err != nil {
		return err
	}
	if err := r.transact(shape, d); err != nil {
		return err
	}
	r.remaining -= d.Committed
	r.iterations = append(r.iterations, trace.SpeculativeIteration{
		BaseTokens: base, ProposedAdditional: shape.ProposedAdditional, AcceptedAdditional: accepted,
		Guaranteed: uint8(shape.Guaranteed), Authoritative: uint8(d.Authoritative), Outcome: d.Outcome,
	})
	return nil
}

func (r *runner) tooLong() error {
	return issue.New("iteration_limit", "speculative.output_token_count", "a run records at most %d iterations, which leaves %s of output", MaxRecordedIterations, quantity.Counted(r.remaining, "token"))
}

// plan plans the next iteration; a replayed width must be one that the plan allows.
func (r *runner) plan() (Shape, error) {
	planned := Plan(r.guaranteed, r.remaining, r.cfg.MaxAdditionalTokens)
	if r.cfg.Widths == nil {
		return planned, nil
	}
	i := len(r.iterations)
	if i >= len(r.cfg.Widths) {
		return Shape{}, issue.New("width", "", "the replayed widths end after %s", quantity.Counted(int64(i), "iteration"))
	}
	width := r.cfg.Widths[i]
	if width > planned.ProposedAdditional {
		return Shape{}, issue.New("width", "", "replayed width %d is above the planned %d", width, planned.ProposedAdditional)
	}
	return Plan(r.guaranteed, r.remaining, width), nil
}

// transact runs transaction and page cache side by side.
func (r *runner) transact(s Shape, d Decision) error {
	proposed := s.ProposedDraftTokens()
	var checkpoint kvcache.Handle
	if r.pages != nil {
		var err error
		if checkpoint, err = r.pages.Checkpoint(); err != nil {
			return err
		}
		if err := r.pages.Append(proposed); err != nil {
			return err
		}
	}
	out, err := r.tx.Iterate(Iteration{DraftTokens: proposed, AcceptedDraftTokens: d.AcceptedDraft,
		LocalTokens: s.ProposedAdditional, AuthoritativeTokens: d.Authoritative})
	if err != nil {
		return err
	}
	if out.Committed > r.remaining {
		return issue.New("output_budget", "", "%d tokens were committed of the %d that remained", out.Committed, r.remaining)
	}
	if r.pages == nil {
		return nil
	}
	if err := r.pages.Restore(checkpoint, d.AcceptedDraft); err != nil {
		return err
	}
	return r.pages.Append(d.Authoritative)
}

// finish compares the end with target-only decoding and evaluates the run.
func (r *runner) finish(t *trace.Speculative) error {
	target := r.cfg.InitialTokens + r.cfg.OutputTokens
	final := r.tx.CommittedTokens()
	if final != target {
		return issue.New("target_only_length", "", "the run ends at %d tokens and target-only decoding at %d", final, target)
	}
	*t = trace.Speculative{
		Family: r.cfg.Family, InitialTokens: r.cfg.InitialTokens, FinalTokens: final,
		Iterations: r.iterations, Groups: r.tx.Groups(),
	}
	if r.pages != nil {
		if r.pages.Length() != final {
			return issue.New("paged_length", "", "the page cache ends at %d tokens and the transaction at %d", r.pages.Length(), final)
		}
		t.PagedKV, t.PagedKVSnapshot = r.pages.Trace(), r.pages.Snapshot()
	}
	t.Metrics = r.metrics(t)
	return nil
}
