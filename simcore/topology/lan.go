package topology

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
)

// The smallest and largest LAN.
const (
	MinLAN = 2
	MaxLAN = 4
)

// NoLatency asks for a latency of 0 ns in LANOptions, where 0 means the default.
const NoLatency int64 = -1

// LANOptions shape the network of a LAN. A zero field takes its default, which
// for some depends on the kind of link; rates are bytes per second.
type LANOptions struct {
	Advanced  bool      // NICs and a shared switch shape and contend every link
	LinkKind  LinkKind  // Ethernet (default) or InfiniBand
	Transport Transport // TCP on Ethernet, RDMAHost on InfiniBand

	BandwidthBytesPerSec int64 // 10e9 on Ethernet, 50e9 on InfiniBand
	LatencyNs            int64 // 10000 on Ethernet, 3000 on InfiniBand
	LinkConcurrencyLanes int64 // 1

	NICBandwidthBytesPerSec int64 // 25e9
	NICLatencyNs            int64 // 700
	NICConcurrencyLanes     int64 // 2

	FabricBandwidthBytesPerSec int64 // 50e9
	FabricLatencyNs            int64 // 500
	FabricConcurrencyLanes     int64 // the number of systems
}

// withDefaults fills in the zero fields for n systems.
func (o LANOptions) withDefaults(n int) (LANOptions, error) {
	rate, latency, transport := 10*gB, int64(10_000), TCP
	switch o.LinkKind {
	case "":
		o.LinkKind = Ethernet
	case Ethernet:
	case InfiniBand:
		rate, latency, transport = 50*gB, 3000, RDMAHost
	default:
		return o, issue.New("lan_options", "linkKind", "a LAN has ethernet or infiniband links, found %q", string(o.LinkKind))
	}
	if o.Transport == "" {
		o.Transport = transport
	}
	if o.Transport == GPUDirectRDMA && !o.Advanced {
		return o, issue.New("lan_options", "transport", "gpudirect_rdma needs the advanced mode, whose NICs reach device memory")
	}
	for _, f := range []struct {
		field   *int64
		absent  int64
		latency bool
	}{
		{&o.BandwidthBytesPerSec, rate, false},
		{&o.LatencyNs, latency, true},
		{&o.LinkConcurrencyLanes, 1, false},
		{&o.NICBandwidthBytesPerSec, 25 * gB, false},
		{&o.NICLatencyNs, 700, true},
		{&o.NICConcurrencyLanes, 2, false},
		{&o.FabricBandwidthBytesPerSec, 50 * gB, false},
		{&o.FabricLatencyNs, 500, true},
		{&o.FabricConcurrencyLanes, int64(n), false},
	} {
		switch {
		case *f.field == 0:
			*f.field = f.absent
		case f.latency && *f.field == NoLatency:
			*f.field = 0
		}
	}
	return o, nil
}

// station is one system of a LAN.
type station struct{ node, host, vram string }

// fabricID is the shared switch of an advanced LAN.
const fabricID = "lan:fabric0"

// network makes the NICs, the switch and the links between all stations.
func (o LANOptions) network(stations []station, p evidence.Provenance) (resources []NetworkResource, links []Link) {
	direct := o.Transport == GPUDirectRDMA
	if o.Advanced {
		for _, s := range stations {
			nic := NetworkResource{ID: s.node + ":nic0", Kind: NIC, NodeID: s.node,
				BandwidthBytesPerSec: o.NICBandwidthBytesPerSec, LatencyNs: o.NICLatencyNs, ConcurrencyLanes: o.NICConcurrencyLanes,
				SupportedTransports: []Transport{o.Transport}, Provenance: p}
			if direct {
				nic.DirectMemoryDomainIDs = []string{s.vram}
			}
			resources = append(resources, nic)
		}
		resources = append(resources, NetworkResource{ID: fabricID, Kind: Switch,
			BandwidthBytesPerSec: o.FabricBandwidthBytesPerSec, LatencyNs: o.FabricLatencyNs, ConcurrencyLanes: o.FabricConcurrencyLanes,
			SupportedTransports: []Transport{o.Transport}, Provenance: p})
	}
	for _, from := range stations {
		for _, to := range stations {
			if from == to {
				continue
			}
			l := Link{ID: "lan:" + from.node + ":" + to.node, SourceDomainID: from.host, TargetDomainID: to.host, Kind: o.LinkKind,
				BandwidthBytesPerSec: o.BandwidthBytesPerSec, LatencyNs: o.LatencyNs, ConcurrencyLanes: o.LinkConcurrencyLanes,
				Transport: o.Transport, Provenance: p}
			if direct {
				l.SourceDomainID, l.TargetDomainID = from.vram, to.vram
			}
			if o.Advanced {
				l.NetworkResourceIDs = []string{from.node + ":nic0", fabricID, to.node + ":nic0"}
			}
			links = append(links, l)
		}
	}
	return resources, links
}

