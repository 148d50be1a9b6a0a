package simcore_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/inferlab/inferlab"

// listed is what `go list` tells of one package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,Deps"}, patterns...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatalf("no package matches %v", patterns)
	}
	return packages
}

// impure names what simcore may not import: the outside world, clocks, ambient
// randomness and the tools of goroutines.
var impure = []string{"os", "net", "time", "math/rand", "crypto/rand", "log", "io/fs", "io/ioutil",
	"path/filepath", "syscall", "runtime", "sync", "context", "unsafe", "embed", "plugin", "testing"}

// TestSimcoreIsPure keeps the first rule of the house: no package of simcore
// imports the outside world, and none starts a goroutine.
func TestSimcoreIsPure(t *testing.T) {
	for _, p := range list(t, module+"/simcore/...") {
		for _, imported := range p.Imports {
			for _, bad := range impure {
				if imported == bad || strings.HasPrefix(imported, bad+"/") {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
			if strings.HasPrefix(imported, module) && !strings.HasPrefix(imported, module+"/simcore") {
				t.Errorf("%s imports %s, which lies outside simcore", p.ImportPath, imported)
			}
		}
		for _, name := range p.GoFiles {
			forbidConcurrency(t, filepath.Join(p.Dir, name))
		}
	}
}

func forbidConcurrency(t *testing.T, file string) {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			t.Errorf("%s: goroutines and channels have no place in simcore", files.Position(n.Pos()))
		}
		return true
	})
}

// engines are the packages whose transition rules the checkers must not share.
var engines = []string{"executor", "serving", "experts", "pressure", "residency", "kvcache",
	"speculative", "composed", "campaign", "run"}

// TestCheckersShareNothingWithEngines keeps the second rule: whatever a checker
// imports, directly or not, is no engine.
func TestCheckersShareNothingWithEngines(t *testing.T) {
	for _, p := range list(t, module+"/simcore/replay/...") {
		for _, dep := range p.Deps {
			for _, engine := range engines {
				if dep == module+"/simcore/"+engine || strings.HasPrefix(dep, module+"/simcore/"+engine+"/") {
					t.Errorf("%s depends on the engine %s", p.ImportPath, dep)
				}
			}
		}
	}
}

// TestSimcoreBuildsForTheBrowser compiles simcore for js/wasm.
func TestSimcoreBuildsForTheBrowser(t *testing.T) {
	cmd := exec.Command("go", "build", module+"/simcore/...")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("js/wasm: %v\n%s", err, out)
	}
}

// TestNotebookCellsStayQuick keeps Parquet, which more than doubles the link
// time of a cell, out of the packages that cells import.
func TestNotebookCellsStayQuick(t *testing.T) {
	for _, p := range list(t, module+"/notebooks/lab", module+"/simcore", module+"/report/figure", module+"/arrowio") {
		for _, dep := range p.Deps {
			if strings.Contains(dep, "/parquet") {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}
