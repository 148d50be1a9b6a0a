package topology

import (
	"container/heap"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// Route is a path through memory domains with its declared duration. Its slices
// are shared with the scenario's memory of routes and must not be changed.
type Route struct {
	DomainIDs  []string // source, intermediates, target
	LinkIDs    []string // one fewer than DomainIDs
	Links      []int    // positions of the links in Spec().Links
	DurationNs int64    // sum of the link durations for the routed bytes
}

// Route returns the minimum-duration route of a transfer (contract 02 section
// 7.2): over simple directed paths, the smallest total duration for these bytes,
// among equals the smallest tuple of link ids; with staged, only paths with a
// pinned intermediate domain. False means that there is none.
func (s *Scenario) Route(source, target string, bytes int64, staged bool) (Route, bool) {
	return s.router.route(source, target, bytes, staged)
}

// LinkDuration is the declared time of bytes over the link at this position of
// Spec().Links, with its network resources (contract 02 section 7.1). False means
// that the link cannot carry them.
func (s *Scenario) LinkDuration(link int, bytes int64) (int64, bool) {
	if bytes < 1 {
		return 0, false
	}
	d := s.router.rates[link].duration(bytes)
	return d, d != unusable
}

// LinkRate is the effective bandwidth in bytes per second and latency in
// nanoseconds of the link at this position: the narrowest bandwidth and the sum
// of latencies of the link and its network resources.
func (s *Scenario) LinkRate(link int) (bandwidthBytesPerSec, latencyNs int64) {
	r := s.router.rates[link]
	return r.bandwidthBytesPerSec, r.latencyNs
}

// unusable marks a link that cannot carry a message.
const unusable int64 = -1

// linkRate is what a link's duration depends on. A zero bandwidth marks a link
// that cannot be used.
type linkRate struct{ bandwidthBytesPerSec, latencyNs int64 }

func (r linkRate) duration(bytes int64) int64 {
	if r.bandwidthBytesPerSec == 0 {
		return unusable
	}
	service, ok := quantity.ServiceNs(bytes, r.bandwidthBytesPerSec)
	if !ok {
		return unusable
	}
	total, err := quantity.Add(r.latencyNs, service)
	if err != nil {
		return unusable
	}
	return total
}

// edge is a usable end of a link in the domain graph.
type edge struct{ link, to int32 }

// router finds routes and remembers them. Domains and links are their positions
// in the Spec.
type router struct {
	spec     *Spec
	domains  map[string]int
	rates    []linkRate
	rank     []int32 // a link's place among all links by id; equal ids are equal
	out, in  [][]edge
	pinned   []bool
	trees    map[treeKey]*tree
	staged   map[stagedKey]found
	duration map[int64][]int64 // per message size, per link
}

type treeKey struct {
	source int32
	bytes  int64
}

type stagedKey struct {
	source, target int32
	bytes          int64
}

type found struct {
	route Route
	ok    bool
}

// mostTrees and mostSizes bound what a router remembers: a sweep over message
// sizes forgets old answers instead of keeping them all.
const (
	mostTrees = 1 << 12
	mostSizes = 1 << 10
)

func newRouter(s *Spec, x *index, odd map[*int64]float64) *router {
	r := &router{
		spec:    s,
		domains: x.domains,
		rates:   make([]linkRate, len(s.Links)),
		rank:    rankLinks(s.Links),
		out:     make([][]edge, len(s.MemoryDomains)),
		in:      make([][]edge, len(s.MemoryDomains)),
		pinned:  make([]bool, len(s.MemoryDomains)),
	}
	for i := range s.MemoryDomains {
		r.pinned[i] = s.MemoryDomains[i].Offers(Pinned)
	}
	num := func(field *int64) float64 {
		if f, isOdd := odd[field]; isOdd {
			return f
		}
		return float64(*field)
	}
	for i := range s.Links {
		l := &s.Links[i]
		r.rates[i] = effective(s, x, l, num)
		from, fromOK := x.domains[l.SourceDomainID]
		to, toOK := x.domains[l.TargetDomainID]
		if fromOK && toOK && r.rates[i].bandwidthBytesPerSec > 0 {
			r.out[from] = append(r.out[from], edge{int32(i), int32(to)})
			r.in[to] = append(r.in[to], edge{int32(i), int32(from)})
		}
	}
	r.forget()
	return r
}

func (r *router) forget() {
	r.trees = make(map[treeKey]*tree)
	r.staged = make(map[stagedKey]found)
	r.duration = make(map[int64][]int64)
}

// effective folds a link's known network resources into its rate.
func effective(s *Spec, x *index, l *Link, num func(*int64) float64) linkRate {
	bandwidth, latency := num(&l.BandwidthBytesPerSec), num(&l.LatencyNs)
	for _, id := range l.NetworkResourceIDs {
		if i, known := x.resources[id]; known {
			n := &s.NetworkResources[i]
			bandwidth = min(bandwidth, num(&n.BandwidthBytesPerSec))
			latency += num(&n.LatencyNs)
		}
	}
	b, bOK := quantity.FromFloat(bandwidth)
	n, nOK := quantity.FromFloat(latency)
	if !bOK || !nOK || b < 1 || n < 0 {
		return linkRate{}
	}
	return linkRate{b, n}
}

func rankLinks(links []Link) []int32 {
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return quantity.CompareIDs(links[a].ID, links[b].ID) })
	rank := make([]int32, len(links))
	for k := 1; k < len(order); k++ {
		rank[order[k]] = rank[order[k-1]]
		if links[order[k]].ID != links[order[k-1]].ID {
			rank[order[k]]++
		}
	}
	return rank
}

