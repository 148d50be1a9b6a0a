package arrowio

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// planned is the first template of the sample run as an execution of its own.
func planned(end trace.Terminal) *PlanTables {
	template := samplerun.Small().Templates[0]
	tr := *template.Trace
	tr.Operations[1].Reads, tr.Operations[1].Writes = []string{"kv-0", "weights"}, []string{"staging"}
	end.ExecutionID = "exec-1"
	tr.Terminal = end
	return Plan(nil, template.Plan, &tr, Provenance{Command: "run"}, Options{})
}

func TestPlanOperations(t *testing.T) {
	table := planned(trace.Terminal{Status: trace.Succeeded}).Operations()
	want := [][]string{
		{"exec-1", "0", "7", "compute", "", "", "decoder", "every_step", "0", "0", "30", "0", "30", "[compute:gpu-0]", "[0]", "[rank-0]", "[]", "[]"},
		{"exec-1", "1", "9", "transfer", "", "", "", "", "30", "32", "40", "2", "8", "[link:gpu-0-gpu-1 network:switch]", "[1 0]", "[rank-0 rank-1]", "[kv-0 weights]", "[staging]"},
		{"exec-1", "2", "8", "collective", "all_reduce_ring", "tp", "", "", "40", "40", "45", "0", "5",
			"[link:gpu-0-gpu-1 network:switch collective:tp]", "[0 0 0]", "[rank-0 rank-1]", "[]", "[]"},
	}
	if diff := cmp.Diff(want, table.Cells(0, 9)); diff != "" {
		t.Error(diff)
	}
	for rec := range table.Batches(checked(t)) {
		if rec.NumRows() != 3 {
			t.Errorf("%d rows", rec.NumRows())
		}
	}
}

func TestPlanTerminals(t *testing.T) {
	ranks := []trace.RankState{
		{RankID: "rank-0", Status: trace.Succeeded, TerminalAtNs: 45}, {RankID: "rank-1", Status: trace.Aborted, TerminalAtNs: 50},
	}
	for _, c := range []struct {
		end  trace.Terminal
		want [][]string
	}{
		{trace.Terminal{Status: trace.Succeeded, TimestampNs: 45, RankStates: ranks[:1]},
			[][]string{{"exec-1", "succeeded", "rank-0", "succeeded", "45", "45", "", "", ""}}},
		{trace.Terminal{Status: trace.Failed, TimestampNs: 50, RankStates: ranks, FailureAtNs: 44, Fault: &trace.Fault{Kind: trace.LinkFailure, LinkID: "l-1"}},
			[][]string{
				{"exec-1", "failed", "rank-0", "succeeded", "45", "50", "44", "link_failure", "l-1"},
				{"exec-1", "failed", "rank-1", "aborted", "50", "50", "44", "link_failure", "l-1"},
			}},
		{trace.Terminal{Status: trace.Aborted, TimestampNs: 9, RankStates: ranks[1:], FailureAtNs: 3, Fault: &trace.Fault{Kind: trace.TopologyEpochChange}},
			[][]string{{"exec-1", "aborted", "rank-1", "aborted", "50", "9", "3", "topology_epoch_change", ""}}},
	} {
		if diff := cmp.Diff(c.want, planned(c.end).Terminals().Cells(0, 9)); diff != "" {
			t.Error(diff)
		}
	}
	for _, node := range []trace.Fault{{Kind: trace.NodeFailure, NodeID: "n"}, {Kind: trace.DeviceFailure, DeviceID: "n"}} {
		if kind, target := faultWords(&node); kind != string(node.Kind) || target != "n" {
			t.Errorf("fault %v is %s of %s", node.Kind, kind, target)
		}
	}
	if plan.ContractRevision != 5 {
		t.Errorf("the plan contract is at revision %d; the declarations say 5", plan.ContractRevision)
	}
}
