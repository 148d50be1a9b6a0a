package main

import (
	"io"
	"path/filepath"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/spf13/cobra"
)

// speculativeOutputs are the files that a speculative workload may leave beside its
// document.
type speculativeOutputs struct {
	report         string // page
	parquet, arrow string // folders of tables
	plain          bool   // plain strings instead of dictionaries
}

// speculativeEvidence is what the files are made of.
type speculativeEvidence struct {
	workload  *speculative.Run
	tokens    *speculative.TokenRun // nil: without token values
	execution *result.Execution     // nil: without a machine
	document  func(*jsondoc.Writer)
}

func (o *speculativeOutputs) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.report, "report", "", "write the run as one self-contained HTML page")
	f.StringVar(&o.parquet, "parquet", "", "write iterations and acceptance by position as Parquet files into this folder")
	f.StringVar(&o.arrow, "arrow", "", "write iterations and acceptance by position as Arrow IPC files into this folder")
	f.BoolVar(&o.plain, "plain-strings", false, "with --parquet or --arrow: plain strings instead of dictionaries")
}

// prepare makes the folders and proves that the page can be written, before any
// work is done.
func (o *speculativeOutputs) prepare() error {
	for _, dir := range []string{o.parquet, o.arrow} {
		if dir != "" {
			if err := arrowio.PrepareDir(dir); err != nil {
				return err
			}
		}
	}
	if o.report != "" {
		return wholefile.Check(o.report)
	}
	return nil
}

// write leaves the tables first and the page last. With an execution, iterations
// have times.
func (o *speculativeOutputs) write(cmd *cobra.Command, args []string, e speculativeEvidence) error {
	opt := arrowio.Options{PlainStrings: o.plain}
	tables := arrowio.Speculative(e.workload, opt)
	if e.execution != nil {
		tables = arrowio.SpeculativeOn(e.workload, e.execution.Run, e.execution.Speculation, opt)
	}
	if o.parquet != "" {
		if err := parquetio.WriteDir(o.parquet, tables.All()...); err != nil {
			return err
		}
	}
	if o.arrow != "" {
		if err := arrowio.WriteDir(o.arrow, arrowio.IPCExt, arrowio.WriteIPC, tables.All()...); err != nil {
			return err
		}
	}
	if o.report == "" {
		return nil
	}
	return o.page(cmd, args, e)
}

// page writes the page with all that repeats the run. Files are named without
// their folders.
func (o *speculativeOutputs) page(cmd *cobra.Command, args []string, e speculativeEvidence) error {
	meta := report.Meta{Command: cmd.Name(), CommandLine: reproduction(cmd, args, false)}
	for _, path := range args {
		if !isFile(path) {
			continue // a preset
		}
		fingerprint, err := fileFingerprint(path)
		if err != nil {
			return err
		}
		meta.Inputs = append(meta.Inputs, report.Input{Name: filepath.Base(path), Fingerprint: fingerprint, Travels: true})
	}
	if len(meta.Inputs) > 0 {
		meta.InputFingerprint = meta.Inputs[0].Fingerprint
	}
	doc := jsondoc.NewWriter(nil)
	e.document(doc)
	if err := doc.Close(); err != nil {
		return err
	}
	meta.Result = doc.Bytes()
	var err error
	if meta.OutputFingerprint, err = documentFingerprint(meta.Result, "result.json"); err != nil {
		return err
	}
	r := report.SpeculativeResult{Workload: e.workload, Tokens: e.tokens}
	if e.execution != nil {
		r.Run, r.Speculation = e.execution.Run, e.execution.Speculation
	}
	page, err := report.Speculative(r, meta)
	if err != nil {
		return err
	}
	return wholefile.Write(o.report, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
}
