package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	notebookrun "github.com/inferlab/inferlab/notebooks/run"
)

// writeCells writes a notebook of code cells; the first is tagged parameters.
func writeCells(t *testing.T, path string, cells ...string) {
	t.Helper()
	var list []any
	for i, source := range cells {
		tags := []string{}
		if i == 0 {
			tags = append(tags, "parameters")
		}
		list = append(list, map[string]any{"cell_type": "code", "source": source, "outputs": []any{},
			"execution_count": nil, "metadata": map[string]any{"tags": tags}})
	}
	data, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 4, "metadata": map[string]any{}, "cells": list})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// printed returns what the cells of a notebook file printed.
func printedBy(t *testing.T, path string) string {
	t.Helper()
	nb, err := notebookrun.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range nb.Cells() {
		for _, o := range c.Outputs() {
			b.WriteString(o.Text)
		}
	}
	return b.String()
}

const (
	parameterCell = "import (\"fmt\"; \"time\")\n\nvar (\n\tname = \"ring\"\n\tgap = 10 * time.Millisecond\n)"
	printCell     = "%%\nfmt.Println(name, gap)"
)

// One notebook told in its whole life: executed, held to its outputs, changed,
// with a parameter set, as a page, and with a failing cell.
func TestNotebookRun(t *testing.T) {
	dir := t.TempDir()
	file, other, html := filepath.Join(dir, "a.ipynb"), filepath.Join(dir, "b.ipynb"), filepath.Join(dir, "a.html")
	writeCells(t, file, parameterCell, printCell)

	if code, stdout, stderr := inferlab("notebook", "parameters", file); code != 0 || stdout != "name  value\nname  \"ring\"\ngap   10 * time.Millisecond\n" {
		t.Errorf("parameters: exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := inferlab("notebook", "run", file); code != 0 || printedBy(t, file) != "ring 10ms\n" {
		t.Fatalf("run: exit %d, printed %q\n%s", code, printedBy(t, file), stderr)
	}
	if code, stdout, stderr := inferlab("notebook", "run", file, "--check"); code != 0 || stdout != file+": the outputs hold\n" {
		t.Errorf("check: exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := inferlab("notebook", "run", file, "--set", "name=tree", "--set", "gap=2s", "--output", other); code != 0 || printedBy(t, other) != "tree 2s\n" || printedBy(t, file) != "ring 10ms\n" {
		t.Errorf("set: exit %d, printed %q\n%s", code, printedBy(t, other), stderr)
	}
	if code, _, stderr := inferlab("notebook", "run", file, "--to", "html", "--set", "name=torus"); code != 0 {
		t.Errorf("html: exit %d\n%s", code, stderr)
	} else if data, err := os.ReadFile(html); err != nil || !strings.Contains(string(data), `<pre class="stdout">torus 10ms`) {
		t.Errorf("html: %v\n%s", err, data)
	}

	changed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed = bytes.Replace(changed, []byte("ring 10ms"), []byte("ring 11ms"), 1)
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := inferlab("notebook", "run", file, "--check")
	if want := file + `: cell 2: output 1: text shows "ring 10ms", it was "ring 11ms"` + "\n"; code != exitNegative || stdout != want {
		t.Errorf("check of a changed output: exit %d\n%s%s", code, stdout, stderr)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, changed) {
		t.Errorf("--check wrote to the file (%v)", err)
	}
}

// Several notebooks at a time: each is written, the failed one is named, and
// the exit status says that one failed.
func TestNotebookRunSeveral(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	good, bad := filepath.Join(dir, "good.ipynb"), filepath.Join(dir, "bad.ipynb")
	writeCells(t, good, parameterCell, printCell)
	writeCells(t, bad, parameterCell, "%%\nfmt.Println(unknown)", printCell)
	other := filepath.Join(dir, "other.ipynb")
	python := `{"cells": [], "metadata": {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python"}}, "nbformat": 4, "nbformat_minor": 5}`
	if err := os.WriteFile(other, []byte(python), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := inferlab("notebook", "run", good, other, bad, "--output", out, "--jobs", "2")
	if note := other + ": left out, its cells are in python"; strings.Count(stderr, note) != 1 || strings.Count(stderr, other) != 1 {
		t.Errorf("want once %s in\n%s", note, stderr)
	}
	if code != exitFailure || !strings.Contains(stderr, bad+": code cell 2 of 3 failed") || !strings.Contains(stderr, ">   2 | fmt.Println(unknown)") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr, good+": executed 2 cells in ") || !strings.Contains(stderr, bad+": failed after 2 cells in ") {
		t.Errorf("progress:\n%s", stderr)
	}
	if got := printedBy(t, filepath.Join(out, "good.ipynb")); got != "ring 10ms\n" {
		t.Errorf("good printed %q", got)
	}
	if code, _, stderr := inferlab("notebook", "run", bad, "--allow-errors", "--output", out); code != 0 || !strings.HasSuffix(printedBy(t, filepath.Join(out, "bad.ipynb")), "ring 10ms\n") {
		t.Errorf("--allow-errors: exit %d, printed %q\n%s", code, printedBy(t, filepath.Join(out, "bad.ipynb")), stderr)
	}
}

// An interrupt reaches the running cell, and the file keeps what it held.
func TestNotebookRunInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ipynb")
	writeCells(t, file, "import (\"os\"; \"time\")", "%%\nos.WriteFile(\"started\", nil, 0o600)\ntime.Sleep(time.Hour)")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), "started")); err == nil {
				cancel()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	code := execute(ctx, []string{"notebook", "run", file, "--cell-timeout", "2m"}, &stdout, &stderr)
	if code != exitFailure || stderr.String() != "inferlab: interrupted; nothing was written\n" {
		t.Errorf("exit %d\n%s", code, stderr.String())
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the interrupted run wrote to the file (%v)", err)
	}
}

func TestNotebookRunRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	writeCells(t, "a.ipynb", parameterCell)
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	writeCells(t, "sub/a.ipynb", parameterCell)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"a.ipynb", "--set", "name=x"}, "notebook run: --set changes the notebook; name another file with --output"},
		{[]string{"a.ipynb", "--set", "=x", "--output", "b.ipynb"}, `notebook run: --set: found "=x", expected NAME=VALUE`},
		{[]string{"a.ipynb", "--set", "nmae=x", "--output", "b.ipynb"}, "notebook run: --set: a.ipynb: parameter nmae: there is none of this name; there are name, gap"},
		{[]string{"a.ipynb", "--check", "--to", "html"}, "notebook run: --check writes nothing and changes nothing; leave out --output, --to and --set"},
		{[]string{"a.ipynb", "--to", "pdf"}, `notebook run: --to: found "pdf", expected ipynb or html`},
		{[]string{"a.ipynb", "--jobs", "0"}, "notebook run: --jobs: found 0, expected 1 or more"},
		{[]string{"a.ipynb", "--cell-timeout", "-1s"}, "notebook run: --cell-timeout: found -1s, expected zero (no limit) or more"},
		{[]string{"a.ipynb", "sub/a.ipynb", "--output", "out"}, "notebook run: a.ipynb and sub/a.ipynb would both be written to out/a.ipynb"},
		{[]string{}, "run: missing argument FILE.ipynb\nusage: inferlab notebook run FILE.ipynb... [flags]"},
	}
	for _, tt := range tests {
		code, stdout, stderr := inferlab(append([]string{"notebook", "run"}, tt.args...)...)
		if code != exitFailure || stdout != "" || stderr != "inferlab: "+tt.want+"\n" {
			t.Errorf("%v: exit %d\n%s%s", tt.args, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 {
		t.Errorf("refusals left %v (%v)", entries, err)
	}
}
