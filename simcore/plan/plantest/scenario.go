// Package plantest makes small scenarios and random valid plans for the tests of
// packages that execute and replay plans. Only tests import it.
package plantest

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Shape says how large a test scenario is.
type Shape struct {
	Nodes          int // systems
	DevicesPerNode int
	ComputeLanes   int64
	LinkLanes      int64
	NetworkLanes   int64 // of every NIC and of the switch
	MaxEvents      int64
}

// Small is a shape in which every resource is contended.
var Small = Shape{Nodes: 2, DevicesPerNode: 2, ComputeLanes: 1, LinkLanes: 1, NetworkLanes: 1, MaxEvents: 1_000_000}

var provenance = evidence.Provenance{Confidence: evidence.Heuristic, Source: "test"}

// Buffers are the allocations of every device, as "<device>.<name>".
var Buffers = [...]string{"w", "kv", "ws", "in", "out"}

// Spec builds a valid scenario: every node has DevicesPerNode devices with one
// memory each, all joined pairwise by links; links between nodes cross the NICs
// and the one switch. Ranks r00, r01, … own the devices in order; rank alias owns
// device 0 as well. Groups: world, one a node, one a pair of neighbours, alias.
func Spec(s Shape) *topology.Spec {
	b := builder{shape: s, spec: &topology.Spec{
		SchemaVersion: topology.SchemaVersion, ID: "test-fabric", Family: topology.Custom, HasNetworkResources: true,
		Workload: topology.Workload{BatchSize: 1, InputSequenceLength: 1, OutputSequenceLength: 1},
		Execution: topology.Execution{MaxEvents: s.MaxEvents, Parallelism: topology.Parallelism{
			Composition: topology.Cartesian, Tensor: 1, Pipeline: 1, Expert: 1, Data: 1}},
	}}
	b.devices()
	b.networks()
	b.links()
	b.groups()
	return b.spec
}

// Scenario is Spec validated; it panics on a mistake in this package.
func Scenario(s Shape) *topology.Scenario {
	scn, err := topology.New(*Spec(s))
	if err != nil {
		panic(err)
	}
	return scn
}

// DeviceID is the id of device d, counted over all nodes.
func (s Shape) DeviceID(d int) string {
	return fmt.Sprintf("n%d/d%d", d/s.DevicesPerNode, d%s.DevicesPerNode)
}

// NodeID is the node of device d.
func (s Shape) NodeID(d int) string { return fmt.Sprintf("n%d", d/s.DevicesPerNode) }

// RankID is the rank of device d.
func (s Shape) RankID(d int) string { return fmt.Sprintf("r%02d", d) }

// LinkID is the link from the memory of device a to that of device b.
func (s Shape) LinkID(a, b int) string { return fmt.Sprintf("%02d>%02d", a, b) }

// Devices is the number of devices.
func (s Shape) Devices() int { return s.Nodes * s.DevicesPerNode }

type builder struct {
	shape Shape
	spec  *topology.Spec
}

func (b *builder) devices() {
	for d := range b.shape.Devices() {
		id, node := b.shape.DeviceID(d), b.shape.NodeID(d)
		memory := id + "/mem"
		b.spec.MemoryDomains = append(b.spec.MemoryDomains, topology.MemoryDomain{
			ID: memory, NodeID: node, Kind: topology.DeviceMemory, CapacityBytes: 1 << 30, ResourceLimitBytes: 1 << 30,
			BandwidthBytesPerSec: 1e9, AllocationClasses: []topology.AllocationClass{topology.DeviceClass},
			AccessibleBy: []string{id}, Governor: topology.Governor{Kind: topology.DeviceGovernor, DeviceID: id}, Provenance: provenance,
		})
		b.spec.Devices = append(b.spec.Devices, topology.Device{
			ID: id, NodeID: node, Kind: topology.GPU, ExecutionProvider: "Test", MemoryDomainIDs: []string{memory},
			Capabilities:         []topology.Capability{topology.Attention, topology.FFN, topology.Collective, topology.Copy},
			SupportedDtypes:      []string{"fp16"},
			MaxConcurrentCompute: b.shape.ComputeLanes, Provenance: provenance,
		})
		p := topology.Placement{PartitionID: "part-" + id, DeviceID: id, RequiredCapabilities: []topology.Capability{topology.Attention}}
		for k, name := range Buffers {
			purpose := topology.Workspace
			if k == 0 {
				purpose = topology.Weights
			}
			p.Allocations = append(p.Allocations, topology.Allocation{
				PhysicalAllocationID: id + "." + name, DomainID: memory, Bytes: 4096, AllocationClass: topology.DeviceClass, Purpose: purpose})
		}
		b.spec.Placements = append(b.spec.Placements, p)
	}
}

func (b *builder) networks() {
	add := func(id, node string, kind topology.NetworkKind) {
		b.spec.NetworkResources = append(b.spec.NetworkResources, topology.NetworkResource{
			ID: id, Kind: kind, NodeID: node, BandwidthBytesPerSec: 1e9, ConcurrencyLanes: b.shape.NetworkLanes,
			SupportedTransports: []topology.Transport{topology.TCP}, DirectMemoryDomainIDs: []string{}, Provenance: provenance})
	}
	add("switch", "", topology.Switch)
	for n := range b.shape.Nodes {
		add(fmt.Sprintf("nic%d", n), fmt.Sprintf("n%d", n), topology.NIC)
	}
}

func (b *builder) links() {
	for from := range b.shape.Devices() {
		for to := range b.shape.Devices() {
			if from == to {
				continue
			}
			l := topology.Link{
				ID: b.shape.LinkID(from, to), Kind: topology.NVLink, BandwidthBytesPerSec: 1e9, ConcurrencyLanes: b.shape.LinkLanes,
				SourceDomainID: b.shape.DeviceID(from) + "/mem", TargetDomainID: b.shape.DeviceID(to) + "/mem", Provenance: provenance,
			}
			if a, z := from/b.shape.DevicesPerNode, to/b.shape.DevicesPerNode; a != z {
				l.Kind, l.HasNetworkResourceIDs = topology.Ethernet, true
				l.NetworkResourceIDs = []string{fmt.Sprintf("nic%d", a), "switch", fmt.Sprintf("nic%d", z)}
			}
			b.spec.Links = append(b.spec.Links, l)
		}
	}
}

func (b *builder) groups() {
	rank := func(d int) topology.Rank {
		return topology.Rank{RankID: b.shape.RankID(d), DeviceID: b.shape.DeviceID(d)}
	}
	span := func(id string, from, to int) {
		g := topology.Group{ID: id}
		for d := from; d < to; d++ {
			g.OrderedRanks = append(g.OrderedRanks, rank(d))
		}
		b.spec.Groups = append(b.spec.Groups, g)
	}
	span("world", 0, b.shape.Devices())
	for n := range b.shape.Nodes {
		span(fmt.Sprintf("node%d", n), n*b.shape.DevicesPerNode, (n+1)*b.shape.DevicesPerNode)
	}
	for d := range b.shape.Devices() - 1 {
		span(fmt.Sprintf("pair%02d", d), d, d+2)
	}
	b.spec.Groups = append(b.spec.Groups, topology.Group{ID: "alias", OrderedRanks: []topology.Rank{
		{RankID: "alias", DeviceID: b.shape.DeviceID(0)}, rank(b.shape.Devices() - 1)}})
}
