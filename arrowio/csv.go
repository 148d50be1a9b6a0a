package arrowio

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// CSVExt is the file extension of CSV files.
const CSVExt = ".csv"

// WriteCSV writes the table as CSV (OpenCSV).
func WriteCSV(w io.Writer, t *Table) error { return Write(w, t, OpenCSV) }

// OpenCSV begins a CSV file (RFC 4180 quoting, LF line ends): a header of column
// names, then one line a row: integers in decimal, floats in the shortest form
// that reads back equal, null as the empty cell, lists as JSON arrays. CSV carries
// neither types nor units; they stand in the declaration.
func OpenCSV(w io.Writer, s *arrow.Schema, _ memory.Allocator) (BatchWriter, error) {
	cw := &csvWriter{w: csv.NewWriter(w), line: make([]string, s.NumFields())}
	for i, f := range s.Fields() {
		cw.line[i] = f.Name
	}
	return cw, cw.w.Write(cw.line)
}

type csvWriter struct {
	w    *csv.Writer
	line []string
}

func (c *csvWriter) Write(rec arrow.RecordBatch) error {
	for row := range int(rec.NumRows()) {
		for i, col := range rec.Columns() {
			c.line[i] = csvCell(col, row)
		}
		if err := c.w.Write(c.line); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) Close() error {
	c.w.Flush()
	return c.w.Error()
}

// csvCell formats one cell. A list is a JSON array, because ids may hold any
// character.
func csvCell(a arrow.Array, row int) string {
	list, ok := a.(*array.List)
	if !ok || a.IsNull(row) {
		return cellText(a, row)
	}
	from, to := list.ValueOffsets(row)
	out := []byte{'['}
	for i := from; i < to; i++ {
		if i > from {
			out = append(out, ',')
		}
		text := cellText(list.ListValues(), int(i))
		if list.ListValues().DataType().ID() != arrow.INT64 {
			text = jsonString(text)
		}
		out = append(out, text...)
	}
	return string(append(out, ']'))
}

// jsonString quotes a text as JSON, without the escapes that are meant for HTML.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
