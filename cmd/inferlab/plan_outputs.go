package main

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
)

// planOutputs are the files that a command which executes plans may leave beside its
// document: page, tables and protocol trace.
type planOutputs struct{ servingOutputs }

// on adds the flags to a command and lets it begin with the proof that every file can
// be written.
func (o *planOutputs) on(cmd *cobra.Command) {
	o.flags(cmd)
	o.traceFlag(cmd)
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.plain && o.parquet == "" && o.arrow == "" {
			return fmt.Errorf("--plain-strings acts on tables; give --parquet or --arrow")
		}
		if err := checkTraceFile(o.trace); err != nil {
			return err
		}
		if err := o.prepare(); err != nil {
			return err
		}
		return inner(cmd, args)
	}
}

// watchFaults runs a fault campaign and, when a path is given, writes every trace into
// one document as it comes, so that none is kept.
func watchFaults(in *experiment.Inputs, path string) (faults *campaign.Faults, made *experiment.Made, err error) {
	if path == "" {
		return experiment.FaultCampaign(in, nil)
	}
	err = wholefile.Write(path, func(out io.Writer) error {
		doc := jsondoc.NewWriter(out)
		var cases *trace.FaultDocument
		faults, made, err = experiment.FaultCampaign(in, func(s *topology.Scenario, p *plan.Plan) func(campaign.Case, *executor.Result) {
			cases = trace.OpenFaultDocument(doc, s, p)
			return func(c campaign.Case, r *executor.Result) { cases.Case(c.ID, &r.Trace) }
		})
		if err != nil {
			return err
		}
		cases.Close()
		return doc.Close()
	})
	return faults, made, err
}
