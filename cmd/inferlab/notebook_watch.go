package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	notebookrun "github.com/inferlab/inferlab/notebooks/run"
)

// notebookWatch tells how far notebooks are: a bar where a person watches one,
// a line for each that ends when there are several.
type notebookWatch struct {
	mu     sync.Mutex
	stderr io.Writer
	single bool
	bar    *progress
	cells  map[string]notebookrun.Event
}

func newNotebookWatch(stderr io.Writer, single bool) *notebookWatch {
	return &notebookWatch{stderr: stderr, single: single, bar: newProgress(stderr, "executing cells"), cells: map[string]notebookrun.Event{}}
}

// progress returns the listener of one notebook.
func (w *notebookWatch) progress(file string) func(notebookrun.Event) {
	return func(e notebookrun.Event) {
		if e.State == notebookrun.Running {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cells[file] = e
		var done, total int64
		for _, c := range w.cells {
			done, total = done+int64(c.Number), total+int64(c.Total)
		}
		w.bar.at(done, total)
	}
}

// done reports a notebook that has ended.
func (w *notebookWatch) done(file string, report *notebookrun.Report, failed error) {
	if w.single {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar.end()
	outcome := "executed"
	if failed != nil {
		outcome = "failed after"
	}
	fmt.Fprintf(w.stderr, "inferlab: %s: %s %d cells in %s\n", file, outcome, len(report.Cells), report.Total.Round(100*time.Millisecond))
}

func (w *notebookWatch) end() { w.bar.end() }

// executeNotebook runs the cells of one notebook and tells a watching person
// how far it is.
func (a *app) executeNotebook(ctx context.Context, nb *notebookrun.Notebook, o notebookrun.Options) error {
	watch := newNotebookWatch(a.stderr, true)
	o.Progress = watch.progress("")
	_, err := notebookrun.Execute(ctx, nb, o)
	watch.end()
	return err
}
