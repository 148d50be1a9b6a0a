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
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go giveUp(ctx, stop)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// giveUp ends the process when an interrupted command does not end by itself; a
// second signal ends it at once. Pending files have no names yet, so none is left.
func giveUp(ctx context.Context, stop func()) {
	<-ctx.Done()
	stop()
	patience := time.Second
	if slices.ContainsFunc(os.Args[1:], startsProcesses) {
		patience = 15 * time.Second
	}
	time.Sleep(patience)
	fmt.Fprintln(os.Stderr, "inferlab: interrupted")
	os.Exit(exitFailure)
}

// startsProcesses names the commands that have processes of their own to end.
func startsProcesses(word string) bool {
	return slices.Contains([]string{"demo", "notebook", "lab", "kernel"}, word)
}