// durations gives the time of a message of this size over every link.
func (r *router) durations(bytes int64) []int64 {
	if d, ok := r.duration[bytes]; ok {
		return d
	}
	d := make([]int64, len(r.rates))
	for i, rate := range r.rates {
		d[i] = rate.duration(bytes)
	}
	r.duration[bytes] = d
	return d
}

func (r *router) route(source, target string, bytes int64, staged bool) (Route, bool) {
	if !quantity.IsPositive(bytes) {
		return Route{}, false
	}
	if source == target {
		return Route{DomainIDs: []string{source}}, !staged
	}
	from, fromOK := r.domains[source]
	to, toOK := r.domains[target]
	if !fromOK || !toOK {
		return Route{}, false
	}
	if len(r.trees)+len(r.staged) > mostTrees || len(r.duration) > mostSizes {
		r.forget()
	}
	if !staged {
		return r.tree(int32(from), bytes).route(r, int32(to))
	}
	key := stagedKey{int32(from), int32(to), bytes}
	if answer, known := r.staged[key]; known {
		return answer.route, answer.ok
	}
	var answer found
	if path, ok := r.searchStaged(int32(from), int32(to), r.durations(bytes)); ok {
		answer = found{r.materialise(int32(from), path, r.durations(bytes)), true}
	}
	r.staged[key] = answer
	return answer.route, answer.ok
}

// materialise turns a path of links into a Route.
func (r *router) materialise(source int32, path []int32, duration []int64) Route {
	route := Route{
		DomainIDs: make([]string, 1, len(path)+1),
		LinkIDs:   make([]string, 0, len(path)),
		Links:     make([]int, 0, len(path)),
	}
	route.DomainIDs[0] = r.spec.MemoryDomains[source].ID
	for _, link := range path {
		l := &r.spec.Links[link]
		route.DomainIDs = append(route.DomainIDs, l.TargetDomainID)
		route.LinkIDs = append(route.LinkIDs, l.ID)
		route.Links = append(route.Links, int(link))
		route.DurationNs += duration[link]
	}
	return route
}

// tree holds the best path from one source to every domain for one message size.
//
// Without staging this is exact with one label a domain. Every link takes at
// least 1 ns, so a cheaper prefix that passes through the target would itself be
// a cheaper path; and two different paths to one domain differ at some link
// before either ends, so the smaller tuple stays smaller however both go on.
type tree struct {
	source   int32
	cost     []int64 // unusable: not reached
	link     []int32 // last link of the best path
	parent   []int32 // domain before the last link
	duration []int64
	routes   []found // made when asked for
}

func (r *router) tree(source int32, bytes int64) *tree {
	key := treeKey{source, bytes}
	if t, known := r.trees[key]; known {
		return t
	}
	n := len(r.out)
	t := &tree{source: source, cost: make([]int64, n), link: make([]int32, n), parent: make([]int32, n),
		duration: r.durations(bytes), routes: make([]found, n)}
	for i := range t.cost {
		t.cost[i], t.link[i], t.parent[i] = unusable, -1, -1
	}
	t.grow(r)
	r.trees[key] = t
	return t
}

// grow settles domains in order of cost.
func (t *tree) grow(r *router) {
	settled := make([]bool, len(t.cost))
	t.cost[t.source] = 0
	queue := costQueue{{0, t.source}}
	for len(queue) > 0 {
		at := heap.Pop(&queue).(costAt).domain
		if settled[at] {
			continue
		}
		settled[at] = true
		for _, e := range r.out[at] {
			d := t.duration[e.link]
			if d == unusable || settled[e.to] {
				continue
			}
			cost, err := quantity.Add(t.cost[at], d)
			if err != nil || !t.improves(r, at, e, cost) {
				continue
			}
			cheaper := cost != t.cost[e.to]
			t.cost[e.to], t.link[e.to], t.parent[e.to] = cost, e.link, at
			if cheaper {
				heap.Push(&queue, costAt{cost, e.to})
			}
		}
	}
}

// improves reports whether reaching e.to over e is better than its best path yet.
func (t *tree) improves(r *router, at int32, e edge, cost int64) bool {
	switch best := t.cost[e.to]; {
	case best == unusable || cost < best:
		return true
	case cost > best:
		return false
	}
	mine := append(t.path(at), e.link)
	return r.compareTuples(mine, t.path(e.to)) < 0
}

// path lists the links from the source to a reached domain.
func (t *tree) path(to int32) []int32 {
	n := 0
	for at := to; at != t.source; at = t.parent[at] {
		n++
	}
	path := make([]int32, n, n+1)
	for at := to; at != t.source; at = t.parent[at] {
		n--
		path[n] = t.link[at]
	}
	return path
}

func (t *tree) route(r *router, to int32) (Route, bool) {
	if t.cost[to] == unusable {
		return Route{}, false
	}
	if !t.routes[to].ok {
		t.routes[to] = found{r.materialise(t.source, t.path(to), t.duration), true}
	}
	return t.routes[to].route, true
}

// compareTuples orders paths by their tuples of link ids.
func (r *router) compareTuples(a, b []int32) int {
	for i := range min(len(a), len(b)) {
		if ra, rb := r.rank[a[i]], r.rank[b[i]]; ra != rb {
			return int(ra) - int(rb)
		}
	}
	return len(a) - len(b)
}

type costAt struct {
	cost   int64
	domain int32
}

// costQueue is a heap of domains by cost.
type costQueue []costAt

func (q costQueue) Len() int           { return len(q) }
func (q costQueue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q costQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *costQueue) Push(x any)        { *q = append(*q, x.(costAt)) }
func (q *costQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// infinite is above every cost.
const infinite int64 = math.MaxInt64
