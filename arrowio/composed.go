package arrowio

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

const composedContract = "contract 05 sections 6.4 to 6.9 (serving expert-cache composition revision 3)"

// BatchRoutingDeclaration declares the table batch_routing.
var BatchRoutingDeclaration = Declaration{
	Table: "batch_routing", Revision: 1, Contract: composedContract,
	Description: "one row a batch of a run with an expert cache, by batch_id: what routing its tokens took",
	Fields: []Field{
		{"batch_id", Int64, false, UnitID, "id of the batch, from 0"},
		{"routes", Int64, false, UnitCount, "routes taken through the cache, one a target token"},
		{"demand_loads", Int64, false, UnitCount, "loads that its routes had to wait for and that it started"},
		{"prefetches", Int64, false, UnitCount, "copies that the adaptive policy started in it"},
		{"ready_ns", Int64, false, UnitNs, "time after the last route, at which the batch's plan was admitted"},
		{"cache_constraint_ns", Int64, false, UnitNs, "ready_ns minus the batch's start: the part of its duration spent waiting for experts"},
	},
}

// ExecutionsDeclaration declares the table executions.
var ExecutionsDeclaration = Declaration{
	Table: "executions", Revision: 1, Contract: composedContract,
	Description: "one row a plan on the shared clock, in order of admission",
	Fields: []Field{
		{"execution_id", Label, false, UnitID, "execution"},
		{"origin", Label, false, UnitWord, "demand: the copy of one expert that a route waits for; batch: the work of a batch with its background copies"},
		{"batch_id", Int64, false, UnitID, "batch that the plan was admitted for"},
		{"admission_order", Int64, false, UnitCount, "order of admission, from 0"},
		{"admitted_at_ns", Int64, false, UnitNs, "time of admission"},
		{"finished_at_ns", Int64, false, UnitNs, "completion of its last operation, background copies included"},
		{"operations", Int64, false, UnitCount, "operations executed, each a step of the plan"},
		{"held_back", Int64, false, UnitCount, "steps with a not-before time"},
	},
}

// PhysicalOperationsDeclaration declares the table physical_operations.
var PhysicalOperationsDeclaration = Declaration{
	Table: "physical_operations", Revision: 1, Contract: composedContract + "; contract 03 section 13.5",
	Description: "one row an executed operation on the shared clock, in order of submission over all executions",
	Fields: []Field{
		{"global_sequence", Int64, false, UnitCount, "order of submission over all executions, from 0"},
		{"execution_id", Label, false, UnitID, "execution that the operation belongs to (executions.execution_id)"},
		{"origin", Label, false, UnitWord, "demand or batch (executions.origin)"},
		{"batch_id", Int64, false, UnitID, "batch that the execution was admitted for"},
		{"source_sequence", Int64, false, UnitCount, "order of submission within the execution, from 0"},
		{"step_id", Int64, false, UnitID, "step of the plan"},
		{"kind", Label, false, UnitWord, "compute, transfer or collective"},
		{"algorithm", Label, true, UnitWord, "algorithm of a collective; null otherwise"},
		{"group_id", Label, true, UnitID, "communicator group of a collective; null otherwise"},
		{"submitted_at_ns", Int64, false, UnitNs, "time of submission"},
		{"start_ns", Int64, false, UnitNs, "start of service on its lanes"},
		{"finish_ns", Int64, false, UnitNs, "end of service"},
		{"wait_ns", Int64, false, UnitNs, "start_ns minus submitted_at_ns: time spent waiting for lanes and leases"},
		{"service_ns", Int64, false, UnitNs, "finish_ns minus start_ns"},
		{"resources", Labels, false, UnitID, "resources reserved for the service, in reservation order"},
		{"lanes", Int64s, false, UnitCount, "lane of each reserved resource, from 0, in the same order"},
		{"participants", Labels, false, UnitID, "ranks that take part"},
	},
}

// PhysicalReservationsDeclaration declares the table physical_reservations.
var PhysicalReservationsDeclaration = Declaration{
	Table: "physical_reservations", Revision: 1, Contract: composedContract + "; contract 03 section 13.5",
	Description: "one row a lane of a resource held by an operation on the shared clock, by global_sequence and reservation order",
	Fields: []Field{
		{"resource_id", Label, false, UnitID, "compute:, link:, network: or collective: and the id"},
		{"lane", Int64, false, UnitCount, "lane of the resource, from 0"},
		{"start_ns", Int64, false, UnitNs, "start of the reservation"},
		{"finish_ns", Int64, false, UnitNs, "end of the reservation"},
		{"global_sequence", Int64, false, UnitCount, "operation (physical_operations.global_sequence)"},
		{"origin", Label, false, UnitWord, "demand or batch (executions.origin)"},
		{"kind", Label, false, UnitWord, "compute, transfer or collective"},
	},
}

