package main

import (
	"io"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
func (o *servingOutputs) write(run *serving.Run, command string) error {
	if o.trace != "" {
		if err := wholefile.Write(o.trace, func(w io.Writer) error {
			doc := jsondoc.NewWriter(w)
			result.ServingTraceDocument(doc, run)
			return doc.Close()
		}); err != nil {
			return err
		}
	}
	tables := arrowio.Serving(run, arrowio.Options{PlainStrings: o.plain}).All()
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
	page, err := report.Serving(run, report.Meta{Command: command})
	if err != nil {
		return err
	}
	return wholefile.Write(o.report, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
}

// reproduction is the command line without the options that only say where
// results go.
func reproduction(cmd *cobra.Command, args []string) string {
	words := []string{"inferlab", cmd.Name()}
	for _, a := range args {
		words = append(words, quoted(a))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !presentation[f.Name] {
			words = append(words, "--"+f.Name+"="+quoted(f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

var presentation = map[string]bool{"report": true, "parquet": true, "arrow": true, "format": true, "summary": true, "plain-strings": true}

// quoted spells a word so that a shell reads it back as it is.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
