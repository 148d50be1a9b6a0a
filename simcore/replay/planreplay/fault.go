package planreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// checkFault refuses a fault record that cannot belong to this plan (contract 03
// section 9), or that carries keys of another kind.
func (s *script) checkFault(at int, fault *trace.Fault) *Mismatch {
	if *fault != fault.Normal() {
		return mismatch(at, RuleFault, "a %s carries keys of another kind", fault.Kind)
	}
	if !quantity.IsCount(fault.AtNs) {
		return mismatch(at, RuleFault, "atNs %d is not a count", fault.AtNs)
	}
	if fault.Reason == "" {
		return mismatch(at, RuleFault, "the fault has no reason")
	}
	possible := false
	switch fault.Kind {
	case trace.NodeFailure:
		possible = s.inhabits(func(h home) bool { return h.node == fault.NodeID })
	case trace.DeviceFailure:
		possible = s.inhabits(func(h home) bool { return h.device == fault.DeviceID })
	case trace.LinkFailure:
		_, declared := s.machine.linkUses[fault.LinkID]
		possible = declared && slices.ContainsFunc(s.plan.Steps, func(step plan.Step) bool { return moves(&step.Operation, fault.LinkID) })
	case trace.TopologyEpochChange:
		possible = quantity.IsCount(fault.NextTopologyEpoch) && fault.NextTopologyEpoch > s.plan.TopologyEpoch
	}
	if !possible {
		return mismatch(at, RuleFault, "no %s of this kind can happen to the plan", fault.Kind)
	}
	if fault.HasQuiesceTimeout {
		if _, err := quantity.Add(fault.AtNs, fault.QuiesceTimeoutNs); err != nil || fault.QuiesceTimeoutNs < 1 {
			return mismatch(at, RuleFault, "quiesceTimeoutNs %d is not a count greater than 0", fault.QuiesceTimeoutNs)
		}
	}
	return nil
}

// inhabits reports whether some participating rank lives where the test says.
func (s *script) inhabits(there func(home) bool) bool {
	for _, id := range s.rankIDs {
		if there(s.machine.rankHome[id]) {
			return true
		}
	}
	return false
}

// moves reports whether an operation uses a link.
func moves(op *plan.Operation, linkID string) bool {
	return op.Kind == plan.Transfer && op.LinkID == linkID ||
		op.Kind == plan.Collective && slices.Contains(op.LinkIDs, linkID)
}
