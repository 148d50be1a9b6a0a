package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/notebooks/page"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/spf13/cobra"
)

// notebookRunFlags are the options of notebook run.
type notebookRunFlags struct {
	output      string
	to          string
	set         []string
	timeout     time.Duration
	jobs        int
	check       bool
	allowErrors bool
}

func (a *app) notebookRunCommand() *cobra.Command {
	var f notebookRunFlags
	cmd := &cobra.Command{
		Use:   "run FILE.ipynb...",
		Short: "Execute notebooks headlessly, with Go alone",
		Long: `Executes every code cell of a notebook on the GoNB kernel and writes the outputs back
into the file. The kernel is built from this module and started by the command
itself: neither Jupyter nor an installed kernel is needed. Cells import the
checkout that holds the notebook. Among several notebooks, those in other languages
than Go are left out.

A cell that fails ends the run with exit status 1; the cell and its Go error are
shown, and the file keeps the outputs up to there. --set changes a variable of
the cell tagged "parameters": a Go expression, plain text for a string, 20ms for
a duration, 4,8,16 for a slice; it goes with --output or --to html, and FILE stays
as it is. --check executes and compares with what the file holds, writes nothing,
and exits with status 2 when an output has changed.`,
		Example: `  inferlab notebook run notebooks/quickstart.ipynb
  inferlab notebook run notebooks/quickstart.ipynb --set machine=multi-gpu-ring-8 --output out/ring.ipynb
  inferlab notebook run notebooks/*.ipynb --to html --output out/ --jobs 2
  inferlab notebook run notebooks/*.ipynb --check`,
		Args: func(cmd *cobra.Command, args []string) error {
			return positional("FILE.ipynb")(cmd, args[:min(len(args), 1)])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return fmt.Errorf("notebook run: %w", err)
			}
			jobs, err := f.jobsFor(args, a.stderr)
			if err != nil {
				return err
			}
			return a.notebookRun(cmd.Context(), f, jobs)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write here instead of back into FILE; a folder when there are several")
	flags.StringVar(&f.to, "to", "ipynb", "form of what is written: ipynb, or html for a self-contained page")
	flags.StringArrayVar(&f.set, "set", nil, "NAME=VALUE for the cell tagged parameters (repeatable)")
	flags.DurationVar(&f.timeout, "cell-timeout", 10*time.Minute, "time limit of a cell, compiling included (0: none)")
	flags.IntVar(&f.jobs, "jobs", max(1, runtime.NumCPU()/2), "how many notebooks to execute at a time")
	flags.BoolVar(&f.check, "check", false, "compare the outputs with those in FILE and write nothing")
	flags.BoolVar(&f.allowErrors, "allow-errors", false, "go on after a cell that fails")
	return cmd
}

// notebookJob is one notebook to execute.
type notebookJob struct {
	input, output string
	nb            *notebookrun.Notebook
	before        []byte // the document as it was
}

// jobsFor reads the notebooks and sets their parameters, before anything is
// executed. Among several, those in other languages than Go are passed over with a
// word to notes; one that is named alone is refused when it is executed.
func (f *notebookRunFlags) jobsFor(files []string, notes io.Writer) ([]*notebookJob, error) {
	outputs, err := notebookOutputs(files, f.output, "."+f.to)
	if err != nil {
		return nil, fmt.Errorf("notebook run: %w", err)
	}
	var jobs []*notebookJob
	for i, file := range files {
		nb, err := notebookrun.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if language := nb.Language(); len(files) > 1 && language != "" && language != "go" {
			fmt.Fprintf(notes, "%s: left out, its cells are in %s; Jupyter executes them\n", file, language)
			continue
		}
		j := &notebookJob{input: file, output: outputs[i], nb: nb, before: nb.Bytes()}
		for _, s := range f.set {
			name, value, _ := strings.Cut(s, "=")
			if err := nb.SetParameter(strings.TrimSpace(name), value); err != nil {
				return nil, fmt.Errorf("notebook run: --set: %s: %w", file, err)
			}
		}
		if !f.check {
			if err := wholefile.Check(j.output); err != nil {
				return nil, err
			}
		}
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		return nil, errors.New("notebook run: none of the notebooks has cells in Go")
	}
	return jobs, nil
}

func (f *notebookRunFlags) validate() error {
	switch {
	case f.timeout < 0:
		return fmt.Errorf("--cell-timeout: found %s, expected zero (no limit) or more", f.timeout)
	case f.jobs < 1:
		return fmt.Errorf("--jobs: found %d, expected 1 or more", f.jobs)
	case f.to != "ipynb" && f.to != "html":
		return fmt.Errorf("--to: found %q, expected ipynb or html", f.to)
	case f.check && (f.output != "" || f.to != "ipynb" || len(f.set) > 0):
		return errors.New("--check writes nothing and changes nothing; leave out --output, --to and --set")
	case len(f.set) > 0 && f.output == "" && f.to == "ipynb":
		return errors.New("--set changes the notebook; name another file with --output")
	}
	for _, s := range f.set {
		if name, _, ok := strings.Cut(s, "="); !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("--set: found %q, expected NAME=VALUE", s)
		}
	}
	return nil
}

