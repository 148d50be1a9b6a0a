package figure

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// familyName is a family's name, with its support when that is no release.
func familyName(f workload.Family) string {
	if c, err := workload.ContractOf(f); err == nil && c.Support == workload.SupportDesignOnly {
		return string(f) + " (design-only)"
	}
	return string(f)
}

// sourceOfSpeculation labels a workload without a machine: a replay is evidence, a
// sampled distribution is not.
func sourceOfSpeculation(s *speculative.Run) Source {
	if s.Config.Acceptance.Kind == workload.AcceptReplay {
		return Source{Run: "replayed acceptance", Confidence: evidence.Exact}
	}
	return Source{Run: string(s.Config.Acceptance.Kind), Confidence: evidence.Heuristic}
}

// Iterations shows the iterations of a workload in their order.
func Iterations(s *speculative.Run) IterationTimeline {
	lane := IterationLane{Steps: make([]IterationStep, len(s.Trace.Iterations))}
	for i := range s.Trace.Iterations {
		it := &s.Trace.Iterations[i]
		lane.Steps[i] = stepOf(it.Guaranteed, it.Authoritative, it.AcceptedAdditional, it.RejectedDraftTokens(), it.Outcome)
		lane.Steps[i].From, lane.Steps[i].ProposedTo, lane.Steps[i].To = float64(i), float64(i), float64(i+1)
	}
	return IterationTimeline{Source: sourceOfSpeculation(s), Family: familyName(s.Trace.Family), Lanes: []IterationLane{lane}}
}

// IterationsOn shows the iterations of a workload at the times that they ran on a
// machine.
func IterationsOn(s *speculative.Run, r *run.Result, split *run.Speculation) IterationTimeline {
	f := Iterations(s)
	f.Source, f.Timed = Source{Run: r.Scenario.ID(), Confidence: r.Confidence}, true
	for i := range f.Lanes[0].Steps {
		u, step := &split.Units[i], &f.Lanes[0].Steps[i]
		step.From, step.To = float64(u.VerifyStartNs), float64(u.FinishNs)
		step.ProposedTo = step.From
		if u.ProposerNs > 0 {
			step.From, step.ProposedTo = float64(u.ProposerStartNs), float64(u.ProposerFinishNs)
		}
	}
	return f
}

// ServedIterations shows the decode steps of every request of a served run, in
// arrival order.
func ServedIterations(r *serving.Run) IterationTimeline {
	f := IterationTimeline{Source: sourceOf(r), Timed: true, Lanes: make([]IterationLane, len(r.Requests))}
	if r.Speculation == nil {
		f.Lanes = nil
		return f
	}
	f.Family = familyName(r.Speculation.Family)
	place := make([]int, len(r.Config.Requests)) // configuration index to lane
	for i := range r.Requests {
		place[r.Requests[i].Request] = i
		f.Lanes[i].ID = r.Config.Requests[r.Requests[i].Request].ID
	}
	for i := range r.Trace.Batches {
		b := &r.Trace.Batches[i]
		for k := b.DecodeFrom; k < b.DecodeTo; k++ {
			d := &r.Trace.Decode[k]
			step := stepOf(d.Guaranteed, d.Authoritative, int64(d.AcceptedAdditional), d.RejectedDraftTokens(), d.Outcome)
			step.From, step.ProposedTo, step.To = float64(b.StartNs), float64(b.StartNs), float64(b.FinishNs())
			lane := &f.Lanes[place[d.Request]]
			lane.Steps = append(lane.Steps, step)
		}
	}
	return f
}

func stepOf(guaranteed, own uint8, accepted, lost int64, outcome trace.DecodeOutcome) IterationStep {
	s := IterationStep{Guaranteed: float64(guaranteed), Accepted: float64(accepted), Own: float64(own), Lost: float64(lost)}
	switch outcome {
	case trace.OutcomeCorrection:
		s.Correction = 1
	case trace.OutcomeBonus:
		s.Bonus = 1
	}
	return s
}

