package plan

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Resource is one contended timeline of a scenario: a device's compute, a link, a
// NIC or switch, or a communicator (contract 03 section 6).
type Resource struct {
	ID    string // "compute:", "link:", "network:" or "collective:" and the id
	Lanes int64  // how many operations it serves at once
}

// Fabric is a scenario as plans see it: every device, link, communicator, rank,
// allocation and resource under a dense index, so that validation and execution
// compare integers. It is immutable and may serve any number of plans.
//
// Rank indices ascend with the rank ids, so that a list in index order is in the
// order of the product. Everything else is numbered as it stands in the scenario.
type Fabric struct {
	spec *topology.Spec

	resources []Resource

	devices     map[string]int32
	links       map[string]int32
	groups      map[string]int32
	ranks       map[string]int32
	allocations map[string]int32
	domains     map[string]int32

	rankIDs    []string // ascending
	rankDevice []int32  // by rank; -1 for a device that does not exist

	allocationIDs    []string
	allocationDomain []int32 // by allocation; -1 for a domain that does not exist

	deviceDomains [][]int32 // by device: the domains it addresses
	linkEnds      [][2]int32
	linkResources [][]int32 // by link: the link, then its network resources
	groupRanks    [][]int32 // by group, in communicator order
	groupDevices  [][]int32 // by group: the distinct devices of its ranks that exist
}

// NewFabric interns a scenario. It answers for any scenario, valid or not: an id
// that occurs twice means its first holder, a reference to nothing means nothing.
func NewFabric(spec *topology.Spec) *Fabric {
	f := &Fabric{spec: spec}
	f.internDomains()
	f.internDevices()
	f.internLinks()
	f.internRanks()
	f.internAllocations()
	return f
}

// Spec returns the scenario that the fabric was made from.
func (f *Fabric) Spec() *topology.Spec { return f.spec }

// Resources lists every resource; its position is the resource's index. The
// slice must not be written to.
func (f *Fabric) Resources() []Resource { return f.resources }

// Resource returns the resource with the given index.
func (f *Fabric) Resource(i int32) *Resource { return &f.resources[i] }

// RankIDs lists every rank id, ascending; its position is the rank's index.
func (f *Fabric) RankIDs() []string { return f.rankIDs }

// RankID returns the id of a rank.
func (f *Fabric) RankID(rank int32) string { return f.rankIDs[rank] }

// RankDevice returns the device that owns a rank.
func (f *Fabric) RankDevice(rank int32) int32 { return f.rankDevice[rank] }

// RankNode returns the node of the device that owns a rank, and false when the
// device is not declared.
func (f *Fabric) RankNode(rank int32) (nodeID string, ok bool) {
	d := f.rankDevice[rank]
	if d < 0 {
		return "", false
	}
	return f.spec.Devices[d].NodeID, true
}

// RankIndex finds a rank by id.
func (f *Fabric) RankIndex(id string) (int32, bool) { i, ok := f.ranks[id]; return i, ok }

// DeviceIndex finds a device by id.
func (f *Fabric) DeviceIndex(id string) (int32, bool) { i, ok := f.devices[id]; return i, ok }

// LinkIndex finds a link by id.
func (f *Fabric) LinkIndex(id string) (int32, bool) { i, ok := f.links[id]; return i, ok }

// Allocations is the number of physical allocations.
func (f *Fabric) Allocations() int { return len(f.allocationIDs) }

func (f *Fabric) internDomains() {
	f.domains = make(map[string]int32, len(f.spec.MemoryDomains))
	for i := range f.spec.MemoryDomains {
		intern(f.domains, f.spec.MemoryDomains[i].ID, i)
	}
}

func (f *Fabric) internDevices() {
	devices := f.spec.Devices
	f.devices = make(map[string]int32, len(devices))
	f.deviceDomains = make([][]int32, len(devices))
	for i := range devices {
		d := &devices[i]
		intern(f.devices, d.ID, i)
		f.resources = append(f.resources, Resource{"compute:" + d.ID, d.MaxConcurrentCompute})
		f.deviceDomains[i] = lookUpAll(f.domains, d.MemoryDomainIDs, 0)
	}
}

