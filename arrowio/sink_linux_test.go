package arrowio

import (
	"errors"
	"syscall"
	"testing"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
)

// TestFullDisk writes onto a file system of 1 MiB: a clean error and nothing left.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no right to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	run := samplerun.Large(500, 400) // about 8 MB of tokens
	mem := checked(t)
	sink := NewDirSink(dir, IPCExt, OpenIPC, mem)
	s, err := newServingStream(sink, nil, &run.Config, Provenance{}, Options{}, mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Release)
	for from := 0; from < len(run.Trace.Batches) && err == nil; from += 50 {
		err = s.Window(samplerun.Window(run, from, from+50), run.BatchPlans[from:from+50], run.Templates)
	}
	if err == nil {
		err = sink.Commit()
	}
	sink.Abort()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error = %v; want ENOSPC", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v", got)
	}
	err = WriteDir(dir, IPCExt, WriteIPC, Serving(run, Options{}).All()...)
	if !errors.Is(err, syscall.ENOSPC) || len(names(t, dir)) != 0 {
		t.Errorf("WriteDir: error %v, directory holds %v", err, names(t, dir))
	}
}
