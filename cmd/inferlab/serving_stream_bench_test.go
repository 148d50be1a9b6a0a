package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// BenchmarkServingStream is the whole path of a run that streams: schedule, replay,
// tables, Parquet on the disk.
func BenchmarkServingStream(b *testing.B) {
	b.Chdir(b.TempDir())
	const requests, tokens = 4000, 256
	var text strings.Builder
	text.WriteString("id,arrival_ns,prompt_tokens,output_tokens\n")
	for i := range requests {
		fmt.Fprintf(&text, "r%d,%d,%d,%d\n", i, i*1_000_000, 64+i%57, tokens)
	}
	if err := os.WriteFile("requests.csv", []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		code, _, stderr := inferlab("serving", "multi-gpu", "--trace", "requests.csv", "--trace-format", "csv",
			"--max-batch-size", "256", "--parquet", "out", "--stream")
		if code != exitDone {
			b.Fatal(stderr)
		}
	}
	b.ReportMetric(float64(requests*tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
