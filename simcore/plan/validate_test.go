package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/topology"
)

// sample is a valid plan with one step of each kind and two collectives:
// compute 10 writes n0/d0.kv; transfer 11 carries it to n0/d1.in; collective 12
// of node0 reads that; compute 13 on n0/d1 reads it as well; collective 14 follows
// 12.
func sample() *plan.Plan {
	return &plan.Plan{
		ContractRevision: 5, ID: "p", ExecutionID: "x",
		Steps: []plan.Step{
			{ID: 10, Participants: []string{"r00"}, Reads: []string{"n0/d0.w"}, Writes: []string{"n0/d0.kv"},
				Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.Attention, DurationNs: 5}},
			{ID: 11, Participants: []string{"r00", "r01"}, Dependencies: []int64{10}, Reads: []string{"n0/d0.kv"}, Writes: []string{"n0/d1.in"},
				Operation: plan.Operation{Kind: plan.Transfer, LinkID: "00>01", DurationNs: 3}},
			{ID: 12, Participants: []string{"r00", "r01"}, Dependencies: []int64{11}, Reads: []string{"n0/d1.in"}, Writes: []string{},
				Operation: plan.Operation{Kind: plan.Collective, GroupID: "node0", Algorithm: plan.AllReduceRing, LinkIDs: []string{"00>01", "01>00"}, DurationNs: 2}},
			{ID: 13, Participants: []string{"r01"}, Dependencies: []int64{11}, Reads: []string{"n0/d1.in"}, Writes: []string{"n0/d1.kv"},
				Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d1", Capability: topology.FFN, DurationNs: 0}},
			{ID: 14, Participants: []string{"r00", "r01"}, Dependencies: []int64{12}, Reads: []string{}, Writes: []string{"n0/d1.in"},
				Operation: plan.Operation{Kind: plan.Collective, GroupID: "node0", CommSequenceID: 1, Algorithm: plan.AllToAllV, LinkIDs: []string{}}},
		},
	}
}

// found lists issues as "code path".
func found(err error) []string {
	var list []string
	for _, e := range issue.All(err) {
		list = append(list, e.Code+" "+e.Path)
	}
	return list
}

