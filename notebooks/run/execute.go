package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options says how to execute a notebook. The zero value is usable inside a
// checkout.
type Options struct {
	// Dir is the working directory of kernel and cells; "" is the current one.
	// It must exist.
	Dir string
	// ModuleRoot is the inferlab checkout that cells import from; "" finds the
	// one at or above Dir, then the one at or above the current directory.
	ModuleRoot string
	// ToolDir is the cache in which gonb and goimports are kept; "" is a
	// directory of inferlab in the user's cache.
	ToolDir string
	// CellTimeout bounds the time of each cell, compiling included; 0 does not.
	CellTimeout time.Duration
	// StartTimeout bounds the start of the kernel; 0 is one minute. Building
	// the tools is not counted.
	StartTimeout time.Duration
	// InterruptGrace is how long an interrupted cell has to end before the
	// kernel is killed; 0 is three seconds.
	InterruptGrace time.Duration
	// AutoGet lets cells fetch modules that the checkout does not require, by
	// running "go get" before each cell as GoNB does by default. It costs time
	// in every cell and may need the network.
	AutoGet bool
	// AllowErrors goes on after a cell that fails by itself, as if every cell
	// carried the tag raises-exception. Time limits and interrupts end the run
	// all the same.
	AllowErrors bool
	// Env holds further NAME=value settings for kernel and cells.
	Env []string
	// Progress, when not nil, is told of the state of each code cell. It is
	// called from one goroutine and should return quickly.
	Progress func(Event)
}

// State is what a code cell is doing.
type State int

// The states of a code cell. Every executed cell is Running and then exactly
// one of Done and Failed; a cell tagged skip-execution is only Skipped.
const (
	Running State = iota
	Done
	Failed
	Skipped
)

// String returns the state in one lower-case word.
func (s State) String() string {
	return [...]string{"running", "done", "failed", "skipped"}[s]
}

// Event tells of a change of state of one code cell.
type Event struct {
	// Cell is the index of the cell among all cells, from 0.
	Cell int
	// Number is its position among the code cells, from 1, of Total.
	Number, Total int
	// State is the state the cell is now in.
	State State
	// Duration is how long it took; 0 while Running.
	Duration time.Duration
}

// Report tells how a run went.
type Report struct {
	// KernelStart is the time from the call until the kernel answered.
	KernelStart time.Duration
	// Total is the time of the whole run, shutdown included.
	Total time.Duration
	// Cells lists the executed code cells in order.
	Cells []CellReport
}

// CellReport tells how one cell went.
type CellReport struct {
	// Cell is the index of the cell among all cells, from 0.
	Cell int
	// ExecutionCount is the kernel's count, from 1.
	ExecutionCount int
	// Duration is the time from request to the kernel being idle again.
	Duration time.Duration
	// Failed tells of an error; the run went on if the cell is tagged
	// raises-exception.
	Failed bool
}

// Execute runs every code cell of nb in order on a fresh kernel and writes the
// outputs back into nb. It stops at the first cell that fails, with a
// *CellError, unless that cell carries the tag raises-exception. Cells tagged
// skip-execution and empty cells are left out. When ctx ends, the running cell
// is interrupted. When the kernel does not start, nb is as it was; afterwards it
// holds the outputs of this run alone. The report is never nil. Kernel, helpers and temporary files
// are gone when Execute returns.
func Execute(ctx context.Context, nb *Notebook, o Options) (_ *Report, err error) {
	begin := time.Now()
	report := &Report{}
	defer func() { report.Total = time.Since(begin) }()
	o, err = o.complete()
	if err != nil {
		return report, err
	}
	if language := nb.Language(); language != "" && language != "go" {
		return report, fmt.Errorf("the cells are in %s: only Go is executed here, Jupyter executes the others", language)
	}
	k, err := startKernel(ctx, o)
	if err != nil {
		return report, err
	}
	for _, c := range nb.cells {
		if c.Type() == "code" {
			c.clear()
		}
	}
	report.KernelStart = time.Since(begin)
	r := &runner{nb: nb, options: o, kernel: k, collector: newCollector(k.paths), report: report, counts: map[int]int{}}
	polite := politeExit
	defer func() {
		if r.broken {
			polite = 0
		}
		err = errors.Join(err, k.stop(polite))
	}()
	return report, r.all(ctx)
}

