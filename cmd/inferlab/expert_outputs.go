package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
	"github.com/spf13/cobra"
)

// mostWhatIf bounds the capacities that a page asks about: each is a run.
const mostWhatIf = 64

// checkWhatIf refuses numbers of capacities that mean nothing.
func checkWhatIf(n int, outputs *servingOutputs) error {
	switch {
	case n < 0 || n == 1 || n > mostWhatIf:
		return fmt.Errorf("--what-if: found %d, expected 2 to %d hot capacities", n, mostWhatIf)
	case n > 0 && outputs.report == "":
		return fmt.Errorf("--what-if acts on the page; give --report")
	}
	return nil
}

// whatIfCapacities are n hot capacities in bytes, evenly from what the largest
// working set needs to what all experts need, and the run's own among them.
func whatIfCapacities(cfg *workload.ExpertRun, n int) []int64 {
	sizes := make([]int64, len(cfg.Cache.Experts))
	var all, least int64
	for i := range sizes {
		sizes[i] = cfg.Cache.Experts[i].Bytes
		all += sizes[i]
	}
	slices.Sort(sizes)
	for _, bytes := range sizes[len(sizes)-int(min(cfg.Workload.TopK, int64(len(sizes)))):] {
		least += bytes
	}
	list := []int64{cfg.Cache.HotCapacityBytes}
	for i := range n {
		list = append(list, least+(all-least)/int64(n-1)*int64(i))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// leaveExperts writes the outputs of a cache that stands alone.
func (o *servingOutputs) leaveExperts(cmd *cobra.Command, args []string, r *experts.Run, whatIf int, print func() error) error {
	p := arrowio.Provenance{Command: experts.Command, Confidence: r.Confidence(),
		Revisions: []jsondoc.Revision{{Name: "expertCache", Revision: trace.ExpertsContractRevision}}}
	return o.leave(servingEvidence{
		trace: r.WriteTraceDocument,
		print: print,
		tables: func(opt arrowio.Options) []*arrowio.Table {
			return arrowio.Experts(r.Trace, r.Snapshot.CurrentTimeNs, p, opt).All()
		},
		page: func(about report.Meta) ([]byte, error) {
			var sweep []experts.WhatIf
			if whatIf > 0 {
				var err error
				if sweep, err = experts.SweepHotCapacity(r.Config, whatIfCapacities(&r.Config, whatIf)); err != nil {
					return nil, err
				}
			}
			return report.ExpertCache(r, sweep, about)
		},
		meta: func() (report.Meta, error) { return filesMeta(cmd, args, r.WriteDocument) },
	})
}

// filesMeta is what a page says about its making when every argument is a file.
func filesMeta(cmd *cobra.Command, args []string, result func(*jsondoc.Writer)) (report.Meta, error) {
	meta := report.Meta{Command: cmd.Name(), CommandLine: reproduction(cmd, args, false)}
	for _, path := range args {
		fingerprint, err := fileFingerprint(path)
		if err != nil {
			return meta, err
		}
		meta.Inputs = append(meta.Inputs, report.Input{Name: filepath.Base(path), Fingerprint: fingerprint, Travels: true})
	}
	var err error
	meta.Result, meta.OutputFingerprint, err = report.Embeddable(result)
	return meta, err
}
