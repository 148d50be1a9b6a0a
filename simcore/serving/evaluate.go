package serving

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Evaluate reads the outcome of every request, in arrival order, the times of all
// tokens, and the scheduler's metrics from a finished trace of this configuration
// (contract 05 section 4.9). It is for runs whose batches are timed elsewhere.
func (s *Scheduler) Evaluate(tr *trace.Serving) ([]RequestResult, []int64, Metrics, error) {
	results, times := s.requestResults(tr)
	m, err := s.metrics(tr, results, times)
	return results, times, m, err
}

// Rank orders finished runs of one configuration by total duration, then scenario
// id (contract 05 section 7.2). At least one run is needed.
func Rank(runs []*Run, model *cost.Model) *Comparison {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *Run) int {
		if byTime := compare(a.Topology.TotalDurationNs, b.Topology.TotalDurationNs); byTime != 0 {
			return byTime
		}
		return quantity.CompareIDs(a.Scenario.ID(), b.Scenario.ID())
	})
	c := &Comparison{Confidence: runs[0].Confidence, ContractRevisions: runs[0].ContractRevisions}
	fastest := float64(runs[0].Topology.TotalDurationNs)
	for i, run := range runs {
		c.Entries = append(c.Entries, ComparisonEntry{
			Rank: int64(i) + 1, RelativeToFastest: float64(run.Topology.TotalDurationNs) / fastest, Run: run,
		})
		c.Confidence = evidence.Weakest(c.Confidence, run.Confidence)
	}
	c.Assumptions = comparisonAssumptions(c, model)
	return c
}
