package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/internal/wholefile"
)

func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if len(got) != len(want) {
		t.Fatalf("folder holds %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("folder holds %v, want %v", got, want)
		}
	}
}

func TestWriteReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, content := range []string{"first", "second, longer"} {
		if err := wholefile.Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	only(t, dir, "a.txt")
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken off")
	err := wholefile.Write(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file holds %q", got)
	}
	only(t, dir, "a.txt")
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := wholefile.Check(filepath.Join(dir, "new")); err != nil {
		t.Errorf("a writable place: %v", err)
	}
	only(t, dir)
	if err := wholefile.Check(dir); err == nil {
		t.Error("a folder passed as a file")
	}
	if err := wholefile.Check(filepath.Join(dir, "missing", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := wholefile.Write(filepath.Join(dir, "missing", "x"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("writing into a missing folder: %v", err)
	}
}

func TestCommitOnceAbortNever(t *testing.T) {
	dir := t.TempDir()
	f, err := wholefile.Create(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	only(t, dir, "x")
	if err := f.Commit(); err == nil {
		t.Error("a second commit was accepted")
	}
}

func TestLinksAreFollowedAndDevicesKept(t *testing.T) {
	dir := t.TempDir()
	real, link, dangling := filepath.Join(dir, "real"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("this file system has no symbolic links: %v", err)
	}
	if err := os.Symlink("nowhere/x", dangling); err != nil {
		t.Fatal(err)
	}
	write := func(path string) error {
		return wholefile.Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return err
		})
	}
	if err := write(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the old file is lost: %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(real); string(got) != "new" {
		t.Errorf("the linked file holds %q", got)
	}
	for _, path := range []string{dangling, dir} {
		if wholefile.Check(path) == nil || write(path) == nil {
			t.Errorf("%s was taken for a file", path)
		}
	}
}

func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("n", 250))
	if err := wholefile.Check(path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := wholefile.Write(path, func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }); err != nil {
			t.Fatal(err)
		}
	}
	only(t, dir, filepath.Base(path))
}
