package hardware

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// Memory is what the static analyser knows of a memory. Rates are doubles: one
// preset is 1.09 x 10^12 as a double computes it.
type Memory struct {
	CapacityBytes        float64
	BandwidthBytesPerSec float64
	LatencyNs            float64
}

// Compute holds dense rates in floating-point operations per second.
type Compute struct{ FP16Flops, FP8Flops, INT8Flops float64 }

// Device is one accelerator of the static analyser. Kind is gpu, npu or unified.
type Device struct {
	ID      string // empty in a device preset
	Kind    string
	Memory  Memory
	Compute Compute
}

// Wire is an undirected connection of two devices or two nodes.
type Wire struct {
	Endpoints            [2]string
	BandwidthBytesPerSec float64
	LatencyNs            float64
	Kind                 string // nvlink, pcie, infiniband or thunderbolt
}

// Node is one system of a Topology.
type Node struct {
	ID               string
	Devices          []Device
	HostMemory       Memory
	InterDeviceLinks []Wire
}

// Topology is a machine as the static analyser takes it.
type Topology struct {
	Nodes          []Node
	InterNodeLinks []Wire
}

const (
	giB = 1 << 30
	tiB = 1 << 40
)

func gpu(capacityGiB, bytesPerSec, latencyNs, fp16, fp8, int8 float64) Device {
	return Device{Kind: "gpu",
		Memory:  Memory{capacityGiB * giB, bytesPerSec, latencyNs},
		Compute: Compute{fp16, fp8, int8}}
}

// soc is a unified chip, whose rate is the same in every format.
func soc(capacityGiB, bytesPerSec, latencyNs, flops float64) Device {
	d := gpu(capacityGiB, bytesPerSec, latencyNs, flops, flops, flops)
	d.Kind = "unified"
	return d
}

// devicePresets in the order in which they are listed (contract 02 section 14.1):
// GiB, bytes/s, ns, and flop/s at fp16, fp8, int8. The bandwidth of m4-ultra is
// 1.09 x 10^12 as doubles multiply it.
var devicePresets = []struct {
	name   string
	device Device
}{
	{"h100-sxm", gpu(80, 3350e9, 100, 990e12, 1979e12, 1979e12)},
	{"h200-sxm", gpu(141, 4800e9, 100, 990e12, 1979e12, 1979e12)},
	{"a100-80g", gpu(80, 2000e9, 100, 312e12, 624e12, 624e12)},
	{"a100-40g", gpu(40, 1600e9, 100, 312e12, 624e12, 624e12)},
	{"l40s", gpu(48, 864e9, 150, 366e12, 733e12, 733e12)},
	{"rtx-4090", gpu(24, 1000e9, 120, 165e12, 330e12, 330e12)},
	{"rtx-5090", gpu(32, 1790e9, 100, 420e12, 838e12, 838e12)},
	{"b200", gpu(192, 8000e9, 80, 2250e12, 4500e12, 4500e12)},
	{"m1-max", soc(64, 400e9, 80, 10.4e12)},
	{"m2-ultra", soc(192, 800e9, 80, 27.2e12)},
	{"m4-max", soc(128, 546e9, 70, 38e12)},
	{"m4-ultra", soc(512, 1090000000000.0001, 70, 76e12)},
}

// topologyPresets in the order in which they are listed, aliases included.
var topologyPresets = []struct {
	name  string
	build func() Topology
}{
	{"dgx-h100", func() Topology { return dgx("h100-sxm", 1) }},
	{"h100-8x", func() Topology { return dgx("h100-sxm", 1) }},
	{"dgx-h200", func() Topology { return dgx("h200-sxm", 1) }},
	{"h200-8x", func() Topology { return dgx("h200-sxm", 1) }},
	{"2x-dgx-h100", func() Topology { return dgx("h100-sxm", 2) }},
	{"4x-mac-studio-m4", macStudios},
	{"a100-4x", func() Topology {
		return Topology{Nodes: []Node{mesh(0, "a100-80g", 4, tiB, "nvlink", 600e9)}}
	}},
	{"rtx-4090-2x", func() Topology {
		return Topology{Nodes: []Node{mesh(0, "rtx-4090", 2, 128*giB, "pcie", 32e9)}}
	}},
}

// mesh is a node of n equal GPUs, every two of them joined.
func mesh(k int, preset string, n int, hostBytes float64, kind string, rate float64) Node {
	latency := 500.0
	if kind == "pcie" {
		latency = 1500
	}
	node := Node{ID: fmt.Sprintf("node%d", k), HostMemory: Memory{hostBytes, 50e9, 80}}
	for i := range n {
		d, _ := DevicePreset(preset) // the names of this file are known
		d.ID = fmt.Sprintf("%s:gpu%d", node.ID, i)
		node.Devices = append(node.Devices, d)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			node.InterDeviceLinks = append(node.InterDeviceLinks,
				Wire{[2]string{node.Devices[i].ID, node.Devices[j].ID}, rate, latency, kind})
		}
	}
	return node
}

func dgx(preset string, nodes int) Topology {
	var t Topology
	for k := range nodes {
		t.Nodes = append(t.Nodes, mesh(k, preset, 8, 2*tiB, "nvlink", 900e9))
	}
	t.chain("infiniband", 50e9, 1000)
	return t
}

func macStudios() Topology {
	var t Topology
	for k := range 4 {
		d, _ := DevicePreset("m4-max")
		node := Node{ID: fmt.Sprintf("node%d", k), HostMemory: d.Memory}
		d.ID = node.ID + ":soc"
		node.Devices = []Device{d}
		t.Nodes = append(t.Nodes, node)
	}
	t.chain("thunderbolt", 5e9, 2000)
	return t
}

// chain joins every node to the next.
func (t *Topology) chain(kind string, rate, latencyNs float64) {
	for k := 1; k < len(t.Nodes); k++ {
		t.InterNodeLinks = append(t.InterNodeLinks, Wire{[2]string{t.Nodes[k-1].ID, t.Nodes[k].ID}, rate, latencyNs, kind})
	}
}

// DeviceNames lists the device presets in their order.
func DeviceNames() []string {
	names := make([]string, len(devicePresets))
	for i := range devicePresets {
		names[i] = devicePresets[i].name
	}
	return names
}

// TopologyNames lists the topology presets and their aliases in their order.
func TopologyNames() []string {
	names := make([]string, len(topologyPresets))
	for i := range topologyPresets {
		names[i] = topologyPresets[i].name
	}
	return names
}

// DevicePreset returns a device of the static analyser. An unknown name is an
// *issue.Error with code unknown_preset.
func DevicePreset(name string) (Device, error) {
	for i := range devicePresets {
		if devicePresets[i].name == name {
			return devicePresets[i].device, nil
		}
	}
	return Device{}, unknownPreset("device", name, DeviceNames())
}

// TopologyPreset builds a machine of the static analyser. An unknown name is an
// *issue.Error with code unknown_preset.
func TopologyPreset(name string) (Topology, error) {
	i := slices.Index(TopologyNames(), name)
	if i < 0 {
		return Topology{}, unknownPreset("topology", name, TopologyNames())
	}
	return topologyPresets[i].build(), nil
}

func unknownPreset(what, name string, known []string) error {
	return issue.New("unknown_preset", "", "there is no %s preset %q%s", what, name, document.Suggest(name, known))
}
