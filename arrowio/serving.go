package arrowio

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/serving"
)

// servingContract is what the tables of a serving run restate.
const servingContract = "contract 05 sections 4.8, 4.9 and 6.9 (serving trace revision 3)"

// Definitions of the latency figures, the same words wherever a figure stands.
const (
	definitionTTFT     = "time to first token: first token time minus arrival time of the request"
	definitionITL      = "inter-token latency: gap between consecutive tokens of one request; tokens of one burst give gaps of 0; pooled over all requests"
	definitionTPOT     = "time per output token: (last token - first token) / (output tokens - 1); absent for one token"
	definitionLatency  = "request latency: completion time minus arrival time"
	definitionQuantile = "nearest rank: of n ascending samples p50 is number ceil(n/2), p95 number ceil(19n/20), p99 number ceil(99n/100), counted from 1; no interpolation; 0 without samples"
)

// ServingTables are the tables of one finished serving run, or of a window of a
// run that streams. They read the run and keep it alive; nothing is copied.
type ServingTables struct {
	run        *serving.Run
	opt        Options
	provenance Provenance
	tokens     spans    // by batch
	catalog    *catalog // operations of the templates
	byRequest  []int32  // index in Config.Requests -> index in Run.Requests

	// Read from a document.
	document     bool // there are no operations
	noPriorities bool

	scheduled []schedule // of a run that streamed, by request; nil: they follow from the trace

	// Of a window only.
	firstBatch int64   // id of the window's first batch
	finishedNs int64   // finish of the batch before that
	gaps       []int64 // by token: gap to the request's previous one, negative for the first
}

// Serving prepares the tables of a run.
func Serving(run *serving.Run, opt Options) *ServingTables {
	t := newServingTables(run, opt)
	t.provenance = servingProvenance(run)
	t.catalog = newCatalog(run.Scenario)
	t.byRequest = make([]int32, len(run.Config.Requests))
	for i := range run.Requests {
		t.byRequest[run.Requests[i].Request] = int32(i)
	}
	return t
}

// ServingDocument prepares the tables of a run that was read from a result
// document: without a scenario and without the operations of its templates.
// Priorities that the document did not say are null.
func ServingDocument(run *serving.Run, priorities bool, p Provenance, opt Options) *ServingTables {
	t := Serving(run, opt)
	t.provenance, t.document, t.noPriorities = p, true, !priorities
	return t
}

func newServingTables(run *serving.Run, opt Options) *ServingTables {
	batches := run.Trace.Batches
	return &ServingTables{run: run, opt: opt, tokens: newSpans(len(batches), func(b int) int64 {
		return int64(batches[b].TokensTo - batches[b].TokensFrom)
	})}
}

// All returns every table in a fixed order: requests, tokens, batches,
// batch_members, operations, reservations, resources, metrics, and memory_timeline
// when the scenario is known. A run that was read from a document has no operations
// and reservations.
func (t *ServingTables) All() []*Table {
	tables := []*Table{t.Requests(), t.Tokens(), t.Batches(), t.BatchMembers()}
	if !t.document {
		tables = append(tables, t.Operations(), t.Reservations())
	}
	tables = append(tables, t.Resources(), t.Metrics())
	if t.run.Scenario != nil {
		tables = append(tables, t.MemoryTimeline())
	}
	return tables
}

// AllDeclarations lists the schema of every table that the product writes.
func AllDeclarations() []*Declaration {
	return slices.Concat(Declarations(), []*Declaration{&MemoryTimelineDeclaration, &ServingComparisonDeclaration}, SpeculativeDeclarations(), KVDeclarations(), ExpertDeclarations(), ComposedDeclarations(), PlanDeclarations())
}

// Declarations lists the schemas of the tables that every serving run has, in the
// order of ServingTables.All.
func Declarations() []*Declaration {
	return []*Declaration{
		&RequestsDeclaration, &TokensDeclaration, &BatchesDeclaration, &BatchMembersDeclaration,
		&OperationsDeclaration, &ReservationsDeclaration, &ResourcesDeclaration, &MetricsDeclaration,
	}
}

func (t *ServingTables) table(decl *Declaration, rows int64, cols ...column) *Table {
	return newTable(decl, t.provenance, t.opt, rows, cols)
}

// requestIDs are the dictionary words of every request id column.
func (t *ServingTables) requestIDs() []string { return t.run.Trace.RequestIDs }
