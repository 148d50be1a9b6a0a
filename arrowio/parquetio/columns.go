package parquetio

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// columnsWriter writes a file whose fields have one Parquet column each. The columns
// of a batch are encoded and compressed at the same time, every one by a single
// goroutine, into buffers of their own; the row group puts them into the file in
// their order. So the bytes do not depend on the number of processors.
type columnsWriter struct {
	file    *file.Writer
	schema  *arrow.Schema
	group   file.BufferedRowGroupWriter // nil before the first row
	rows    int64                       // of the group
	columns []columnState
}

// columnState is the scratch of one column.
type columnState struct {
	ctx    context.Context
	levels levels
}

// concurrentRows is the length of a batch below which goroutines cost more than
// they save.
const concurrentRows = 2048

// Encoded labels are cut into pages of about pageBytes, so that their compression is
// part of the columns' own work; what is left below leftBytes waits for the end of
// the row group. Pages of other columns are cut by the library.
const (
	pageBytes = 256 << 10
	leftBytes = 4 << 10
)

// newColumnsWriter begins a file for a schema that hasColumns accepts.
func newColumnsWriter(w io.Writer, s *arrow.Schema, props *parquet.WriterProperties, arrowProps pqarrow.ArrowWriterProperties) (*columnsWriter, error) {
	pqschema, err := pqarrow.ToParquet(s, props, arrowProps)
	if err != nil {
		return nil, err
	}
	meta, err := footer(s, props.Allocator())
	if err != nil {
		return nil, err
	}
	fw, err := file.NewParquetWriterWithError(w, pqschema.Root(), file.WithWriterProps(props), file.WithWriteMetadata(meta))
	if err != nil {
		return nil, err
	}
	c := &columnsWriter{file: fw, schema: s, columns: make([]columnState, s.NumFields())}
	for i := range c.columns {
		c.columns[i].ctx = pqarrow.NewArrowWriteContext(context.Background(), &arrowProps)
	}
	return c, nil
}

// footer is the schema's metadata, and the schema itself as Arrow readers expect it.
func footer(s *arrow.Schema, mem memory.Allocator) (metadata.KeyValueMetadata, error) {
	var kv metadata.KeyValueMetadata
	m := s.Metadata()
	for i, key := range m.Keys() {
		if err := kv.Append(key, m.Values()[i]); err != nil {
			return nil, err
		}
	}
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(s), ipc.WithAllocator(mem)).Close(); err != nil {
		return nil, err
	}
	return kv, kv.Append("ARROW:schema", base64.StdEncoding.EncodeToString(message.Bytes()))
}

// Write appends a batch, which may end one row group and begin the next. After an
// error only Close may be called.
func (c *columnsWriter) Write(rec arrow.RecordBatch) error {
	if !rec.Schema().Equal(c.schema) {
		return fmt.Errorf("write parquet: the batch has another schema than the file:\n%v\n%v", rec.Schema(), c.schema)
	}
	for from := int64(0); from < rec.NumRows(); {
		if c.group == nil || c.rows == rowGroupRows {
			if err := c.next(); err != nil {
				return err
			}
		}
		to := min(rec.NumRows(), from+rowGroupRows-c.rows)
		if err := c.append(rec, from, to); err != nil {
			return err
		}
		c.rows += to - from
		from = to
	}
	return nil
}

// next ends the row group and begins another.
func (c *columnsWriter) next() (err error) {
	if err := c.endGroup(); err != nil {
		return err
	}
	c.group, err = c.file.AppendBufferedRowGroupChecked()
	c.rows = 0
	return err
}

// append adds rows [from, to) of a batch to the row group.
func (c *columnsWriter) append(rec arrow.RecordBatch, from, to int64) error {
	return each(len(c.columns), to-from >= concurrentRows, func(i int) error {
		cw, err := c.group.Column(i)
		if err != nil {
			return err
		}
		values := array.NewSlice(rec.Column(i), from, to)
		defer values.Release()
		field, levels := c.schema.Field(i), &c.columns[i].levels
		leaf, err := levels.of(values, field.Nullable)
		if err != nil {
			return err
		}
		defer leaf.Release()
		nullable := field.Nullable && levels.rep == nil // elements of lists never are
		if err := pqarrow.WriteArrowToColumn(c.columns[i].ctx, cw, leaf, levels.def, levels.rep, nullable); err != nil {
			return err
		}
		return endPage(cw, pageBytes)
	})
}

// endGroup finishes what is buffered of each column, and then the row group.
func (c *columnsWriter) endGroup() error {
	if c.group == nil {
		return nil
	}
	err := each(len(c.columns), c.rows >= concurrentRows, func(i int) error {
		cw, err := c.group.Column(i)
		if err != nil {
			return err
		}
		return endColumn(cw)
	})
	return errors.Join(err, c.group.Close())
}

// endColumn compresses what is left of a column. Pages of labels stay apart from their
// dictionary, which the row group writes before them.
func endColumn(cw file.ColumnChunkWriter) error {
	if isLabels(cw) {
		return endPage(cw, leftBytes)
	}
	if pages, ok := cw.(interface{ FlushBufferedDataPages() error }); ok {
		return pages.FlushBufferedDataPages()
	}
	return nil
}

// isLabels reports whether a column is still encoded by a dictionary.
func isLabels(cw file.ColumnChunkWriter) bool {
	_, ok := cw.CurrentEncoder().(interface{ NumEntries() int })
	return ok
}

// endPage finishes the page of a column that has at least so many bytes of encoded
// labels. A page without values is never written: the estimate of an empty one is
// far below both limits.
func endPage(cw file.ColumnChunkWriter, atLeast int64) error {
	if !isLabels(cw) || cw.CurrentEncoder().EstimatedDataEncodedSize() < atLeast {
		return nil
	}
	page, ok := cw.(interface{ FlushCurrentPage() error })
	if !ok {
		return nil
	}
	return page.FlushCurrentPage()
}

// Close ends the file. Calling it again does nothing.
func (c *columnsWriter) Close() error {
	if c.file == nil {
		return nil
	}
	err := errors.Join(c.endGroup(), c.file.Close())
	c.group, c.file = nil, nil
	return err
}

// each calls f for every column, on all processors if asked to, and returns the
// error of the first column that has one.
func each(columns int, concurrent bool, f func(i int) error) error {
	workers := min(runtime.GOMAXPROCS(0), columns)
	if !concurrent || workers < 2 {
		for i := range columns {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, columns)
	var next atomic.Int32
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < columns; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
