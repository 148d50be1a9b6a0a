package main

import (
	"errors"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/spf13/cobra"
)

// serveExperts is the serving command for a configuration with an expert cache.
func (a *app) serveExperts(cmd *cobra.Command, args []string, f *servingFlags, s *topology.Scenario, in *servingInput, model *cost.Model) error {
	if f.outputs != (servingOutputs{}) {
		return errors.New("serving: --report, --parquet, --arrow and --trace do not act on a run with expert_cache yet; leave them out")
	}
	bar := newProgress(a.stderr, "serving")
	run, err := composed.Simulate(s, in.Serving, *in.experts, model, composed.Options{
		Speculation: in.speculation,
		Progress:    func(done, total, _ int64) { bar.at(done, total) },
		Interrupted: func() bool { return cmd.Context().Err() != nil },
	})
	bar.end()
	if err != nil {
		return located(args[1:], err)
	}
	if a.format == "table" {
		return a.show(servingSheets(run.Serving)...)
	}
	return a.emit(func(w *jsondoc.Writer) { result.Composed(w, run, f.form()) })
}
