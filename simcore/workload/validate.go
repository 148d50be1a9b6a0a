package workload

import (
	"math"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Validate checks a profile against contract 06 sections 4.1, 4.2, 11 and 12 and
// returns an *issue.List of every rule that it breaks, or nil.
func (p *Profile) Validate() error {
	l := &issue.List{Subject: "work profile " + p.ID}
	if p.ID == "" {
		l.Add("empty_id", "id", "must not be empty")
	}
	positive(l, "batchSize", p.BatchSize)
	if len(p.Units) == 0 {
		l.Add("no_units", "units", "the workload has no work unit")
	}
	p.ExpertPlacement.validate(l)
	p.validateTokenPlacement(l)
	prefetches := p.validatePrefetches(l)
	p.validateUnits(l, prefetches)
	p.ModelWork.validate(l)
	p.Pipeline.validate(l)
	return l.Err()
}

func positive(l *issue.List, path string, v int64) {
	if !quantity.IsPositive(v) {
		l.Add("positive_integer", path, "is %d, must be a positive safe integer", v)
	}
}

func count(l *issue.List, path string, v int64) {
	if !quantity.IsCount(v) {
		l.Add("count", path, "is %d, must be a non-negative safe integer", v)
	}
}

func (e *ExpertPlacement) validate(l *issue.List) {
	if e == nil {
		return
	}
	if e.Strategy != Contiguous && e.Strategy != RoundRobin {
		l.Add("placement_strategy", "expertPlacement.strategy", "placement_strategy %q is not contiguous or round_robin", e.Strategy)
	}
	if len(e.ExpertIDs) == 0 {
		l.Add("empty_list", "expertPlacement.expertIds", "the expert universe is empty")
	}
	unique(l, "expertPlacement.expertIds", e.ExpertIDs)
}

// unique refuses empty and repeated texts.
func unique(l *issue.List, path string, ids []string) {
	seen := make(map[string]bool, len(ids))
	for i, id := range ids {
		switch {
		case id == "":
			l.Add("empty_text", path+"["+strconv.Itoa(i)+"]", "must not be empty")
		case seen[id]:
			l.Add("duplicate_value", path+"["+strconv.Itoa(i)+"]", "repeats %s", id)
		}
		seen[id] = true
	}
}

func (p *Profile) validateTokenPlacement(l *issue.List) {
	if p.ExpertTokenPlacement != "" && p.ExpertTokenPlacement != TokenRoundRobin {
		l.Add("token_placement", "expertTokenPlacement", "%q is not %s", p.ExpertTokenPlacement, TokenRoundRobin)
	}
}

// validatePrefetches checks the background prefetches and returns their ids.
func (p *Profile) validatePrefetches(l *issue.List) map[string]bool {
	if len(p.BackgroundPrefetches) == 0 {
		return nil
	}
	ids := make(map[string]bool, len(p.BackgroundPrefetches))
	for i := range p.BackgroundPrefetches {
		f := &p.BackgroundPrefetches[i]
		path := "backgroundPrefetches[" + strconv.Itoa(i) + "]"
		if f.ID == "" {
			l.Add("empty_id", path+".id", "must not be empty")
		}
		if ids[f.ID] {
			l.Add("duplicate_value", path+".id", "repeats prefetch %s", f.ID)
		}
		ids[f.ID] = true
		if f.AfterUnitIndex < -1 || f.AfterUnitIndex >= int64(len(p.Units)) {
			l.Add("trigger", path+".afterUnitIndex", "prefetch %s is triggered by unit %d; units run from -1 (before the first) to %d",
				f.ID, f.AfterUnitIndex, len(p.Units)-1)
		}
		positive(l, path+".bytes", f.Bytes)
		switch {
		case p.ExpertPlacement == nil && f.ExpertID != "":
			l.Add("unknown_expert", path+".expertId", "prefetch %s names expert %s, but the profile places no experts", f.ID, f.ExpertID)
		case p.ExpertPlacement != nil && !slices.Contains(p.ExpertPlacement.ExpertIDs, f.ExpertID):
			l.Add("unknown_expert", path+".expertId", "prefetch %s names no expert of the placement: %q", f.ID, f.ExpertID)
		}
	}
	return ids
}

func (p *Profile) validateUnits(l *issue.List, prefetches map[string]bool) {
	var universe map[string]bool
	if p.ExpertPlacement != nil {
		universe = make(map[string]bool, len(p.ExpertPlacement.ExpertIDs))
		for _, id := range p.ExpertPlacement.ExpertIDs {
			universe[id] = true
		}
	}
	var seen map[string]bool
	if len(p.Units) > 1 {
		seen = make(map[string]bool, len(p.Units))
	}
	for i := range p.Units {
		u := &p.Units[i]
		v := unitCheck{list: l, index: i, unit: u}
		if u.ID == "" {
			v.add("empty_id", ".id", "must not be empty")
		}
		if seen[u.ID] {
			v.add("duplicate_value", ".id", "repeats unit %s", u.ID)
		}
		if seen != nil {
			seen[u.ID] = true
		}
		v.counts()
		v.proposer()
		v.prefetches(prefetches)
		v.routes(p, universe)
	}
}

// unitCheck collects the refusals of one unit; the path is spelled only when one
// is found.
type unitCheck struct {
	list  *issue.List
	index int
	unit  *Unit
}

func (v *unitCheck) add(code, field, format string, args ...any) {
	v.list.Add(code, "units["+strconv.Itoa(v.index)+"]"+field, format, args...)
}

func (v *unitCheck) counts() {
	u := v.unit
	for _, f := range [...]struct {
		name string
		v    int64
		min  int64
	}{
		{".targetTokenWidth", u.TargetTokenWidth, 1},
		{".activeExperts", u.ActiveExperts, 1},
		{".committedTokens", u.CommittedTokens, 0},
		{".draftTokens", u.DraftTokens, 0},
		{".warmLoadBytes", u.WarmLoadBytes, 0},
		{".coldLoadBytes", u.ColdLoadBytes, 0},
		{".promptInvocations", u.PromptInvocations, 0},
		{".finalInvocations", u.FinalInvocations, 0},
		{".pipelineStepInvocations", u.PipelineStepInvocations, 0},
	} {
		if f.v < f.min || f.v > quantity.MaxSafe {
			v.add("integer", f.name, "unit %s: is %d, must be a safe integer of at least %d", u.ID, f.v, f.min)
		}
	}
}

func (v *unitCheck) proposer() {
	u := v.unit
	switch u.ProposerExecution {
	case "", CPULookup, SeparateModel, SidecarExecution, SharedKVAssistant, TargetEarlyExit:
	default:
		v.add("proposer_execution", ".proposerExecution", "unit %s: unknown execution class %q", u.ID, u.ProposerExecution)
	}
	if s := u.ProposerCostScale; s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
		v.add("proposer_cost_scale", ".proposerCostScale", "unit %s: is %s, must be finite and positive", u.ID, canonical.Number(s))
	}
}

