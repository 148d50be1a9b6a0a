package serving

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/workload"
)

// proposer is a run's speculation: the live one, the checker's own, and what its
// steps cost. The zero value is target-only decoding.
type proposer struct {
	live    Speculation
	checker servingreplay.Speculation
	cost    workload.Proposer
}

func newProposer(cfg *workload.ServingSpeculation, requests []workload.Request) (proposer, error) {
	if cfg == nil {
		return proposer{}, nil
	}
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		return proposer{}, err
	}
	live, err := speculative.NewServing(cfg, requests)
	if err != nil {
		return proposer{}, err
	}
	checker, err := speculativereplay.NewServing(cfg, requests)
	return proposer{live: live, checker: checker, cost: contract.Proposer()}, err
}

// howDecoded states how tokens are decoded.
func howDecoded(s *workload.ServingSpeculation) string {
	if s == nil {
		return "Decoding is target-only: each step yields one token per request."
	}
	support := ""
	if contract, err := workload.ContractOf(s.Family); err == nil && contract.Support == workload.SupportDesignOnly {
		support = " (design-only, no released runtime)"
	}
	return fmt.Sprintf("Decoding is speculative: proposer %s%s with at most %d additional tokens, accepted by %s; each request has an acceptance stream of its own, which neither timing nor other requests influence.",
		s.Family, support, s.MaxAdditionalTokens, s.Acceptance.Kind)
}

// Gain is what speculation bought: a run beside a target-only run of the same
// configuration (contract 08 section B10).
type Gain struct {
	BaselineTokensPerSecond         float64
	SpeculativeTokensPerSecond      float64
	Speedup                         float64 // 1 when the baseline is 0
	CommittedTokensPerTargetForward float64 // the ceiling: no run can beat it

	// Declared inputs, where the acceptance was declared as such.
	FirstPositionAcceptance    float64
	HasFirstPositionAcceptance bool
	AcceptanceDecay            float64
	HasAcceptanceDecay         bool
}

// NewGain compares a finished run with a target-only run of its configuration.
func NewGain(run, baseline *Run) *Gain {
	g := &Gain{
		BaselineTokensPerSecond: baseline.Metrics.ThroughputTokensPerSecond, SpeculativeTokensPerSecond: run.Metrics.ThroughputTokensPerSecond,
		Speedup: 1, CommittedTokensPerTargetForward: run.Metrics.CommittedTokensPerTargetForward,
	}
	if g.BaselineTokensPerSecond > 0 {
		g.Speedup = g.SpeculativeTokensPerSecond / g.BaselineTokensPerSecond
	}
	if s := run.Speculation; s != nil && len(s.Acceptance.Probabilities) > 0 {
		g.FirstPositionAcceptance, g.HasFirstPositionAcceptance = s.Acceptance.Probabilities[0], true
		if workload.IsAcceptanceLadder(s.Acceptance.Probabilities) {
			g.AcceptanceDecay, g.HasAcceptanceDecay = workload.AcceptanceDecay, true
		}
	}
	return g
}
