package workload

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// MaxUnits is the most work units that a profile of one forward a token may have;
// more would not fit any machine's memory before the event budget could refuse it.
const MaxUnits int64 = 10_000_000

// TargetOnly is the profile of n tokens decoded one after another by the target
// alone (contract 06 section 4.3). The count must be positive and at most
// MaxUnits.
func TargetOnly(tokens int64) (*Profile, error) {
	if !quantity.IsPositive(tokens) {
		return nil, issue.New("positive_integer", "target_only.token_count", "is %d, must be a positive integer", tokens)
	}
	if tokens > MaxUnits {
		return nil, issue.New("too_many_units", "target_only.token_count", "is %d, must be at most %d", tokens, MaxUnits)
	}
	p := &Profile{ID: "target-only", BatchSize: 1, Units: make([]Unit, tokens)}
	for i := range p.Units {
		p.Units[i] = Unit{
			ID:               "token-" + strconv.Itoa(i),
			TargetTokenWidth: 1,
			CommittedTokens:  1,
			ActiveExperts:    1,
		}
	}
	return p, nil
}

// Proposer says what a proposer family costs: where it runs, and the factor on
// the cost of a draft or lookup step.
type Proposer struct {
	Execution ProposerExecution
	CostScale float64
}

// ServingBatch is the work of one continuous batch, as the scheduler counts it
// (contract 05 section 6.1).
type ServingBatch struct {
	TokenWork               int64 // rows of the target forward: prefill tokens and decode widths
	ExpectedOutputTokens    int64
	DraftTokens             int64 // additional proposed tokens of the decode slices
	PromptInvocations       int64 // prefill slices that are their request's first
	FinalInvocations        int64 // requests that emit their last token in this batch
	PipelineStepInvocations int64 // decode widths
	Proposer                Proposer
}

// Profile is the profile of the batch with the given batch id, compiled alone:
// serving-batch:<id> with one dense unit (contract 06 section 4.3).
func (b *ServingBatch) Profile(batchID int64) *Profile {
	id := strconv.FormatInt(batchID, 10)
	return b.profile("serving-batch:"+id, "batch-"+id)
}

// Template is the profile that stands for every batch of this shape: the k-th
// template of a run, serving-template:<k> (contract 05 section 6.2). Its unit
// carries the id of the batch that met the shape first.
func (b *ServingBatch) Template(k, firstBatchID int64) *Profile {
	return b.profile("serving-template:"+strconv.FormatInt(k, 10), "batch-"+strconv.FormatInt(firstBatchID, 10))
}

func (b *ServingBatch) profile(id, unitID string) *Profile {
	u := Unit{
		ID:                         unitID,
		TargetTokenWidth:           b.TokenWork,
		CommittedTokens:            b.ExpectedOutputTokens,
		DraftTokens:                b.DraftTokens,
		ActiveExperts:              1,
		PromptInvocations:          b.PromptInvocations,
		FinalInvocations:           b.FinalInvocations,
		PipelineStepInvocations:    b.PipelineStepInvocations,
		HasPipelineStepInvocations: true,
	}
	if b.DraftTokens > 0 {
		u.ProposerExecution = b.Proposer.Execution
		u.ProposerCostScale = b.Proposer.CostScale
	}
	return &Profile{ID: id, BatchSize: 1, Units: []Unit{u}}
}

// WithExperts turns a batch's profile into that of a batch with an expert cache:
// one token-major assignment list of topK experts a token, all resident in their
// owner's hot cache, and a background prefetch for every adaptive warm load that
// the batch started (contract 06 section 4.3). Routes must hold one route of topK
// experts per target token.
func (p *Profile) WithExperts(placement ExpertPlacement, topK int64, routes [][]string, loads []BackgroundPrefetch) (*Profile, error) {
	u := p.Units[0]
	if int64(len(routes)) != u.TargetTokenWidth {
		return nil, issue.New("routes", "", "unit %s has %s for %s", u.ID, quantity.Counted(int64(len(routes)), "route"), quantity.Counted(u.TargetTokenWidth, "target token"))
	}
	u.ActiveExperts, u.ExpertRouted = topK, true
	u.RoutedExperts = make([]RoutedExpert, 0, int64(len(routes))*topK)
	for t, route := range routes {
		if int64(len(route)) != topK {
			return nil, issue.New("routes", "", "unit %s: token %d is routed to %s, the batch to %d", u.ID, t, quantity.Counted(int64(len(route)), "expert"), topK)
		}
		for _, expert := range route {
			u.RoutedExperts = append(u.RoutedExperts, RoutedExpert{ExpertID: expert, SourceTier: Hot})
		}
	}
	q := &Profile{
		ID: p.ID + ":expert-cache", BatchSize: p.BatchSize, Units: []Unit{u},
		ExpertPlacement: &placement, ExpertTokenPlacement: TokenRoundRobin,
		BackgroundPrefetches: make([]BackgroundPrefetch, len(loads)),
		ModelWork:            p.ModelWork, Pipeline: p.Pipeline,
	}
	for i, load := range loads {
		load.AfterUnitIndex = 0
		q.BackgroundPrefetches[i] = load
	}
	return q, nil
}

// OneShotPipeline is the profile of n invocations of a package that has no
// autoregressive target: one unit in which every component runs (contract 06
// sections 4.3 and 11). The package must replace the target.
func OneShotPipeline(pipeline Pipeline, invocations int64) (*Profile, error) {
	if !pipeline.ReplacesTarget {
		return nil, issue.New("replaces_target", "pipeline.replacesTarget", "a one-shot pipeline must replace the target")
	}
	if !quantity.IsPositive(invocations) {
		return nil, issue.New("positive_integer", "pipeline.invocations", "is %d, must be a positive integer", invocations)
	}
	return &Profile{
		ID: "pipeline:" + pipeline.StrategyKind, BatchSize: 1, Pipeline: &pipeline,
		Units: []Unit{{
			ID:                "pipeline-batch",
			TargetTokenWidth:  1,
			CommittedTokens:   invocations,
			ActiveExperts:     1,
			PromptInvocations: invocations,
			FinalInvocations:  invocations,
		}},
	}, nil
}

// SpeculativeIteration is what one iteration of a speculative decoder did.
type SpeculativeIteration struct {
	ProposedTokens   int64 // full proposal, a guaranteed token included
	AdditionalTokens int64 // proposed beyond the guaranteed token: what the proposer is charged for
	CommittedTokens  int64
}

// SpeculativeProfile is the profile of a speculative run of a proposer family: one unit an
// iteration, whose target forward verifies the full proposal and one row more
// (contract 06 section 4.3).
func SpeculativeProfile(family string, proposer Proposer, iterations []SpeculativeIteration) *Profile {
	p := &Profile{ID: "speculative:" + family, BatchSize: 1, Units: make([]Unit, len(iterations))}
	for i, it := range iterations {
		width := it.ProposedTokens + 1
		p.Units[i] = Unit{
			ID:                         "iteration-" + strconv.Itoa(i),
			TargetTokenWidth:           width,
			CommittedTokens:            it.CommittedTokens,
			DraftTokens:                it.AdditionalTokens,
			ProposerExecution:          proposer.Execution,
			ProposerCostScale:          proposer.CostScale,
			ActiveExperts:              1,
			PipelineStepInvocations:    width,
			HasPipelineStepInvocations: true,
		}
	}
	if n := len(p.Units); n > 0 {
		p.Units[0].PromptInvocations = 1
		p.Units[n-1].FinalInvocations = 1
	}
	return p
}
