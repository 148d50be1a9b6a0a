package report

import (
	"fmt"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
)

// ranStory is the story of a run; that of a speculative workload also tells what
// became of the proposals (contract 09, V10).
func ranStory(r *experiment.Ran, meta Meta) *planStory {
	s := runStory(r.Result, meta)
	if r.Drafted == nil || r.Speculation == nil {
		return s
	}
	x := speculativeReport{SpeculativeResult: SpeculativeResult{Workload: r.Drafted, Run: r.Result, Speculation: r.Speculation}, meta: meta, m: &r.Drafted.Trace.Metrics}
	s.verdict += fmt.Sprintf(" That is %s × the modeled speed of target-only decoding.", unit.Number(r.Speculation.SpeedupVersusTargetOnly))
	s.cards = append(s.cards, x.cards()[:5]...)
	s.cards = append(s.cards[:7], card{"Modeled speedup", unit.Number(r.Speculation.SpeedupVersusTargetOnly), "×", "target-only " + dur(r.Speculation.TargetOnlyDurationNs)})
	s.limits = append(s.limits, x.limits()[0])
	s.more = func(rows int) ([]section, error) {
		x := x
		x.rows = rows
		return x.sections(x.iterations, x.acceptance, x.balance, x.time, x.state)
	}
	return s
}

// ran makes the page of a run.
func ran(r *experiment.Ran, meta Meta) ([]byte, error) {
	if r == nil || r.Result == nil || r.Trace == nil || len(r.Trace.Operations) == 0 {
		return nil, ErrNoExecution
	}
	return ranStory(r, meta).write()
}

// sections builds those that the result has something for.
func (s *speculativeReport) sections(builds ...func() (section, error)) (out []section, err error) {
	for _, build := range builds {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		if sec.ID != "" {
			out = append(out, sec)
		}
	}
	return out, nil
}

// timeline shows the operations over time; only with a machine (contract 09, V7).
func (s *speculativeReport) timeline() (section, error) {
	if s.Run == nil {
		return section{}, nil
	}
	f := figure.RunPlan(s.Run)
	f.Arrange, f.MaxBars = figure.ByRank, pageBars
	sec := section{ID: "timeline", Question: "What ran when, and what decided the end?", Answer: f.Text().Alt}
	p, err := drawMany(f, s.rows)
	sec.Figures = append(sec.Figures, p)
	return sec, err
}

// use shows how busy resources were; only with a machine (contract 09, V8).
func (s *speculativeReport) use() (section, error) {
	if s.Run == nil {
		return section{}, nil
	}
	f := figure.PlanUse(figure.RunPlan(s.Run), s.Run.Scenario, s.Run.Metrics.TotalDurationNs)
	return s.with(section{ID: "resources", Question: "What was the machine busy with?", Answer: f.Text().Alt}, false, f)
}

// rooflineNote stands where a roofline would (contract 09, V3 and F6).
func rooflineNote(model string) string {
	if model == "" {
		return "No roofline: no model is bound, so the work has no FLOPs and no bytes to place under a roof."
	}
	return "No roofline: this result holds no summary of rates and intensities."
}
