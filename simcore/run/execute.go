package run

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Result is a profile that ran on a scenario, with the whole trace. It is
// read-only.
type Result struct {
	Scenario    *topology.Scenario
	Profile     *workload.Profile
	Compiled    *compiler.Compiled
	Trace       *trace.Plan
	Confidence  evidence.Class
	Assumptions []string     // the first is the cost model's source
	Limitations []Limitation // of a model-bound run; nil otherwise
	Operations  OperationCounts
	Metrics     Metrics
}

// OperationCounts counts executed operations by kind and algorithm.
type OperationCounts struct {
	Compute, Transfer, Collective, AllReduce, AllToAll int64
}

// Confidence is the label of a run's timing: the weakest of the cost model and of
// every device, memory domain and link of the scenario, used or not; heuristic
// when a model is bound (contract 06 sections 12.3 and 14.2).
func Confidence(s *topology.Scenario, m *cost.Model, modelBound bool) evidence.Class {
	if modelBound {
		return evidence.Heuristic
	}
	return evidence.Timing(evidence.Weakest(m.Confidence, s.PerformanceEvidence()))
}

// Execute compiles, validates, executes and replays a profile. A trace that the
// independent replay does not confirm is an error.
func Execute(s *topology.Scenario, p *workload.Profile, m *cost.Model) (*Result, error) {
	compiled, err := compiler.Compile(s, p, m)
	if err != nil {
		return nil, err
	}
	frozen, err := plan.Validate(s, compiled.Plan)
	if err != nil {
		return nil, err
	}
	done, err := executor.Run(frozen, executor.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := planreplay.Check(s, compiled.Plan, &done.Trace); err != nil {
		return nil, fmt.Errorf("replay of plan %s: %w", compiled.Plan.ID, err)
	}
	r := &Result{
		Scenario:   s,
		Profile:    p,
		Compiled:   compiled,
		Trace:      &done.Trace,
		Confidence: Confidence(s, m, p.ModelWork != nil),
	}
	r.Assumptions = assumptions(r, m)
	r.Limitations = limitations(p)
	if err := r.evaluate(); err != nil {
		return nil, err
	}
	return r, nil
}
