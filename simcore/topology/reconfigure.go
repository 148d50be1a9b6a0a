package topology

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
)

// Reconfigure replaces the network between the systems of a scenario and changes
// nothing else (contract 02 section 10.7). The scenario must have 2 to 4 nodes
// with one host and one device domain each, else the error has code lan_shape.
func Reconfigure(s *Scenario, o LANOptions) (*Scenario, error) {
	stations, err := stationsOf(s.spec)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(len(stations)); err != nil {
		return nil, err
	}
	spec := *s.spec
	spec.Links = nil
	provenance, removed := builtIn(), false
	for _, l := range s.spec.Links {
		if !s.crossesNodes(&l) {
			spec.Links = append(spec.Links, l)
			continue
		}
		if !removed {
			provenance, removed = l.Provenance, true
		}
	}
	resources, links := o.network(stations, provenance)
	spec.NetworkResources, spec.HasNetworkResources = resources, o.Advanced
	spec.Links = append(spec.Links, links...)
	spec.Transfers = slices.Clone(s.spec.Transfers)
	for i := range spec.Transfers {
		s.restage(&spec.Transfers[i], o.Transport)
	}
	return New(spec)
}

// stationsOf finds the systems of a LAN in the order of their ids.
func stationsOf(s *Spec) ([]station, error) {
	const code = "lan_shape"
	nodes := nodesOf(s)
	if len(nodes) < MinLAN || len(nodes) > MaxLAN {
		return nil, issue.New(code, "memoryDomains", "a LAN has %d to %d systems, found %d", MinLAN, MaxLAN, len(nodes))
	}
	stations := make([]station, len(nodes))
	for k, node := range nodes {
		hosts, devices := 0, 0
		stations[k].node = node
		for i := range s.MemoryDomains {
			d := &s.MemoryDomains[i]
			switch {
			case d.NodeID != node:
			case d.Kind == HostMemory:
				hosts, stations[k].host = hosts+1, d.ID
			case d.Kind == DeviceMemory:
				devices, stations[k].vram = devices+1, d.ID
			}
		}
		if hosts != 1 || devices != 1 {
			return nil, issue.New(code, "memoryDomains", "the node %q needs one host and one device domain, found %d and %d", node, hosts, devices)
		}
	}
	return stations, nil
}

// crossesNodes reports whether a link is part of the network between systems.
func (s *Scenario) crossesNodes(l *Link) bool {
	return l.Kind.IsNetwork() && s.Domain(l.SourceDomainID).NodeID != s.Domain(l.TargetDomainID).NodeID
}

// restage gives a transfer between systems the staging that the transport needs.
func (s *Scenario) restage(t *Transfer, transport Transport) {
	from, to := s.Domain(t.SourceDomainID).NodeID, s.Domain(t.TargetDomainID).NodeID
	if from == to {
		return
	}
	t.RequiresPinnedStaging, t.StagingAllocationIDs = transport != GPUDirectRDMA, nil
	if t.RequiresPinnedStaging {
		t.StagingAllocationIDs = append(s.stagingOn(from), s.stagingOn(to)...)
	}
}

// stagingOn lists the pinned staging allocations on a node in placement order.
func (s *Scenario) stagingOn(node string) []string {
	var ids []string
	for i := range s.spec.Placements {
		for _, a := range s.spec.Placements[i].Allocations {
			if a.Purpose == Staging && a.AllocationClass == Pinned && s.Domain(a.DomainID).NodeID == node {
				ids = append(ids, a.PhysicalAllocationID)
			}
		}
	}
	return ids
}

// Advance gives a simple LAN NICs and a switch that keep the options of its first
// link with a transport (contract 02 section 16). A scenario that has network
// resources already, or no such link, comes back unchanged.
func Advance(s *Scenario) (*Scenario, error) {
	if len(s.spec.NetworkResources) > 0 {
		return s, nil
	}
	for i := range s.spec.Links {
		l := &s.spec.Links[i]
		if l.Transport == "" {
			continue
		}
		latency := l.LatencyNs
		if latency == 0 {
			latency = NoLatency
		}
		return Reconfigure(s, LANOptions{Advanced: true, LinkKind: l.Kind, Transport: l.Transport,
			BandwidthBytesPerSec: l.BandwidthBytesPerSec, LatencyNs: latency, LinkConcurrencyLanes: l.ConcurrencyLanes})
	}
	return s, nil
}
