package plan

import (
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// Object returns the plan as a canonical tree with the keys of contract 03 section
// 2: what artifacts hold and fingerprints cover.
func Object(p *Plan) canonical.Object {
	steps := make([]any, len(p.Steps))
	for i := range p.Steps {
		steps[i] = stepObject(&p.Steps[i])
	}
	return canonical.Object{
		{Key: "contractRevision", Value: p.ContractRevision},
		{Key: "executionId", Value: p.ExecutionID},
		{Key: "id", Value: p.ID},
		{Key: "steps", Value: steps},
		{Key: "topologyEpoch", Value: p.TopologyEpoch},
	}
}

func stepObject(s *Step) canonical.Object {
	dependencies := make([]any, len(s.Dependencies))
	for i, d := range s.Dependencies {
		dependencies[i] = d
	}
	return canonical.Object{
		{Key: "dependencies", Value: dependencies},
		{Key: "id", Value: s.ID},
		{Key: "operation", Value: operationObject(&s.Operation)},
		{Key: "participants", Value: s.Participants},
		{Key: "reads", Value: s.Reads},
		{Key: "writes", Value: s.Writes},
	}
}

func operationObject(op *Operation) canonical.Object {
	switch op.Kind {
	case Compute:
		o := canonical.Object{{Key: "capability", Value: string(op.Capability)}}
		if op.ComponentID != "" {
			o = append(o, canonical.Member{Key: "componentId", Value: op.ComponentID})
		}
		o = append(o,
			canonical.Member{Key: "deviceId", Value: op.DeviceID},
			canonical.Member{Key: "durationNs", Value: op.DurationNs},
			canonical.Member{Key: "kind", Value: string(op.Kind)})
		if op.PipelinePhase != "" {
			o = append(o, canonical.Member{Key: "pipelinePhase", Value: op.PipelinePhase})
		}
		return o
	case Transfer:
		return canonical.Object{
			{Key: "durationNs", Value: op.DurationNs},
			{Key: "kind", Value: string(op.Kind)},
			{Key: "linkId", Value: op.LinkID},
		}
	}
	return canonical.Object{
		{Key: "algorithm", Value: string(op.Algorithm)},
		{Key: "commSequenceId", Value: op.CommSequenceID},
		{Key: "durationNs", Value: op.DurationNs},
		{Key: "groupId", Value: op.GroupID},
		{Key: "kind", Value: string(op.Kind)},
		{Key: "linkIds", Value: op.LinkIDs},
	}
}

// Encode writes the plan as a JSON object, steps in plan order.
func (p *Plan) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("contractRevision").Int(p.ContractRevision)
	w.Key("executionId").Text(p.ExecutionID)
	w.Key("id").Text(p.ID)
	w.Key("steps").Array()
	for i := range p.Steps {
		w.Element().Value(stepObject(&p.Steps[i]))
	}
	w.End()
	w.Key("topologyEpoch").Int(p.TopologyEpoch)
	w.End()
}

// Fingerprint identifies the plan (contract 03 section 4).
func (p *Plan) Fingerprint() (string, error) { return canonical.Fingerprint(Object(p)) }
