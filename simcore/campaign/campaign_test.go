package campaign_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
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

func TestFaultCampaignFailsEveryItemAmidItsFirstUse(t *testing.T) {
	shown := 0
	f, err := campaign.RunFaults(plantest.Scenario(plantest.Small), relay(), func(campaign.Case, *executor.Result) { shown++ })
	if err != nil {
		t.Fatal(err)
	}
	type summary struct {
		ID                     string
		AtNs                   int64
		Status                 trace.Status
		CompletedAtNs, Applied int64
		Unsubmitted            []int64
		States                 string
	}
	var got []summary
	for _, c := range f.Cases {
		states := ""
		for _, s := range c.RankStates {
			states += s.RankID + " " + string(s.Status) + " "
		}
		got = append(got, summary{ID: c.ID, AtNs: c.Fault.AtNs, Status: c.Status, CompletedAtNs: c.CompletedAtNs, Applied: c.AppliedEvents,
			Unsubmitted: c.UnsubmittedStepIDs, States: states})
	}
	want := []summary{
		// Rank r02 takes part first in the transfer, so node n1 and device n1/d0 fail
		// 3 ns into it; rank r00 has completed all its steps only at 15.
		{ID: "node:n0", AtNs: 5, Status: trace.Failed, CompletedAtNs: 10, Applied: 2, Unsubmitted: []int64{5, 6}, States: "r00 failed r02 aborted "},
		{ID: "node:n1", AtNs: 13, Status: trace.Failed, CompletedAtNs: 15, Applied: 3, Unsubmitted: []int64{6}, States: "r00 succeeded r02 failed "},
		{ID: "device:n0/d0", AtNs: 5, Status: trace.Failed, CompletedAtNs: 10, Applied: 2, Unsubmitted: []int64{5, 6}, States: "r00 failed r02 aborted "},
		{ID: "device:n1/d0", AtNs: 13, Status: trace.Failed, CompletedAtNs: 15, Applied: 3, Unsubmitted: []int64{6}, States: "r00 succeeded r02 failed "},
		{ID: "link:00>02", AtNs: 13, Status: trace.Failed, CompletedAtNs: 15, Applied: 3, Unsubmitted: []int64{6}, States: "r00 failed r02 failed "},
		{ID: "epoch:1", AtNs: 5, Status: trace.Aborted, CompletedAtNs: 10, Applied: 2, Unsubmitted: []int64{5, 6}, States: "r00 aborted r02 aborted "},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	if f.Baseline.CompletedAtNs != 16 || f.Baseline.SubmittedSteps != 3 || f.Baseline.AppliedEvents != 4 {
		t.Errorf("baseline %+v", f.Baseline)
	}
	if shown != 7 {
		t.Errorf("%d executions shown, expected the baseline and 6 cases", shown)
	}
}

// TestFaultCampaignOver64Ranks fails every device, every link and every node of a
// plan on 64 ranks.
func TestFaultCampaignOver64Ranks(t *testing.T) {
	wide := plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 100_000}
	f, err := campaign.RunFaults(plantest.Scenario(wide), plantest.Large(wide, 1100), nil)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, c := range f.Cases {
		kind, _, _ := strings.Cut(c.ID, ":")
		count[kind]++
		want := trace.Failed
		if kind == "epoch" {
			want = trace.Aborted
		}
		if c.Status != want || len(c.UnsubmittedStepIDs)+int(c.SubmittedSteps) != 1100+1 || len(c.RankStates) != 64 {
			t.Errorf("%s: %s, %d submitted, %d not, %d ranks", c.ID, c.Status, c.SubmittedSteps, len(c.UnsubmittedStepIDs), len(c.RankStates))
		}
	}
	if diff := cmp.Diff(map[string]int{"node": 8, "device": 64, "link": 64, "epoch": 1}, count); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

func TestConcurrentCampaignOfOneLane(t *testing.T) {
	p := relay()
	p.Steps = p.Steps[:1]
	c, err := campaign.RunConcurrent(plantest.Scenario(plantest.Small), p, executor.CampaignOptions{ExecutionCount: 20, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	// All arrive at 0 and take the one lane in turn: completions at 10, 20, … 200.
	want := campaign.Latency{MinimumNs: 10, AverageNs: 105, P95Ns: 190, MaximumNs: 200}
	if c.Latency != want || c.Run.CompletedAtNs != 200 || c.Run.MaximumConcurrentExecutions != 20 || c.Replay.AppliedEvents != 60 {
		t.Errorf("latency %+v, completed at %d, at most %d, %d events", c.Latency, c.Run.CompletedAtNs, c.Run.MaximumConcurrentExecutions, c.Replay.AppliedEvents)
	}
}

func TestNodeFailureOfOneLane(t *testing.T) {
	fault := trace.Fault{Kind: trace.NodeFailure, NodeID: "n0", AtNs: 5, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 100}
	n, err := campaign.RunNodeFailure(plantest.Scenario(plantest.Small), relay(), executor.CampaignOptions{ExecutionCount: 3, Seed: 7}, fault)
	if err != nil {
		t.Fatal(err)
	}
	// Only the first compute had started; the other two never reach the device.
	if len(n.Run.Trace.Operations) != 1 || n.Run.CompletedAtNs != 5 || n.Replay.AppliedEvents != 7 {
		t.Errorf("%d operations, completed at %d, %d events", len(n.Run.Trace.Operations), n.Run.CompletedAtNs, n.Replay.AppliedEvents)
	}
}

func options(t *testing.T, text string) (document.Node, *document.Reader) {
	t.Helper()
	doc, err := document.Parse([]byte(text), "w.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := document.NewReader(doc, "")
	return r.Root(), r
}

func TestOptionsHaveDefaultsAndTypes(t *testing.T) {
	root, _ := options(t, "target_only: {token_count: 1}")
	if o := campaign.ReadOptions(root, 99); o != (executor.CampaignOptions{ExecutionCount: 32, Seed: 99, ArrivalWindowNs: 1_000_000}) {
		t.Errorf("defaults %+v", o)
	}
	root, r := options(t, "concurrent_campaign: {execution_count: 4, seed: 2, arrival_window_ns: 0}\nnode_failure: {node_id: a, at_ns: 3, quiesce_timeout_ns: 4}\nnode_failover: {failed_node_id: b, fault_at_ns: 0}")
	if o := campaign.ReadOptions(root, 99); o != (executor.CampaignOptions{ExecutionCount: 4, Seed: 2}) {
		t.Errorf("options %+v", o)
	}
	f := campaign.ReadNodeFailure(root)
	if f.NodeID != "a" || f.AtNs != 3 || f.QuiesceTimeoutNs != 4 || !f.HasQuiesceTimeout || f.Reason == "" {
		t.Errorf("fault %+v", f)
	}
	q := campaign.ReadFailover(root)
	if q.FailedNodeID != "b" || q.FaultAtNs != 0 || q.HasTimeout || q.Reason == "" || r.Err() != nil {
		t.Errorf("failover %+v, %v", q, r.Err())
	}
	for text, name := range map[string]string{
		"concurrent_campaign: {execution_count: '4'}":                   "execution_count",
		"concurrent_campaign: {execution_count: 1.5}":                   "execution_count",
		"concurrent_campaign: {seed: null}":                             "seed",
		"node_failure: {node_id: a, at_ns: 3}":                          "quiesce_timeout_ns",
		"node_failure: {node_id: '', at_ns: 3}":                         "node_id",
		"node_failover: {fault_at_ns: 1}":                               "failed_node_id",
		"node_failover: {failed_node_id: a, fault_at_ns: 1, reason: 3}": "reason",
		"target_only: 1": "node_failure",
	} {
		root, r := options(t, text)
		campaign.ReadOptions(root, 0)
		if root.Get("node_failover").Present() {
			campaign.ReadFailover(root)
		} else {
			campaign.ReadNodeFailure(root)
		}
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name %s", text, err, name)
		}
	}
}

// A value that only the executor can judge is refused by its path in the file.
func TestRangesAreRefusedByPath(t *testing.T) {
	scenario := plantest.Scenario(plantest.Small)
	path := func(err error) string {
		if all := issue.All(err); len(all) == 1 {
			return all[0].Path
		}
		return "no issue"
	}
	for _, c := range []struct {
		options executor.CampaignOptions
		want    string
	}{
		{executor.CampaignOptions{ExecutionCount: 0}, "concurrent_campaign.execution_count"},
		{executor.CampaignOptions{ExecutionCount: 1 << 40}, "concurrent_campaign.execution_count"},
		{executor.CampaignOptions{ExecutionCount: 1 << 52}, "concurrent_campaign.execution_count"},
		{executor.CampaignOptions{ExecutionCount: 1, Seed: -1}, "concurrent_campaign.seed"},
		{executor.CampaignOptions{ExecutionCount: 1, ArrivalWindowNs: 1<<53 - 1}, "concurrent_campaign.arrival_window_ns"},
	} {
		if _, err := campaign.RunConcurrent(scenario, relay(), c.options); path(err) != c.want {
			t.Errorf("%+v: %v, want a refusal of %s", c.options, err, c.want)
		}
	}
	one := executor.CampaignOptions{ExecutionCount: 1}
	fault := trace.Fault{Kind: trace.NodeFailure, NodeID: "n0", AtNs: 1, HasQuiesceTimeout: true, QuiesceTimeoutNs: 1, Reason: "x"}
	for _, c := range []struct {
		change func(*trace.Fault)
		want   string
	}{
		{func(f *trace.Fault) { f.NodeID = "n9" }, "node_failure.node_id"},
		{func(f *trace.Fault) { f.AtNs = -5 }, "node_failure.at_ns"},
		{func(f *trace.Fault) { f.AtNs = 99 }, "node_failure.at_ns"},
		{func(f *trace.Fault) { f.QuiesceTimeoutNs = 0 }, "node_failure.quiesce_timeout_ns"},
	} {
		f := fault
		c.change(&f)
		if _, err := campaign.RunNodeFailure(scenario, relay(), one, f); path(err) != c.want {
			t.Errorf("%+v: %v, want a refusal of %s", f, err, c.want)
		}
	}
	q := trace.FailoverRequest{FailedScenario: scenario, RecoveryScenario: scenario, FailedPlan: relay(), RecoveryPlan: relay(), Reason: "x"}
	for _, c := range []struct {
		change func(*trace.FailoverRequest)
		want   string
	}{
		{func(q *trace.FailoverRequest) { q.FailedNodeID = "n9" }, "node_failover.failed_node_id"},
		{func(q *trace.FailoverRequest) { q.FailedNodeID, q.FaultAtNs = "n0", -5 }, "node_failover.fault_at_ns"},
	} {
		r := q
		c.change(&r)
		if _, err := campaign.RunFailover(r); path(err) != c.want {
			t.Errorf("%v, want a refusal of %s", err, c.want)
		}
	}
}

func TestDocumentsListTheirPreviews(t *testing.T) {
	p := plantest.Large(plantest.Small, 60)
	f, err := campaign.RunFaults(plantest.Scenario(plantest.Small), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := parse(t, func(w *jsondoc.Writer) { f.WriteDocument(w, jsondoc.Head{Command: "fault-campaign"}) })
	first := doc.Get("cases").At(0)
	if n := first.Get("unsubmittedStepIdsPreview").Len(); n != 16 {
		t.Errorf("%d unsubmitted ids in the preview, expected 16 of %v", n, first.Get("unsubmittedSteps").Number())
	}
	c, err := campaign.RunConcurrent(plantest.Scenario(plantest.Small), relay(), executor.CampaignOptions{ExecutionCount: 20, Seed: 7, ArrivalWindowNs: 4})
	if err != nil {
		t.Fatal(err)
	}
	doc = parse(t, func(w *jsondoc.Writer) { c.WriteDocument(w, jsondoc.Head{Command: "concurrent-campaign"}) })
	if n := doc.Get("admissionsPreview").Len(); n != 16 {
		t.Errorf("%d admissions in the preview, expected 16", n)
	}
	if text := doc.Get("assumptions"); text.Len() == 0 || !strings.Contains(text.At(0).Text(), "lease") {
		t.Error("the assumptions do not say that allocations are lease-serialized")
	}
}

func parse(t *testing.T, write func(*jsondoc.Writer)) *document.Value {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse(w.Bytes(), "result.json")
	if err != nil {
		t.Fatal(err)
	}
	return &doc
}

func TestNodeFailureDocument(t *testing.T) {
	fault := trace.Fault{Kind: trace.NodeFailure, NodeID: "n0", AtNs: 12, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 100}
	n, err := campaign.RunNodeFailure(plantest.Scenario(plantest.Small), relay(), executor.CampaignOptions{ExecutionCount: 10, Seed: 7}, fault)
	if err != nil {
		t.Fatal(err)
	}
	doc := parse(t, func(w *jsondoc.Writer) { n.WriteDocument(w, jsondoc.Head{Command: "concurrent-node-failure"}) })
	for key, want := range map[string]float64{"completedAtNs": 12, "executionCount": 10, "failedExecutions": 10, "submittedOperations": 2, "replayAppliedEvents": 22} {
		if got := doc.Get(key).Number(); got != want {
			t.Errorf("%s is %v, expected %v", key, got, want)
		}
	}
	if n := doc.Get("terminalsPreview").Len(); n != 8 {
		t.Errorf("%d terminals in the preview, expected 8", n)
	}
	first := doc.Get("terminalsPreview").At(0)
	// The first transfer was submitted at 10, but the other executions write its
	// buffer until 100: it had not started and never reaches the failed node.
	if first.Get("submittedOperations").Number() != 1 || first.Get("unsubmittedOperations").Number() != 2 || first.Get("rankStates").Len() != 2 {
		t.Errorf("the first execution had completed one operation, and nothing more: %v", first.Canonical())
	}
	if doc.Get("fault").Get("quiesceTimeoutNs").Number() != 100 || doc.Get("options").Get("executionCount").Number() != 10 {
		t.Error("the document does not repeat its inputs")
	}
}

func TestFailoverDocument(t *testing.T) {
	alone := plantest.Small
	alone.Nodes = 1
	rest, err := campaign.NextEpoch(plantest.Scenario(plantest.Small), plantest.Scenario(alone))
	if err != nil {
		t.Fatal(err)
	}
	if epoch := rest.Spec().Execution.TopologyEpoch; epoch != 1 {
		t.Fatalf("the recovery scenario has epoch %d, expected 1", epoch)
	}
	again := relay()
	again.ExecutionID, again.TopologyEpoch, again.Steps = "y", 1, again.Steps[:1]
	f, err := campaign.RunFailover(trace.FailoverRequest{
		FailedScenario: plantest.Scenario(plantest.Small), FailedPlan: relay(), FailedNodeID: "n1", FaultAtNs: 12, Reason: "power",
		RecoveryScenario: rest, RecoveryPlan: again,
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := parse(t, func(w *jsondoc.Writer) { f.WriteDocument(w, jsondoc.Head{Command: "node-failover"}) })
	// The transfer is in flight at the fault and runs out at 15; the recovery takes 10.
	if got := doc.Get("completedAtNs").Number(); got != 25 {
		t.Errorf("completed at %v, expected 25", got)
	}
	if h := doc.Get("handoff"); h.Get("oldExecutionQuiescedAtNs").Number() != 15 || h.Get("newTopologyEpoch").Number() != 1 || h.Get("failedExecutionId").Text() != "x" {
		t.Errorf("handoff %v", h.Canonical())
	}
	failed, recovery := doc.Get("failedExecution"), doc.Get("recoveryExecution")
	if failed.Get("status").Text() != "failed" || failed.Get("replayAppliedEvents").Number() != 3 ||
		recovery.Get("status").Text() != "succeeded" || recovery.Get("submittedOperations").Number() != 1 {
		t.Errorf("executions %v and %v", failed.Canonical(), recovery.Canonical())
	}
}
