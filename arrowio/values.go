package arrowio

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// Floats returns a numeric column as float64, with one entry a row, ready for
// gonum. valid is nil when no row is null; otherwise it says which rows have a
// value, and the others hold 0.
//
// Nothing is copied when the column is float64 without nulls in a table of a
// single batch in memory: the slice is then the batch's own memory, must not be
// written to, and is valid until the table is released. An unknown column is
// refused with the nearest names.
func (t *Table) Floats(column string) (values []float64, valid []bool, err error) {
	i, err := t.column(column, arrow.FLOAT64, arrow.INT64)
	if err != nil {
		return nil, nil, err
	}
	if t.schema.Field(i).Type.ID() == arrow.INT64 {
		ints, valid := t.ints(i)
		values = make([]float64, len(ints))
		for k, v := range ints {
			values[k] = float64(v)
		}
		return values, valid, nil
	}
	if t.cols != nil {
		values, valid = make([]float64, t.rows), trues(t.rows)
		t.cols[i].floats(values, valid, 0)
		return values, allTrue(valid), nil
	}
	values, valid = gather(t.kept, i, func(a arrow.Array) []float64 { return a.(*array.Float64).Float64Values() })
	return values, valid, nil
}

// Ints returns an int64 column with one entry a row, as Floats does for float64.
func (t *Table) Ints(column string) (values []int64, valid []bool, err error) {
	i, err := t.column(column, arrow.INT64)
	if err != nil {
		return nil, nil, err
	}
	values, valid = t.ints(i)
	return values, valid, nil
}

func (t *Table) ints(i int) ([]int64, []bool) {
	if t.cols == nil {
		return gather(t.kept, i, func(a arrow.Array) []int64 { return a.(*array.Int64).Int64Values() })
	}
	values := make([]int64, t.rows)
	if t.cols[i].ints != nil {
		t.cols[i].ints(values, 0)
		return values, nil
	}
	valid := trues(t.rows)
	t.cols[i].opt(values, valid, 0)
	return values, allTrue(valid)
}

// Samples returns the values of a numeric column that are not null, in the order
// of rows: what distributions are made of. The slice may be the table's own
// memory, as in Floats.
func (t *Table) Samples(column string) ([]float64, error) {
	values, valid, err := t.Floats(column)
	if err != nil || valid == nil {
		return values, err
	}
	kept := values[:0]
	for i, v := range values {
		if valid[i] {
			kept = append(kept, v)
		}
	}
	return kept, nil
}

// Strings returns a column of texts, ids or words with one entry a row. valid is
// as in Floats.
func (t *Table) Strings(column string) (values []string, valid []bool, err error) {
	i, err := t.column(column, arrow.STRING, arrow.DICTIONARY)
	if err != nil {
		return nil, nil, err
	}
	values, valid = make([]string, 0, t.rows), make([]bool, 0, t.rows)
	for rec := range t.Batches(memory.DefaultAllocator) {
		col := rec.Column(i)
		for row := range col.Len() {
			values, valid = append(values, cellText(col, row)), append(valid, col.IsValid(row))
		}
	}
	return values, allTrue(valid), nil
}

// column finds a column of one of the given types.
func (t *Table) column(name string, types ...arrow.Type) (int, error) {
	at := t.schema.FieldIndices(name)
	if len(at) == 0 {
		known := make([]string, t.schema.NumFields())
		for i, f := range t.schema.Fields() {
			known[i] = f.Name
		}
		return 0, issue.New("unknown_column", t.name+"."+name, "no such column%s", document.Suggest(name, known))
	}
	found := t.schema.Field(at[0]).Type
	for _, want := range types {
		if found.ID() == want {
			return at[0], nil
		}
	}
	return 0, issue.New("column_type", t.name+"."+name, "is of type %s; expected one of %s", found, fmt.Sprint(types))
}

// gather joins a column of all batches; a single batch is not copied.
func gather[T any](batches []arrow.RecordBatch, i int, values func(arrow.Array) []T) ([]T, []bool) {
	if len(batches) == 1 && batches[0].Column(i).NullN() == 0 {
		return values(batches[0].Column(i)), nil
	}
	var out []T
	var valid []bool
	for _, b := range batches {
		col := b.Column(i)
		out = append(out, values(col)...)
		for row := range col.Len() {
			valid = append(valid, col.IsValid(row))
			if !col.IsValid(row) {
				var zero T
				out[len(valid)-1] = zero
			}
		}
	}
	return out, allTrue(valid)
}

func trues(n int64) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// allTrue is nil when every entry is true.
func allTrue(valid []bool) []bool {
	for _, v := range valid {
		if !v {
			return valid
		}
	}
	return nil
}
