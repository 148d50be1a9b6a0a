package figure

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// PlanOf shows the execution of one plan.
func PlanOf(src Source, scn *topology.Scenario, p *plan.Plan, t *trace.Plan) PlanTimeline {
	f := PlanTimeline{Source: src, EndNs: t.Terminal.TimestampNs}
	f.addExecution(p, 0, &t.Terminal)
	steps := stepsOf(p)
	for i := range t.Operations {
		f.add(0, steps[t.Operations[i].StepID], &t.Operations[i], 0)
	}
	f.Ranks = ranksOf(scn, f.Operations)
	f.truncate(scn, t.Terminal.Fault)
	if t.Terminal.Status == trace.Succeeded {
		f.markCritical(f.lastToFinish())
	}
	return f
}

// RunPlan shows the execution of a run; its critical path ends with the foreground.
func RunPlan(r *run.Result) PlanTimeline {
	f := PlanOf(Source{Run: r.Scenario.ID(), Confidence: r.Confidence}, r.Scenario, r.Compiled.Plan, r.Trace)
	f.ForegroundNs = r.Metrics.ForegroundDurationNs
	for i := range f.Operations {
		f.Operations[i].Critical = false
	}
	for i := range f.Operations {
		if f.Operations[i].StepID == r.Compiled.ForegroundStepID {
			f.markCritical(i)
		}
	}
	return f
}

// ConcurrentPlans shows many executions on one clock, grouped by execution.
func ConcurrentPlans(src Source, scn *topology.Scenario, requests []plan.Request, t *trace.Concurrent) PlanTimeline {
	f := PlanTimeline{Source: src, Arrange: ByExecution}
	plans := make(map[string]*plan.Plan, len(requests))
	for i := range requests {
		plans[requests[i].Plan.ExecutionID] = requests[i].Plan
	}
	ends := make(map[string]*trace.Terminal, len(t.Terminals))
	for i := range t.Terminals {
		ends[t.Terminals[i].ExecutionID] = &t.Terminals[i]
		f.EndNs = max(f.EndNs, t.Terminals[i].TimestampNs)
	}
	place := make(map[string]int, len(t.Admissions))
	shared := make(map[*plan.Step]map[int64]*plan.Step) // plans of a campaign have one list of steps
	steps := make([]map[int64]*plan.Step, len(t.Admissions))
	for i := range t.Admissions {
		a := &t.Admissions[i]
		p := plans[a.ExecutionID]
		place[a.ExecutionID] = i
		f.addExecution(p, a.ArrivalNs, ends[a.ExecutionID])
		first := &p.Steps[0]
		if shared[first] == nil {
			shared[first] = stepsOf(p)
		}
		steps[i] = shared[first]
	}
	f.Operations = make([]PlanOperation, 0, len(t.Operations))
	for i := range t.Operations {
		e := &t.Operations[i].Event
		at := place[e.ExecutionID]
		f.add(at, steps[at][e.StepID], e, 0)
	}
	f.Ranks = ranksOf(scn, f.Operations)
	if len(t.Terminals) > 0 {
		f.truncate(scn, t.Terminals[0].Fault)
	}
	if len(f.Faults) == 0 {
		f.markCritical(f.lastToFinish())
	}
	return f
}

// ConcurrentCampaign shows the executions of a seeded campaign.
func ConcurrentCampaign(c *campaign.Concurrent) PlanTimeline {
	return ConcurrentPlans(Source{c.Scenario.ID(), c.Confidence}, c.Scenario, c.Requests, &c.Run.Trace)
}

// NodeFailurePlans shows the executions of a campaign that a node's failure ends.
func NodeFailurePlans(n *campaign.NodeFailure) PlanTimeline {
	return ConcurrentPlans(Source{n.Scenario.ID(), n.Confidence}, n.Scenario, n.Requests, &n.Run.Trace)
}

// FailoverPlans shows both epochs of a failover on one clock, grouped by execution.
func FailoverPlans(f *campaign.Failover) PlanTimeline {
	q, t := &f.Request, &f.Run.Trace
	src := Source{q.FailedScenario.ID() + " to " + q.RecoveryScenario.ID(), f.Confidence}
	v := PlanOf(src, q.FailedScenario, q.FailedPlan, &t.Failed)
	v.Arrange = ByExecution
	admitted := t.Handoff.RecoveryAdmittedAtNs
	v.addExecution(q.RecoveryPlan, admitted, &t.Recovery.Terminal)
	v.Executions[1].TerminalNs += admitted
	steps := stepsOf(q.RecoveryPlan)
	for i := range t.Recovery.Operations {
		v.add(1, steps[t.Recovery.Operations[i].StepID], &t.Recovery.Operations[i], admitted)
	}
	v.Ranks = ranksOf(q.FailedScenario, v.Operations)
	v.EndNs = t.CompletedAtNs
	v.Faults = append(v.Faults, PlanFault{admitted, "recovery admitted"})
	return v
}

// Against adds, as dropped, the operations of an execution without the fault that
// the fault kept from being submitted: where they would have stood.
func (f PlanTimeline) Against(p *plan.Plan, baseline *trace.Plan) PlanTimeline {
	had := make(map[int64]bool, len(f.Operations))
	for i := range f.Operations {
		had[f.Operations[i].StepID] = true
	}
	steps := stepsOf(p)
	f.Operations = slices.Clone(f.Operations)
	for i := range baseline.Operations {
		o := &baseline.Operations[i]
		if had[o.StepID] {
			continue
		}
		f.add(0, steps[o.StepID], o, 0)
		f.Operations[len(f.Operations)-1].Outcome = Dropped
		f.EndNs = max(f.EndNs, o.FinishNs)
	}
	return f
}

