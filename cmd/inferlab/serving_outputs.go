package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/perfetto"
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

	perfetto string // trace-event file for the Perfetto UI
}

func (o *servingOutputs) flags(cmd *cobra.Command) {
	o.tableFlags(cmd, "the run's tables")
}

// tableFlags adds the flags of page and tables; what says what the tables hold.
func (o *servingOutputs) tableFlags(cmd *cobra.Command, what string) {
	pageFlag(cmd, &o.report)
	f := cmd.Flags()
	f.StringVar(&o.parquet, "parquet", "", "write "+what+" as Parquet files into this folder")
	f.StringVar(&o.arrow, "arrow", "", "write "+what+" as Arrow IPC files into this folder")
	f.BoolVar(&o.plain, "plain-strings", false, "with --parquet or --arrow: plain strings instead of dictionaries")
}

// pageFlag adds --report.
func pageFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "report", "", "write the result as one self-contained HTML page")
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
	for _, file := range []string{o.report, o.trace, o.perfetto} {
		if file != "" {
			if err := wholefile.Check(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// write leaves the outputs of a run without an expert cache; print may be nil.
func (o *servingOutputs) write(run *serving.Run, print func() error, meta func() (report.Meta, error)) error {
	return o.leave(servingEvidence{
		trace: func(w *jsondoc.Writer) { result.ServingTraceDocument(w, run) },
		tables: func(opt arrowio.Options) []*arrowio.Table {
			served := arrowio.Serving(run, opt)
			tables := served.All()
			if run.Speculation != nil {
				tables = append(tables, served.AcceptanceByPosition())
			}
			return tables
		},
		page:     func(about report.Meta) ([]byte, error) { return report.Serving(run, about) },
		meta:     meta,
		print:    print,
		perfetto: func(w io.Writer) error { return perfetto.Serving(w, run) },
	})
}

// servingEvidence makes the files of one kind of run.
type servingEvidence struct {
	trace  func(*jsondoc.Writer)
	tables func(arrowio.Options) []*arrowio.Table
	page   func(report.Meta) ([]byte, error)
	meta   func() (report.Meta, error)
	print  func() error // prints the document and has it on the disk; nil: nothing is printed

	perfetto func(io.Writer) error // writes the trace-event file; nil: this kind of run has none
}

// leave writes the trace and the tables, then the document, and the page last: a
// drawing that fails loses no result, and can be tried again from the document.
func (o *servingOutputs) leave(e servingEvidence) error {
	if e.trace != nil {
		if err := writeTraceFile(o.trace, e.trace); err != nil {
			return err
		}
	}
	var tables []*arrowio.Table
	if o.parquet != "" || o.arrow != "" {
		tables = e.tables(arrowio.Options{PlainStrings: o.plain})
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
	if e.print != nil {
		if err := e.print(); err != nil {
			return err
		}
	}
	return o.show(e)
}

// show writes what is drawn: the trace-event file and the page. The result stands by
// now, whatever happens here.
func (o *servingOutputs) show(e servingEvidence) error {
	stands, again := "the result is complete", ""
	if e.print != nil {
		stands += " and printed"
		again = " (draw it from the full JSON document of this command: inferlab report RESULT.json -o " + filepath.Base(o.report) + ")"
	}
	var failed error
	if o.perfetto != "" && e.perfetto != nil {
		if err := wholefile.Write(o.perfetto, e.perfetto); err != nil {
			failed = fmt.Errorf("%s, its trace-event file is not written: %w", stands, err)
		}
	}
	if o.report == "" {
		return failed
	}
	if err := o.draw(e); err != nil {
		failed = errors.Join(failed, fmt.Errorf("%s, its page is not drawn: %w%s", stands, err, again))
	}
	return failed
}

// draw makes the page.
func (o *servingOutputs) draw(e servingEvidence) error {
	about, err := e.meta()
	if err != nil {
		return err
	}
	page, err := e.page(about)
	if err != nil {
		return err
	}
	return wholefile.Write(o.report, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
}
