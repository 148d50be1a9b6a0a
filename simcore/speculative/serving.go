package speculative

import (
	"math"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Serving decides the decode steps of a serving run: one acceptance stream and one
// transaction a request (contract 05 section 5). It implements the scheduler's
// hook; one value serves one run.
type Serving struct {
	cfg        *workload.ServingSpeculation
	guaranteed int64
	requests   []workload.Request
	streams    []Cursor
	sequences  []*Transaction // nil until a request's first commit
	contract   *workload.FamilyContract
}

// NewServing binds a proposer to the requests of a run. Errors are those of
// workload.ServingSpeculation.Validate and Bind.
func NewServing(cfg *workload.ServingSpeculation, requests []workload.Request) (*Serving, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		return nil, err
	}
	lists, err := cfg.Bind(requests)
	if err != nil {
		return nil, err
	}
	s := &Serving{cfg: cfg, guaranteed: contract.GuaranteedTokens(), requests: requests, contract: contract,
		streams: make([]Cursor, len(requests)), sequences: make([]*Transaction, len(requests))}
	for i := range requests {
		id := requests[i].ID
		if lists == nil {
			s.streams[i] = newCursor(&cfg.Acceptance, nil, id, "")
			continue
		}
		s.streams[i] = newCursor(&cfg.Acceptance, lists[i], id, "serving.speculative.acceptance.accepted_draft_tokens_by_request."+id)
	}
	return s, nil
}

// Propose plans a granted step of a request within a row limit, draws its
// acceptance and decides its outcome (contract 05 sections 5.2 to 5.4).
func (s *Serving) Propose(request int32, emitted, remaining, width int64) (trace.DecodeSlice, error) {
	d := trace.DecodeSlice{Request: request, Mode: trace.ModeSpeculative}
	shape := PlanWithin(s.guaranteed, remaining, s.cfg.MaxAdditionalTokens, width)
	if shape.ProposedAdditional > math.MaxInt32 {
		return d, issue.New("width_limit", "", "a step of %d additional tokens is wider than a trace records", shape.ProposedAdditional)
	}
	// A decoding request holds its prompt and all but the newest of its tokens.
	context := s.requests[request].PromptTokens + emitted - 1
	accepted, err := s.streams[request].AcceptAt(shape.ProposedAdditional, context, emitted)
	if err != nil {
		return d, err
	}
	decision, err := Decide(shape, accepted, remaining)
	if err != nil {
		return d, err
	}
	d.Guaranteed, d.ProposedAdditional = uint8(shape.Guaranteed), int32(shape.ProposedAdditional)
	d.AcceptedAdditional = int32(accepted)
	d.Authoritative, d.Outcome = uint8(decision.Authoritative), decision.Outcome
	return d, nil
}

// Commit runs the step's transaction at the finish of its batch (contract 05
// section 5.5). kvTokens is the request's extent before the step.
func (s *Serving) Commit(d *trace.DecodeSlice, kvTokens int64) error {
	tx, err := s.sequence(d.Request)
	if err != nil {
		return err
	}
	proposed := d.ProposedDraftTokens()
	if (d.Guaranteed == 1) != (s.guaranteed == 1 && proposed > 0) {
		return issue.New("guaranteed_prefix", "", "a step of family %s with %d draft tokens has %d guaranteed ones", s.cfg.Family, proposed, d.Guaranteed)
	}
	if tx.CommittedTokens() != kvTokens {
		return issue.New("kv_length", "", "the transaction is at %d tokens and the request at %d", tx.CommittedTokens(), kvTokens)
	}
	out, err := tx.Iterate(Iteration{DraftTokens: proposed, AcceptedDraftTokens: d.AcceptedDraftTokens(),
		LocalTokens: int64(d.ProposedAdditional), AuthoritativeTokens: int64(d.Authoritative)})
	if err != nil {
		return err
	}
	if out.FinalTokens != kvTokens+d.CommittedTokens() {
		return issue.New("kv_length", "", "the transaction ends at %d tokens, the request at %d", out.FinalTokens, kvTokens+d.CommittedTokens())
	}
	if r := &s.requests[d.Request]; out.FinalTokens == r.PeakKVTokens() {
		s.sequences[d.Request] = nil // the request is complete and its state released
	}
	return nil
}

// sequence is the request's transaction, begun at the end of its prompt.
func (s *Serving) sequence(request int32) (*Transaction, error) {
	if tx := s.sequences[request]; tx != nil {
		return tx, nil
	}
	r := &s.requests[request]
	groups := s.contract.Groups(r.PeakKVTokens(), s.cfg.MaxAdditionalTokens)
	tx, err := NewTransaction(Binding{SequenceID: r.ID, RowMapping: int64(request)}, r.PromptTokens, groups)
	s.sequences[request] = tx
	return tx, err
}
