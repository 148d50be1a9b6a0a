package report

import (
	"fmt"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Run makes the page of a workload that was compiled, executed and replayed on one
// machine (contract 09, views V0, V1, V2, V7, V8, V4 and V3 in this order).
func Run(r *run.Result, meta Meta) ([]byte, error) {
	if r == nil || r.Trace == nil || len(r.Trace.Operations) == 0 {
		return nil, ErrNoExecution
	}
	return runStory(r, meta).write()
}

func runStory(r *run.Result, meta Meta) *planStory {
	if r.Profile.ModelWork != nil && meta.ModelName == "" {
		meta.ModelName = r.Profile.ModelWork.ModelName
	}
	m := &r.Metrics
	timeline := figure.RunPlan(r)
	use := figure.PlanUse(timeline, r.Scenario, m.TotalDurationNs)
	s := &planStory{
		meta: meta, command: "run", mode: r.Profile.ID, machines: []*topology.Scenario{r.Scenario}, confidence: r.Confidence,
		verdict: runVerdict(r), applied: int64(len(r.Trace.Operations)) + 1, revisions: run.Revisions(), timeline: timeline,
		assume: r.Assumptions, summary: runSummary(r),
	}
	for _, l := range r.Limitations {
		s.limits = append(s.limits, l.Text)
	}
	s.cards = append([]card{
		{"Modeled duration", dur(m.TotalDurationNs), "", fmt.Sprintf("foreground %s, background drain %s", dur(m.ForegroundDurationNs), dur(m.BackgroundDrainNs))},
		{"Predicted throughput", unit.Number(m.TokensPerSecond), "tokens/s", unit.Plural(m.CommittedTokens, "committed token")},
		kindCard(timeline.Operations, "Steps executed"),
		serviceCard(m),
	}, busiestCard(use)...)
	s.machine()
	s.links(figure.PlanFlow(timeline, r.Scenario, m.TotalDurationNs))
	s.times("What ran when, and what decided the end?", figure.ByRank, figure.ByResource)
	s.use(use)
	s.capacity()
	s.sections = append(s.sections, planSection{id: "roofline", question: "Is it bound by compute or by bandwidth?", note: rooflineNote(meta.ModelName)})
	return s
}

func runVerdict(r *run.Result) string {
	m := &r.Metrics
	v := fmt.Sprintf("%s committed in a modeled %s, %s tokens/s.", unit.Plural(m.CommittedTokens, "token"), dur(m.TotalDurationNs), unit.Number(m.TokensPerSecond))
	if m.BackgroundDrainNs > 0 {
		v += fmt.Sprintf(" The foreground ends at %s; background copies last %s longer.", dur(m.ForegroundDurationNs), dur(m.BackgroundDrainNs))
	}
	return v
}

// serviceCard splits the service time of all operations by kind.
func serviceCard(m *run.Metrics) card {
	return card{"Modeled service time", dur(m.ComputeServiceNs + m.TransferServiceNs + m.CollectiveServiceNs), "",
		fmt.Sprintf("compute %s, transfers %s, collectives %s; overlaps count each", dur(m.ComputeServiceNs), dur(m.TransferServiceNs), dur(m.CollectiveServiceNs))}
}

func runSummary(r *run.Result) canonical.Object {
	m := &r.Metrics
	return canonical.Object{
		{Key: "scenarioId", Value: r.Scenario.ID()}, {Key: "profileId", Value: r.Profile.ID}, {Key: "confidence", Value: string(r.Confidence)},
		{Key: "planSteps", Value: int64(len(r.Compiled.Plan.Steps))},
		{Key: "totalDurationNs", Value: m.TotalDurationNs}, {Key: "foregroundDurationNs", Value: m.ForegroundDurationNs},
		{Key: "backgroundDrainNs", Value: m.BackgroundDrainNs}, {Key: "committedTokens", Value: m.CommittedTokens},
		{Key: "tokensPerSecond", Value: m.TokensPerSecond}, {Key: "computeServiceNs", Value: m.ComputeServiceNs},
		{Key: "transferServiceNs", Value: m.TransferServiceNs}, {Key: "collectiveServiceNs", Value: m.CollectiveServiceNs},
	}
}

// PlanRun makes the page of one executed plan (contract 09, views V0, V1, V2, V7, V8
// and V4); after a fault also V15.
func PlanRun(x *run.Executed, meta Meta) ([]byte, error) {
	if x == nil || x.Execution == nil {
		return nil, ErrNoExecution
	}
	return planRunStory(x, meta).write()
}

func planRunStory(x *run.Executed, meta Meta) *planStory {
	end := &x.Execution.Trace.Terminal
	src := figure.Source{Run: x.Scenario.ID(), Confidence: x.Confidence}
	timeline := figure.PlanOf(src, x.Scenario, x.Plan, &x.Execution.Trace)
	use := figure.PlanUse(timeline, x.Scenario, end.TimestampNs)
	s := &planStory{
		meta: meta, command: "plan-run", mode: x.Plan.ID, machines: []*topology.Scenario{x.Scenario}, confidence: x.Confidence,
		verdict: planVerdict(x), applied: x.Replay.AppliedEvents, revisions: experiment.PlanRevisions(), timeline: timeline,
		summary: canonical.Object{{Key: "scenarioId", Value: x.Scenario.ID()}, {Key: "planId", Value: x.Plan.ID}, {Key: "status", Value: string(end.Status)},
			{Key: "completedAtNs", Value: end.TimestampNs}, {Key: "submittedOperations", Value: int64(len(timeline.Operations))},
			{Key: "replayAppliedEvents", Value: x.Replay.AppliedEvents}},
		limits: []string{"An artifact does not say which unit of work a step belongs to: the whole plan counts as foreground."},
	}
	s.cards = append([]card{
		{"Modeled duration", dur(end.TimestampNs), "", fmt.Sprintf("status %s", end.Status)},
		kindCard(timeline.Operations, "Steps executed"),
		{"Ranks", unit.Count(int64(len(end.RankStates))), "", stateCounts(end.RankStates)},
		{"Critical path", unit.Count(criticalSteps(timeline)), "steps", "the chain that decides the end"},
	}, busiestCard(use)...)
	if end.Status != trace.Succeeded {
		s.ranks(figure.RanksOf(src, x.Scenario, end), "What became of the ranks?")
		s.ready(map[string]*plan.Plan{x.Plan.ExecutionID: x.Plan})
	}
	s.machine()
	s.links(figure.PlanFlow(timeline, x.Scenario, end.TimestampNs))
	s.times("What ran when, and what decided the end?", figure.ByRank, figure.ByResource)
	s.use(use)
	s.capacity()
	return s
}

func planVerdict(x *run.Executed) string {
	end := &x.Execution.Trace.Terminal
	if end.Status == trace.Succeeded {
		return fmt.Sprintf("All %s complete in a modeled %s.", unit.Plural(int64(len(x.Plan.Steps)), "step"), dur(end.TimestampNs))
	}
	return fmt.Sprintf("The execution %s at %s and is quiet at %s; %s of %s never submitted.", end.Status, dur(end.FailureAtNs), dur(end.TimestampNs),
		unit.Count(int64(len(end.UnsubmittedStepIDs))), unit.Plural(int64(len(x.Plan.Steps)), "step"))
}

func criticalSteps(f figure.PlanTimeline) (n int64) {
	for i := range f.Operations {
		if f.Operations[i].Critical {
			n++
		}
	}
	return n
}