// ComposedDeclarations lists the schemas of the tables that only a run with an
// expert cache has beside those of serving and of the cache.
func ComposedDeclarations() []*Declaration {
	return []*Declaration{&BatchRoutingDeclaration, &ExecutionsDeclaration, &PhysicalOperationsDeclaration, &PhysicalReservationsDeclaration}
}

// ComposedTables are the tables of a finished serving run with an expert cache.
type ComposedTables struct {
	Serving *ServingTables // its operations are the batches' plans in isolation; Physical… are what happened
	Experts *ExpertTables

	run        *composed.Run
	opt        Options
	provenance Provenance
	executions []execution
	byID       map[string]int32 // execution id -> index
}

// execution is one admitted plan.
type execution struct {
	request  *plan.Request
	finishNs int64
	batch    int64
	steps    int64
	origin   int32 // index in originWords
}

var originWords = []string{"demand", "batch"}

// Composed prepares the tables of a run.
func Composed(run *composed.Run, opt Options) *ComposedTables {
	t := &ComposedTables{run: run, opt: opt, Serving: Serving(run.Serving, opt), provenance: servingProvenance(run.Serving)}
	t.Experts = Experts(run.Cache, run.Snapshot.CurrentTimeNs, t.provenance, opt)
	t.index()
	return t
}

// index lists the executions. Plans are admitted batch by batch: the demand plans of
// its routes, then its own.
func (t *ComposedTables) index() {
	t.byID = make(map[string]int32, len(t.run.Physical.Requests))
	demand := t.run.Serving.Scenario.ID() + ":expert-load:"
	batch := int64(0)
	for i := range t.run.Physical.Requests {
		r := &t.run.Physical.Requests[i]
		e := execution{request: r, batch: batch, origin: 1, steps: int64(len(r.Plan.Steps))}
		if strings.HasPrefix(r.Plan.ExecutionID, demand) {
			e.origin = 0
		} else {
			batch++
		}
		t.byID[r.Plan.ExecutionID] = int32(i)
		t.executions = append(t.executions, e)
	}
	for i := range t.run.Physical.Trace.Terminals {
		end := &t.run.Physical.Trace.Terminals[i]
		t.executions[t.byID[end.ExecutionID]].finishNs = end.TimestampNs
	}
}

// All returns every table in a fixed order: those of serving without the operations
// and reservations of isolated plans, those of the shared clock, those of the cache.
func (t *ComposedTables) All() []*Table {
	s := t.Serving
	tables := slices.Concat(
		[]*Table{s.Requests(), s.Tokens(), s.Batches(), s.BatchMembers(), t.BatchRouting(), t.Executions()},
		t.physical(), []*Table{s.Resources(), s.Metrics(), s.MemoryTimeline()}, t.Experts.All())
	if t.run.Serving.Speculation != nil {
		tables = append(tables, s.AcceptanceByPosition())
	}
	return tables
}

// BatchRouting is the table batch_routing.
func (t *ComposedTables) BatchRouting() *Table {
	rows := t.run.Batches
	return newTable(&BatchRoutingDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = from + int64(i)
			}
		}},
		intsOf(rows, func(b *composed.Batch) int64 { return b.Routes }),
		intsOf(rows, func(b *composed.Batch) int64 { return int64(len(b.Loads)) }),
		intsOf(rows, func(b *composed.Batch) int64 { return int64(len(b.Prefetches)) }),
		intsOf(rows, func(b *composed.Batch) int64 { return b.ReadyNs }),
		intsOf(rows, func(b *composed.Batch) int64 { return b.CacheConstraintNs }),
	})
}

// executionIDs are the dictionary words of execution ids, by execution index.
func (t *ComposedTables) executionIDs() []string {
	ids := make([]string, len(t.executions))
	for i := range ids {
		ids[i] = t.executions[i].request.Plan.ExecutionID
	}
	return ids
}

// Executions is the table executions.
func (t *ComposedTables) Executions() *Table {
	rows := t.executions
	ints := func(value func(e *execution) int64) column { return intsOf(rows, value) }
	return newTable(&ExecutionsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		{words: t.executionIDs(), codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = int32(from) + int32(i)
			}
		}},
		labelsOf(rows, originWords, func(e *execution) int32 { return e.origin }),
		ints(func(e *execution) int64 { return e.batch }),
		ints(func(e *execution) int64 { return e.request.AdmissionOrder }),
		ints(func(e *execution) int64 { return e.request.ArrivalNs }),
		ints(func(e *execution) int64 { return e.finishNs }),
		ints(func(e *execution) int64 { return e.steps }),
		ints(func(e *execution) int64 { return int64(len(e.request.NotBefore)) }),
	})
}