// LAN builds a small LAN of n equal systems, each a CPU and a GPU, with one rank of
// a tensor- and expert-parallel group in each (contract 02 section 10.6). n
// outside 2 … 4 is an *issue.Error with code lan_size, options that do not fit
// together one with code lan_options.
func LAN(n int, o LANOptions) (*Scenario, error) {
	a, err := assembleLAN(n, o)
	if err != nil {
		return nil, err
	}
	return a.finish()
}

func assembleLAN(n int, o LANOptions) (*assembly, error) {
	if n < MinLAN || n > MaxLAN {
		return nil, issue.New("lan_size", "", "expected %d to %d systems, found %d", MinLAN, MaxLAN, n)
	}
	o, err := o.withDefaults(n)
	if err != nil {
		return nil, err
	}
	id := "multi-node"
	if n > 2 {
		id += "-" + decimal(n)
	}
	a := assemble(id, MultiNode)
	stations, gpus := make([]station, n), make([]string, n)
	for k := range stations {
		stations[k], gpus[k] = a.system(k)
	}
	for _, s := range stations {
		a.pair(s.node+":pcie", s.host, s.vram, PCIe, 32*gB, 1500)
	}
	resources, links := o.network(stations, builtIn())
	a.NetworkResources, a.HasNetworkResources = resources, o.Advanced
	a.Links = append(a.Links, links...)
	for k, s := range stations {
		a.shard(k, gpus[k], s.vram, 72*giB/int64(n), 16*giB/int64(n),
			Allocation{"staging-" + decimal(k), s.host, giB, Pinned, Staging})
	}
	t := Transfer{ID: "cross-node-collective", SourceDomainID: stations[0].vram, TargetDomainID: stations[1].vram, Bytes: 64 * miB}
	if o.Transport != GPUDirectRDMA {
		t.RequiresPinnedStaging, t.StagingAllocationIDs = true, []string{"staging-0", "staging-1"}
	}
	a.Transfers = append(a.Transfers, t)
	a.ranks("tp", gpus...)
	a.overlap(n)
	return a, nil
}

// system adds the chips and memories of station k.
func (a *assembly) system(k int) (s station, gpu string) {
	node := fmt.Sprintf("node%d", k)
	cpu, gpu := node+":cpu0", node+":gpu0"
	s = station{node: node}
	s.host = a.host(node, 256*giB, 256*giB, 100*gB, cpu, gpu)
	s.vram = a.local(node, gpu, ":vram", 80*giB, 80*giB, 2000*gB)
	a.chip(node, cpu, CPU, cpuProvider, []string{s.host}, Copy, Sampling)
	a.chip(node, gpu, GPU, cudaProvider, []string{s.vram, s.host}, Attention, FFN, Collective, Copy, Draft)
	return s, gpu
}

// multiNode is the preset: two systems over host-staged RDMA, whose links predate
// the names of the builder and declare no transport.
func multiNode() (*Scenario, error) {
	a, err := assembleLAN(2, LANOptions{LinkKind: InfiniBand})
	if err != nil {
		return nil, err
	}
	renamed := map[string]string{"lan:node0:node1": "cluster:rdma:forward", "lan:node1:node0": "cluster:rdma:reverse"}
	for i := range a.Links {
		if id, ok := renamed[a.Links[i].ID]; ok {
			a.Links[i].ID, a.Links[i].Transport = id, ""
		}
	}
	return a.finish()
}
