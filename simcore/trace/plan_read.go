package trace

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
)

// ReadOperation reads an operation in the spelling of Operation.Encode, strictly:
// exactly its keys, integers, texts. Whether the values are right is the replay's
// to say.
func ReadOperation(n document.Node) Operation {
	var o Operation
	required := []string{"contractRevision", "executionId", "topologyEpoch", "sourceSequence", "stepId", "kind",
		"submittedAtNs", "startNs", "finishNs", "resources", "participants", "reads", "writes"}
	optional := []string{"groupId", "commSequenceId", "collectiveAlgorithm"}
	if !n.Object() {
		return o
	}
	if o.Kind = plan.Kind(n.Get("kind").Text()); o.Kind == plan.Collective {
		required, optional = append(required, optional...), nil
	}
	if !n.Closed(required, optional...) {
		return o
	}
	o.ContractRevision = n.Get("contractRevision").Integer()
	o.ExecutionID = n.Get("executionId").Text()
	o.TopologyEpoch = n.Get("topologyEpoch").Integer()
	o.SourceSequence = n.Get("sourceSequence").Integer()
	o.StepID = n.Get("stepId").Integer()
	o.SubmittedAtNs = n.Get("submittedAtNs").Integer()
	o.StartNs = n.Get("startNs").Integer()
	o.FinishNs = n.Get("finishNs").Integer()
	for _, r := range n.Get("resources").Items() {
		if r.Closed([]string{"resourceId", "resourceLane"}) {
			o.Resources = append(o.Resources, Reservation{r.Get("resourceId").Text(), r.Get("resourceLane").Integer()})
		}
	}
	o.Participants = n.Get("participants").Texts()
	o.Reads = n.Get("reads").Texts()
	o.Writes = n.Get("writes").Texts()
	readCollective(n, &o)
	return o
}

// readCollective reads the keys that only collectives have. On another kind their
// mere presence is wrong, even with the value that stands for absence.
func readCollective(n document.Node, o *Operation) {
	for _, key := range []string{"groupId", "commSequenceId", "collectiveAlgorithm"} {
		if at := n.Get(key); at.Present() && o.Kind != plan.Collective {
			at.Fail(document.CodeUnknown, "only collectives have this key")
		}
	}
	if o.Kind != plan.Collective {
		return
	}
	o.GroupID = n.Get("groupId").Text()
	o.CommSequenceID = n.Get("commSequenceId").Integer()
	o.CollectiveAlgorithm = plan.Algorithm(n.Get("collectiveAlgorithm").Text())
}

// ReadTerminal reads a terminal in the spelling of Terminal.Encode, as strictly as
// ReadOperation.
func ReadTerminal(n document.Node) Terminal {
	var t Terminal
	early := []string{"failureAtNs", "reason", "unsubmittedStepIds"}
	if !n.Closed([]string{"contractRevision", "executionId", "topologyEpoch", "sourceSequence", "kind", "status", "timestampNs", "rankStates"},
		append(early, "fault", "beforeStepId")...) {
		return t
	}
	n.Get("kind").OneOf(TerminalKind)
	t.ContractRevision = n.Get("contractRevision").Integer()
	t.ExecutionID = n.Get("executionId").Text()
	t.TopologyEpoch = n.Get("topologyEpoch").Integer()
	t.SourceSequence = n.Get("sourceSequence").Integer()
	t.Status = Status(n.Get("status").OneOf(string(Succeeded), string(Failed), string(Aborted)))
	t.TimestampNs = n.Get("timestampNs").Integer()
	for _, s := range n.Get("rankStates").Items() {
		if s.Closed([]string{"rankId", "status", "terminalAtNs"}) {
			t.RankStates = append(t.RankStates, RankState{s.Get("rankId").Text(), Status(s.Get("status").Text()), s.Get("terminalAtNs").Integer()})
		}
	}
	for _, key := range append(early, "fault", "beforeStepId") {
		if at := n.Get(key); at.Present() && t.Status == Succeeded {
			at.Fail(document.CodeUnknown, "a succeeded execution has no such key")
		}
	}
	if t.Status == Succeeded || !n.OK() {
		return t
	}
	t.FailureAtNs = n.Get("failureAtNs").Integer()
	t.Reason = n.Get("reason").Text()
	t.UnsubmittedStepIDs = []int64{}
	for _, id := range n.Get("unsubmittedStepIds").Items() {
		t.UnsubmittedStepIDs = append(t.UnsubmittedStepIDs, id.Integer())
	}
	if f := n.Get("fault"); f.Present() {
		fault := ReadFault(f)
		t.Fault = &fault
	}
	if b := n.Get("beforeStepId"); b.Present() {
		t.BeforeStepID, t.HasBeforeStep = b.Integer(), true
	}
	return t
}