// complete fills in defaults and makes paths absolute.
func (o Options) complete() (Options, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, err
	}
	if info, err := os.Stat(dir); err != nil {
		return o, err
	} else if !info.IsDir() {
		return o, fmt.Errorf("%s is not a directory", dir)
	}
	o.Dir = dir
	if o.ModuleRoot == "" {
		root, err := FindModuleRoot(dir)
		if err != nil {
			if root, err = FindModuleRoot("."); err != nil {
				return o, err
			}
		}
		o.ModuleRoot = root
	}
	if o.ModuleRoot, err = filepath.Abs(o.ModuleRoot); err != nil {
		return o, err
	}
	if strings.Contains(o.ModuleRoot, ",") {
		return o, fmt.Errorf("%s: the kernel cannot use a checkout with a comma in its path", o.ModuleRoot)
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = defaultStartTimeout
	}
	if o.InterruptGrace <= 0 {
		o.InterruptGrace = 3 * time.Second
	}
	return o, nil
}

// runner executes the cells of one notebook on one kernel.
type runner struct {
	nb        *Notebook
	options   Options
	kernel    *kernel
	collector *collector
	report    *Report
	// counts holds the execution count of each executed cell.
	counts map[int]int
	// broken is set when the kernel is dead or no longer listens.
	broken bool
}

