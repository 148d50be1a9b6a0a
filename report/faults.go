package report

import (
	"fmt"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// faultLimits is what no fault of a plan models.
var faultLimits = []string{
	"A fault is an instant: detection, retries and partial slowdowns are not modeled.",
}

// FaultCampaign makes the page of a fault campaign: every case against the run
// without a fault, then the machine and its use (contract 09, views V0, V15, V1 and
// V8).
func FaultCampaign(f *campaign.Faults, meta Meta) ([]byte, error) {
	if f == nil || f.Trace == nil {
		return nil, ErrNoExecution
	}
	return faultCampaignStory(f, meta).write()
}

func faultCampaignStory(f *campaign.Faults, meta Meta) *planStory {
	src := figure.Source{Run: f.Scenario.ID(), Confidence: f.Confidence}
	timeline := figure.PlanOf(src, f.Scenario, f.Plan, f.Trace)
	use := figure.PlanUse(timeline, f.Scenario, f.Baseline.CompletedAtNs)
	cases := figure.Faults(f)
	s := &planStory{
		meta: meta, command: "fault-campaign", mode: "one fault at a time", machines: []*topology.Scenario{f.Scenario}, confidence: f.Confidence,
		applied: faultEvents(f), revisions: run.Revisions(), timeline: timeline, limits: faultLimits,
		verdict: fmt.Sprintf("One fault fails or aborts this plan in each of %s; without a fault it completes in a modeled %s.",
			unit.Plural(int64(len(f.Cases)), "case"), dur(f.Baseline.CompletedAtNs)),
		assume: []string{
			"Each fault falls in the middle of the first operation that occupies the failed item.",
			"Work that was submitted before the fault runs out; nothing is submitted after it.",
		},
		summary: canonical.Object{{Key: "baselineCompletedAtNs", Value: f.Baseline.CompletedAtNs}, {Key: "cases", Value: int64(len(f.Cases))}},
	}
	if len(f.Cases) == 0 {
		s.verdict = fmt.Sprintf("No fault fits this plan; it completes in a modeled %s.", dur(f.Baseline.CompletedAtNs))
	}
	s.cards = append(faultCards(f), busiestCard(use)...)
	s.sections = append(s.sections, planSection{id: "cases", question: "What does each fault cut?", answer: cases.Text().Alt, figures: []figure.Figure{cases}})
	s.ranks(figure.RanksOf(src, f.Scenario, &f.Trace.Terminal), "When is each rank done without a fault?")
	s.machine()
	s.use(use)
	return s
}

func faultEvents(f *campaign.Faults) int64 {
	n := f.Baseline.AppliedEvents
	for i := range f.Cases {
		n += f.Cases[i].AppliedEvents
	}
	return n
}

// faultCards sum up the cases: how many, the slowest to quiesce, the ranks lost.
func faultCards(f *campaign.Faults) []card {
	cards := []card{
		{"Faults", unit.Count(int64(len(f.Cases))), "", "every node, device and link in use, and a change of epoch"},
		{"Without a fault, modeled", dur(f.Baseline.CompletedAtNs), "", unit.Plural(f.Baseline.SubmittedSteps, "operation")},
	}
	if len(f.Cases) == 0 {
		return cards
	}
	slowest, most := &f.Cases[0], &f.Cases[0]
	failed := 0
	for i := range f.Cases {
		c := &f.Cases[i]
		if c.CompletedAtNs-c.Fault.AtNs > slowest.CompletedAtNs-slowest.Fault.AtNs {
			slowest = c
		}
		if len(c.UnsubmittedStepIDs) > len(most.UnsubmittedStepIDs) {
			most = c
		}
		if c.Status == trace.Failed {
			failed++
		}
	}
	return append(cards,
		card{"Longest quiescence, modeled", dur(slowest.CompletedAtNs - slowest.Fault.AtNs), "", slowest.ID},
		card{"Most steps dropped", unit.Count(int64(len(most.UnsubmittedStepIDs))), "", fmt.Sprintf("by %s, of %s", most.ID, unit.Plural(int64(len(f.Plan.Steps)), "step"))},
		card{"Outcomes", unit.Count(int64(failed)), "failed", fmt.Sprintf("%d aborted", len(f.Cases)-failed)})
}

// NodeFailure makes the page of a campaign that the failure of a node ends (contract
// 09, views V0, V15, V1 and V8).
func NodeFailure(n *campaign.NodeFailure, meta Meta) ([]byte, error) {
	if n == nil || n.Run == nil {
		return nil, ErrNoExecution
	}
	return nodeFailureStory(n, meta).write()
}

func nodeFailureStory(n *campaign.NodeFailure, meta Meta) *planStory {
	timeline := figure.NodeFailurePlans(n)
	use := figure.PlanUse(timeline, n.Scenario, n.Run.CompletedAtNs)
	ranks := figure.NodeFailureRanks(n)
	truncated, dropped := lost(timeline)
	meta.Seed, meta.HasSeed = n.Options.Seed, true
	s := &planStory{
		meta: meta, command: "concurrent-node-failure", mode: unit.Plural(int64(len(n.Run.Executions)), "execution"),
		machines: []*topology.Scenario{n.Scenario}, confidence: n.Confidence, applied: n.Replay.AppliedEvents,
		revisions: append(run.Revisions(), jsondoc.Revision{Name: "concurrentTrace", Revision: trace.ConcurrentRevision}),
		timeline:  timeline, assume: n.Assumptions(), limits: append([]string{"Dropped operations have no times in this result: the schedule without the fault is not part of it."}, faultLimits...),
		verdict: fmt.Sprintf("Node %s fails at %s; the old epoch is quiet at a modeled %s, %s after the fault.", n.Fault.NodeID, dur(n.Fault.AtNs),
			dur(n.Run.CompletedAtNs), dur(n.Run.CompletedAtNs-n.Fault.AtNs)),
		summary: canonical.Object{{Key: "completedAtNs", Value: n.Run.CompletedAtNs}, {Key: "submittedOperations", Value: int64(len(n.Run.Trace.Operations))}},
	}
	var states [][]trace.RankState
	for i := range n.Run.Trace.Terminals {
		states = append(states, n.Run.Trace.Terminals[i].RankStates)
	}
	s.cards = append([]card{
		{"Failed node", n.Fault.NodeID, "", "at " + dur(n.Fault.AtNs)},
		{"Quiescence, modeled", dur(n.Run.CompletedAtNs), "", endedBy(n.Run.CompletedAtNs, ranks)},
		{"Operations retained", unit.Count(int64(len(n.Run.Trace.Operations))), "", unit.Count(truncated) + " of them truncated"},
		{"Steps dropped", unit.Count(dropped), "", "never submitted, or queued on the failed node"},
		{"Ranks", unit.Count(int64(len(ranks.Rows))), "", stateCounts(states...)},
		{"Most executions at once", unit.Count(n.Run.MaximumConcurrentExecutions), "", "of " + unit.Count(int64(len(n.Run.Executions)))},
	}, busiestCard(use)...)
	s.ranks(ranks, "What became of the ranks?")
	s.times("What did the fault cut?", figure.ByExecution)
	plans := make(map[string]*plan.Plan, len(n.Requests))
	for i := range n.Requests {
		plans[n.Requests[i].Plan.ExecutionID] = n.Requests[i].Plan
	}
	s.ready(plans)
	s.machine()
	s.use(use)
	return s
}

// endedBy says what ended the quiescence, in a card's words.
func endedBy(quietNs int64, r figure.RankBars) string {
	if r.DeadlineNs > 0 && quietNs >= r.DeadlineNs {
		if r.DrainedNs > r.DeadlineNs {
			return "ended by the deadline; draining would have taken until " + dur(r.DrainedNs)
		}
		return "ended by the deadline"
	}
	return "ended by the surviving work"
}

func lost(f figure.PlanTimeline) (truncated, dropped int64) {
	for i := range f.Operations {
		if f.Operations[i].Outcome == figure.Truncated {
			truncated++
		}
	}
	for i := range f.Executions {
		dropped += f.Executions[i].Unsubmitted
	}
	return truncated, dropped
}

// Failover makes the page of a failover: both epochs on one clock, then the machines
// and the use of the failed one (contract 09, views V0, V15, V1 and V8).
func Failover(f *campaign.Failover, meta Meta) ([]byte, error) {
	if f == nil || f.Run == nil {
		return nil, ErrNoExecution
	}
	return failoverStory(f, meta).write()
}

func failoverStory(f *campaign.Failover, meta Meta) *planStory {
	q, t := &f.Request, &f.Run.Trace
	timeline := figure.FailoverPlans(f)
	h := &t.Handoff
	ranks := figure.FailoverRanks(f)
	s := &planStory{
		meta: meta, command: "node-failover", mode: "two topology epochs", machines: []*topology.Scenario{q.FailedScenario, q.RecoveryScenario},
		confidence: f.Confidence, applied: f.Replay.Failed.AppliedEvents + f.Replay.Recovery.AppliedEvents, timeline: timeline, limits: faultLimits,
		revisions: append(run.Revisions(), jsondoc.Revision{Name: "nodeRecovery", Revision: trace.RecoveryRevision}),
		assume: []string{"The recovery is a plan of its own: nothing of the old execution is edited or resumed.",
			"The recovery is admitted at the instant at which the old epoch is quiet; replanning takes no time."},
		verdict: fmt.Sprintf("Node %s fails at %s, the old epoch is quiet at %s, and the recovery completes at a modeled %s.", h.FailedNodeID,
			dur(h.FaultAtNs), dur(h.OldExecutionQuiescedAtNs), dur(t.CompletedAtNs)),
		summary: canonical.Object{{Key: "completedAtNs", Value: t.CompletedAtNs}, {Key: "faultAtNs", Value: h.FaultAtNs},
			{Key: "recoveryAdmittedAtNs", Value: h.RecoveryAdmittedAtNs}},
	}
	truncated, dropped := lost(timeline)
	s.cards = []card{
		{"Failed node", h.FailedNodeID, "", "at " + dur(h.FaultAtNs)},
		{"Old epoch quiet, modeled", dur(h.OldExecutionQuiescedAtNs), "", endedBy(h.OldExecutionQuiescedAtNs, ranks)},
		{"Recovery, modeled", dur(t.CompletedAtNs - h.RecoveryAdmittedAtNs), "", "admitted at " + dur(h.RecoveryAdmittedAtNs)},
		{"Completed, modeled", dur(t.CompletedAtNs), "", fmt.Sprintf("epoch %d to %d", h.OldTopologyEpoch, h.NewTopologyEpoch)},
		{"Operations retained", unit.Count(int64(len(t.Failed.Operations))), "", fmt.Sprintf("%s truncated, %s dropped", unit.Count(truncated), unit.Plural(dropped, "step"))},
		{"Ranks of the old epoch", unit.Count(int64(len(t.Failed.Terminal.RankStates))), "", stateCounts(t.Failed.Terminal.RankStates)},
	}
	s.ranks(ranks, "What became of the ranks?")
	s.times("How does the new epoch follow the old one?", figure.ByExecution)
	s.ready(map[string]*plan.Plan{q.FailedPlan.ExecutionID: q.FailedPlan})
	s.machine()
	src := figure.Source{Run: q.FailedScenario.ID(), Confidence: f.Confidence}
	old := figure.PlanOf(src, q.FailedScenario, q.FailedPlan, &t.Failed)
	s.use(figure.PlanUse(old, q.FailedScenario, h.OldExecutionQuiescedAtNs))
	return s
}

// ConcurrentCampaign makes the page of many executions on one clock (contract 09,
// views V0, V7 and V8).
func ConcurrentCampaign(c *campaign.Concurrent, meta Meta) ([]byte, error) {
	if c == nil || c.Run == nil {
		return nil, ErrNoExecution
	}
	return concurrentCampaignStory(c, meta).write()
}

func concurrentCampaignStory(c *campaign.Concurrent, meta Meta) *planStory {
	timeline := figure.ConcurrentCampaign(c)
	use := figure.PlanUse(timeline, c.Scenario, c.Run.CompletedAtNs)
	meta.Seed, meta.HasSeed = c.Options.Seed, true
	n := int64(len(c.Run.Executions))
	s := &planStory{
		meta: meta, command: "concurrent-campaign", mode: unit.Plural(n, "execution"), machines: []*topology.Scenario{c.Scenario}, confidence: c.Confidence,
		applied: c.Replay.AppliedEvents, timeline: timeline, assume: c.Assumptions(),
		revisions: append(run.Revisions(), jsondoc.Revision{Name: "concurrentTrace", Revision: trace.ConcurrentRevision}),
		limits:    []string{"A campaign is a stress test of the protocol on shared buffers, not a model of request throughput."},
		verdict: fmt.Sprintf("%s of one plan complete within a modeled %s; 95 %% of them take at most %s.", unit.Plural(n, "execution"),
			dur(c.Run.CompletedAtNs), dur(c.Latency.P95Ns)),
		summary: canonical.Object{{Key: "completedAtNs", Value: c.Run.CompletedAtNs}, {Key: "executionCount", Value: n},
			{Key: "submittedOperations", Value: int64(len(c.Run.Trace.Operations))}},
	}
	s.cards = append([]card{
		{"Modeled duration", dur(c.Run.CompletedAtNs), "", "first arrival to last completion"},
		{"Modeled latency, p95", dur(c.Latency.P95Ns), "", fmt.Sprintf("least %s, mean %s, most %s", dur(c.Latency.MinimumNs), unit.Duration(c.Latency.AverageNs), dur(c.Latency.MaximumNs))},
		{"Most executions at once", unit.Count(c.Run.MaximumConcurrentExecutions), "", "of " + unit.Count(n)},
		kindCard(timeline.Operations, "Operations"),
	}, busiestCard(use)...)
	s.times("How do the executions share the machine?", figure.ByExecution, figure.ByResource)
	s.use(use)
	latency := figure.CampaignLatency(c)
	s.sections = append(s.sections, planSection{id: "latency", question: "How long does an execution take?", answer: latency.Text().Alt, figures: []figure.Figure{latency}})
	return s
}