// Acceptance shows the acceptance of every draft position of a workload.
func Acceptance(s *speculative.Run) AcceptanceBars {
	return acceptanceBars(sourceOfSpeculation(s), s.Trace.Family, speculative.Positions(s.Trace.Iterations), s.Config.Acceptance.Probabilities)
}

// ServedAcceptance shows the acceptance of every draft position over all requests.
func ServedAcceptance(r *serving.Run) AcceptanceBars {
	if r.Speculation == nil {
		return AcceptanceBars{Source: sourceOf(r)}
	}
	return acceptanceBars(sourceOf(r), r.Speculation.Family, speculative.ServingPositions(r.Trace.Decode), r.Speculation.Acceptance.Probabilities)
}

func acceptanceBars(source Source, family workload.Family, positions []speculative.Position, declared []float64) AcceptanceBars {
	f := AcceptanceBars{Source: source, Family: familyName(family), Rows: make([]AcceptanceRow, len(positions)),
		Declared: declared[:min(len(declared), len(positions))]}
	for i, p := range positions {
		share, _ := p.Conditional()
		low, high := p.Interval()
		f.Rows[i] = AcceptanceRow{Trials: p.Trials, Accepted: p.Accepted, Share: share, Low: low, High: high}
	}
	return f
}

// AcceptedPrefix counts the iterations of a workload by accepted length.
func AcceptedPrefix(s *speculative.Run) PrefixHistogram {
	return PrefixHistogram{Source: sourceOfSpeculation(s), Family: familyName(s.Trace.Family), Counts: s.Trace.Metrics.AcceptedPrefixHistogram}
}

// ServedPrefix counts the decode steps of a served run by accepted length.
func ServedPrefix(r *serving.Run) PrefixHistogram {
	f := PrefixHistogram{Source: sourceOf(r)}
	if r.Speculation == nil {
		return f
	}
	f.Family = familyName(r.Speculation.Family)
	for i := range r.Trace.Decode {
		for len(f.Counts) <= int(r.Trace.Decode[i].ProposedAdditional) {
			f.Counts = append(f.Counts, 0)
		}
		f.Counts[r.Trace.Decode[i].AcceptedAdditional]++
	}
	return f
}

// TokensPerForward compares workloads of several families and widths by committed
// tokens per target forward: the ceiling of any speedup.
func TokensPerForward(runs []*speculative.Run) WidthCurve {
	f := WidthCurve{Measure: "Committed tokens per target forward", Source: Source{Confidence: evidence.Exact}}
	for _, s := range runs {
		source := sourceOfSpeculation(s)
		f.Run, f.Confidence = source.Run, evidence.Weakest(f.Confidence, source.Confidence)
		f.add(s.Trace.Family, WidthPoint{s.Config.MaxAdditionalTokens, s.Trace.Metrics.CommittedTokensPerTargetForward})
	}
	return f
}

// Speedups compares workloads on one machine by their speedup over target-only
// decoding. The slices are parallel.
func Speedups(runs []*speculative.Run, results []*run.Result, splits []*run.Speculation) WidthCurve {
	f := WidthCurve{Measure: "Speedup over target-only decoding", Break: 1, Source: Source{Confidence: evidence.Exact}}
	for i, s := range runs {
		f.Run, f.Confidence = results[i].Scenario.ID(), evidence.Weakest(f.Confidence, results[i].Confidence)
		f.add(s.Trace.Family, WidthPoint{s.Config.MaxAdditionalTokens, splits[i].SpeedupVersusTargetOnly})
	}
	return f
}

// add inserts a point into its family's line; families stay in the order of their
// first point.
func (f *WidthCurve) add(family workload.Family, p WidthPoint) {
	name := familyName(family)
	at := slices.IndexFunc(f.Lines, func(l WidthLine) bool { return l.Family == name })
	if at < 0 {
		at, f.Lines = len(f.Lines), append(f.Lines, WidthLine{Family: name})
	}
	l := &f.Lines[at]
	l.Points = append(l.Points, p)
	slices.SortStableFunc(l.Points, func(a, b WidthPoint) int { return int(a.Width - b.Width) })
}