func (v *unitCheck) prefetches(known map[string]bool) {
	for i, id := range v.unit.RequiredPrefetchIDs {
		if !known[id] {
			v.add("unknown_prefetch", ".requiredPrefetchIds", "unit %s requires prefetch %s, which the profile does not start", v.unit.ID, id)
		}
		if slices.Contains(v.unit.RequiredPrefetchIDs[:i], id) {
			v.add("duplicate_value", ".requiredPrefetchIds", "unit %s requires prefetch %s twice", v.unit.ID, id)
		}
	}
}

// routes applies the rules for routed units (contract 06 section 4.2).
func (v *unitCheck) routes(p *Profile, universe map[string]bool) {
	u := v.unit
	if !u.ExpertRouted {
		if u.RoutedExperts != nil {
			v.add("unexpected_routes", ".routedExperts", "unit %s is not routed and must not carry routedExperts", u.ID)
		}
		return
	}
	if p.ExpertPlacement == nil || p.ExpertTokenPlacement == "" {
		v.add("missing_placement", "", "unit %s is routed, so the profile needs expertPlacement and expertTokenPlacement", u.ID)
		return
	}
	if u.ActiveExperts > int64(len(universe)) {
		v.add("active_experts", ".activeExperts", "unit %s routes each token to %d of %d experts", u.ID, u.ActiveExperts, len(universe))
	}
	v.assignments(p.BatchSize, universe)
}

