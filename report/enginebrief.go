package report

import (
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
)

// engineBrief tells of what the engines make that are no plans of their own: serving
// runs with and without an expert cache, comparisons of them and of plans, expert
// caches that stand alone, speculative runs and calibrations.
func engineBrief(v any) (Brief, bool) {
	switch v := v.(type) {
	case *serving.Run:
		return servingBrief(v)
	case *composed.Run:
		return composedBrief(v)
	case *serving.Comparison:
		return comparisonBrief(v)
	case *run.Comparison:
		return familiesBrief(v)
	case *experts.Run:
		return cacheBrief(v)
	case *speculative.Run:
		return speculativeBrief(SpeculativeResult{Workload: v})
	case SpeculativeResult:
		return speculativeBrief(v)
	case *calibration.Result:
		return calibrationBrief(v)
	}
	return Brief{}, false
}

// numbers are the headline numbers of a page.
func numbers(cards []card) []Number {
	list := make([]Number, len(cards))
	for i, c := range cards {
		list[i] = Number(c)
	}
	return list
}

func servingBrief(r *serving.Run) (Brief, bool) {
	if r == nil || r.Trace == nil || len(r.Requests) == 0 {
		return Brief{}, false
	}
	s := servingReport{run: r}
	return Brief{Verdict: s.verdict(), Numbers: numbers(s.cards()), Confidence: r.Confidence, Replay: s.replay(), Figure: figure.Latency(r)}, true
}

func composedBrief(r *composed.Run) (Brief, bool) {
	if r == nil || r.Cache == nil {
		return Brief{}, false
	}
	b, ok := servingBrief(r.Serving)
	if ok {
		cache := storyOf(r)
		const most = 8 // headline numbers
		mine := numbers(cache.cards()[:2])
		b.Verdict += " " + cache.verdict()
		b.Numbers = append(b.Numbers[:min(len(b.Numbers), most-len(mine))], mine...)
	}
	return b, ok
}

func comparisonBrief(c *serving.Comparison) (Brief, bool) {
	if c == nil || len(c.Entries) == 0 {
		return Brief{}, false
	}
	r := comparisonReport{c: c}
	for _, e := range c.Entries {
		if e.Run == nil || e.Run.Trace == nil || e.Run.Scenario == nil {
			return Brief{}, false
		}
		r.runs = append(r.runs, e.Run)
	}
	return Brief{Verdict: r.verdict(), Numbers: numbers(r.cards()), Confidence: c.Confidence, Replay: r.replay(), Figure: figure.CompareTTFT(r.runs)}, true
}

func familiesBrief(c *run.Comparison) (Brief, bool) {
	if c == nil || len(c.Results) == 0 || len(c.Results) != len(c.Entries) {
		return Brief{}, false
	}
	for _, r := range c.Results {
		if r == nil || r.Trace == nil || r.Scenario == nil {
			return Brief{}, false
		}
	}
	f := familiesReport{c: c}
	return Brief{Verdict: f.verdict(), Numbers: numbers(bestCards(planQuantities, f.compared())), Confidence: c.Confidence(), Replay: f.replay(), Figure: f.durations()}, true
}

func cacheBrief(r *experts.Run) (Brief, bool) {
	if r == nil || r.Trace == nil || len(r.Trace.Events) == 0 {
		return Brief{}, false
	}
	s := cacheStory{source: figure.Source{Run: "expert-cache", Confidence: r.Confidence()}, trace: r.Trace, snapshot: &r.Snapshot}
	return Brief{Verdict: s.verdict(), Numbers: numbers(s.cards()), Confidence: s.source.Confidence,
		Replay: "replay verified, " + unit.Plural(r.AppliedEvents, "event"), Figure: figure.Outcomes(s.source, s.snapshot)}, true
}

func speculativeBrief(r SpeculativeResult) (Brief, bool) {
	if r.Workload == nil || r.Workload.Contract == nil {
		return Brief{}, false
	}
	s := speculativeReport{SpeculativeResult: r, m: &r.Workload.Trace.Metrics}
	return Brief{Verdict: s.verdict(), Numbers: numbers(s.cards()), Confidence: s.confidence(),
		Replay: "replay verified, " + unit.Plural(r.Workload.Replayed.Iterations, "iteration"), Figure: figure.Acceptance(r.Workload)}, true
}

func calibrationBrief(r *calibration.Result) (Brief, bool) {
	if r == nil || r.Dataset == nil || len(r.Groups) == 0 {
		return Brief{}, false
	}
	c := calibrationReport{result: r}
	return Brief{Verdict: c.verdict(), Numbers: numbers(c.cards()), Confidence: r.Confidence(), Replay: c.badge(), Figure: figure.CalibrationGates(r)}, true
}
