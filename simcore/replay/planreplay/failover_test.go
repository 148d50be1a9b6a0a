package planreplay_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// failover makes a request whose recovery runs on node n0 alone.
func failover(t testing.TB) *trace.FailoverRequest {
	t.Helper()
	alone := plantest.Small
	alone.Nodes = 1
	spec := plantest.Spec(alone)
	spec.ID, spec.Execution.TopologyEpoch = "rest", 1
	rest, err := topology.New(*spec)
	if err != nil {
		t.Fatal(err)
	}
	q := &trace.FailoverRequest{
		FailedScenario: plantest.Scenario(plantest.Small), FailedNodeID: "n1", FaultAtNs: 7, Reason: "power",
		FailedPlan:       plantest.Plan(plantest.Small, "old", plantest.Mix{Steps: 20, MaxDuration: 4}, plantest.Generator(3)),
		RecoveryScenario: rest,
		RecoveryPlan:     plantest.Plan(alone, "new", plantest.Mix{Steps: 8, MaxDuration: 4}, plantest.Generator(4)),
	}
	q.RecoveryPlan.TopologyEpoch = 1
	return q
}

func TestFailoverJoinsTwoEpochs(t *testing.T) {
	q := failover(t)
	r, err := executor.RunFailover(q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := planreplay.CheckFailover(q, &r.Trace)
	if err != nil {
		t.Fatal(err)
	}
	if want := r.Failed.CompletedAtNs + r.Recovery.CompletedAtNs; got.CompletedAtNs != want || r.Trace.CompletedAtNs != want {
		t.Errorf("completed at %d and %d, expected %d", got.CompletedAtNs, r.Trace.CompletedAtNs, want)
	}
	if h := r.Trace.Handoff; h.RecoveryAdmittedAtNs != r.Failed.CompletedAtNs || h.OldTopologyEpoch != 0 || h.NewTopologyEpoch != 1 || h.FaultAtNs != 7 {
		t.Errorf("handoff %+v", h)
	}
	for _, m := range mutations("failover", reflect.ValueOf(&r.Trace).Elem()) {
		m.apply()
		if _, err := planreplay.CheckFailover(q, &r.Trace); err == nil {
			t.Errorf("%s: accepted", m.path)
		}
		m.undo()
	}
}

func TestFailoverRefusesPartsThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*trace.FailoverRequest)
		names  string
	}{
		{"unknown node", func(q *trace.FailoverRequest) { q.FailedNodeID = "n9" }, "n9"},
		{"no node", func(q *trace.FailoverRequest) { q.FailedNodeID = "" }, "failed_node_id"},
		{"negative time", func(q *trace.FailoverRequest) { q.FaultAtNs = -1 }, "fault_at_ns"},
		{"no reason", func(q *trace.FailoverRequest) { q.Reason = "" }, "reason"},
		{"zero timeout", func(q *trace.FailoverRequest) { q.HasTimeout = true }, "quiesce_timeout_ns"},
		{"same epoch", func(q *trace.FailoverRequest) { q.RecoveryScenario = plantest.Scenario(plantest.Small) }, "epoch"},
		{"plan of another epoch", func(q *trace.FailoverRequest) { q.RecoveryPlan.TopologyEpoch = 2 }, "epoch"},
		{"same execution", func(q *trace.FailoverRequest) { q.RecoveryPlan.ExecutionID = "old" }, "old"},
		{"node still there", func(q *trace.FailoverRequest) { q.FailedNodeID = "n0" }, "n0"},
		{"too late", func(q *trace.FailoverRequest) { q.FaultAtNs = 1_000_000 }, "1000000"},
		{"invalid old plan", func(q *trace.FailoverRequest) { q.FailedPlan.Steps[0].ID = q.FailedPlan.Steps[1].ID }, "steps[1].id"},
		{"invalid new plan", func(q *trace.FailoverRequest) { q.RecoveryPlan.Steps[0].Reads = []string{"ghost"} }, "ghost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := failover(t)
			test.change(q)
			if _, err := executor.RunFailover(q); err == nil || !strings.Contains(err.Error(), test.names) {
				t.Errorf("error %v does not name %s", err, test.names)
			}
		})
	}
}

// TestMutantNodeRunsItsQueue lets the failed node execute what it had merely
// queued, as an engine that cuts the trace by submission time would. The replay
// must refuse the first such operation.
func TestMutantNodeRunsItsQueue(t *testing.T) {
	s := plantest.Small
	fabric := plan.NewFabric(plantest.Spec(s))
	step := func(id int64, device string, rank string) plan.Step {
		return plan.Step{ID: id, Participants: []string{rank}, Reads: []string{device + ".w"}, Writes: []string{},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: device, Capability: topology.Attention, DurationNs: 10}}
	}
	p := &plan.Plan{ContractRevision: 5, ID: "p", ExecutionID: "x", Steps: []plan.Step{
		step(0, "n1/d0", "r02"), step(1, "n1/d0", "r02"), step(2, "n0/d0", "r00")}}
	requests := []plan.Request{{Plan: p}}
	fault := &trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 5, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 50}
	full, err := executor.RunConcurrent(fabric, requests)
	if err != nil {
		t.Fatal(err)
	}
	failed, err := executor.RunConcurrentNodeFailure(fabric, requests, fault)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(failed.Trace.Operations); n != 2 {
		t.Fatalf("%d operations retained, expected the started one and the survivor's", n)
	}
	mutant := failed.Trace
	mutant.Operations = full.Trace.Operations // all three were submitted before the fault
	_, err = planreplay.New(fabric.Spec()).CheckConcurrentNodeFailure(requests, fault, &mutant)
	rejectedAt(t, "the failed node runs its queue", err, 1, 1)
	if !strings.Contains(err.Error(), planreplay.RuleFailedNode) {
		t.Errorf("rejected by another rule: %v", err)
	}
}
