package parquetio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/recycle"
	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
)

// TestStreamedFiles streams a run into Parquet files and reads the same tables as
// from the whole run, in spite of a dictionary that grows on the way.
func TestStreamedFiles(t *testing.T) {
	dir, mem := t.TempDir(), checked(t)
	run := samplerun.Large(600, 300)
	sink := arrowio.NewDirSink(dir, Ext, Open, mem)
	s, err := arrowio.NewServingStream(sink, nil, &run.Config, arrowio.Provenance{}, arrowio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(run.Trace.Batches); from++ {
		templates := min(from+1, len(run.Templates)) // template k first appears in batch k
		if err := s.Window(samplerun.Window(run, from, from+1), run.BatchPlans[from:from+1], run.Templates[:templates]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Commit(); err != nil {
		t.Fatal(err)
	}
	s.Release()
	whole := arrowio.Serving(run, arrowio.Options{})
	for _, want := range []*arrowio.Table{whole.Tokens(), whole.Batches(), whole.BatchMembers(), whole.Operations(), whole.Reservations()} {
		f, err := os.Open(filepath.Join(dir, want.Name()+Ext))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got.NumRows() != want.NumRows() {
			t.Fatalf("%s has %d rows; want %d", want.Name(), got.NumRows(), want.NumRows())
		}
		for _, at := range []int64{0, 1, 2, 3, 599, want.NumRows() / 2, want.NumRows() - 1} {
			x, y := got.Cells(at, at+1), want.Cells(at, at+1)
			if fmt.Sprint(x) != fmt.Sprint(y) {
				t.Errorf("%s row %d is %v; want %v", want.Name(), at, x, y)
			}
		}
		got.Release()
	}
}

// BenchmarkStreamWindow streams windows of 65,536 tokens into Parquet files, with
// all tables of the stream. -benchtime=1526x is a run of 100 million tokens, whose
// peak of resident memory is reported.
func BenchmarkStreamWindow(b *testing.B) {
	run := samplerun.Large(1024, 64)
	mem := recycle.New(memory.DefaultAllocator)
	sink := arrowio.NewDirSink(b.TempDir(), Ext, Open, mem)
	s, err := arrowio.NewServingStream(sink, nil, &run.Config, arrowio.Provenance{}, arrowio.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Window(run.Trace, run.BatchPlans, run.Templates); err != nil {
			b.Fatal(err)
		}
	}
	if err := sink.Commit(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(run.Trace.Tokens))*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
	b.ReportMetric(peakMiB(b), "MiB-peak")
}

// peakMiB is the process's peak of resident memory.
func peakMiB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skipf("no /proc to read the peak of memory from: %v", err)
	}
	var kib float64
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kib); err != nil {
				b.Fatal(err)
			}
		}
	}
	return kib / 1024
}
