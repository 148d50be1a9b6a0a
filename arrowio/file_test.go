package arrowio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/simcore/issue"
)

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestPrepareDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := PrepareDir(dir); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v; want nothing", got)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		err := PrepareDir(path)
		if got := issue.All(err); len(got) != 1 || got[0].Code != "output_path" || got[0].Path != path || !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: error %v; want output_path for ENOTDIR", path, err)
		}
	}
}

func TestWriteDir(t *testing.T) {
	dir := t.TempDir()
	tables := Serving(samplerun.Small(), Options{}).All()
	if err := WriteDir(dir, IPCExt, WriteIPC, tables...); err != nil {
		t.Fatal(err)
	}
	want := []string{"batch_members.arrow", "batches.arrow", "metrics.arrow", "operations.arrow",
		"requests.arrow", "reservations.arrow", "resources.arrow", "tokens.arrow"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	var direct bytes.Buffer
	if err := WriteIPC(&direct, tables[1]); err != nil {
		t.Fatal(err)
	}
	onDisk, err := os.ReadFile(filepath.Join(dir, "tokens.arrow"))
	if err != nil || !bytes.Equal(onDisk, direct.Bytes()) {
		t.Errorf("tokens.arrow differs from what WriteIPC writes (%v)", err)
	}
}

// TestWriteDirAllOrNone: when one table fails, nothing of this writing is left and
// an older file keeps its bytes.
func TestWriteDirAllOrNone(t *testing.T) {
	dir := t.TempDir()
	older := filepath.Join(dir, "requests.csv")
	if err := os.WriteFile(older, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	err := WriteDir(dir, CSVExt, func(w io.Writer, table *Table) error {
		if table.Name() == "batches" {
			return full
		}
		return WriteCSV(w, table)
	}, Serving(samplerun.Small(), Options{}).All()...)
	if !errors.Is(err, full) {
		t.Fatalf("error = %v", err)
	}
	if diff := cmp.Diff([]string{"requests.csv"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got, _ := os.ReadFile(older); string(got) != "older" {
		t.Errorf("the older file holds %q", got)
	}
}
