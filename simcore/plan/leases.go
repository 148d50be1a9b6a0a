package plan

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// MaxReportedConflicts bounds how many pairs of conflicting steps one validation
// lists; a plan that orders nothing has as many pairs as the square of its steps.
const MaxReportedConflicts = 1000

// access is one use of an allocation.
type access struct {
	position int32 // of the step in the topological order
	write    bool
}

// leaseConflicts reports every pair of steps of which one writes what the other
// uses and neither reaches the other.
//
// Along the topological order of an allocation's users it is enough that each
// use follows the last write, and each write also every read since: then all
// conflicting pairs are ordered by transitivity. These are as many questions as
// there are uses. Only an allocation that fails them is examined pair by pair.
func (v *validator) leaseConflicts(g *reachability) {
	uses := v.accesses(g)
	for _, list := range uses {
		askHazards(g, list)
	}
	suspect := make([]bool, len(uses))
	failed := false
	g.unreached(func(earlier, later int32) {
		failed = true
		v.markShared(earlier, later, suspect)
	})
	if !failed {
		return
	}
	pairs := make(map[[2]int32][]string)
	for a, list := range uses {
		if suspect[a] && !v.examine(g, list, v.fabric.allocationIDs[a], pairs) {
			break
		}
	}
	v.reportConflicts(pairs)
}

// markShared marks the allocations that both steps use.
func (v *validator) markShared(a, b int32, marked []bool) {
	f := v.frozen
	for _, mine := range [2][]int32{f.reads.Row(a), f.writes.Row(a)} {
		for _, id := range mine {
			if slices.Contains(f.reads.Row(b), id) || slices.Contains(f.writes.Row(b), id) {
				marked[id] = true
			}
		}
	}
}

// accesses lists the users of every allocation in topological order.
func (v *validator) accesses(g *reachability) [][]access {
	uses := make([][]access, len(v.fabric.allocationIDs))
	for at, i := range v.frozen.order {
		for _, a := range v.frozen.reads.Row(i) {
			uses[a] = append(uses[a], access{int32(at), false})
		}
		for _, a := range v.frozen.writes.Row(i) {
			uses[a] = append(uses[a], access{int32(at), true})
		}
	}
	return uses
}

func askHazards(g *reachability, list []access) {
	order := g.plan.order
	writer, readers := int32(-1), 0 // readers: index of the first use after the writer
	for k, use := range list {
		later := order[use.position]
		switch {
		case !use.write:
			if writer >= 0 && list[writer].position != use.position {
				g.ask(order[list[writer].position], later)
			}
			continue
		case readers < k: // reads since the last write; they follow it themselves
			for _, r := range list[readers:k] {
				if r.position != use.position {
					g.ask(order[r.position], later)
				}
			}
		case writer >= 0 && list[writer].position != use.position:
			g.ask(order[list[writer].position], later)
		}
		writer, readers = int32(k), k+1
	}
}

// examine compares all conflicting uses of one allocation, 64 steps at a time,
// and answers false when the report is full.
func (v *validator) examine(g *reachability, list []access, id string, pairs map[[2]int32][]string) bool {
	if len(list) < 2 {
		return true
	}
	at := make([]int32, 0, len(list))
	write := make(map[int32]bool, len(list))
	for _, use := range list {
		if len(at) == 0 || at[len(at)-1] != use.position {
			at = append(at, use.position)
		}
		write[use.position] = write[use.position] || use.write
	}
	order := g.plan.order
	for from := 0; from < len(at); from += 64 {
		sources := at[from:min(from+64, len(at))]
		g.descendants(sources, at[from:], func(source, position int32) {
			if !write[source] && !write[position] {
				return
			}
			pair := [2]int32{order[source], order[position]}
			if pair[0] > pair[1] {
				pair[0], pair[1] = pair[1], pair[0]
			}
			if _, known := pairs[pair]; known || len(pairs) < MaxReportedConflicts {
				pairs[pair] = append(pairs[pair], id)
			}
		})
		if len(pairs) >= MaxReportedConflicts {
			return false
		}
	}
	return true
}

func (v *validator) reportConflicts(pairs map[[2]int32][]string) {
	keys := make([][2]int32, 0, len(pairs))
	for pair := range pairs {
		keys = append(keys, pair)
	}
	slices.SortFunc(keys, func(a, b [2]int32) int {
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		return int(a[1]) - int(b[1])
	})
	for _, pair := range keys {
		ids := pairs[pair]
		slices.SortFunc(ids, quantity.CompareIDs)
		v.issues.Add("unordered_lease_conflict", at(int(pair[0]), ",")+at(int(pair[1]), ""),
			"both use %s, at least one to write, and neither depends on the other", strings.Join(slices.Compact(ids), ","))
	}
	if len(keys) >= MaxReportedConflicts {
		v.issues.Add("unordered_lease_conflict", "steps", "only the first %d conflicting pairs are listed", MaxReportedConflicts)
	}
}

// collectiveOrder reports communicators whose collectives are not numbered from 0
// without gaps, and collectives that do not depend on their predecessor.
func (v *validator) collectiveOrder(g *reachability) {
	members := make([][]int32, len(v.fabric.groupRanks))
	for i, group := range v.frozen.group {
		if group >= 0 {
			members[group] = append(members[group], int32(i))
		}
	}
	steps := v.plan.Steps
	unordered := make([]bool, len(steps)) // by the later collective of a pair
	gaps := make([]int, len(members))
	for group, list := range members {
		slices.SortStableFunc(list, func(a, b int32) int {
			return compareInts(steps[a].Operation.CommSequenceID, steps[b].Operation.CommSequenceID)
		})
		gaps[group] = firstGap(steps, list)
		for k := 1; gaps[group] < 0 && k < len(list); k++ {
			if g.position[list[k-1]] > g.position[list[k]] {
				unordered[list[k]] = true
			} else {
				g.ask(list[k-1], list[k])
			}
		}
	}
	g.unreached(func(_, later int32) { unordered[later] = true })
	for group, list := range members {
		id := v.fabric.spec.Groups[group].ID
		if k := gaps[group]; k >= 0 {
			v.issues.Add("collective_sequence_gap", "steps", "the collectives of group %q are not numbered 0,1,2,…: %d stands where %d belongs",
				id, steps[list[k]].Operation.CommSequenceID, k)
		}
		for k, i := range list {
			if unordered[i] {
				v.issues.Add("collective_order_dependency", "steps", "collective %d of group %q does not depend on collective %d", k, id, k-1)
			}
		}
	}
}

// firstGap returns the first place whose sequence number is not its own, or -1.
func firstGap(steps []Step, list []int32) int {
	for k, i := range list {
		if steps[i].Operation.CommSequenceID != int64(k) {
			return k
		}
	}
	return -1
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
