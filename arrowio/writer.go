package arrowio

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// BatchWriter writes the record batches of one table in a file format. Write does
// not keep the batch. Close ends the file; it does not close what is below.
type BatchWriter interface {
	Write(rec arrow.RecordBatch) error
	Close() error
}

// Opener begins a file of some format. Buffers come from mem and are given back by
// Close, or earlier.
type Opener func(w io.Writer, s *arrow.Schema, mem memory.Allocator) (BatchWriter, error)

// Write writes a whole table in the format of open.
func Write(w io.Writer, t *Table, open Opener) error {
	return writeTable(w, t, open, memory.DefaultAllocator)
}

func writeTable(w io.Writer, t *Table, open Opener, mem memory.Allocator) error {
	bw, err := open(w, t.Schema(), mem)
	if err != nil {
		return err
	}
	for rec := range t.Batches(mem) {
		if err := bw.Write(rec); err != nil {
			bw.Close()
			return err
		}
	}
	return bw.Close()
}
