package arrowio

import (
	"encoding/csv"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// CSVExt is the file extension of CSV files.
const CSVExt = ".csv"

// WriteCSV writes the table as CSV (RFC 4180 quoting, LF line ends): a header of
// column names, then one line a row, with cells as Table.Cells gives them. CSV
// carries neither types nor units; they stand in the declaration.
func WriteCSV(w io.Writer, t *Table) error {
	cw := csv.NewWriter(w)
	line := make([]string, t.schema.NumFields())
	for i, f := range t.schema.Fields() {
		line[i] = f.Name
	}
	if err := cw.Write(line); err != nil {
		return err
	}
	for rec := range t.Batches(memory.DefaultAllocator) {
		for row := range int(rec.NumRows()) {
			for i, col := range rec.Columns() {
				line[i] = cellText(col, row)
			}
			if err := cw.Write(line); err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}
