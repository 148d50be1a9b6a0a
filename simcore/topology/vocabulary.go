package topology

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/evidence"
)

// The closed vocabularies of the schema, in the order of contract 02 section 3.
var (
	families          = []Family{CPUOnly, SingleDiscrete, MultiGPU, GPUNPU, Unified, MultiNode, Custom}
	domainKinds       = []DomainKind{HostMemory, DeviceMemory, UnifiedMemory, StorageMemory}
	allocationClasses = []AllocationClass{Pageable, Pinned, DeviceClass, UnifiedClass, StorageClass}
	deviceKinds       = []DeviceKind{CPU, GPU, NPU}
	capabilities      = []Capability{Attention, FFN, Collective, Copy, Sampling, Draft, Lookup}
	networkKinds      = []NetworkKind{NIC, Switch}
	transports        = []Transport{TCP, RDMAHost, GPUDirectRDMA}
	linkKinds         = []LinkKind{OnChip, PCIe, NVLink, Ethernet, InfiniBand, Thunderbolt, StorageLink}
	purposes          = []Purpose{Weights, KV, Workspace, Staging, Cache, Backing, Checkpoint, Sidecar}
	confidences       = evidence.Classes[:]
	proposerFamilies  = []string{"prompt_lookup", "draft_model", "mtp", "eagle3", "shared_kv", "self_speculative"}
)

// Valid reports whether f is one of the seven families.
func (f Family) Valid() bool { return slices.Contains(families, f) }

// IsNetwork reports whether links of this kind may cross between systems with a
// declared transport.
func (k LinkKind) IsNetwork() bool { return k == Ethernet || k == InfiniBand }

// Offers reports whether the domain offers an allocation class.
func (d *MemoryDomain) Offers(c AllocationClass) bool {
	return slices.Contains(d.AllocationClasses, c)
}

// Can reports whether the device has a capability.
func (d *Device) Can(c Capability) bool { return slices.Contains(d.Capabilities, c) }

// Lists reports whether the device lists a memory domain as its own.
func (d *Device) Lists(domainID string) bool {
	return slices.Contains(d.MemoryDomainIDs, domainID)
}
