package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
)

// ServingCompare writes the document of the serving-compare command (contract 05
// section 7.2).
func ServingCompare(w *jsondoc.Writer, c *serving.Comparison) {
	w.Object()
	w.Head(jsondoc.Head{
		Command:           "serving-compare",
		ContractRevisions: c.ContractRevisions,
		Confidence:        c.Confidence,
	})
	w.Key("assumptions").Texts(c.Assumptions)
	w.Key("comparison").Array()
	for i := range c.Entries {
		e := &c.Entries[i]
		m := &e.Run.Metrics
		w.Element().Object()
		w.Key("rank").Int(e.Rank)
		w.Key("scenarioId").Text(e.Run.Scenario.ID())
		w.Key("relativeToFastest").Float(e.RelativeToFastest)
		w.Key("confidence").Text(string(e.Run.Confidence))
		w.Key("totalDurationNs").Int(e.Run.Topology.TotalDurationNs)
		w.Key("throughputTokensPerSecond").Float(m.ThroughputTokensPerSecond)
		w.Key("p95TimeToFirstTokenNs").Int(m.P95TimeToFirstTokenNs)
		w.Key("p95InterTokenLatencyNs").Int(m.P95InterTokenLatencyNs)
		w.Key("averageRequestLatencyNs").Float(m.AverageRequestLatencyNs)
		w.Key("batches").Int(m.Batches)
		w.Key("kvHighWaterTokens").Int(m.KVHighWaterTokens)
		w.Key("targetForwards").Int(m.TargetForwards)
		w.Key("proposedDraftTokens").Int(m.ProposedDraftTokens)
		w.Key("acceptedDraftTokens").Int(m.AcceptedDraftTokens)
		w.Key("replayAppliedEvents").Int(e.Run.Replay.AppliedEvents)
		w.End()
	}
	w.End()
	w.End()
}