func TestValidateRefusesEveryViolation(t *testing.T) {
	const race = "unordered_lease_conflict steps[3],steps[4]"
	tests := []struct {
		name   string
		change func(*plan.Plan)
		want   []string // codes and paths, in order; race stands for sample's own missing edge
		names  []string
	}{
		{"nothing", func(*plan.Plan) {}, nil, nil},
		{"revision", func(p *plan.Plan) { p.ContractRevision = 4 }, []string{"contract_revision contractRevision"}, []string{"4", "5"}},
		{"empty ids", func(p *plan.Plan) { p.ID, p.ExecutionID = "", "" }, []string{"empty_id id", "empty_id id"}, nil},
		{"epoch", func(p *plan.Plan) { p.TopologyEpoch = 7 }, []string{"topology_epoch topologyEpoch"}, []string{"7", "0"}},
		{"no steps", func(p *plan.Plan) { p.Steps = nil }, []string{"empty_plan steps"}, nil},
		{"repeated id", func(p *plan.Plan) { p.Steps[3].ID = 10; p.Steps[4].Dependencies = []int64{12} },
			[]string{"duplicate_step steps[3].id", race}, []string{"10"}},
		{"negative id", func(p *plan.Plan) { p.Steps[3].ID = -1; p.Steps[4].Dependencies = []int64{12, -1} },
			[]string{"duplicate_step steps[3].id", "duplicate_value steps[4].dependencies"}, []string{"-1"}},
		{"no participants", func(p *plan.Plan) { p.Steps[1].Participants = nil }, []string{"empty_participants steps[1].participants"}, nil},
		{"participant twice", func(p *plan.Plan) { p.Steps[1].Participants = []string{"r00", "r00"} }, []string{"duplicate_value steps[1].participants"}, []string{"r00"}},
		{"empty read", func(p *plan.Plan) { p.Steps[1].Reads = append(p.Steps[1].Reads, "") },
			[]string{"duplicate_value steps[1].reads", "unknown_allocation steps[1]"}, nil},
		{"write twice", func(p *plan.Plan) { p.Steps[0].Writes = []string{"n0/d0.kv", "n0/d0.kv"} }, []string{"duplicate_value steps[0].writes"}, nil},
		{"dependency twice", func(p *plan.Plan) { p.Steps[1].Dependencies = []int64{10, 10} }, []string{"duplicate_value steps[1].dependencies"}, nil},
		{"link twice", func(p *plan.Plan) { p.Steps[2].Operation.LinkIDs = []string{"00>01", "00>01"} }, []string{"duplicate_value steps[2].operation.linkIds"}, nil},
		{"unknown rank", func(p *plan.Plan) { p.Steps[1].Participants[1] = "r99" }, []string{"unknown_rank steps[1].participants"}, []string{"r99"}},
		{"unknown allocation", func(p *plan.Plan) { p.Steps[0].Reads = []string{"ghost"} }, []string{"unknown_allocation steps[0]"}, []string{"ghost"}},
		{"read and written", func(p *plan.Plan) { p.Steps[0].Reads = []string{"n0/d0.kv"} }, []string{"read_write_overlap steps[0]"}, []string{"n0/d0.kv"}},
		{"duration", func(p *plan.Plan) { p.Steps[0].Operation.DurationNs = -1 }, []string{"duration steps[0].operation.durationNs"}, nil},
		{"long duration", func(p *plan.Plan) { p.Steps[0].Operation.DurationNs = 1 << 53 }, []string{"duration steps[0].operation.durationNs"}, nil},
		{"unknown device", func(p *plan.Plan) { p.Steps[0].Operation.DeviceID = "d9" },
			[]string{"unknown_device steps[0].operation.deviceId", "compute_participant steps[0].participants"}, []string{"d9"}},
		{"capability", func(p *plan.Plan) { p.Steps[0].Operation.Capability = topology.Draft }, []string{"missing_capability steps[0].operation.capability"}, []string{"n0/d0", "draft"}},
		{"two participants", func(p *plan.Plan) { p.Steps[0].Participants = []string{"r00", "r01"} }, []string{"compute_participant steps[0].participants"}, nil},
		{"elsewhere", func(p *plan.Plan) { p.Steps[0].Participants = []string{"r01"} }, []string{"compute_participant steps[0].participants"}, []string{"r01"}},
		{"out of reach", func(p *plan.Plan) { p.Steps[0].Reads = []string{"n1/d0.w"} }, []string{"inaccessible_allocation steps[0]"}, []string{"n1/d0.w", "n1/d0/mem"}},
		{"out of reach of the group", func(p *plan.Plan) { p.Steps[2].Reads = []string{"n1/d0.w"} }, []string{"inaccessible_allocation steps[2]"}, []string{"n1/d0.w"}},
		{"unknown link", func(p *plan.Plan) { p.Steps[1].Operation.LinkID = "00>09" }, []string{"unknown_link steps[1].operation.linkId"}, []string{"00>09"}},
		{"unknown links", func(p *plan.Plan) { p.Steps[2].Operation.LinkIDs = []string{"00>09"} }, []string{"unknown_link steps[2].operation.linkIds"}, []string{"00>09"}},
		{"no buffers", func(p *plan.Plan) { p.Steps[1].Reads = nil }, []string{"transfer_buffers steps[1]"}, nil},
		{"wrong source", func(p *plan.Plan) { p.Steps[1].Reads = []string{"n1/d0.kv"} }, []string{"transfer_source steps[1].reads"}, []string{"n1/d0.kv", "n1/d0/mem"}},
		{"wrong target", func(p *plan.Plan) { p.Steps[1].Writes = append(p.Steps[1].Writes, "n0/d0.out") }, []string{"transfer_target steps[1].writes"}, []string{"n0/d0.out", "n0/d0/mem"}},
		{"unknown group", func(p *plan.Plan) { p.Steps[2].Operation.GroupID = "g9" },
			[]string{"unknown_group steps[2].operation.groupId", "collective_sequence_gap steps"}, []string{"g9"}},
		{"order of members", func(p *plan.Plan) { p.Steps[2].Participants = []string{"r01", "r00"} }, []string{"collective_participants steps[2].participants"}, []string{"r00,r01"}},
		{"sequence", func(p *plan.Plan) { p.Steps[2].Operation.CommSequenceID = -1 },
			[]string{"collective_sequence steps[2].operation.commSequenceId", "collective_sequence_gap steps"}, nil},
		{"algorithm", func(p *plan.Plan) { p.Steps[2].Operation.Algorithm = "tree" }, []string{"collective_algorithm steps[2].operation.algorithm"}, []string{"all_reduce_ring", "all_to_all_v"}},
		{"kind", func(p *plan.Plan) { p.Steps[3].Operation.Kind = "sleep" }, []string{"operation_kind steps[3].operation.kind"}, []string{"sleep"}},
		{"unknown dependency", func(p *plan.Plan) { p.Steps[1].Dependencies = []int64{10, 77} }, []string{"unknown_dependency steps[1].dependencies"}, []string{"77"}},
		{"self dependency", func(p *plan.Plan) { p.Steps[1].Dependencies = []int64{10, 11} }, []string{"self_dependency steps[1].dependencies"}, nil},
		{"cycle", func(p *plan.Plan) { p.Steps[0].Dependencies = []int64{12} }, []string{"dependency_cycle steps"}, nil},
		{"read after write", func(p *plan.Plan) { p.Steps[1].Dependencies = nil }, []string{"unordered_lease_conflict steps[0],steps[1]"}, []string{"n0/d0.kv"}},
		{"write after read", func(p *plan.Plan) { p.Steps[4].Dependencies = []int64{12} }, []string{race}, []string{"n0/d1.in"}},
		{"gap", func(p *plan.Plan) { p.Steps[4].Operation.CommSequenceID = 2 }, []string{"collective_sequence_gap steps"}, []string{"node0"}},
		{"sequence order", func(p *plan.Plan) {
			p.Steps[2].Operation.CommSequenceID, p.Steps[4].Operation.CommSequenceID = 1, 0
		}, []string{"collective_order_dependency steps"}, []string{"node0", "1", "0"}},
		{"many at once", func(p *plan.Plan) {
			p.TopologyEpoch = 3
			p.Steps[0].Reads = []string{"q1"}
			p.Steps[2].Operation.Algorithm = "tree"
			p.Steps[1].Dependencies = nil
		}, []string{"topology_epoch topologyEpoch", "unknown_allocation steps[0]", "collective_algorithm steps[2].operation.algorithm",
			"unordered_lease_conflict steps[0],steps[1]"}, []string{"4 issues"}},
	}
	fabric := plan.NewFabric(plantest.Spec(plantest.Small))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := sample()
			p.Steps[4].Dependencies = append(p.Steps[4].Dependencies, 13)
			test.change(p)
			_, err := fabric.Validate(p)
			if diff := cmp.Diff(test.want, found(err)); diff != "" {
				t.Fatalf("issues (-want +got):\n%s\n%v", diff, err)
			}
			for _, name := range test.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%q does not name %q", err, name)
				}
			}
		})
	}
}

