package campaign

import (
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Failover is a failover whose traces the replay has confirmed.
type Failover struct {
	Confidence evidence.Class // of the plans' durations: heuristic, unless the caller knows better
	Request    trace.FailoverRequest
	Run        *executor.FailoverResult
	Replay     *planreplay.FailoverResult
}

// NextEpoch returns the recovery scenario with its epoch set to the one after the
// failed scenario's, as the node-failover command uses it.
func NextEpoch(failed, recovery *topology.Scenario) (*topology.Scenario, error) {
	next, err := quantity.Add(failed.Spec().Execution.TopologyEpoch, 1)
	if err != nil {
		return nil, issue.New(executor.CodeFailover, "execution.topologyEpoch", "no epoch follows %d", failed.Spec().Execution.TopologyEpoch)
	}
	spec := *recovery.Spec()
	spec.Execution.TopologyEpoch = next
	return topology.New(spec)
}

// RunFailover executes both epochs and replays the whole transaction.
func RunFailover(q trace.FailoverRequest) (*Failover, error) {
	r, err := executor.RunFailover(&q)
	if err != nil {
		return nil, within(failoverBlock, failoverKeys, err)
	}
	replayed, err := planreplay.CheckFailover(&q, &r.Trace)
	if err != nil {
		return nil, err
	}
	return &Failover{Confidence: evidence.Heuristic, Request: q, Run: r, Replay: replayed}, nil
}

// WriteDocument writes the result of the node-failover command.
func (f *Failover) WriteDocument(w *jsondoc.Writer, head jsondoc.Head) {
	w.Object()
	w.Head(head)
	w.Key("handoff")
	f.Run.Trace.Handoff.Encode(w)
	w.Key("completedAtNs").Int(f.Run.Trace.CompletedAtNs)
	writeExecution(w.Key("failedExecution"), f.Run.Failed, f.Replay.Failed)
	writeExecution(w.Key("recoveryExecution"), f.Run.Recovery, f.Replay.Recovery)
	w.End()
}

func writeExecution(w *jsondoc.Writer, r *executor.Result, replayed *planreplay.Result) {
	w.Object()
	w.Key("status").Text(string(r.Status))
	w.Key("completedAtNs").Int(r.CompletedAtNs)
	w.Key("submittedOperations").Int(int64(len(r.Trace.Operations)))
	trace.EncodeRankStates(w.Key("rankStates"), r.RankStates())
	w.Key("replayAppliedEvents").Int(replayed.AppliedEvents)
	w.End()
}
