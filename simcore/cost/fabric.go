package cost

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Fabric prices transports over the declared links of one scenario: the
// fallback of a model without measured curves, and the source of routes and of
// the links that a collective reserves with any model.
//
// It remembers routes, so one Fabric serves one goroutine at a time.
type Fabric struct {
	scenario  *topology.Scenario
	spec      *topology.Spec
	resources [][]int32              // by link: positions of its NICs and switches
	fixed     map[domainPair][]int32 // routes that no message size changes; nil: none
	routes    map[routeKey][]int32
	load      loadSums
}

type domainPair struct{ source, target string }

type routeKey struct {
	source, target string
	bytes          int64
}

// mostRoutes bounds the memory of a Fabric: a sweep over message sizes forgets
// old routes instead of keeping them all.
const mostRoutes = 1 << 14

// NewFabric indexes the links and network resources of a scenario.
func NewFabric(s *topology.Scenario) *Fabric {
	spec := s.Spec()
	f := &Fabric{
		scenario:  s,
		spec:      spec,
		resources: make([][]int32, len(spec.Links)),
		fixed:     make(map[domainPair][]int32),
		routes:    make(map[routeKey][]int32),
		load:      newLoadSums(len(spec.Links), len(spec.NetworkResources)),
	}
	for i := range spec.Links {
		for _, id := range spec.Links[i].NetworkResourceIDs {
			f.resources[i] = append(f.resources[i], int32(s.NetworkResourceIndex(id)))
		}
	}
	return f
}

// LinkID returns the id of a link by its position in the scenario.
func (f *Fabric) LinkID(link int32) string { return f.spec.Links[link].ID }

// LinkNs is the declared duration of bytes over a link, its network resources
// included (contract 02 section 7.1).
func (f *Fabric) LinkNs(link int32, bytes int64) (int64, error) {
	if ns, ok := f.scenario.LinkDuration(int(link), bytes); ok {
		return ns, nil
	}
	return 0, issue.New("overflow", "", "%d bytes over link %s take no safe number of ns", bytes, f.LinkID(link))
}

func (f *Fabric) resourceNs(resource int32, bytes int64) (int64, error) {
	r := &f.spec.NetworkResources[resource]
	if service, ok := quantity.ServiceNs(bytes, r.BandwidthBytesPerSec); ok {
		if ns, err := quantity.Add(r.LatencyNs, service); err == nil {
			return ns, nil
		}
	}
	return 0, issue.New("overflow", "", "%d bytes through %s take no safe number of ns", bytes, r.ID)
}

// Route returns the links, by position and in order, of the fastest declared path
// for a message of the given size (contract 02 section 7.2, no staging). Equal
// domains have no link. No path is an error that names both domains.
func (f *Fabric) Route(source, target string, bytes int64) ([]int32, error) {
	pair := domainPair{source, target}
	fixed, known := f.fixed[pair]
	if !known {
		if fixed = f.dominant(source, target); fixed == nil {
			fixed = f.only(source, target)
		}
		f.fixed[pair] = fixed
	}
	if fixed != nil && bytes > 0 {
		return fixed, nil
	}
	key := routeKey{source, target, bytes}
	if links, ok := f.routes[key]; ok {
		return links, nil
	}
	route, ok := f.scenario.Route(source, target, bytes, false)
	if !ok {
		return nil, issue.New("no_path", "", "scenario %s has no path from domain %s to domain %s for %d bytes",
			f.scenario.ID(), source, target, bytes)
	}
	links := make([]int32, len(route.Links))
	for i, link := range route.Links {
		links[i] = int32(link)
	}
	if len(f.routes) >= mostRoutes {
		clear(f.routes)
	}
	f.routes[key] = links
	return links, nil
}

// dominant finds the link that is the fastest path between two domains whatever
// the message size, or nil. A direct link is, when every other link out of the
// source is no faster in bandwidth and latency: a detour starts with one of them
// and then takes at least 1 ns more. A parallel link must be slower for certain,
// since a tie is decided by ids.
func (f *Fabric) dominant(source, target string) []int32 {
	best := int32(-1)
	var bandwidth, latency int64
	for i := range f.spec.Links {
		l := &f.spec.Links[i]
		if l.SourceDomainID != source || l.TargetDomainID != target {
			continue
		}
		b, n := f.scenario.LinkRate(i)
		if best < 0 || b >= bandwidth && n < latency {
			best, bandwidth, latency = int32(i), b, n
		}
	}
	if best < 0 {
		return nil
	}
	for i := range f.spec.Links {
		l := &f.spec.Links[i]
		if int32(i) == best || l.SourceDomainID != source {
			continue
		}
		b, n := f.scenario.LinkRate(i)
		if b > bandwidth || n < latency || n == latency && l.TargetDomainID == target {
			return nil
		}
	}
	return []int32{best}
}

// mostVisited bounds the search for a second path.
const mostVisited = 1 << 10

// only returns the path between two different domains when there is exactly one
// simple path, which then is the route of every message size; nil when there are
// more, none, or too many links to tell.
func (f *Fabric) only(source, target string) []int32 {
	if source == target {
		return nil
	}
	w := pathWalk{spec: f.spec, target: target, visited: map[string]bool{source: true}}
	w.from(source)
	if len(w.found) == 0 || w.second || w.steps > mostVisited {
		return nil
	}
	return w.found
}

// pathWalk enumerates simple paths until it has met two.
type pathWalk struct {
	spec    *topology.Spec
	target  string
	visited map[string]bool
	path    []int32
	found   []int32
	second  bool
	steps   int
}

func (w *pathWalk) from(domain string) {
	for i := range w.spec.Links {
		l := &w.spec.Links[i]
		if l.SourceDomainID != domain || w.visited[l.TargetDomainID] || w.second {
			continue
		}
		if w.steps++; w.steps > mostVisited {
			return
		}
		w.path = append(w.path, int32(i))
		if l.TargetDomainID == w.target {
			w.second = w.found != nil
			w.found = append([]int32(nil), w.path...)
		} else {
			w.visited[l.TargetDomainID] = true
			w.from(l.TargetDomainID)
			w.visited[l.TargetDomainID] = false
		}
		w.path = w.path[:len(w.path)-1]
	}
}
