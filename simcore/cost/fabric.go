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
	links     []linkRate
	linkIndex map[string]int32
	resources []resourceRate
	routes    map[routeKey][]int32
	load      loadSums
}

// linkRate is a link with its NICs and switches folded in (contract 02 section
// 7.1): the narrowest bandwidth and the sum of latencies.
type linkRate struct {
	id                   string
	bandwidthBytesPerSec int64
	latencyNs            int64
	resources            []int32
}

type resourceRate struct {
	id                   string
	bandwidthBytesPerSec int64
	latencyNs            int64
}

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
		links:     make([]linkRate, len(spec.Links)),
		linkIndex: make(map[string]int32, len(spec.Links)),
		resources: make([]resourceRate, len(spec.NetworkResources)),
		routes:    make(map[routeKey][]int32),
	}
	resourceIndex := make(map[string]int32, len(spec.NetworkResources))
	for i := range spec.NetworkResources {
		r := &spec.NetworkResources[i]
		f.resources[i] = resourceRate{r.ID, r.BandwidthBytesPerSec, r.LatencyNs}
		resourceIndex[r.ID] = int32(i)
	}
	for i := range spec.Links {
		l := &spec.Links[i]
		rate := linkRate{id: l.ID, bandwidthBytesPerSec: l.BandwidthBytesPerSec, latencyNs: l.LatencyNs}
		for _, id := range l.NetworkResourceIDs {
			at, ok := resourceIndex[id]
			if !ok {
				continue
			}
			r := &f.resources[at]
			rate.bandwidthBytesPerSec = min(rate.bandwidthBytesPerSec, r.bandwidthBytesPerSec)
			rate.latencyNs += r.latencyNs
			rate.resources = append(rate.resources, at)
		}
		f.links[i] = rate
		f.linkIndex[l.ID] = int32(i)
	}
	f.load = newLoadSums(len(f.links), len(f.resources))
	return f
}

// LinkID returns the id of a link by its index in the scenario.
func (f *Fabric) LinkID(link int32) string { return f.links[link].id }

// LinkNs is the declared duration of bytes over a link, its network resources
// included (contract 02 section 7.1).
func (f *Fabric) LinkNs(link int32, bytes int64) (int64, error) {
	l := &f.links[link]
	if service, ok := quantity.ServiceNs(bytes, l.bandwidthBytesPerSec); ok {
		if ns, err := quantity.Add(l.latencyNs, service); err == nil {
			return ns, nil
		}
	}
	return 0, issue.New("overflow", "", "%d bytes over link %s take no safe number of ns", bytes, l.id)
}

func (f *Fabric) resourceNs(resource int32, bytes int64) (int64, error) {
	r := &f.resources[resource]
	if service, ok := quantity.ServiceNs(bytes, r.bandwidthBytesPerSec); ok {
		if ns, err := quantity.Add(r.latencyNs, service); err == nil {
			return ns, nil
		}
	}
	return 0, issue.New("overflow", "", "%d bytes through %s take no safe number of ns", bytes, r.id)
}

// Route returns the links, by index and in order, of the fastest declared path
// for a message of the given size (contract 02 section 7.2, no staging). Equal
// domains have no link. No path is an error that names both domains.
func (f *Fabric) Route(source, target string, bytes int64) ([]int32, error) {
	key := routeKey{source, target, bytes}
	if links, ok := f.routes[key]; ok {
		return links, nil
	}
	route, ok := f.scenario.Route(source, target, bytes, false)
	if !ok {
		return nil, issue.New("no_path", "", "scenario %s has no path from domain %s to domain %s for %d bytes",
			f.scenario.ID(), source, target, bytes)
	}
	links := make([]int32, len(route.LinkIDs))
	for i, id := range route.LinkIDs {
		links[i] = f.linkIndex[id]
	}
	if len(f.routes) >= mostRoutes {
		clear(f.routes)
	}
	f.routes[key] = links
	return links, nil
}
