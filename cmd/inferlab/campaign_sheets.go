package main

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/trace"
)

// shownRows is how many rows of a long list a table for people holds.
const shownRows = 16

// campaignSheets shows a concurrent campaign: its figures, then the first executions.
func campaignSheets(c *campaign.Concurrent) []sheet {
	figures := sheet{
		title: fmt.Sprintf("%s on %s: timing %s, replay verified %s", counted(int64(len(c.Run.Executions)), "execution"), c.Scenario.ID(),
			c.Confidence, counted(c.Replay.AppliedEvents, "event")),
		columns: []string{"modeled figure", ">value"},
		rows: [][]string{
			{"duration", duration(float64(c.Run.CompletedAtNs))},
			{"most executions at once", count(c.Run.MaximumConcurrentExecutions)},
			{"operations", count(int64(len(c.Run.Trace.Operations)))},
			{"latency, least", duration(float64(c.Latency.MinimumNs))},
			{"latency, mean", duration(c.Latency.AverageNs)},
			{"latency, p95", duration(float64(c.Latency.P95Ns))},
			{"latency, most", duration(float64(c.Latency.MaximumNs))},
		},
	}
	list := sheet{columns: []string{"execution", ">arrival", ">completion", ">latency"}}
	for k, e := range c.Run.Executions[:min(shownRows, len(c.Run.Executions))] {
		arrival := c.Run.Trace.Admissions[k].ArrivalNs
		list.rows = append(list.rows, []string{e.ExecutionID, duration(float64(arrival)), duration(float64(e.CompletedAtNs)), duration(float64(e.CompletedAtNs - arrival))})
	}
	list.title = shownOf(len(list.rows), len(c.Run.Executions), "executions")
	return []sheet{figures, list}
}

// shownOf says what a shortened list leaves out.
func shownOf(shown, all int, what string) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("(the first %d of %d %s are shown)", shown, all, what)
}

// nodeFailureSheets shows how a node's failure ended a campaign.
func nodeFailureSheets(n *campaign.NodeFailure) []sheet {
	out := sheet{
		title: fmt.Sprintf("node %s of %s fails at %s under %s; the old epoch is quiet at %s (modeled, %s), replay verified %s",
			n.Fault.NodeID, n.Scenario.ID(), duration(float64(n.Fault.AtNs)), counted(int64(len(n.Run.Executions)), "execution"), duration(float64(n.Run.CompletedAtNs)), n.Confidence,
			counted(n.Replay.AppliedEvents, "event")),
		columns: []string{"execution", "outcome", ">quiesced", ">retained", ">dropped", ">ranks succeeded", ">aborted", ">failed"},
	}
	ends := n.Run.Trace.Terminals
	for i := range ends[:min(shownRows, len(ends))] {
		end := &ends[i]
		ranks := rankCounts(end.RankStates)
		out.rows = append(out.rows, []string{end.ExecutionID, string(end.Status), duration(float64(end.TimestampNs)), count(end.SourceSequence),
			count(int64(len(end.UnsubmittedStepIDs))), ranks[0], ranks[1], ranks[2]})
	}
	if note := shownOf(len(out.rows), len(ends), "executions"); note != "" {
		out.title += " " + note
	}
	return []sheet{out}
}

// rankCounts counts ranks that succeeded, were aborted and failed.
func rankCounts(states []trace.RankState) [3]string {
	var n [3]int64
	for _, s := range states {
		switch s.Status {
		case trace.Succeeded:
			n[0]++
		case trace.Aborted:
			n[1]++
		default:
			n[2]++
		}
	}
	return [3]string{count(n[0]), count(n[1]), count(n[2])}
}

// failoverSheets shows both epochs of a failover on one clock.
func failoverSheets(f *campaign.Failover) []sheet {
	t := &f.Run.Trace
	h := &t.Handoff
	out := sheet{
		title: fmt.Sprintf("node %s fails at %s; recovered at %s (modeled, %s), replay verified %d and %s", h.FailedNodeID,
			duration(float64(h.FaultAtNs)), duration(float64(t.CompletedAtNs)), f.Confidence, f.Replay.Failed.AppliedEvents, counted(f.Replay.Recovery.AppliedEvents, "event")),
		columns: []string{">epoch", "machine", "execution", "outcome", ">from", ">to", ">operations", ">ranks succeeded", ">aborted", ">failed"},
	}
	row := func(epoch int64, machine, execution string, p *trace.Plan, from, to int64) {
		ranks := rankCounts(p.Terminal.RankStates)
		out.rows = append(out.rows, []string{count(epoch), machine, execution, string(p.Terminal.Status), duration(float64(from)), duration(float64(to)),
			count(int64(len(p.Operations))), ranks[0], ranks[1], ranks[2]})
	}
	row(h.OldTopologyEpoch, f.Request.FailedScenario.ID(), h.FailedExecutionID, &t.Failed, 0, h.OldExecutionQuiescedAtNs)
	row(h.NewTopologyEpoch, f.Request.RecoveryScenario.ID(), h.RecoveryExecutionID, &t.Recovery, h.RecoveryAdmittedAtNs, t.CompletedAtNs)
	return []sheet{out}
}
