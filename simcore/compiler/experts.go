package compiler

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// resolveOwners lists the FFN placement that owns each expert of a universe, by
// expert index (contract 06 section 6.4). It needs an expert degree above 1.
func (m *machine) resolveOwners(e *workload.ExpertPlacement) ([]*placement, error) {
	if m.expert <= 1 || int64(len(m.ffn)) != m.expert {
		return nil, issue.New("expert_owners", "", "scenario %s has %d ffn placements for expert degree %d: owners cannot be resolved",
			m.spec.ID, len(m.ffn), m.expert)
	}
	g, err := m.communicatorOf(m.ffn)
	if err != nil {
		return nil, err
	}
	ordered := make([]*placement, len(g.ranks))
	for i, r := range g.spec.OrderedRanks {
		at := slices.IndexFunc(m.ffn, func(p *placement) bool { return p.spec.DeviceID == r.DeviceID })
		ordered[i] = m.ffn[at]
	}
	degree, n := int64(len(ordered)), int64(len(e.ExpertIDs))
	owners := make([]*placement, n)
	for i := range owners {
		owner := int64(i) % degree
		if e.Strategy == workload.Contiguous {
			owner = min(degree-1, int64(i)*degree/n)
		}
		owners[i] = ordered[owner]
	}
	return owners, nil
}

// ExpertOwners names, for each expert of a placement, the partition that owns it
// on the scenario, in the order of the universe. It fails where the scenario's
// owners cannot be resolved, and when the expert degree is 1 (nobody owns an
// expert alone).
func (c *Compiler) ExpertOwners(e *workload.ExpertPlacement) ([]string, error) {
	owners, err := c.machine.resolveOwners(e)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(owners))
	for i, p := range owners {
		ids[i] = p.spec.PartitionID
	}
	return ids, nil
}

// ownership is the owners of one universe, by expert id; a Compiler keeps the last
// one, because the batches of a run share their placement.
type ownership struct {
	placement workload.ExpertPlacement
	owners    map[string]*placement
}

// ownership resolves the owners of a universe, or returns the kept ones.
func (c *Compiler) ownership(e *workload.ExpertPlacement) (map[string]*placement, error) {
	if kept := &c.owned; kept.owners != nil && kept.placement.Strategy == e.Strategy && slices.Equal(kept.placement.ExpertIDs, e.ExpertIDs) {
		return kept.owners, nil
	}
	resolved, err := c.machine.resolveOwners(e)
	if err != nil {
		return nil, err
	}
	owners := make(map[string]*placement, len(resolved))
	for i, p := range resolved {
		owners[e.ExpertIDs[i]] = p
	}
	c.owned = ownership{
		placement: workload.ExpertPlacement{Strategy: e.Strategy, ExpertIDs: slices.Clone(e.ExpertIDs)},
		owners:    owners,
	}
	return owners, nil
}

// owner is the placement that owns an expert.
func (u *unitCompiler) owner(expertID string) (*placement, error) {
	owners, err := u.ownership(u.profile.ExpertPlacement)
	return owners[expertID], err
}

// assignedOwners lists the owner of every assignment of the unit; it is looked up
// once a unit.
func (u *unitCompiler) assignedOwners() ([]*placement, error) {
	if u.assignedFor == u.unit {
		return u.assigned, nil
	}
	owners, err := u.ownership(u.profile.ExpertPlacement)
	if err != nil {
		return nil, err
	}
	u.assigned = slices.Grow(u.assigned[:0], len(u.unit.RoutedExperts))
	for i := range u.unit.RoutedExperts {
		u.assigned = append(u.assigned, owners[u.unit.RoutedExperts[i].ExpertID])
	}
	u.assignedFor = u.unit
	return u.assigned, nil
}

// ownedBy counts the unit's assignments that a placement owns.
func (u *unitCompiler) ownedBy(p *placement) (int64, error) {
	owners, err := u.assignedOwners()
	var n int64
	for _, owner := range owners {
		if owner == p {
			n++
		}
	}
	return n, err
}

