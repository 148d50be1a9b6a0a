package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/run"
)

// notebook makes a document of code cells with the given sources.
func notebook(t *testing.T, sources ...string) *run.Notebook {
	t.Helper()
	cells := []map[string]any{}
	for i, s := range sources {
		cells = append(cells, map[string]any{
			"cell_type": "code", "id": fmt.Sprintf("c%d", i+1), "metadata": map[string]any{},
			"source": s, "outputs": []any{}, "execution_count": nil,
		})
	}
	data, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": cells})
	if err != nil {
		t.Fatal(err)
	}
	nb, err := run.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// execute runs nb in an empty directory, and checks that the run leaves
// neither temporary files nor processes behind.
func execute(t *testing.T, ctx context.Context, nb *run.Notebook, o run.Options) (*run.Report, error) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	mark := "INFERLAB_RUN_TEST=" + filepath.Base(filepath.Dir(tmp)) + strconv.Itoa(os.Getpid())
	o.Env = append(o.Env, mark)
	if o.ModuleRoot == "" {
		root, err := run.FindModuleRoot(".")
		if err != nil {
			t.Fatal(err)
		}
		o.ModuleRoot = root
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	report, err := run.Execute(ctx, nb, o)
	left, readErr := os.ReadDir(tmp)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, e := range left {
		t.Errorf("the run left %s behind in the temporary directory", e.Name())
	}
	for _, p := range processesWith(t, mark) {
		t.Errorf("the run left a process behind: %s", p)
	}
	return report, err
}

// processesWith lists processes in whose environment the mark stands.
func processesWith(t *testing.T, mark string) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var found []string
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err == nil && strings.Contains(string(env), mark) {
			name, _ := os.ReadFile(filepath.Join(d, "cmdline"))
			found = append(found, filepath.Base(d)+" "+strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return found
}

func TestExecutePlainCells(t *testing.T) {
	nb := notebook(t,
		"import \"fmt\"\n\nfunc double(x int) int { return 2 * x }",
		"%%\nfmt.Println(double(21))\nfmt.Println(\"<b> & \u2028 done\")",
		"",
		"import \"github.com/janpfeifer/gonb/gonbui\"\n\n%%\ngonbui.DisplayHTML(\"<b>bold</b>\\n<i>it</i>\")\ngonbui.UpdateHTML(\"bar\", \"one\")\ngonbui.UpdateHTML(\"bar\", \"two\")\ngonbui.Sync()",
	)
	var states []string
	report, err := execute(t, t.Context(), nb, run.Options{
		CellTimeout: time.Minute,
		Env:         []string{"GOPROXY=off"},
		Progress: func(e run.Event) {
			states = append(states, fmt.Sprintf("%d/%d %s", e.Number, e.Total, e.State))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kernel start %s, total %s, cells %+v", report.KernelStart, report.Total, report.Cells)
	var got [][]run.Output
	var counts []int
	for _, c := range nb.Cells() {
		got = append(got, c.Outputs())
		counts = append(counts, c.ExecutionCount())
	}
	want := [][]run.Output{
		nil,
		{{Type: "stream", Name: "stdout", Text: "42\n<b> & \u2028 done\n"}},
		nil,
		{
			{Type: "display_data", Data: map[string]string{"text/html": "<b>bold</b>\n<i>it</i>"}},
			{Type: "display_data", Data: map[string]string{"text/html": "two"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 0, 3}, counts); diff != "" {
		t.Errorf("execution counts (-want +got):\n%s", diff)
	}
	wantStates := []string{"1/4 running", "1/4 done", "2/4 running", "2/4 done", "3/4 skipped", "4/4 running", "4/4 done"}
	if diff := cmp.Diff(wantStates, states); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	again, err := run.Parse(nb.Bytes())
	if err != nil {
		t.Fatalf("the executed notebook does not parse: %v", err)
	}
	if diff := cmp.Diff(string(nb.Bytes()), string(again.Bytes())); diff != "" {
		t.Errorf("the executed notebook changes on writing it again:\n%s", diff)
	}
}

func TestExecuteCompileError(t *testing.T) {
	nb := notebook(t,
		"import \"fmt\"",
		"%%\nx := 1\ny := x +\n    undefinedThing\nfmt.Println(y)",
		"%%\nfmt.Println(\"not reached\")",
	)
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Minute})
	failure, ok := errors.AsType[*run.CellError](err)
	if !ok {
		t.Fatalf("got %v, want a CellError", err)
	}
	t.Log(err)
	if failure.Cell != 1 || failure.Number != 2 || failure.Total != 3 || failure.Line != 4 || failure.ID != "c2" {
		t.Errorf("got cell %d, number %d of %d, line %d, id %q; want 1, 2 of 3, 4, c2",
			failure.Cell, failure.Number, failure.Total, failure.Line, failure.ID)
	}
	for _, want := range []string{"code cell 2 of 3 failed", ">   4 |     undefinedThing", "undefined: undefinedThing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not contain %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), os.Getenv("TMPDIR")) || strings.Contains(string(nb.Bytes()), os.Getenv("TMPDIR")) {
		t.Errorf("the temporary directory shows:\n%v\n%s", err, nb.Bytes())
	}
	cells := nb.Cells()
	if outs := cells[1].Outputs(); len(outs) != 1 || outs[0].Type != "error" || !strings.Contains(outs[0].ErrValue, "undefinedThing") {
		t.Errorf("outputs of the failed cell: %+v", outs)
	}
	if n := cells[2].ExecutionCount(); n != 0 {
		t.Errorf("the cell after the failed one has execution count %d", n)
	}
}

func TestExecuteRuntimeError(t *testing.T) {
	nb := notebook(t,
		"import (\n\t\"fmt\"\n\t\"os\"\n)\n\n%%\nfmt.Println(\"before\")\nvar list []int\n_ = list[3]",
	)
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Minute})
	failure, ok := errors.AsType[*run.CellError](err)
	if !ok {
		t.Fatalf("got %v, want a CellError", err)
	}
	t.Log(err)
	if failure.Line != 9 || !strings.Contains(failure.Stderr, "index out of range [3] with length 0") {
		t.Errorf("line %d, stderr %q", failure.Line, failure.Stderr)
	}
	outs := nb.Cells()[0].Outputs()
	if len(outs) != 3 || outs[0].Text != "before\n" || outs[2].Type != "error" {
		t.Errorf("outputs: %+v", outs)
	}
}

func TestExecuteTags(t *testing.T) {
	nb := notebook(t,
		"%%\npanic(\"expected\")",
		"%%\npanic(\"never run\")",
		"%%\nprintln(\"reached\")",
	)
	doc := string(nb.Bytes())
	doc = strings.Replace(doc, "\"metadata\": {}", "\"metadata\": {\"tags\": [\"raises-exception\"]}", 1)
	doc = strings.Replace(doc, "\"metadata\": {}", "\"metadata\": {\"tags\": [\"skip-execution\"]}", 1)
	nb, err := run.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	report, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Cells) != 2 || !report.Cells[0].Failed || report.Cells[1].Failed {
		t.Errorf("report: %+v", report.Cells)
	}
	if outs := nb.Cells()[2].Outputs(); len(outs) != 1 || outs[0].Text != "reached\n" || outs[0].Name != "stderr" {
		t.Errorf("last cell: %+v", outs)
	}
}

// The cells of the next two tests are shell commands, which start at once: how
// long compiling takes on a busy machine must not matter for a time limit.
func TestExecuteTimeout(t *testing.T) {
	nb := notebook(t,
		"!echo going to sleep; exec sleep 1000",
		"%%\nprintln(\"not reached\")",
	)
	const limit = time.Second
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: limit})
	failure, ok := errors.AsType[*run.CellError](err)
	if !ok || !errors.Is(err, run.ErrTimeout) {
		t.Fatalf("got %v, want a CellError by ErrTimeout", err)
	}
	t.Log(err)
	if failure.Elapsed < limit || !strings.Contains(err.Error(), "ran longer than its time limit") {
		t.Errorf("after %s: %v", failure.Elapsed, err)
	}
	outs := nb.Cells()[0].Outputs()
	if len(outs) < 2 || outs[0].Text != "going to sleep\n" || outs[len(outs)-1].Type != "error" {
		t.Errorf("outputs: %+v", outs)
	}
	if n := nb.Cells()[1].ExecutionCount(); n != 0 {
		t.Errorf("the cell after it has execution count %d", n)
	}
}

