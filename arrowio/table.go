package arrowio

import (
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// BatchRows is the number of rows of a full record batch; the last batch of a
// table may be shorter. An empty table has no batch at all.
const BatchRows int64 = 64 << 10

// Table is a named sequence of rows with a schema. It holds no rows itself: they
// are produced batch by batch, on each pass anew, from the run it was made of, so
// that a table of any length needs the memory of one batch.
//
// A Table is read-only and may be used by several goroutines.
type Table struct {
	name   string
	schema *arrow.Schema
	rows   int64
	decl   *Declaration
	cols   []column            // tables made of a run
	kept   []arrow.RecordBatch // tables made of batches
}

// newTable binds a declaration to the columns that produce its rows. Columns
// stand in the order of the declaration's fields.
func newTable(decl *Declaration, p Provenance, opt Options, rows int64, cols []column) *Table {
	if len(cols) != len(decl.Fields) {
		panic(fmt.Sprintf("table %s: %d columns for %d fields", decl.Table, len(cols), len(decl.Fields)))
	}
	return &Table{name: decl.Table, schema: decl.Schema(p, opt), rows: rows, decl: decl, cols: cols}
}

// FromBatches makes a table of batches in memory, for example of a file that was
// read. It takes over one reference to each batch: Release gives them back. The
// batches must have the given schema.
func FromBatches(name string, schema *arrow.Schema, batches []arrow.RecordBatch) *Table {
	t := &Table{name: name, schema: schema, kept: batches}
	for _, b := range batches {
		t.rows += b.NumRows()
	}
	return t
}

// Release gives back the batches of a table made by FromBatches. For tables made
// of a run it does nothing.
func (t *Table) Release() {
	for _, b := range t.kept {
		b.Release()
	}
	t.kept = nil
}

// Name is the table's name, and the stem of the files it is written to.
func (t *Table) Name() string { return t.name }

// Schema is the Arrow schema with units, descriptions and provenance.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// NumRows is the number of rows.
func (t *Table) NumRows() int64 { return t.rows }

// Batches passes over the table in record batches of at most BatchRows rows. A
// batch is released when the loop goes on; who keeps one must Retain it.
func (t *Table) Batches(mem memory.Allocator) iter.Seq[arrow.RecordBatch] {
	return func(yield func(arrow.RecordBatch) bool) {
		for rec := range t.owned(mem) {
			goOn := yield(rec)
			rec.Release()
			if !goOn {
				return
			}
		}
	}
}

// owned yields batches that the receiver must release.
func (t *Table) owned(mem memory.Allocator) iter.Seq[arrow.RecordBatch] {
	return func(yield func(arrow.RecordBatch) bool) {
		if t.cols == nil {
			for _, b := range t.kept {
				b.Retain()
				if !yield(b) {
					return
				}
			}
			return
		}
		b := newBuilder(mem, t.schema, t.decl, t.cols)
		defer b.release()
		for from := int64(0); from < t.rows; from += BatchRows {
			if !yield(b.record(from, min(BatchRows, t.rows-from))) {
				return
			}
		}
	}
}

// Slice returns rows [from, to) as one batch per stored batch that it touches.
// The caller releases them. Bounds are cut to the table.
func (t *Table) Slice(mem memory.Allocator, from, to int64) []arrow.RecordBatch {
	from, to = max(from, 0), min(to, t.rows)
	if from >= to {
		return nil
	}
	if t.cols != nil {
		b := newBuilder(mem, t.schema, t.decl, t.cols)
		defer b.release()
		return []arrow.RecordBatch{b.record(from, to-from)}
	}
	var out []arrow.RecordBatch
	start := int64(0)
	for _, b := range t.kept {
		lo, hi := max(from, start), min(to, start+b.NumRows())
		if lo < hi {
			out = append(out, b.NewSlice(lo-start, hi-start))
		}
		start += b.NumRows()
	}
	return out
}

// Arrow returns the whole table in memory. The caller releases it.
func (t *Table) Arrow(mem memory.Allocator) arrow.Table {
	var batches []arrow.RecordBatch
	for b := range t.owned(mem) {
		batches = append(batches, b)
	}
	table := array.NewTableFromRecords(t.schema, batches)
	for _, b := range batches {
		b.Release()
	}
	return table
}
