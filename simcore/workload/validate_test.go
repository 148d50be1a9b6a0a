package workload_test

import (
	"math"
	"testing"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/workload"
)

func routed() *workload.Profile {
	return &workload.Profile{
		ID: "p", BatchSize: 1, ExpertTokenPlacement: workload.TokenRoundRobin,
		ExpertPlacement:      &workload.ExpertPlacement{Strategy: workload.Contiguous, ExpertIDs: []string{"a", "b"}},
		BackgroundPrefetches: []workload.BackgroundPrefetch{{ID: "pf", ExpertID: "a", AfterUnitIndex: -1, Bytes: 1}},
		Units: []workload.Unit{{
			ID: "u", TargetTokenWidth: 1, CommittedTokens: 1, ActiveExperts: 2, ExpertRouted: true,
			RequiredPrefetchIDs: []string{"pf"},
			RoutedExperts:       []workload.RoutedExpert{{ExpertID: "a", SourceTier: workload.Hot}, {ExpertID: "b", SourceTier: workload.Cold, LoadBytes: 7}},
		}},
	}
}

func TestProfileRefusals(t *testing.T) {
	if err := routed().Validate(); err != nil {
		t.Fatalf("the base profile: %v", err)
	}
	cases := []struct {
		name, code, path string
		change           func(*workload.Profile)
	}{
		{"no id", "empty_id", "id", func(p *workload.Profile) { p.ID = "" }},
		{"no batch", "positive_integer", "batchSize", func(p *workload.Profile) {
			p.BatchSize, p.Units[0].RoutedExperts = 0, []workload.RoutedExpert{}
		}},
		{"zero width", "integer", "units[0].targetTokenWidth", func(p *workload.Profile) {
			p.Units[0].TargetTokenWidth, p.Units[0].RoutedExperts = 0, []workload.RoutedExpert{}
		}},
		{"negative bytes", "integer", "units[0].warmLoadBytes", func(p *workload.Profile) { p.Units[0].WarmLoadBytes = -1 }},
		{"unit twice", "duplicate_value", "units[1].id", func(p *workload.Profile) { p.Units = append(p.Units, p.Units[0]) }},
		{"unit without id", "empty_id", "units[0].id", func(p *workload.Profile) { p.Units[0].ID = "" }},
		{"unknown execution", "proposer_execution", "units[0].proposerExecution", func(p *workload.Profile) { p.Units[0].ProposerExecution = "oracle" }},
		{"infinite scale", "proposer_cost_scale", "units[0].proposerCostScale", func(p *workload.Profile) { p.Units[0].ProposerCostScale = math.Inf(1) }},
		{"unknown strategy", "placement_strategy", "expertPlacement.strategy", func(p *workload.Profile) { p.ExpertPlacement.Strategy = "hash" }},
		{"expert twice", "duplicate_value", "expertPlacement.expertIds[2]", func(p *workload.Profile) { p.ExpertPlacement.ExpertIDs = []string{"a", "b", "b"} }},
		{"unknown token placement", "token_placement", "expertTokenPlacement", func(p *workload.Profile) { p.ExpertTokenPlacement = "sticky" }},
		{"prefetch of nobody", "unknown_expert", "backgroundPrefetches[0].expertId", func(p *workload.Profile) { p.BackgroundPrefetches[0].ExpertID = "" }},
		{"prefetch of nothing", "positive_integer", "backgroundPrefetches[0].bytes", func(p *workload.Profile) { p.BackgroundPrefetches[0].Bytes = 0 }},
		{"prefetch too late", "trigger", "backgroundPrefetches[0].afterUnitIndex", func(p *workload.Profile) { p.BackgroundPrefetches[0].AfterUnitIndex = 1 }},
		{"required but unknown", "unknown_prefetch", "units[0].requiredPrefetchIds", func(p *workload.Profile) { p.Units[0].RequiredPrefetchIDs = []string{"other"} }},
		{"required twice", "duplicate_value", "units[0].requiredPrefetchIds", func(p *workload.Profile) { p.Units[0].RequiredPrefetchIDs = []string{"pf", "pf"} }},
		{"too few assignments", "assignments", "units[0].routedExperts", func(p *workload.Profile) { p.Units[0].RoutedExperts = p.Units[0].RoutedExperts[:1] }},
		{"unknown expert", "unknown_expert", "units[0].routedExperts[0].expertId", func(p *workload.Profile) { p.Units[0].RoutedExperts[0].ExpertID = "z" }},
		{"expert twice a token", "duplicate_expert", "units[0].routedExperts[1].expertId", func(p *workload.Profile) { p.Units[0].RoutedExperts[1].ExpertID = "a" }},
		{"hot with bytes", "load_bytes", "units[0].routedExperts[0].loadBytes", func(p *workload.Profile) { p.Units[0].RoutedExperts[0].LoadBytes = 1 }},
		{"cold without bytes", "load_bytes", "units[0].routedExperts[1].loadBytes", func(p *workload.Profile) { p.Units[0].RoutedExperts[1].LoadBytes = 0 }},
		{"unknown tier", "source_tier", "units[0].routedExperts[1].sourceTier", func(p *workload.Profile) { p.Units[0].RoutedExperts[1].SourceTier = "tepid" }},
		{"routes without routing", "unexpected_routes", "units[0].routedExperts", func(p *workload.Profile) { p.Units[0].ExpertRouted = false }},
		{"routing without placement", "missing_placement", "units[0]", func(p *workload.Profile) { p.ExpertTokenPlacement = "" }},
		{"model without weights", "positive_integer", "modelWork.ffnWeightBytesPerToken", func(p *workload.Profile) {
			p.ModelWork = &workload.ModelWork{ModelID: "m", ModelName: "M", AttentionWeightBytesPerToken: 1, ForwardFlopsPerToken: 1}
		}},
	}
	for _, c := range cases {
		p := routed()
		c.change(p)
		issues := issue.All(p.Validate())
		if len(issues) != 1 || issues[0].Code != c.code || issues[0].Path != c.path {
			t.Errorf("%s: want one %s at %s, got %v", c.name, c.code, c.path, issues)
		}
	}
}

