package arrowio

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
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
}, mem memory.Allocator) (*Table, error) {
	fr, err := ipc.NewFileReader(r, ipc.WithAllocator(mem))
	if err != nil {
		return nil, err
	}
	defer fr.Close()
	t := FromBatches(tableName(fr.Schema()), fr.Schema(), nil)
	for i := range fr.NumRecords() {
		rec, err := fr.RecordBatchAt(i)
		if err != nil {
			t.Release()
			return nil, err
		}
		t.keep(rec)
	}
	return t, nil
}

// ReadIPCStream reads an Arrow IPC stream into memory. The caller releases the
// table.
func ReadIPCStream(r io.Reader, mem memory.Allocator) (*Table, error) {
	sr, err := ipc.NewReader(r, ipc.WithAllocator(mem))
	if err != nil {
		return nil, err
	}
	defer sr.Release()
	t := FromBatches(tableName(sr.Schema()), sr.Schema(), nil)
	for sr.Next() {
		rec := sr.RecordBatch()
		rec.Retain()
		t.keep(rec)
	}
	if err := sr.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
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
