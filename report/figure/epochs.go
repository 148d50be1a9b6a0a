package figure

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// RanksOf shows how the ranks of one execution ended.
func RanksOf(src Source, scn *topology.Scenario, end *trace.Terminal) RankBars {
	f := RankBars{Source: src, State: end.Status, QuiescedNs: end.TimestampNs}
	nodes := rankNodes(scn)
	f.addRanks(nodes, "", end, 0)
	if end.Status == trace.Succeeded {
		return f
	}
	f.FaultName, f.FaultNs = end.Reason, end.FailureAtNs
	if end.Fault != nil {
		f.FaultName = FaultName(end.Fault)
		if end.Fault.HasQuiesceTimeout {
			f.DeadlineNs = end.Fault.AtNs + end.Fault.QuiesceTimeoutNs
		}
	}
	return f
}

// rankNodes maps every rank of a scenario to its device and node.
func rankNodes(scn *topology.Scenario) map[string]PlanRank {
	nodes := make(map[string]PlanRank)
	spec := scn.Spec()
	for i := range spec.Groups {
		for _, r := range spec.Groups[i].OrderedRanks {
			nodes[r.RankID] = PlanRank{r.RankID, r.DeviceID, nodeOf(scn, r.DeviceID)}
		}
	}
	return nodes
}

// addRanks appends the ranks of a terminal; shift moves them on the clock.
func (f *RankBars) addRanks(nodes map[string]PlanRank, execution string, end *trace.Terminal, shift int64) {
	for _, s := range end.RankStates {
		r := nodes[s.RankID]
		f.Rows = append(f.Rows, RankBar{Rank: s.RankID, Execution: execution, Node: r.Node, Status: s.Status, FromNs: shift, TerminalNs: s.TerminalAtNs + shift,
			Dead: end.Fault != nil && struck(end.Fault, r)})
	}
}

// struck tells whether a fault hits a rank's machine.
func struck(f *trace.Fault, r PlanRank) bool {
	switch f.Kind {
	case trace.NodeFailure:
		return r.Node == f.NodeID
	case trace.DeviceFailure:
		return r.Device == f.DeviceID
	}
	return false
}

// NodeFailureRanks shows the ranks of every execution that a node's failure ended, in
// the order of the terminals.
func NodeFailureRanks(n *campaign.NodeFailure) RankBars {
	f := RankBars{Source: Source{n.Scenario.ID(), n.Confidence}, State: trace.Failed, QuiescedNs: n.Run.CompletedAtNs,
		FaultName: FaultName(&n.Fault), FaultNs: n.Fault.AtNs, DeadlineNs: n.Fault.AtNs + n.Fault.QuiesceTimeoutNs}
	nodes := rankNodes(n.Scenario)
	for i := range n.Run.Trace.Terminals {
		t := &n.Run.Trace.Terminals[i]
		f.addRanks(nodes, t.ExecutionID, t, 0)
	}
	for i := range n.Run.Trace.Operations {
		f.drain(nodes, n.Fault.NodeID, &n.Run.Trace.Operations[i].Event)
	}
	return f
}

// drain takes account of an operation that no rank of the failed node takes part in.
func (f *RankBars) drain(nodes map[string]PlanRank, failed string, o *trace.Operation) {
	if !slices.ContainsFunc(o.Participants, func(r string) bool { return nodes[r].Node == failed }) {
		f.DrainedNs = max(f.DrainedNs, o.FinishNs)
	}
}

// FailoverRanks shows the ranks of both epochs of a failover on one clock.
func FailoverRanks(v *campaign.Failover) RankBars {
	q, t := &v.Request, &v.Run.Trace
	f := RanksOf(Source{q.FailedScenario.ID() + " to " + q.RecoveryScenario.ID(), v.Confidence}, q.FailedScenario, &t.Failed.Terminal)
	for i := range f.Rows {
		f.Rows[i].Execution = "old"
	}
	if q.HasTimeout {
		nodes := rankNodes(q.FailedScenario)
		for i := range t.Failed.Operations {
			f.drain(nodes, q.FailedNodeID, &t.Failed.Operations[i])
		}
	}
	f.addRanks(rankNodes(q.RecoveryScenario), "new", &t.Recovery.Terminal, t.Handoff.RecoveryAdmittedAtNs)
	return f
}
