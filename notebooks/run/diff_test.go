package run_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/run"
)

func TestDiff(t *testing.T) {
	document := func(outputs string) *run.Notebook {
		nb, err := run.Parse(fmt.Appendf(nil, `{"nbformat":4,"cells":[{"cell_type":"code","id":"a","source":"x","outputs":[%s]}]}`, outputs))
		if err != nil {
			t.Fatal(err)
		}
		return nb
	}
	stream := func(text string) string {
		return fmt.Sprintf(`{"output_type":"stream","name":"stdout","text":%q}`, text)
	}
	tests := []struct {
		before, after string
		want          []string
	}{
		{stream("1"), stream("1"), nil},
		{stream("a\nb\nc"), stream("a\nB\nc"), []string{`cell a: output 1: text shows "B", it was "b"`}},
		{stream("1"), "", []string{"cell a: 0 outputs, there were 1"}},
		{stream("1"), `{"output_type":"error","ename":"E","evalue":"v"}`, []string{"cell a: output 1: error, it was stream stdout"}},
		{`{"output_type":"display_data","data":{"image/svg+xml":"x","text/plain":"p95 4 ms"}}`, `{"output_type":"display_data","data":{"image/svg+xml":"y","text/plain":"p95 5 ms"}}`,
			[]string{`cell a: output 1: text/plain shows "p95 5 ms", it was "p95 4 ms"`}},
		{`{"output_type":"display_data","data":{"image/png":"x","text/plain":"t"}}`, `{"output_type":"display_data","data":{"text/plain":"t"}}`,
			[]string{"cell a: output 1: a form of it is gone"}},
		{`{"output_type":"display_data","data":{},"metadata":{"a":1}}`, `{"output_type":"display_data","data":{},"metadata":{}}`, []string{"the document differs outside its outputs"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, run.Diff(document(tt.before), document(tt.after))); diff != "" {
			t.Errorf("%s → %s (-want +got):\n%s", tt.before, tt.after, diff)
		}
	}
}
