// Command inferlab simulates LLM inference on modelled machines: it compiles a
// workload onto a topology, runs it on one deterministic clock, verifies the run
// by an independent replay, and hands out the result as JSON, tables, pages and
// notebooks.
//
// One JSON document goes to standard output; progress and messages go to
// standard error. Exit status: 0 success, 2 a well-formed negative answer, 1
// malformed input or failure.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
