package run

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Executed is a plan that was executed and whose trace the independent replay has
// confirmed. Where its durations come from is not known, so its timing is heuristic
// (contract 03 section 19, plan-run).
type Executed struct {
	Scenario   *topology.Scenario
	Plan       *plan.Plan
	Execution  *executor.Result
	Replay     *planreplay.Result
	Confidence evidence.Class
}

// ExecutePlan executes and replays a plan, with a fault or an injected end when the
// options hold one. A trace that the replay does not confirm is an error.
func ExecutePlan(s *topology.Scenario, f *plan.Frozen, o executor.Options) (*Executed, error) {
	done, err := executor.Run(f, o)
	if err != nil {
		return nil, err
	}
	replayed, err := planreplay.Check(s, f.Plan(), &done.Trace)
	if err != nil {
		return nil, fmt.Errorf("replay of plan %s: %w", f.Plan().ID, err)
	}
	return &Executed{Scenario: s, Plan: f.Plan(), Execution: done, Replay: replayed,
		Confidence: evidence.Timing(evidence.Weakest(evidence.Heuristic, s.PerformanceEvidence()))}, nil
}
