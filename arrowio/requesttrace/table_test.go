package requesttrace

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/workload"
)

// tableOf builds a table of one batch by appending to the builders of its fields.
func tableOf(t *testing.T, fields []arrow.Field, fill func(b *array.RecordBuilder)) *arrowio.Table {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	rb := array.NewRecordBuilder(mem, schema)
	defer rb.Release()
	fill(rb)
	table := arrowio.FromBatches("trace", schema, []arrow.RecordBatch{rb.NewRecordBatch()})
	t.Cleanup(table.Release)
	return table
}

// TestFromParquet writes a foreign table with timestamps and narrow integers into a
// Parquet file and imports what is read back.
func TestFromParquet(t *testing.T) {
	table := tableOf(t, []arrow.Field{
		{Name: "when", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "in", Type: arrow.PrimitiveTypes.Int32}, {Name: "output_tokens", Type: arrow.PrimitiveTypes.Uint16},
		{Name: "id", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "model", Type: arrow.BinaryTypes.String},
	}, func(b *array.RecordBuilder) {
		b.Field(0).(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{-1, 0, 1_500_001}, nil)
		b.Field(1).(*array.Int32Builder).AppendValues([]int32{5, 6, 7}, nil)
		b.Field(2).(*array.Uint16Builder).AppendValues([]uint16{1, 65535, 3}, nil)
		b.Field(3).(*array.StringBuilder).AppendValues([]string{"x", "", "z"}, []bool{true, false, true})
		b.Field(4).(*array.StringBuilder).AppendValues([]string{"m", "m", "m"}, nil)
	})
	var file bytes.Buffer
	if err := parquetio.Write(&file, table); err != nil {
		t.Fatal(err)
	}
	read, err := parquetio.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer read.Release()
	got, err := FromTable(read, "t.parquet", Options{Columns: map[string]string{"arrival_ns": "when", "prompt_tokens": "in"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Request{
		{ID: "x", PromptTokens: 5, OutputTokens: 1},
		{ID: "request-000002", ArrivalNs: 1000, PromptTokens: 6, OutputTokens: 65535},
		{ID: "z", ArrivalNs: 1_500_002_000, PromptTokens: 7, OutputTokens: 3},
	}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Error(diff)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Path != "t.parquet:1:5" {
		t.Errorf("warnings = %v; want one of column 5", got.Warnings)
	}
}

func TestFromTableLimitAndUnits(t *testing.T) {
	table := tableOf(t, []arrow.Field{
		{Name: "arrival_ms", Type: arrow.PrimitiveTypes.Int64}, {Name: "prompt_tokens", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "output_tokens", Type: arrow.PrimitiveTypes.Int16}, {Name: "priority", Type: arrow.PrimitiveTypes.Uint32},
	}, func(b *array.RecordBuilder) {
		b.Field(0).(*array.Int64Builder).AppendValues([]int64{3, 4, -1}, nil)
		b.Field(1).(*array.Uint64Builder).AppendValues([]uint64{5, 6, 7}, nil)
		b.Field(2).(*array.Int16Builder).AppendValues([]int16{1, 2, 3}, nil)
		b.Field(3).(*array.Uint32Builder).AppendValues([]uint32{0, 9, 0}, nil)
	})
	got, err := FromTable(table, "t", Options{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Request{
		{ID: "request-000001", ArrivalNs: 3_000_000, PromptTokens: 5, OutputTokens: 1},
		{ID: "request-000002", ArrivalNs: 4_000_000, PromptTokens: 6, OutputTokens: 2, Priority: 9},
	}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Error(diff)
	}
}

func TestFromTableRefusals(t *testing.T) {
	ints := func(names ...string) []arrow.Field {
		var out []arrow.Field
		for _, n := range names {
			out = append(out, arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		}
		return out
	}
	row := func(values ...int64) func(*array.RecordBuilder) {
		return func(b *array.RecordBuilder) {
			for i, v := range values {
				if v == 404 {
					b.Field(i).AppendNull()
					continue
				}
				b.Field(i).(*array.Int64Builder).Append(v)
			}
		}
	}
	floats := ints("arrival_s", "prompt_tokens", "output_tokens")
	floats[0].Type = arrow.PrimitiveTypes.Float64
	for _, c := range []struct {
		name       string
		fields     []arrow.Field
		fill       func(*array.RecordBuilder)
		code, path string
	}{
		{"no arrival", ints("prompt_tokens", "output_tokens"), row(1, 1), "trace_header", "f:1:1"},
		{"no output", ints("arrival_ns", "prompt_tokens"), row(1, 1), "trace_header", "f:1:1"},
		{"null", ints("arrival_ns", "prompt_tokens", "output_tokens"), row(1, 404, 1), "trace_null", "f:1:2"},
		{"negative arrival", ints("arrival_ns", "prompt_tokens", "output_tokens"), row(-1, 1, 1), "trace_time", "f:1:1"},
		{"negative count", ints("arrival_ns", "prompt_tokens", "output_tokens"), row(1, 1, -4), "trace_number", "f:1:3"},
		{"no rows", ints("arrival_ns", "prompt_tokens", "output_tokens"), row(), "trace_empty", "f"},
		{"float arrival", floats, func(b *array.RecordBuilder) {
			b.Field(0).(*array.Float64Builder).Append(0.5)
			b.Field(1).(*array.Int64Builder).Append(1)
			b.Field(2).(*array.Int64Builder).Append(1)
		}, "trace_type", "f:1:1"},
	} {
		_, err := FromTable(tableOf(t, c.fields, c.fill), "f", Options{})
		var got *issue.Error
		if !errors.As(err, &got) || got.Code != c.code || got.Path != c.path {
			t.Errorf("%s: error %v; want %s at %s", c.name, err, c.code, c.path)
		}
	}
}
