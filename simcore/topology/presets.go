package topology

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// The execution providers of the built-in machines.
const (
	cpuProvider    = "CPUExecutionProvider"
	cudaProvider   = "CUDAExecutionProvider"
	qnnProvider    = "QNNExecutionProvider"
	coreMLProvider = "CoreMLExecutionProvider"
	directML       = "DirectMLExecutionProvider"
	openVINO       = "OpenVINOExecutionProvider"
)

func decimal(i int) string { return strconv.Itoa(i) }

// preset is a built-in machine by name.
type preset struct {
	name  string
	build func() (*Scenario, error)
}

// familyPresets are the six topology families in their order.
var familyPresets = []preset{
	{"cpu-only", cpuOnly},
	{"single-gpu-cpu", singleGPU},
	{"multi-gpu", func() (*Scenario, error) { return ring("multi-gpu", 2) }},
	{"gpu-npu", gpuNPU},
	{"unified-memory", unifiedFamily},
	{"multi-node", multiNode},
}

// ComputerNames lists the five computer presets in their order.
func ComputerNames() []string {
	names := make([]string, len(computers))
	for i := range computers {
		names[i] = computers[i].name
	}
	return names
}

// FurtherComputerNames lists the machines that are scenario targets without being
// listed presets (contract 08 section B2.2).
func FurtherComputerNames() []string {
	names := make([]string, len(furtherComputers))
	for i := range furtherComputers {
		names[i] = furtherComputers[i].name
	}
	return names
}

// FamilyNames lists the six topology families in their order.
func FamilyNames() []string {
	names := make([]string, len(familyPresets))
	for i := range familyPresets {
		names[i] = familyPresets[i].name
	}
	return names
}

// PresetNames lists all eleven presets: computers, then families.
func PresetNames() []string { return append(ComputerNames(), FamilyNames()...) }

// Preset builds the machine of a preset or further computer. An unknown name is an
// *issue.Error with code unknown_preset that offers the nearest names.
func Preset(name string) (*Scenario, error) {
	for i := range familyPresets {
		if familyPresets[i].name == name {
			return familyPresets[i].build()
		}
	}
	if c := computerNamed(name); c != nil {
		return c.build()
	}
	known := append(PresetNames(), FurtherComputerNames()...)
	return nil, issue.New("unknown_preset", "", "there is no preset %q%s", name, document.Suggest(name, known))
}

// modelAllocations are the weights, KV and workspace of one partition.
func modelAllocations(prefix, domain string, class AllocationClass, weights, kv, workspace int64) []Allocation {
	return []Allocation{
		{prefix + "-weights", domain, weights, class, Weights},
		{prefix + "-kv", domain, kv, class, KV},
		{prefix + "-workspace", domain, workspace, class, Workspace},
	}
}

func cpuOnly() (*Scenario, error) {
	const node, cpu = "node0", "node0:cpu0"
	a := assemble("cpu-only", CPUOnly)
	host := a.host(node, 128*giB, 128*giB, 100*gB, cpu)
	a.chip(node, cpu, CPU, cpuProvider, []string{host}, Attention, FFN, Copy, Sampling, Draft)
	a.place("target", cpu, []Capability{Attention, FFN},
		modelAllocations("target", host, Pageable, 8*giB, 2*giB, 256*miB)...)
	a.ranks("world", cpu)
	return a.finish()
}

// discreteGPU is what one GPU with memory of its own can do.
var discreteGPU = []Capability{Attention, FFN, Collective, Copy, Sampling, Draft}

func singleGPU() (*Scenario, error) {
	const node, cpu, gpu = "node0", "node0:cpu0", "node0:gpu0"
	a := assemble("single-gpu-cpu", SingleDiscrete)
	host := a.host(node, 256*giB, 256*giB, 100*gB, cpu, gpu)
	vram := a.local(node, gpu, ":vram", 80*giB, 80*giB, 2000*gB)
	a.chip(node, cpu, CPU, cpuProvider, []string{host}, Copy, Sampling)
	a.chip(node, gpu, GPU, cudaProvider, []string{vram, host}, discreteGPU...)
	a.pair("node0:pcie0", host, vram, PCIe, 32*gB, 1500)
	a.offloading(gpu, host, vram, 40*giB, 8*giB, 4*giB)
	return a.finish()
}