func TestEmptyProfileIsRefused(t *testing.T) {
	issues := issue.All((&workload.Profile{ID: "p", BatchSize: 1}).Validate())
	if len(issues) != 1 || issues[0].Code != "no_units" {
		t.Errorf("got %v", issues)
	}
}

func TestPipelineRefusals(t *testing.T) {
	base := func() *workload.Profile {
		p, err := workload.TargetOnly(1)
		if err != nil {
			t.Fatal(err)
		}
		p.Pipeline = &workload.Pipeline{StrategyKind: "s", Components: []workload.PipelineComponent{
			{ID: "a", Role: "r", Phase: workload.PromptOnly, InvocationMultiplier: 1, WeightBytes: 1},
			{ID: "b", Role: "r", Phase: workload.EveryStep, InvocationMultiplier: 1, WeightBytes: 1, IsPrimary: true},
		}, Edges: []workload.PipelineEdge{{FromComponent: "a", ToComponent: "b"}}}
		return p
	}
	if err := base().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, code, path string
		change           func(*workload.Pipeline)
	}{
		{"two primaries", "primary_component", "pipeline.components", func(p *workload.Pipeline) { p.Components[0].IsPrimary = true }},
		{"component twice", "duplicate_value", "pipeline.components[1].id", func(p *workload.Pipeline) { p.Components[1].ID, p.Edges = "a", nil }},
		{"no role", "empty_text", "pipeline.components[0].role", func(p *workload.Pipeline) { p.Components[0].Role = "" }},
		{"unknown phase", "phase", "pipeline.components[0].phase", func(p *workload.Pipeline) { p.Components[0].Phase = "later" }},
		{"no weights", "positive_integer", "pipeline.components[0].weightBytes", func(p *workload.Pipeline) { p.Components[0].WeightBytes = 0 }},
		{"edge from nowhere", "unknown_component", "pipeline.edges[0].fromComponent", func(p *workload.Pipeline) { p.Edges[0].FromComponent = "z" }},
	} {
		p := base()
		c.change(p.Pipeline)
		issues := issue.All(p.Validate())
		if len(issues) != 1 || issues[0].Code != c.code || issues[0].Path != c.path {
			t.Errorf("%s: want one %s at %s, got %v", c.name, c.code, c.path, issues)
		}
	}
}
