package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	results "github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
)

// Composed makes the page of a serving run with an expert cache: the page of the
// serving run, then the cache (contract 09, views V11, V12 and V5.3). It refuses
// what Serving refuses.
func Composed(run *composed.Run, meta Meta) ([]byte, error) {
	if run == nil || run.Serving == nil || run.Cache == nil {
		return nil, ErrNoRun
	}
	meta.links = linksOf(run)
	if s := run.Serving; meta.InputFingerprint == "" && s.Model != nil && s.Scenario != nil {
		meta.InputFingerprint = fingerprintOf(func(w *jsondoc.Writer) { results.ComposedInputs(w, run) })
	}
	return servingWith(run.Serving, storyOf(run), meta)
}

// storyOf reads what a page says about the cache of a composed run.
func storyOf(run *composed.Run) *cacheStory {
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
	return &cacheStory{source: src, trace: run.Cache, snapshot: &run.Snapshot, applied: run.CacheAppliedEvents, waits: waits}
}

// ComposedComparison is ServingComparison for runs with expert caches: it also says
// what experts cost on each machine, and ends with the cache of the fastest run. The
// runs may be in any order; each ranked one must be among them.
func ComposedComparison(c *serving.Comparison, runs []*composed.Run, meta Meta) ([]byte, error) {
	caches := &comparedCaches{}
	if c == nil || len(c.Entries) == 0 {
		return nil, ErrNoComparison
	}
	for i := range c.Entries {
		at := slices.IndexFunc(runs, func(run *composed.Run) bool { return run.Serving == c.Entries[i].Run })
		if at < 0 {
			return nil, ErrNoComparison
		}
		caches.runs = append(caches.runs, runs[at])
	}
	meta.links = linksOf(caches.runs[0])
	return comparisonWith(c, caches, meta)
}

// comparedCaches are the runs behind a comparison, by rank.
type comparedCaches struct{ runs []*composed.Run }

// join adds the caches to the page of a comparison.
func (c *comparedCaches) join(p *page, fastest string, rows int) error {
	story := storyOf(c.runs[0])
	sections, err := story.sections(rows)
	if err != nil {
		return err
	}
	for i := range sections {
		sections[i].Question += " (" + fastest + ")"
	}
	p.Sections = append(append(p.Sections, c.costs()), sections...)
	p.Evidence = append(p.Evidence, story.facts()...)
	return nil
}

// costs compares what experts cost.
func (c *comparedCaches) costs() section {
	t := table{Caption: "Expert caches by machine", Open: true, Total: len(c.runs), Columns: []figure.Column{{Name: "run"}, {Name: "hot hit rate", Numeric: true},
		{Name: "stall, modeled", Numeric: true}, {Name: "moved", Numeric: true}, {Name: "evictions", Numeric: true}, {Name: "waiting for experts, of batches", Numeric: true}}}
	least, most := 1.0, 0.0
	for _, run := range c.runs {
		m, w := &run.Snapshot.Metrics, storyOf(run).waits
		waiting := float64(w.constraintNs) / math.Max(1, float64(w.serviceNs))
		least, most = math.Min(least, waiting), math.Max(most, waiting)
		t.Head = append(t.Head, []string{run.Serving.Scenario.ID(), unit.Percent(m.HotHitRate()), dur(m.StallNs), unit.Bytes(float64(m.BytesMoved)),
			unit.Count(m.Evictions), unit.Percent(waiting)})
	}
	return section{ID: "experts-compared", Question: "What did experts cost on each machine?", Tables: []table{t},
		Answer: fmt.Sprintf("Routes are the same everywhere; batches spent from %s to %s of their time waiting for experts.", unit.Percent(least), unit.Percent(most))}
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
