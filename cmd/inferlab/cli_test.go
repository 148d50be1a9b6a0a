package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// inferlab runs one command line in this process.
func inferlab(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = execute(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestTranscripts plays testdata/cli: what a person types and what comes back.
//
//	file NAME        the input becomes a file of that name in an empty folder
//	inferlab …       the arguments stand in the input, one a line; the answer is
//	                 the exit status, the first lines of stdout, and stderr
func TestTranscripts(t *testing.T) {
	t.Chdir(t.TempDir())
	datadriven.RunTest(t, filepath.Join(packageDir, "testdata", "cli"), func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "file":
			if err := os.WriteFile(d.CmdArgs[0].Key, []byte(d.Input+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return ""
		case "inferlab":
			code, stdout, stderr := inferlab(strings.Split(d.Input, "\n")...)
			return fmt.Sprintf("exit %d\n%s%s", code, excerpt(stdout), stderr)
		}
		t.Fatalf("unknown directive %s", d.Cmd)
		return ""
	})
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".html") {
			t.Errorf("a refused command left %s behind", e.Name())
		}
	}
}

// packageDir is the folder of this package, kept before tests change folders.
var packageDir = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

func excerpt(text string) string {
	const shown = 12
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= shown {
		return text
	}
	return strings.Join(lines[:shown], "") + fmt.Sprintf("… %d more lines\n", len(lines)-shown-1)
}

const sample = "../../testdata/serving.yaml"

func TestEveryCommandExplainsItself(t *testing.T) {
	a := &app{stdout: os.Stdout, stderr: os.Stderr}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Runnable() && !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s: a short text or an example is missing", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	for _, c := range a.commands() {
		walk(c)
		code, stdout, stderr := inferlab(c.Name(), "--help")
		if code != exitDone || !strings.Contains(stdout, "Usage:") || stderr != "" {
			t.Errorf("%s --help: exit %d, stderr %q", c.Name(), code, stderr)
		}
	}
}

func TestCompletionScriptsAreMade(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, _ := inferlab("completion", shell); code != exitDone || !strings.Contains(stdout, "inferlab") {
			t.Errorf("completion %s: exit %d, %d bytes", shell, code, len(stdout))
		}
	}
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("no JSON document: %v", err)
	}
	return doc
}

func TestSummaryIsTheDocumentWithoutEvidence(t *testing.T) {
	_, full, _ := inferlab("serving", "multi-gpu", sample)
	code, summary, stderr := inferlab("serving", "multi-gpu", sample, "--summary")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	whole, short := decode(t, full), decode(t, summary)
	delete(whole, "batches")
	delete(whole, "inputs")
	delete(whole, "inputs")
	inner := whole["serving"].(map[string]any)
	delete(inner, "trace")
	for _, r := range inner["requests"].([]any) {
		delete(r.(map[string]any), "tokenTimestampsNs")
	}
	if diff := cmp.Diff(whole, short); diff != "" {
		t.Errorf("summary differs (-document without evidence +summary):\n%s", diff)
	}
}

// TestLimitFlagsAct checks that every scheduler flag changes the run, and that a
// flag is stronger than the file.
func TestLimitFlagsAct(t *testing.T) {
	_, base, _ := inferlab("serving", "multi-gpu", sample, "--summary")
	for _, flag := range []string{"--max-batch-size=1", "--max-batch-tokens=16", "--prefill-chunk-tokens=8", "--max-kv-tokens=900"} {
		code, got, stderr := inferlab("serving", "multi-gpu", sample, "--summary", flag)
		if code != exitDone {
			t.Errorf("%s: exit %d: %s", flag, code, stderr)
		}
		if got == base {
			t.Errorf("%s changed nothing", flag)
		}
	}
	if code, _, stderr := inferlab("serving", "multi-gpu", sample, "--summary", "--max-events=10"); code != exitFailure || !strings.Contains(stderr, "10") {
		t.Errorf("--max-events=10: exit %d, stderr %q", code, stderr)
	}
}

func TestRequestTraceFlagsAct(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "conv.csv")
	rows := "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2024-05-01 10:00:00.0000000,100,5\r\n" +
		"2024-05-01 10:00:00.0100001,0,7\r\n2024-05-01 10:00:00.2500000,60,1\r\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := inferlab("serving", "multi-gpu", "--trace", path, "--trace-format", "azure"); code != exitFailure || stdout != "" || !strings.Contains(stderr, "conv.csv:3:") {
		t.Errorf("a row without prompt tokens: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	for _, c := range []struct {
		flags []string
		want  float64
	}{{[]string{"--skip-empty"}, 2}, {[]string{"--limit", "1"}, 1}} {
		code, stdout, stderr := inferlab(append([]string{"serving", "multi-gpu", "--trace", path, "--trace-format", "azure", "--summary"}, c.flags...)...)
		if code != exitDone {
			t.Fatalf("%v: exit %d: %s", c.flags, code, stderr)
		}
		metrics := decode(t, stdout)["serving"].(map[string]any)["metrics"].(map[string]any)
		if metrics["requests"] != c.want {
			t.Errorf("%v: served %v requests, want %v", c.flags, metrics["requests"], c.want)
		}
	}
	// A configuration file gives the limits, the trace the requests.
	code, stdout, stderr := inferlab("serving", "multi-gpu", sample, "--trace", path, "--trace-format", "azure", "--skip-empty", "--summary")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	requests := decode(t, stdout)["serving"].(map[string]any)["requests"].([]any)
	if got := requests[1].(map[string]any)["arrivalNs"]; len(requests) != 2 || got != 250e6 {
		t.Errorf("requests: %v", requests)
	}
}

