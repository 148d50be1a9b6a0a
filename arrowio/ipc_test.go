package arrowio

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
)

// equalTables compares schemas with their metadata and all cells.
func equalTables(t *testing.T, mem memory.Allocator, got, want *Table) {
	t.Helper()
	if got.Name() != want.Name() || got.NumRows() != want.NumRows() {
		t.Fatalf("table %s of %d rows; want %s of %d", got.Name(), got.NumRows(), want.Name(), want.NumRows())
	}
	if !got.Schema().Equal(want.Schema()) || !got.Schema().Metadata().Equal(want.Schema().Metadata()) {
		t.Errorf("%s: schema is %v; want %v", want.Name(), got.Schema(), want.Schema())
	}
	a, b := got.Arrow(mem), want.Arrow(mem)
	defer a.Release()
	defer b.Release()
	for i := range int(a.NumCols()) {
		if !array.ChunkedEqual(a.Column(i).Data(), b.Column(i).Data()) {
			t.Errorf("%s.%s differs", want.Name(), want.Schema().Field(i).Name)
		}
	}
}

// TestIPCRoundTrip writes and reads every table, as file and as stream, and writes
// it twice to the same bytes.
func TestIPCRoundTrip(t *testing.T) {
	forms := []struct {
		open Opener
		read func([]byte, memory.Allocator) (*Table, error)
	}{
		{OpenIPC, func(b []byte, mem memory.Allocator) (*Table, error) { return ReadIPC(bytes.NewReader(b), mem) }},
		{OpenIPCStream, func(b []byte, mem memory.Allocator) (*Table, error) { return ReadIPCStream(bytes.NewReader(b), mem) }},
	}
	for _, opt := range []Options{{}, {PlainStrings: true}} {
		small, large := Serving(samplerun.Small(), opt), Serving(samplerun.Large(500, 150), opt)
		for _, want := range append(small.All(), large.Tokens(), large.Operations()) {
			for _, form := range forms {
				mem := checked(t)
				var first, second bytes.Buffer
				for _, out := range []*bytes.Buffer{&first, &second} {
					if err := writeTable(out, want, form.open, mem); err != nil {
						t.Fatal(err)
					}
				}
				if !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Errorf("%s: two writings differ", want.Name())
				}
				got, err := form.read(first.Bytes(), mem)
				if err != nil {
					t.Fatal(err)
				}
				equalTables(t, mem, got, want)
				got.Release()
			}
		}
	}
}

// TestEmptyTable: a table without rows has no batch and still a schema.
func TestEmptyTable(t *testing.T) {
	mem := checked(t)
	run := samplerun.Small()
	run.Topology.ResourceUtilization = nil
	want := Serving(run, Options{}).Resources()
	var out bytes.Buffer
	if err := writeTable(&out, want, OpenIPC, mem); err != nil {
		t.Fatal(err)
	}
	got, err := ReadIPC(bytes.NewReader(out.Bytes()), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	equalTables(t, mem, got, want)
}
