package plan

import (
	"math/bits"
	"slices"
)

// reachability answers which steps come before which by one or more dependency
// edges. Questions are collected and answered together: 64 sources at a time, one
// sweep over the stretch of the topological order between the first source and
// the last target, one bit a source. Sources are taken in topological order, so
// the neighbouring questions that plans raise cost short sweeps, and the worst
// case costs questions/64 sweeps of the graph.
type reachability struct {
	plan     *Frozen
	position []int32 // place of a step in the topological order
	edges    []edge
	masks    []uint64 // by position
}

// edge asks whether the step at position to depends, directly or not, on the one
// at position from, which stands earlier.
type edge struct{ from, to int32 }

func newReachability(f *Frozen) *reachability {
	g := &reachability{plan: f, position: make([]int32, f.Len())}
	for at, i := range f.order {
		g.position[i] = int32(at)
	}
	return g
}

// ask queues the question whether step later reaches step earlier and answers at
// once when the order or a direct dependency decides it.
func (g *reachability) ask(earlier, later int32) {
	if slices.Contains(g.plan.dependencies.Row(later), earlier) {
		return
	}
	g.edges = append(g.edges, edge{g.position[earlier], g.position[later]})
}

// unreached answers all queued questions and calls visit for each pair of steps
// that has no path, by ascending topological position.
func (g *reachability) unreached(visit func(earlier, later int32)) {
	edges := g.edges
	g.edges = nil
	slices.SortFunc(edges, func(a, b edge) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return int(a.to) - int(b.to)
	})
	edges = slices.Compact(edges)
	for len(edges) > 0 {
		n := batch(edges)
		g.sweep(edges[:n], visit)
		edges = edges[n:]
	}
}

// batch counts the leading edges that have at most 64 different sources.
func batch(edges []edge) int {
	sources := 0
	for i := range edges {
		if i == 0 || edges[i].from != edges[i-1].from {
			if sources++; sources > 64 {
				return i
			}
		}
	}
	return len(edges)
}

func (g *reachability) sweep(edges []edge, visit func(earlier, later int32)) {
	first, last := edges[0].from, edges[0].to
	for _, e := range edges {
		last = max(last, e.to)
	}
	if g.masks == nil {
		g.masks = make([]uint64, len(g.position))
	}
	masks := g.masks[first : last+1]
	clear(masks)
	bit, own := -1, int32(-1)
	sources := make([]int32, 0, 64)
	for _, e := range edges {
		if e.from != own {
			own = e.from
			bit++
			sources = append(sources, own)
			masks[own-first] |= 1 << bit
		}
	}
	g.propagate(masks, first, last)
	for _, e := range edges {
		bit, _ := slices.BinarySearch(sources, e.from)
		if masks[e.to-first]&(1<<bit) == 0 {
			visit(g.plan.order[e.from], g.plan.order[e.to])
		}
	}
}

// propagate gives every position of the stretch the bits of its dependencies.
func (g *reachability) propagate(masks []uint64, first, last int32) {
	order := g.plan.order
	for at := first; at <= last; at++ {
		m := masks[at-first]
		for _, d := range g.plan.dependencies.Row(order[at]) {
			if p := g.position[d]; p >= first {
				m |= masks[p-first]
			}
		}
		masks[at-first] = m
	}
}

// descendants marks, for up to 64 sources at ascending positions, every later
// position that reaches them, and calls visit for each position of the list at
// with the sources it does not reach.
func (g *reachability) descendants(sources []int32, at []int32, visit func(source, position int32)) {
	first, last := sources[0], at[len(at)-1]
	if g.masks == nil {
		g.masks = make([]uint64, len(g.position))
	}
	masks := g.masks[first : last+1]
	clear(masks)
	for bit, s := range sources {
		masks[s-first] |= 1 << bit
	}
	g.propagate(masks, first, last)
	for _, p := range at {
		if p <= first {
			continue
		}
		missing := ^masks[p-first]
		if len(sources) < 64 {
			missing &= 1<<len(sources) - 1
		}
		for missing != 0 {
			bit := bits.TrailingZeros64(missing)
			missing &= missing - 1
			if sources[bit] < p {
				visit(sources[bit], p)
			}
		}
	}
}
