package topology

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Units of the built-in machines: binary for memory, decimal for rates.
const (
	miB int64 = 1 << 20
	giB int64 = 1 << 30
	tiB int64 = 1 << 40
	gB  int64 = 1_000_000_000
)

// Figures that every built-in machine shares (contract 02 section 10.2).
const (
	hostLatencyNs    int64 = 100
	deviceLatencyNs  int64 = 80
	storageLatencyNs int64 = 50_000
	storageRate            = 7 * gB
	expertCache            = 8 * giB
	expertBacking          = 512 * giB
)

// builtIn is the provenance of the built-in machines.
func builtIn() evidence.Provenance {
	return evidence.Provenance{
		Confidence: evidence.Heuristic,
		Source:     "built-in machine: published or illustrative figures, none of them measured",
	}
}

// assembly is a machine being put together: what is particular to it stands in
// the Spec, the tiers below device memory follow in finish.
type assembly struct {
	Spec
	storageBytes int64 // of each node
	scaledCaches bool  // caches take at most an eighth of their domain's limit
}

// assemble starts a machine with the common workload and policies.
func assemble(id string, family Family) *assembly {
	return &assembly{storageBytes: 2 * tiB, Spec: Spec{
		SchemaVersion: SchemaVersion,
		ID:            id,
		Family:        family,
		Workload:      Workload{BatchSize: 1, InputSequenceLength: 2048, OutputSequenceLength: 256},
		Execution: Execution{
			Seed: 42, MaxEvents: 1_000_000, SSDStreaming: true,
			Parallelism: Parallelism{Composition: Cartesian, Tensor: 1, Pipeline: 1, Expert: 1, Data: 1},
		},
	}}
}

// host adds a node's host memory.
func (a *assembly) host(node string, capacity, limit, rate int64, accessibleBy ...string) string {
	return a.memory(MemoryDomain{ID: node + ":host", NodeID: node, Kind: HostMemory,
		CapacityBytes: capacity, ResourceLimitBytes: limit, BandwidthBytesPerSec: rate, LatencyNs: hostLatencyNs,
		AllocationClasses: []AllocationClass{Pageable, Pinned}, AccessibleBy: accessibleBy,
		Governor: Governor{Kind: HostGovernor, NodeID: node}})
}

// unified adds a node's coherent memory.
func (a *assembly) unified(node string, capacity, limit, rate int64, accessibleBy ...string) string {
	return a.memory(MemoryDomain{ID: node + ":unified", NodeID: node, Kind: UnifiedMemory,
		CapacityBytes: capacity, ResourceLimitBytes: limit, BandwidthBytesPerSec: rate, LatencyNs: deviceLatencyNs,
		Coherent: true, AllocationClasses: []AllocationClass{UnifiedClass}, AccessibleBy: accessibleBy,
		Governor: Governor{Kind: HostGovernor, NodeID: node}})
}

// local adds the memory of one device: id is the device's id and suffix ":vram" or
// ":memory".
func (a *assembly) local(node, device, suffix string, capacity, limit, rate int64) string {
	return a.memory(MemoryDomain{ID: device + suffix, NodeID: node, Kind: DeviceMemory,
		CapacityBytes: capacity, ResourceLimitBytes: limit, BandwidthBytesPerSec: rate, LatencyNs: deviceLatencyNs,
		AllocationClasses: []AllocationClass{DeviceClass}, AccessibleBy: []string{device},
		Governor: Governor{Kind: DeviceGovernor, DeviceID: device}})
}

func (a *assembly) memory(d MemoryDomain) string {
	d.Provenance = builtIn()
	a.MemoryDomains = append(a.MemoryDomains, d)
	return d.ID
}

// chip adds a device; a CPU can look up as well as what is named.
func (a *assembly) chip(node, id string, kind DeviceKind, provider string, memory []string, can ...Capability) *Device {
	if kind == CPU {
		can = append(can, Lookup)
	}
	a.Devices = append(a.Devices, Device{ID: id, NodeID: node, Kind: kind, ExecutionProvider: provider,
		MemoryDomainIDs: memory, Capabilities: can, SupportedDtypes: []string{"fp16", "fp8", "int8"},
		MaxConcurrentCompute: 1, Provenance: builtIn()})
	return &a.Devices[len(a.Devices)-1]
}

// pair adds a link in each direction.
func (a *assembly) pair(id, left, right string, kind LinkKind, rate, latencyNs int64) {
	link := Link{ID: id + ":forward", SourceDomainID: left, TargetDomainID: right, Kind: kind,
		BandwidthBytesPerSec: rate, LatencyNs: latencyNs, ConcurrencyLanes: 1, Provenance: builtIn()}
	back := link
	back.ID, back.SourceDomainID, back.TargetDomainID = id+":reverse", right, left
	a.Links = append(a.Links, link, back)
}

// place puts a partition on a device.
func (a *assembly) place(partition, device string, needs []Capability, allocations ...Allocation) {
	a.Placements = append(a.Placements, Placement{PartitionID: partition, DeviceID: device,
		RequiredCapabilities: needs, Allocations: allocations})
}

