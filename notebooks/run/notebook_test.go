package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// saved is a document in the very form in which Jupyter saves one, with fields
// this package does not know, numbers whose text matters and text that
// encoding/json would escape.
const saved = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Question <of & the> day\n",
    "second line \" \\ \u001f"
   ]
  },
  {
   "attachments": {},
   "cell_type": "raw",
   "id": "raw-1",
   "metadata": {
    "format": "text/x-rst"
   },
   "source": []
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "code-1",
   "metadata": {
    "editable": true,
    "tags": [
     "parameters",
     "slow"
    ]
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "one\n",
      "two"
     ]
    },
    {
     "data": {
      "application/json": {
       "b": 1.50,
       "a": 1e400
      },
      "text/plain": [
       "plain"
      ]
     },
     "execution_count": 7,
     "metadata": {},
     "output_type": "execute_result"
    },
    {
     "ename": "ERROR",
     "evalue": "bad",
     "output_type": "error",
     "traceback": [
      "line 1"
     ]
    }
   ],
   "source": [
    "%%\n",
    "fmt.Println(1)"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Inferlab (Go)",
   "language": "go",
   "name": "inferlab"
  },
  "x_unknown": [
   null,
   true,
   {},
   []
  ]
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestParseKeepsEveryByte(t *testing.T) {
	nb, err := Parse([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(saved, string(nb.Bytes())); diff != "" {
		t.Errorf("the document changed (-want +got):\n%s", diff)
	}
}

func TestCellFields(t *testing.T) {
	nb, err := Parse([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	cells := nb.Cells()
	types := []string{cells[0].Type(), cells[1].Type(), cells[2].Type()}
	if diff := cmp.Diff([]string{"markdown", "raw", "code"}, types); diff != "" {
		t.Error(diff)
	}
	code := cells[2]
	if code.Source() != "%%\nfmt.Println(1)" || code.ID() != "code-1" || code.ExecutionCount() != 7 {
		t.Errorf("source %q, id %q, count %d", code.Source(), code.ID(), code.ExecutionCount())
	}
	if diff := cmp.Diff([]string{"parameters", "slow"}, code.Tags()); diff != "" {
		t.Error(diff)
	}
	want := []Output{
		{Type: "stream", Name: "stdout", Text: "one\ntwo"},
		{Type: "execute_result", Data: map[string]string{
			"application/json": "{\n \"b\": 1.50,\n \"a\": 1e400\n}", "text/plain": "plain"}},
		{Type: "error", ErrName: "ERROR", ErrValue: "bad", Traceback: []string{"line 1"}},
	}
	if diff := cmp.Diff(want, code.Outputs()); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestClearForgetsEarlierRun(t *testing.T) {
	doc := strings.Replace(saved, `"editable": true`, `"execution": {}, "editable": true`, 1)
	nb, err := Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := nb.Cells()[2]
	c.clear()
	c.SetSource("a\nb\n")
	if c.ExecutionCount() != 0 || len(c.Outputs()) != 0 || c.Source() != "a\nb\n" {
		t.Errorf("count %d, outputs %v, source %q", c.ExecutionCount(), c.Outputs(), c.Source())
	}
	if got := string(nb.Bytes()); strings.Contains(got, `"execution"`) || !strings.Contains(got, `"execution_count": null`) {
		t.Errorf("document:\n%s", got)
	}
}

func TestAppendCopies(t *testing.T) {
	nb, err := Parse([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	code := nb.Cells()[2]
	nb.Append(code)
	nb.Append(code)
	code.clear()
	cells := nb.Cells()
	if len(cells) != 5 || cells[3].ID() != "code-1-2" || cells[4].ID() != "code-1-3" {
		t.Fatalf("%d cells, ids %q and %q", len(cells), cells[3].ID(), cells[4].ID())
	}
	if len(code.Outputs()) != 0 || len(cells[3].Outputs()) != 3 || cells[4].ExecutionCount() != 7 {
		t.Errorf("clearing the first changed its copies")
	}
	long := strings.Repeat("x", 64)
	cells[0].fields.set("id", long)
	nb.Append(cells[0])
	if got := nb.Cells()[5].ID(); got != long[:62]+"-2" {
		t.Errorf("id %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, doc, path, reason string }{
		{"nothing", ``, "", "ends in the middle"},
		{"no object", `[]`, "", "JSON object"},
		{"cut short", `{"nbformat": 4, "cells": [`, "cells", "ends in the middle"},
		{"trailing text", `{"nbformat": 4, "cells": []} x`, "", "after the end"},
		{"bad UTF-8", "{\"nbformat\": 4, \"cells\": [], \"x\": \"\xff\"}", "", "UTF-8"},
		{"no revision", `{"cells": []}`, "nbformat", "missing"},
		{"old revision", `{"nbformat": 3, "cells": []}`, "nbformat", "revision 3"},
		{"minor revision", `{"nbformat": 4, "nbformat_minor": "5", "cells": []}`, "nbformat_minor", "integer"},
		{"no cells", `{"nbformat": 4}`, "cells", "list"},
		{"cell is no object", `{"nbformat": 4, "cells": [3]}`, "cells[0]", "object"},
		{"cell without type", `{"nbformat": 4, "cells": [{"source": ""}]}`, "cells[0].cell_type", "code"},
		{"source is a number", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}`, "cells[0].source", "string"},
		{"source has a number", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a", 3]}]}`, "cells[0].source", "string"},
		{"metadata is a list", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "metadata": []}]}`, "cells[0].metadata", "object"},
		{"key twice", `{"nbformat": 4, "cells": [{"id": 1, "id": 2}]}`, "cells[0].id", "twice"},
		{"too deep", `{"nbformat": 4, "x": ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "x" + strings.Repeat("[0]", 512), "deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.doc))
			e, ok := errors.AsType[*FormatError](err)
			if !ok {
				t.Fatalf("got %v, want a FormatError", err)
			}
			if e.Path != tt.path || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("got path %q, reason %q; want path %q, reason with %q", e.Path, e.Reason, tt.path, tt.reason)
			}
		})
	}
}

func TestWriteFileReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ipynb")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	nb, err := Parse([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	if err := nb.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != saved {
		t.Errorf("the file holds:\n%s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
	if again, err := ReadFile(path); err != nil || len(again.Cells()) != 3 {
		t.Errorf("reading back: %v", err)
	}
}

func TestWriteFileFailsWhole(t *testing.T) {
	dir := t.TempDir()
	nb, err := Parse([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	if err := nb.WriteFile(filepath.Join(dir, "missing", "a.ipynb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
	// The target is a directory, so that the rename fails at the very end.
	if err := os.Mkdir(filepath.Join(dir, "b.ipynb"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := nb.WriteFile(filepath.Join(dir, "b.ipynb")); err == nil {
		t.Error("writing over a directory succeeded")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

func TestReadFileNamesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.ipynb")
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadFile(path)
	if err == nil || !strings.Contains(err.Error(), "broken.ipynb") {
		t.Errorf("got %v", err)
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		text string
		want []any
	}{
		{"", []any{}},
		{"a", []any{"a"}},
		{"a\n", []any{"a\n"}},
		{"a\nb", []any{"a\n", "b"}},
		{"a\r\nb\rc\n\n", []any{"a\r\n", "b\r", "c\n", "\n"}},
		{"a\vb\fc\x1cd\x1ee\u0085f\u2028g\u2029", []any{"a\v", "b\f", "c\x1c", "d\x1e", "e\u0085", "f\u2028", "g\u2029"}},
	}
	for _, tt := range tests {
		got := lines(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("lines(%q):\n%s", tt.text, diff)
		}
		if joined, ok := text(got); !ok || joined != tt.text {
			t.Errorf("joined again: %q, want %q", joined, tt.text)
		}
	}
}

// FuzzParse checks that no input makes the reader panic, and that what it
// accepts is written in a form that it reads and writes unchanged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(saved))
	f.Add([]byte(`{"nbformat": 4, "nbformat_minor": 2, "cells": [{"cell_type": "code", "source": "x\ud800y"}]}`))
	f.Add([]byte(`{"cells":[{"outputs":[{"data":{"a/b":[1,"x"]}}],"cell_type":"","source":[]}],"nbformat":4}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		nb, err := Parse(data)
		if err != nil {
			if _, ok := errors.AsType[*FormatError](err); !ok {
				t.Fatalf("refused with %T: %v", err, err)
			}
			return
		}
		for _, c := range nb.Cells() {
			c.Outputs()
			c.Tags()
		}
		first := nb.Bytes()
		again, err := Parse(first)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, first)
		}
		if second := again.Bytes(); !bytes.Equal(first, second) {
			t.Fatalf("writing twice differs:\n%s\n%s", first, second)
		}
	})
}
