package arrowio

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// PlanExecution is one execution of a plan among others.
type PlanExecution struct {
	Plan      *plan.Plan
	Trace     *trace.Plan
	ArrivalNs int64 // on the clock of all executions
	OffsetNs  int64 // what places the trace's own times on that clock
}

// PlanStepsDeclaration declares the table plan_steps.
var PlanStepsDeclaration = Declaration{
	Table: "plan_steps", Revision: 1, Contract: "contract 03 section 2 (plan revision 5)",
	Description: "one row a step of a plan, in plan order; executions that share one list of steps share its rows",
	Fields: []Field{
		{"plan", Int64, false, UnitID, "list of steps, from 0 (plan_executions.plan)"},
		{"plan_index", Int64, false, UnitCount, "position in the plan, which decides ties, from 0"},
		{"step_id", Int64, false, UnitID, "id of the step"},
		{"kind", Label, false, UnitWord, "compute, transfer or collective"},
		{"duration_ns", Int64, false, UnitNs, "service time"},
		{"device_id", Label, true, UnitID, "device of a compute step; null otherwise"},
		{"capability", Label, true, UnitWord, "capability of a compute step; null otherwise"},
		{"link_id", Label, true, UnitID, "link of a transfer; null otherwise"},
		{"group_id", Label, true, UnitID, "communicator group of a collective; null otherwise"},
		{"comm_sequence", Int64, true, UnitCount, "place of a collective in its group, from 0; null otherwise"},
		{"algorithm", Label, true, UnitWord, "algorithm of a collective; null otherwise"},
		{"participants", Labels, false, UnitID, "ranks that take part"},
		{"dependencies", Int64s, false, UnitID, "steps that must be terminal first"},
		{"reads", Labels, false, UnitID, "physical allocations leased for reading"},
		{"writes", Labels, false, UnitID, "physical allocations leased for writing"},
	},
}

// PlanExecutionsDeclaration declares the table plan_executions.
var PlanExecutionsDeclaration = Declaration{
	Table: "plan_executions", Revision: 1, Contract: "contract 03 sections 8, 13.5 and 19 (plan revision 5)",
	Description: "one row an execution, in admission order",
	Fields: []Field{
		{"execution_id", Label, false, UnitID, "execution"},
		{"admission_order", Int64, false, UnitCount, "order of admission, from 0"},
		{"plan", Int64, false, UnitID, "list of steps (plan_steps.plan)"},
		{"topology_epoch", Int64, false, UnitCount, "topology epoch of the plan"},
		{"arrival_ns", Int64, false, UnitNs, "admission on the clock of all executions"},
		{"clock_offset_ns", Int64, false, UnitNs, "what to add to the times of plan_operations and plan_terminals to place them on the clock of all executions; 0 but for the recovery of a failover"},
		{"status", Label, false, UnitWord, "succeeded, failed or aborted"},
		{"completed_at_ns", Int64, false, UnitNs, "completion or quiescence on the clock of all executions"},
		{"latency_ns", Int64, true, UnitNs, "completed_at_ns minus arrival_ns; null unless it succeeded"},
		{"failure_at_ns", Int64, true, UnitNs, "time of the failure; null when it succeeded"},
		{"submitted_operations", Int64, false, UnitCount, "operations in the trace"},
		{"unsubmitted_steps", Int64, false, UnitCount, "steps without an operation"},
	},
	Definitions: []Definition{{"latency", "completion minus arrival of one execution; its p95 in a result is by nearest rank"}},
}

// plans numbers the distinct lists of steps of the executions.
func (t *PlanTables) plans() (lists []*plan.Plan, of []int64) {
	of = make([]int64, len(t.executions))
	known := make(map[*plan.Step]int64)
	for i := range t.executions {
		p := t.executions[i].Plan
		if len(p.Steps) == 0 {
			lists = append(lists, p)
			of[i] = int64(len(lists) - 1)
			continue
		}
		at, ok := known[&p.Steps[0]]
		if !ok || len(lists[at].Steps) != len(p.Steps) {
			at = int64(len(lists))
			known[&p.Steps[0]] = at
			lists = append(lists, p)
		}
		of[i] = at
	}
	return lists, of
}

// stepRow is one step of one list.
type stepRow struct {
	plan, index                     int64
	step                            *plan.Step
	device, capability, link, group int32
	kind, algorithm                 int32
	participants, reads, writes     []int32
}