// physicalHold is one lane held on the shared clock.
type physicalHold struct {
	op       *trace.GlobalOperation
	lane     int64
	resource int32
}

// Operations is the table physical_operations.
func (t *ComposedTables) Operations() *Table { return t.physical()[0] }

// Reservations is the table physical_reservations.
func (t *ComposedTables) Reservations() *Table { return t.physical()[1] }

// physical makes the two tables of the shared clock; they share their dictionaries.
func (t *ComposedTables) physical() []*Table {
	rows, words := t.run.Physical.Trace.Operations, newOperationWords(t.run.Serving.Scenario)
	var holds []physicalHold
	for i := range rows {
		op := &rows[i].Event
		words.groups.optional(op.GroupID)
		words.ranks.all(op.Participants)
		for _, r := range op.Resources {
			holds = append(holds, physicalHold{&rows[i], r.ResourceLane, words.resources.code(r.ResourceID)})
		}
	}
	return []*Table{t.operationsTable(rows, words), t.reservationsTable(holds, words)}
}

// of is the execution of an operation.
func (t *ComposedTables) of(op *trace.GlobalOperation) *execution {
	return &t.executions[t.byID[op.Event.ExecutionID]]
}

func kindCode(op *trace.Operation) int32 {
	return int32(slices.Index(operationKinds, string(op.Kind)))
}

func (t *ComposedTables) operationsTable(rows []trace.GlobalOperation, words *operationWords) *Table {
	ints := func(value func(op *trace.Operation) int64) column {
		return intsOf(rows, func(g *trace.GlobalOperation) int64 { return value(&g.Event) })
	}
	labels := func(list []string, code func(op *trace.Operation) int32) column {
		return labelsOf(rows, list, func(g *trace.GlobalOperation) int32 { return code(&g.Event) })
	}
	return newTable(&PhysicalOperationsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		intsOf(rows, func(g *trace.GlobalOperation) int64 { return g.GlobalSequence }),
		labels(t.executionIDs(), func(op *trace.Operation) int32 { return t.byID[op.ExecutionID] }),
		labelsOf(rows, originWords, func(g *trace.GlobalOperation) int32 { return t.of(g).origin }),
		intsOf(rows, func(g *trace.GlobalOperation) int64 { return t.of(g).batch }),
		ints(func(op *trace.Operation) int64 { return op.SourceSequence }),
		ints(func(op *trace.Operation) int64 { return op.StepID }),
		labels(operationKinds, kindCode),
		labels(algorithmWords, func(op *trace.Operation) int32 {
			return int32(slices.Index(algorithmWords, string(op.CollectiveAlgorithm)))
		}),
		labels(words.groups.words, func(op *trace.Operation) int32 { return words.groups.optional(op.GroupID) }),
		ints(func(op *trace.Operation) int64 { return op.SubmittedAtNs }),
		ints(func(op *trace.Operation) int64 { return op.StartNs }),
		ints(func(op *trace.Operation) int64 { return op.FinishNs }),
		ints(func(op *trace.Operation) int64 { return op.StartNs - op.SubmittedAtNs }),
		ints(func(op *trace.Operation) int64 { return op.FinishNs - op.StartNs }),
		labelListsOf(rows, words.resources.words, func(g *trace.GlobalOperation) []int32 {
			codes := make([]int32, len(g.Event.Resources))
			for i := range codes {
				codes[i] = words.resources.code(g.Event.Resources[i].ResourceID)
			}
			return codes
		}),
		intListsOf(rows, func(g *trace.GlobalOperation) []int64 {
			lanes := make([]int64, len(g.Event.Resources))
			for i := range lanes {
				lanes[i] = g.Event.Resources[i].ResourceLane
			}
			return lanes
		}),
		labelListsOf(rows, words.ranks.words, func(g *trace.GlobalOperation) []int32 { return words.ranks.all(g.Event.Participants) }),
	})
}

func (t *ComposedTables) reservationsTable(rows []physicalHold, words *operationWords) *Table {
	return newTable(&PhysicalReservationsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(rows, words.resources.words, func(h *physicalHold) int32 { return h.resource }),
		intsOf(rows, func(h *physicalHold) int64 { return h.lane }),
		intsOf(rows, func(h *physicalHold) int64 { return h.op.Event.StartNs }),
		intsOf(rows, func(h *physicalHold) int64 { return h.op.Event.FinishNs }),
		intsOf(rows, func(h *physicalHold) int64 { return h.op.GlobalSequence }),
		labelsOf(rows, originWords, func(h *physicalHold) int32 { return t.of(h.op).origin }),
		labelsOf(rows, operationKinds, func(h *physicalHold) int32 { return kindCode(&h.op.Event) }),
	})
}
