package trace

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
)

// TerminalKind is the kind of the event that closes an execution.
const TerminalKind = "execution_terminal"

// Encode writes the operation as a JSON object (contract 03 section 8).
func (o *Operation) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("contractRevision").Int(o.ContractRevision)
	w.Key("executionId").Text(o.ExecutionID)
	w.Key("topologyEpoch").Int(o.TopologyEpoch)
	w.Key("sourceSequence").Int(o.SourceSequence)
	w.Key("stepId").Int(o.StepID)
	w.Key("kind").Text(string(o.Kind))
	w.Key("submittedAtNs").Int(o.SubmittedAtNs)
	w.Key("startNs").Int(o.StartNs)
	w.Key("finishNs").Int(o.FinishNs)
	w.Key("resources").Array()
	for i := range o.Resources {
		w.Element().Object()
		w.Key("resourceId").Text(o.Resources[i].ResourceID)
		w.Key("resourceLane").Int(o.Resources[i].ResourceLane)
		w.End()
	}
	w.End()
	w.Key("participants").Texts(o.Participants)
	w.Key("reads").Texts(o.Reads)
	w.Key("writes").Texts(o.Writes)
	if o.Kind == plan.Collective {
		w.Key("groupId").Text(o.GroupID)
		w.Key("commSequenceId").Int(o.CommSequenceID)
		w.Key("collectiveAlgorithm").Text(string(o.CollectiveAlgorithm))
	}
	w.End()
}

// Encode writes the terminal event as a JSON object; keys that belong to an early
// end are absent on success.
func (t *Terminal) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("contractRevision").Int(t.ContractRevision)
	w.Key("executionId").Text(t.ExecutionID)
	w.Key("topologyEpoch").Int(t.TopologyEpoch)
	w.Key("sourceSequence").Int(t.SourceSequence)
	w.Key("kind").Text(TerminalKind)
	w.Key("status").Text(string(t.Status))
	w.Key("timestampNs").Int(t.TimestampNs)
	EncodeRankStates(w.Key("rankStates"), t.RankStates)
	if t.Status != Succeeded {
		w.Key("failureAtNs").Int(t.FailureAtNs)
		w.Key("reason").Text(t.Reason)
		w.Key("unsubmittedStepIds").Ints(t.UnsubmittedStepIDs)
	}
	if t.Fault != nil {
		w.Key("fault")
		t.Fault.Encode(w)
	}
	if t.HasBeforeStep {
		w.Key("beforeStepId").Int(t.BeforeStepID)
	}
	w.End()
}

// Encode writes the fault as a JSON object with the keys of its kind.
func (f *Fault) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("kind").Text(string(f.Kind))
	w.Key("atNs").Int(f.AtNs)
	w.Key("reason").Text(f.Reason)
	switch f.Kind {
	case NodeFailure:
		w.Key("nodeId").Text(f.NodeID)
		if f.HasQuiesceTimeout {
			w.Key("quiesceTimeoutNs").Int(f.QuiesceTimeoutNs)
		}
	case DeviceFailure:
		w.Key("deviceId").Text(f.DeviceID)
	case LinkFailure:
		w.Key("linkId").Text(f.LinkID)
	case TopologyEpochChange:
		w.Key("nextTopologyEpoch").Int(f.NextTopologyEpoch)
	}
	w.End()
}

// Encode writes the trace of one execution as {operations, terminal}.
func (p *Plan) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("operations").Array()
	for i := range p.Operations {
		w.Element()
		p.Operations[i].Encode(w)
	}
	w.End()
	w.Key("terminal")
	p.Terminal.Encode(w)
	w.End()
}

// EncodeRankStates writes a list of rank states.
func EncodeRankStates(w *jsondoc.Writer, states []RankState) {
	w.Array()
	for i := range states {
		w.Element().Object()
		w.Key("rankId").Text(states[i].RankID)
		w.Key("status").Text(string(states[i].Status))
		w.Key("terminalAtNs").Int(states[i].TerminalAtNs)
		w.End()
	}
	w.End()
}

// EncodeRankCompletions writes a list of rank completions.
func EncodeRankCompletions(w *jsondoc.Writer, done []RankCompletion) {
	w.Array()
	for i := range done {
		w.Element().Object()
		w.Key("rankId").Text(done[i].RankID)
		w.Key("completedAtNs").Int(done[i].CompletedAtNs)
		w.End()
	}
	w.End()
}
