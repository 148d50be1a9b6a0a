package arrowio

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// relay is compute on device 0 for 10 ns, a transfer to device 2 on the other node
// for 5 ns, and compute there for 1 ns.
func relay() *plan.Plan {
	return &plan.Plan{ContractRevision: 5, ID: "relay", ExecutionID: "x", Steps: []plan.Step{
		{ID: 4, Participants: []string{"r00"}, Reads: []string{"n0/d0.w"}, Writes: []string{"n0/d0.out"},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.FFN, DurationNs: 10}},
		{ID: 5, Participants: []string{"r00", "r02"}, Dependencies: []int64{4}, Reads: []string{"n0/d0.out"}, Writes: []string{"n1/d0.in"},
			Operation: plan.Operation{Kind: plan.Transfer, LinkID: "00>02", DurationNs: 5}},
		{ID: 6, Participants: []string{"r02"}, Dependencies: []int64{5}, Reads: []string{"n1/d0.in"}, Writes: []string{"n1/d0.kv"},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n1/d0", Capability: topology.FFN, DurationNs: 1}},
	}}
}

func rows(t *testing.T, all []*Table, name string) [][]string {
	t.Helper()
	for _, table := range all {
		if table.Name() == name {
			for range table.Batches(checked(t)) {
			}
			return table.Cells(0, 1000)
		}
	}
	t.Fatalf("no table %s", name)
	return nil
}

func TestConcurrentCampaignTables(t *testing.T) {
	c, err := campaign.RunConcurrent(plantest.Scenario(plantest.Small), relay(), executor.CampaignOptions{ExecutionCount: 2, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	all := ConcurrentCampaign(c, Options{}).All()
	want := [][]string{
		{"0", "0", "4", "compute", "10", "n0/d0", "ffn", "", "", "", "", "[r00]", "[]", "[n0/d0.w]", "[n0/d0.out]"},
		{"0", "1", "5", "transfer", "5", "", "", "00>02", "", "", "", "[r00 r02]", "[4]", "[n0/d0.out]", "[n1/d0.in]"},
		{"0", "2", "6", "compute", "1", "n1/d0", "ffn", "", "", "", "", "[r02]", "[5]", "[n1/d0.in]", "[n1/d0.kv]"},
	}
	if diff := cmp.Diff(want, rows(t, all, "plan_steps")); diff != "" {
		t.Errorf("plan_steps (-want +got):\n%s", diff)
	}
	executions := rows(t, all, "plan_executions")
	if len(executions) != 2 || executions[0][1] != "0" || executions[1][2] != "0" || executions[1][6] != "succeeded" {
		t.Errorf("plan_executions %v", executions)
	}
	// The second compute takes its lane, and the buffer that both executions share, before
	// the first one's transfer is submitted; so that transfer starts at 20, not at 10.
	if latencies := [2]string{executions[0][8], executions[1][8]}; latencies != [2]string{"31", "32"} {
		t.Errorf("latencies %v", latencies)
	}
	operations := rows(t, all, "plan_operations")
	if len(operations) != 6 || operations[0][0] != executions[0][0] || operations[3][0] != executions[1][0] || operations[1][9] != "20" {
		t.Errorf("plan_operations %v", operations)
	}
	if use := rows(t, all, "resources"); use[0][0] != "compute:n0/d0" || use[0][2] != "20" || use[0][4] != "32" {
		t.Errorf("resources %v", use)
	}
}

func TestFaultCampaignTables(t *testing.T) {
	f, err := campaign.RunFaults(plantest.Scenario(plantest.Small), relay(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := FaultCampaign(f, Options{PlainStrings: true}).All()
	cases := rows(t, all, "plan_faults")
	if diff := cmp.Diff([][]string{
		{"", "", "", "", "succeeded", "16", "", "3", "0", "[]", "2", "0", "0", "4"},
		{"node:n0", "node_failure", "n0", "5", "failed", "10", "5", "1", "2", "[5 6]", "0", "1", "1", "2"},
	}, cases[:2]); diff != "" {
		t.Errorf("plan_faults (-want +got):\n%s", diff)
	}
	if len(cases) != 7 || cases[6][0] != "epoch:1" || cases[6][2] != "" {
		t.Errorf("%d cases, the last %v", len(cases), cases[len(cases)-1])
	}
	ranks := rows(t, all, "plan_fault_ranks")
	if diff := cmp.Diff([]string{"node:n0", "r00", "failed", "5"}, ranks[2]); diff != "" || len(ranks) != 14 {
		t.Errorf("%d ranks (-want +got):\n%s", len(ranks), diff)
	}
	if n := len(rows(t, all, "plan_operations")); n != 3 {
		t.Errorf("%d operations without a fault", n)
	}
}

func TestFailoverTables(t *testing.T) {
	alone := plantest.Small
	alone.Nodes = 1
	rest, err := campaign.NextEpoch(plantest.Scenario(plantest.Small), plantest.Scenario(alone))
	if err != nil {
		t.Fatal(err)
	}
	again := relay()
	again.ExecutionID, again.TopologyEpoch, again.Steps = "y", 1, again.Steps[:1]
	f, err := campaign.RunFailover(trace.FailoverRequest{FailedScenario: plantest.Scenario(plantest.Small), FailedPlan: relay(), FailedNodeID: "n1",
		FaultAtNs: 12, Reason: "power", RecoveryScenario: rest, RecoveryPlan: again})
	if err != nil {
		t.Fatal(err)
	}
	all := Failover(f, Options{}).All()
	if diff := cmp.Diff([][]string{
		{"x", "0", "0", "0", "0", "0", "failed", "15", "", "12", "2", "1"},
		{"y", "1", "1", "1", "15", "15", "succeeded", "25", "10", "", "1", "0"},
	}, rows(t, all, "plan_executions")); diff != "" {
		t.Errorf("plan_executions (-want +got):\n%s", diff)
	}
	if len(all) != 4 {
		t.Errorf("%d tables, expected no resources over two machines", len(all))
	}
}

func TestNodeFailureTables(t *testing.T) {
	fault := trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 12, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 100}
	n, err := campaign.RunNodeFailure(plantest.Scenario(plantest.Small), relay(), executor.CampaignOptions{ExecutionCount: 1, Seed: 7}, fault)
	if err != nil {
		t.Fatal(err)
	}
	all := NodeFailure(n, Options{}).All()
	// The transfer started at 10 and is cut at the fault: 2 of its 5 ns count.
	for _, r := range rows(t, all, "resources") {
		if r[0] == "link:00>02" && r[2] != "2" {
			t.Errorf("the truncated transfer counts %s ns", r[2])
		}
	}
	if ends := rows(t, all, "plan_terminals"); ends[1][2] != "r02" || ends[1][3] != "failed" || ends[1][7] != "node_failure" || ends[1][8] != "n1" {
		t.Errorf("plan_terminals %v", ends)
	}
}
