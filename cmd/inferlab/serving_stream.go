package main

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/spf13/cobra"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// streamAbove is the number of output tokens from which a run streams by itself when
// nothing that was asked for needs the whole of it.
const streamAbove = 16 << 20

// settleStream checks --stream against what needs the whole run in memory.
func (f *servingFlags) settleStream() error {
	if !f.stream {
		return nil
	}
	switch o := &f.outputs; {
	case o.parquet == "":
		return fmt.Errorf("--stream writes tables while the run goes on; give --parquet DIR")
	case o.report != "" || o.perfetto != "":
		return fmt.Errorf("--stream forgets what it has written, and a page or a trace-event file is drawn from the whole run; leave out --stream or --report and --perfetto")
	case o.trace != "":
		return fmt.Errorf("--stream does not keep the protocol trace; leave out --stream or --trace")
	case o.arrow != "":
		return fmt.Errorf("--stream writes Parquet only; leave out --arrow")
	}
	return nil
}

// streams reports whether a run is streamed: when it was asked for, or when the run is
// long and all that was asked for is a summary and Parquet tables.
func (f *servingFlags) streams(in *experiment.Served) bool {
	o := &f.outputs
	if f.stream || in.Experts != nil || !f.summary || o.parquet == "" || o.report != "" || o.perfetto != "" || o.trace != "" || o.arrow != "" {
		return f.stream
	}
	var tokens int64
	for i := range in.Requests {
		if tokens += in.Requests[i].OutputTokens; tokens > streamAbove {
			return true
		}
	}
	return false
}

// serveStream is the serving command for a run that is not kept: its tables are
// written while it goes on and appear together at its end, and the document is the
// summary. On any error, and on an interrupt, no table is left.
func (a *app) serveStream(cmd *cobra.Command, args []string, f *servingFlags, scn *topology.Scenario, in *experiment.Served, model *cost.Model) error {
	if in.Experts != nil {
		return fmt.Errorf("serving: --stream does not serve with an expert cache, whose physical trace is checked as a whole")
	}
	opt := arrowio.Options{PlainStrings: f.outputs.plain}
	sink := arrowio.NewDirSink(f.outputs.parquet, parquetio.Ext, parquetio.Open, memory.DefaultAllocator)
	defer sink.Abort()
	stream, err := arrowio.NewServingStream(sink, scn, &in.Serving, arrowio.StreamProvenance(scn, &in.Serving, model, in.Speculation), opt)
	if err != nil {
		return err
	}
	bar := newProgress(a.stderr, "serving")
	opts := serving.RunOptions{Speculation: in.Speculation,
		Progress:    func(done, total, _ int64) { bar.at(done, total) },
		Interrupted: func() bool { return cmd.Context().Err() != nil }}
	run, err := serving.Stream(scn, in.Serving, model, opts, 0, func(w *serving.Window) error {
		return stream.Window(w.Trace, w.BatchPlans, w.Templates)
	})
	if err == nil && in.Speculation != nil {
		err = compareStreamed(run, scn, in, model, opts)
	}
	bar.end()
	if err != nil {
		return located(args[1:], err)
	}
	if err := stream.Finish(run); err != nil {
		return err
	}
	if err := sink.Commit(); err != nil {
		return err
	}
	return a.printing(func(w *jsondoc.Writer) { result.Serving(w, run, result.Summary) }, func() []sheet { return servingSheets(run) })()
}

// compareStreamed runs the configuration target-only and says what speculation gained.
func compareStreamed(run *serving.Run, scn *topology.Scenario, in *experiment.Served, model *cost.Model, opts serving.RunOptions) error {
	opts.Speculation = nil
	baseline, err := serving.Stream(scn, in.Serving, model, opts, 0, func(*serving.Window) error { return nil })
	if err == nil {
		run.Gain = serving.NewGain(run, baseline)
	}
	return err
}
