package simcore

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Speculative configures one speculative workload: a proposer family, how far it
// drafts, and where accepted lengths come from.
type Speculative = workload.SpeculativeRun

// SpeculativeRun is a finished, verified speculative workload.
type SpeculativeRun = speculative.Run

// Acceptance says where accepted lengths come from.
type Acceptance = workload.Acceptance

// SpeculativeExecution is a speculative workload on a machine.
type SpeculativeExecution struct {
	Workload    *SpeculativeRun
	Run         *Result          // the compiled, executed and replayed iterations
	Speculation *run.Speculation // where the time went, and what it gained
}

// AcceptanceLadder is an assumed acceptance: the first of n draft positions matches
// with chance p, and each further one with 0.78 times the chance of the one before,
// at least 0.05.
func AcceptanceLadder(p float64, n int64) Acceptance {
	return Acceptance{Kind: workload.AcceptHeuristic, Probabilities: workload.AcceptanceLadder(p, n), Seed: workload.DefaultAcceptanceSeed}
}

// Propose configures a family on a backend that offers all it needs: output tokens
// after a context, with up to width additional tokens a proposal.
func Propose(family string, context, output, width int64, a Acceptance) (Speculative, error) {
	contract, err := workload.ContractOf(workload.Family(family))
	if err != nil {
		return Speculative{}, err
	}
	return Speculative{Family: contract.Family, InitialTokens: context, OutputTokens: output, MaxAdditionalTokens: width,
		Eligibility: contract.DefaultEligibility(), Acceptance: a}, nil
}

// ProposeServing is Propose for the requests of a serving run.
func ProposeServing(family string, width int64, a Acceptance) (*ServingSpeculation, error) {
	contract, err := workload.ContractOf(workload.Family(family))
	if err != nil {
		return nil, err
	}
	return &ServingSpeculation{Family: contract.Family, MaxAdditionalTokens: width, Eligibility: contract.DefaultEligibility(), Acceptance: a}, nil
}

// Speculate runs a speculative workload: proposals, verification, acceptance and
// the transaction over all state, replayed independently.
func Speculate(cfg Speculative) (*SpeculativeRun, error) { return speculative.Simulate(cfg) }

// SpeculateOn runs a speculative workload on a machine, splits its time, and
// compares it with target-only decoding of as many tokens. A nil model is the
// default cost model.
func SpeculateOn(s *topology.Scenario, cfg Speculative, model *cost.Model) (*SpeculativeExecution, error) {
	work, err := Speculate(cfg)
	if err != nil {
		return nil, err
	}
	profile, err := work.Trace.Profile()
	if err != nil {
		return nil, err
	}
	e := &SpeculativeExecution{Workload: work}
	if e.Run, err = run.Execute(s, profile, modelOr(model)); err != nil {
		return nil, err
	}
	e.Speculation, err = run.MeasureSpeculation(e.Run, &work.Trace, modelOr(model))
	return e, err
}
