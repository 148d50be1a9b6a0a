// Command parquetbench measures how fast tables in memory are written as Parquet. It
// is the Go side of testdata/python/bench_parquet.py, which writes the same tables
// with pyarrow in the same minute and prints the ratio.
//
//	parquetbench -sample FILE.arrow
//	parquetbench FILE.arrow
//
// The first form writes a table of 2 million tokens to measure with. The second
// reads a table, writes it as Parquet into nothing three times and prints one line of
// JSON: its rows, the seconds of the shortest writing, and the processor seconds of
// the one that needed least.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/cputime"
	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/arrowio/parquetio"
)

func main() {
	sample := flag.Bool("sample", false, "write the sample table")
	flag.Parse()
	run := measure
	if *sample {
		run = writeSample
	}
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: parquetbench [-sample] FILE.arrow")
		os.Exit(2)
	}
	if err := run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "parquetbench:", err)
		os.Exit(1)
	}
}

func writeSample(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := arrowio.WriteIPC(f, arrowio.Serving(samplerun.Large(1000, 2000), arrowio.Options{}).Tokens()); err != nil {
		return err
	}
	return f.Close()
}

// result is what is printed.
type result struct {
	Rows       int64   `json:"rows"`
	Bytes      int64   `json:"bytes"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
}

func measure(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	table, err := arrowio.ReadIPC(f, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	defer table.Release()
	r := result{Rows: table.NumRows()}
	for i := range 3 {
		var size counter
		began, used := time.Now(), cputime.Used()
		if err := parquetio.Write(&size, table); err != nil {
			return err
		}
		seconds, cpu := time.Since(began).Seconds(), (cputime.Used() - used).Seconds()
		if i == 0 {
			r.Bytes, r.Seconds, r.CPUSeconds = int64(size), seconds, cpu
		}
		r.Seconds, r.CPUSeconds = min(r.Seconds, seconds), min(r.CPUSeconds, cpu)
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
