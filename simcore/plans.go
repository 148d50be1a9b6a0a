package simcore

import (
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Plan is a DAG of compute, transfer and collective steps on one machine.
type Plan = plan.Plan

// Executed is a plan that was executed, perhaps with a fault, and replayed.
type Executed = run.Executed

// Fault is a typed fault at an instant; NodeFails and its kin make one.
type Fault = trace.Fault

// FaultCampaign is a plan under one fault at a time.
type FaultCampaign = campaign.Faults

// CampaignOptions say how many executions arrive, when, and by which seed.
type CampaignOptions = executor.CampaignOptions

// ConcurrentCampaign is many executions of one plan on one clock.
type ConcurrentCampaign = campaign.Concurrent

// NodeFailure is a campaign that the failure of a node ends.
type NodeFailure = campaign.NodeFailure

// Failover is an execution that a node's failure ends and the one that takes its place.
type Failover = campaign.Failover

// defaultReason stands where a caller gives a fault no reason.
const defaultReason = "injected fault"

// NodeFails is the failure of a node at an instant. A quiesce timeout above 0 closes
// the epoch at that many ns after it at the latest.
func NodeFails(nodeID string, atNs, quiesceTimeoutNs int64) Fault {
	return Fault{Kind: trace.NodeFailure, NodeID: nodeID, AtNs: atNs, Reason: defaultReason,
		QuiesceTimeoutNs: quiesceTimeoutNs, HasQuiesceTimeout: quiesceTimeoutNs > 0}
}

// DeviceFails is the failure of a device at an instant.
func DeviceFails(deviceID string, atNs int64) Fault {
	return Fault{Kind: trace.DeviceFailure, DeviceID: deviceID, AtNs: atNs, Reason: defaultReason}
}

// LinkFails is the failure of a link at an instant.
func LinkFails(linkID string, atNs int64) Fault {
	return Fault{Kind: trace.LinkFailure, LinkID: linkID, AtNs: atNs, Reason: defaultReason}
}

// Compile makes the plan of a profile on a machine with the default cost model.
func Compile(s *topology.Scenario, p *Profile) (*Plan, error) {
	compiled, err := compiler.Compile(s, p, cost.Default())
	if err != nil {
		return nil, err
	}
	return compiled.Plan, nil
}

// Execute executes and replays a plan, under a fault when one is given.
func Execute(s *topology.Scenario, p *Plan, fault ...Fault) (*Executed, error) {
	frozen, err := plan.Validate(s, p)
	if err != nil {
		return nil, err
	}
	var o executor.Options
	if len(fault) > 0 {
		o.Fault = &fault[0]
	}
	return run.ExecutePlan(s, frozen, o)
}

// Faults executes a profile's plan without a fault, then once for the failure of every
// node, device and link that it uses and for a change of the topology epoch.
func Faults(s *topology.Scenario, p *Profile) (*FaultCampaign, error) {
	compiled, err := Compile(s, p)
	if err != nil {
		return nil, err
	}
	f, err := campaign.RunFaults(s, compiled, nil)
	if err != nil {
		return nil, err
	}
	f.Confidence = planConfidence(s, p)
	return f, nil
}

// Campaign runs many executions of a profile's plan at once.
func Campaign(s *topology.Scenario, p *Profile, o CampaignOptions) (*ConcurrentCampaign, error) {
	compiled, err := Compile(s, p)
	if err != nil {
		return nil, err
	}
	c, err := campaign.RunConcurrent(s, compiled, o)
	if err != nil {
		return nil, err
	}
	c.Confidence = planConfidence(s, p)
	return c, nil
}

// FailNode runs many executions of a profile's plan at once and lets a node fail under
// them. The fault needs a quiesce timeout.
func FailNode(s *topology.Scenario, p *Profile, o CampaignOptions, fault Fault) (*NodeFailure, error) {
	compiled, err := Compile(s, p)
	if err != nil {
		return nil, err
	}
	n, err := campaign.RunNodeFailure(s, compiled, o, fault)
	if err != nil {
		return nil, err
	}
	n.Confidence = planConfidence(s, p)
	return n, nil
}

// FailOver runs a profile on one machine until a node fails, waits until the old epoch
// is quiet, and runs the profile, compiled anew, on another machine in the next epoch.
func FailOver(failed, recovery *topology.Scenario, p *Profile, fault Fault) (*Failover, error) {
	q := trace.FailoverRequest{FailedScenario: failed, FailedNodeID: fault.NodeID, FaultAtNs: fault.AtNs, Reason: fault.Reason,
		HasTimeout: fault.HasQuiesceTimeout, QuiesceTimeoutNs: fault.QuiesceTimeoutNs}
	var err error
	if q.FailedPlan, err = Compile(failed, p); err != nil {
		return nil, err
	}
	if q.RecoveryScenario, err = campaign.NextEpoch(failed, recovery); err != nil {
		return nil, err
	}
	if q.RecoveryPlan, err = Compile(q.RecoveryScenario, p); err != nil {
		return nil, err
	}
	f, err := campaign.RunFailover(q)
	if err != nil {
		return nil, err
	}
	f.Confidence = evidence.Weakest(planConfidence(failed, p), planConfidence(recovery, p))
	return f, nil
}

// planConfidence is the label of the timing of a plan under the default cost model.
func planConfidence(s *topology.Scenario, p *Profile) evidence.Class {
	return run.Confidence(s, cost.Default(), p.ModelWork != nil)
}
