package compiler

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// builder emits the steps of one plan. Steps are numbered from 0 in emission
// order; each waits for its explicit predecessors and for whoever last used its
// buffers (contract 06 section 7).
type builder struct {
	*Compiler
	steps     []plan.Step
	sequences []int64 // next commSequenceId by group
}

// newBuilder starts a plan of about the given number of steps.
func (c *Compiler) newBuilder(expected int) *builder {
	c.hazards.Reset()
	return &builder{
		Compiler:  c,
		steps:     make([]plan.Step, 0, expected),
		sequences: make([]int64, len(c.machine.groups)),
	}
}

func (b *builder) plan(id, executionID string) *plan.Plan {
	return &plan.Plan{
		ContractRevision: plan.ContractRevision,
		ID:               id,
		ExecutionID:      executionID,
		TopologyEpoch:    b.machine.spec.Execution.TopologyEpoch,
		Steps:            b.steps,
	}
}

// add emits a step after the given ones. Reads, writes and participants must not
// repeat a value; they are kept, so callers must not write to them afterwards.
func (b *builder) add(after []int64, participants, reads, writes []string, op plan.Operation) (int64, error) {
	id := int64(len(b.steps))
	if id >= b.machine.spec.Execution.MaxEvents {
		return 0, issue.New("max_events", "execution.maxEvents", "the plan needs more steps than maxEvents of scenario %s allows, %d",
			b.machine.spec.ID, b.machine.spec.Execution.MaxEvents)
	}
	b.steps = append(b.steps, plan.Step{
		ID:           id,
		Participants: participants,
		Dependencies: b.hazards.Step(id, after, reads, writes),
		Reads:        reads,
		Writes:       writes,
		Operation:    op,
	})
	return id, nil
}

// compute emits one invocation on a placement (contract 06 section 7.2). Extra
// names a buffer read beside the weights, or is empty.
func (b *builder) compute(p *placement, op plan.Operation, after []int64, extra string) (int64, error) {
	participants, err := b.machine.participants(p.spec.DeviceID)
	if err != nil {
		return 0, err
	}
	reads := p.reads
	if extra != "" && !slices.Contains(reads, extra) {
		reads = append(slices.Clip(reads), extra)
	}
	op.Kind, op.DeviceID = plan.Compute, p.spec.DeviceID
	return b.add(after, participants, reads, p.writes, op)
}

// product multiplies counts of the workload, checked.
func (b *builder) product(values ...int64) (int64, error) {
	total := int64(1)
	for _, v := range values {
		var err error
		if total, err = quantity.Mul(total, v); err != nil {
			return 0, issue.New("overflow", "", "the size of the work is not a safe integer: %v", values)
		}
	}
	return total, nil
}

// ssd refuses work that reads from storage while the scenario forbids it.
func (b *builder) ssd(what, id string) error {
	if b.machine.spec.Execution.SSDStreaming {
		return nil
	}
	return issue.New("ssd_streaming_disabled", "", "%s %s reads experts from storage, but scenario %s has SSD streaming disabled",
		what, id, b.machine.spec.ID)
}

// unique keeps the first occurrence of every step.
func unique(ids []int64) []int64 {
	kept := make([]int64, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

// distinct lists texts, each once.
func distinct(texts ...string) []string {
	kept := make([]string, 0, len(texts))
	for _, t := range texts {
		if !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// computeOperation is a compute operation of a capability.
func computeOperation(c topology.Capability, ns int64) plan.Operation {
	return plan.Operation{Capability: c, DurationNs: ns}
}