// notebookOutputs says where the result of each file goes: beside the file,
// into the one output that was named, or into a folder when there are several
// files or the output is a folder.
func notebookOutputs(files []string, output, ext string) ([]string, error) {
	isDir := len(files) > 1
	if info, err := os.Stat(output); err == nil && info.IsDir() || strings.HasSuffix(output, "/") {
		isDir = true
	}
	seen := map[string]string{}
	outputs := make([]string, len(files))
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb") + ext
		switch {
		case output == "":
			outputs[i] = filepath.Join(filepath.Dir(file), name)
		case isDir:
			outputs[i] = filepath.Join(output, name)
		default:
			outputs[i] = output
		}
		if other, taken := seen[outputs[i]]; taken {
			return nil, fmt.Errorf("%s and %s would both be written to %s", other, file, outputs[i])
		}
		seen[outputs[i]] = file
	}
	if output != "" && isDir {
		if err := os.MkdirAll(output, 0o755); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// notebookRun executes the notebooks, several at a time, and reports each as it
// ends. The first failures in the order of the command line decide the error.
func (a *app) notebookRun(ctx context.Context, f notebookRunFlags, jobs []*notebookJob) error {
	watch := newNotebookWatch(a.stderr, len(jobs) == 1)
	errs := make([]error, len(jobs))
	places := make(chan struct{}, f.jobs)
	var group sync.WaitGroup
	for i, j := range jobs {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if ctx.Err() == nil {
				errs[i] = a.notebookRunOne(ctx, f, j, watch)
			}
		})
	}
	group.Wait()
	watch.end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return joinNotebookErrors(jobs, errs)
}

// joinNotebookErrors names the notebook of each error when there are several.
// A negative answer has been printed and counts only when nothing went wrong.
func joinNotebookErrors(jobs []*notebookJob, errs []error) error {
	var failed []error
	negative := false
	for i, err := range errs {
		switch {
		case err == nil:
		case errors.Is(err, errNegative):
			negative = true
		case len(jobs) > 1:
			failed = append(failed, fmt.Errorf("%s: %w", jobs[i].input, err))
		default:
			failed = append(failed, err)
		}
	}
	if len(failed) == 0 && negative {
		return errNegative
	}
	return errors.Join(failed...)
}

func (a *app) notebookRunOne(ctx context.Context, f notebookRunFlags, j *notebookJob, watch *notebookWatch) error {
	dir, err := filepath.Abs(filepath.Dir(j.input))
	if err != nil {
		return err
	}
	report, failed := notebookrun.Execute(ctx, j.nb, notebookrun.Options{
		Dir: dir, CellTimeout: f.timeout, AllowErrors: f.allowErrors, Progress: watch.progress(j.input),
	})
	if ctx.Err() != nil {
		return ctx.Err() // the file keeps what it held
	}
	watch.done(j.input, report, failed)
	if f.check {
		return errors.Join(failed, a.compareNotebook(j, failed))
	}
	return errors.Join(failed, writeNotebook(j.nb, j.output, f.to))
}

// writeNotebook writes a notebook as a document or as a page.
func writeNotebook(nb *notebookrun.Notebook, output, form string) error {
	if form == "ipynb" {
		return nb.WriteFile(output)
	}
	html, err := page.HTML(nb, filepath.Base(output))
	if err != nil {
		return err
	}
	return wholefile.Write(output, func(w io.Writer) error {
		_, err := w.Write(html)
		return err
	})
}

// compareNotebook prints which cells show something else than the file holds.
func (a *app) compareNotebook(j *notebookJob, failed error) error {
	if failed != nil {
		return nil
	}
	if bytes.Equal(j.before, j.nb.Bytes()) {
		_, err := fmt.Fprintf(a.stdout, "%s: the outputs hold\n", j.input)
		return printed(err)
	}
	was, err := notebookrun.Parse(j.before)
	if err != nil {
		return err
	}
	for _, d := range notebookrun.Diff(was, j.nb) {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", j.input, d); err != nil {
			return printed(err)
		}
	}
	return errNegative
}
