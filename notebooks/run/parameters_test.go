package run_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/run"
)

const parameterSource = `%noautoget
import "time"

var (
	machine = "multi-gpu" // a preset
	sizes   = []int64{4, 8}
	names   = []string{"a"}
	limit   = 10 * time.Millisecond
	rate    = 12.0
	x, y    = 1, f()
	plain   int
)

%%
inside := 3`

func parameterNotebook(t *testing.T, source string, tags ...string) *run.Notebook {
	t.Helper()
	doc := map[string]any{"nbformat": 4, "cells": []any{map[string]any{
		"cell_type": "code", "source": source, "metadata": map[string]any{"tags": tags}}}}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := run.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

func TestParameters(t *testing.T) {
	got, err := parameterNotebook(t, parameterSource, "parameters").Parameters()
	if err != nil {
		t.Fatal(err)
	}
	want := []run.Parameter{{"machine", `"multi-gpu"`}, {"sizes", "[]int64{4, 8}"}, {"names", `[]string{"a"}`},
		{"limit", "10 * time.Millisecond"}, {"rate", "12.0"}, {"x", "1"}, {"y", "f()"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := parameterNotebook(t, parameterSource).Parameters(); err != nil || len(got) != 0 {
		t.Errorf("without the tag: %v, %v", got, err)
	}
}

func TestSetParameter(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"machine", "multi-gpu-ring-8", `	machine = "multi-gpu-ring-8" // a preset`},
		{"machine", `"quo\"ted"`, `	machine = "quo\"ted" // a preset`},
		{"machine", `say "so"`, `	machine = "say \"so\"" // a preset`},
		{"machine", "", `	machine = "" // a preset`},
		{"sizes", "16,32, 64", "	sizes   = []int64{16, 32, 64}"},
		{"sizes", "[]int64{1}", "	sizes   = []int64{1}"},
		{"names", `b, "c"`, `	names   = []string{"b", "c"}`},
		{"limit", "20ms", "	limit   = 20 * time.Millisecond"},
		{"limit", "1.5s", "	limit   = 1500 * time.Millisecond"},
		{"limit", "90m", "	limit   = 90 * time.Minute"},
		{"limit", "0s", "	limit   = 0 * time.Nanosecond"},
		{"limit", "2 * time.Second", "	limit   = 2 * time.Second"},
		{"rate", "1e3", "	rate    = 1e3"},
		{"y", "2+3", "	x, y    = 1, 2+3"},
	}
	for _, tt := range tests {
		nb := parameterNotebook(t, parameterSource, "parameters")
		if err := nb.SetParameter(tt.name, tt.value); err != nil {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
			continue
		}
		before, after := strings.Split(parameterSource, "\n"), strings.Split(nb.Cells()[0].Source(), "\n")
		var changed []string
		for i, line := range after {
			if line != before[i] {
				changed = append(changed, line)
			}
		}
		if diff := cmp.Diff([]string{tt.want}, changed); diff != "" {
			t.Errorf("%s=%s (-want +got):\n%s", tt.name, tt.value, diff)
		}
	}
}

func TestSetParameterRefusals(t *testing.T) {
	tests := []struct{ source, tag, name, value, want string }{
		{parameterSource, "parameters", "inside", "4", "parameter inside: there is none of this name; there are machine, sizes, names, limit, rate, x, y"},
		{parameterSource, "parameters", "rate", "fast enough", `parameter rate: found "fast enough", expected a Go expression such as 12.0`},
		{parameterSource, "parameters", "rate", " ", `parameter rate: found " ", expected a Go expression such as 12.0`},
		{parameterSource, "other", "rate", "1", "parameter rate: the notebook has no code cell tagged parameters"},
		{"var x =", "parameters", "x", "1", "the cell tagged parameters is no Go that declares variables: 2:8: expected operand, found 'EOF'"},
	}
	for _, tt := range tests {
		err := parameterNotebook(t, tt.source, tt.tag).SetParameter(tt.name, tt.value)
		if _, ok := errors.AsType[*run.ParameterError](err); !ok || err.Error() != tt.want {
			t.Errorf("%s=%s: got %v, want %s", tt.name, tt.value, err, tt.want)
		}
	}
}
