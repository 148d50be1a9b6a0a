package workload_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/workload"
)

func TestTargetOnly(t *testing.T) {
	p, err := workload.TargetOnly(3)
	if err != nil {
		t.Fatal(err)
	}
	if p.ID != "target-only" || p.BatchSize != 1 || len(p.Units) != 3 {
		t.Fatalf("%+v", p)
	}
	if d := cmp.Diff(workload.Unit{ID: "token-2", TargetTokenWidth: 1, CommittedTokens: 1, ActiveExperts: 1}, p.Units[2]); d != "" {
		t.Error(d)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	for _, n := range []int64{0, -1, 1 << 53} {
		if _, err := workload.TargetOnly(n); err == nil {
			t.Errorf("%d tokens passed", n)
		}
	}
}

func TestServingBatchProfiles(t *testing.T) {
	batch := workload.ServingBatch{TokenWork: 10, ExpectedOutputTokens: 3, DraftTokens: 3, PromptInvocations: 1,
		PipelineStepInvocations: 5, Proposer: workload.Proposer{Execution: workload.SeparateModel, CostScale: 1}}
	want := &workload.Profile{ID: "serving-batch:4", BatchSize: 1, Units: []workload.Unit{{
		ID: "batch-4", TargetTokenWidth: 10, CommittedTokens: 3, DraftTokens: 3,
		ProposerExecution: workload.SeparateModel, ProposerCostScale: 1, ActiveExperts: 1,
		PromptInvocations: 1, PipelineStepInvocations: 5, HasPipelineStepInvocations: true,
	}}}
	if d := cmp.Diff(want, batch.Profile(4)); d != "" {
		t.Error(d)
	}
	if p := batch.Template(2, 4); p.ID != "serving-template:2" || p.Units[0].ID != "batch-4" {
		t.Errorf("template is %s with unit %s", p.ID, p.Units[0].ID)
	}
	batch.DraftTokens = 0
	if u := batch.Profile(4).Units[0]; u.ProposerExecution != "" || u.ProposerCostScale != 0 {
		t.Errorf("a batch without drafts names no proposer: %+v", u)
	}
}

func TestServingBatchWithExperts(t *testing.T) {
	batch := workload.ServingBatch{TokenWork: 2, ExpectedOutputTokens: 1}
	universe := workload.ExpertPlacement{Strategy: workload.Contiguous, ExpertIDs: []string{"a", "b", "c"}}
	loads := []workload.BackgroundPrefetch{{ID: "load-1", ExpertID: "c", AfterUnitIndex: 9, Bytes: 5}}
	p, err := batch.Profile(0).WithExperts(universe, 2, [][]string{{"a", "b"}, {"c", "a"}}, loads)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range p.Units[0].RoutedExperts {
		ids = append(ids, r.ExpertID)
		if r.SourceTier != workload.Hot || r.LoadBytes != 0 {
			t.Errorf("%s is %s with %d bytes; a batch's experts are all resident", r.ExpertID, r.SourceTier, r.LoadBytes)
		}
	}
	if d := cmp.Diff([]string{"a", "b", "c", "a"}, ids); d != "" {
		t.Error(d)
	}
	if p.ID != "serving-batch:0:expert-cache" || p.BackgroundPrefetches[0].AfterUnitIndex != 0 || loads[0].AfterUnitIndex != 9 {
		t.Errorf("%s, trigger %d", p.ID, p.BackgroundPrefetches[0].AfterUnitIndex)
	}
	if _, err := batch.Profile(0).WithExperts(universe, 2, [][]string{{"a", "b"}}, nil); err == nil {
		t.Error("one route for two tokens passed")
	}
	if _, err := batch.Profile(0).WithExperts(universe, 2, [][]string{{"a", "b"}, {"c"}}, nil); err == nil {
		t.Error("a route of another size passed")
	}
}

func TestSpeculative(t *testing.T) {
	p := workload.SpeculativeProfile("mtp", workload.Proposer{Execution: workload.SidecarExecution, CostScale: 0.32},
		[]workload.SpeculativeIteration{{ProposedTokens: 3, AdditionalTokens: 2, CommittedTokens: 4}, {ProposedTokens: 1, CommittedTokens: 1}})
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	first, last := p.Units[0], p.Units[1]
	if first.TargetTokenWidth != 4 || first.DraftTokens != 2 || first.PromptInvocations != 1 || first.FinalInvocations != 0 || first.PipelineStepInvocations != 4 {
		t.Errorf("first iteration: %+v", first)
	}
	if last.TargetTokenWidth != 2 || last.DraftTokens != 0 || last.PromptInvocations != 0 || last.FinalInvocations != 1 {
		t.Errorf("the guaranteed token widens the target without a proposer: %+v", last)
	}
	if err := workload.SpeculativeProfile("mtp", workload.Proposer{}, nil).Validate(); err == nil {
		t.Error("no iteration, no unit: must be refused")
	}
}

func TestOneShotPipeline(t *testing.T) {
	pipeline := workload.Pipeline{StrategyKind: "composite", ReplacesTarget: true, Components: []workload.PipelineComponent{
		{ID: "a", Role: "r", Phase: workload.EveryStep, InvocationMultiplier: 1, WeightBytes: 1, IsPrimary: true}}}
	p, err := workload.OneShotPipeline(pipeline, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	u := p.Units[0]
	if p.ID != "pipeline:composite" || u.ID != "pipeline-batch" || u.CommittedTokens != 3 || u.PromptInvocations != 3 || u.FinalInvocations != 3 {
		t.Errorf("%s %+v", p.ID, u)
	}
	if _, err := workload.OneShotPipeline(pipeline, 0); err == nil {
		t.Error("no invocation passed")
	}
	pipeline.ReplacesTarget = false
	if _, err := workload.OneShotPipeline(pipeline, 1); err == nil {
		t.Error("a pipeline beside a target passed as one-shot")
	}
}
