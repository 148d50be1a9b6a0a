package arrowio

import (
	"slices"

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

// operationRow is one operation of a template, in relative time, with its words
// as codes of the tables' dictionaries.
type operationRow struct {
	op                                 *trace.Operation
	kind                               int32
	algorithm, group, component, phase int32 // -1 when absent
	resources, participants            []int32
	lanes                              []int64
}

// operations are the operations of all templates and how batches repeat them.
type operations struct {
	perBatch  spans
	templates []int32 // batch -> template
	first     []int   // template -> its first row in rows
	rows      []operationRow
	startNs   func(batch int) int64

	resources, groups, components, phases, ranks *dictionary
}

var operationKinds = []string{string(plan.Compute), string(plan.Transfer), string(plan.Collective)}
var algorithmWords = []string{string(plan.AllReduceRing), string(plan.AllToAllV)}

// operations flattens the templates once; batches refer to them.
func (t *ServingTables) operations() *operations {
	run := t.run
	o := &operations{
		templates: run.BatchPlans,
		startNs:   func(batch int) int64 { return run.Trace.Batches[batch].StartNs },
		resources: newDictionary(), groups: newDictionary(), components: newDictionary(),
		phases: newDictionary(), ranks: newDictionary(),
	}
	for k := range run.Templates {
		o.first = append(o.first, len(o.rows))
		o.addTemplate(run.Templates[k].Plan, run.Templates[k].Trace)
	}
	o.perBatch = newSpans(len(run.BatchPlans), func(b int) int64 {
		return int64(len(run.Templates[run.BatchPlans[b]].Trace.Operations))
	})
	return o
}

// addTemplate appends the operations of one template.
func (o *operations) addTemplate(p *plan.Plan, tr *trace.Plan) {
	steps := make(map[int64]*plan.Step, len(p.Steps))
	for i := range p.Steps {
		steps[p.Steps[i].ID] = &p.Steps[i]
	}
	for i := range tr.Operations {
		op := &tr.Operations[i]
		row := operationRow{
			op:        op,
			kind:      int32(slices.Index(operationKinds, string(op.Kind))),
			algorithm: int32(slices.Index(algorithmWords, string(op.CollectiveAlgorithm))),
			group:     o.groups.optional(op.GroupID),
			component: -1, phase: -1,
		}
		if s := steps[op.StepID]; s != nil {
			row.component = o.components.optional(s.Operation.ComponentID)
			row.phase = o.phases.optional(s.Operation.PipelinePhase)
		}
		for _, r := range op.Resources {
			row.resources = append(row.resources, o.resources.code(r.ResourceID))
			row.lanes = append(row.lanes, r.ResourceLane)
		}
		for _, rank := range op.Participants {
			row.participants = append(row.participants, o.ranks.code(rank))
		}
		o.rows = append(o.rows, row)
	}
}

// each visits the operations at rows [from, from+n) of the table.
func (o *operations) each(from int64, n int, f func(i, batch int, row *operationRow)) {
	o.perBatch.visit(from, n, func(batch, at int, lo, hi int64) {
		first := o.first[o.templates[batch]]
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
	return o.ints(func(batch int, op *trace.Operation) int64 { return o.startNs(batch) + relative(op) })
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
		o.ints(func(batch int, _ *trace.Operation) int64 { return int64(batch) }),
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

// reservation is one lane held by an operation of a template.
type reservation struct {
	row      *operationRow
	resource int32
	lane     int64
}

// Reservations is the table reservations.
func (t *ServingTables) Reservations() *Table {
	o := t.operations()
	flat := make([]reservation, 0, len(o.rows))
	first := make([]int, 0, len(o.first)+1)
	for k, from := range o.first {
		first = append(first, len(flat))
		to := len(o.rows)
		if k+1 < len(o.first) {
			to = o.first[k+1]
		}
		for i := from; i < to; i++ {
			for j, r := range o.rows[i].resources {
				flat = append(flat, reservation{&o.rows[i], r, o.rows[i].lanes[j]})
			}
		}
	}
	first = append(first, len(flat))
	perBatch := newSpans(len(o.templates), func(b int) int64 {
		k := o.templates[b]
		return int64(first[k+1] - first[k])
	})
	each := func(from int64, n int, f func(i, batch int, r *reservation)) {
		perBatch.visit(from, n, func(batch, at int, lo, hi int64) {
			base := first[o.templates[batch]]
			for k := lo; k < hi; k++ {
				f(at+int(k-lo), batch, &flat[base+int(k)])
			}
		})
	}
	ints := func(value func(batch int, r *reservation) int64) column {
		return column{ints: func(dst []int64, from int64) {
			each(from, len(dst), func(i, batch int, r *reservation) { dst[i] = value(batch, r) })
		}}
	}
	labels := func(words []string, code func(r *reservation) int32) column {
		return column{words: words, codes: func(dst []int32, from int64) {
			each(from, len(dst), func(i, _ int, r *reservation) { dst[i] = code(r) })
		}}
	}
	return t.table(&ReservationsDeclaration, perBatch.rows(),
		labels(o.resources.words, func(r *reservation) int32 { return r.resource }),
		ints(func(_ int, r *reservation) int64 { return r.lane }),
		ints(func(batch int, r *reservation) int64 { return o.startNs(batch) + r.row.op.StartNs }),
		ints(func(batch int, r *reservation) int64 { return o.startNs(batch) + r.row.op.FinishNs }),
		ints(func(batch int, _ *reservation) int64 { return int64(batch) }),
		ints(func(_ int, r *reservation) int64 { return r.row.op.SourceSequence }),
		labels(operationKinds, func(r *reservation) int32 { return r.row.kind }),
	)
}

// dictionary gives words codes in order of first appearance.
type dictionary struct {
	words []string
	codes map[string]int32
}

func newDictionary() *dictionary { return &dictionary{codes: map[string]int32{}} }

// code returns the word's code, adding the word when it is new.
func (d *dictionary) code(word string) int32 {
	if c, ok := d.codes[word]; ok {
		return c
	}
	c := int32(len(d.words))
	d.codes[word] = c
	d.words = append(d.words, word)
	return c
}

// optional is code, with -1 for the empty word.
func (d *dictionary) optional(word string) int32 {
	if word == "" {
		return -1
	}
	return d.code(word)
}