func (v *unitCheck) assignments(batch int64, universe map[string]bool) {
	u := v.unit
	wanted, err := quantity.Mul(u.TargetTokenWidth, batch)
	if err == nil {
		wanted, err = quantity.Mul(wanted, u.ActiveExperts)
	}
	if err != nil || int64(len(u.RoutedExperts)) != wanted {
		v.add("assignments", ".routedExperts", "unit %s has %d assignments; width %d x batch %d x %d experts per token need %d",
			u.ID, len(u.RoutedExperts), u.TargetTokenWidth, batch, u.ActiveExperts, wanted)
		return
	}
	for j := range u.RoutedExperts {
		r := &u.RoutedExperts[j]
		if !universe[r.ExpertID] {
			v.add("unknown_expert", assignment(j)+".expertId", "unit %s: expert %q is not in the placement", u.ID, r.ExpertID)
		}
		v.source(r, j)
		token := u.RoutedExperts[j-j%int(u.ActiveExperts) : j]
		if slices.ContainsFunc(token, func(o RoutedExpert) bool { return o.ExpertID == r.ExpertID }) {
			v.add("duplicate_expert", assignment(j)+".expertId", "unit %s routes one token to expert %s twice", u.ID, r.ExpertID)
		}
	}
}

func assignment(j int) string { return ".routedExperts[" + strconv.Itoa(j) + "]" }

func (v *unitCheck) source(r *RoutedExpert, j int) {
	switch r.SourceTier {
	case Hot:
		if r.LoadBytes != 0 {
			v.add("load_bytes", assignment(j)+".loadBytes", "unit %s: expert %s is hot and loads nothing, not %d bytes", v.unit.ID, r.ExpertID, r.LoadBytes)
		}
	case Warm, Cold:
		if !quantity.IsPositive(r.LoadBytes) {
			v.add("load_bytes", assignment(j)+".loadBytes", "unit %s: expert %s is %s and needs positive bytes, not %d", v.unit.ID, r.ExpertID, r.SourceTier, r.LoadBytes)
		}
	default:
		v.add("source_tier", assignment(j)+".sourceTier", "unit %s: %q is not hot, warm or cold", v.unit.ID, r.SourceTier)
	}
}

func (w *ModelWork) validate(l *issue.List) {
	if w == nil {
		return
	}
	if w.ModelID == "" {
		l.Add("empty_text", "modelWork.modelId", "must not be empty")
	}
	if w.ModelName == "" {
		l.Add("empty_text", "modelWork.modelName", "must not be empty")
	}
	positive(l, "modelWork.attentionWeightBytesPerToken", w.AttentionWeightBytesPerToken)
	positive(l, "modelWork.ffnWeightBytesPerToken", w.FFNWeightBytesPerToken)
	positive(l, "modelWork.forwardFlopsPerToken", w.ForwardFlopsPerToken)
}

func (p *Pipeline) validate(l *issue.List) {
	if p == nil {
		return
	}
	if len(p.Components) == 0 {
		l.Add("empty_list", "pipeline.components", "a pipeline needs at least one component")
	}
	ids := make(map[string]bool, len(p.Components))
	primaries := 0
	for i := range p.Components {
		c := &p.Components[i]
		path := "pipeline.components[" + strconv.Itoa(i) + "]"
		switch {
		case c.ID == "":
			l.Add("empty_id", path+".id", "must not be empty")
		case ids[c.ID]:
			l.Add("duplicate_value", path+".id", "repeats component %s", c.ID)
		}
		ids[c.ID] = true
		if c.Role == "" {
			l.Add("empty_text", path+".role", "component %s needs a role", c.ID)
		}
		switch c.Phase {
		case PromptOnly, EveryStep, FinalOnly, OnDemand:
		default:
			l.Add("phase", path+".phase", "component %s: unknown phase %q", c.ID, c.Phase)
		}
		positive(l, path+".invocationMultiplier", c.InvocationMultiplier)
		positive(l, path+".weightBytes", c.WeightBytes)
		if c.IsPrimary {
			primaries++
		}
	}
	if primaries != 1 {
		l.Add("primary_component", "pipeline.components", "exactly one component is primary, found %d", primaries)
	}
	for i, e := range p.Edges {
		path := "pipeline.edges[" + strconv.Itoa(i) + "]"
		if !ids[e.FromComponent] {
			l.Add("unknown_component", path+".fromComponent", "no component %q", e.FromComponent)
		}
		if !ids[e.ToComponent] {
			l.Add("unknown_component", path+".toComponent", "no component %q", e.ToComponent)
		}
	}
}
