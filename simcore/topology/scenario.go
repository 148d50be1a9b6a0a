package topology

import (
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// Scenario is a valid scenario. It never changes; edits (With) make new ones.
//
// Route and Fingerprint remember their answers inside the Scenario, so one
// Scenario serves one goroutine at a time; Fork gives another goroutine its own.
type Scenario struct {
	spec        *Spec
	index       *index
	router      *router
	fingerprint string // made when asked for
}

// New validates a Spec: the structure of the document that it stands for (contract
// 02 section 4), then its meaning (section 5). The error is that of Parse or an
// *issue.List with every violation in order. The Scenario holds a copy, so the
// caller may go on changing its Spec.
func New(spec Spec) (*Scenario, error) {
	return ReadScenario(document.From(spec.document()))
}

// Validate is New of s.
func (s *Spec) Validate() (*Scenario, error) { return New(*s) }

// Spec returns the scenario as plain data. It is shared and must not be changed;
// With makes changed scenarios.
func (s *Scenario) Spec() *Spec { return s.spec }

// ID is the scenario's id.
func (s *Scenario) ID() string { return s.spec.ID }

// Fork returns the same scenario with route memory of its own, for use by another
// goroutine.
func (s *Scenario) Fork() *Scenario {
	fork := *s
	fork.router = newRouter(s.spec, s.index, nil)
	return &fork
}

// Fingerprint identifies the whole document, provenance text included (contract
// 03 section 4).
func (s *Scenario) Fingerprint() string {
	if s.fingerprint == "" {
		// A valid scenario is finite and shallow, which is all that could fail.
		s.fingerprint, _ = canonical.Fingerprint(s.Document())
	}
	return s.fingerprint
}

// Document is the scenario as a tree in schema order: what the scenario command
// echoes and what the fingerprint covers. Absent optional fields are absent.
func (s *Scenario) Document() canonical.Object { return s.spec.document() }

// PerformanceEvidence is the weakest confidence of all memory domains, devices
// and links (contract 02 section 3.3).
func (s *Scenario) PerformanceEvidence() evidence.Class {
	worst := evidence.Exact
	for i := range s.spec.MemoryDomains {
		worst = evidence.Weakest(worst, s.spec.MemoryDomains[i].Provenance.Confidence)
	}
	for i := range s.spec.Devices {
		worst = evidence.Weakest(worst, s.spec.Devices[i].Provenance.Confidence)
	}
	for i := range s.spec.Links {
		worst = evidence.Weakest(worst, s.spec.Links[i].Provenance.Confidence)
	}
	return worst
}

// Domain returns a memory domain, nil when the scenario has none of that id.
func (s *Scenario) Domain(id string) *MemoryDomain {
	if i, ok := s.index.domains[id]; ok {
		return &s.spec.MemoryDomains[i]
	}
	return nil
}

// Device returns a device, nil when the scenario has none of that id.
func (s *Scenario) Device(id string) *Device {
	if i, ok := s.index.devices[id]; ok {
		return &s.spec.Devices[i]
	}
	return nil
}

// Link returns a link, nil when the scenario has none of that id.
func (s *Scenario) Link(id string) *Link {
	if i, ok := s.index.links[id]; ok {
		return &s.spec.Links[i]
	}
	return nil
}

// NetworkResource returns a NIC or switch, nil when the scenario has none of that
// id.
func (s *Scenario) NetworkResource(id string) *NetworkResource {
	if i, ok := s.index.resources[id]; ok {
		return &s.spec.NetworkResources[i]
	}
	return nil
}

// Group returns a communicator group, nil when the scenario has none of that id.
func (s *Scenario) Group(id string) *Group {
	if i, ok := s.index.groups[id]; ok {
		return &s.spec.Groups[i]
	}
	return nil
}

// Placement returns the placement of a partition, nil when there is none.
func (s *Scenario) Placement(partitionID string) *Placement {
	if i, ok := s.index.placements[partitionID]; ok {
		return &s.spec.Placements[i]
	}
	return nil
}

// Allocation returns a physical reservation and the placement that owns it, nil
// when no placement owns one of that id.
func (s *Scenario) Allocation(id string) (*Allocation, *Placement) {
	at, ok := s.index.allocations[id]
	if !ok {
		return nil, nil
	}
	p := &s.spec.Placements[at.placement]
	return &p.Allocations[at.position], p
}

// DomainIndex is the position of a domain in Spec().MemoryDomains, or -1.
func (s *Scenario) DomainIndex(id string) int { return position(s.index.domains, id) }

// DeviceIndex is the position of a device in Spec().Devices, or -1.
func (s *Scenario) DeviceIndex(id string) int { return position(s.index.devices, id) }

// LinkIndex is the position of a link in Spec().Links, or -1.
func (s *Scenario) LinkIndex(id string) int { return position(s.index.links, id) }

// NetworkResourceIndex is the position of a resource in Spec().NetworkResources,
// or -1.
func (s *Scenario) NetworkResourceIndex(id string) int { return position(s.index.resources, id) }

// GroupIndex is the position of a group in Spec().Groups, or -1.
func (s *Scenario) GroupIndex(id string) int { return position(s.index.groups, id) }

// PlacementIndex is the position of a partition in Spec().Placements, or -1.
func (s *Scenario) PlacementIndex(partitionID string) int {
	return position(s.index.placements, partitionID)
}

// RankDevice returns the id of the device that a rank id names, over the whole
// scenario; false when no group has that rank.
func (s *Scenario) RankDevice(rankID string) (string, bool) {
	device, ok := s.index.ranks[rankID]
	return device, ok
}

// RankCount is the number of distinct rank ids over all groups.
func (s *Scenario) RankCount() int { return len(s.index.ranks) }

func position(m map[string]int, id string) int {
	if i, ok := m[id]; ok {
		return i
	}
	return -1
}
