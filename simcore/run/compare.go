package run

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Families are the scenarios that the compare command always takes, in the order
// in which they run (contract 06 section 15).
var Families = [...]string{"cpu-only", "single-gpu-cpu", "multi-gpu", "gpu-npu", "unified-memory", "multi-node"}

// Comparison ranks one workload over several scenarios.
type Comparison struct {
	ProfileID string // of the profile built for the first scenario
	Model     *cost.Model
	Entries   []ComparisonEntry // fastest first, then by scenario id
	Results   []*Result         // in the order of the entries
}

// ComparisonEntry is one scenario's place.
type ComparisonEntry struct {
	Rank              int64 // from 1
	ScenarioID        string
	DurationNs        int64
	TokensPerSecond   float64
	RelativeToFastest float64 // duration over the fastest duration; 1 when that is 0
	Confidence        evidence.Class
}

// Compare runs one workload on every scenario. The profile is built for each of
// them, since a scenario may shape it. Any failing scenario fails the whole, and
// the error names it.
func Compare(scenarios []*topology.Scenario, build func(*topology.Scenario) (*workload.Profile, error), m *cost.Model) (*Comparison, error) {
	if len(scenarios) == 0 {
		return nil, issue.New("empty_list", "", "a comparison needs at least one scenario")
	}
	c := &Comparison{Model: m}
	seen := make(map[string]bool, len(scenarios))
	for i, s := range scenarios {
		if seen[s.ID()] {
			return nil, issue.New("duplicate_value", "", "scenario %s is compared twice", s.ID())
		}
		seen[s.ID()] = true
		p, err := build(s)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.ID(), err)
		}
		if i == 0 {
			c.ProfileID = p.ID
		}
		r, err := Execute(s, p, m)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.ID(), err)
		}
		c.Results = append(c.Results, r)
	}
	c.rank()
	return c, nil
}

func (c *Comparison) rank() {
	slices.SortStableFunc(c.Results, func(a, b *Result) int {
		if a.Metrics.TotalDurationNs != b.Metrics.TotalDurationNs {
			if a.Metrics.TotalDurationNs < b.Metrics.TotalDurationNs {
				return -1
			}
			return 1
		}
		return quantity.CompareIDs(a.Scenario.ID(), b.Scenario.ID())
	})
	fastest := c.Results[0].Metrics.TotalDurationNs
	for i, r := range c.Results {
		relative := 1.0
		if fastest > 0 {
			relative = float64(r.Metrics.TotalDurationNs) / float64(fastest)
		}
		c.Entries = append(c.Entries, ComparisonEntry{
			Rank: int64(i + 1), ScenarioID: r.Scenario.ID(), DurationNs: r.Metrics.TotalDurationNs,
			TokensPerSecond: r.Metrics.TokensPerSecond, RelativeToFastest: relative, Confidence: r.Confidence,
		})
	}
}

// Confidence is the weakest label of the compared runs.
func (c *Comparison) Confidence() evidence.Class {
	worst := evidence.Exact
	for i := range c.Entries {
		worst = evidence.Weakest(worst, c.Entries[i].Confidence)
	}
	return worst
}

// WriteDocument writes the result of the compare command into the writer.
func (c *Comparison) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Head(jsondoc.Head{Command: "compare", ContractRevisions: Revisions(), Confidence: c.Confidence()})
	w.Key("profileId").Text(c.ProfileID)
	c.writeModel(w)
	w.Key("comparison").Array()
	for i := range c.Entries {
		e := &c.Entries[i]
		w.Element().Object()
		w.Key("rank").Int(e.Rank)
		w.Key("scenarioId").Text(e.ScenarioID)
		w.Key("durationNs").Int(e.DurationNs)
		w.Key("tokensPerSecond").Float(e.TokensPerSecond)
		w.Key("relativeToFastest").Float(e.RelativeToFastest)
		w.Key("confidence").Text(string(e.Confidence))
		w.End()
	}
	w.End()
	w.End()
}

func (c *Comparison) writeModel(w *jsondoc.Writer) {
	w.Key("costModel").Object()
	w.Key("revision").Int(c.Model.Revision)
	w.Key("confidence").Text(string(c.Model.Confidence))
	w.Key("source").Text(c.Model.Source)
	w.Key("transportCurveCount").Int(int64(len(c.Model.Curves)))
	if a := c.Model.Applicability; a != nil {
		w.Key("applicability")
		a.WriteDocument(w)
	}
	w.End()
}
