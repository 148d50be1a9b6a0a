package run

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Revisions lists the contracts on the path of a compiled and executed plan.
func Revisions() []jsondoc.Revision {
	return []jsondoc.Revision{
		{Name: "scenario", Revision: topology.SchemaVersion},
		{Name: "costModel", Revision: cost.Revision},
		{Name: "plan", Revision: plan.ContractRevision},
	}
}

// WriteDocument writes the result of the run command into the writer (contract 06
// section 14). Extra, when not nil, adds members at the end of the object.
func (r *Result) WriteDocument(w *jsondoc.Writer, extra func(*jsondoc.Writer)) {
	w.Object()
	w.Head(jsondoc.Head{
		Command: "run", ContractRevisions: Revisions(),
		ScenarioFingerprint: r.Scenario.Fingerprint(), Confidence: r.Confidence,
	})
	w.Key("scenarioId").Text(r.Scenario.ID())
	w.Key("profileId").Text(r.Profile.ID)
	w.Key("assumptions").Texts(r.Assumptions)
	if r.Limitations != nil {
		writeLimitations(w.Key("limitations"), r.Limitations)
	}
	w.Key("status").Text(string(r.Trace.Terminal.Status))
	w.Key("planSteps").Int(int64(len(r.Compiled.Plan.Steps)))
	w.Key("operationCounts").Object()
	w.Key("compute").Int(r.Operations.Compute)
	w.Key("transfer").Int(r.Operations.Transfer)
	w.Key("collective").Int(r.Operations.Collective)
	w.Key("allReduce").Int(r.Operations.AllReduce)
	w.Key("allToAll").Int(r.Operations.AllToAll)
	w.End()
	w.Key("metrics")
	r.Metrics.write(w)
	if extra != nil {
		extra(w)
	}
	w.End()
}

func (m *Metrics) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("totalDurationNs").Int(m.TotalDurationNs)
	w.Key("foregroundDurationNs").Int(m.ForegroundDurationNs)
	w.Key("backgroundDrainNs").Int(m.BackgroundDrainNs)
	w.Key("committedTokens").Int(m.CommittedTokens)
	w.Key("tokensPerSecond").Float(m.TokensPerSecond)
	w.Key("computeServiceNs").Int(m.ComputeServiceNs)
	w.Key("transferServiceNs").Int(m.TransferServiceNs)
	w.Key("collectiveServiceNs").Int(m.CollectiveServiceNs)
	writeUtilization(w.Key("computeUtilization"), m.ComputeUtilization)
	writeUtilization(w.Key("linkUtilization"), m.LinkUtilization)
	w.End()
}

func writeUtilization(w *jsondoc.Writer, list []Utilization) {
	w.Array()
	for i := range list {
		u := &list[i]
		w.Element().Object()
		w.Key("resourceId").Text(u.ResourceID)
		w.Key("busyNs").Int(u.BusyNs)
		w.Key("capacityLanes").Int(u.CapacityLanes)
		w.Key("utilization").Float(u.Utilization)
		w.End()
	}
	w.End()
}

func writeLimitations(w *jsondoc.Writer, list []Limitation) {
	w.Array()
	for _, l := range list {
		w.Element().Object()
		w.Key("code").Text(l.Code)
		w.Key("text").Text(l.Text)
		w.End()
	}
	w.End()
}
