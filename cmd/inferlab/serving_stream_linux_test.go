package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestServingStreamFullDisk: a full disk is said plainly and leaves no table.
func TestServingStreamFullDisk(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,arrival_ns,prompt_tokens,output_tokens\n")
	for i := range 200 {
		fmt.Fprintf(&text, "r%d,0,64,1500\n", i)
	}
	in(t, map[string]string{"requests.csv": text.String()})
	if err := os.Mkdir("small", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", "small", "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no right to mount a small file system: %v", err)
	}
	defer syscall.Unmount("small", 0)
	code, stdout, stderr := inferlab("serving", "multi-gpu", "--trace", "requests.csv", "--trace-format", "csv", "--stream", "--parquet", "small", "--max-kv-tokens", "1000000")
	if code != exitFailure || stdout != "" || !strings.Contains(stderr, "no space left") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if entries, _ := os.ReadDir("small"); len(entries) != 0 {
		t.Errorf("it leaves %v", entries)
	}
}
