package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInputsAreNeverOverwritten names an input, or one file twice, as an output.
func TestInputsAreNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	config, requests, link := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "t.csv"), filepath.Join(dir, "link")
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	rows := "arrival_ns,prompt_tokens,output_tokens\n0,3,4\n"
	for path, content := range map[string]string{config: string(data), requests: rows} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(config, link); err != nil {
		t.Skipf("this file system has no symbolic links: %v", err)
	}
	same := filepath.Join(dir, "x.json")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serving", "multi-gpu", config, "--report", config}, "overwrite the input"},
		{[]string{"serving", "multi-gpu", config, "--report", link}, "overwrite the input"},
		{[]string{"serving", "multi-gpu", "--trace", requests, "--trace-format", "csv", "--report", requests}, "overwrite the input"},
		{[]string{"serving", "multi-gpu", config, "--trace", same, "--report", same}, "name one file"},
		{[]string{"serving", "multi-gpu", config, "--report", ""}, "--report: found an empty text"},
		{[]string{"serving", "multi-gpu", config, "--max-batch-size", "0"}, "--max-batch-size: found 0"},
		{[]string{"serving", "multi-gpu", config, "--max-batch-size", "4x"}, "--max-batch-size: found \"4x\", expected an integer"},
		{[]string{"serving", "multi-gpu", config, "--summary=perhaps"}, "--summary: found \"perhaps\", expected true or false"},
		{[]string{"speculative", config, "--format", "table", "--trace", config}, "overwrite the input"},
		{[]string{"report", "x.json", "--trace", "", "-o", same}, "--trace: found an empty text"},
		{[]string{"export", "x.json", "--tables", "requests,", "-o", dir}, "--tables: found an empty text"},
		{[]string{"report", config, "-o", config}, "--out " + config + ": would overwrite the input"},
		{[]string{"report", "x.json", "--trace", config, "-o", link}, "overwrite the input"},
		{[]string{"report", "--from", config, "-o", config}, "overwrite the input"},
	} {
		code, stdout, stderr := inferlab(c.args...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %d bytes on stdout, stderr %q", c.args[2:], code, len(stdout), stderr)
		}
	}
	if got, err := os.ReadFile(config); err != nil || string(got) != string(data) {
		t.Errorf("the configuration was changed: %v", err)
	}
	if got, err := os.ReadFile(requests); err != nil || string(got) != rows {
		t.Errorf("the requests were changed: %v", err)
	}
}

// TestPagesAreNotWrittenIntoStandardOutput: the page would take the place of the
// document.
func TestPagesAreNotWrittenIntoStandardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var stderr strings.Builder
	code := execute(t.Context(), []string{"serving", "multi-gpu", sample, "--report", path}, out, &stderr)
	if code != exitFailure || !strings.Contains(stderr.String(), "--report "+path+": standard output goes into this file") {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
	if info, err := out.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("%v was written: %v", info, err)
	}
}

// TestTokenCountsBeyondTheBudgetAreRefusedFirst asks for more than memory could hold.
func TestTokenCountsBeyondTheBudgetAreRefusedFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.yaml")
	for _, count := range []string{"9007199254740991", "1e11", "1000001"} {
		if err := os.WriteFile(path, []byte("target_only: {token_count: "+count+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"run", "multi-gpu", path}, {"compare", path}, {"plan-export", "multi-gpu", path}, {"fault-campaign", "multi-gpu", path}} {
			code, stdout, stderr := inferlab(args...)
			if code != exitFailure || stdout != "" || !strings.Contains(stderr, "target_only.token_count") || !strings.Contains(stderr, "maxEvents") {
				t.Errorf("%v %s: exit %d, stderr %q", args, count, code, stderr)
			}
		}
	}
}

// TestWorkThatCannotBeRecordedIsRefused asks for evidence without end.
func TestWorkThatCannotBeRecordedIsRefused(t *testing.T) {
	dir := t.TempDir()
	cache := `expert_cache: {contract_revision: 3, top_k: 1, hot_capacity_bytes: 60, warm_capacity_bytes: 80, warm_to_hot_latency_ns: 10,
  cold_to_hot_latency_ns: 80, cold_to_warm_latency_ns: 35, experts: [{id: a, bytes: 20}]}
`
	for _, c := range []struct {
		args    []string
		content string
		want    string
	}{
		{[]string{"expert-cache"}, cache + "workload: {token_count: 9007199254740000, top_k: 1, token_interval_ns: 0}\n", "token_count"},
		{[]string{"speculative"}, `speculative: {family: draft_model, output_token_count: 1, max_additional_tokens: 1, initial_token_length: 9007199254740000,
  acceptance: {kind: replay, accepted_draft_tokens: [0]}, paged_kv: {page_size_tokens: 1, bytes_per_token: 1, capacity_bytes: 9007199254740991}}
`, "initial_token_length"},
		{[]string{"serving", "single-gpu-cpu"}, cache + `serving: {max_batch_size: 1, max_batch_tokens: 9007199254740991, prefill_chunk_tokens: 9007199254740991,
  max_kv_tokens: 9007199254740991, requests: [{id: long, arrival_ns: 0, prompt_tokens: 100000000000, output_tokens: 1}]}
`, "max_batch_tokens"},
	} {
		path := filepath.Join(dir, c.args[0]+".yaml")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := inferlab(append(c.args, path)...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %d bytes on stdout, stderr %q", c.args, code, len(stdout), stderr)
		}
	}
}

// Paths that are empty or hold a line break give one line that a person understands.
func TestOddPathsGiveOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"report", "", "-o", "page.html"}, "inferlab: report: found an empty text among the arguments\n"},
		{[]string{"calibrate", ""}, "inferlab: calibrate: found an empty text among the arguments\n"},
		{[]string{"calibrate", "two\nlines.yaml"}, `inferlab: cannot read "two\nlines.yaml": no such file or directory` + "\n"},
		{[]string{"export", "two\nlines.json", "-o", "-"}, `inferlab: cannot read "two\nlines.json": no such file or directory` + "\n"},
	} {
		if code, stdout, stderr := inferlab(c.args...); code != exitFailure || stdout != "" || stderr != c.want {
			t.Errorf("%q: exit %d, stdout %q, stderr %q; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
}
