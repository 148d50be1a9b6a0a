package topology

import (
	"container/heap"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// label is a partial path of the staged search.
type label struct {
	cost    int64 // from the source
	bound   int64 // cost plus a lower bound of the rest
	domain  int32
	staged  bool // the path has a pinned intermediate domain
	path    []int32
	visited domainSet
	dead    bool // a better label of the same state stands
}

// domainSet is a set of domain positions.
type domainSet []uint64

func (s domainSet) has(i int32) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s domainSet) with(i int32) domainSet {
	t := append(domainSet(nil), s...)
	t[i/64] |= 1 << (i % 64)
	return t
}

// within reports whether s is a subset of t.
func (s domainSet) within(t domainSet) bool {
	for i := range s {
		if s[i]&^t[i] != 0 {
			return false
		}
	}
	return true
}

// searchStaged is the exact label-setting search for a path with a pinned
// intermediate domain. A label is dropped only when another label at the same
// domain is nowhere worse: not dearer, its tuple not greater, its visited set a
// subset, and staged if this one is. Labels are settled by the sum of their cost
// and the unstaged distance that is left, so the first settled label at the
// target is the answer.
func (r *router) searchStaged(source, target int32, duration []int64) ([]int32, bool) {
	rest := r.distancesTo(target, duration)
	if rest[source] == infinite {
		return nil, false
	}
	queue := labelQueue{router: r}
	kept := make([][]*label, len(r.out))
	start := &label{bound: rest[source], domain: source, visited: make(domainSet, (len(r.out)+63)/64).with(source)}
	heap.Push(&queue, start)
	for len(queue.labels) > 0 {
		l := heap.Pop(&queue).(*label)
		if l.dead {
			continue
		}
		if l.domain == target {
			return l.path, true
		}
		for _, e := range r.out[l.domain] {
			if next, ok := r.extend(l, e, target, rest, duration); ok && r.keep(kept, next) {
				heap.Push(&queue, next)
			}
		}
	}
	return nil, false
}

// extend follows one link from a label.
func (r *router) extend(l *label, e edge, target int32, rest, duration []int64) (*label, bool) {
	d := duration[e.link]
	if d == unusable || l.visited.has(e.to) || rest[e.to] == infinite {
		return nil, false
	}
	cost, err := quantity.Add(l.cost, d)
	if err != nil {
		return nil, false
	}
	staged := l.staged
	if e.to == target {
		if !staged {
			return nil, false
		}
	} else {
		staged = staged || r.pinned[e.to]
	}
	path := make([]int32, len(l.path)+1)
	copy(path, l.path)
	path[len(l.path)] = e.link
	return &label{cost: cost, bound: cost + rest[e.to], domain: e.to, staged: staged, path: path, visited: l.visited.with(e.to)}, true
}

// keep adds a label unless a kept one is nowhere worse, and marks the kept ones
// that it makes needless.
func (r *router) keep(kept [][]*label, l *label) bool {
	list := kept[l.domain]
	for _, other := range list {
		if r.nowhereWorse(other, l) {
			return false
		}
	}
	live := list[:0]
	for _, other := range list {
		if r.nowhereWorse(l, other) {
			other.dead = true
			continue
		}
		live = append(live, other)
	}
	kept[l.domain] = append(live, l)
	return true
}

func (r *router) nowhereWorse(a, b *label) bool {
	if a.cost > b.cost || (b.staged && !a.staged) {
		return false
	}
	if a.cost == b.cost && r.compareTuples(a.path, b.path) > 0 {
		return false
	}
	return a.visited.within(b.visited)
}

// distancesTo is the least unstaged cost from every domain to the target.
func (r *router) distancesTo(target int32, duration []int64) []int64 {
	distance := make([]int64, len(r.in))
	for i := range distance {
		distance[i] = infinite
	}
	distance[target] = 0
	queue := costQueue{{0, target}}
	for len(queue) > 0 {
		at := queue.pop()
		if at.cost > distance[at.domain] {
			continue
		}
		for _, e := range r.in[at.domain] {
			if duration[e.link] == unusable {
				continue
			}
			cost, err := quantity.Add(at.cost, duration[e.link])
			if err == nil && cost < distance[e.to] {
				distance[e.to] = cost
				queue.push(costAt{cost, e.to})
			}
		}
	}
	return distance
}

// labelQueue is a heap of labels by bound, then by tuple of link ids.
type labelQueue struct {
	router *router
	labels []*label
}

func (q *labelQueue) Len() int { return len(q.labels) }
func (q *labelQueue) Less(i, j int) bool {
	a, b := q.labels[i], q.labels[j]
	if a.bound != b.bound {
		return a.bound < b.bound
	}
	return q.router.compareTuples(a.path, b.path) < 0
}
func (q *labelQueue) Swap(i, j int) { q.labels[i], q.labels[j] = q.labels[j], q.labels[i] }
func (q *labelQueue) Push(x any)    { q.labels = append(q.labels, x.(*label)) }
func (q *labelQueue) Pop() any {
	n := len(q.labels) - 1
	last := q.labels[n]
	q.labels = q.labels[:n]
	return last
}
