package main

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
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
func (a *app) leaveExperts(o *servingOutputs, q *asked, r *experts.Run, made *experiment.Made, whatIf int) error {
	p := arrowio.Provenance{Command: experts.Command, Confidence: r.Confidence(),
		Revisions: []jsondoc.Revision{{Name: "expertCache", Revision: trace.ExpertsContractRevision}}}
	return a.leave(o, q, made, func() []sheet { return []sheet{expertSheet(&r.Snapshot.Metrics, r.AppliedEvents)} }, servingEvidence{
		trace: r.WriteTraceDocument,
		tables: func(opt arrowio.Options) []*arrowio.Table {
			return arrowio.Experts(r.Trace, r.Snapshot.CurrentTimeNs, p, opt).All()
		},
		page: func(about report.Meta) ([]byte, error) {
			if whatIf > 0 {
				about.WhatIf = whatIfCapacities(&r.Config, whatIf)
			}
			return report.PageOf(r, about)
		},
	})
}
