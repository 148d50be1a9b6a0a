package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written runs a command and keeps its document in a file.
func written(t *testing.T, path string, args ...string) {
	t.Helper()
	code, stdout, stderr := inferlab(args...)
	if code != exitDone {
		t.Fatalf("%v: exit %d: %s", args, code, stderr)
	}
	if err := os.WriteFile(path, []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReportCommand makes pages of documents, and pages of pages.
func TestReportCommand(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	written(t, in("a.json"), "serving", "multi-gpu", sample, "--report", in("live.html"))
	written(t, in("b.json"), "serving", "multi-node", sample, "--max-batch-size", "4")
	written(t, in("short.json"), "serving", "multi-gpu", sample, "--summary", "--trace", in("trace.json"))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"one", []string{in("a.json")}},
		{"two", []string{in("a.json"), in("b.json"), "--reference", in("b.json")}},
		{"short", []string{in("short.json"), "--trace", in("trace.json")}},
	} {
		page, again := in(c.name+".html"), in(c.name+"-again.html")
		written(t, in("said.json"), append([]string{"report", "-o", page}, c.args...)...)
		var said struct {
			Results []struct{ Fingerprint string }
		}
		if err := json.Unmarshal(contents(t, in("said.json")), &said); err != nil || len(said.Results) == 0 {
			t.Fatalf("%s: %v, results %v", c.name, err, said.Results)
		}
		if !bytes.Contains(contents(t, page), []byte(said.Results[0].Fingerprint)) {
			t.Errorf("%s: the page does not show the fingerprint %s", c.name, said.Results[0].Fingerprint)
		}
		written(t, in("said.json"), "report", "--from", page, "-o", again)
		if !bytes.Equal(contents(t, page), contents(t, again)) {
			t.Errorf("%s: the page made from the page differs", c.name)
		}
		if bytes.Contains(contents(t, page), []byte(dir)) {
			t.Errorf("%s: the page tells the folder of its maker", c.name)
		}
	}
	written(t, in("said.json"), "report", "--from", in("live.html"), "-o", in("live-again.html"))
	if !bytes.Equal(contents(t, in("live.html")), contents(t, in("live-again.html"))) {
		t.Error("the page of the run, made from itself, differs")
	}
}

// TestReportRefusals: what is missing or makes no sense is named.
func TestReportRefusals(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	written(t, in("short.json"), "serving", "multi-gpu", sample, "--summary")
	written(t, in("presets.json"), "presets")
	if err := os.WriteFile(in("other.html"), []byte("<p>hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"report " + in("short.json"), "missing -o"},
		{"report -o " + in("x.html"), "missing argument RESULT.json"},
		{"report -o " + in("x.html") + " " + in("short.json"), "serving.trace"},
		{"report -o " + in("x.html") + " " + in("presets.json"), "presets.json"},
		{"report -o " + in("x.html") + " --from " + in("other.html"), "no page"},
		{"report -o " + in("x.html") + " --from " + in("other.html") + " " + in("short.json"), "--from"},
		{"report -o " + in("x.html") + " " + in("short.json") + " --reference else.json", "--reference"},
		{"report -o " + in("nowhere/x.html") + " " + in("short.json"), "nowhere"},
	} {
		code, stdout, stderr := inferlab(strings.Fields(c.args)...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, %q; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	if _, err := os.Stat(in("x.html")); err == nil {
		t.Error("a refused command left a page")
	}
}

// TestResultBeforePage: when a page cannot be written, the whole document is out.
func TestResultBeforePage(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.json")
	written(t, whole, "serving", "multi-gpu", sample)
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	out := &vanishing{folder: gone}
	var errs bytes.Buffer
	code := execute(t.Context(), []string{"serving", "multi-gpu", sample, "--report", filepath.Join(gone, "page.html")}, out, &errs)
	if code != exitFailure || !strings.Contains(errs.String(), "the result is complete and printed") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	if !bytes.Equal(out.Bytes(), contents(t, whole)) {
		t.Errorf("%d bytes of the document were printed, want %d", out.Len(), len(contents(t, whole)))
	}
}

// vanishing takes a folder away as soon as something is printed.
type vanishing struct {
	bytes.Buffer
	folder string
}

func (v *vanishing) Write(p []byte) (int, error) {
	os.Remove(v.folder)
	return v.Buffer.Write(p)
}

// TestPerfettoFlag writes trace-event files of a served run and of a plan.
func TestPerfettoFlag(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.perfetto.json")
	if code, _, stderr := inferlab("serving", "multi-gpu", sample, "--summary", "--perfetto", file); code != exitDone {
		t.Fatal(stderr)
	}
	var doc struct{ TraceEvents []json.RawMessage }
	if err := json.Unmarshal(contents(t, file), &doc); err != nil || len(doc.TraceEvents) < 1000 {
		t.Errorf("%d events: %v", len(doc.TraceEvents), err)
	}
}
