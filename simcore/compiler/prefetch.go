package compiler

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// prefetchAfter emits the background prefetches that a unit triggers, in list
// order (contract 06 section 9.6). Trigger is the unit's terminal, or nothing
// before the first unit.
func (u *unitCompiler) prefetchAfter(unit int64, trigger []int64) error {
	for u.triggered < len(u.byTrigger) {
		f := &u.profile.BackgroundPrefetches[u.byTrigger[u.triggered]]
		if f.AfterUnitIndex != unit {
			return nil
		}
		u.triggered++
		if err := u.prefetch(f, trigger); err != nil {
			return err
		}
	}
	return nil
}

// orderPrefetches sorts the prefetches by trigger, those of one trigger in list
// order.
func (u *unitCompiler) orderPrefetches() {
	list := u.profile.BackgroundPrefetches
	if len(list) == 0 {
		return
	}
	u.byTrigger = make([]int, len(list))
	u.prefetchAt = make(map[string]int, len(list))
	for i := range list {
		u.byTrigger[i] = i
		u.prefetchAt[list[i].ID] = i
	}
	slices.SortStableFunc(u.byTrigger, func(a, b int) int { return cmp.Compare(list[a].AfterUnitIndex, list[b].AfterUnitIndex) })
}

func (u *unitCompiler) prefetch(f *workload.BackgroundPrefetch, trigger []int64) error {
	targets := u.machine.ffn
	if u.machine.expert > 1 && f.ExpertID != "" {
		owner, err := u.owner(f.ExpertID)
		if err != nil {
			return err
		}
		targets = []*placement{owner}
	}
	if len(targets) == 0 {
		return issue.New("no_ffn_placement", "", "prefetch %s has no ffn placement to load for on scenario %s", f.ID, u.machine.spec.ID)
	}
	groups, err := u.machine.warmDomains(targets)
	if err != nil {
		return err
	}
	for _, g := range groups {
		share, err := u.share(f.Bytes, g.size, int64(len(targets)))
		if err != nil {
			return err
		}
		if err := u.fill(f, g, share, trigger); err != nil {
			return err
		}
	}
	return nil
}

// fill copies a prefetch from storage into one warm domain.
func (u *unitCompiler) fill(f *workload.BackgroundPrefetch, g warmGroup, bytes int64, trigger []int64) error {
	if err := u.ssd("prefetch", f.ID); err != nil {
		return err
	}
	node := g.domain.NodeID
	source, err := u.machine.storage(node)
	if err != nil {
		return err
	}
	participants, err := u.machine.participants(g.first.spec.DeviceID)
	if err != nil {
		return err
	}
	after := append([]int64(nil), trigger...)
	if last, ok := u.fillers[g.domain.ID]; ok {
		after = unique(append(after, last))
	}
	moved, err := u.copy(copyWork{
		source: source, target: g.domain, bytes: bytes, after: after, participants: participants,
		from: backingStore(node), to: warmPool(node),
	})
	if err != nil {
		return err
	}
	if u.fillers == nil {
		u.fillers, u.producers = make(map[string]int64), make(map[producer]int64)
	}
	u.fillers[g.domain.ID] = moved.last
	u.producers[producer{f.ID, g.domain.ID}] = moved.last
	u.prefetches = append(u.prefetches, PrefetchTerminal{
		PrefetchID: f.ID, TargetDomainID: g.domain.ID, StepIDs: moved.ids(), StepID: moved.last,
	})
	return nil
}

// afterPrefetches adds to the steps before a warm read those that fill its
// domain: the prefetches that the unit requires, and the last background writer.
func (u *unitCompiler) afterPrefetches(warm *topology.MemoryDomain, after []int64) ([]int64, error) {
	last, filled := u.fillers[warm.ID]
	if len(u.unit.RequiredPrefetchIDs) == 0 && !filled {
		return after, nil
	}
	all := append([]int64(nil), after...)
	for _, id := range u.unit.RequiredPrefetchIDs {
		elsewhere, err := u.fillsElsewhere(id, warm)
		if err != nil {
			return nil, err
		}
		if elsewhere {
			continue
		}
		step, ok := u.producers[producer{id, warm.ID}]
		if !ok {
			return nil, issue.New("prefetch_not_emitted", "", "unit %s requires prefetch %s, which starts only after it", u.unit.ID, id)
		}
		all = append(all, step)
	}
	if filled {
		all = append(all, last)
	}
	return unique(all), nil
}

// fillsElsewhere reports that a prefetch belongs to an owner whose warm domain is
// another one.
func (u *unitCompiler) fillsElsewhere(prefetchID string, warm *topology.MemoryDomain) (bool, error) {
	if u.machine.expert <= 1 {
		return false, nil
	}
	f := &u.profile.BackgroundPrefetches[u.prefetchAt[prefetchID]]
	if f.ExpertID == "" {
		return false, nil
	}
	owner, err := u.owner(f.ExpertID)
	if err != nil {
		return false, err
	}
	groups, err := u.machine.warmDomains([]*placement{owner})
	if err != nil {
		return false, err
	}
	return groups[0].domain != warm, nil
}

// share is the part of bytes that falls to some of all targets:
// ceil(bytes * some / all).
func (b *builder) share(bytes, some, all int64) (int64, error) {
	total, err := b.product(bytes, some)
	if err != nil {
		return 0, err
	}
	return int64(math.Ceil(float64(total) / float64(all))), nil
}
