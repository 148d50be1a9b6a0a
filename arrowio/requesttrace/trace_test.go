package requesttrace

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

const azureText = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n" +
	"2023-11-16 23:59:59.9999999,611,38\r\n" +
	"2023-11-17 00:00:00.0000001,1,1\r\n" +
	"2023-11-17 00:00:01,12,3"

func TestAzure(t *testing.T) {
	got, err := Read(strings.NewReader(azureText), "conv.csv", Options{Format: Azure})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Request{
		{ID: "request-000001", ArrivalNs: 0, PromptTokens: 611, OutputTokens: 38},
		{ID: "request-000002", ArrivalNs: 200, PromptTokens: 1, OutputTokens: 1},
		{ID: "request-000003", ArrivalNs: 1_000_000_100, PromptTokens: 12, OutputTokens: 3},
	}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Error(diff)
	}
}

func TestAzureZonesAndLimit(t *testing.T) {
	text := "\ufeffTIMESTAMP,ContextTokens,GeneratedTokens\n" +
		"2024-05-10 00:00:00.009930+00:00,1290,8\n" +
		"2024-05-10T02:00:00.009931+02:00,1303,2\n" +
		"2024-05-09 23:00:00.01-01:00,55,21\n" +
		"this line is beyond the limit\n"
	got, err := Read(strings.NewReader(text), "a.csv", Options{Format: Azure, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	var arrivals []int64
	for _, r := range got.Requests {
		arrivals = append(arrivals, r.ArrivalNs)
	}
	if diff := cmp.Diff([]int64{0, 1000, 70_000}, arrivals); diff != "" {
		t.Error(diff)
	}
}

func TestPlainCSV(t *testing.T) {
	text := "id,arrival_ms,prompt_tokens,output_tokens,priority,note\n" +
		"a,0.25,10,2,-3,\"x, y\"\n" +
		"b,1500.000001,20,4,9007199254740991,\n"
	got, err := Read(strings.NewReader(text), "t.csv", Options{Format: CSV})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Request{
		{ID: "a", ArrivalNs: 250_000, PromptTokens: 10, OutputTokens: 2, Priority: -3},
		{ID: "b", ArrivalNs: 1_500_000_001, PromptTokens: 20, OutputTokens: 4, Priority: quantity.MaxSafe},
	}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Error(diff)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Path != "t.csv:1:52" {
		t.Errorf("warnings = %v; want one at t.csv:1:52", got.Warnings)
	}
}

func TestMappedColumns(t *testing.T) {
	mapping := map[string]string{"arrival_s": "when", "prompt_tokens": "in", "output_tokens": "out"}
	want := []workload.Request{{ID: "request-000001", ArrivalNs: 9_007_199_254_740_991, PromptTokens: 3, OutputTokens: 4}}
	for format, text := range map[Format]string{
		CSV:   "in,out,when\n3,4,9007199.254740991000\n",
		JSONL: "\n{\"when\": 9007199.254740991000, \"out\": 4, \"in\": 3}\n",
	} {
		got, err := Read(strings.NewReader(text), "t", Options{Format: format, Columns: mapping})
		if err != nil {
			t.Fatal(format, err)
		}
		if diff := cmp.Diff(want, got.Requests); diff != "" {
			t.Error(format, diff)
		}
	}
}

func TestMooncake(t *testing.T) {
	text := `{"timestamp": 0, "input_length": 5123, "output_length": 71, "hash_ids": [46, 47]}` + "\n" +
		`{"timestamp": 3317, "input_length": 820, "output_length": 19, "hash_ids": []}`
	got, err := Read(strings.NewReader(text), "m.jsonl", Options{Format: Mooncake})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Request{
		{ID: "request-000001", PromptTokens: 5123, OutputTokens: 71},
		{ID: "request-000002", ArrivalNs: 3_317_000_000, PromptTokens: 820, OutputTokens: 19},
	}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Error(diff)
	}
}

func TestSkipEmpty(t *testing.T) {
	text := "arrival_ns,prompt_tokens,output_tokens\n5,0,1\n6,1,1\n7,1,0\n"
	got, err := Read(strings.NewReader(text), "t", Options{Format: CSV, SkipEmpty: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Skipped != 2 || len(got.Requests) != 1 || got.Requests[0].ID != "request-000002" {
		t.Errorf("skipped %d, requests %v; want 2 skipped and request-000002", got.Skipped, got.Requests)
	}
}

// TestRefusals states for every kind of bad input its code, its place and a word
// of its message.
func TestRefusals(t *testing.T) {
	azure := func(row string) string { return "TIMESTAMP,ContextTokens,GeneratedTokens\r\n" + row }
	plain := func(row string) string { return "arrival_ns,prompt_tokens,output_tokens\n" + row }
	for _, c := range []struct {
		name, text       string
		opt              Options
		code, path, word string
	}{
		{"empty file", "", Options{Format: Azure}, "trace_empty", "f", "empty"},
		{"header only", azure(""), Options{Format: Azure}, "trace_empty", "f", "no requests"},
		{"other header", "time,in,out\n", Options{Format: Azure}, "trace_header", "f:1:1", "TIMESTAMP"},
		{"no date", azure("2023-02-30 00:00:00,1,1"), Options{Format: Azure}, "trace_time", "f:2:1", "2023-02-30"},
		{"hour 24", azure("2023-02-03 24:00:00,1,1"), Options{Format: Azure}, "trace_time", "f:2:1", "24:00"},
		{"ten digits", azure("2023-02-03 00:00:00.0123456789,1,1"), Options{Format: Azure}, "trace_time", "f:2:1", "TIMESTAMP"},
		{"bare point", azure("2023-02-03 00:00:00.,1,1"), Options{Format: Azure}, "trace_time", "f:2:1", "TIMESTAMP"},
		{"bad zone", azure("2023-02-03 00:00:00+0100,1,1"), Options{Format: Azure}, "trace_time", "f:2:1", "TIMESTAMP"},
		{"before the first", azure("2023-02-03 00:00:01,1,1\r\n2023-02-03 00:00:00,1,1"), Options{Format: Azure}, "trace_time", "f:3:1", "before"},
		{"centuries later", azure("1023-02-03 00:00:01,1,1\r\n2023-02-03 00:00:00,1,1"), Options{Format: Azure}, "trace_time", "f:3:1", "beyond"},
		{"float tokens", azure("2023-02-03 00:00:00,1.0,1"), Options{Format: Azure}, "trace_number", "f:2:21", "1.0"},
		{"negative tokens", azure("2023-02-03 00:00:00,-1,1"), Options{Format: Azure}, "trace_number", "f:2:21", "-1"},
		{"zero output", azure("2023-02-03 00:00:00,1,0"), Options{Format: Azure}, "trace_tokens", "f:2:23", "0 output"},
		{"zero prompt", azure("2023-02-03 00:00:00,0,7"), Options{Format: Azure}, "trace_tokens", "f:2:21", "0 prompt"},
		{"missing cell", azure("2023-02-03 00:00:00,1"), Options{Format: Azure}, "trace_syntax", "f:2:1", "fields"},
		{"stray quote", azure("2023-02-03 00:00:00,\"1,1"), Options{Format: Azure}, "trace_syntax", "f:2:25", "quote"},
		{"over 2^53", plain("0,9007199254740992,1"), Options{Format: CSV}, "trace_number", "f:2:3", "9007199254740992"},
		{"sum over 2^53", plain("0,9007199254740991,2"), Options{Format: CSV}, "trace_tokens", "f:2:20", "exceed"},
		{"negative arrival", plain("-1,1,1"), Options{Format: CSV}, "trace_time", "f:2:1", "-1"},
		{"fraction of ns", plain("0.5,1,1"), Options{Format: CSV}, "trace_time", "f:2:1", "0.5"},
		{"exponent", plain("1e3,1,1"), Options{Format: CSV}, "trace_time", "f:2:1", "1e3"},
		{"no arrival", "prompt_tokens,output_tokens\n", Options{Format: CSV}, "trace_header", "f:1:1", "arrival"},
		{"two arrivals", "arrival_ns,arrival_s,prompt_tokens,output_tokens\n", Options{Format: CSV}, "trace_header", "f:1:1", "both"},
		{"no prompt", "arrival_ns,output_tokens\n", Options{Format: CSV}, "trace_header", "f:1:1", "prompt_tokens"},
		{"column twice", "arrival_ns,id,id\n", Options{Format: CSV}, "trace_header", "f:1:15", "twice"},
		{"id twice", "id,arrival_ns,prompt_tokens,output_tokens\na,1,1,1\nb,1,1,1\na,1,1,1", Options{Format: CSV}, "trace_id", "f:4:1", "line 2"},
		{"empty id", "id,arrival_ns,prompt_tokens,output_tokens\n,1,1,1", Options{Format: CSV}, "trace_id", "f:2:1", "empty"},
		{"bad priority", "priority,arrival_ns,prompt_tokens,output_tokens\nhigh,1,1,1", Options{Format: CSV}, "trace_number", "f:2:1", "high"},
		{"not an object", "[1]", Options{Format: Mooncake}, "trace_syntax", "f:1:2", "object"},
		{"cut object", `{"timestamp": 1, `, Options{Format: Mooncake}, "trace_syntax", "f:1:17", "ends"},
		{"key twice", `{"timestamp": 1, "timestamp": 2}`, Options{Format: Mooncake}, "trace_syntax", "f:1:29", "twice"},
		{"text after", `{} {}`, Options{Format: JSONL}, "trace_syntax", "f:1:5", "after"},
		{"no length", `{"timestamp": 1, "input_length": 4}`, Options{Format: Mooncake}, "trace_header", "f:1:1", "output_length"},
		{"text number", `{"timestamp": 1, "input_length": "4", "output_length": 2}`, Options{Format: Mooncake}, "trace_number", "f:1:34", "4"},
		{"id no text", `{"id": 7, "arrival_ns": 1, "prompt_tokens": 4, "output_tokens": 2}`, Options{Format: JSONL}, "trace_id", "f:1:8", "text"},
		{"unknown format", "", Options{Format: "azur"}, "trace_format", "", "azure"},
		{"unknown role", "", Options{Format: CSV, Columns: map[string]string{"prompt": "p"}}, "trace_columns", "columns.prompt", "role"},
		{"negative limit", "", Options{Format: CSV, Limit: -1}, "trace_limit", "limit", "-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text), "f", c.opt)
			var got *issue.Error
			if !errors.As(err, &got) {
				t.Fatalf("error = %v; want an issue", err)
			}
			if got.Code != c.code || got.Path != c.path || !strings.Contains(got.Message, c.word) {
				t.Errorf("refusal = [%s] %v; want code %s, path %s, a message with %q", got.Code, got, c.code, c.path, c.word)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	path := t.TempDir() + "/conv.csv"
	if err := os.WriteFile(path, []byte(azureText), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path, Options{Format: Azure, Limit: 2})
	if err != nil || len(got.Requests) != 2 {
		t.Errorf("got %v, %v; want two requests", got, err)
	}
	_, err = ReadFile(path+"x", Options{Format: Azure})
	if refusals := issue.All(err); len(refusals) != 1 || refusals[0].Code != "trace_file" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error = %v; want trace_file wrapping ErrNotExist", err)
	}
}

// FuzzRead: no input panics, and whatever is accepted obeys contract 05 section
// 4.1.
func FuzzRead(f *testing.F) {
	f.Add([]byte(azureText), byte(0))
	f.Add([]byte(`{"timestamp": 1804, "input_length": 5123, "output_length": 71, "hash_ids": [1]}`), byte(1))
	f.Add([]byte("id,arrival_ms,prompt_tokens,output_tokens,priority\na,0.25,10,2,-3\n"), byte(2))
	f.Add([]byte(`{"id":"a","arrival_s":0.25,"prompt_tokens":10,"output_tokens":2}`), byte(3))
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		formats := Formats()
		got, err := Read(strings.NewReader(string(data)), "f", Options{Format: formats[int(which)%len(formats)]})
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for i, r := range got.Requests {
			if ids[r.ID] || r.ID == "" || !quantity.IsCount(r.ArrivalNs) || !quantity.IsPositive(r.PromptTokens) ||
				!quantity.IsPositive(r.OutputTokens) || !quantity.IsPositive(r.PeakKVTokens()) || !quantity.IsSafe(r.Priority) {
				t.Fatalf("request %d is %+v", i, r)
			}
			ids[r.ID] = true
		}
	})
}

func BenchmarkReadAzure(b *testing.B) {
	var text strings.Builder
	text.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\r\n")
	const rows = 3600
	for i := range rows {
		fmt.Fprintf(&text, "2023-11-16 18:%02d:%02d.9799600,1500,12\r\n", i/60, i%60)
	}
	b.ReportAllocs()
	for b.Loop() {
		got, err := Read(strings.NewReader(text.String()), "f", Options{Format: Azure})
		if err != nil || len(got.Requests) != rows {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
