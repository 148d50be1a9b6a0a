package topology

import (
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
	size     int               // domains that the trees hold
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

// A router remembers at most so much: a sweep over message sizes forgets old
// answers instead of keeping them all.
const (
	mostReached = 1 << 18 // domains in all trees
	mostStaged  = 1 << 12
	mostSizes   = 1 << 10
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
	r.size = 0
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
	if r.size > mostReached || len(r.staged) > mostStaged || len(r.duration) > mostSizes {
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

// tree holds the best paths from one source for one message size.
//
// Without staging this is exact with one label a domain. Every link takes at
// least 1 ns, so a cheaper prefix that passes through the target would itself be
// a cheaper path; and two different paths to one domain differ at some link
// before either ends, so the smaller tuple stays smaller however both go on.
//
// A tree grows only as far as it has been asked for, so that a short route in a
// large machine stays cheap.
type tree struct {
	source   int32
	duration []int64
	queue    costQueue
	reached  []reached
	place    places   // of a domain in reached
	branches []branch // routes that have been asked for, and their beginnings
	walk     []int32  // scratch of branch
}

// reached is a domain with the best path to it that is known.
type reached struct {
	domain  int32
	link    int32 // last link of the path
	before  int32 // place of the domain before that link
	branch  int32 // place + 1 in branches, 0 before it is asked for
	settled bool  // the path is final
	cost    int64
}

// branch is a route within a tree. The first route that goes on from it shares its
// lists, so that all routes of a chain of domains take the room of the longest.
type branch struct {
	route Route
	grown bool // the room behind the lists is taken
}

// places maps domains to places in a list: by a table in small machines, by a map
// in large ones, of which most trees see little.
type places struct {
	table []int32 // place + 1
	few   map[int32]int32
}

// smallMachine is the number of domains up to which every tree expects to see most of
// them.
const smallMachine = 512

func newPlaces(domains int) places {
	if domains <= smallMachine {
		return places{table: make([]int32, domains)}
	}
	return places{few: make(map[int32]int32)}
}

// of is the place of a domain, or -1.
func (p *places) of(domain int32) int32 {
	if p.table != nil {
		return p.table[domain] - 1
	}
	return p.few[domain] - 1
}

func (p *places) put(domain, place int32) {
	if p.table != nil {
		p.table[domain] = place + 1
		return
	}
	p.few[domain] = place + 1
}

func (r *router) tree(source int32, bytes int64) *tree {
	key := treeKey{source, bytes}
	if t, known := r.trees[key]; known {
		return t
	}
	first := 4 // domains that a tree has room for at once
	if len(r.out) <= smallMachine {
		first = min(len(r.out), 64)
	}
	t := &tree{source: source, duration: r.durations(bytes), place: newPlaces(len(r.out)), queue: costQueue{{0, source}}}
	t.reached = make([]reached, 1, first)
	t.reached[0] = reached{domain: source, link: -1, before: -1, branch: 1}
	t.branches = make([]branch, 1, first)
	t.branches[0].route.DomainIDs = []string{r.spec.MemoryDomains[source].ID}
	t.place.put(source, 0)
	r.trees[key] = t
	r.size += len(t.place.table)/8 + 1
	return t
}

// grow settles domains in order of cost until the target is settled or no more
// can be reached, and returns the target's place, or -1.
func (t *tree) grow(r *router, target int32) int32 {
	for {
		if place := t.place.of(target); place >= 0 && t.reached[place].settled {
			return place
		}
		if len(t.queue) == 0 {
			return -1
		}
		at := t.place.of(t.queue.pop().domain)
		if t.reached[at].settled {
			continue
		}
		t.reached[at].settled = true
		for _, e := range r.out[t.reached[at].domain] {
			t.relax(r, at, e)
		}
	}
}

// relax offers the path to the domain at a place, continued over one link.
func (t *tree) relax(r *router, at int32, e edge) {
	d := t.duration[e.link]
	if d == unusable {
		return
	}
	cost, err := quantity.Add(t.reached[at].cost, d)
	if err != nil {
		return
	}
	to := t.place.of(e.to)
	switch {
	case to < 0:
		to = int32(len(t.reached))
		t.reached = append(t.reached, reached{domain: e.to, cost: infinite})
		t.place.put(e.to, to)
		r.size++
	case t.reached[to].settled || cost > t.reached[to].cost:
		return
	case cost == t.reached[to].cost && r.compareTuples(append(t.path(at), e.link), t.path(to)) >= 0:
		return
	}
	best := &t.reached[to]
	if cost < best.cost {
		t.queue.push(costAt{cost, e.to})
	}
	best.cost, best.link, best.before = cost, e.link, at
}

// path lists the links from the source to the domain at a place.
func (t *tree) path(place int32) []int32 {
	n := 0
	for at := place; at != 0; at = t.reached[at].before {
		n++
	}
	path := make([]int32, n, n+1)
	for at := place; at != 0; at = t.reached[at].before {
		n--
		path[n] = t.reached[at].link
	}
	return path
}

func (t *tree) route(r *router, to int32) (Route, bool) {
	place := t.grow(r, to)
	if place < 0 {
		return Route{}, false
	}
	return t.branch(r, place).clipped(), true
}

// clipped is the route without the room behind its lists, which belongs to others.
func (b *branch) clipped() Route {
	route := b.route
	route.DomainIDs = slices.Clip(route.DomainIDs)
	route.LinkIDs = slices.Clip(route.LinkIDs)
	route.Links = slices.Clip(route.Links)
	return route
}

// branch gives the route to a settled place: it walks back to the nearest one that
// is there already and goes on from that one.
func (t *tree) branch(r *router, place int32) *branch {
	t.walk = t.walk[:0]
	for at := place; t.reached[at].branch == 0; at = t.reached[at].before {
		t.walk = append(t.walk, at)
	}
	for i := len(t.walk) - 1; i >= 0; i-- {
		at := &t.reached[t.walk[i]]
		before := &t.branches[t.reached[at.before].branch-1]
		next := before.extend(&r.spec.Links[at.link], int(at.link), i+1)
		next.route.DurationNs = at.cost
		t.branches = append(t.branches, next)
		at.branch = int32(len(t.branches))
	}
	return &t.branches[t.reached[place].branch-1]
}

// extend makes the route over one more link, with room for rest links in all when
// the lists must be copied.
func (b *branch) extend(l *Link, link, rest int) branch {
	route := b.route
	if b.grown || cap(route.Links) == 0 {
		route.DomainIDs = slices.Grow(slices.Clip(route.DomainIDs), rest)
		route.LinkIDs = slices.Grow(slices.Clip(route.LinkIDs), rest)
		route.Links = slices.Grow(slices.Clip(route.Links), rest)
	}
	b.grown = true
	route.DomainIDs = append(route.DomainIDs, l.TargetDomainID)
	route.LinkIDs = append(route.LinkIDs, l.ID)
	route.Links = append(route.Links, link)
	return branch{route: route}
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

// costQueue is a binary heap of domains by cost. Domains of equal cost come out in
// some order that the order of pushes decides; results do not depend on it.
type costQueue []costAt

func (q *costQueue) push(c costAt) {
	h := append(*q, c)
	i := len(h) - 1
	for i > 0 && h[(i-1)/2].cost > c.cost {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = c
	*q = h
}

func (q *costQueue) pop() costAt {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].cost < h[child].cost {
			child++
		}
		if h[child].cost >= last.cost {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = last
	}
	return top
}

// infinite is above every cost.
const infinite int64 = math.MaxInt64