// traffic is the matrix of the dispatch in bytes (section 9.7): token t of the
// unit starts on rank t mod N, every assignment moves one activation to the rank
// of its expert's owner.
func (u *unitCompiler) traffic(g *communicator) (cost.Matrix, error) {
	owners, err := u.assignedOwners()
	if err != nil {
		return nil, err
	}
	ranks := make(map[*placement]int, len(u.machine.ffn))
	for _, p := range u.machine.ffn {
		ranks[p] = g.rankOf(p.spec.DeviceID)
	}
	m := cost.NewMatrix(len(g.ranks))
	for j, owner := range owners {
		target := ranks[owner]
		if target < 0 {
			return nil, issue.New("owner_outside_group", "", "unit %s: expert %s is owned on device %s, which is not in group %s",
				u.unit.ID, u.unit.RoutedExperts[j].ExpertID, owner.spec.DeviceID, g.spec.ID)
		}
		source := (int64(j) / u.unit.ActiveExperts) % int64(len(g.ranks))
		cell := &m[source][target]
		if *cell, err = u.sum(*cell, u.model.ActivationBytesPerToken); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// loaded is what a cache load leaves for its consumer: the steps to wait for, and
// the ns that a read within the consumer's own memory adds to it.
type loaded struct {
	after     []int64
	penaltyNs int64
}

// cacheLoad brings the unit's experts to a placement (section 9.5).
func (u *unitCompiler) cacheLoad(p *placement, shards int64, after []int64) (loaded, error) {
	switch {
	case !p.ffn:
		return loaded{after: after}, nil
	case u.unit.ExpertRouted:
		return u.routedLoad(p, shards, after)
	}
	return u.aggregateLoad(p, shards, after)
}

// aggregateLoad is the load of a unit that is not routed: warm bytes and weighted
// cold bytes in one read from the warm domain.
func (u *unitCompiler) aggregateLoad(p *placement, shards int64, after []int64) (loaded, error) {
	cold, err := u.product(u.unit.ColdLoadBytes, u.model.ColdLoadByteMultiplier)
	if err != nil {
		return loaded{}, err
	}
	total, err := u.sum(u.unit.WarmLoadBytes, cold)
	if err != nil {
		return loaded{}, err
	}
	if total == 0 {
		return loaded{after: after}, nil
	}
	return u.warmLoad(p, cost.CeilShare(total, shards), after)
}

// warmLoad reads bytes from the placement's warm domain, after any background
// write to it: a copy into the hot cache, or a penalty where warm memory is the
// placement's own.
func (u *unitCompiler) warmLoad(p *placement, bytes int64, after []int64) (loaded, error) {
	_, target, err := u.machine.workspaceOf(p)
	if err != nil {
		return loaded{}, err
	}
	source, err := u.machine.warmDomain(target)
	if err != nil {
		return loaded{}, err
	}
	if after, err = u.afterPrefetches(source, after); err != nil {
		return loaded{}, err
	}
	if source == target {
		ns, err := cost.LocalMemoryNs(source, bytes)
		return loaded{after: after, penaltyNs: ns}, err
	}
	hop, err := u.intoHotCache(p, copyWork{
		source: source, target: target, bytes: bytes, after: after, from: warmPool(p.device.NodeID),
	})
	return loaded{after: []int64{hop.last}}, err
}

// intoHotCache copies experts to a placement's hot cache; its rank takes part.
func (b *builder) intoHotCache(p *placement, w copyWork) (copied, error) {
	var err error
	if w.to, err = b.machine.hotCache(p); err != nil {
		return copied{}, err
	}
	if w.participants, err = b.machine.participants(p.spec.DeviceID); err != nil {
		return copied{}, err
	}
	return b.copy(w)
}

// routedLoad is the load of a routed unit: one read a tier, of the assignments
// that the placement owns, or of all when experts are not spread.
func (u *unitCompiler) routedLoad(p *placement, shards int64, after []int64) (loaded, error) {
	warm, cold, err := u.routedBytes(p)
	if err != nil {
		return loaded{}, err
	}
	result := loaded{after: after}
	var ends []int64
	if warm > 0 {
		if result, err = u.warmLoad(p, cost.CeilShare(warm, shards), after); err != nil {
			return loaded{}, err
		}
		ends = result.after
	}
	if cold == 0 {
		return result, nil
	}
	local := warm > 0 && result.penaltyNs > 0
	before := after
	if warm > 0 && !local {
		before = ends
	}
	end, err := u.coldLoad(p, cost.CeilShare(cold, shards), before)
	if err != nil {
		return loaded{}, err
	}
	if local {
		result.after = unique(append([]int64{end}, ends...))
	} else {
		result.after = unique(append(slices.Clone(ends), end))
	}
	return result, nil
}

// routedBytes sums the warm and the cold bytes that a placement has to load.
func (u *unitCompiler) routedBytes(p *placement) (warm, cold int64, err error) {
	for i := range u.unit.RoutedExperts {
		r := &u.unit.RoutedExperts[i]
		if r.LoadBytes == 0 {
			continue
		}
		if u.machine.expert > 1 {
			owners, err := u.assignedOwners()
			if err != nil {
				return 0, 0, err
			}
			if owners[i] != p {
				continue
			}
		}
		tier := &warm
		if r.SourceTier == workload.Cold {
			tier = &cold
		}
		if *tier, err = u.sum(*tier, r.LoadBytes); err != nil {
			return 0, 0, err
		}
	}
	return warm, cold, nil
}

// coldLoad copies bytes from the storage of the placement's node to its hot cache
// and returns the last step.
func (u *unitCompiler) coldLoad(p *placement, bytes int64, after []int64) (int64, error) {
	if err := u.ssd("unit", u.unit.ID); err != nil {
		return 0, err
	}
	_, target, err := u.machine.workspaceOf(p)
	if err != nil {
		return 0, err
	}
	source, err := u.machine.storage(p.device.NodeID)
	if err != nil {
		return 0, err
	}
	hop, err := u.intoHotCache(p, copyWork{
		source: source, target: target, bytes: bytes, after: after, from: backingStore(p.device.NodeID),
	})
	return hop.last, err
}

// warmDomains groups placements by the warm domain of their workspace, in order
// of first mention.
func (m *machine) warmDomains(placements []*placement) ([]warmGroup, error) {
	var groups []warmGroup
	for _, p := range placements {
		_, target, err := m.workspaceOf(p)
		if err != nil {
			return nil, err
		}
		warm, err := m.warmDomain(target)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(groups, func(g warmGroup) bool { return g.domain == warm })
		if at < 0 {
			groups = append(groups, warmGroup{domain: warm, first: p})
			at = len(groups) - 1
		}
		groups[at].size++
	}
	return groups, nil
}

type warmGroup struct {
	domain *topology.MemoryDomain
	first  *placement
	size   int64
}