// Steps is the table plan_steps.
func (t *PlanTables) Steps() *Table {
	devices, capabilities, links := newDictionary(), newDictionary(), newDictionary()
	groups, ranks, allocations := newDictionary(), newDictionary(), newDictionary()
	lists, _ := t.plans()
	var rows []stepRow
	for k, p := range lists {
		for i := range p.Steps {
			s := &p.Steps[i]
			rows = append(rows, stepRow{plan: int64(k), index: int64(i), step: s,
				device: devices.optional(s.Operation.DeviceID), capability: capabilities.optional(string(s.Operation.Capability)),
				link: links.optional(s.Operation.LinkID), group: groups.optional(s.Operation.GroupID),
				kind: wordIndex(operationKinds, string(s.Operation.Kind)), algorithm: wordIndex(algorithmWords, string(s.Operation.Algorithm)),
				participants: ranks.all(s.Participants), reads: allocations.all(s.Reads), writes: allocations.all(s.Writes)})
		}
	}
	return newTable(&PlanStepsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		intsOf(rows, func(r *stepRow) int64 { return r.plan }),
		intsOf(rows, func(r *stepRow) int64 { return r.index }),
		intsOf(rows, func(r *stepRow) int64 { return r.step.ID }),
		labelsOf(rows, operationKinds, func(r *stepRow) int32 { return r.kind }),
		intsOf(rows, func(r *stepRow) int64 { return r.step.Operation.DurationNs }),
		labelsOf(rows, devices.words, func(r *stepRow) int32 { return r.device }),
		labelsOf(rows, capabilities.words, func(r *stepRow) int32 { return r.capability }),
		labelsOf(rows, links.words, func(r *stepRow) int32 { return r.link }),
		labelsOf(rows, groups.words, func(r *stepRow) int32 { return r.group }),
		optionalOf(rows, func(r *stepRow) (int64, bool) {
			return r.step.Operation.CommSequenceID, r.step.Operation.Kind == plan.Collective
		}),
		labelsOf(rows, algorithmWords, func(r *stepRow) int32 { return r.algorithm }),
		labelListsOf(rows, ranks.words, func(r *stepRow) []int32 { return r.participants }),
		intListsOf(rows, func(r *stepRow) []int64 { return r.step.Dependencies }),
		labelListsOf(rows, allocations.words, func(r *stepRow) []int32 { return r.reads }),
		labelListsOf(rows, allocations.words, func(r *stepRow) []int32 { return r.writes }),
	})
}

// wordIndex is the code of a word of a closed set, -1 for another one.
func wordIndex(words []string, word string) int32 {
	for i, w := range words {
		if w == word {
			return int32(i)
		}
	}
	return -1
}

// statusWords are the dictionary words of a terminal state.
var statusWords = []string{string(trace.Succeeded), string(trace.Failed), string(trace.Aborted)}

// Executions is the table plan_executions.
func (t *PlanTables) Executions() *Table {
	_, of := t.plans()
	rows := t.executions
	ordinals := make([]int32, len(rows))
	for i := range ordinals {
		ordinals[i] = int32(i)
	}
	ends := func(value func(e *PlanExecution, end *trace.Terminal) int64) column {
		return intsOf(rows, func(e *PlanExecution) int64 { return value(e, &e.Trace.Terminal) })
	}
	return newTable(&PlanExecutionsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(ordinals, t.executionIDs(), func(i *int32) int32 { return *i }),
		intsOf(ordinals, func(i *int32) int64 { return int64(*i) }),
		intsOf(of, func(p *int64) int64 { return *p }),
		intsOf(rows, func(e *PlanExecution) int64 { return e.Plan.TopologyEpoch }),
		intsOf(rows, func(e *PlanExecution) int64 { return e.ArrivalNs }),
		intsOf(rows, func(e *PlanExecution) int64 { return e.OffsetNs }),
		labelsOf(rows, statusWords, func(e *PlanExecution) int32 { return wordIndex(statusWords, string(e.Trace.Terminal.Status)) }),
		ends(func(e *PlanExecution, end *trace.Terminal) int64 { return end.TimestampNs + e.OffsetNs }),
		optionalOf(rows, func(e *PlanExecution) (int64, bool) {
			end := &e.Trace.Terminal
			return end.TimestampNs + e.OffsetNs - e.ArrivalNs, end.Status == trace.Succeeded
		}),
		optionalOf(rows, func(e *PlanExecution) (int64, bool) {
			return e.Trace.Terminal.FailureAtNs + e.OffsetNs, e.Trace.Terminal.Status != trace.Succeeded
		}),
		ends(func(e *PlanExecution, _ *trace.Terminal) int64 { return int64(len(e.Trace.Operations)) }),
		ends(func(_ *PlanExecution, end *trace.Terminal) int64 { return int64(len(end.UnsubmittedStepIDs)) }),
	})
}

func planProvenance(command string, scn *topology.Scenario, c evidence.Class, more ...jsondoc.Revision) Provenance {
	return Provenance{Command: command, Confidence: c, ScenarioID: scn.ID(), ScenarioFingerprint: scn.Fingerprint(),
		Revisions: append(run.Revisions(), more...)}
}

// Run prepares the tables of a workload that was compiled and executed.
func Run(r *run.Result, opt Options) *PlanTables {
	return Plan(r.Scenario, r.Compiled.Plan, r.Trace, planProvenance("run", r.Scenario, r.Confidence), opt)
}