func (f *Fabric) internLinks() {
	spec := f.spec
	first := int32(len(f.resources))
	f.links = make(map[string]int32, len(spec.Links))
	for i := range spec.Links {
		l := &spec.Links[i]
		intern(f.links, l.ID, i)
		f.resources = append(f.resources, Resource{"link:" + l.ID, l.ConcurrencyLanes})
		f.linkEnds = append(f.linkEnds, [2]int32{f.domain(l.SourceDomainID), f.domain(l.TargetDomainID)})
	}
	networks := make(map[string]int32, len(spec.NetworkResources))
	firstNetwork := int32(len(f.resources))
	for i := range spec.NetworkResources {
		n := &spec.NetworkResources[i]
		intern(networks, n.ID, i)
		f.resources = append(f.resources, Resource{"network:" + n.ID, n.ConcurrencyLanes})
	}
	f.linkResources = make([][]int32, len(spec.Links))
	for i := range spec.Links {
		own := []int32{first + int32(i)}
		f.linkResources[i] = append(own, lookUpAll(networks, spec.Links[i].NetworkResourceIDs, firstNetwork)...)
	}
}

func (f *Fabric) internRanks() {
	groups := f.spec.Groups
	f.groups = make(map[string]int32, len(groups))
	device := make(map[string]int32)
	for i := range groups {
		g := &groups[i]
		intern(f.groups, g.ID, i)
		f.resources = append(f.resources, Resource{"collective:" + g.ID, 1})
		for _, r := range g.OrderedRanks {
			if _, seen := device[r.RankID]; seen {
				continue
			}
			d, ok := f.devices[r.DeviceID]
			if !ok {
				d = -1
			}
			device[r.RankID] = d
			f.rankIDs = append(f.rankIDs, r.RankID)
		}
	}
	slices.SortFunc(f.rankIDs, quantity.CompareIDs)
	f.ranks = make(map[string]int32, len(f.rankIDs))
	for i, id := range f.rankIDs {
		f.ranks[id] = int32(i)
		f.rankDevice = append(f.rankDevice, device[id])
	}
	f.groupRanks = make([][]int32, len(groups))
	f.groupDevices = make([][]int32, len(groups))
	for i := range groups {
		for _, r := range groups[i].OrderedRanks {
			rank := f.ranks[r.RankID]
			f.groupRanks[i] = append(f.groupRanks[i], rank)
			if d := f.rankDevice[rank]; d >= 0 && !slices.Contains(f.groupDevices[i], d) {
				f.groupDevices[i] = append(f.groupDevices[i], d)
			}
		}
	}
}

func (f *Fabric) internAllocations() {
	f.allocations = make(map[string]int32)
	for i := range f.spec.Placements {
		for _, a := range f.spec.Placements[i].Allocations {
			if _, seen := f.allocations[a.PhysicalAllocationID]; seen {
				continue
			}
			f.allocations[a.PhysicalAllocationID] = int32(len(f.allocationIDs))
			f.allocationIDs = append(f.allocationIDs, a.PhysicalAllocationID)
			f.allocationDomain = append(f.allocationDomain, f.domain(a.DomainID))
		}
	}
}

func (f *Fabric) domain(id string) int32 {
	if i, ok := f.domains[id]; ok {
		return i
	}
	return -1
}

func (f *Fabric) domainID(i int32) string {
	if i < 0 {
		return ""
	}
	return f.spec.MemoryDomains[i].ID
}

// groupResource is the resource of a communicator.
func (f *Fabric) groupResource(group int32) int32 {
	return int32(len(f.resources)-len(f.groupRanks)) + group
}

// hasCapability reports whether a device offers a capability.
func (f *Fabric) hasCapability(device int32, c topology.Capability) bool {
	return slices.Contains(f.spec.Devices[device].Capabilities, c)
}

// addresses reports whether a device lists a memory domain.
func (f *Fabric) addresses(device, domain int32) bool {
	return domain >= 0 && slices.Contains(f.deviceDomains[device], domain)
}

// intern gives id the index i unless an earlier holder has it.
func intern(table map[string]int32, id string, i int) {
	if _, seen := table[id]; !seen {
		table[id] = int32(i)
	}
}

// lookUpAll resolves the ids that exist, shifted by base.
func lookUpAll(table map[string]int32, ids []string, base int32) []int32 {
	var out []int32
	for _, id := range ids {
		if i, ok := table[id]; ok {
			out = append(out, base+i)
		}
	}
	return out
}
