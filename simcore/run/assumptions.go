package run

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/workload"
)

// assumptions states what a run takes for granted (contract 06 section 14.3); the
// first is the source of the costs.
func assumptions(r *Result, m *cost.Model) []string {
	list := []string{
		m.Source,
		confidenceReason(r, m),
		boundWork(r.Profile),
		streaming(r.Scenario.Spec().Execution.SSDStreaming),
	}
	list = append(list, transport(m)...)
	if drafts(r.Profile) {
		list = append(list, "Proposer costs are the device's draft or lookup cost times a factor of the family; the factor is heuristic even where the device's costs are measured.")
	}
	list = append(list, experts(r.Profile, r.Scenario.Spec().Execution.Parallelism.Expert))
	return append(list, "Background copies may outlast the foreground; the total duration waits for them, the foreground duration does not.")
}

func confidenceReason(r *Result, m *cost.Model) string {
	if r.Profile.ModelWork != nil {
		return "Timing is heuristic: a model is bound, and model-bound timing is never calibrated."
	}
	if r.Confidence == evidence.Timing(m.Confidence) {
		return fmt.Sprintf("Timing is %s, as the cost model is %s.", r.Confidence, m.Confidence)
	}
	return fmt.Sprintf("Timing is %s although the cost model is %s: the weakest evidence of scenario %s's devices, memory domains and links is %s.",
		r.Confidence, m.Confidence, r.Scenario.ID(), r.Scenario.PerformanceEvidence())
}

func boundWork(p *workload.Profile) string {
	if p.ModelWork == nil {
		return "No model is bound: token work is synthetic and normalised to the cost model's units; memory bandwidths and compute peaks of devices play no part, so machines whose devices are of one kind and number compute alike."
	}
	return fmt.Sprintf("Work is bound to model %s (%s): attention and ffn last at least as long as their weights stream and, where a dense peak is published, as their arithmetic takes.",
		p.ModelWork.ModelName, p.ModelWork.ModelID)
}

func streaming(on bool) string {
	if on {
		return "SSD streaming is on: cold experts and background prefetches are read from storage."
	}
	return "SSD streaming is off: work that needs storage is refused, never assumed free."
}

func transport(m *cost.Model) []string {
	if m.HasCurves {
		return []string{
			"Every transfer and collective lasts what its exact measured curve says; nothing is extrapolated and nothing falls back to declared links.",
			"Routes are still the declared fastest path for the message size; another route is not tried when that one lacks a curve.",
		}
	}
	return []string{
		"Transport takes the declared bandwidth and latency of each link on the route.",
		"Routes are the declared fastest path for the message size; equals are decided by link ids.",
		"All-reduce is a neighbour ring and all-to-all a pairwise exchange; a phase lasts as long as its longest path or its busiest link, NIC or switch.",
		"A collective reserves the union of its links for its whole duration.",
	}
}

func drafts(p *workload.Profile) bool {
	for i := range p.Units {
		if p.Units[i].DraftTokens > 0 {
			return true
		}
	}
	return false
}

func experts(p *workload.Profile, degree int64) string {
	switch {
	case p.ExpertPlacement == nil:
		return "The feed-forward part is dense; load bytes, if any, are split evenly over its placements."
	case degree > 1:
		return fmt.Sprintf("Experts are owned by ranks (%s placement); an expert is loaded and computed by its owner alone.", p.ExpertPlacement.Strategy)
	}
	return "Experts are not spread over ranks; expert loads are split evenly over the feed-forward placements."
}