func stepsOf(p *plan.Plan) map[int64]*plan.Step {
	steps := make(map[int64]*plan.Step, len(p.Steps))
	for i := range p.Steps {
		steps[p.Steps[i].ID] = &p.Steps[i]
	}
	return steps
}

func (f *PlanTimeline) addExecution(p *plan.Plan, arrivalNs int64, end *trace.Terminal) {
	e := PlanExecution{ID: p.ExecutionID, ArrivalNs: arrivalNs}
	if end != nil {
		e.TerminalNs, e.Status, e.Unsubmitted = end.TimestampNs, end.Status, int64(len(end.UnsubmittedStepIDs))
		f.addFault(end)
	}
	f.Executions = append(f.Executions, e)
}

// addFault marks the fault of a terminal, once, and the deadline that ended it.
func (f *PlanTimeline) addFault(end *trace.Terminal) {
	if end.Status == trace.Succeeded {
		return
	}
	name := end.Reason
	if end.Fault != nil {
		name = FaultName(end.Fault)
	}
	for _, known := range f.Faults {
		if known.AtNs == end.FailureAtNs && known.Name == name {
			return
		}
	}
	f.Faults = append(f.Faults, PlanFault{end.FailureAtNs, name})
}

// FaultName is a fault in a few words.
func FaultName(f *trace.Fault) string {
	switch f.Kind {
	case trace.NodeFailure:
		return "node " + f.NodeID + " fails"
	case trace.DeviceFailure:
		return "device " + f.DeviceID + " fails"
	case trace.LinkFailure:
		return "link " + f.LinkID + " fails"
	}
	return "epoch changes to " + strconv.FormatInt(f.NextTopologyEpoch, 10)
}

// add appends an operation; shift moves it on the clock.
func (f *PlanTimeline) add(execution int, step *plan.Step, o *trace.Operation, shift int64) {
	var dependencies []int64
	if step != nil {
		dependencies = step.Dependencies
	}
	f.Operations = append(f.Operations, PlanOperation{
		Execution: execution, StepID: o.StepID, Kind: o.Kind, Algorithm: o.CollectiveAlgorithm, Group: o.GroupID, Sequence: o.CommSequenceID,
		SubmittedNs: o.SubmittedAtNs + shift, StartNs: o.StartNs + shift, FinishNs: o.FinishNs + shift,
		Resources: o.Resources, Ranks: o.Participants, Dependencies: dependencies, Reads: o.Reads, Writes: o.Writes,
	})
	f.EndNs = max(f.EndNs, o.FinishNs+shift)
}

// ranksOf lists the ranks of operations, communicators with the most ranks first in
// their own order, the others by id.
func ranksOf(scn *topology.Scenario, operations []PlanOperation) []PlanRank {
	taking := make(map[string]bool)
	for i := range operations {
		for _, r := range operations[i].Ranks {
			taking[r] = true
		}
	}
	spec := scn.Spec()
	groups := make([]int, len(spec.Groups))
	for i := range groups {
		groups[i] = i
	}
	slices.SortStableFunc(groups, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(spec.Groups[b].OrderedRanks), len(spec.Groups[a].OrderedRanks)),
			quantity.CompareIDs(spec.Groups[a].ID, spec.Groups[b].ID))
	})
	var list []PlanRank
	for _, g := range groups {
		for _, r := range spec.Groups[g].OrderedRanks {
			if taking[r.RankID] {
				delete(taking, r.RankID)
				list = append(list, PlanRank{ID: r.RankID, Device: r.DeviceID, Node: nodeOf(scn, r.DeviceID)})
			}
		}
	}
	rest := make([]string, 0, len(taking))
	for id := range taking {
		rest = append(rest, id)
	}
	quantity.SortIDs(rest)
	for _, id := range rest {
		list = append(list, PlanRank{ID: id})
	}
	return list
}

// nodeOf is the node of a device.
func nodeOf(scn *topology.Scenario, device string) string {
	if d := scn.Device(device); d != nil {
		return d.NodeID
	}
	return ""
}

// truncate marks the operations that a node's failure with a deadline cut off, and the
// deadline when it ended an execution.
func (f *PlanTimeline) truncate(scn *topology.Scenario, fault *trace.Fault) {
	if fault == nil || !fault.HasQuiesceTimeout {
		return
	}
	cut := run.NewCut(scn, fault)
	for i := range f.Operations {
		o := &f.Operations[i]
		if at, truncated := cut.End(o.Ranks, o.FinishNs); truncated {
			o.Outcome, o.CutNs = Truncated, at
		}
	}
	deadline := fault.AtNs + fault.QuiesceTimeoutNs
	for i := range f.Executions {
		if f.Executions[i].TerminalNs == deadline {
			f.Faults = append(f.Faults, PlanFault{deadline, "abort deadline"})
			return
		}
	}
}

// CampaignLatency is the distribution of arrival to completion over the executions of
// a campaign.
func CampaignLatency(c *campaign.Concurrent) Distribution {
	ns := make([]int64, len(c.Run.Executions))
	for k, e := range c.Run.Executions {
		ns[k] = e.CompletedAtNs - c.Run.Trace.Admissions[k].ArrivalNs
	}
	return NewDistribution(Source{c.Scenario.ID(), c.Confidence}, "latency", "Execution latency, arrival to completion", "execution", ns)
}
