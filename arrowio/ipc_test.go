package arrowio

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

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

// TestCutStreams: a stream that ends too early is refused wherever it is cut
// within a message, and a file is no stream.
func TestCutStreams(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, Serving(samplerun.Small(), Options{}).Tokens(), OpenIPCStream); err != nil {
		t.Fatal(err)
	}
	whole, accepted := out.Bytes(), 0
	for n := range whole {
		if got, err := ReadIPCStream(bytes.NewReader(whole[:n]), memory.DefaultAllocator); err == nil {
			accepted++
			got.Release()
		}
	}
	// Cuts between messages leave shorter streams, which the format allows: after
	// the schema, each of two dictionaries and the batch.
	if accepted > 5 {
		t.Errorf("%d of %d cut streams were accepted", accepted, len(whole))
	}
	out.Reset()
	if err := Write(&out, Serving(samplerun.Small(), Options{}).Tokens(), OpenIPC); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadIPCStream(&out, memory.DefaultAllocator); err == nil {
		t.Error("a file was read as a stream")
	}
}

// TestDamagedBytes changes every byte of a file and a stream in turn: the readers
// neither panic nor run out of memory nor linger.
func TestDamagedBytes(t *testing.T) {
	for _, open := range []Opener{OpenIPC, OpenIPCStream} {
		var out bytes.Buffer
		if err := Write(&out, Serving(samplerun.Small(), Options{}).Resources(), open); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		for i, was := range data {
			for _, damage := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
				data[i] = damage
				if got, err := ReadIPC(bytes.NewReader(data), memory.DefaultAllocator); err == nil {
					got.Release()
				}
				if got, err := ReadIPCStream(bytes.NewReader(data), memory.DefaultAllocator); err == nil {
					got.Release()
				}
			}
			data[i] = was
		}
	}
}

// FuzzReadIPC: no bytes make the readers panic or keep memory, and a table of theirs
// that can be written is the same when it is read again. Run it with
// -fuzzminimizetime=10x: the library's coverage varies, which makes minimising endless.
func FuzzReadIPC(f *testing.F) {
	for _, table := range Serving(samplerun.Small(), Options{}).All() {
		for _, open := range []Opener{OpenIPC, OpenIPCStream} {
			var out bytes.Buffer
			if err := Write(&out, table, open); err != nil {
				f.Fatal(err)
			}
			f.Add(out.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := ReadIPC(bytes.NewReader(data), memory.DefaultAllocator); err == nil {
			readAgain(t, got)
		}
		if got, err := ReadIPCStream(bytes.NewReader(data), memory.DefaultAllocator); err == nil {
			readAgain(t, got)
		}
	})
}

// readAgain writes a table, reads it and compares; it releases the table.
func readAgain(t *testing.T, table *Table) {
	t.Helper()
	defer table.Release()
	var out bytes.Buffer
	if table.NumRows() > 1000 || WriteIPC(&out, table) != nil {
		return
	}
	again, err := ReadIPC(bytes.NewReader(out.Bytes()), checked(t))
	if err != nil {
		t.Fatalf("what was written is not read: %v", err)
	}
	defer again.Release()
	if diff := cmp.Diff(table.Cells(0, table.NumRows()), again.Cells(0, again.NumRows())); diff != "" {
		t.Error(diff)
	}
}
