package topology

import (
	"math"

	"github.com/inferlab/inferlab/simcore/issue"
)

// memoryBus is the bus that gives a machine its memory bandwidth.
type memoryBus struct {
	label               string
	megatransfersPerSec int64
	widthBits           int64
}

// bytesPerSecond is the bandwidth that the bus allows (contract 08 section B2.1).
func (b memoryBus) bytesPerSecond() float64 {
	return float64(b.megatransfersPerSec) * 1e6 * (float64(b.widthBits) / 8)
}

// check refuses a declared bandwidth that is more than one percent away from what
// the bus allows.
func (b memoryBus) check(machine string, declared int64) error {
	derived := b.bytesPerSecond()
	if deviation := math.Abs(derived-float64(declared)) / derived; !(deviation <= 0.01) {
		return issue.New("memory_bus", machine, "the declared %d bytes per second do not fit the bus %s, which allows %s", declared, b.label, show(derived))
	}
	return nil
}

// computer is a machine that one can buy: a desktop with a discrete GPU, or chips
// around one coherent memory.
type computer struct {
	name, node string
	bus        memoryBus
	rate       int64 // bytes per second of VRAM or unified memory
	capacity   int64 // of VRAM or unified memory
	limit      int64 // allocatable part of it
	storage    int64
	gpu        chipModel
	npu        chipModel // unified machines
	desktop    *desktop  // nil: a unified machine
	scaled     bool      // extents are sized against the limit (contract 08 section B2.3)
}

// chipModel names a chip of a computer.
type chipModel struct{ name, profile, provider string }

// desktop is what a discrete GPU is plugged into.
type desktop struct{ hostCapacity, hostLimit, hostRate, pcieRate int64 }

var computers = []computer{
	{
		name: "rtx-4090-desktop", node: "desktop", bus: memoryBus{"GDDR6X-21000", 21000, 384},
		rate: 1008 * gB, capacity: 24 * giB, limit: 22 * giB, storage: 2 * tiB,
		gpu:     chipModel{"rtx4090", "nvidia-geforce-rtx-4090", cudaProvider},
		desktop: &desktop{64 * giB, 56 * giB, 83 * gB, 32 * gB},
	},
	{
		name: "rtx-5090-desktop", node: "desktop", bus: memoryBus{"GDDR7-28000", 28000, 512},
		rate: 1792 * gB, capacity: 32 * giB, limit: 30 * giB, storage: 4 * tiB,
		gpu:     chipModel{"rtx5090", "nvidia-geforce-rtx-5090", cudaProvider},
		desktop: &desktop{128 * giB, 112 * giB, 90 * gB, 64 * gB},
	},
	{
		name: "mac-mini-m4-pro-64gb", node: "mac-mini", bus: memoryBus{"LPDDR5X-8533", 8533, 256},
		rate: 273 * gB, capacity: 64 * giB, limit: 56 * giB, storage: 2 * tiB,
		gpu: chipModel{"m4-pro-gpu", "apple-m4-pro-gpu", coreMLProvider},
		npu: chipModel{"m4-pro-neural-engine", "apple-m4-pro-neural-engine", coreMLProvider},
	},
	{
		name: "mac-studio-m3-ultra-512gb", node: "mac-studio", bus: memoryBus{"LPDDR5-6400", 6400, 1024},
		rate: 819 * gB, capacity: 512 * giB, limit: 480 * giB, storage: 8 * tiB,
		gpu: chipModel{"m3-ultra-gpu", "apple-m3-ultra-gpu", coreMLProvider},
		npu: chipModel{"m3-ultra-neural-engine", "apple-m3-ultra-neural-engine", coreMLProvider},
	},
	{
		name: "ryzen-ai-max-395-128gb", node: "ryzen-ai", bus: memoryBus{"LPDDR5X-8000", 8000, 256},
		rate: 256 * gB, capacity: 128 * giB, limit: 112 * giB, storage: 2 * tiB,
		gpu: chipModel{"radeon-8060s", "", directML},
		npu: chipModel{"xdna2-npu", "", directML},
	},
}

var furtherComputers = []computer{
	{
		name: "panther-lake-x9-388h-32gb", node: "panther-lake", bus: memoryBus{"LPDDR5X-9600", 9600, 128},
		rate: 153_600_000_000, capacity: 32 * giB, limit: 28 * giB, storage: tiB, scaled: true,
		gpu: chipModel{"xe3-igpu", "intel-core-ultra-x9-388h-gpu", openVINO},
		npu: chipModel{"npu5", "intel-core-ultra-x9-388h-npu", openVINO},
	},
	{
		name: "arrow-lake-s-285k-64gb", node: "arrow-lake-s", bus: memoryBus{"DDR5-6400", 6400, 128},
		rate: 102_400_000_000, capacity: 64 * giB, limit: 56 * giB, storage: 2 * tiB, scaled: true,
		gpu: chipModel{"xe-lpg-igpu", "intel-core-ultra-9-285k-gpu", openVINO},
		npu: chipModel{"npu3", "intel-core-ultra-9-285k-npu", openVINO},
	},
}

func computerNamed(name string) *computer {
	for _, list := range [][]computer{computers, furtherComputers} {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
	}
	return nil
}

func (c *computer) build() (*Scenario, error) {
	if err := c.bus.check(c.name, c.rate); err != nil {
		return nil, err
	}
	if c.desktop != nil {
		return c.buildDesktop()
	}
	return c.buildUnified()
}

func (c *computer) buildDesktop() (*Scenario, error) {
	a := assemble(c.name, SingleDiscrete)
	a.storageBytes = c.storage
	cpu, gpu := c.node+":cpu", c.node+":"+c.gpu.name
	host := a.host(c.node, c.desktop.hostCapacity, c.desktop.hostLimit, c.desktop.hostRate, cpu, gpu)
	vram := a.local(c.node, gpu, ":vram", c.capacity, c.limit, c.rate)
	a.chip(c.node, cpu, CPU, cpuProvider, []string{host}, Copy, Sampling)
	a.chip(c.node, gpu, GPU, c.gpu.provider, []string{vram, host}, discreteGPU...).ComputeProfileID = c.gpu.profile
	a.pair(c.node+":pcie", host, vram, PCIe, c.desktop.pcieRate, 1500)
	a.offloading(gpu, host, vram, 8*giB, 2*giB, 2*giB)
	return a.finish()
}

func (c *computer) buildUnified() (*Scenario, error) {
	a := assemble(c.name, Unified)
	a.storageBytes, a.scaledCaches = c.storage, c.scaled
	cpu, gpu, npu := c.node+":cpu", c.node+":"+c.gpu.name, c.node+":"+c.npu.name
	memory := a.unified(c.node, c.capacity, c.limit, c.rate, cpu, gpu, npu)
	a.chip(c.node, cpu, CPU, cpuProvider, []string{memory}, unifiedCPU...)
	a.chip(c.node, gpu, GPU, c.gpu.provider, []string{memory}, unifiedGPU...).ComputeProfileID = c.gpu.profile
	a.chip(c.node, npu, NPU, c.npu.provider, []string{memory}, unifiedNPU...).ComputeProfileID = c.npu.profile
	base := c.capacity
	if c.scaled {
		base = c.limit
	}
	a.place("target", gpu, []Capability{Attention, FFN},
		modelAllocations("target", memory, UnifiedClass, min(60*giB, base/2), min(16*giB, base/8), 256*miB)...)
	a.ranks("world", gpu)
	return a.finish()
}