// PlanRun prepares the tables of an executed plan artifact.
func PlanRun(x *run.Executed, opt Options) *PlanTables {
	p := planProvenance("plan-run", x.Scenario, x.Confidence)
	p.Revisions = []jsondoc.Revision{{Name: "scenario", Revision: topology.SchemaVersion}, {Name: "plan", Revision: plan.ContractRevision},
		{Name: "planArtifact", Revision: plan.ArtifactRevision}}
	return Plan(x.Scenario, x.Plan, &x.Execution.Trace, p, opt)
}

var concurrentTraceRevision = jsondoc.Revision{Name: "concurrentTrace", Revision: trace.ConcurrentRevision}

// ConcurrentCampaign prepares the tables of a seeded campaign.
func ConcurrentCampaign(c *campaign.Concurrent, opt Options) *PlanTables {
	return concurrentPlans(c.Requests, c.Run.Trace.Admissions, func(k int) *trace.Plan { return &c.Run.Executions[k].Trace }, c.Scenario,
		planProvenance("concurrent-campaign", c.Scenario, c.Confidence, concurrentTraceRevision), opt)
}

// NodeFailure prepares the tables of a campaign that the failure of a node ended.
func NodeFailure(n *campaign.NodeFailure, opt Options) *PlanTables {
	return concurrentPlans(n.Requests, n.Run.Trace.Admissions, func(k int) *trace.Plan { return &n.Run.Executions[k].Trace }, n.Scenario,
		planProvenance("concurrent-node-failure", n.Scenario, n.Confidence, concurrentTraceRevision), opt)
}

func concurrentPlans(requests []plan.Request, admissions []trace.Admission, of func(k int) *trace.Plan, scn *topology.Scenario, p Provenance, opt Options) *PlanTables {
	plans := make(map[string]*plan.Plan, len(requests))
	for i := range requests {
		plans[requests[i].Plan.ExecutionID] = requests[i].Plan
	}
	executions := make([]PlanExecution, len(admissions))
	for k := range admissions {
		executions[k] = PlanExecution{Plan: plans[admissions[k].ExecutionID], Trace: of(k), ArrivalNs: admissions[k].ArrivalNs}
	}
	return Plans(scn, executions, p, opt)
}

// Failover prepares the tables of both epochs of a failover.
func Failover(f *campaign.Failover, opt Options) *PlanTables {
	q, t := &f.Request, &f.Run.Trace
	admitted := t.Handoff.RecoveryAdmittedAtNs
	return Plans(q.FailedScenario, []PlanExecution{{Plan: q.FailedPlan, Trace: &t.Failed},
		{Plan: q.RecoveryPlan, Trace: &t.Recovery, ArrivalNs: admitted, OffsetNs: admitted}},
		planProvenance("node-failover", q.FailedScenario, f.Confidence, jsondoc.Revision{Name: "nodeRecovery", Revision: trace.RecoveryRevision}), opt)
}

// Resources is the table resources, of all executions together.
func (t *PlanTables) Resources() *Table {
	var windowNs int64
	for i := range t.executions {
		windowNs = max(windowNs, t.executions[i].Trace.Terminal.TimestampNs+t.executions[i].OffsetNs)
	}
	busy := run.NewBusy(windowNs)
	for i := range t.executions {
		e := &t.executions[i]
		cut := run.NewCut(t.scn, e.Trace.Terminal.Fault)
		for k := range e.Trace.Operations {
			o := &e.Trace.Operations[k]
			end, _ := cut.End(o.Participants, o.FinishNs)
			busy.Hold(o.Resources, o.StartNs+e.OffsetNs, end+e.OffsetNs)
		}
	}
	return resourcesTable(busy.Utilizations(t.scn), windowNs, t.provenance, t.opt)
}

func resourcesTable(use []run.Utilization, windowNs int64, p Provenance, opt Options) *Table {
	ids := newDictionary()
	for i := range use {
		ids.code(use[i].ResourceID)
	}
	return newTable(&ResourcesDeclaration, p, opt, int64(len(use)), []column{
		labelsOf(use, ids.words, func(u *run.Utilization) int32 { return ids.codes[u.ResourceID] }),
		labelsOf(use, resourceKinds, func(u *run.Utilization) int32 {
			kind, _, _ := strings.Cut(u.ResourceID, ":")
			return wordIndex(resourceKinds, kind)
		}),
		intsOf(use, func(u *run.Utilization) int64 { return u.BusyNs }),
		intsOf(use, func(u *run.Utilization) int64 { return u.CapacityLanes }),
		intsOf(use, func(*run.Utilization) int64 { return windowNs }),
		column{floats: func(dst []float64, _ []bool, from int64) {
			for i := range dst {
				dst[i] = use[from+int64(i)].Utilization
			}
		}},
	})
}
