package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
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
	cmd.Flags().StringVar(&o.trace, "trace", "", "write the protocol trace, with all that replays it, to this .json file")
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

// planMeta is what the page of executed plans says about its making. The first so
// many arguments are targets, which name a file or a preset; the others are files, the
// second of them a calibration dataset.
func planMeta(cmd *cobra.Command, args []string, targets int, document func(*jsondoc.Writer)) (report.Meta, error) {
	meta := report.Meta{Command: cmd.Name(), CommandLine: reproduction(cmd, args, false)}
	for i, path := range args {
		if i < targets && !isFile(path) {
			continue
		}
		fingerprint, err := fileFingerprint(path)
		if err != nil {
			return meta, err
		}
		meta.Inputs = append(meta.Inputs, report.Input{Name: filepath.Base(path), Fingerprint: fingerprint, Travels: true})
		if i == targets {
			meta.InputFingerprint = fingerprint
		}
	}
	if len(args) > targets+1 {
		facts, err := calibrationFacts(args[targets+1])
		if err != nil {
			return meta, err
		}
		meta.Calibration = facts
	}
	var err error
	meta.Result, meta.OutputFingerprint, err = report.Embeddable(document)
	return meta, err
}

// runFaults runs a fault campaign and, when a path is given, writes every trace into
// one document as it comes, so that none is kept.
func runFaults(w *work, p *plan.Plan, path string) (*campaign.Faults, error) {
	if path == "" {
		return campaign.RunFaults(w.scenario, p, nil)
	}
	var faults *campaign.Faults
	err := wholefile.Write(path, func(out io.Writer) error {
		doc := jsondoc.NewWriter(out)
		cases := trace.OpenFaultDocument(doc, w.scenario, p)
		var err error
		if faults, err = campaign.RunFaults(w.scenario, p, func(c campaign.Case, r *executor.Result) { cases.Case(c.ID, &r.Trace) }); err != nil {
			return err
		}
		cases.Close()
		return doc.Close()
	})
	return faults, err
}
