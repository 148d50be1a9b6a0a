package main

import (
	"github.com/spf13/cobra"
)

// perfettoFlag adds --perfetto to a command whose runs have a place in time.
func perfettoFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "perfetto", "", "write devices, links, collectives, requests, queues and memory over time as a trace-event file for the Perfetto UI (.json)")
}
