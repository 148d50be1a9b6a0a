package simcore_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TestPlansOfAProfile walks through what a cell does with plans.
func TestPlansOfAProfile(t *testing.T) {
	machine, err := simcore.Scenario("multi-node")
	if err != nil {
		t.Fatal(err)
	}
	rest, err := simcore.Scenario("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := simcore.TargetOnly(2)
	if err != nil {
		t.Fatal(err)
	}
	p, err := simcore.Compile(machine, profile)
	if err != nil {
		t.Fatal(err)
	}
	calm, err := simcore.Execute(machine, p)
	if err != nil || calm.Execution.Status != trace.Succeeded || len(calm.Execution.Trace.Operations) != len(p.Steps) {
		t.Fatalf("without a fault: %+v, %v", calm, err)
	}
	at := calm.Execution.CompletedAtNs / 2
	hit, err := simcore.Execute(machine, p, simcore.NodeFails("node1", at, 0))
	if err != nil || hit.Execution.Status != trace.Failed || hit.Execution.Trace.Terminal.FailureAtNs != at {
		t.Errorf("with a fault: %+v, %v", hit, err)
	}
	if _, err := simcore.Execute(machine, p, simcore.DeviceFails("nobody", at)); err == nil {
		t.Error("a device that does not exist cannot fail")
	}
	faults, err := simcore.Faults(machine, profile)
	if err != nil || faults.Baseline.CompletedAtNs != calm.Execution.CompletedAtNs || len(faults.Cases) < 4 || faults.Confidence != "heuristic" {
		t.Errorf("faults: %+v, %v", faults, err)
	}
	o := simcore.CampaignOptions{ExecutionCount: 4, Seed: 3, ArrivalWindowNs: 1000}
	c, err := simcore.Campaign(machine, profile, o)
	if err != nil || len(c.Run.Executions) != 4 {
		t.Errorf("campaign: %v", err)
	}
	n, err := simcore.FailNode(machine, profile, o, simcore.NodeFails("node1", at, 1000))
	if err != nil || n.Fault.AtNs != at || n.Run.CompletedAtNs > at+1000 {
		t.Errorf("node failure: %v", err)
	}
	if _, err := simcore.FailNode(machine, profile, o, simcore.LinkFails("x", at)); err == nil {
		t.Error("only a node fails under many executions")
	}
	f, err := simcore.FailOver(machine, rest, profile, simcore.NodeFails("node1", at, 0))
	if err != nil || f.Run.Trace.Handoff.FaultAtNs != at || f.Run.Trace.Handoff.NewTopologyEpoch != 1 {
		t.Errorf("failover: %v", err)
	}
}
