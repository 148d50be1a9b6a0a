package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/arrowio/export"
)

// TestExportGivesTheTablesOfTheRun compares tables made of the exported document
// with those that the run itself wrote.
func TestExportGivesTheTablesOfTheRun(t *testing.T) {
	dir := t.TempDir()
	document, direct, exported := filepath.Join(dir, "run.json"), filepath.Join(dir, "direct"), filepath.Join(dir, "exported")
	code, stdout, stderr := inferlab("serving", "multi-gpu", sample, "--arrow", direct)
	if code != exitDone {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(document, []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := inferlab("export", document, "--format", "arrow", "-o", exported); code != exitDone {
		t.Fatal(stderr)
	}
	for _, name := range []string{"tokens.arrow", "batches.arrow", "resources.arrow"} {
		want, err := os.ReadFile(filepath.Join(direct, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(exported, name))
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %d bytes, %v; the run wrote %d", name, len(got), err, len(want))
		}
	}
	code, rows, stderr := inferlab("export", document, "--tables", "requests", "--format", "csv", "-o", "-")
	if lines := strings.Split(strings.TrimSpace(rows), "\n"); code != exitDone || len(lines) != 25 || !strings.HasPrefix(lines[0], "request_id") {
		t.Errorf("exit %d, %d lines, stderr %q", code, len(lines), stderr)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{document}, "-o"},
		{[]string{document, "-o", "-"}, "one table"},
		{[]string{document, "-o", "-", "--tables", "request"}, "request"},
		{[]string{document, "-o", exported, "--format", "xlsx"}, "xlsx"},
		{[]string{sample, "-o", exported}, "serving.yaml"},
		{[]string{filepath.Join(dir, "none.json"), "-o", exported}, "none.json"},
	} {
		code, stdout, stderr := inferlab(append([]string{"export"}, c.args...)...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

// A refused export leaves nothing behind and names a way out.
func TestExportRefusals(t *testing.T) {
	dir := t.TempDir()
	document, short, out := filepath.Join(dir, "run.json"), filepath.Join(dir, "short.json"), filepath.Join(dir, "out")
	for file, args := range map[string][]string{document: nil, short: {"--summary"}} {
		code, stdout, stderr := inferlab(append([]string{"serving", "multi-gpu", sample}, args...)...)
		if code != exitDone {
			t.Fatal(stderr)
		}
		if err := os.WriteFile(file, []byte(stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want []string }{
		{[]string{document, "--tables", "acceptance_by_position"}, []string{`"acceptance_by_position" is not in ` + document + ", which gives requests, ", "--trace FILE.json"}},
		{[]string{document, "--tables", "nosuch"}, []string{`no table "nosuch"; there are requests, tokens`}},
		{[]string{short}, []string{"this is a summary", "without --summary", "--trace FILE.json"}},
	} {
		code, stdout, stderr := inferlab(append([]string{"export", "-o", out}, c.args...)...)
		for _, want := range c.want {
			if code != exitFailure || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%v: exit %d, stdout %q, stderr %q; want %q", c.args, code, stdout, stderr, want)
			}
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refusal left the folder (%v)", err)
	}
	if code, _, stderr := inferlab("tables", "nosuch"); code != exitFailure || !strings.Contains(stderr, `unknown table "nosuch"; there are `) || !strings.Contains(stderr, "operations") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func TestTablesAreDescribed(t *testing.T) {
	code, stdout, _ := inferlab("tables", "requests")
	if code != exitDone || !strings.Contains(stdout, "ttft_ns") || strings.Contains(stdout, "batch_members") {
		t.Errorf("exit %d:\n%s", code, stdout)
	}
	if code, all, _ := inferlab("tables", "--format", "table"); code != exitDone || !strings.Contains(all, "batch_members") {
		t.Errorf("exit %d", code)
	}
	if code, _, stderr := inferlab("tables", "requsts"); code != exitFailure || !strings.Contains(stderr, "requests") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

// TestTablesForPrograms: the catalog as JSON names every table with its fields.
func TestTablesForPrograms(t *testing.T) {
	code, stdout, stderr := inferlab("tables", "--format", "json")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var doc struct {
		Tables []struct {
			Table    string
			Revision int64
			Fields   []struct {
				Name, Type, Unit, Description string
				Nullable                      bool
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	catalog := export.Catalog()
	if len(doc.Tables) != len(catalog) {
		t.Fatalf("%d tables; want %d", len(doc.Tables), len(catalog))
	}
	for i, d := range catalog {
		got := doc.Tables[i]
		if got.Table != d.Table || got.Revision != d.Revision || len(got.Fields) != len(d.Fields) {
			t.Errorf("%s revision %d with %d fields; want %s revision %d with %d", got.Table, got.Revision, len(got.Fields), d.Table, d.Revision, len(d.Fields))
			continue
		}
		for k, f := range d.Fields {
			if g := got.Fields[k]; g.Name != f.Name || g.Type != f.Kind.String() || g.Unit != f.Unit || g.Description != f.Description || g.Nullable != f.Nullable {
				t.Errorf("%s: field %+v; want %+v", d.Table, g, f)
			}
		}
	}
}
