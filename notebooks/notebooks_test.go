// Package notebooks_test executes the committed notebooks and holds them to
// what was committed.
package notebooks_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks"
	"github.com/inferlab/inferlab/notebooks/run"
)

var update = flag.Bool("update", false, "write the notebooks as executed instead of comparing them")

// maxBytes is the size a committed notebook may have.
const maxBytes = 300 << 10

// goNotebooks are the committed notebooks in Go; Python executes the others.
func goNotebooks(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		nb, err := run.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return nb.Language() != "go"
	})
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

// TestNotebooks executes every notebook and compares the document, byte for
// byte, with the committed one; then, on the same kernel, every code cell once
// more, as a reader does who goes back after Run All, which must show the same.
// The second part takes as long as the first, so without INFERLAB_LAB_TESTS
// (make lab-test) only the quickstart has it.
// After a change that is meant to show, go test ./notebooks -update writes the
// notebooks anew; look at them before committing.
func TestNotebooks(t *testing.T) {
	for _, path := range goNotebooks(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			committed, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			nb, err := run.Parse(committed)
			if err != nil {
				t.Fatal(err)
			}
			count := len(nb.Cells())
			twice := path == notebooks.QuickstartName || os.Getenv("INFERLAB_LAB_TESTS") != ""
			for _, c := range nb.Cells() {
				if twice && c.Type() == "code" {
					nb.Append(c)
				}
			}
			report, dir := execute(t, nb)
			for _, c := range report.Cells {
				t.Logf("cell %d: %s", c.Cell, c.Duration.Round(time.Millisecond))
			}
			checkAgain(t, nb.Cells()[:count], nb.Cells()[count:])
			nb.Truncate(count)
			if n := len(nb.Bytes()); n > maxBytes {
				t.Errorf("the executed notebook has %d bytes, at most %d are allowed", n, maxBytes)
			}
			if path == notebooks.QuickstartName {
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

// checkAgain compares what the code cells show the first and the second time.
func checkAgain(t *testing.T, cells, again []*run.Cell) {
	t.Helper()
	for _, c := range cells {
		if c.Type() != "code" || len(again) == 0 {
			continue
		}
		if diff := cmp.Diff(c.Outputs(), again[0].Outputs()); diff != "" {
			t.Errorf("cell %s shows something else the second time:\n%s", c.ID(), diff)
		}
		again = again[1:]
	}
}

// TestEveryNotebookTeaches holds all notebooks, also those in Python, to their
// form: a question first, parameters to change, at least one picture, and a
// conclusion in words; executed, and small enough to be looked at anywhere.
func TestEveryNotebookTeaches(t *testing.T) {
	paths, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		nb, err := run.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(nb.Bytes()); n > maxBytes {
			t.Errorf("%s has %d bytes, at most %d are allowed", path, n, maxBytes)
		}
		if cells := nb.Cells(); len(cells) == 0 || cells[0].Type() != "markdown" || !strings.Contains(cells[0].Source(), "?**") {
			t.Errorf("%s does not begin with a question", path)
		}
		if parameters, err := nb.Parameters(); nb.Language() == "go" && (err != nil || len(parameters) == 0) {
			t.Errorf("%s has no parameters (%v)", path, err)
		}
		pictures, executed := 0, true
		for _, c := range nb.Cells() {
			executed = executed && (c.Type() != "code" || c.ExecutionCount() > 0)
			for _, o := range c.Outputs() {
				if o.Type == "error" {
					t.Errorf("%s: cell %s failed: %s", path, c.ID(), o.ErrValue)
				}
				if o.Data["image/svg+xml"] != "" || o.Data["image/png"] != "" {
					pictures++
				}
			}
		}
		if pictures == 0 || !executed {
			t.Errorf("%s: %d pictures, executed %t", path, pictures, executed)
		}
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
	if pictures != 4 {
		t.Errorf("the quickstart shows %d pictures, want 4", pictures)
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
