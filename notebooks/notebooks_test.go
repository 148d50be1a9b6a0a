// Package notebooks_test executes the committed notebooks and holds them to
// what was committed.
package notebooks_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/run"
)

var update = flag.Bool("update", false, "write the notebooks as executed instead of comparing them")

// maxBytes is the size a committed notebook may have.
const maxBytes = 300 << 10

func all(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	return paths
}

// execute runs a notebook in an empty directory with the network off.
func execute(t *testing.T, nb *run.Notebook) (*run.Report, string) {
	t.Helper()
	dir := t.TempDir()
	report, err := run.Execute(t.Context(), nb, run.Options{
		Dir:         dir,
		ModuleRoot:  "..",
		CellTimeout: 2 * time.Minute,
		Env:         []string{"GOPROXY=off"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return report, dir
}

// TestCommittedOutputsHold executes every notebook and compares the document,
// byte for byte, with the committed one. After a change that is meant to show,
// go test ./notebooks -update writes them anew; look at them before committing.
func TestCommittedOutputsHold(t *testing.T) {
	for _, path := range all(t) {
		t.Run(path, func(t *testing.T) {
			committed, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			nb, err := run.Parse(committed)
			if err != nil {
				t.Fatal(err)
			}
			report, dir := execute(t, nb)
			for _, c := range report.Cells {
				t.Logf("cell %d: %s", c.Cell, c.Duration.Round(time.Millisecond))
			}
			if n := len(nb.Bytes()); n > maxBytes {
				t.Errorf("the executed notebook has %d bytes, at most %d are allowed", n, maxBytes)
			}
			if path == "quickstart.ipynb" {
				checkQuickstart(t, nb, dir)
			}
			if *update {
				if err := nb.WriteFile(path); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(committed), string(nb.Bytes())); diff != "" {
				t.Errorf("the notebook is not committed as executed (go test ./notebooks -update):\n%s", diff)
			}
		})
	}
}

// TestAnyCellRunsAgain executes every notebook with each code cell once more at
// the end, which is what a reader does who goes back after Run All.
func TestAnyCellRunsAgain(t *testing.T) {
	for _, path := range all(t) {
		t.Run(path, func(t *testing.T) {
			nb, err := run.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := run.Parse(nb.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range nb.Cells() {
				if c.Type() == "code" {
					twice.Append(c)
				}
			}
			execute(t, twice)
			cells := twice.Cells()
			again := cells[len(nb.Cells()):]
			for _, c := range cells[:len(nb.Cells())] {
				if c.Type() != "code" {
					continue
				}
				if diff := cmp.Diff(c.Outputs(), again[0].Outputs()); diff != "" {
					t.Errorf("cell %s shows something else the second time:\n%s", c.ID(), diff)
				}
				again = again[1:]
			}
		})
	}
}

// checkQuickstart looks for what the quickstart promises to show and to write.
func checkQuickstart(t *testing.T, nb *run.Notebook, dir string) {
	t.Helper()
	pictures := 0
	for _, c := range nb.Cells() {
		for _, o := range c.Outputs() {
			if strings.HasPrefix(o.Data["image/svg+xml"], "<svg") {
				pictures++
			}
		}
	}
	if pictures != 3 {
		t.Errorf("the quickstart shows %d pictures, want 3", pictures)
	}
	for name, begins := range map[string]string{
		"requests.parquet": "PAR1", "tokens.parquet": "PAR1", "batches.parquet": "PAR1", "operations.parquet": "PAR1",
		"report.html": "<!",
	} {
		data, err := os.ReadFile(filepath.Join(dir, "quickstart", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(data), begins) {
			t.Errorf("%s begins with %.8q", name, data)
		}
	}
}
