package serving

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
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
	c := &Comparison{Confidence: evidence.Exact}
	for i, scn := range scenarios {
		for _, earlier := range scenarios[:i] {
			if earlier.ID() == scn.ID() {
				return nil, issue.New("duplicate_scenario", "", "scenario %q is listed twice", scn.ID())
			}
		}
		run, err := Simulate(scn, cfg, model, opts)
		if err != nil {
			return nil, fmt.Errorf("on scenario %s: %w", scn.ID(), err)
		}
		c.Entries = append(c.Entries, ComparisonEntry{Run: run})
		c.Confidence = evidence.Weakest(c.Confidence, run.Confidence)
	}
	slices.SortStableFunc(c.Entries, func(a, b ComparisonEntry) int {
		if byTime := compare(a.Run.Topology.TotalDurationNs, b.Run.Topology.TotalDurationNs); byTime != 0 {
			return byTime
		}
		return quantity.CompareIDs(a.Run.Scenario.ID(), b.Run.Scenario.ID())
	})
	fastest := float64(c.Entries[0].Run.Topology.TotalDurationNs)
	for i := range c.Entries {
		e := &c.Entries[i]
		e.Rank = int64(i) + 1
		e.RelativeToFastest = float64(e.Run.Topology.TotalDurationNs) / fastest
	}
	c.ContractRevisions = c.Entries[0].Run.ContractRevisions
	c.Assumptions = comparisonAssumptions(c, model)
	return c, nil
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
