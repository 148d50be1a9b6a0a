package serving

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Comparison is one configuration run on several scenarios, fastest first.
type Comparison struct {
	Entries           []ComparisonEntry
	Confidence        evidence.Class // the weakest of the runs
	Assumptions       []string
	ContractRevisions []Revision
}

// ComparisonEntry is the run on one scenario.
type ComparisonEntry struct {
	Rank              int64   // from 1
	RelativeToFastest float64 // total duration / the smallest total duration
	Run               *Run
}

// Compare runs a configuration on every scenario and ranks the runs by total
// duration, then scenario id (contract 05 section 7.2). Any failing run fails the
// comparison; an empty list and a repeated scenario id are errors.
func Compare(scenarios []*topology.Scenario, cfg workload.Serving, model *cost.Model, opts RunOptions) (*Comparison, error) {
	if len(scenarios) == 0 {
		return nil, issue.New("no_scenarios", "", "a comparison needs at least one scenario")
	}
	runs := make([]*Run, len(scenarios))
	for i, scn := range scenarios {
		for _, earlier := range scenarios[:i] {
			if earlier.ID() == scn.ID() {
				return nil, issue.New("duplicate_scenario", "", "scenario %q is listed twice", scn.ID())
			}
		}
		var err error
		if runs[i], err = Simulate(scn, cfg, model, opts); err != nil {
			return nil, fmt.Errorf("on scenario %s: %w", scn.ID(), err)
		}
	}
	return Rank(runs, model), nil
}

func comparisonAssumptions(c *Comparison, model *cost.Model) []string {
	return []string{
		"Costs: " + model.Source + ".",
		fmt.Sprintf("Timing is %s, the weakest class of all runs; a difference between machines is no more certain than that.", c.Confidence),
		"Every scenario runs the same requests, limits and KV pool; only the machine differs.",
		"Runs are ranked by the time from the first arrival to the last completion, equal ones by scenario id.",
		"Every run was replayed independently before it was ranked.",
	}
}
