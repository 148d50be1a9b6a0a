package topology

import "github.com/inferlab/inferlab/simcore/evidence"

// SchemaVersion is the revision of the scenario schema that this package reads
// and writes.
const SchemaVersion int64 = 5

// Spec is a revision-5 scenario as plain data: what a file holds and what a
// builder fills in. Nothing about it is promised until Validate has turned it
// into a Scenario.
//
// Units: bytes, bytes per second, nanoseconds. Array order is significant and
// kept. Optional parts are nil or empty with their Has… flag false, because a
// present empty list and an absent one are different documents.
type Spec struct {
	SchemaVersion    int64
	ID               string
	Family           Family
	MemoryDomains    []MemoryDomain
	Devices          []Device
	NetworkResources []NetworkResource // meaningful when HasNetworkResources
	Links            []Link
	Placements       []Placement
	Transfers        []Transfer
	Groups           []Group
	Workload         Workload
	Execution        Execution
	Calibration      []Coefficient

	HasNetworkResources bool // the key networkResources is present, even if empty
}

// Family labels a scenario. The simulation never branches on it.
type Family string

// The seven families.
const (
	CPUOnly        Family = "cpu_only"
	SingleDiscrete Family = "single_discrete"
	MultiGPU       Family = "multi_gpu"
	GPUNPU         Family = "gpu_npu"
	Unified        Family = "unified"
	MultiNode      Family = "multi_node"
	Custom         Family = "custom"
)

// DomainKind says what a memory domain is made of.
type DomainKind string

// The four kinds of memory domain.
const (
	HostMemory    DomainKind = "host"
	DeviceMemory  DomainKind = "device"
	UnifiedMemory DomainKind = "unified"
	StorageMemory DomainKind = "storage"
)

// MemoryDomain is one physical memory with its resource-manager ceiling.
type MemoryDomain struct {
	ID, NodeID           string
	Kind                 DomainKind
	CapacityBytes        int64 // installed
	ResourceLimitBytes   int64 // allocatable, at most CapacityBytes
	BandwidthBytesPerSec int64
	LatencyNs            int64
	Coherent             bool
	AllocationClasses    []AllocationClass
	AccessibleBy         []string // device ids
	Governor             Governor
	Provenance           evidence.Provenance
}

// AllocationClass is the kind of reservation a domain offers.
type AllocationClass string

// The five allocation classes.
const (
	Pageable     AllocationClass = "pageable"
	Pinned       AllocationClass = "pinned"
	DeviceClass  AllocationClass = "device"
	UnifiedClass AllocationClass = "unified"
	StorageClass AllocationClass = "storage"
)

// Governor names the owner of a domain's resource manager.
type Governor struct {
	Kind     GovernorKind
	NodeID   string // kind host
	DeviceID string // kind device
}

// GovernorKind is host, device or none.
type GovernorKind string

// The three kinds of governor.
const (
	HostGovernor   GovernorKind = "host"
	DeviceGovernor GovernorKind = "device"
	NoGovernor     GovernorKind = "none"
)

// DeviceKind is the kind of a schedulable chip.
type DeviceKind string

// The three device kinds.
const (
	CPU DeviceKind = "cpu"
	GPU DeviceKind = "gpu"
	NPU DeviceKind = "npu"
)

// Capability is work that a device can do.
type Capability string

// The seven capabilities.
const (
	Attention  Capability = "attention"
	FFN        Capability = "ffn"
	Collective Capability = "collective"
	Copy       Capability = "copy"
	Sampling   Capability = "sampling"
	Draft      Capability = "draft"
	Lookup     Capability = "lookup"
)

// Device is one schedulable chip; NodeID names its system.
type Device struct {
	ID, NodeID           string
	Kind                 DeviceKind
	ExecutionProvider    string
	MemoryDomainIDs      []string
	Capabilities         []Capability
	SupportedDtypes      []string
	ComputeProfileID     string // empty: absent
	CustomComputePeaks   []ComputePeak
	HasCustomPeaks       bool  // the key customComputePeaks is present, even if empty
	MaxConcurrentCompute int64 // compute lanes
	Provenance           evidence.Provenance
}

// ComputePeak is a user-declared rate for one number format.
type ComputePeak struct {
	Dtype               string
	OperationsPerSecond float64
}

// NetworkKind is nic or switch.
type NetworkKind string

