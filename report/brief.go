package report

import (
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Brief is a result as a notebook shows it alone: its verdict, its numbers and one
// figure, the same as on its page.
type Brief struct {
	Verdict    string
	Numbers    []Number
	Confidence evidence.Class
	Replay     string // what the independent replay confirmed
	Figure     figure.Figure
}

// Number is one headline number with its unit and a line of context.
type Number struct{ Label, Value, Unit, Context string }

// BriefOf tells of one result: an executed plan (a run, an artifact's execution, a
// campaign), a serving run with or without an expert cache, a comparison of serving
// runs, an expert cache, a speculative run (also as a SpeculativeResult), a
// calibration. It answers false for any other value, and for a result without a trace.
func BriefOf(v any) (Brief, bool) {
	switch v := v.(type) {
	case *run.Result:
		if v != nil && v.Trace != nil && len(v.Trace.Operations) > 0 {
			return brief(runStory(v, Meta{}), nil), true
		}
	case *run.Executed:
		if v != nil && v.Execution != nil {
			s := planRunStory(v, Meta{})
			if v.Execution.Status != trace.Succeeded {
				return brief(s, figure.RanksOf(s.timeline.Source, v.Scenario, &v.Execution.Trace.Terminal)), true
			}
			return brief(s, nil), true
		}
	case *campaign.Faults:
		if v != nil && v.Trace != nil {
			return brief(faultCampaignStory(v, Meta{}), figure.Faults(v)), true
		}
	case *campaign.Concurrent:
		if v != nil && v.Run != nil {
			return brief(concurrentCampaignStory(v, Meta{}), nil), true
		}
	case *campaign.NodeFailure:
		if v != nil && v.Run != nil {
			return brief(nodeFailureStory(v, Meta{}), figure.NodeFailureRanks(v)), true
		}
	case *campaign.Failover:
		if v != nil && v.Run != nil {
			return brief(failoverStory(v, Meta{}), nil), true
		}
	}
	return engineBrief(v)
}

// brief takes the head of a page; without a figure of its own, the timeline.
func brief(s *planStory, f figure.Figure) Brief {
	if f == nil {
		f = s.timeline
	}
	return Brief{Verdict: s.verdict, Numbers: numbers(s.cards), Confidence: s.confidence,
		Replay: "replay verified, " + unit.Plural(s.applied, "event"), Figure: f}
}