// A cell that ignores the interrupt and has started a program of its own.
func TestExecuteStubbornCell(t *testing.T) {
	nb := notebook(t, "!trap '' INT; sleep 1000 & sleep 1000; sleep 1000")
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Second, InterruptGrace: 300 * time.Millisecond})
	if !errors.Is(err, run.ErrTimeout) {
		t.Fatalf("got %v, want ErrTimeout", err)
	}
	if outs := nb.Cells()[0].Outputs(); len(outs) != 1 || outs[0].ErrName != "Interrupted" {
		t.Errorf("outputs: %+v", outs)
	}
}

// A Go cell is interrupted once it runs.
func TestExecuteCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "running")); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	nb := notebook(t, "import (\n\t\"os\"\n\t\"time\"\n)\n\n%%\nos.Create(\"running\")\ntime.Sleep(time.Hour)")
	_, err := execute(t, ctx, nb, run.Options{Dir: dir})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	failure, ok := errors.AsType[*run.CellError](err)
	if !ok || !strings.Contains(failure.Stderr, "signal: interrupt") {
		t.Errorf("got %T %v, want a CellError of an interrupted program", err, err)
	}
}

// A second cell is not begun once the context has ended.
func TestExecuteCancelBetweenCells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	nb := notebook(t, "!echo one", "!echo two")
	_, err := execute(t, ctx, nb, run.Options{Progress: func(e run.Event) {
		if e.State == run.Done {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if n := nb.Cells()[1].ExecutionCount(); n != 0 || len(nb.Cells()[0].Outputs()) != 1 {
		t.Errorf("second cell has count %d; first: %+v", n, nb.Cells()[0].Outputs())
	}
}

func TestExecuteInputRequest(t *testing.T) {
	nb := notebook(t, "import \"github.com/janpfeifer/gonb/gonbui\"\nimport \"time\"\n\n%%\ngonbui.RequestInput(\"name?\", false)\ntime.Sleep(time.Minute)")
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: 50 * time.Second})
	if !errors.Is(err, run.ErrInput) {
		t.Fatalf("got %v, want ErrInput", err)
	}
}

func TestExecuteKernelKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test kills the kernel by a Unix signal")
	}
	nb := notebook(t, "import (\n\t\"os\"\n\t\"syscall\"\n\t\"time\"\n)\n\n%%\nprintln(\"last words\")\ntime.Sleep(200*time.Millisecond)\nsyscall.Kill(os.Getppid(), syscall.SIGKILL)\ntime.Sleep(time.Hour)")
	_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Minute})
	failure, ok := errors.AsType[*run.KernelError](err)
	if !ok {
		t.Fatalf("got %v, want a KernelError", err)
	}
	t.Log(err)
	if failure.Cell != 0 || failure.Status != "signal: killed" || failure.Stderr != "" {
		t.Errorf("cell %d, status %q, stderr %q", failure.Cell, failure.Status, failure.Stderr)
	}
	if outs := nb.Cells()[0].Outputs(); len(outs) != 1 || outs[0].Text != "last words\n" {
		t.Errorf("outputs: %+v", outs)
	}
}

