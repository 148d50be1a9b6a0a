package arrowio

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

const operationContract = "contract 03 section 8 (plan revision 5) at the times of contract 05 section 6.2"

// OperationsDeclaration declares the table operations.
var OperationsDeclaration = Declaration{
	Table: "operations", Revision: 1, Contract: operationContract,
	Description: "one row an executed operation of a batch's plan, at absolute time, by batch_id, then in submission order",
	Fields: []Field{
		{"batch_id", Int64, false, UnitID, "batch that ran the operation"},
		{"template", Int64, false, UnitID, "compiled plan that the operation belongs to"},
		{"source_sequence", Int64, false, UnitCount, "submission order within the batch, from 0"},
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
	},
}

// ReservationsDeclaration declares the table reservations.
var ReservationsDeclaration = Declaration{
	Table: "reservations", Revision: 1, Contract: operationContract,
	Description: "one row a lane of a resource held by an operation, by batch_id, source_sequence and reservation order",
	Fields: []Field{
		{"resource_id", Label, false, UnitID, "compute:, link:, network: or collective: and the id"},
		{"lane", Int64, false, UnitCount, "lane of the resource, from 0"},
		{"start_ns", Int64, false, UnitNs, "start of the reservation"},
		{"finish_ns", Int64, false, UnitNs, "end of the reservation"},
		{"batch_id", Int64, false, UnitID, "batch that ran the operation"},
		{"source_sequence", Int64, false, UnitCount, "operation within the batch (operations.source_sequence)"},
		{"kind", Label, false, UnitWord, "compute, transfer or collective"},
	},
}

// operationKinds and algorithmWords are the dictionary words of the closed sets.
var (
	operationKinds = []string{string(plan.Compute), string(plan.Transfer), string(plan.Collective)}
	algorithmWords = []string{string(plan.AllReduceRing), string(plan.AllToAllV)}
)

// operations says which operation stands at which row of the table.
type operations struct {
	*catalog
	perBatch  spans
	templates []int32 // batch -> template
	batches   []trace.ServingBatch
}

func (t *ServingTables) operations() *operations {
	t.catalog.extend(t.run.Templates)
	return &operations{
		catalog: t.catalog, templates: t.run.BatchPlans, batches: t.run.Trace.Batches,
		perBatch: newSpans(len(t.run.BatchPlans), func(b int) int64 {
			return int64(len(t.run.Templates[t.run.BatchPlans[b]].Trace.Operations))
		}),
	}
}

// each visits the operations at rows [from, from+n) of the table.
func (o *operations) each(from int64, n int, f func(i, batch int, row *operationRow)) {
	o.perBatch.visit(from, n, func(batch, at int, lo, hi int64) {
		first := o.firstRow[o.templates[batch]]
		for k := lo; k < hi; k++ {
			f(at+int(k-lo), batch, &o.rows[first+int(k)])
		}
	})
}

// at finds the operation at one row.
func (o *operations) at(row int64) (found *operationRow) {
	o.each(row, 1, func(_, _ int, r *operationRow) { found = r })
	return found
}

// ints is a column that does not depend on the batch's time.
func (o *operations) ints(value func(batch int, op *trace.Operation) int64) column {
	return column{ints: func(dst []int64, from int64) {
		o.each(from, len(dst), func(i, batch int, row *operationRow) { dst[i] = value(batch, row.op) })
	}}
}

// times is a column of absolute times.
func (o *operations) times(relative func(op *trace.Operation) int64) column {
	return o.ints(func(batch int, op *trace.Operation) int64 { return o.batches[batch].StartNs + relative(op) })
}

func (o *operations) labels(words []string, code func(row *operationRow) int32) column {
	return column{words: words, codes: func(dst []int32, from int64) {
		o.each(from, len(dst), func(i, _ int, row *operationRow) { dst[i] = code(row) })
	}}
}

// Operations is the table operations. Templates are repeated per batch while the
// rows are produced; they are never expanded in memory.
func (t *ServingTables) Operations() *Table {
	o := t.operations()
	return t.table(&OperationsDeclaration, o.perBatch.rows(),
		o.ints(func(batch int, _ *trace.Operation) int64 { return t.firstBatch + int64(batch) }),
		o.ints(func(batch int, _ *trace.Operation) int64 { return int64(o.templates[batch]) }),
		o.ints(func(_ int, op *trace.Operation) int64 { return op.SourceSequence }),
		o.ints(func(_ int, op *trace.Operation) int64 { return op.StepID }),
		o.labels(operationKinds, func(r *operationRow) int32 { return r.kind }),
		o.labels(algorithmWords, func(r *operationRow) int32 { return r.algorithm }),
		o.labels(o.groups.words, func(r *operationRow) int32 { return r.group }),
		o.labels(o.components.words, func(r *operationRow) int32 { return r.component }),
		o.labels(o.phases.words, func(r *operationRow) int32 { return r.phase }),
		o.times(func(op *trace.Operation) int64 { return op.SubmittedAtNs }),
		o.times(func(op *trace.Operation) int64 { return op.StartNs }),
		o.times(func(op *trace.Operation) int64 { return op.FinishNs }),
		o.ints(func(_ int, op *trace.Operation) int64 { return op.StartNs - op.SubmittedAtNs }),
		o.ints(func(_ int, op *trace.Operation) int64 { return op.FinishNs - op.StartNs }),
		column{words: o.resources.words, codeList: func(row int64) ([]int32, bool) { return o.at(row).resources, true }},
		column{intList: func(row int64) ([]int64, bool) { return o.at(row).lanes, true }},
		column{words: o.ranks.words, codeList: func(row int64) ([]int32, bool) { return o.at(row).participants, true }},
	)
}

// Reservations is the table reservations.
func (t *ServingTables) Reservations() *Table {
	o := t.operations()
	perBatch := newSpans(len(o.templates), func(b int) int64 {
		k := o.templates[b]
		return int64(o.firstHeld[k+1] - o.firstHeld[k])
	})
	each := func(from int64, n int, f func(i, batch int, h *held)) {
		perBatch.visit(from, n, func(batch, at int, lo, hi int64) {
			first := o.firstHeld[o.templates[batch]]
			for k := lo; k < hi; k++ {
				f(at+int(k-lo), batch, &o.held[first+int(k)])
			}
		})
	}
	ints := func(value func(batch int, h *held) int64) column {
		return column{ints: func(dst []int64, from int64) {
			each(from, len(dst), func(i, batch int, h *held) { dst[i] = value(batch, h) })
		}}
	}
	labels := func(words []string, code func(h *held) int32) column {
		return column{words: words, codes: func(dst []int32, from int64) {
			each(from, len(dst), func(i, _ int, h *held) { dst[i] = code(h) })
		}}
	}
	return t.table(&ReservationsDeclaration, perBatch.rows(),
		labels(o.resources.words, func(h *held) int32 { return h.resource }),
		ints(func(_ int, h *held) int64 { return h.lane }),
		ints(func(batch int, h *held) int64 { return o.batches[batch].StartNs + h.op.StartNs }),
		ints(func(batch int, h *held) int64 { return o.batches[batch].StartNs + h.op.FinishNs }),
		ints(func(batch int, _ *held) int64 { return t.firstBatch + int64(batch) }),
		ints(func(_ int, h *held) int64 { return h.op.SourceSequence }),
		labels(operationKinds, func(h *held) int32 { return h.kind }),
	)
}
