package compiler

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ExpertLoad asks for one expert to be brought into the hot caches that need it,
// outside any unit (contract 06 section 13).
type ExpertLoad struct {
	ID         string
	ExpertID   string
	SourceTier workload.SourceTier // warm or cold
	Bytes      int64
	Placement  workload.ExpertPlacement
}

// CompiledLoad is the plan of an expert load; Plan is nil and there are no
// terminals when the expert already lies in the memory that uses it.
type CompiledLoad struct {
	Plan            *plan.Plan
	TerminalStepIDs []int64 // last step of every path
}

// CompileExpertLoad compiles a load that serving runs beside its batches. The
// applicability of the cost model is not checked; its curves are used.
func (c *Compiler) CompileExpertLoad(load *ExpertLoad) (*CompiledLoad, error) {
	if err := load.validate(); err != nil {
		return nil, err
	}
	groups, targets, err := c.loadGroups(load)
	if err != nil {
		return nil, err
	}
	b := c.newBuilder(2 * len(groups))
	result := &CompiledLoad{}
	coldEnds := make(map[string]int64) // last cold terminal by node
	for _, g := range groups {
		bytes, err := b.share(load.Bytes, g.size, int64(targets))
		if err != nil {
			return nil, err
		}
		moved, err := b.loadInto(load, g, bytes, coldEnds)
		if err != nil {
			return nil, err
		}
		if !moved.empty() {
			result.TerminalStepIDs = append(result.TerminalStepIDs, moved.last)
		}
	}
	if len(b.steps) > 0 {
		result.Plan = b.plan("topology-expert-load:"+load.ID, c.machine.spec.ID+":expert-load:"+load.ID)
	}
	return result, nil
}

func (load *ExpertLoad) validate() error {
	switch {
	case load.ID == "":
		return issue.New("empty_id", "id", "an expert load needs an id")
	case !slices.Contains(load.Placement.ExpertIDs, load.ExpertID):
		return issue.New("unknown_expert", "expertId", "load %s: expert %q is not in the placement", load.ID, load.ExpertID)
	case load.SourceTier != workload.Warm && load.SourceTier != workload.Cold:
		return issue.New("source_tier", "sourceTier", "load %s: %q is not warm or cold", load.ID, load.SourceTier)
	case !quantity.IsPositive(load.Bytes):
		return issue.New("positive_integer", "bytes", "load %s: is %d, must be a positive safe integer", load.ID, load.Bytes)
	}
	return nil
}

// loadGroups groups the placements that need the expert by their workspace
// domain, in id order of the domain.
func (c *Compiler) loadGroups(load *ExpertLoad) (groups []warmGroup, targets int, err error) {
	placements := c.machine.ffn
	if c.machine.expert > 1 {
		owners, err := c.machine.resolveOwners(&load.Placement)
		if err != nil {
			return nil, 0, err
		}
		at := slices.Index(load.Placement.ExpertIDs, load.ExpertID)
		placements = []*placement{owners[at]}
	}
	if len(placements) == 0 {
		return nil, 0, issue.New("no_ffn_placement", "", "load %s has no ffn placement to load for on scenario %s", load.ID, c.machine.spec.ID)
	}
	for _, p := range placements {
		_, domain, err := c.machine.workspaceOf(p)
		if err != nil {
			return nil, 0, err
		}
		at := slices.IndexFunc(groups, func(g warmGroup) bool { return g.domain == domain })
		if at < 0 {
			groups = append(groups, warmGroup{domain: domain, first: p})
			at = len(groups) - 1
		}
		groups[at].size++
	}
	slices.SortStableFunc(groups, func(a, b warmGroup) int { return quantity.CompareIDs(a.domain.ID, b.domain.ID) })
	return groups, len(placements), nil
}

func (b *builder) loadInto(load *ExpertLoad, g warmGroup, bytes int64, coldEnds map[string]int64) (copied, error) {
	node := g.domain.NodeID
	w := copyWork{target: g.domain, bytes: bytes}
	var err error
	if load.SourceTier == workload.Cold {
		if err = b.ssd("load", load.ID); err != nil {
			return copied{}, err
		}
		w.source, err = b.machine.storage(node)
		w.from = backingStore(node)
		if last, ok := coldEnds[node]; ok {
			w.after = []int64{last}
		}
	} else {
		w.source, err = b.machine.warmDomain(g.domain)
		w.from = warmPool(node)
	}
	if err != nil || w.source == w.target {
		return copied{first: 0, last: -1}, err
	}
	moved, err := b.intoHotCache(g.first, w)
	if err == nil && load.SourceTier == workload.Cold {
		coldEnds[node] = moved.last
	}
	return moved, err
}