// The two kinds of network resource.
const (
	NIC    NetworkKind = "nic"
	Switch NetworkKind = "switch"
)

// Transport is how bytes cross a network link.
type Transport string

// The three transports.
const (
	TCP           Transport = "tcp"
	RDMAHost      Transport = "rdma_host"
	GPUDirectRDMA Transport = "gpudirect_rdma"
)

// NetworkResource is a NIC or a switch that links share.
type NetworkResource struct {
	ID                    string
	Kind                  NetworkKind
	NodeID                string // empty: absent (switches)
	BandwidthBytesPerSec  int64
	LatencyNs             int64
	ConcurrencyLanes      int64
	SupportedTransports   []Transport
	DirectMemoryDomainIDs []string
	Provenance            evidence.Provenance
}

// LinkKind is the technology of a link.
type LinkKind string

// The seven kinds of link.
const (
	OnChip      LinkKind = "on-chip"
	PCIe        LinkKind = "pcie"
	NVLink      LinkKind = "nvlink"
	Ethernet    LinkKind = "ethernet"
	InfiniBand  LinkKind = "infiniband"
	Thunderbolt LinkKind = "thunderbolt"
	StorageLink LinkKind = "storage"
)

// Link is one directed path between two memory domains.
type Link struct {
	ID                             string
	SourceDomainID, TargetDomainID string
	Kind                           LinkKind
	BandwidthBytesPerSec           int64
	LatencyNs                      int64
	ConcurrencyLanes               int64
	Transport                      Transport // empty: absent
	NetworkResourceIDs             []string
	HasNetworkResourceIDs          bool // the key networkResourceIds is present, even if empty
	Provenance                     evidence.Provenance
}

// Placement puts a partition of the model on a device with its reservations.
type Placement struct {
	PartitionID          string
	DeviceID             string
	RequiredCapabilities []Capability
	Allocations          []Allocation
	SharedAllocationIDs  []string // aliases of other placements' reservations, never charged
	HasShared            bool     // the key sharedAllocationIds is present, even if empty
}

// Purpose says what a reservation is for.
type Purpose string

// The eight purposes.
const (
	Weights    Purpose = "weights"
	KV         Purpose = "kv"
	Workspace  Purpose = "workspace"
	Staging    Purpose = "staging"
	Cache      Purpose = "cache"
	Backing    Purpose = "backing"
	Checkpoint Purpose = "checkpoint"
	Sidecar    Purpose = "sidecar"
)

// Allocation is one physical reservation; its id is unique over the scenario.
type Allocation struct {
	PhysicalAllocationID string
	DomainID             string
	Bytes                int64
	AllocationClass      AllocationClass
	Purpose              Purpose
}

// Transfer is a proof obligation: bytes must be able to move between two domains.
type Transfer struct {
	ID                             string
	SourceDomainID, TargetDomainID string
	Bytes                          int64
	RequiresPinnedStaging          bool
	StagingAllocationIDs           []string
}

// Group is a communicator with its immutable rank order.
type Group struct {
	ID           string
	OrderedRanks []Rank
}

// Rank binds a rank id to a device for the whole scenario.
type Rank struct{ RankID, DeviceID string }

// Workload is the scenario's default request shape.
type Workload struct {
	BatchSize            int64
	InputSequenceLength  int64
	OutputSequenceLength int64
	Speculative          *SpeculativeWorkload // nil: absent
}

// SpeculativeWorkload names a proposer family and its width.
type SpeculativeWorkload struct {
	Family              string
	MaxAdditionalTokens int64
}

// Execution is the execution policy.
type Execution struct {
	TopologyEpoch int64
	Seed          int64
	MaxEvents     int64 // event budget of a run
	SSDStreaming  bool  // features.ssdStreaming
	Parallelism   Parallelism
}

// Composition says how parallel degrees combine.
type Composition string

// The two compositions.
const (
	Cartesian           Composition = "cartesian"
	OverlapByCapability Composition = "overlap_by_capability"
)

// Parallelism holds the degrees of tensor, pipeline, expert and data parallelism.
type Parallelism struct {
	Composition                    Composition
	Tensor, Pipeline, Expert, Data int64
}

// Coefficient is one entry of the scenario's calibration set.
type Coefficient struct {
	ID         string
	Value      float64
	Unit       string
	Provenance evidence.Provenance
}
