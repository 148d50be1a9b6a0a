package notebooks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/notebooks/run"
)

// TestExamplesMirrorCells holds the façade's documentation to the notebooks: each of
// its functions that a cell calls is called in an Example.
func TestExamplesMirrorCells(t *testing.T) {
	shown := exampleCalls(t, "../simcore/*_test.go")
	calls := regexp.MustCompile(`\bsimcore\.([A-Z]\w*)\(`)
	used := 0
	for _, path := range goNotebooks(t) {
		nb, err := run.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells() {
			if c.Type() != "code" {
				continue
			}
			for _, m := range calls.FindAllStringSubmatch(c.Source(), -1) {
				used++
				if !shown[m[1]] {
					t.Errorf("%s: cell %s calls simcore.%s, which no Example shows", path, c.ID(), m[1])
				}
			}
		}
	}
	if used < 20 {
		t.Errorf("the notebooks call the façade %d times", used)
	}
}

// exampleCalls are the functions of package simcore that the Example functions of
// some files call.
func exampleCalls(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "simcore" {
						called[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	return called
}
