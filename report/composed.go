package report

import (
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/composed"
)

// Composed makes the page of a serving run with an expert cache: the page of the
// serving run, then the cache (contract 09, views V11, V12 and V5.3). It refuses
// what Serving refuses.
func Composed(run *composed.Run, meta Meta) ([]byte, error) {
	if run == nil || run.Serving == nil || run.Cache == nil {
		return nil, ErrNoRun
	}
	s := run.Serving
	waits := &batchWaits{serviceNs: s.Metrics.BatchServiceNs, batchPlans: int64(len(run.Batches)), physicalApplied: run.Physical.ReplayAppliedEvents,
		atOnce: run.Physical.MaximumConcurrentExecutions, drainNs: s.Topology.BackgroundDrainNs}
	waits.demandPlans = int64(len(run.Physical.Requests)) - waits.batchPlans
	for i := range run.Batches {
		waits.constraintNs += run.Batches[i].CacheConstraintNs
	}
	src := figure.Source{Confidence: s.Confidence}
	if s.Scenario != nil {
		src.Run = s.Scenario.ID()
	}
	meta.links = linksOf(run)
	return servingWith(s, &cacheStory{source: src, trace: run.Cache, snapshot: &run.Snapshot, applied: run.CacheAppliedEvents, waits: waits}, meta)
}

// linksOf counts the operations that reserved each link on the shared clock.
func linksOf(run *composed.Run) []linkOperation {
	counts := make(map[string]int64)
	operations := run.Physical.Trace.Operations
	for i := range operations {
		for _, r := range operations[i].Event.Resources {
			if id, ok := strings.CutPrefix(r.ResourceID, "link:"); ok {
				counts[id]++
			}
		}
	}
	var links []linkOperation
	for _, u := range run.Serving.Topology.ResourceUtilization {
		if id, ok := strings.CutPrefix(u.ResourceID, "link:"); ok {
			links = append(links, linkOperation{id, counts[id]})
		}
	}
	return links
}
