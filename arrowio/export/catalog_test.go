package export

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
)

var updatePage = flag.Bool("update-tables-page", false, "write docs/tables.md")

// TestTablesPage keeps docs/tables.md equal to what the declarations say, which is
// also what the command tables prints.
func TestTablesPage(t *testing.T) {
	const path = "../../docs/tables.md"
	var want bytes.Buffer
	if err := arrowio.Describe(&want, Catalog()...); err != nil {
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

// TestCatalog: the catalog holds every table once, with those of a calibration.
func TestCatalog(t *testing.T) {
	fields := map[string]int{}
	for _, d := range Catalog() {
		if fields[d.Table] > 0 || d.Revision < 1 || d.Contract == "" || d.Description == "" {
			t.Errorf("%s: repeated, or without revision, contract or description", d.Table)
		}
		fields[d.Table] = len(d.Fields)
		for _, f := range d.Fields {
			if f.Unit == "" || f.Description == "" {
				t.Errorf("%s.%s has no unit or no description", d.Table, f.Name)
			}
			if strings.HasSuffix(f.Name, "_ns") && f.Kind != arrowio.Int64 || strings.HasSuffix(f.Name, "_ns_float") && f.Kind != arrowio.Float64 {
				t.Errorf("%s.%s is a column of %s", d.Table, f.Name, f.Kind)
			}
		}
	}
	for _, name := range []string{"tokens", "serving_comparison", "kv_pages", "plan_faults", "calibration_groups", "calibration_points",
		"calibration_transports", "calibration_sizes", "calibration_samples", "calibration_refusals"} {
		if fields[name] == 0 {
			t.Errorf("%s is not in the catalog", name)
		}
	}
}
