package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feed gives a collector messages written as "type content", all of cell 0
// unless the line starts with "1:".
func feed(t *testing.T, c *collector, messages ...string) {
	t.Helper()
	for _, line := range messages {
		cell := 0
		if rest, ok := strings.CutPrefix(line, "1:"); ok {
			cell, line = 1, rest
		}
		kind, content, _ := strings.Cut(line, " ")
		if err := c.add(cell, message{header: header{MsgType: kind}, content: json.RawMessage(content)}); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func TestCollector(t *testing.T) {
	tests := []struct {
		name     string
		messages []string
		want     string
	}{
		{"nothing", []string{`status {"execution_state":"busy"}`, `execute_input {}`, `comm_open {}`}, `[]`},
		{
			"chunks of one stream merge, order stays",
			[]string{
				`stream {"name":"stdout","text":"a"}`, `stream {"name":"stdout","text":"b\nc"}`, `stream {"name":"stdout","text":""}`,
				`stream {"name":"stderr","text":"e\n"}`, `stream {"name":"stdout","text":"d"}`,
			},
			`[{"name":"stdout","output_type":"stream","text":["ab\n","c"]},` +
				`{"name":"stderr","output_type":"stream","text":["e\n"]},` +
				`{"name":"stdout","output_type":"stream","text":["d"]}]`,
		},
		{
			"bundles are sorted, texts split, JSON kept",
			[]string{`display_data {"data":{"text/plain":"x\ny","application/json":{"b":1,"a":[]},"image/png":"QUJD","application/x+json":"s"},"metadata":{"z":1,"a":2},"transient":{}}`},
			`[{"data":{"application/json":{"b":1,"a":[]},"application/x+json":"s","image/png":["QUJD"],"text/plain":["x\n","y"]},"metadata":{"a":2,"z":1},"output_type":"display_data"}]`,
		},
		{
			"a result keeps its count",
			[]string{`execute_result {"execution_count":12,"data":{"text/plain":"1"},"metadata":{}}`},
			`[{"data":{"text/plain":["1"]},"execution_count":12,"metadata":{},"output_type":"execute_result"}]`,
		},
		{
			"an update replaces every display of the id",
			[]string{
				`display_data {"data":{"text/html":"one"},"transient":{"display_id":"d"}}`,
				`stream {"name":"stdout","text":"between"}`,
				`display_data {"data":{"text/html":"two"},"transient":{"display_id":"d"}}`,
				`1:update_display_data {"data":{"text/html":"new"},"metadata":{"k":1},"transient":{"display_id":"d"}}`,
				`update_display_data {"data":{"text/html":"lost"},"transient":{"display_id":"unknown"}}`,
			},
			`[{"data":{"text/html":["new"]},"metadata":{"k":1},"output_type":"display_data"},` +
				`{"name":"stdout","output_type":"stream","text":["between"]},` +
				`{"data":{"text/html":["new"]},"metadata":{"k":1},"output_type":"display_data"}]`,
		},
		{
			"clear at once",
			[]string{`stream {"name":"stdout","text":"a"}`, `clear_output {"wait":false}`, `stream {"name":"stdout","text":"b"}`},
			`[{"name":"stdout","output_type":"stream","text":["b"]}]`,
		},
		{
			"clear waits for the next output, which does not merge",
			[]string{`stream {"name":"stdout","text":"a"}`, `clear_output {"wait":true}`, `stream {"name":"stdout","text":"b"}`, `stream {"name":"stdout","text":"c"}`},
			`[{"name":"stdout","output_type":"stream","text":["bc"]}]`,
		},
		{
			"a clear that waits in vain leaves all",
			[]string{`stream {"name":"stdout","text":"a"}`, `clear_output {"wait":true}`},
			`[{"name":"stdout","output_type":"stream","text":["a"]}]`,
		},
		{
			"errors lose colours and paths",
			[]string{`error {"ename":"ERROR","evalue":"/private/x/gonb_ab12/main.go:3","traceback":["\u001b[31mred\u001b[0m /checkout/simcore/a.go:1"]}`},
			`[{"ename":"ERROR","evalue":"main.go:3","output_type":"error","traceback":["red simcore/a.go:1"]}]`,
		},
		{
			"a path cut between two chunks is still found",
			[]string{`stream {"name":"stderr","text":"at /private/x/go"}`, `stream {"name":"stderr","text":"nb_ab12/main.go:3\n"}`},
			`[{"name":"stderr","output_type":"stream","text":["at main.go:3\n"]}]`,
		},
		{
			"what a cell displays keeps colours and the checkout",
			[]string{`stream {"name":"stdout","text":"\u001b[1mbold /checkout/simcore in /private/x"}`},
			`[{"name":"stdout","output_type":"stream","text":["\u001b[1mbold /checkout/simcore in $TMPDIR"]}]`,
		},
	}
	paths := redactor{
		all:    strings.NewReplacer("/private/x/gonb_ab12/", "", "/private/x", "$TMPDIR"),
		errors: strings.NewReplacer("/private/x/gonb_ab12/", "", "/private/x", "$TMPDIR", "/checkout/", ""),
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCollector(paths)
			feed(t, c, tt.messages...)
			want, err := parseJSON([]byte(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(appendJSON(nil, want, 0)), string(appendJSON(nil, c.fields(0), 0))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCollectorRefusesBrokenContent(t *testing.T) {
	c := newCollector(redactor{})
	if err := c.add(0, message{header: header{MsgType: "stream"}, content: json.RawMessage(`{"name":`)}); err == nil {
		t.Error("half a message was accepted")
	}
}

func TestExcerpt(t *testing.T) {
	long := "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nl12\n"
	tests := []struct {
		name   string
		source string
		line   int
		want   string
	}{
		{"short, line known", "a\n\nc", 3, "    1 | a\n    2 |\n>   3 | c\n"},
		{"line unknown shows the beginning", long, 0, "    1 | l1\n    2 | l2\n    3 | l3\n    4 | l4\n    5 | l5\n    6 | l6\n    7 | l7\n    8 | l8\n    9 | l9\n      | … 3 more lines\n"},
		{"line beyond the end is unknown", "a", 9, "    1 | a\n"},
		{"around the line", long, 12, "    4 | l4\n    5 | l5\n    6 | l6\n    7 | l7\n    8 | l8\n    9 | l9\n   10 | l10\n   11 | l11\n>  12 | l12\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := excerpt(tt.source, tt.line)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFailingLine(t *testing.T) {
	tests := []struct {
		count int
		text  string
		want  int
	}{
		{3, "Cell[3]: Line 4\nundefined: x", 4},
		{3, "\t [[ Cell [3] Line 12 ]] main.go:13 +0x94", 12},
		{3, "Cell[1]: Line 4", 0},
		{3, "Cell[1]: Line 4 … Cell[3]: Line 8 Cell[3]: Line 9", 8},
		{3, "nothing", 0},
	}
	for _, tt := range tests {
		if got := failingLine(tt.count, "", tt.text); got != tt.want {
			t.Errorf("failingLine(%d, %q) = %d, want %d", tt.count, tt.text, got, tt.want)
		}
	}
}

func TestLineByText(t *testing.T) {
	const program = "package main\n\nfunc main() {\n\tf(1)\n\tf(2)\n}\n"
	tests := []struct {
		name, source, text string
		want               int
	}{
		{"one place", "%%\nf(1)\n  f(2)", "\tmain.go:5 +0x67", 3},
		{"the first place that is in the cell", "%%\nf(2)", "main.go:4:1\nmain.go:5:1", 2},
		{"twice in the cell", "f(1)\nf(1)", "main.go:4", 0},
		{"an empty line of the program", "\nf(1)", "main.go:2", 0},
		{"beyond the program", "f(1)", "main.go:99", 0},
		{"no place", "f(1)", "exit status 2", 0},
	}
	for _, tt := range tests {
		if got := lineByText(program, tt.source, "", tt.text); got != tt.want {
			t.Errorf("%s: line %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTailKeepsTrouble(t *testing.T) {
	tl := &tail{limit: 1 << 10}
	for _, s := range []string{
		strings.Repeat("x", 2000) + "\n",
		"I1130 18:27:49.903285   17030 main.go:222] [1] kernel created\n",
		"E1130 18:27:49.907155   17030 goexec.go:194] [1] \nProgram gopls is not installed. It\nis a tool\n\n",
		"W1130 18:27:49.907392   17030 goexec.go:200] [1] warning\n",
		"E1130 18:27:49.907392   17030 main.go:191] [1] Error message\n",
		"\x1b[31mE1130 18:27:49.907392   17030 kernel.go:1] [1] bad\x1b[0m\n  more\n",
		"panic: boom\ngoroutine 1\n",
	} {
		if n, err := tl.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("wrote %d, %v", n, err)
		}
	}
	want := "E1130 18:27:49.907392   17030 kernel.go:1] [1] bad\n  more\npanic: boom\ngoroutine 1"
	if got := tl.last(4); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := tl.last(1); got != "goroutine 1" {
		t.Errorf("last line %q", got)
	}
}

func TestWithoutModFlag(t *testing.T) {
	if got := withoutModFlag("-mod=mod -buildvcs=false --modfile=x.mod -trimpath"); got != "-buildvcs=false -trimpath" {
		t.Errorf("got %q", got)
	}
}
