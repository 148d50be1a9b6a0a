package run

import (
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// WriteExecution writes the complete execution as an object: identity, assumptions,
// plan, trace and metrics (contract 04 section 10, key topology).
func (r *Result) WriteExecution(w *jsondoc.Writer) {
	w.Object()
	w.Key("scenarioId").Text(r.Scenario.ID())
	w.Key("profileId").Text(r.Profile.ID)
	w.Key("confidence").Text(string(r.Confidence))
	w.Key("assumptions").Texts(r.Assumptions)
	w.Key("foregroundTerminalStepId").Int(r.Compiled.ForegroundStepID)
	w.Key("backgroundPrefetchTerminals").Array()
	for i := range r.Compiled.Prefetches {
		p := &r.Compiled.Prefetches[i]
		w.Element().Object()
		w.Key("prefetchId").Text(p.PrefetchID)
		w.Key("targetDomainId").Text(p.TargetDomainID)
		w.Key("stepIds").Ints(p.StepIDs)
		w.Key("stepId").Int(p.StepID)
		w.End()
	}
	w.End()
	w.Key("plan").Value(plan.Object(r.Compiled.Plan))
	w.Key("execution")
	r.execution().Encode(w)
	w.Key("metrics")
	r.Metrics.write(w)
	w.End()
}

// execution gives the trace the shape of an execution result.
func (r *Result) execution() *executor.Result {
	end := &r.Trace.Terminal
	e := &executor.Result{Status: end.Status, ExecutionID: end.ExecutionID, CompletedAtNs: end.TimestampNs, Trace: *r.Trace}
	for _, rank := range end.RankStates {
		if rank.Status == trace.Succeeded {
			e.RankCompletions = append(e.RankCompletions, trace.RankCompletion{RankID: rank.RankID, CompletedAtNs: rank.TerminalAtNs})
		}
	}
	return e
}
