package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/cputime"
	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
)

// checked is an allocator that fails the test when it ends with memory in use.
func checked(t *testing.T) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// TestRoundTrip writes and reads every table, small and longer than a record
// batch, in both forms of strings; two writings give the same bytes.
func TestRoundTrip(t *testing.T) {
	for _, opt := range []arrowio.Options{{}, {PlainStrings: true}} {
		tables := arrowio.Serving(samplerun.Small(), opt).All()
		tables = append(tables, arrowio.Serving(samplerun.Large(400, 400), opt).All()...)
		for _, want := range tables {
			t.Run(fmt.Sprintf("%s %d rows plain %v", want.Name(), want.NumRows(), opt.PlainStrings), func(t *testing.T) {
				mem := checked(t)
				var first, second bytes.Buffer
				for _, out := range []*bytes.Buffer{&first, &second} {
					if err := write(out, want, mem); err != nil {
						t.Fatal(err)
					}
				}
				if !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Error("two writings differ")
				}
				got, err := Read(bytes.NewReader(first.Bytes()))
				if err != nil {
					t.Fatal(err)
				}
				defer got.Release()
				equalTables(t, mem, got, want)
			})
		}
	}
}

func equalTables(t *testing.T, mem memory.Allocator, got, want *arrowio.Table) {
	t.Helper()
	if got.Name() != want.Name() || got.NumRows() != want.NumRows() {
		t.Fatalf("table %s of %d rows; want %s of %d", got.Name(), got.NumRows(), want.Name(), want.NumRows())
	}
	if !got.Schema().Equal(want.Schema()) || !got.Schema().Metadata().Equal(want.Schema().Metadata()) {
		t.Errorf("schema is %v\nwant %v", got.Schema(), want.Schema())
	}
	a, b := got.Arrow(mem), want.Arrow(mem)
	defer a.Release()
	defer b.Release()
	for i := range int(a.NumCols()) {
		if !array.ChunkedEqual(a.Column(i).Data(), b.Column(i).Data()) {
			t.Errorf("%s differs", want.Schema().Field(i).Name)
		}
	}
}

// TestRowGroupsAndStatistics reads the footer of a file of several row groups:
// its numeric statistics are those of the rows, its labels have none, and its
// author is fixed.
func TestRowGroupsAndStatistics(t *testing.T) {
	const requests, steps = 1000, 1100
	table := arrowio.Serving(samplerun.Large(requests, steps), arrowio.Options{}).Tokens()
	var out bytes.Buffer
	if err := Write(&out, table); err != nil {
		t.Fatal(err)
	}
	pf, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer pf.Close()
	if got := pf.MetaData().GetCreatedBy(); got != createdBy {
		t.Errorf("created by %q", got)
	}
	if n := pf.NumRowGroups(); n != 2 || pf.MetaData().RowGroup(0).NumRows() != rowGroupRows {
		t.Fatalf("%d row groups, the first of %d rows", n, pf.MetaData().RowGroup(0).NumRows())
	}
	from := int64(0)
	for g := range pf.NumRowGroups() {
		group := pf.MetaData().RowGroup(g)
		to := from + group.NumRows()
		// Rows run step by step through all requests; batch_id and token_index are
		// the step, and a null itl stands at step 0.
		first, last := from/requests, (to-1)/requests
		for column, want := range map[int]minMax{
			0: {first, last, 0},
			2: {first, last, 0},
			4: {500, 506, max(0, requests-from)},
		} {
			if got := intStatistics(t, group, column); got != want {
				t.Errorf("group %d column %d: statistics %v; want %v", g, column, got, want)
			}
		}
		for _, column := range []int{1, 5} {
			chunk, err := group.ColumnChunk(column)
			if err != nil {
				t.Fatal(err)
			}
			if set, _ := chunk.StatsSet(); set {
				t.Errorf("group %d: label column %d has statistics", g, column)
			}
			if !chunk.HasDictionaryPage() {
				t.Errorf("group %d: label column %d has no dictionary", g, column)
			}
		}
		from = to
	}
}

type minMax struct{ min, max, nulls int64 }

func intStatistics(t *testing.T, group *metadata.RowGroupMetaData, column int) minMax {
	t.Helper()
	chunk, err := group.ColumnChunk(column)
	if err != nil {
		t.Fatal(err)
	}
	s, err := chunk.Statistics()
	if err != nil || s == nil || !s.HasMinMax() || !s.HasNullCount() {
		t.Fatalf("column %d has no statistics: %v", column, err)
	}
	ints := s.(*metadata.Int64Statistics)
	return minMax{ints.Min(), ints.Max(), ints.NullCount()}
}

// TestWriterFails: an error of the writer below is returned, whenever it comes,
// and the producer of batches ends. The library keeps buffers of a file that
// failed, so their memory is not counted here.
func TestWriterFails(t *testing.T) {
	table := arrowio.Serving(samplerun.Large(400, 400), arrowio.Options{}).Tokens()
	for _, limit := range []int{0, 10, 3000} {
		if err := Write(&limited{left: limit}, table); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: error %v; want %v", limit, err, errFull)
		}
	}
}

var errFull = errors.New("no space left")

// limited accepts so many bytes.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n := l.left
		l.left = 0
		return n, errFull
	}
	l.left -= len(p)
	return len(p), nil
}

// FuzzRead: no bytes make the reader panic, and a table of theirs that can be written
// is the same when it is read again.
func FuzzRead(f *testing.F) {
	for _, table := range arrowio.Serving(samplerun.Small(), arrowio.Options{}).All() {
		var out bytes.Buffer
		if err := Write(&out, table); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		defer got.Release()
		var out bytes.Buffer
		if got.NumRows() > 1000 || Write(&out, got) != nil {
			return
		}
		again, err := Read(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		defer again.Release()
		if diff := cmp.Diff(got.Cells(0, got.NumRows()), again.Cells(0, again.NumRows())); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkWriteTokens(b *testing.B) {
	table := arrowio.Serving(samplerun.Large(1000, 2000), arrowio.Options{}).Tokens()
	b.ReportAllocs()
	var size counter
	before := cputime.Used()
	for b.Loop() {
		size = 0
		if err := Write(&size, table); err != nil {
			b.Fatal(err)
		}
	}
	rows := float64(table.NumRows())
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
	b.ReportMetric(rows*float64(b.N)/(cputime.Used()-before).Seconds(), "tokens/cpu-s")
	b.ReportMetric(float64(size)/rows, "bytes/token")
}

// counter counts what is written to it.
type counter int64

var _ io.Writer = (*counter)(nil)

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
