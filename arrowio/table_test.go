package arrowio

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
)

var update = flag.Bool("update", false, "write the golden files anew")

// checked is an allocator that fails the test when it ends with memory in use.
func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// TestSmallTables compares every cell of every table with testdata/small, in both
// forms of strings.
func TestSmallTables(t *testing.T) {
	for _, opt := range []Options{{}, {PlainStrings: true}} {
		for _, table := range Serving(samplerun.Small(), opt).All() {
			var got bytes.Buffer
			if err := WriteCSV(&got, table); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "small", table.Name()+".csv")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s, plain strings %v:\n%s", table.Name(), opt.PlainStrings, diff)
			}
		}
	}
}

// TestDeclarations checks what every declared field must have.
func TestDeclarations(t *testing.T) {
	tables := Serving(samplerun.Small(), Options{}).All()
	for i, decl := range Declarations() {
		if tables[i].Name() != decl.Table {
			t.Errorf("table %d is %s; want %s", i, tables[i].Name(), decl.Table)
		}
	}
	for _, decl := range AllDeclarations() {
		if decl.Revision < 1 || decl.Contract == "" || decl.Description == "" {
			t.Errorf("%s: revision, contract or description is missing", decl.Table)
		}
		seen := map[string]bool{}
		for _, f := range decl.Fields {
			if seen[f.Name] || f.Unit == "" || f.Description == "" {
				t.Errorf("%s.%s: repeated, or without unit or description", decl.Table, f.Name)
			}
			seen[f.Name] = true
			if isTime := strings.HasSuffix(f.Name, "_ns"); isTime != (f.Kind == Int64 && f.Unit == UnitNs) {
				t.Errorf("%s.%s: _ns stands for int64 in ns and for nothing else; is %v in %s", decl.Table, f.Name, f.Kind, f.Unit)
			}
		}
	}
}

// TestSchemaMetadata: a table says what it is, where it comes from and what its
// figures mean.
func TestSchemaMetadata(t *testing.T) {
	run := samplerun.Small()
	s := Serving(run, Options{}).Tokens().Schema()
	for key, want := range map[string]string{
		"inferlab.table":               "tokens",
		"inferlab.table_revision":      "1",
		"inferlab.confidence":          "heuristic",
		"inferlab.command":             "serving",
		"inferlab.contract_revisions":  "plan=5 servingTrace=3",
		"inferlab.definition.itl":      definitionITL,
		"inferlab.definition.quantile": definitionQuantile,
	} {
		if got, _ := s.Metadata().GetValue(key); got != want {
			t.Errorf("%s is %q; want %q", key, got, want)
		}
	}
	if _, has := s.Metadata().GetValue("inferlab.scenario_id"); has {
		t.Error("a run without a scenario must not name one")
	}
	if got := ProvenanceOf(s); !cmp.Equal(got, servingProvenance(run)) {
		t.Errorf("provenance reads back as %+v", got)
	}
	f, _ := s.FieldsByName("itl_ns")
	if unit, _ := f[0].Metadata.GetValue("unit"); unit != "ns" || !f[0].Nullable || f[0].Type.ID() != arrow.INT64 {
		t.Errorf("itl_ns is %v in %q", f[0].Type, unit)
	}
}

// TestBatchesAcrossBoundaries reads a table of several record batches and compares
// each cell with the run; a batch starts within a serving batch.
func TestBatchesAcrossBoundaries(t *testing.T) {
	run := samplerun.Large(1000, 140)
	table := Serving(run, Options{}).Tokens()
	if table.NumRows() != 140_000 {
		t.Fatalf("rows = %d", table.NumRows())
	}
	var sizes []int64
	row := 0
	for rec := range table.Batches(checked(t)) {
		sizes = append(sizes, rec.NumRows())
		batch, index := rec.Column(0).(*array.Int64), rec.Column(2).(*array.Int64)
		id, at, itl := rec.Column(1).(*array.Dictionary), rec.Column(3).(*array.Int64), rec.Column(4).(*array.Int64)
		for i := range int(rec.NumRows()) {
			step, request := row/1000, row%1000
			b := &run.Trace.Batches[step]
			if batch.Value(i) != int64(step) || index.Value(i) != int64(step) || at.Value(i) != b.FinishNs() ||
				id.ValueStr(i) != run.Config.Requests[request].ID {
				t.Fatalf("row %d is batch %d, index %d, at %d, %s", row, batch.Value(i), index.Value(i), at.Value(i), id.ValueStr(i))
			}
			if itl.IsNull(i) != (step == 0) || (step > 0 && itl.Value(i) != b.DurationNs) {
				t.Fatalf("row %d: itl %s", row, itl.ValueStr(i))
			}
			row++
		}
	}
	if diff := cmp.Diff([]int64{BatchRows, BatchRows, 140_000 - 2*BatchRows}, sizes); diff != "" {
		t.Error(diff)
	}
}

// TestSliceEqualsPass: any range of rows equals the same rows of a whole pass.
func TestSliceEqualsPass(t *testing.T) {
	mem := checked(t)
	for _, table := range Serving(samplerun.Large(300, 250), Options{}).All() {
		whole := table.Arrow(mem)
		for _, r := range [][2]int64{{0, 1}, {65_530, 65_545}, {table.NumRows() - 3, table.NumRows() + 9}, {-4, 2}, {7, 7}} {
			rows := int64(0)
			for _, rec := range table.Slice(mem, r[0], r[1]) {
				from := max(r[0], 0)
				for i, col := range rec.Columns() {
					part := array.NewChunkedSlice(whole.Column(i).Data(), from, from+rec.NumRows())
					got := arrow.NewChunked(col.DataType(), []arrow.Array{col})
					if !array.ChunkedEqual(part, got) {
						t.Errorf("%s.%s rows %v differ", table.Name(), rec.ColumnName(i), r)
					}
					part.Release()
					got.Release()
				}
				rows += rec.NumRows()
				rec.Release()
			}
			if want := max(min(r[1], table.NumRows())-max(r[0], 0), 0); rows != want {
				t.Errorf("%s rows %v: %d rows; want %d", table.Name(), r, rows, want)
			}
		}
		whole.Release()
	}
}

// TestStopEarly: a loop that stops releases what it holds.
func TestStopEarly(t *testing.T) {
	for range Serving(samplerun.Large(1000, 140), Options{}).Tokens().Batches(checked(t)) {
		break
	}
}

func TestColumns(t *testing.T) {
	cols := Serving(samplerun.Small(), Options{}).Requests().Columns()
	want := Column{Name: "arrival_ns", Unit: "ns", Description: "arrival time", Numeric: true}
	if diff := cmp.Diff(want, cols[2]); diff != "" {
		t.Error(diff)
	}
	if cols[0].Numeric {
		t.Error("request_id is not numeric")
	}
}

// tokenBenchRun is about 2 million tokens.
func tokenBenchRun() *ServingTables { return Serving(samplerun.Large(1000, 2000), Options{}) }

func BenchmarkTokenBatches(b *testing.B) {
	table := tokenBenchRun().Tokens()
	b.ReportAllocs()
	for b.Loop() {
		for range table.Batches(memory.DefaultAllocator) {
		}
	}
	b.ReportMetric(float64(table.NumRows())*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