func TestExecuteWithoutCheckout(t *testing.T) {
	nb := notebook(t, "%%\nprintln(1)")
	_, err := run.Execute(t.Context(), nb, run.Options{ModuleRoot: t.TempDir(), Dir: t.TempDir()})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
	if _, err := run.FindModuleRoot(t.TempDir()); err == nil {
		t.Error("a checkout was found in an empty directory")
	}
}

func TestExecuteStartCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	nb, err := run.Parse([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":"%%","execution_count":3,"outputs":[{"output_type":"stream","name":"stdout","text":"kept"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, ctx, nb, run.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if outs := nb.Cells()[0].Outputs(); len(outs) != 1 || outs[0].Text != "kept" || nb.Cells()[0].ExecutionCount() != 3 {
		t.Errorf("a run without a kernel changed the notebook: %+v", outs)
	}
}

// Cells see the packages of the checkout, without the network and without
// "go get".
func TestExecuteImportsCheckout(t *testing.T) {
	nb := notebook(t,
		"import \"github.com/inferlab/inferlab/simcore/quantity\"\n\n%%\nprintln(quantity.CompareIDs(\"a\", \"b\"))",
	)
	for _, autoGet := range []bool{false, true} {
		report, err := execute(t, t.Context(), nb, run.Options{
			CellTimeout: time.Minute,
			AutoGet:     autoGet,
			Env:         []string{"GOPROXY=off", "GOFLAGS=-buildvcs=false"},
		})
		if err != nil {
			t.Errorf("AutoGet %t: %v", autoGet, err)
			continue
		}
		t.Logf("AutoGet %t: cell took %s", autoGet, report.Cells[0].Duration)
		if outs := nb.Cells()[0].Outputs(); len(outs) != 1 || outs[0].Text != "-1\n" {
			t.Errorf("outputs: %+v", outs)
		}
	}
}

