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
	Description: "one row an executed operation of a plan, in submission order",
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
	Description: "one row a participating rank of an execution: how it ended",
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

// PlanDeclarations lists the schemas of the tables of an executed plan, in the
// order of PlanTables.All.
func PlanDeclarations() []*Declaration {
	return []*Declaration{&PlanOperationsDeclaration, &PlanTerminalsDeclaration}
}

// PlanTables are the tables of one executed plan.
type PlanTables struct {
	tr         *trace.Plan
	catalog    *catalog
	provenance Provenance
	opt        Options
}

// Plan prepares the tables of an execution. The scenario may be nil.
func Plan(scn *topology.Scenario, p *plan.Plan, tr *trace.Plan, provenance Provenance, opt Options) *PlanTables {
	t := &PlanTables{tr: tr, catalog: newCatalog(scn), provenance: provenance, opt: opt}
	t.catalog.extend([]serving.Template{{Plan: p, Trace: tr}})
	return t
}

// All returns plan_operations and plan_terminals.
func (t *PlanTables) All() []*Table { return []*Table{t.Operations(), t.Terminals()} }

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
		constant(t.tr.Terminal.ExecutionID),
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

// Terminals is the table plan_terminals.
func (t *PlanTables) Terminals() *Table {
	end, rows := &t.tr.Terminal, t.tr.Terminal.RankStates
	ranks, statuses := newDictionary(), newDictionary()
	for i := range rows {
		ranks.code(rows[i].RankID)
		statuses.code(string(rows[i].Status))
	}
	kind, target := faultWords(end.Fault)
	return newTable(&PlanTerminalsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		constant(end.ExecutionID),
		constant(string(end.Status)),
		labelsOf(rows, ranks.words, func(r *trace.RankState) int32 { return ranks.codes[r.RankID] }),
		labelsOf(rows, statuses.words, func(r *trace.RankState) int32 { return statuses.codes[string(r.Status)] }),
		intsOf(rows, func(r *trace.RankState) int64 { return r.TerminalAtNs }),
		intsOf(rows, func(*trace.RankState) int64 { return end.TimestampNs }),
		optionalOf(rows, func(*trace.RankState) (int64, bool) { return end.FailureAtNs, end.Status != trace.Succeeded }),
		constant(kind),
		constant(target),
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
