package parquetio

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/inferlab/inferlab/arrowio"
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

// writerProperties are the choices of the format.
func writerProperties() *parquet.WriterProperties {
	return parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(1),
		parquet.WithDictionaryDefault(true),
		parquet.WithMaxRowGroupLength(rowGroupRows),
		parquet.WithCreatedBy(createdBy),
		parquet.WithRootName("schema"),
	)
}

// Write writes the table as one Parquet file.
func Write(w io.Writer, t *arrowio.Table) error {
	fw, err := pqarrow.NewFileWriter(t.Schema(), w, writerProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return err
	}
	for rec := range t.Batches(memory.DefaultAllocator) {
		if err := fw.WriteBuffered(rec); err != nil {
			fw.Close()
			return err
		}
	}
	return fw.Close()
}

// WriteDir writes every table into dir as NAME.parquet, all or none of them. The
// directory must exist.
func WriteDir(dir string, tables ...*arrowio.Table) error {
	return arrowio.WriteDir(dir, Ext, Write, tables...)
}
