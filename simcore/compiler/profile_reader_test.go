package compiler_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

// readProfile reads a work profile as the transcripts write it: the fields of
// contract 06 section 4 in YAML or JSON.
func readProfile(t *testing.T, text string) *workload.Profile {
	t.Helper()
	v, err := document.Parse([]byte(text), "profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := document.NewReader(v, "")
	p := profileOf(r.Root())
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

func profileOf(n document.Node) *workload.Profile {
	n.Closed([]string{"id", "units"}, "batchSize", "expertPlacement", "expertTokenPlacement", "backgroundPrefetches", "modelWork", "pipeline")
	p := &workload.Profile{
		ID:                   n.Get("id").Text(),
		BatchSize:            n.Get("batchSize").IntegerOr(1),
		ExpertTokenPlacement: n.Get("expertTokenPlacement").TextOr(""),
	}
	for _, u := range n.Get("units").Items() {
		p.Units = append(p.Units, unitOf(u))
	}
	if e := n.Get("expertPlacement"); e.Present() {
		p.ExpertPlacement = placementOf(e)
	}
	if list := n.Get("backgroundPrefetches"); list.Present() {
		for _, f := range list.Items() {
			p.BackgroundPrefetches = append(p.BackgroundPrefetches, workload.BackgroundPrefetch{
				ID: f.Get("id").Text(), ExpertID: f.Get("expertId").TextOr(""),
				AfterUnitIndex: f.Get("afterUnitIndex").Integer(), Bytes: f.Get("bytes").Integer(),
			})
		}
	}
	if w := n.Get("modelWork"); w.Present() {
		p.ModelWork = &workload.ModelWork{
			ModelID: w.Get("modelId").Text(), ModelName: w.Get("modelName").Text(),
			AttentionWeightBytesPerToken: w.Get("attentionWeightBytesPerToken").Integer(),
			FFNWeightBytesPerToken:       w.Get("ffnWeightBytesPerToken").Integer(),
			ForwardFlopsPerToken:         w.Get("forwardFlopsPerToken").Integer(),
			ComputeDtype:                 w.Get("computeDtype").TextOr(""),
		}
	}
	if q := n.Get("pipeline"); q.Present() {
		p.Pipeline = pipelineOf(q)
	}
	return p
}

func placementOf(n document.Node) *workload.ExpertPlacement {
	return &workload.ExpertPlacement{
		Strategy:  workload.PlacementStrategy(n.Get("strategy").Text()),
		ExpertIDs: n.Get("expertIds").Texts(),
	}
}

func unitOf(n document.Node) workload.Unit {
	n.Closed([]string{"id"}, "targetTokenWidth", "committedTokens", "draftTokens", "proposerExecution", "proposerCostScale",
		"activeExperts", "expertRouted", "routedExperts", "warmLoadBytes", "coldLoadBytes", "requiredPrefetchIds",
		"promptInvocations", "finalInvocations", "pipelineStepInvocations")
	u := workload.Unit{
		ID:                         n.Get("id").Text(),
		TargetTokenWidth:           n.Get("targetTokenWidth").IntegerOr(1),
		CommittedTokens:            n.Get("committedTokens").IntegerOr(1),
		DraftTokens:                n.Get("draftTokens").IntegerOr(0),
		ProposerExecution:          workload.ProposerExecution(n.Get("proposerExecution").TextOr("")),
		ProposerCostScale:          n.Get("proposerCostScale").NumberOr(0),
		ActiveExperts:              n.Get("activeExperts").IntegerOr(1),
		ExpertRouted:               n.Get("expertRouted").BoolOr(false),
		WarmLoadBytes:              n.Get("warmLoadBytes").IntegerOr(0),
		ColdLoadBytes:              n.Get("coldLoadBytes").IntegerOr(0),
		PromptInvocations:          n.Get("promptInvocations").IntegerOr(0),
		FinalInvocations:           n.Get("finalInvocations").IntegerOr(0),
		PipelineStepInvocations:    n.Get("pipelineStepInvocations").IntegerOr(0),
		HasPipelineStepInvocations: n.Get("pipelineStepInvocations").Present(),
	}
	if ids := n.Get("requiredPrefetchIds"); ids.Present() {
		u.RequiredPrefetchIDs = ids.Texts()
	}
	if list := n.Get("routedExperts"); list.Present() {
		for _, r := range list.Items() {
			u.RoutedExperts = append(u.RoutedExperts, workload.RoutedExpert{
				ExpertID:   r.Get("expertId").Text(),
				SourceTier: workload.SourceTier(r.Get("sourceTier").Text()),
				LoadBytes:  r.Get("loadBytes").IntegerOr(0),
			})
		}
	}
	return u
}

func pipelineOf(n document.Node) *workload.Pipeline {
	p := &workload.Pipeline{
		StrategyKind:   n.Get("strategyKind").Text(),
		ReplacesTarget: n.Get("replacesTarget").Bool(),
	}
	for _, c := range n.Get("components").Items() {
		p.Components = append(p.Components, workload.PipelineComponent{
			ID: c.Get("id").Text(), Role: c.Get("role").Text(),
			Phase:                workload.PipelinePhase(c.Get("phase").Text()),
			StrategyKind:         c.Get("strategyKind").TextOr(""),
			InvocationMultiplier: c.Get("invocationMultiplier").Integer(),
			WeightBytes:          c.Get("weightBytes").Integer(),
			DevicePreference:     c.Get("devicePreference").TextOr(""),
			IsPrimary:            c.Get("isPrimary").BoolOr(false),
			Order:                c.Get("order").IntegerOr(0),
			RerunEveryStep:       c.Get("rerunEveryStep").BoolOr(false),
		})
	}
	if edges := n.Get("edges"); edges.Present() {
		for _, e := range edges.Items() {
			p.Edges = append(p.Edges, workload.PipelineEdge{
				FromComponent: e.Get("fromComponent").Text(), ToComponent: e.Get("toComponent").Text(),
				CoLocated: !e.Get("deviceTransfer").BoolOr(true),
			})
		}
	}
	return p
}