// ReadFault reads a fault in the spelling of Fault.Encode: exactly the keys of its
// kind.
func ReadFault(n document.Node) Fault {
	f := Fault{Kind: FaultKind(n.Get("kind").OneOf(string(NodeFailure), string(DeviceFailure), string(LinkFailure), string(TopologyEpochChange)))}
	keys := []string{"kind", "atNs", "reason"}
	switch f.Kind {
	case NodeFailure:
		n.Closed(append(keys, "nodeId"), "quiesceTimeoutNs")
		f.NodeID = n.Get("nodeId").Text()
		if t := n.Get("quiesceTimeoutNs"); t.Present() {
			f.QuiesceTimeoutNs, f.HasQuiesceTimeout = t.Integer(), true
		}
	case DeviceFailure:
		n.Closed(append(keys, "deviceId"))
		f.DeviceID = n.Get("deviceId").Text()
	case LinkFailure:
		n.Closed(append(keys, "linkId"))
		f.LinkID = n.Get("linkId").Text()
	case TopologyEpochChange:
		n.Closed(append(keys, "nextTopologyEpoch"))
		f.NextTopologyEpoch = n.Get("nextTopologyEpoch").Integer()
	}
	f.AtNs = n.Get("atNs").Integer()
	f.Reason = n.Get("reason").Text()
	return f
}

// unreadable is the contract revision of an event that could not be read. No
// replay accepts it, so the event is refused at its place.
const unreadable int64 = -1

// Unreadable is what was wrong with the first event of a document that is none of
// its protocol.
type Unreadable struct {
	Index int64 // among the events of the document, as a replay counts them
	Issue *issue.Error
}

// EventReader reads the events of a document one by one and remembers the first
// that cannot be read; in its place and after it stand events that no replay
// accepts.
type EventReader struct {
	next  int64
	First *Unreadable
}

// Operation reads the next event as an operation.
func (r *EventReader) Operation(v *document.Value) Operation {
	var o Operation
	if r.read(v, func(n document.Node) { o = ReadOperation(n) }) {
		return o
	}
	return Operation{ContractRevision: unreadable}
}

// Global reads the next event as an operation with its global sequence.
func (r *EventReader) Global(v *document.Value) GlobalOperation {
	var g GlobalOperation
	if r.read(v, func(n document.Node) {
		if n.Closed([]string{"globalSequence", "event"}) {
			g.GlobalSequence = n.Get("globalSequence").Integer()
			g.Event = ReadOperation(n.Get("event"))
		}
	}) {
		return g
	}
	return GlobalOperation{GlobalSequence: unreadable}
}

// Terminal reads the next event as a terminal.
func (r *EventReader) Terminal(v *document.Value) Terminal {
	var t Terminal
	if r.read(v, func(n document.Node) { t = ReadTerminal(n) }) {
		return t
	}
	return Terminal{ContractRevision: unreadable}
}

func (r *EventReader) read(v *document.Value, with func(document.Node)) bool {
	index := r.next
	r.next++
	if r.First != nil {
		return false
	}
	pass := document.NewReader(*v, "")
	with(pass.Root())
	if found := issue.All(pass.Err()); len(found) > 0 {
		r.First = &Unreadable{Index: index, Issue: found[0]}
		return false
	}
	return true
}
