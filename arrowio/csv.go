package arrowio

import (
	"encoding/csv"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// CSVExt is the file extension of CSV files.
const CSVExt = ".csv"

// WriteCSV writes the table as CSV (OpenCSV).
func WriteCSV(w io.Writer, t *Table) error { return Write(w, t, OpenCSV) }

// OpenCSV begins a CSV file (RFC 4180 quoting, LF line ends): a header of column
// names, then one line a row, with cells as Table.Cells gives them. CSV carries
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
			c.line[i] = cellText(col, row)
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
