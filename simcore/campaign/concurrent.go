package campaign

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Concurrent is a seeded campaign of one plan under many identities.
type Concurrent struct {
	Scenario   *topology.Scenario
	Confidence evidence.Class // of the plan's durations: heuristic, unless the caller knows better
	Options    executor.CampaignOptions
	Requests   []plan.Request // by campaign index
	Run        *executor.ConcurrentResult
	Replay     *planreplay.ConcurrentResult
	Latency    Latency
}

// Latency sums up completion minus arrival over all executions, in ns.
type Latency struct {
	MinimumNs, P95Ns, MaximumNs int64
	AverageNs                   float64
}

// Assumptions is what a reader must know of the campaign's figures.
func (c *Concurrent) Assumptions() []string { return concurrentAssumptions }

// concurrentAssumptions is what a reader must know of a campaign's figures.
var concurrentAssumptions = []string{
	"All executions use the same physical allocations: reads share them, every write is serialized by leases; no execution has storage of its own.",
	"Lanes, links, network resources and communicators are those of the scenario and are contended by all executions.",
	"The campaign stresses scheduling, communicators and leases; it does not replace the serving simulation of requests and says nothing of request throughput.",
}

// RunConcurrent draws the campaign, executes it on one clock and replays the
// trace.
func RunConcurrent(scn *topology.Scenario, p *plan.Plan, o executor.CampaignOptions) (*Concurrent, error) {
	fabric := plan.Bind(scn)
	requests, err := draw(fabric, p, o)
	if err != nil {
		return nil, err
	}
	r, err := executor.RunConcurrent(fabric, requests)
	if err != nil {
		return nil, err
	}
	replayed, err := planreplay.New(scn.Spec()).CheckConcurrent(requests, &r.Trace)
	if err != nil {
		return nil, fmt.Errorf("campaign of seed %d: %w", o.Seed, err)
	}
	return &Concurrent{Scenario: scn, Confidence: evidence.Heuristic, Options: o, Requests: requests, Run: r, Replay: replayed, Latency: latency(r)}, nil
}

func draw(fabric *plan.Fabric, p *plan.Plan, o executor.CampaignOptions) ([]plan.Request, error) {
	f, err := fabric.Validate(p)
	if err != nil {
		return nil, err
	}
	requests, err := executor.Campaign(f, o)
	if err == nil {
		return requests, nil
	}
	var e *issue.Error
	if errors.As(err, &e) && e.Code == executor.CodeEventBudget {
		return nil, issue.New(e.Code, campaignBlock+".execution_count", "found %d, of %s each; execution.maxEvents of the scenario: %s",
			o.ExecutionCount, quantity.Counted(int64(f.Len()), "step"), e.Message)
	}
	return nil, within(campaignBlock, campaignKeys, err)
}

// latency takes the percentile by nearest rank, in the arithmetic of contract 03
// section 19.
func latency(r *executor.ConcurrentResult) Latency {
	n := len(r.Executions)
	list := make([]int64, n)
	sum := 0.0
	for k, e := range r.Executions {
		list[k] = e.CompletedAtNs - r.Trace.Admissions[k].ArrivalNs
	}
	slices.Sort(list)
	for _, v := range list {
		sum += float64(v)
	}
	at := min(n-1, max(0, int(math.Ceil(0.95*float64(n)))-1))
	return Latency{MinimumNs: list[0], AverageNs: sum / float64(n), P95Ns: list[at], MaximumNs: list[n-1]}
}

const (
	admissionsPreview = 16
	terminalsPreview  = 8
)

// WriteDocument writes the result of the concurrent-campaign command.
func (c *Concurrent) WriteDocument(w *jsondoc.Writer, head jsondoc.Head) {
	w.Object()
	w.Head(head)
	writeOptions(w, c.Options)
	w.Key("assumptions").Texts(concurrentAssumptions)
	w.Key("completedAtNs").Int(c.Run.CompletedAtNs)
	w.Key("executionCount").Int(int64(len(c.Run.Executions)))
	w.Key("maximumConcurrentExecutions").Int(c.Run.MaximumConcurrentExecutions)
	w.Key("submittedOperations").Int(int64(len(c.Run.Trace.Operations)))
	w.Key("replayAppliedEvents").Int(c.Replay.AppliedEvents)
	w.Key("replayExecutions").Int(int64(len(c.Replay.Executions)))
	w.Key("latencyNs").Object()
	w.Key("minimum").Int(c.Latency.MinimumNs)
	w.Key("average").Float(c.Latency.AverageNs)
	w.Key("p95").Int(c.Latency.P95Ns)
	w.Key("maximum").Int(c.Latency.MaximumNs)
	w.End()
	w.Key("admissionsPreview").Array()
	for i := range c.Run.Trace.Admissions[:min(admissionsPreview, len(c.Run.Trace.Admissions))] {
		w.Element()
		c.Run.Trace.Admissions[i].Encode(w)
	}
	w.End()
	w.End()
}

func writeOptions(w *jsondoc.Writer, o executor.CampaignOptions) {
	w.Key("options").Object()
	w.Key("executionCount").Int(o.ExecutionCount)
	w.Key("seed").Int(o.Seed)
	w.Key("arrivalWindowNs").Int(o.ArrivalWindowNs)
	w.End()
}
