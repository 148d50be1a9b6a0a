package executor

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

func checkOptions(f *plan.Frozen, opts Options) error {
	switch {
	case opts.Fault != nil && opts.Injection != nil:
		return issue.New(CodeInjection, "", "an execution takes a fault or a terminal injection, not both")
	case opts.Fault != nil:
		return checkFault(f, opts.Fault)
	case opts.Injection != nil:
		return checkInjection(f, opts.Injection)
	}
	return nil
}

func checkInjection(f *plan.Frozen, in *Injection) error {
	if _, ok := f.StepIndex(in.StepID); !ok {
		return issue.New(CodeInjection, "stepId", "no step has id %d", in.StepID)
	}
	if in.Status != trace.Failed && in.Status != trace.Aborted {
		return issue.New(CodeInjection, "status", "%q is not failed or aborted", in.Status)
	}
	if in.Reason == "" {
		return issue.New(CodeInjection, "reason", "the reason is empty")
	}
	return nil
}

// checkFault refuses a fault that cannot happen to this plan (contract 03 section
// 9, column "Valid when").
func checkFault(f *plan.Frozen, fault *trace.Fault) error {
	if !quantity.IsCount(fault.AtNs) {
		return issue.New(CodeFault, "atNs", "%d is not a count of nanoseconds", fault.AtNs)
	}
	if fault.Reason == "" {
		return issue.New(CodeFault, "reason", "the reason is empty")
	}
	switch fault.Kind {
	case trace.NodeFailure:
		return checkNodeFault(f, fault)
	case trace.DeviceFailure:
		if !usesDevice(f, fault.DeviceID) {
			return issue.New(CodeFault, "deviceId", "no step of the plan uses device %q", fault.DeviceID)
		}
	case trace.LinkFailure:
		if !planUsesLink(f, fault.LinkID) {
			return issue.New(CodeFault, "linkId", "no transfer or collective of the plan uses link %q", fault.LinkID)
		}
	case trace.TopologyEpochChange:
		if next := fault.NextTopologyEpoch; !quantity.IsCount(next) || next <= f.Plan().TopologyEpoch {
			return issue.New(CodeFault, "nextTopologyEpoch", "%d is not a safe integer greater than the plan's epoch %d", next, f.Plan().TopologyEpoch)
		}
	default:
		return issue.New(CodeFault, "kind", "%q is not a kind of fault", fault.Kind)
	}
	return nil
}

func checkNodeFault(f *plan.Frozen, fault *trace.Fault) error {
	if fault.HasQuiesceTimeout && !quantity.IsPositive(fault.QuiesceTimeoutNs) {
		return issue.New(CodeFault, "quiesceTimeoutNs", "%d is not a count greater than 0", fault.QuiesceTimeoutNs)
	}
	if !hasNode(f.Fabric(), fault.NodeID) {
		return issue.New(CodeFault, "nodeId", "no device has node %q", fault.NodeID)
	}
	if !takesPart(f, ranksOnNode(f.Fabric(), fault.NodeID)) {
		return issue.New(CodeFault, "nodeId", "no step of the plan has a participant on node %q", fault.NodeID)
	}
	if fault.HasQuiesceTimeout {
		if _, err := quantity.Add(fault.AtNs, fault.QuiesceTimeoutNs); err != nil {
			return issue.New(CodeFault, "quiesceTimeoutNs", "atNs %d plus quiesceTimeoutNs %d exceeds %d", fault.AtNs, fault.QuiesceTimeoutNs, quantity.MaxSafe)
		}
	}
	return nil
}

// hasNode reports whether some device is on a node.
func hasNode(fabric *plan.Fabric, nodeID string) bool {
	devices := fabric.Spec().Devices
	for i := range devices {
		if devices[i].NodeID == nodeID {
			return true
		}
	}
	return false
}

// takesPart reports whether one of the marked ranks participates in the plan.
func takesPart(f *plan.Frozen, marked []bool) bool {
	for _, rank := range f.Ranks() {
		if marked[rank] {
			return true
		}
	}
	return false
}

func usesDevice(f *plan.Frozen, deviceID string) bool {
	device, ok := f.Fabric().DeviceIndex(deviceID)
	if !ok {
		return false
	}
	for _, rank := range f.Ranks() { // a compute step's device is that of its participant
		if f.Fabric().RankDevice(rank) == device {
			return true
		}
	}
	return false
}

func planUsesLink(f *plan.Frozen, linkID string) bool {
	if _, ok := f.Fabric().LinkIndex(linkID); !ok {
		return false
	}
	for i := range int32(f.Len()) {
		if usesLink(f.Step(i), linkID) {
			return true
		}
	}
	return false
}
