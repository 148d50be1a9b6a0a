package executor

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// FaultCase is one fault of a campaign: something that a plan uses fails in the
// middle of the first operation that occupies it.
type FaultCase struct {
	ID    string // "node:", "device:", "link:" or "epoch:" and the id
	Fault trace.Fault
}

// FaultCases lists the faults of a campaign over a plan, from the operations of
// its faultless run: nodes, then devices, then links, each ascending by id, then
// the change of the topology epoch. Contract 03 section 12.
func FaultCases(f *plan.Frozen, baseline []trace.Operation) []FaultCase {
	c := newCaseBuilder(f)
	for k := range baseline {
		if op := &baseline[k]; op.FinishNs > op.StartNs {
			c.note(op)
		}
	}
	var cases []FaultCase
	add := func(fault trace.Fault) {
		id := fault.CaseID()
		fault.Reason = "campaign: " + id
		cases = append(cases, FaultCase{ID: id, Fault: fault})
	}
	for _, id := range sortedIDs(c.nodes) {
		add(trace.Fault{Kind: trace.NodeFailure, AtNs: c.nodes[id], NodeID: id})
	}
	for _, id := range sortedIDs(c.devices) {
		add(trace.Fault{Kind: trace.DeviceFailure, AtNs: c.devices[id], DeviceID: id})
	}
	for _, id := range sortedIDs(c.links) {
		add(trace.Fault{Kind: trace.LinkFailure, AtNs: c.links[id], LinkID: id})
	}
	if next := f.Plan().TopologyEpoch + 1; c.any && quantity.IsCount(next) {
		add(trace.Fault{Kind: trace.TopologyEpochChange, AtNs: c.first, NextTopologyEpoch: next})
	}
	return cases
}

// caseBuilder remembers for every item the fault time of the first operation that
// fits it.
type caseBuilder struct {
	plan                  *plan.Frozen
	nodes, devices, links map[string]int64
	first                 int64 // of the first operation of all
	any                   bool
}

func newCaseBuilder(f *plan.Frozen) *caseBuilder {
	return &caseBuilder{plan: f, nodes: make(map[string]int64), devices: make(map[string]int64), links: make(map[string]int64)}
}

func (c *caseBuilder) note(op *trace.Operation) {
	at := op.StartNs + max(1, quantity.CeilDiv(op.FinishNs-op.StartNs, 2))
	if !c.any {
		c.any, c.first = true, at
	}
	i, _ := c.plan.StepIndex(op.StepID)
	fabric := c.plan.Fabric()
	for _, rank := range c.plan.Participants(i) {
		device := &fabric.Spec().Devices[fabric.RankDevice(rank)]
		once(c.devices, device.ID, at)
		once(c.nodes, device.NodeID, at)
	}
	switch step := c.plan.Step(i); step.Operation.Kind {
	case plan.Transfer:
		once(c.links, step.Operation.LinkID, at)
	case plan.Collective:
		for _, id := range step.Operation.LinkIDs {
			once(c.links, id, at)
		}
	}
}

func once(first map[string]int64, id string, at int64) {
	if _, known := first[id]; !known {
		first[id] = at
	}
}

func sortedIDs(of map[string]int64) []string {
	ids := make([]string, 0, len(of))
	for id := range of {
		ids = append(ids, id)
	}
	quantity.SortIDs(ids)
	return ids
}