func TestCollectiveNeedsTheCapabilityOnEveryMember(t *testing.T) {
	spec := plantest.Spec(plantest.Small)
	spec.Devices[1].Capabilities = []topology.Capability{topology.FFN}
	p := sample()
	p.Steps[4].Dependencies = []int64{12, 13}
	_, err := plan.NewFabric(spec).Validate(p)
	want := []string{"missing_capability steps[2].participants", "missing_capability steps[4].participants"}
	if diff := cmp.Diff(want, found(err)); diff != "" || !strings.Contains(err.Error(), "n0/d1") {
		t.Errorf("issues (-want +got):\n%s\n%v", diff, err)
	}
}

func TestFrozenResolvesEveryID(t *testing.T) {
	p := sample()
	p.Steps[4].Dependencies = []int64{12, 13}
	f, err := plan.NewFabric(plantest.Spec(plantest.Small)).Validate(p)
	if err != nil {
		t.Fatal(err)
	}
	names := func(i int32) (ids []string) {
		for _, r := range f.Resources(i) {
			ids = append(ids, f.Fabric().Resource(r).ID)
		}
		return ids
	}
	for i, want := range [][]string{{"compute:n0/d0"}, {"link:00>01"}, {"collective:node0", "link:00>01", "link:01>00"}, {"compute:n0/d1"}, {"collective:node0"}} {
		if diff := cmp.Diff(want, names(int32(i))); diff != "" {
			t.Errorf("resources of step %d (-want +got):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff([]int32{2, 3}, f.Dependents(1)); diff != "" {
		t.Errorf("dependents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int32{2, 3}, f.Dependencies(4)); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
	if i, ok := f.StepIndex(13); i != 3 || !ok {
		t.Errorf("step 13 has index %d, %v", i, ok)
	}
	var ranks []string
	for _, r := range f.Ranks() {
		ranks = append(ranks, f.Fabric().RankID(r))
	}
	if diff := cmp.Diff([]string{"r00", "r01"}, ranks); diff != "" {
		t.Errorf("ranks (-want +got):\n%s", diff)
	}
}

func TestTransfersBetweenNodesTakeTheNetwork(t *testing.T) {
	p := &plan.Plan{ContractRevision: 5, ID: "p", ExecutionID: "x", Steps: []plan.Step{{ID: 0, Participants: []string{"r00"},
		Reads: []string{"n0/d0.out"}, Writes: []string{"n1/d0.in"}, Operation: plan.Operation{Kind: plan.Transfer, LinkID: "00>02"}}}}
	f, err := plan.NewFabric(plantest.Spec(plantest.Small)).Validate(p)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range f.Resources(0) {
		ids = append(ids, f.Fabric().Resource(r).ID)
	}
	if diff := cmp.Diff([]string{"link:00>02", "network:nic0", "network:switch", "network:nic1"}, ids); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

// TestLeaseRuleEqualsItsDefinition compares the batched reachability with the
// rule as it is written: every pair of steps, every path.
func TestLeaseRuleEqualsItsDefinition(t *testing.T) {
	s := plantest.Shape{Nodes: 1, DevicesPerNode: 2, ComputeLanes: 1, LinkLanes: 1, NetworkLanes: 1, MaxEvents: 1}
	fabric := plan.NewFabric(plantest.Spec(s))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "steps")
		p := plantest.Plan(s, "x", plantest.Mix{Steps: n, MaxDuration: 1, Shuffle: rapid.Bool().Draw(t, "shuffle")},
			plantest.Generator(rapid.Uint64().Draw(t, "seed")))
		for range rapid.IntRange(0, 6).Draw(t, "edges cut") {
			step := &p.Steps[rapid.IntRange(0, n-1).Draw(t, "step")]
			if k := len(step.Dependencies); k > 0 {
				cut := rapid.IntRange(0, k-1).Draw(t, "edge")
				step.Dependencies = append(append([]int64{}, step.Dependencies[:cut]...), step.Dependencies[cut+1:]...)
			}
		}
		_, err := fabric.Validate(p)
		if diff := cmp.Diff(graphIssues(p), found(err)); diff != "" {
			t.Fatalf("issues (-definition +got):\n%s\n%s", diff, plantest.Describe(p))
		}
	})
}

// graphIssues applies the two graph rules of contract 03 section 3 literally.
func graphIssues(p *plan.Plan) []string {
	n := len(p.Steps)
	index := make(map[int64]int)
	for i, s := range p.Steps {
		index[s.ID] = i
	}
	reaches := make([][]bool, n)
	for i := range reaches {
		reaches[i] = make([]bool, n)
		for _, d := range p.Steps[i].Dependencies {
			reaches[i][index[d]] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
			}
		}
	}
	conflict := func(a, b *plan.Step) bool {
		for _, w := range a.Writes {
			if slices.Contains(b.Writes, w) || slices.Contains(b.Reads, w) {
				return true
			}
		}
		for _, w := range b.Writes {
			if slices.Contains(a.Reads, w) {
				return true
			}
		}
		return false
	}
	var issues []string
	for i := range n {
		for j := i + 1; j < n; j++ {
			if conflict(&p.Steps[i], &p.Steps[j]) && !reaches[i][j] && !reaches[j][i] {
				issues = append(issues, fmt.Sprintf("unordered_lease_conflict steps[%d],steps[%d]", i, j))
			}
		}
	}
	for _, later := range p.Steps {
		for _, earlier := range p.Steps {
			a, b := &later.Operation, &earlier.Operation
			if a.Kind == plan.Collective && b.Kind == plan.Collective && a.GroupID == b.GroupID && a.CommSequenceID == b.CommSequenceID+1 &&
				!reaches[index[later.ID]][index[earlier.ID]] {
				issues = append(issues, "collective_order_dependency steps")
			}
		}
	}
	return issues
}

func TestConflictReportIsBounded(t *testing.T) {
	s := plantest.Small
	p := &plan.Plan{ContractRevision: 5, ID: "p", ExecutionID: "x"}
	for id := range int64(2000) {
		p.Steps = append(p.Steps, plan.Step{ID: id, Participants: []string{"r00"}, Writes: []string{"n0/d0.kv"},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.FFN}})
	}
	_, err := plan.NewFabric(plantest.Spec(s)).Validate(p)
	var list *issue.List
	if !errors.As(err, &list) || len(list.Issues) != plan.MaxReportedConflicts+1 {
		t.Fatalf("%d issues, expected %d and a last one that says so", len(issue.All(err)), plan.MaxReportedConflicts)
	}
	if last := list.Issues[plan.MaxReportedConflicts]; last.Path != "steps" || !strings.Contains(last.Message, "1000") {
		t.Errorf("last issue %v", last)
	}
}
