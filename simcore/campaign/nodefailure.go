package campaign

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// NodeFailure is a seeded campaign that the failure of a node ends.
type NodeFailure struct {
	Scenario   *topology.Scenario
	Confidence evidence.Class // of the plan's durations: heuristic, unless the caller knows better
	Options    executor.CampaignOptions
	Fault      trace.Fault
	Requests   []plan.Request
	Run        *executor.ConcurrentResult
	Replay     *planreplay.ConcurrentResult
}

// Assumptions is what a reader must know of the run's figures.
func (n *NodeFailure) Assumptions() []string { return failureAssumptions }

// failureAssumptions is what a reader must know of a node failure's figures.
var failureAssumptions = []string{
	"Work is partitioned by node: operations of surviving nodes that were submitted before the fault drain; an operation that spans the failed node is kept only if it had started.",
	"An operation that spans the failed node and had not finished is truncated at the fault: it keeps its scheduled times in the trace and completes nothing.",
	"The old epoch closes at the deadline, fault time plus quiesce timeout, or earlier when surviving work has drained; nothing is submitted at or after the fault.",
	"Survivors keep the times of the schedule without the fault, also behind work that the fault removes.",
}

// RunNodeFailure draws the campaign, lets the node fail, and replays the trace.
func RunNodeFailure(scn *topology.Scenario, p *plan.Plan, o executor.CampaignOptions, fault trace.Fault) (*NodeFailure, error) {
	fabric := plan.Bind(scn)
	requests, err := draw(fabric, p, o)
	if err != nil {
		return nil, err
	}
	r, err := executor.RunConcurrentNodeFailure(fabric, requests, &fault)
	if err != nil {
		return nil, within(failureBlock, failureKeys, err)
	}
	replayed, err := planreplay.New(scn.Spec()).CheckConcurrentNodeFailure(requests, &fault, &r.Trace)
	if err != nil {
		return nil, fmt.Errorf("campaign of seed %d: %w", o.Seed, err)
	}
	return &NodeFailure{Scenario: scn, Confidence: evidence.Heuristic, Options: o, Fault: fault.Normal(), Requests: requests, Run: r, Replay: replayed}, nil
}

// WriteDocument writes the result of the concurrent-node-failure command.
func (n *NodeFailure) WriteDocument(w *jsondoc.Writer, head jsondoc.Head) {
	w.Object()
	w.Head(head)
	writeOptions(w, n.Options)
	w.Key("fault")
	n.Fault.Encode(w)
	w.Key("assumptions").Texts(failureAssumptions)
	w.Key("completedAtNs").Int(n.Run.CompletedAtNs)
	w.Key("executionCount").Int(int64(len(n.Run.Executions)))
	w.Key("maximumConcurrentExecutions").Int(n.Run.MaximumConcurrentExecutions)
	w.Key("submittedOperations").Int(int64(len(n.Run.Trace.Operations)))
	w.Key("replayAppliedEvents").Int(n.Replay.AppliedEvents)
	failed := int64(0)
	for _, e := range n.Run.Executions {
		if e.Status == trace.Failed {
			failed++
		}
	}
	w.Key("failedExecutions").Int(failed)
	w.Key("terminalsPreview").Array()
	for i := range n.Run.Trace.Terminals[:min(terminalsPreview, len(n.Run.Trace.Terminals))] {
		w.Element()
		writeTerminalPreview(w, &n.Run.Trace.Terminals[i])
	}
	w.End()
	w.End()
}

func writeTerminalPreview(w *jsondoc.Writer, end *trace.Terminal) {
	w.Object()
	w.Key("executionId").Text(end.ExecutionID)
	w.Key("status").Text(string(end.Status))
	w.Key("timestampNs").Int(end.TimestampNs)
	w.Key("failureAtNs").Int(end.FailureAtNs)
	w.Key("submittedOperations").Int(end.SourceSequence)
	w.Key("unsubmittedOperations").Int(int64(len(end.UnsubmittedStepIDs)))
	trace.EncodeRankStates(w.Key("rankStates"), end.RankStates)
	w.End()
}