// TestOutputsAreWholeAndRepeat writes everything twice and compares the bytes.
func TestOutputsAreWholeAndRepeat(t *testing.T) {
	var first map[string][]byte
	for range 2 {
		dir := t.TempDir()
		code, _, stderr := inferlab("serving", "multi-gpu", sample, "--summary", "--report", filepath.Join(dir, "run.html"),
			"--parquet", filepath.Join(dir, "tables"), "--arrow", filepath.Join(dir, "arrow"), "--trace", filepath.Join(dir, "trace.json"))
		if code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		files := map[string][]byte{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, _ := filepath.Rel(dir, path)
			files[name], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"run.html", "trace.json", "tables/requests.parquet", "tables/tokens.parquet", "tables/batches.parquet", "tables/operations.parquet", "arrow/requests.arrow"} {
			if len(files[want]) == 0 {
				t.Errorf("%s is missing", want)
			}
		}
		if first == nil {
			first = files
			continue
		}
		for name, data := range files {
			if !bytes.Equal(data, first[name]) {
				t.Errorf("%s differs from run to run", name)
			}
		}
	}
	trace := decode(t, string(first["trace.json"]))
	if trace["kind"] != "inferlab/serving-trace" || trace["inputs"] == nil {
		t.Errorf("protocol trace: kind %v", trace["kind"])
	}
}

func TestPlainStringsChangeTheTables(t *testing.T) {
	read := func(flags ...string) []byte {
		dir := t.TempDir()
		if code, _, stderr := inferlab(append([]string{"serving", "multi-gpu", sample, "--summary", "--parquet", dir}, flags...)...); code != exitDone {
			t.Fatal(stderr)
		}
		data, err := os.ReadFile(filepath.Join(dir, "tokens.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if bytes.Equal(read(), read("--plain-strings")) {
		t.Error("--plain-strings changed nothing")
	}
}

// TestUnwritableOutputsAreRefusedFirst checks that no simulation output appears
// when a file could not be written.
func TestUnwritableOutputsAreRefusedFirst(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{
		{"--report", filepath.Join(dir, "missing", "run.html")}, {"--report", dir},
		{"--parquet", filepath.Join(file, "x")}, {"--arrow", file}, {"--trace", filepath.Join(dir, "missing", "t.json")},
	} {
		code, stdout, stderr := inferlab(append([]string{"serving", "multi-gpu", sample}, flags...)...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, flags[1]) {
			t.Errorf("%v: exit %d, %d bytes on stdout, stderr %q", flags, code, len(stdout), stderr)
		}
	}
}

func TestInterruptedRunsWriteNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := execute(ctx, []string{"serving", "multi-gpu", sample, "--report", filepath.Join(dir, "run.html")}, &out, &errs)
	if code != exitFailure || out.Len() != 0 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit %d, %d bytes on stdout, stderr %q", code, out.Len(), errs.String())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
}

func TestPlanArtifactsRunAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	code, artifact, stderr := inferlab("plan-export", "multi-gpu", "../../testdata/target-only.yaml")
	if code != exitDone {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(path, []byte(artifact), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := inferlab("plan-run", path)
	if code != exitDone {
		t.Fatal(stderr)
	}
	_, run, _ := inferlab("run", "multi-gpu", "../../testdata/target-only.yaml")
	executed := decode(t, stdout)["execution"].(map[string]any)["completedAtNs"]
	if want := decode(t, run)["metrics"].(map[string]any)["totalDurationNs"]; executed != want || want != 1099496.0 {
		t.Errorf("plan-run completes at %v, run at %v", executed, want)
	}
	if code, _, stderr := inferlab("plan-run", strings.TrimSuffix(path, ".json")); code != exitFailure || !strings.Contains(stderr, "cannot read") {
		t.Errorf("a missing artifact: exit %d, stderr %q", code, stderr)
	}
}

func TestDemoLeavesPageAndTables(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := inferlab("demo", "--no-notebook", "--out", out)
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	for _, name := range []string{"report.html", "requests.parquet", "tokens.parquet", "batches.parquet", "operations.parquet"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, fact := range []string{"425 requests", "52144 events", "609 distinct batches"} {
		if !strings.Contains(stdout, fact) {
			t.Errorf("the findings do not say %q:\n%s", fact, stdout)
		}
	}
}

// TestShortOutput: -o names the output wherever a command has one.
func TestShortOutput(t *testing.T) {
	for _, command := range []string{"demo", "report", "export", "notebook run", "notebook page"} {
		if _, stdout, _ := inferlab(append(strings.Fields(command), "--help")...); !strings.Contains(stdout, "  -o, --out") {
			t.Errorf("%s has no -o", command)
		}
	}
}
