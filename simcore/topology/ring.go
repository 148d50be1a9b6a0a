package topology

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/issue"
)

// The smallest and largest ring of GPUs.
const (
	MinRing = 2
	MaxRing = 64
)

// Ring builds multi-gpu-ring-n: n GPUs of one node behind PCIe, joined to a ring
// of NVLink, with tensor- and expert-parallel ranks over all of them (contract 02
// section 10.5). n outside 2 … 64 is an *issue.Error with code ring_size.
func Ring(n int) (*Scenario, error) {
	if n < MinRing || n > MaxRing {
		return nil, ringSize(decimal(n))
	}
	return ring("multi-gpu-ring-"+decimal(n), n)
}

func ringSize(n string) error {
	return issue.New("ring_size", "", "a GPU ring has %d to %d GPUs, found %s", MinRing, MaxRing, n)
}

func ring(id string, n int) (*Scenario, error) {
	const node, cpu = "node0", "node0:cpu0"
	a := assemble(id, MultiGPU)
	gpus, vrams := make([]string, n), make([]string, n)
	for i := range gpus {
		gpus[i] = fmt.Sprintf("node0:gpu%d", i)
	}
	host := a.host(node, 512*giB, 512*giB, 120*gB, append([]string{cpu}, gpus...)...)
	a.chip(node, cpu, CPU, cpuProvider, []string{host}, Copy, Sampling)
	for i, gpu := range gpus {
		vrams[i] = a.local(node, gpu, ":vram", 80*giB, 80*giB, 3000*gB)
		a.chip(node, gpu, GPU, cudaProvider, []string{vrams[i], host}, discreteGPU...)
	}
	for i, vram := range vrams {
		a.pair(fmt.Sprintf("node0:pcie%d", i), host, vram, PCIe, 32*gB, 1500)
	}
	a.nvlinkRing(vrams)
	for i, gpu := range gpus {
		a.shard(i, gpu, vrams[i], 36*giB, 8*giB)
	}
	first := &a.Placements[0]
	first.Allocations = append(first.Allocations, Allocation{"expert-cache-host", host, 256 * miB, Pinned, Staging})
	a.Transfers = append(a.Transfers, Transfer{ID: "tensor-parallel", SourceDomainID: vrams[0], TargetDomainID: vrams[1], Bytes: 64 * miB})
	a.ranks("tp", gpus...)
	a.overlap(n)
	return a.finish()
}

// nvlinkRing joins neighbours; two GPUs need one pair only.
func (a *assembly) nvlinkRing(vrams []string) {
	if len(vrams) == 2 {
		a.pair("node0:nvlink", vrams[0], vrams[1], NVLink, 600*gB, 500)
		return
	}
	for i, vram := range vrams {
		j := (i + 1) % len(vrams)
		a.pair(fmt.Sprintf("node0:nvlink%d%d", i, j), vram, vrams[j], NVLink, 600*gB, 500)
	}
}

// shard places one of several equal parts of the model.
func (a *assembly) shard(i int, gpu, vram string, weights, kv int64, more ...Allocation) {
	k := decimal(i)
	a.place("target-shard-"+k, gpu, []Capability{Attention, FFN, Collective}, append([]Allocation{
		{"weights-" + k, vram, weights, DeviceClass, Weights},
		{"kv-" + k, vram, kv, DeviceClass, KV},
		{"workspace-" + k, vram, 128 * miB, DeviceClass, Workspace},
	}, more...)...)
}
