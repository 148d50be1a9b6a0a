package main

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/spf13/cobra"
)

// traceFlag adds --trace to a command that runs one protocol.
func (o *servingOutputs) traceFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.trace, "trace", "", "write the protocol trace, with all that replays it, to this .json file")
}

// checkTraceFile proves, before any work is done, that a protocol trace can be
// written to path; an empty path asks for none. The name must end in .json, so
// that no other kind of file is overwritten by mistake.
func checkTraceFile(path string) error {
	switch {
	case path == "":
		return nil
	case !document.IsJSONName(path):
		return fmt.Errorf("--trace %s: the protocol trace is JSON and its name must end in .json", path)
	}
	return wholefile.Check(path)
}

// writeTraceFile writes a protocol trace, whole or not at all; an empty path asks
// for none.
func writeTraceFile(path string, write func(*jsondoc.Writer)) error {
	if path == "" {
		return nil
	}
	return wholefile.Write(path, func(out io.Writer) error {
		w := jsondoc.NewWriter(out)
		write(w)
		return w.Close()
	})
}
