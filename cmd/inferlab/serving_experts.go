package main

import (
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
)

// serveExperts is the serving command for a configuration with an expert cache.
func (a *app) serveExperts(q *asked, f *servingFlags, in *experiment.Served, model *cost.Model) error {
	bar := newProgress(a.stderr, "serving")
	run, err := composed.Simulate(q.Scenario, in.Serving, *in.Experts, model, composed.Options{
		Speculation: in.Speculation,
		Progress:    func(done, total, _ int64) { bar.at(done, total) },
		Interrupted: func() bool { return q.cmd.Context().Err() != nil },
	})
	bar.end()
	if err != nil {
		return located(q.args[1:], err)
	}
	return f.outputs.leave(servingEvidence{
		perfetto: func(w io.Writer) error { return perfetto.Composed(w, run) },
		print: a.printing(func(w *jsondoc.Writer) { result.Composed(w, run, f.form()) }, func() []sheet {
			return append(servingSheets(run.Serving), expertSheet(&run.Snapshot.Metrics, run.CacheAppliedEvents))
		}),
		trace:  func(w *jsondoc.Writer) { result.ComposedTraceDocument(w, run) },
		tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.Composed(run, opt).All() },
		page:   func(about report.Meta) ([]byte, error) { return report.Composed(run, about) },
		meta: func() (report.Meta, error) {
			return q.meta(f.requests, func(w *jsondoc.Writer) { result.Composed(w, run, result.Full) })
		},
	})
}
