package arrowio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/internal/wholefile"
)

var streamFiles = []string{"batch_members.arrow", "batches.arrow", "metrics.arrow", "operations.arrow", "requests.arrow",
	"reservations.arrow", "resources.arrow", "tokens.arrow"}

// TestDirSink streams a run into files and reads them back; before Commit no file
// has its name.
func TestDirSink(t *testing.T) {
	dir, mem := t.TempDir(), checked(t)
	run := samplerun.Large(500, 200)
	sink := NewDirSink(dir, IPCExt, OpenIPC, mem)
	stream(t, sink, run, 50)
	for _, name := range names(t, dir) {
		if !strings.HasPrefix(name, ".") {
			t.Errorf("%s has its name before Commit", name)
		}
	}
	if err := sink.Commit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(streamFiles, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	f, err := os.Open(filepath.Join(dir, "tokens.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := ReadIPC(f, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	equalTables(t, mem, got, Serving(run, Options{}).Tokens())
	if err := sink.Commit(); !errors.Is(err, errSinkDone) {
		t.Errorf("a second commit: %v", err)
	}
}

func TestDirSinkAbort(t *testing.T) {
	dir := t.TempDir()
	sink := NewDirSink(dir, IPCExt, OpenIPC, checked(t))
	stream(t, sink, samplerun.Large(500, 200), 50)
	sink.Abort()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v", got)
	}
	if err := sink.Create("late", arrow.NewSchema(nil, nil)); !errors.Is(err, errSinkDone) {
		t.Errorf("use after Abort: %v", err)
	}
}

// TestDirSinkReportsFailure: what a file's goroutine meets comes back from a later
// Write or from Commit, and no file stays.
func TestDirSinkReportsFailure(t *testing.T) {
	broken := errors.New("broken off")
	dir := t.TempDir()
	sink := NewDirSink(dir, "x", func(io.Writer, *arrow.Schema, memory.Allocator) (BatchWriter, error) {
		return failing{broken}, nil
	}, checked(t))
	table := Serving(samplerun.Small(), Options{}).Tokens()
	if err := sink.Create("tokens", table.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := sink.Create("tokens", table.Schema()); err == nil {
		t.Error("a table was announced twice")
	}
	if err := sink.Write("other", nil); err == nil {
		t.Error("a table that nobody announced was written")
	}
	var err error
	for range 3 { // the first is accepted; the failure is known by the third
		for rec := range table.Batches(checked(t)) {
			if e := sink.Write("tokens", rec); e != nil {
				err = e
			}
		}
	}
	if !errors.Is(err, broken) {
		t.Errorf("Write: %v; want %v", err, broken)
	}
	if err := sink.Commit(); !errors.Is(err, broken) {
		t.Errorf("Commit: %v; want %v", err, broken)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v", got)
	}
}

type failing struct{ err error }

func (f failing) Write(arrow.RecordBatch) error { return f.err }
func (f failing) Close() error                  { return nil }

// TestInterrupted runs a writer that never ends in a process of its own and ends
// it: after SIGINT, which the writer answers with Abort, and after SIGKILL nothing
// is left. Only where files must have names does a kill leave hidden ones.
func TestInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		dir := t.TempDir()
		nameless := hasNameless(t, dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestEndlessWriter$")
		cmd.Env = append(os.Environ(), "ARROWIO_ENDLESS_DIR="+dir)
		var messages bytes.Buffer
		cmd.Stderr = &messages
		output, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(output)
		if line, err := lines.ReadString('\n'); err != nil || line != "under way\n" {
			t.Fatalf("the writer says %q, %v\n%s", line, err, &messages)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, lines)
		if err := cmd.Wait(); sig == syscall.SIGINT && err != nil {
			t.Errorf("the interrupted writer failed: %v\n%s", err, &messages)
		}
		for _, name := range names(t, dir) {
			if nameless || sig == syscall.SIGINT || !strings.HasPrefix(name, ".") {
				t.Errorf("after %v the directory holds %s", sig, name)
			}
		}
	}
}

// hasNameless reports whether files of a directory can be without names.
func hasNameless(t *testing.T, dir string) bool {
	t.Helper()
	f, err := wholefile.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	return len(names(t, dir)) == 0
}

// TestEndlessWriter is the process of TestInterrupted.
func TestEndlessWriter(t *testing.T) {
	dir := os.Getenv("ARROWIO_ENDLESS_DIR")
	if dir == "" {
		t.Skip("runs only as the child process of TestInterrupted")
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	run := samplerun.Large(500, 100)
	sink := NewDirSink(dir, IPCExt, OpenIPC, memory.DefaultAllocator)
	s, err := NewServingStream(sink, nil, &run.Config, Provenance{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for window := 0; ; window++ {
		if err := s.Window(run.Trace, run.BatchPlans, run.Templates); err != nil {
			t.Fatal(err)
		}
		if window == 5 { // more than any buffer holds
			fmt.Println("under way")
		}
		select {
		case <-interrupted:
			sink.Abort()
			return
		default:
		}
	}
}
