package arrowio

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

const planContract = "contract 03 section 8 (plan revision 5)"

// PlanOperationsDeclaration declares the table plan_operations.
var PlanOperationsDeclaration = Declaration{
	Table: "plan_operations", Revision: 1, Contract: planContract,
	Description: "one row an executed operation of a plan, by execution in admission order, then in submission order",
	Fields: []Field{
		{"execution_id", Label, false, UnitID, "execution that the operation belongs to"},
		{"source_sequence", Int64, false, UnitCount, "submission order within the execution, from 0"},
		{"step_id", Int64, false, UnitID, "step of the plan"},
		{"kind", Label, false, UnitWord, "compute, transfer or collective"},
		{"algorithm", Label, true, UnitWord, "algorithm of a collective; null otherwise"},
		{"group_id", Label, true, UnitID, "communicator group of a collective; null otherwise"},
		{"component", Label, true, UnitID, "component label of a compute step; null without one"},
		{"pipeline_phase", Label, true, UnitWord, "pipeline phase label of a compute step; null without one"},
		{"submitted_at_ns", Int64, false, UnitNs, "time of submission"},
		{"start_ns", Int64, false, UnitNs, "start of service on its lanes"},
		{"finish_ns", Int64, false, UnitNs, "end of service"},
		{"wait_ns", Int64, false, UnitNs, "start_ns minus submitted_at_ns: time spent waiting for lanes and leases"},
		{"service_ns", Int64, false, UnitNs, "finish_ns minus start_ns"},
		{"resources", Labels, false, UnitID, "resources reserved for the service, in reservation order"},
		{"lanes", Int64s, false, UnitCount, "lane of each reserved resource, from 0, in the same order"},
		{"participants", Labels, false, UnitID, "ranks that take part"},
		{"reads", Labels, false, UnitID, "physical allocations leased for reading"},
		{"writes", Labels, false, UnitID, "physical allocations leased for writing"},
	},
}

// PlanTerminalsDeclaration declares the table plan_terminals.
var PlanTerminalsDeclaration = Declaration{
	Table: "plan_terminals", Revision: 1, Contract: planContract,
	Description: "one row a participating rank of an execution: how it ended; by execution in admission order, then rank_id",
	Fields: []Field{
		{"execution_id", Label, false, UnitID, "execution that the rank took part in"},
		{"execution_status", Label, false, UnitWord, "succeeded, failed or aborted"},
		{"rank_id", Label, false, UnitID, "rank"},
		{"status", Label, false, UnitWord, "how the rank ended: succeeded, failed or aborted"},
		{"terminal_at_ns", Int64, false, UnitNs, "time at which the rank ended"},
		{"quiesced_at_ns", Int64, false, UnitNs, "completion or quiescence of the execution"},
		{"failure_at_ns", Int64, true, UnitNs, "time of the failure; null when the execution succeeded"},
		{"fault_kind", Label, true, UnitWord, "kind of the fault that ended the execution; null without one"},
		{"fault_target", Label, true, UnitID, "node, device or link that failed; null without one"},
	},
}

// PlanDeclarations lists the schemas of the tables of executed plans, in the order of
// PlanTables.All, then those of fault campaigns.
func PlanDeclarations() []*Declaration {
	return []*Declaration{&PlanOperationsDeclaration, &PlanTerminalsDeclaration, &PlanStepsDeclaration, &PlanExecutionsDeclaration,
		&PlanFaultsDeclaration, &PlanFaultRanksDeclaration}
}

// PlanTables are the tables of executed plans: one, or many on one clock.
type PlanTables struct {
	scn        *topology.Scenario
	executions []PlanExecution
	of         []int32 // row of plan_operations -> execution
	catalog    *catalog
	provenance Provenance
	opt        Options
}

// Plan prepares the tables of an execution. The scenario may be nil.
func Plan(scn *topology.Scenario, p *plan.Plan, tr *trace.Plan, provenance Provenance, opt Options) *PlanTables {
	return Plans(scn, []PlanExecution{{Plan: p, Trace: tr}}, provenance, opt)
}

// Plans prepares the tables of several executions, given in admission order. The
// scenario may be nil.
func Plans(scn *topology.Scenario, executions []PlanExecution, provenance Provenance, opt Options) *PlanTables {
	t := &PlanTables{scn: scn, executions: executions, catalog: newCatalog(scn), provenance: provenance, opt: opt}
	templates := make([]serving.Template, len(executions))
	for i, e := range executions {
		templates[i] = serving.Template{Plan: e.Plan, Trace: e.Trace}
		for range e.Trace.Operations {
			t.of = append(t.of, int32(i))
		}
	}
	t.catalog.extend(templates)
	return t
}

// executionIDs are the dictionary words of execution_id, by execution.
func (t *PlanTables) executionIDs() []string {
	ids := make([]string, len(t.executions))
	for i := range t.executions {
		ids[i] = t.executions[i].Trace.Terminal.ExecutionID
	}
	return ids
}

