package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/spf13/cobra"
)

// reportFlags are the options of the report command.
type reportFlags struct {
	out       string
	from      string
	reference string
	traces    []string
	open      bool
}

func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [RESULT.json...]",
		Short: "Make a page of results: one of any command, or a comparison of several serving runs",
		Long: `Makes one self-contained HTML page of a finished result: the document that a command
printed, so that a page that was not drawn, or not asked for, needs no second look
for its files.

Nothing is believed. The document of "inferlab serving" holds its whole trace, which
the independent replay checks; of a summary its trace document will do (--trace, in
the order of the results). Every other document carries its inputs: the result is
made and replayed again from them, and one differing value is a refusal. All commands
that run something print such documents; a document without a page is refused with
the list of those that have one.

Several serving results give a comparison: what differs between their inputs, every
run against the reference, distributions on shared axes, requests in pairs where the
workload is the same.

A page holds what it was made from; --from makes it again, byte for byte.`,
		Example: `  inferlab serving multi-gpu serving.yaml > run.json
  inferlab report run.json -o run.html --open
  inferlab fault-campaign multi-node workload.yaml > faults.json
  inferlab report faults.json -o faults.html
  inferlab report a.json b.json c.json --reference b.json -o compared.html
  inferlab report summary.json --trace run-trace.json -o run.html
  inferlab report --from run.html -o again.html`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.report(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "the page to write")
	flags.StringVar(&f.from, "from", "", "make the page again that this page holds")
	flags.StringVar(&f.reference, "reference", "", "the result that the others are compared with (default: the first)")
	flags.StringArrayVar(&f.traces, "trace", nil, "trace document of a result, once a result, in their order")
	flags.BoolVar(&f.open, "open", false, "open the page in the browser")
	return cmd
}

// check refuses combinations of options and arguments that mean nothing.
func (f *reportFlags) check(args []string) error {
	switch {
	case f.out == "":
		return errors.New("report: missing -o FILE.html, the page to write")
	case f.from == "" && len(args) == 0:
		return errors.New("report: missing argument RESULT.json (or --from PAGE.html)")
	case f.from != "" && (len(args) > 0 || len(f.traces) > 0 || f.reference != ""):
		return errors.New("report: --from makes a page of a page alone; leave out results, --trace and --reference")
	case len(f.traces) > 0 && len(f.traces) != len(args):
		return fmt.Errorf("report: %d results and %d --trace; give one trace document a result, or none", len(args), len(f.traces))
	case f.reference != "" && !slices.Contains(args, f.reference):
		return fmt.Errorf("report: --reference: %q is none of the results", f.reference)
	}
	return wholefile.Check(f.out)
}

func (a *app) report(cmd *cobra.Command, args []string, f *reportFlags) error {
	if err := f.check(args); err != nil {
		return err
	}
	page, made, err := f.page(cmd, args)
	if err != nil {
		return err
	}
	err = wholefile.Write(f.out, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
	if err != nil {
		return err
	}
	if f.open {
		if err := browse(cmd.Context(), f.out); err != nil {
			fmt.Fprintf(a.stderr, "inferlab: warning: the page is written, but could not be opened: %v\n", err)
		}
	}
	return a.emit(func(w *jsondoc.Writer) { writeReported(w, f.out, page, made) })
}

// page makes the page and lists the results in it.
func (f *reportFlags) page(cmd *cobra.Command, args []string) ([]byte, []report.Document, error) {
	if f.from != "" {
		old, err := readFile(f.from)
		if err != nil {
			return nil, nil, err
		}
		page, docs, err := report.Rebuild(old)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.from, err)
		}
		return page, docs, nil
	}
	meta := report.Meta{Command: "report", CommandLine: reproduction(cmd, args, false)}
	var docs []report.Document
	for i, path := range args {
		doc, err := readResult(path, f.trace(i))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", spelled(path), err)
		}
		docs = append(docs, *doc)
		files := []string{path}
		if t := f.trace(i); t != "" {
			files = append(files, t)
			meta.CommandLine += " --trace=" + quoted(filepath.Base(t))
		}
		for _, file := range files {
			fingerprint := doc.Fingerprint
			if len(files) > 1 {
				if fingerprint, err = bytesFingerprint(file); err != nil {
					return nil, nil, err
				}
			}
			meta.Inputs = append(meta.Inputs, report.Input{Name: filepath.Base(file), Fingerprint: fingerprint, Travels: true})
		}
	}
	if len(docs) == 1 {
		if err := docs[0].About(&meta); err != nil {
			return nil, nil, err
		}
		page, err := docs[0].Page(meta)
		return page, docs, err
	}
	for i := range docs {
		if docs[i].Run == nil {
			return nil, nil, fmt.Errorf("report: %s is a result of %s; only serving results are compared on one page", args[i], docs[i].Command())
		}
	}
	page, err := report.Runs(docs, max(0, slices.Index(args, f.reference)), meta)
	return page, docs, err
}

