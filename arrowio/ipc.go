package arrowio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// IPCExt is the file extension of Arrow IPC files.
const IPCExt = ".arrow"

// OpenIPC begins an Arrow IPC file. Buffers are not compressed, so that a reader
// can map the file and use it in place. A dictionary that grows between batches is
// written as a delta.
func OpenIPC(w io.Writer, s *arrow.Schema, mem memory.Allocator) (BatchWriter, error) {
	return ipc.NewFileWriter(w, ipc.WithSchema(s), ipc.WithAllocator(mem), ipc.WithDictionaryDeltas(true))
}

// OpenIPCStream begins an Arrow IPC stream, which a reader can consume while it is
// being written.
func OpenIPCStream(w io.Writer, s *arrow.Schema, mem memory.Allocator) (BatchWriter, error) {
	return ipc.NewWriter(w, ipc.WithSchema(s), ipc.WithAllocator(mem), ipc.WithDictionaryDeltas(true)), nil
}

// WriteIPC writes the table as an Arrow IPC file (OpenIPC).
func WriteIPC(w io.Writer, t *Table) error { return Write(w, t, OpenIPC) }

// WriteIPCStream writes the table as an Arrow IPC stream (OpenIPCStream).
func WriteIPCStream(w io.Writer, t *Table) error { return Write(w, t, OpenIPCStream) }

// ReadIPC reads an Arrow IPC file into memory. The table's name is the one in its
// metadata, or empty. The caller releases the table.
func ReadIPC(r interface {
	io.ReaderAt
	io.ReadSeeker
}, mem memory.Allocator) (t *Table, err error) {
	defer refusePanic(&t, &err)
	if err := checkFile(r); err != nil {
		return nil, malformed(err)
	}
	fr, err := ipc.NewFileReader(r, ipc.WithAllocator(mem))
	if err != nil {
		return nil, malformed(err)
	}
	defer fr.Close()
	got := FromBatches(tableName(fr.Schema()), fr.Schema(), nil)
	for i := range fr.NumRecords() {
		rec, err := fr.RecordBatchAt(i)
		if err == nil {
			got.keep(rec)
			err = checkBatch(rec)
		}
		if err != nil {
			got.Release()
			return nil, malformed(err)
		}
	}
	return got, nil
}

// ReadIPCStream reads an Arrow IPC stream into memory. The caller releases the
// table.
func ReadIPCStream(r io.Reader, mem memory.Allocator) (t *Table, err error) {
	defer refusePanic(&t, &err)
	data, err := io.ReadAll(r)
	if err == nil {
		err = checkStream(data)
	}
	if err != nil {
		return nil, malformed(err)
	}
	sr, err := ipc.NewReader(bytes.NewReader(data), ipc.WithAllocator(mem))
	if err != nil {
		return nil, malformed(err)
	}
	defer sr.Release()
	got := FromBatches(tableName(sr.Schema()), sr.Schema(), nil)
	for sr.Next() {
		rec := sr.RecordBatch()
		rec.Retain()
		got.keep(rec)
		if err := checkBatch(rec); err != nil {
			got.Release()
			return nil, malformed(err)
		}
	}
	if err := sr.Err(); err != nil {
		got.Release()
		return nil, malformed(err)
	}
	return got, nil
}

// checkBatch reads every offset and every position in a dictionary once, so that no
// later reader meets one that leaves its data.
func checkBatch(rec arrow.RecordBatch) error {
	for i, column := range rec.Columns() {
		if err := array.ValidateFull(column); err != nil {
			return fmt.Errorf("column %s: %w", rec.ColumnName(i), err)
		}
	}
	return nil
}

func malformed(err error) error { return fmt.Errorf("read arrow: %w", err) }

// refusePanic turns a panic of the library, which some malformed files cause, into
// a refusal.
func refusePanic(t **Table, err *error) {
	if p := recover(); p != nil {
		*t, *err = nil, fmt.Errorf("read arrow: malformed data: %v", p)
	}
}

// keep appends a batch and takes over its reference.
func (t *Table) keep(rec arrow.RecordBatch) {
	t.kept = append(t.kept, rec)
	t.rows += rec.NumRows()
}

// tableName is the name that a schema gives its table.
func tableName(s *arrow.Schema) string {
	name, _ := s.Metadata().GetValue("inferlab.table")
	return name
}