// offloading places a whole model on one discrete GPU with pinned host staging
// and the transfer that fills it.
func (a *assembly) offloading(gpu, host, vram string, weights, kv, staging int64) {
	a.place("target", gpu, []Capability{Attention, FFN},
		append(modelAllocations("target", vram, DeviceClass, weights, kv, 256*miB),
			Allocation{"offload-staging", host, staging, Pinned, Staging})...)
	a.Transfers = append(a.Transfers, Transfer{ID: "offload-to-gpu", SourceDomainID: host, TargetDomainID: vram, Bytes: staging})
	a.ranks("world", gpu)
}

func gpuNPU() (*Scenario, error) {
	const node, cpu, gpu, npu = "node0", "node0:cpu0", "node0:gpu0", "node0:npu0"
	a := assemble("gpu-npu", GPUNPU)
	host := a.host(node, 128*giB, 128*giB, 80*gB, cpu, gpu, npu)
	vram := a.local(node, gpu, ":vram", 48*giB, 48*giB, 900*gB)
	npuMemory := a.local(node, npu, ":memory", 16*giB, 16*giB, 200*gB)
	a.chip(node, cpu, CPU, cpuProvider, []string{host}, Copy, Sampling)
	a.chip(node, gpu, GPU, cudaProvider, []string{vram, host}, FFN, Collective, Copy, Sampling, Draft)
	a.chip(node, npu, NPU, qnnProvider, []string{npuMemory, host}, Attention, Copy)
	a.pair("node0:gpu-pcie", host, vram, PCIe, 32*gB, 1500)
	a.pair("node0:npu-pcie", host, npuMemory, PCIe, 16*gB, 2000)
	a.place("attention", npu, []Capability{Attention},
		append(modelAllocations("attention", npuMemory, DeviceClass, 8*giB, 4*giB, 256*miB),
			Allocation{"npu-staging", host, 2 * giB, Pinned, Staging})...)
	a.place("ffn", gpu, []Capability{FFN},
		Allocation{"ffn-weights", vram, 30 * giB, DeviceClass, Weights},
		Allocation{"ffn-workspace", vram, 256 * miB, DeviceClass, Workspace},
		Allocation{"gpu-staging", host, 2 * giB, Pinned, Staging})
	a.Transfers = append(a.Transfers, Transfer{ID: "npu-to-gpu-activation", SourceDomainID: npuMemory, TargetDomainID: vram,
		Bytes: 256 * miB, RequiresPinnedStaging: true, StagingAllocationIDs: []string{"npu-staging"}})
	a.ranks("pipeline", npu, gpu)
	a.Execution.Parallelism.Pipeline = 2
	return a.finish()
}

// What the chips of a unified machine can do.
var (
	unifiedCPU = []Capability{Attention, FFN, Copy, Sampling, Draft}
	unifiedGPU = []Capability{Attention, FFN, Copy, Sampling, Draft}
	unifiedNPU = []Capability{Attention, Copy, Draft}
)

func unifiedFamily() (*Scenario, error) {
	const node, cpu, gpu = "node0", "node0:cpu0", "node0:gpu0"
	a := assemble("unified-memory", Unified)
	memory := a.unified(node, 128*giB, 128*giB, 500*gB, cpu, gpu)
	a.chip(node, cpu, CPU, cpuProvider, []string{memory}, unifiedCPU...)
	a.chip(node, gpu, GPU, coreMLProvider, []string{memory}, unifiedGPU...)
	a.place("target", gpu, []Capability{Attention, FFN},
		modelAllocations("target", memory, UnifiedClass, 60*giB, 16*giB, 256*miB)...)
	a.ranks("world", gpu)
	return a.finish()
}
