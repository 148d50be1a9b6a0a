package arrowio

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Column is what a reader of a printed table needs to know of a column.
type Column struct {
	Name        string
	Unit        string
	Description string
	Numeric     bool // aligned to the right
}

// Columns describes the columns in order, from the schema alone; it works for
// tables that were read from a file as well.
func (t *Table) Columns() []Column {
	out := make([]Column, t.schema.NumFields())
	for i, f := range t.schema.Fields() {
		c := Column{Name: f.Name}
		c.Unit, _ = f.Metadata.GetValue("unit")
		c.Description, _ = f.Metadata.GetValue("description")
		c.Numeric = f.Type.ID() == arrow.INT64 || f.Type.ID() == arrow.FLOAT64
		out[i] = c
	}
	return out
}

// Cells returns rows [from, to) as text, row by row: integers in decimal, floats
// in the shortest form that reads back equal, lists in brackets, null as the empty
// text. Bounds are cut to the table.
func (t *Table) Cells(from, to int64) [][]string {
	var out [][]string
	for _, rec := range t.Slice(memory.DefaultAllocator, from, to) {
		for row := range int(rec.NumRows()) {
			cells := make([]string, rec.NumCols())
			for i, col := range rec.Columns() {
				cells[i] = cellText(col, row)
			}
			out = append(out, cells)
		}
		rec.Release()
	}
	return out
}

// cellText formats one cell; an array type that the tables do not use falls back
// to Arrow's own text.
func cellText(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return ""
	}
	switch a := a.(type) {
	case *array.Int64:
		return strconv.FormatInt(a.Value(row), 10)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(row), 'g', -1, 64)
	case *array.Dictionary:
		return cellText(a.Dictionary(), a.GetValueIndex(row))
	case *array.String:
		return a.Value(row)
	case *array.List:
		from, to := a.ValueOffsets(row)
		words := make([]string, 0, to-from)
		for i := from; i < to; i++ {
			words = append(words, cellText(a.ListValues(), int(i)))
		}
		return "[" + strings.Join(words, " ") + "]"
	}
	return a.ValueStr(row)
}
