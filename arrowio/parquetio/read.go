package parquetio

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/inferlab/inferlab/arrowio"
)

// Read reads a Parquet file into memory. The table's name is the one in its
// metadata, or empty; files of other writers give whatever schema they have. The
// memory is the garbage collector's, because the library's decoder of differences
// does not give its buffers back to an allocator.
func Read(r parquet.ReaderAtSeeker) (t *arrowio.Table, err error) {
	mem := memory.NewGoAllocator()
	defer func() {
		if p := recover(); p != nil { // the library panics on some malformed files
			t, err = nil, fmt.Errorf("read parquet: malformed file: %v", p)
		}
	}()
	pf, err := file.NewParquetReader(r, file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, fmt.Errorf("read parquet: %w", err)
	}
	defer pf.Close()
	if err := checkStored(pf.MetaData().KeyValueMetadata()); err != nil {
		return nil, fmt.Errorf("read parquet: %w", err)
	}
	fr, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: arrowio.BatchRows}, mem)
	if err != nil {
		return nil, fmt.Errorf("read parquet: %w", err)
	}
	whole, err := fr.ReadTable(context.Background())
	if err != nil {
		return nil, fmt.Errorf("read parquet: %w", err)
	}
	defer whole.Release()
	schema := asWritten(whole.Schema(), pf.MetaData().KeyValueMetadata())
	tr := array.NewTableReader(whole, arrowio.BatchRows)
	defer tr.Release()
	var batches []arrow.RecordBatch
	for tr.Next() {
		rec := tr.RecordBatch()
		batches = append(batches, array.NewRecordBatch(schema, rec.Columns(), rec.NumRows()))
	}
	name, _ := schema.Metadata().GetValue("inferlab.table")
	return arrowio.FromBatches(name, schema, batches), nil
}

// storedSchema is the key of the Arrow schema that a file of an Arrow writer carries.
const storedSchema = "ARROW:schema"

// checkStored checks the Arrow schema of a file before the library allocates what it
// asks for. Writers pad its base64 or do not.
func checkStored(footer metadata.KeyValueMetadata) error {
	text := footer.FindValue(storedSchema)
	if text == nil {
		return nil
	}
	message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*text, "="))
	if err != nil {
		return fmt.Errorf("%s: %w", storedSchema, err)
	}
	return arrowio.CheckSchemaMessage(message)
}

// asWritten restores what the library changes in a schema on its way through a
// file: it adds column numbers to the metadata of every field and leaves the
// schema's own metadata in the footer.
func asWritten(s *arrow.Schema, footer metadata.KeyValueMetadata) *arrow.Schema {
	const fieldID = "PARQUET:field_id"
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Metadata = without(f.Metadata.Keys(), f.Metadata.Values(), fieldID)
		if list, ok := f.Type.(*arrow.ListType); ok {
			element := list.ElemField()
			element.Metadata = without(element.Metadata.Keys(), element.Metadata.Values(), fieldID)
			f.Type = arrow.ListOfField(element)
		}
		fields[i] = f
	}
	meta := without(footer.Keys(), footer.Values(), storedSchema)
	return arrow.NewSchema(fields, &meta)
}

// without is metadata but for one key.
func without(keys, values []string, dropped string) arrow.Metadata {
	var keptKeys, keptValues []string
	for i, key := range keys {
		if key != dropped {
			keptKeys, keptValues = append(keptKeys, key), append(keptValues, values[i])
		}
	}
	return arrow.NewMetadata(keptKeys, keptValues)
}
