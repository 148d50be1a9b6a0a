package arrowio

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updatePage = flag.Bool("update-tables-page", false, "write docs/tables.md")

// TestTablesPage keeps docs/tables.md equal to what the declarations say, which is
// also what the command tables prints.
func TestTablesPage(t *testing.T) {
	const path = "../docs/tables.md"
	var want bytes.Buffer
	if err := Describe(&want, AllDeclarations()...); err != nil {
		t.Fatal(err)
	}
	if *updatePage {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want.String()); diff != "" {
		t.Errorf("docs/tables.md is not up to date; run inferlab tables > docs/tables.md (-page +declarations):\n%s", diff)
	}
}