func (f *reportFlags) trace(i int) string {
	if i < len(f.traces) {
		return f.traces[i]
	}
	return ""
}

// wholeBytes is the size up to which a document is read at once; larger ones, of runs
// of millions of tokens, are read as streams and only fingerprinted.
const wholeBytes = 256 << 20

// readResult reads a result document, and its trace document where one is named.
func readResult(path, trace string) (*report.Document, error) {
	doc := new(report.Document)
	err := reading(path, func(in io.Reader) (err error) {
		if trace != "" {
			return reading(trace, func(protocol io.Reader) error {
				summary, err := io.ReadAll(in)
				if err != nil {
					return err
				}
				if doc, err = report.ReadWithTrace(summary, protocol); err != nil {
					return fmt.Errorf("with %s: %w", trace, err)
				}
				return nil
			})
		}
		head, err := io.ReadAll(io.LimitReader(in, wholeBytes+1))
		if err == nil && len(head) <= wholeBytes {
			doc, err = report.ReadResult(head)
			return err
		}
		kept := report.NewKeeper()
		if err == nil {
			doc.Run, err = resultdoc.Run(io.TeeReader(io.MultiReader(bytes.NewReader(head), in), kept))
		}
		doc.Text, doc.Fingerprint = kept.Kept()
		return err
	})
	if err != nil {
		return nil, err
	}
	doc.Name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".json")
	return doc, nil
}

// reading hands over the content of a file, unpacked when its name ends in .gz.
func reading(path string, use func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return readFailure(path, err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	if !strings.HasSuffix(path, ".gz") {
		return use(in)
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("cannot unpack %s: %w", spelled(path), err)
	}
	return use(z)
}

// bytesFingerprint is the fingerprint of a file's bytes.
func bytesFingerprint(path string) (string, error) {
	kept := report.NewKeeper()
	err := reading(path, func(in io.Reader) error {
		_, err := io.Copy(kept, in)
		return err
	})
	_, fingerprint := kept.Kept()
	return fingerprint, err
}

// writeReported says what was made of what.
func writeReported(w *jsondoc.Writer, path string, page []byte, docs []report.Document) {
	confidence := evidence.Exact
	for i := range docs {
		confidence = evidence.Weakest(confidence, docs[i].Confidence())
	}
	w.Object()
	w.Head(jsondoc.Head{Command: "report", Confidence: confidence})
	w.Key("page").Text(filepath.Base(path))
	w.Key("bytes").Int(int64(len(page)))
	w.Key("pageFingerprint").Text(canonical.FingerprintBytes(page))
	w.Key("results").Array()
	for i := range docs {
		w.Element().Object()
		w.Key("name").Text(docs[i].Name)
		w.Key("command").Text(docs[i].Command())
		if ids := docs[i].ScenarioIDs(); len(ids) == 1 {
			w.Key("scenarioId").Text(ids[0])
		} else if len(ids) > 1 {
			w.Key("scenarioIds").Texts(ids)
		}
		w.Key("fingerprint").Text(docs[i].Fingerprint)
		w.Key("confidence").Text(string(docs[i].Confidence()))
		w.End()
	}
	w.End()
	w.End()
}

// browse opens a file with the program that the system has for it.
func browse(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	words := []string{"xdg-open", abs}
	switch runtime.GOOS {
	case "darwin":
		words = []string{"open", abs}
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", abs}
	}
	return exec.CommandContext(ctx, words[0], words[1:]...).Run()
}
