package workload

import (
	"math"
	"strings"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// SpeculativeStream is the acceptance stream of a workload that is not served.
const SpeculativeStream = "default"

// DefaultAcceptanceSeed seeds conditional acceptance unless a seed is given.
const DefaultAcceptanceSeed int64 = 42

// MaxHistogramWidth bounds the additional width of a workload that is not served.
// Contract 04 allows any safe integer, but its section 7.4 has the result list a bin
// for each of the N + 1 accepted lengths and a share for each of the N positions: a
// wider result would not fit in memory.
const MaxHistogramWidth int64 = 1 << 24

// AcceptanceKind says where accepted lengths come from.
type AcceptanceKind string

// The three kinds. There is none for a single average rate: acceptance is a
// first-mismatch process.
const (
	AcceptReplay    AcceptanceKind = "replay"                // evidence, replayed exactly
	AcceptEmpirical AcceptanceKind = "conditional_empirical" // a measured distribution, sampled
	AcceptHeuristic AcceptanceKind = "conditional_heuristic" // an assumed distribution, sampled
)

// Acceptance is an acceptance model (contract 04 sections 4 and 13.3).
type Acceptance struct {
	Kind AcceptanceKind

	// Accepted lists the accepted additional tokens of a replay, one entry a step.
	// An entry is checked when it is read and not before.
	Accepted []float64

	// Probabilities[j] is the chance that position j matches given that all
	// earlier positions have matched. Buckets, when not nil, replace it.
	Probabilities []float64
	Buckets       []AcceptanceBucket

	Seed int64
}

// AcceptanceBucket is a distribution for contexts of at least MinContextTokens.
type AcceptanceBucket struct {
	MinContextTokens int64
	Probabilities    []float64
}

// SpeculativeRun is one speculative workload (contract 04 section 7.1).
type SpeculativeRun struct {
	Family              Family
	InitialTokens       int64
	OutputTokens        int64
	MaxAdditionalTokens int64 // N
	MaxIterations       int64 // 0: max(1, OutputTokens)
	Eligibility         Eligibility
	Acceptance          Acceptance

	// Widths, when not nil, replays the additional width of every iteration
	// instead of planning with MaxAdditionalTokens.
	Widths []int64

	PagedKV     *PagedKV     // nil: no paging; the initial length is taken from the workload
	StateGroups []StateGroup // nil: those of the family
}

// Iterations is the largest number of iterations that may run.
func (s *SpeculativeRun) Iterations() int64 {
	if s.MaxIterations == 0 {
		return max(1, s.OutputTokens)
	}
	return s.MaxIterations
}

// Groups are the state groups of a valid workload, defaults filled in.
func (s *SpeculativeRun) Groups() []StateGroup {
	if s.StateGroups == nil {
		contract, err := ContractOf(s.Family)
		if err != nil {
			return nil
		}
		return contract.Groups(s.InitialTokens+s.OutputTokens+s.MaxAdditionalTokens, s.MaxAdditionalTokens)
	}
	groups := make([]StateGroup, len(s.StateGroups))
	for i := range s.StateGroups {
		groups[i] = s.StateGroups[i].WithDefaults()
	}
	return groups
}

// Validate checks everything that can be checked before the first iteration. The
// error is an *issue.Error with the dotted path of the configuration.
func (s *SpeculativeRun) Validate() error {
	contract, err := ContractOf(s.Family)
	if err != nil {
		return at("speculative.family", err)
	}
	for _, f := range [...]struct {
		path  string
		value int64
	}{
		{"initial_token_length", s.InitialTokens}, {"output_token_count", s.OutputTokens},
		{"max_additional_tokens", s.MaxAdditionalTokens}, {"max_iterations", s.MaxIterations},
	} {
		if !quantity.IsCount(f.value) {
			return issue.New("non_negative_integer", "speculative."+f.path, "is %d, must be a non-negative integer", f.value)
		}
	}
	if _, err := quantity.Sum(s.InitialTokens, s.OutputTokens, s.MaxAdditionalTokens); err != nil {
		return issue.New("overflow", "speculative", "initial_token_length + output_token_count + max_additional_tokens: %v", err)
	}
	if s.MaxAdditionalTokens > MaxHistogramWidth {
		return issue.New("width_limit", "speculative.max_additional_tokens", "is %d, must be at most %d: the result lists every accepted length up to it", s.MaxAdditionalTokens, MaxHistogramWidth)
	}
	if err := contract.CheckEligibility(&s.Eligibility, s.MaxAdditionalTokens); err != nil {
		return at("speculative", err)
	}
	if err := s.Acceptance.Validate(s.MaxAdditionalTokens); err != nil {
		return at("speculative.acceptance", err)
	}
	if err := s.checkWidths(); err != nil {
		return err
	}
	if err := s.checkGroups(contract); err != nil {
		return err
	}
	return s.checkPaging()
}

func (s *SpeculativeRun) checkWidths() error {
	for i, k := range s.Widths {
		if !quantity.IsCount(k) || k > s.MaxAdditionalTokens {
			return issue.New("width", "", "replayed width %d of iteration %d is not from 0 to max_additional_tokens %d", k, i, s.MaxAdditionalTokens)
		}
	}
	return nil
}

func (s *SpeculativeRun) checkGroups(contract *FamilyContract) error {
	if s.StateGroups == nil {
		return nil
	}
	groups := s.Groups()
	if err := contract.CheckGroups(groups); err != nil {
		return at("speculative.state_groups", err)
	}
	for i := range groups {
		if g := &groups[i]; g.Role != RoleTargetAux && !contract.hasRow(g.Row()) {
			return issue.New("state_group", "speculative.state_groups",
				"group %q: family %s has no %s with owner %s and lifetime %s", g.ID, s.Family, g.Role, g.Owner, g.Lifetime)
		}
	}
	return nil
}

func (s *SpeculativeRun) checkPaging() error {
	if s.PagedKV == nil {
		return nil
	}
	paged := *s.PagedKV
	paged.InitialTokenLength = s.InitialTokens
	err := paged.Validate()
	if e, ok := err.(*issue.Error); ok {
		if e.Path == "initialTokenLength" { // which stands beside the block
			return issue.New(e.Code, "speculative.initial_token_length", "%s", e.Message)
		}
		return issue.New(e.Code, "speculative.paged_kv."+snakeCase(e.Path), "%s", e.Message)
	}
	return err
}

// snakeCase spells a field of a trace as workload files do.
func snakeCase(field string) string {
	var b strings.Builder
	for _, c := range []byte(field) {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Validate checks a model for an additional width of n tokens (contract 04
// sections 4.1 and 13.3). Replay entries are checked when they are read.
func (a *Acceptance) Validate(n int64) error {
	switch a.Kind {
	case AcceptReplay:
		return nil
	case AcceptEmpirical, AcceptHeuristic:
	default:
		return issue.New("unknown_kind", "kind", "%q is no kind of acceptance; the kinds are replay, conditional_empirical, conditional_heuristic", a.Kind)
	}
	if !quantity.IsCount(a.Seed) {
		return issue.New("seed", "seed", "is %d, must be a non-negative safe integer", a.Seed)
	}
	if a.Buckets == nil {
		return checkProbabilities("match_probability_by_position", a.Probabilities, n)
	}
	return a.checkBuckets(n)
}

func (a *Acceptance) checkBuckets(n int64) error {
	switch {
	case a.Kind != AcceptEmpirical:
		return issue.New("context_buckets", "context_buckets", "only conditional_empirical has context_buckets")
	case a.Probabilities != nil:
		return issue.New("context_buckets", "context_buckets", "both context_buckets and match_probability_by_position are given")
	case len(a.Buckets) == 0:
		return issue.New("context_buckets", "context_buckets", "expected at least one bucket")
	case a.Buckets[0].MinContextTokens != 0:
		return issue.New("context_buckets", "context_buckets[0].min_context_tokens", "the first of the context_buckets must begin at 0, found %d", a.Buckets[0].MinContextTokens)
	}
	for i := range a.Buckets {
		b := &a.Buckets[i]
		if !quantity.IsCount(b.MinContextTokens) || i > 0 && b.MinContextTokens <= a.Buckets[i-1].MinContextTokens {
			return issue.New("context_buckets", "context_buckets", "bounds must be non-negative integers that increase; bound %d is %d", i, b.MinContextTokens)
		}
		if err := checkProbabilities("context_buckets.match_probability_by_position", b.Probabilities, n); err != nil {
			return err
		}
	}
	return nil
}

// checkProbabilities wants at least n probabilities, every one in [0, 1], used or
// not.
func checkProbabilities(path string, list []float64, n int64) error {
	if int64(len(list)) < n {
		return issue.New("probabilities_short", path, "found %d for %s, expected one for each", len(list), quantity.Counted(n, "additional token"))
	}
	for i, p := range list {
		if math.IsNaN(p) || p < 0 || p > 1 {
			return issue.New("probability", path, "probability %s of position %d is not in [0, 1]", canonical.Number(p), i)
		}
	}
	return nil
}

// at puts a place in front of an issue's path.
func at(place string, err error) error {
	if e, ok := err.(*issue.Error); ok {
		return issue.New(e.Code, joinPath(place, e.Path), "%s", e.Message)
	}
	return err
}

func joinPath(place, path string) string {
	if path == "" {
		return place
	}
	return place + "." + path
}