// All returns plan_operations, plan_terminals, plan_steps, plan_executions and, of
// executions on one machine, resources.
func (t *PlanTables) All() []*Table {
	all := []*Table{t.Operations(), t.Terminals(), t.Steps(), t.Executions()}
	if t.scn != nil && !t.twoMachines() {
		all = append(all, t.Resources())
	}
	return all
}

// twoMachines reports a failover: its epochs ran on machines of their own.
func (t *PlanTables) twoMachines() bool {
	for i := range t.executions {
		if t.executions[i].OffsetNs != 0 {
			return true
		}
	}
	return false
}

// Operations is the table plan_operations.
func (t *PlanTables) Operations() *Table {
	c, rows := t.catalog, t.catalog.rows
	allocations := newDictionary()
	reads, writes := make([][]int32, len(rows)), make([][]int32, len(rows))
	for i := range rows {
		reads[i], writes[i] = allocations.all(rows[i].op.Reads), allocations.all(rows[i].op.Writes)
	}
	list := func(codes [][]int32) column {
		return column{words: allocations.words, codeList: func(row int64) ([]int32, bool) { return codes[row], true }}
	}
	ints := func(value func(op *trace.Operation) int64) column {
		return intsOf(rows, func(r *operationRow) int64 { return value(r.op) })
	}
	return newTable(&PlanOperationsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(t.of, t.executionIDs(), func(e *int32) int32 { return *e }),
		ints(func(op *trace.Operation) int64 { return op.SourceSequence }),
		ints(func(op *trace.Operation) int64 { return op.StepID }),
		labelsOf(rows, operationKinds, func(r *operationRow) int32 { return r.kind }),
		labelsOf(rows, algorithmWords, func(r *operationRow) int32 { return r.algorithm }),
		labelsOf(rows, c.groups.words, func(r *operationRow) int32 { return r.group }),
		labelsOf(rows, c.components.words, func(r *operationRow) int32 { return r.component }),
		labelsOf(rows, c.phases.words, func(r *operationRow) int32 { return r.phase }),
		ints(func(op *trace.Operation) int64 { return op.SubmittedAtNs }),
		ints(func(op *trace.Operation) int64 { return op.StartNs }),
		ints(func(op *trace.Operation) int64 { return op.FinishNs }),
		ints(func(op *trace.Operation) int64 { return op.StartNs - op.SubmittedAtNs }),
		ints(func(op *trace.Operation) int64 { return op.FinishNs - op.StartNs }),
		labelListsOf(rows, c.resources.words, func(r *operationRow) []int32 { return r.resources }),
		intListsOf(rows, func(r *operationRow) []int64 { return r.lanes }),
		labelListsOf(rows, c.ranks.words, func(r *operationRow) []int32 { return r.participants }),
		list(reads),
		list(writes),
	})
}

// terminalRow is one rank of one execution.
type terminalRow struct {
	execution    int32
	end          *trace.Terminal
	rank         *trace.RankState
	kind, target string
}

// Terminals is the table plan_terminals.
func (t *PlanTables) Terminals() *Table {
	ranks, statuses, kinds, targets := newDictionary(), newDictionary(), newDictionary(), newDictionary()
	var rows []terminalRow
	for e := range t.executions {
		end := &t.executions[e].Trace.Terminal
		row := terminalRow{execution: int32(e), end: end}
		row.kind, row.target = faultWords(end.Fault)
		statuses.code(string(end.Status))
		kinds.optional(row.kind)
		targets.optional(row.target)
		for i := range end.RankStates {
			row.rank = &end.RankStates[i]
			ranks.code(row.rank.RankID)
			statuses.code(string(row.rank.Status))
			rows = append(rows, row)
		}
	}
	return newTable(&PlanTerminalsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(rows, t.executionIDs(), func(r *terminalRow) int32 { return r.execution }),
		labelsOf(rows, statuses.words, func(r *terminalRow) int32 { return statuses.codes[string(r.end.Status)] }),
		labelsOf(rows, ranks.words, func(r *terminalRow) int32 { return ranks.codes[r.rank.RankID] }),
		labelsOf(rows, statuses.words, func(r *terminalRow) int32 { return statuses.codes[string(r.rank.Status)] }),
		intsOf(rows, func(r *terminalRow) int64 { return r.rank.TerminalAtNs }),
		intsOf(rows, func(r *terminalRow) int64 { return r.end.TimestampNs }),
		optionalOf(rows, func(r *terminalRow) (int64, bool) { return r.end.FailureAtNs, r.end.Status != trace.Succeeded }),
		labelsOf(rows, kinds.words, func(r *terminalRow) int32 { return kinds.optional(r.kind) }),
		labelsOf(rows, targets.words, func(r *terminalRow) int32 { return targets.optional(r.target) }),
	})
}

// faultWords are the kind of a fault and what failed; empty without a fault.
func faultWords(f *trace.Fault) (kind, target string) {
	if f == nil {
		return "", ""
	}
	switch f.Kind {
	case trace.NodeFailure:
		target = f.NodeID
	case trace.DeviceFailure:
		target = f.DeviceID
	case trace.LinkFailure:
		target = f.LinkID
	}
	return string(f.Kind), target
}
