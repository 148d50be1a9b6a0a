//go:build unix

package wholefile_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/inferlab/inferlab/internal/wholefile"
)

// TestPipesAreNotReplaced stands for every special file: replacing a device by a
// file of its name would damage the machine.
func TestPipesAreNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if wholefile.Check(path) == nil {
		t.Error("a pipe passed the check")
	}
	if err := wholefile.Write(path, func(io.Writer) error { return nil }); err == nil {
		t.Error("a pipe was written over")
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
}

// TestUmaskDecides checks that a new file is as readable as the umask allows.
func TestUmaskDecides(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "x")
	if err := wholefile.Write(path, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