func (r *runner) all(ctx context.Context) error {
	if !r.options.AutoGet {
		if err := r.setUp(ctx, "%noautoget"); err != nil {
			return err
		}
	}
	total := 0
	for _, c := range r.nb.cells {
		if c.Type() == "code" {
			total++
		}
	}
	number := 0
	for i, c := range r.nb.cells {
		if c.Type() != "code" {
			continue
		}
		number++
		event := Event{Cell: i, Number: number, Total: total}
		if strings.TrimSpace(c.Source()) == "" || slices.Contains(c.Tags(), "skip-execution") {
			event.State = Skipped
			r.tell(event)
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.cell(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) tell(e Event) {
	if r.options.Progress != nil {
		r.options.Progress(e)
	}
}

// setUp has the kernel execute a special command that is not part of the
// notebook and leaves no trace in it.
func (r *runner) setUp(ctx context.Context, command string) error {
	discard := newCollector(r.kernel.paths)
	result, err := r.request(ctx, -1, discard, executeRequest{Code: command, Silent: true})
	if err == nil {
		err = result.cause
	}
	if err == nil && result.reply.Status != "ok" {
		err = r.kernel.failure("starting", -1, errors.New(result.reply.EValue))
	}
	return err
}

// cell executes one cell and writes its outputs into the document.
func (r *runner) cell(ctx context.Context, event Event) error {
	i := event.Cell
	c := r.nb.cells[i]
	r.tell(event)
	begin := time.Now()
	result, err := r.request(ctx, i, r.collector, executeRequest{
		Code:         c.Source(),
		StoreHistory: true,
		StopOnError:  true,
	})
	event.Duration = time.Since(begin)
	r.counts[i] = result.reply.ExecutionCount
	failure := r.judge(event, result)
	r.store()
	failed := err != nil || failure != nil
	event.State = Done
	if failed {
		event.State = Failed
	}
	r.report.Cells = append(r.report.Cells, CellReport{i, r.counts[i], event.Duration, failed})
	r.tell(event)
	if err != nil {
		return err
	}
	tolerated := r.options.AllowErrors || slices.Contains(c.Tags(), "raises-exception")
	if failure != nil && (failure.Cause != nil || !tolerated) {
		return failure
	}
	return nil
}

// store writes the collected outputs of all cells into the document; updates
// of displayed data may have changed earlier cells.
func (r *runner) store() {
	for i, count := range r.counts {
		c := r.nb.cells[i]
		c.fields.set("execution_count", countField(count))
		c.fields.set("outputs", r.collector.fields(i))
	}
}

// judge returns the error of a cell that did not end well, or nil.
func (r *runner) judge(event Event, result requestResult) *CellError {
	i := event.Cell
	published := r.collector.error(i)
	if result.cause == nil && published == nil && result.reply.Status != "error" {
		return nil
	}
	c := r.nb.cells[i]
	e := &CellError{
		Cell: i, ID: c.ID(), Number: event.Number, Total: event.Total,
		Source: c.Source(), Elapsed: event.Duration, Cause: result.cause,
		Stderr: r.collector.stderr(i),
	}
	if published == nil && result.cause != nil {
		published = &output{kind: "error", ename: "Interrupted", evalue: result.cause.Error()}
		r.collector.append(i, published)
	}
	texts := []string{e.Stderr}
	if published != nil {
		e.Name, e.Value = published.ename, published.evalue
		texts = append(texts, published.traceback...)
	} else {
		e.Name, e.Value = result.reply.EName, r.kernel.paths.error(result.reply.EValue)
		texts = append(texts, result.reply.Traceback...)
	}
	e.Line = failingLine(result.reply.ExecutionCount, texts...)
	if e.Line == 0 {
		e.Line = lineByText(r.kernel.program(), e.Source, texts...)
	}
	return e
}

// requestResult is how a request ended while the kernel lived on.
type requestResult struct {
	reply executeReply
	// cause says why the request was interrupted, if it was.
	cause error
}

// request sends an execute request and collects what it publishes until the
// kernel is idle again. The error is of the kernel; an interrupt, by time
// limit, context or a wish for input, is the result's cause.
func (r *runner) request(ctx context.Context, cell int, to *collector, req executeRequest) (requestResult, error) {
	var result requestResult
	id, err := r.kernel.client.send(shell, "execute_request", req)
	if err != nil {
		r.broken = true
		return result, r.kernel.failure(doing(cell), cell, err)
	}
	w := &waiter{runner: r, collector: to, cell: cell, id: id}
	w.limit, w.stopLimit = alarm(r.options.CellTimeout)
	defer func() { w.stopLimit() }()
	err = w.wait(ctx)
	result.reply, result.cause = w.reply, w.cause
	if err != nil {
		r.broken = true
	}
	return result, err
}

// waiter waits for the end of one request.
type waiter struct {
	*runner
	collector *collector
	cell      int
	id        string
	reply     executeReply
	replied   bool
	idle      bool
	cause     error
	limit     <-chan time.Time
	stopLimit func() bool
}

// pulse is how often a waiting runner looks whether the kernel still answers.
const pulse = 500 * time.Millisecond

func (w *waiter) wait(ctx context.Context) error {
	done := ctx.Done()
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for !w.replied || !w.idle {
		select {
		case <-w.kernel.client.inbox.ready:
			if err := w.read(); err != nil {
				return err
			}
		case <-w.kernel.process.exited:
			return w.died()
		case <-done:
			done = nil
			w.interrupt(context.Cause(ctx))
		case <-w.limit:
			if w.cause != nil {
				return w.abandon()
			}
			w.interrupt(ErrTimeout)
		case <-ticker.C:
			if w.cause != nil {
				// The first interrupt is lost on a cell that was being compiled.
				_ = w.kernel.process.interrupt()
			}
			if w.kernel.client.silence() > silenceLimit {
				return w.kernel.failure(doing(w.cell), w.cell, fmt.Errorf("it has not answered for %s", silenceLimit))
			}
		}
	}
	return nil
}

// interrupt asks the cell to stop, and sets the limit for it to do so.
func (w *waiter) interrupt(cause error) {
	if w.cause != nil {
		return
	}
	w.cause = cause
	w.stopLimit()
	w.limit, w.stopLimit = alarm(w.options.InterruptGrace)
	// An error means that the process has ended, which wait sees by itself.
	_ = w.kernel.process.interrupt()
}

// abandon gives up on a cell that does not heed the interrupt. The cell is to
// blame and not the kernel, so the result is the cell's.
func (w *waiter) abandon() error {
	w.broken = true
	return nil
}

// died reports the end of the kernel, after reading what it still said.
func (w *waiter) died() error {
	w.broken = true
	const settle = 100 * time.Millisecond
	time.Sleep(settle)
	if err := w.read(); err != nil {
		return err
	}
	return w.kernel.failure(doing(w.cell), w.cell, nil)
}

// read takes all messages that have arrived.
func (w *waiter) read() error {
	for _, a := range w.kernel.client.inbox.take() {
		if a.err != nil {
			return w.kernel.failure(doing(w.cell), w.cell, a.err)
		}
		if a.msg.parent.MsgID != w.id {
			continue // a late word on an earlier request
		}
		if err := w.take(a); err != nil {
			return w.kernel.failure(doing(w.cell), w.cell, err)
		}
	}
	return nil
}

func (w *waiter) take(a arrival) error {
	switch {
	case a.from == shell && a.msg.header.MsgType == "execute_reply":
		w.replied = true
		return json.Unmarshal(a.msg.content, &w.reply)
	case a.from == stdin && a.msg.header.MsgType == "input_request":
		w.interrupt(ErrInput)
	case a.from == iopub && isIdle(a.msg):
		w.idle = true
	case a.from == iopub:
		return w.collector.add(w.cell, a.msg)
	}
	return nil
}

// alarm returns a channel that fires after d, or never when d is 0.
func alarm(d time.Duration) (<-chan time.Time, func() bool) {
	if d <= 0 {
		return nil, func() bool { return true }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}

func doing(cell int) string {
	if cell < 0 {
		return "starting"
	}
	return fmt.Sprintf("executing cell %d", cell)
}
