package main

import (
	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/spf13/cobra"
)

// speculativeOutputs are the tables that a speculative workload may leave beside
// its document.
type speculativeOutputs struct {
	parquet, arrow string // folders
	plain          bool   // plain strings instead of dictionaries
}

func (o *speculativeOutputs) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.parquet, "parquet", "", "write iterations and acceptance by position as Parquet files into this folder")
	f.StringVar(&o.arrow, "arrow", "", "write iterations and acceptance by position as Arrow IPC files into this folder")
	f.BoolVar(&o.plain, "plain-strings", false, "with --parquet or --arrow: plain strings instead of dictionaries")
}

// prepare makes the folders before any work is done.
func (o *speculativeOutputs) prepare() error {
	for _, dir := range []string{o.parquet, o.arrow} {
		if dir != "" {
			if err := arrowio.PrepareDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// write leaves the tables; with an execution, iterations have times.
func (o *speculativeOutputs) write(s *speculative.Run, e *result.Execution) error {
	opt := arrowio.Options{PlainStrings: o.plain}
	tables := arrowio.Speculative(s, opt)
	if e != nil {
		tables = arrowio.SpeculativeOn(s, e.Run, e.Speculation, opt)
	}
	if o.parquet != "" {
		if err := parquetio.WriteDir(o.parquet, tables.All()...); err != nil {
			return err
		}
	}
	if o.arrow != "" {
		return arrowio.WriteDir(o.arrow, arrowio.IPCExt, arrowio.WriteIPC, tables.All()...)
	}
	return nil
}
