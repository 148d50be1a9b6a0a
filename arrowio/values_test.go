package arrowio

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/simcore/issue"
)

// reread sends a table through an IPC file, so that it consists of batches.
func reread(t *testing.T, table *Table) *Table {
	t.Helper()
	mem := checked(t)
	var out bytes.Buffer
	if err := writeTable(&out, table, OpenIPC, mem); err != nil {
		t.Fatal(err)
	}
	got, err := ReadIPC(bytes.NewReader(out.Bytes()), mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(got.Release)
	return got
}

func TestValues(t *testing.T) {
	made := Serving(samplerun.Small(), Options{})
	for name, get := range map[string]func(*Table) *Table{
		"made": func(t *Table) *Table { return t }, "read": func(table *Table) *Table { return reread(t, table) },
	} {
		t.Run(name, func(t *testing.T) {
			tokens, requests := get(made.Tokens()), get(made.Requests())
			values, valid, err := tokens.Floats("itl_ns")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]float64{0, 0, 40, 40, 0, 60, 0, 60, 60}, values); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]bool{false, false, true, true, false, true, true, true, true}, valid); diff != "" {
				t.Error(diff)
			}
			samples, err := tokens.Samples("itl_ns")
			if diff := cmp.Diff([]float64{40, 40, 60, 0, 60, 60}, samples); diff != "" || err != nil {
				t.Error(diff, err)
			}
			means, valid, err := requests.Floats("tpot_ns_per_token")
			if diff := cmp.Diff([]float64{40, 0, 45}, means); diff != "" || err != nil || valid[1] {
				t.Error(diff, err, valid)
			}
			ttft, valid, err := requests.Ints("ttft_ns")
			if diff := cmp.Diff([]int64{145, 90, 90}, ttft); diff != "" || err != nil || valid != nil {
				t.Error(diff, err, valid)
			}
			ids, valid, err := requests.Strings("request_id")
			if diff := cmp.Diff([]string{"a", "b", `ü "<x>",`}, ids); diff != "" || err != nil || valid != nil {
				t.Error(diff, err, valid)
			}
			for column, code := range map[string]string{"ttft": "unknown_column", "request_id": "column_type"} {
				_, _, err := requests.Floats(column)
				if got := issue.All(err); len(got) != 1 || got[0].Code != code || got[0].Path != "requests."+column {
					t.Errorf("%s: error %v; want %s", column, err, code)
				}
			}
		})
	}
}

// TestFloatsWithoutCopy: a float64 column of one batch is the batch's own memory.
func TestFloatsWithoutCopy(t *testing.T) {
	table := reread(t, Serving(samplerun.Small(), Options{}).Resources())
	first, _, err := table.Floats("utilization")
	if err != nil {
		t.Fatal(err)
	}
	buffer := table.kept[0].Column(5).Data().Buffers()[1].Bytes()
	if unsafe.SliceData(first) != (*float64)(unsafe.Pointer(unsafe.SliceData(buffer))) {
		t.Error("the column was copied")
	}
}

// TestGatherJoinsBatches reads a column over several batches.
func TestGatherJoinsBatches(t *testing.T) {
	run := samplerun.Large(1000, 140)
	table := reread(t, Serving(run, Options{}).Tokens())
	got, valid, err := table.Ints("itl_ns")
	if err != nil {
		t.Fatal(err)
	}
	want, wantValid, err := Serving(run, Options{}).Tokens().Ints("itl_ns")
	if err != nil || len(table.kept) < 2 {
		t.Fatal(err, len(table.kept))
	}
	if !cmp.Equal(got, want) || !cmp.Equal(valid, wantValid) {
		t.Error("the joined column differs")
	}
	if empty, _, err := FromBatches("x", arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil), nil).Ints("a"); len(empty) != 0 || err != nil {
		t.Error("a column of no batches is empty")
	}
}