// ranks adds a group of rank-0, rank-1, … on the devices in order.
func (a *assembly) ranks(group string, devices ...string) {
	g := Group{ID: group}
	for i, id := range devices {
		g.OrderedRanks = append(g.OrderedRanks, Rank{RankID: "rank-" + decimal(i), DeviceID: id})
	}
	a.Groups = append(a.Groups, g)
}

// overlap sets tensor and expert parallelism of n over the same ranks.
func (a *assembly) overlap(n int) {
	a.Execution.Parallelism = Parallelism{Composition: OverlapByCapability, Tensor: int64(n), Pipeline: 1, Expert: int64(n), Data: 1}
}

// finish adds the storage and cache tiers and the control groups of idle CPUs, and
// validates the machine.
func (a *assembly) finish() (*Scenario, error) {
	a.hotCaches()
	for _, node := range nodesOf(&a.Spec) {
		a.storageTier(node)
	}
	for i := range a.Devices {
		cpu := &a.Devices[i]
		if cpu.Kind == CPU && !a.grouped(cpu.ID) {
			a.Groups = append(a.Groups, Group{ID: "host-control:" + cpu.ID,
				OrderedRanks: []Rank{{RankID: "host-rank:" + cpu.ID, DeviceID: cpu.ID}}})
		}
	}
	return New(a.Spec)
}

func (a *assembly) grouped(device string) bool {
	return slices.ContainsFunc(a.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.OrderedRanks, func(r Rank) bool { return r.DeviceID == device })
	})
}

// cacheBytes is the extent of an expert cache tier in a domain.
func (a *assembly) cacheBytes(domain string) int64 {
	if a.scaledCaches {
		return min(expertCache, a.domainNamed(domain).ResourceLimitBytes/8)
	}
	return expertCache
}

func (a *assembly) domainNamed(id string) *MemoryDomain {
	i := slices.IndexFunc(a.MemoryDomains, func(d MemoryDomain) bool { return d.ID == id })
	return &a.MemoryDomains[i]
}

// hotCaches gives every partition with an FFN a hot expert cache beside its
// workspace.
func (a *assembly) hotCaches() {
	for i := range a.Placements {
		p := &a.Placements[i]
		if !slices.Contains(p.RequiredCapabilities, FFN) {
			continue
		}
		for _, w := range p.Allocations {
			if w.Purpose == Workspace {
				p.Allocations = append(p.Allocations, Allocation{"expert-hot-cache:" + p.PartitionID, w.DomainID,
					a.cacheBytes(w.DomainID), w.AllocationClass, Cache})
				break
			}
		}
	}
}

// storageTier gives a node its storage, the link that reads it, and the backing
// and warm cache of experts.
func (a *assembly) storageTier(node string) {
	cpuAt := slices.IndexFunc(a.Devices, func(d Device) bool { return d.NodeID == node && d.Kind == CPU })
	warmAt := slices.IndexFunc(a.MemoryDomains, func(d MemoryDomain) bool {
		return d.NodeID == node && (d.Kind == HostMemory || d.Kind == UnifiedMemory)
	})
	cpu, warm := &a.Devices[cpuAt], a.MemoryDomains[warmAt]
	storage := a.memory(MemoryDomain{ID: node + ":storage", NodeID: node, Kind: StorageMemory,
		CapacityBytes: a.storageBytes, ResourceLimitBytes: a.storageBytes,
		BandwidthBytesPerSec: storageRate, LatencyNs: storageLatencyNs,
		AllocationClasses: []AllocationClass{StorageClass}, AccessibleBy: []string{cpu.ID},
		Governor: Governor{Kind: NoGovernor}})
	cpu.MemoryDomainIDs = append(cpu.MemoryDomainIDs, storage)
	a.Links = append(a.Links, Link{ID: node + ":storage-read", SourceDomainID: storage, TargetDomainID: warm.ID,
		Kind: StorageLink, BandwidthBytesPerSec: storageRate, LatencyNs: storageLatencyNs, ConcurrencyLanes: 1,
		Provenance: builtIn()})
	class := Pinned
	if warm.Kind == UnifiedMemory {
		class = UnifiedClass
	}
	a.place("expert-tier:"+node, cpu.ID, nil,
		Allocation{"expert-backing:" + node, storage, expertBacking, StorageClass, Backing},
		Allocation{"expert-warm-cache:" + node, warm.ID, a.cacheBytes(warm.ID), class, Cache})
}

// nodesOf lists the distinct nodes of devices and domains in the order of ids.
func nodesOf(s *Spec) []string {
	var nodes []string
	for i := range s.Devices {
		nodes = append(nodes, s.Devices[i].NodeID)
	}
	for i := range s.MemoryDomains {
		nodes = append(nodes, s.MemoryDomains[i].NodeID)
	}
	quantity.SortIDs(nodes)
	return slices.Compact(nodes)
}
