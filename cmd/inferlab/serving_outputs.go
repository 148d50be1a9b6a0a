package main

import (
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
)

// servingOutputs are the files that a serving run may leave beside its document.
type servingOutputs struct {
	report  string // page
	parquet string // folder of Parquet tables
	arrow   string // folder of Arrow IPC tables
	trace   string // protocol trace
	plain   bool   // plain strings instead of dictionaries in the tables
}

func (o *servingOutputs) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.report, "report", "", "write the run as one self-contained HTML page")
	f.StringVar(&o.parquet, "parquet", "", "write the run's tables as Parquet files into this folder")
	f.StringVar(&o.arrow, "arrow", "", "write the run's tables as Arrow IPC files into this folder")
	f.BoolVar(&o.plain, "plain-strings", false, "with --parquet or --arrow: plain strings instead of dictionaries")
}

// prepare makes folders and proves that every output can be written, before any
// work is done.
func (o *servingOutputs) prepare() error {
	for _, dir := range []string{o.parquet, o.arrow} {
		if dir != "" {
			if err := arrowio.PrepareDir(dir); err != nil {
				return err
			}
		}
	}
	for _, file := range []string{o.report, o.trace} {
		if file != "" {
			if err := wholefile.Check(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// write leaves the trace and the tables first and the page last: a drawing that
// fails loses no result.
func (o *servingOutputs) write(run *serving.Run, meta func() (report.Meta, error)) error {
	if err := writeTraceFile(o.trace, func(w *jsondoc.Writer) { result.ServingTraceDocument(w, run) }); err != nil {
		return err
	}
	served := arrowio.Serving(run, arrowio.Options{PlainStrings: o.plain})
	tables := served.All()
	if run.Speculation != nil {
		tables = append(tables, served.AcceptanceByPosition())
	}
	if o.parquet != "" {
		if err := parquetio.WriteDir(o.parquet, tables...); err != nil {
			return err
		}
	}
	if o.arrow != "" {
		if err := arrowio.WriteDir(o.arrow, arrowio.IPCExt, arrowio.WriteIPC, tables...); err != nil {
			return err
		}
	}
	if o.report == "" {
		return nil
	}
	about, err := meta()
	if err != nil {
		return err
	}
	page, err := report.Serving(run, about)
	if err != nil {
		return err
	}
	return wholefile.Write(o.report, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
}
