package parquetio

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/arrowio"
)

// everyShape has each kind of column: with and without nulls, in lists and in lists.
func everyShape() *arrow.Schema {
	label := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	list := func(t arrow.DataType) arrow.DataType { return arrow.ListOfField(arrow.Field{Name: "element", Type: t}) }
	return arrow.NewSchema([]arrow.Field{
		{Name: "int", Type: arrow.PrimitiveTypes.Int64},
		{Name: "maybe", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "real", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "label", Type: label, Nullable: true},
		{Name: "list", Type: list(arrow.PrimitiveTypes.Int64)},
		{Name: "maybe_list", Type: list(arrow.PrimitiveTypes.Int64), Nullable: true},
		{Name: "labels", Type: list(label), Nullable: true},
	}, nil)
}

// draw builds a batch of any rows of that schema.
func draw(t *rapid.T, mem memory.Allocator, s *arrow.Schema) arrow.RecordBatch {
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for _, column := range b.Fields() {
		if list, ok := column.(*array.ListBuilder); ok {
			list.ValueBuilder().Reserve(1) // the library does not take labels without a buffer
		}
	}
	for range rapid.IntRange(0, 40).Draw(t, "rows") {
		for i, f := range s.Fields() {
			drawValue(t, b.Field(i), f.Nullable)
		}
	}
	return b.NewRecordBatch()
}

func drawValue(t *rapid.T, b array.Builder, nullable bool) {
	if nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(rapid.Int64().Draw(t, "int"))
	case *array.Float64Builder:
		b.Append(rapid.Float64().Draw(t, "real"))
	case *array.StringBuilder:
		b.Append(rapid.SampledFrom([]string{"", "a", "ü", "long enough"}).Draw(t, "text"))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(rapid.SampledFrom([]string{"", "a", "ü"}).Draw(t, "word")); err != nil {
			t.Fatal(err)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			drawValue(t, b.ValueBuilder(), false)
		}
	}
}

// TestColumnsAgainstLibrary: whatever the rows, and wherever they are cut out of a
// longer batch, the columns written apart are byte for byte the file that the
// library writes.
func TestColumnsAgainstLibrary(t *testing.T) {
	schema := everyShape()
	if !hasColumns(schema) {
		t.Fatal("the schema is left to the library")
	}
	rapid.Check(t, func(rt *rapid.T) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		whole := draw(rt, mem, schema)
		defer whole.Release()
		from := rapid.Int64Range(0, whole.NumRows()).Draw(rt, "from")
		rec := whole.NewSlice(from, rapid.Int64Range(from, whole.NumRows()).Draw(rt, "to"))
		defer rec.Release()
		var got, want bytes.Buffer
		w, err := Open(&got, schema, mem)
		if err != nil {
			rt.Fatal(err)
		}
		lib, err := pqarrow.NewFileWriter(schema, keepOpen{&want}, writerProperties(schema, mem),
			pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema(), pqarrow.WithAllocator(mem)))
		if err != nil {
			rt.Fatal(err)
		}
		for range 2 { // the second batch goes into the same row group
			if err := errors.Join(w.Write(rec), lib.WriteBuffered(rec)); err != nil {
				rt.Fatal(err)
			}
			if rec.NumRows() == 0 {
				break // the library begins a row group for no rows
			}
		}
		if err := errors.Join(w.Close(), lib.Close()); err != nil {
			rt.Fatal(err)
		}
		if rec.NumRows() > 0 && !bytes.Equal(got.Bytes(), want.Bytes()) {
			rt.Fatalf("%d bytes differ from the library's %d", got.Len(), want.Len())
		}
	})
}

// TestNestedSchema: fields of other writers that are more than one column go through
// the library.
func TestNestedSchema(t *testing.T) {
	mem := checked(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "pair", Type: arrow.StructOf(
		arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String})}}, nil)
	if hasColumns(schema) {
		t.Fatal("the schema is not left to the library")
	}
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	if err := b.UnmarshalJSON([]byte(`{"pair":{"a":1,"b":"x"}}`)); err != nil {
		t.Fatal(err)
	}
	table := arrowio.FromBatches("nested", schema, []arrow.RecordBatch{b.NewRecordBatch()})
	defer table.Release()
	var out bytes.Buffer
	if err := write(&out, table, mem); err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	cells := got.Arrow(mem)
	defer cells.Release()
	if text := cells.Column(0).Data().Chunk(0).String(); got.NumRows() != 1 || text != `{[1] ["x"]}` {
		t.Errorf("read %d rows, %s", got.NumRows(), text)
	}
}

// TestNullListWithElements: such a list would give its elements to its neighbours.
func TestNullListWithElements(t *testing.T) {
	mem := checked(t)
	field := arrow.Field{Name: "list", Type: arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Int64}), Nullable: true}
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.AppendValues([]int64{1, 2, 3}, nil)
	elements := b.NewArray()
	defer elements.Release()
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2, 3}))
	valid := memory.NewBufferBytes([]byte{0b10})
	data := array.NewData(field.Type, 2, []*memory.Buffer{valid, offsets}, []arrow.ArrayData{elements.Data()}, 1, 0)
	defer data.Release()
	list := array.NewListData(data)
	defer list.Release()
	if _, err := new(levels).of(list, true); !errors.Is(err, errNullList) {
		t.Errorf("error %v; want %v", err, errNullList)
	}
}
