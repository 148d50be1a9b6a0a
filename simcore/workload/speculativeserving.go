package workload

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// ServingSpeculation configures the proposer of a serving run (contract 05
// sections 5 and 7.1).
type ServingSpeculation struct {
	Family              Family
	MaxAdditionalTokens int64
	Eligibility         Eligibility
	Acceptance          Acceptance // Accepted is not used

	// Replays lists the accepted additional tokens of every request, for
	// acceptance kind replay, in any order.
	Replays []RequestReplay
}

// RequestReplay is one request's list; entries are checked when they are read.
type RequestReplay struct {
	RequestID string
	Accepted  []float64
}

// ReadServingSpeculation reads the value of serving.speculative and validates it
// as far as that goes without requests; [ServingSpeculation.Bind] does the rest.
// Unknown keys become warnings, or refusals in a strict pass.
func ReadServingSpeculation(block document.Value, strict bool) (*ServingSpeculation, []document.Warning, error) {
	r := document.NewReader(block, "serving.speculative")
	r.Strict = strict
	n := r.Root()
	n.Known("family", "max_additional_tokens", "eligibility", "acceptance")
	s := &ServingSpeculation{Family: readFamily(n.Get("family"))}
	contract, err := ContractOf(s.Family)
	if err != nil {
		return nil, r.Warnings(), r.Err()
	}
	s.MaxAdditionalTokens = n.Get("max_additional_tokens").Count()
	s.Eligibility = readEligibility(n.Get("eligibility"), contract)
	s.readAcceptance(n.Get("acceptance"))
	if err := r.Err(); err != nil {
		return nil, r.Warnings(), err
	}
	return s, r.Warnings(), s.Validate()
}

func (s *ServingSpeculation) readAcceptance(n document.Node) {
	if n.Object() {
		n.Known("kind", "accepted_draft_tokens_by_request", "match_probability_by_position", "context_buckets", "conditional_match", "seed")
	}
	s.Acceptance = readAcceptanceKind(n)
	s.Acceptance.Seed = n.Get("seed").CountOr(DefaultAcceptanceSeed)
	if s.Acceptance.Kind != AcceptReplay {
		return
	}
	for id, list := range n.Get("accepted_draft_tokens_by_request").Members() {
		s.Replays = append(s.Replays, RequestReplay{RequestID: id, Accepted: readNumbers(list)})
	}
}

// Validate checks the family, its eligibility and the acceptance model. Errors
// carry the dotted path of a serving file.
func (s *ServingSpeculation) Validate() error {
	contract, err := ContractOf(s.Family)
	if err != nil {
		return at("serving.speculative.family", err)
	}
	if !quantity.IsCount(s.MaxAdditionalTokens) {
		return issue.New("non_negative_integer", "serving.speculative.max_additional_tokens", "is %d, must be a non-negative integer", s.MaxAdditionalTokens)
	}
	if err := contract.CheckEligibility(&s.Eligibility, s.MaxAdditionalTokens); err != nil {
		return at("serving.speculative", err)
	}
	return at("serving.speculative.acceptance", s.Acceptance.Validate(s.MaxAdditionalTokens))
}

// Bind gives every request its replay list, by request index; nil for a
// conditional model. Lists must name exactly the requests: a missing or an unknown
// id is an error that names it.
func (s *ServingSpeculation) Bind(requests []Request) ([][]float64, error) {
	if s.Acceptance.Kind != AcceptReplay {
		return nil, nil
	}
	const path = "serving.speculative.acceptance.accepted_draft_tokens_by_request"
	index := make(map[string]int, len(requests))
	for i := range requests {
		index[requests[i].ID] = i
	}
	lists := make([][]float64, len(requests))
	given := make([]bool, len(requests))
	for i := range s.Replays {
		r := &s.Replays[i]
		at, known := index[r.RequestID]
		if !known {
			return nil, issue.New("unknown_request", path, "%q is no request of this run", r.RequestID)
		}
		lists[at], given[at] = r.Accepted, true
	}
	for i := range requests {
		if !given[i] {
			return nil, issue.New("missing_request", path, "request %q has no list", requests[i].ID)
		}
	}
	return lists, nil
}