// Executing an executed notebook again changes nothing, errors included: no
// path, id or time of the run shows.
func TestExecuteTwiceGivesEqualBytes(t *testing.T) {
	nb := notebook(t,
		"import (\n\t\"fmt\"\n\t\"os\"\n\n\t\"github.com/janpfeifer/gonb/gonbui\"\n)",
		"%%\nfmt.Println(os.Args[0], os.Getenv(\"GONB_TMP_DIR\"), os.TempDir())",
		"%%\ngonbui.DisplayHTML(os.TempDir())\ngonbui.Sync()",
		"%%\nvar m map[string]int\nm[\"x\"] = unknown",
	)
	var docs []string
	for range 2 {
		_, err := execute(t, t.Context(), nb, run.Options{CellTimeout: time.Minute})
		if _, ok := errors.AsType[*run.CellError](err); !ok {
			t.Fatalf("got %v, want a CellError", err)
		}
		docs = append(docs, string(nb.Bytes()))
	}
	if diff := cmp.Diff(docs[0], docs[1]); diff != "" {
		t.Errorf("first and second run differ:\n%s", diff)
	}
	if outs := nb.Cells()[1].Outputs(); len(outs) != 1 || outs[0].Text != "cell $TMPDIR/cell $TMPDIR\n" {
		t.Errorf("printed: %+v", outs)
	}
	if outs := nb.Cells()[2].Outputs(); len(outs) != 1 || outs[0].Data["text/html"] != "$TMPDIR" {
		t.Errorf("displayed: %+v", outs)
	}
}

func TestExecuteInParallel(t *testing.T) {
	const kernels = 3
	nbs := make([]*run.Notebook, kernels)
	errs := make(chan error, kernels)
	dir := t.TempDir()
	for i := range nbs {
		nbs[i] = notebook(t, fmt.Sprintf("%%%%\nprintln(%d)", i))
		go func() {
			_, err := run.Execute(t.Context(), nbs[i], run.Options{Dir: dir, ModuleRoot: "../..", CellTimeout: time.Minute})
			errs <- err
		}()
	}
	for range nbs {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for i, nb := range nbs {
		if outs := nb.Cells()[0].Outputs(); len(outs) != 1 || outs[0].Text != fmt.Sprintf("%d\n", i) {
			t.Errorf("notebook %d: %+v", i, outs)
		}
	}
}
