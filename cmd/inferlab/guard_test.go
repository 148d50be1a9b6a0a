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
