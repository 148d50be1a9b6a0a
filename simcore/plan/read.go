package plan

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Read reads a plan's structure (contract 03 section 5, check 5): exactly the keys
// of section 2 at every level, their types, non-empty texts, counts and enum
// values. The first failure is recorded by the cursor's Reader, under the cursor's
// path. Nothing is said yet about a scenario.
func Read(n document.Node) *Plan {
	p := new(Plan)
	if !n.Closed([]string{"contractRevision", "id", "executionId", "topologyEpoch", "steps"}) {
		return p
	}
	revision := n.Get("contractRevision")
	if v := revision.Value(); v.Kind() != document.Number || v.Number() != float64(ContractRevision) {
		revision.Fail("contract_revision", "expected %d, found %s", ContractRevision, v.Describe())
		return p
	}
	p.ContractRevision = ContractRevision
	p.ID = n.Get("id").NonEmpty()
	p.ExecutionID = n.Get("executionId").NonEmpty()
	p.TopologyEpoch = n.Get("topologyEpoch").Count()
	steps := n.Get("steps")
	p.Steps = make([]Step, 0, steps.Len())
	for _, s := range steps.Items() {
		p.Steps = append(p.Steps, readStep(s))
	}
	return p
}

func readStep(n document.Node) Step {
	var s Step
	if !n.Closed([]string{"id", "participants", "dependencies", "reads", "writes", "operation"}) {
		return s
	}
	s.ID = n.Get("id").Count()
	s.Participants = texts(n.Get("participants"))
	for _, d := range n.Get("dependencies").Items() {
		s.Dependencies = append(s.Dependencies, d.Count())
	}
	s.Reads = texts(n.Get("reads"))
	s.Writes = texts(n.Get("writes"))
	s.Operation = readOperation(n.Get("operation"))
	return s
}

func readOperation(n document.Node) Operation {
	op := Operation{Kind: Kind(n.Get("kind").OneOf(string(Compute), string(Transfer), string(Collective)))}
	switch op.Kind {
	case Compute:
		if !n.Closed([]string{"kind", "deviceId", "capability", "durationNs"}, "componentId", "pipelinePhase") {
			return op
		}
		op.DeviceID = n.Get("deviceId").NonEmpty()
		op.Capability = topology.Capability(n.Get("capability").OneOf(capabilities()...))
		if c := n.Get("componentId"); c.Present() {
			op.ComponentID = c.NonEmpty()
		}
		if c := n.Get("pipelinePhase"); c.Present() {
			op.PipelinePhase = c.NonEmpty()
		}
	case Transfer:
		if !n.Closed([]string{"kind", "linkId", "durationNs"}) {
			return op
		}
		op.LinkID = n.Get("linkId").NonEmpty()
	case Collective:
		if !n.Closed([]string{"kind", "groupId", "commSequenceId", "algorithm", "linkIds", "durationNs"}) {
			return op
		}
		op.GroupID = n.Get("groupId").NonEmpty()
		op.CommSequenceID = n.Get("commSequenceId").Count()
		op.Algorithm = Algorithm(n.Get("algorithm").OneOf(string(AllReduceRing), string(AllToAllV)))
		op.LinkIDs = texts(n.Get("linkIds"))
	default:
		return op
	}
	op.DurationNs = n.Get("durationNs").Count()
	return op
}

// texts reads a list of non-empty texts.
func texts(n document.Node) []string {
	list := make([]string, 0, n.Len())
	for _, item := range n.Items() {
		list = append(list, item.NonEmpty())
	}
	return list
}

func capabilities() []string {
	return []string{
		string(topology.Attention), string(topology.FFN), string(topology.Collective), string(topology.Copy),
		string(topology.Sampling), string(topology.Draft), string(topology.Lookup),
	}
}
