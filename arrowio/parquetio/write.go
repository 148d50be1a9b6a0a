package parquetio

import (
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/recycle"
)

// Ext is the file extension of Parquet files.
const Ext = ".parquet"

// rowGroupRows is the length of a full row group: a multiple of the record batch,
// long enough for statistics to prune by and short enough to hold in memory while
// it is encoded.
const rowGroupRows = 16 * arrowio.BatchRows

// createdBy is what the files say wrote them; fixed, so that equal runs give equal
// bytes.
const createdBy = "inferlab arrowio"

// Write writes the table as one Parquet file. Row groups are written as they
// fill, so memory does not grow with the table.
func Write(w io.Writer, t *arrowio.Table) error { return write(w, t, memory.DefaultAllocator) }

func write(w io.Writer, t *arrowio.Table, from memory.Allocator) error {
	mem := recycle.New(from)
	defer mem.Release()
	fw, err := open(w, t.Schema(), mem)
	if err != nil {
		return err
	}
	for rec := range ahead(t.Batches(mem)) {
		if err := fw.Write(rec); err != nil {
			fw.Close()
			return err
		}
	}
	return fw.Close()
}

// Open begins a Parquet file, to which record batches are written as they come.
func Open(w io.Writer, s *arrow.Schema, mem memory.Allocator) (arrowio.BatchWriter, error) {
	return open(w, s, mem)
}

// open begins a file. Schemas of other writers may nest fields in ways that the
// declared tables do not; those are left to the library as a whole.
func open(w io.Writer, s *arrow.Schema, mem memory.Allocator) (arrowio.BatchWriter, error) {
	props := writerProperties(s, mem)
	arrowProps := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema(), pqarrow.WithAllocator(mem))
	if hasColumns(s) {
		return newColumnsWriter(keepOpen{w}, s, props, arrowProps)
	}
	fw, err := pqarrow.NewFileWriter(s, keepOpen{w}, props, arrowProps)
	return nestedWriter{fw}, err
}

// nestedWriter gathers batches of any schema into row groups.
type nestedWriter struct{ fw *pqarrow.FileWriter }

func (n nestedWriter) Write(rec arrow.RecordBatch) error { return n.fw.WriteBuffered(rec) }
func (n nestedWriter) Close() error                      { return n.fw.Close() }

// ahead produces the next batch while the last one is being encoded. Order and
// contents stay the same. A batch is released when the loop goes on.
func ahead(batches iter.Seq[arrow.RecordBatch]) iter.Seq[arrow.RecordBatch] {
	return func(yield func(arrow.RecordBatch) bool) {
		next, stop := make(chan arrow.RecordBatch), make(chan struct{})
		go func() {
			defer close(next)
			for rec := range batches {
				rec.Retain()
				select {
				case next <- rec:
				case <-stop:
					rec.Release()
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for rec := range next { // wait for the producer, which may have won the race
				rec.Release()
			}
		}()
		for rec := range next {
			goOn := yield(rec)
			rec.Release()
			if !goOn {
				return
			}
		}
	}
}

// keepOpen hides Close: the library closes the writers that it is given, while
// here whoever opened a file syncs and closes it.
type keepOpen struct{ io.Writer }

// writerProperties are the choices of the format. Ids and words keep their
// dictionary and have no statistics: those that the library derives from a
// dictionary skip the empty text. Integers have statistics and are encoded as
// differences, because times and ordinals grow by similar steps: that takes a
// tenth of the space of plain pages and less time, as the compressor gets less to
// do.
func writerProperties(s *arrow.Schema, mem memory.Allocator) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithAllocator(mem),
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(1),
		parquet.WithDictionaryDefault(false),
		parquet.WithMaxRowGroupLength(rowGroupRows),
		parquet.WithBatchSize(arrowio.BatchRows),
		parquet.WithCreatedBy(createdBy),
	}
	for _, f := range s.Fields() {
		path, t := f.Name, f.Type
		if list, ok := t.(*arrow.ListType); ok {
			path, t = path+".list.element", list.Elem()
		}
		switch t.ID() {
		case arrow.INT64:
			props = append(props, parquet.WithEncodingFor(path, parquet.Encodings.DeltaBinaryPacked))
		case arrow.DICTIONARY, arrow.STRING:
			props = append(props, parquet.WithDictionaryFor(path, true), parquet.WithStatsFor(path, false))
		}
	}
	return parquet.NewWriterProperties(props...)
}

// WriteDir writes every table into dir as NAME.parquet, all or none of them. The
// directory must exist.
func WriteDir(dir string, tables ...*arrowio.Table) error {
	return arrowio.WriteDir(dir, Ext, Write, tables...)
}
