package topology

import (
	"fmt"
	"testing"

	"github.com/inferlab/inferlab/simcore/document"
)

// BenchmarkRing64 validates the largest ring and routes every ordered pair of its
// memories, without remembered routes.
func BenchmarkRing64(b *testing.B) {
	s, err := Ring(64)
	if err != nil {
		b.Fatal(err)
	}
	spec := *s.Spec()
	pairs := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := New(spec)
		if err != nil {
			b.Fatal(err)
		}
		pairs = 0
		for i := range spec.MemoryDomains {
			for j := range spec.MemoryDomains {
				if _, ok := s.Route(spec.MemoryDomains[i].ID, spec.MemoryDomains[j].ID, 64*miB, false); ok {
					pairs++
				}
			}
		}
	}
	// Storage is read through one link and never written: 65 domains reach each
	// other, storage reaches them and itself.
	if pairs != 65*65+65+1 {
		b.Fatalf("routed %d pairs", pairs)
	}
	b.ReportMetric(float64(pairs)*float64(b.N)/b.Elapsed().Seconds(), "routes/s")
}

// BenchmarkRouteAgain asks for remembered routes.
func BenchmarkRouteAgain(b *testing.B) {
	s, err := Ring(64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Route("node0:gpu0:vram", "node0:gpu32:vram", 64*miB, false); !ok {
			b.Fatal("no route")
		}
	}
}

// cluster is a machine of many systems in a chain, as large as a test wants.
func cluster(systems int) Spec {
	a := assemble("cluster", Custom)
	gpus := make([]string, systems)
	var hosts []string
	for k := range systems {
		s, gpu := a.system(k)
		gpus[k] = gpu
		hosts = append(hosts, s.host)
		a.pair(s.node+":pcie", s.host, s.vram, PCIe, 32*gB, 1500)
		if k > 0 {
			a.pair(fmt.Sprintf("wire%d", k), hosts[k-1], hosts[k], Ethernet, 10*gB, 10_000)
		}
		a.shard(k, gpu, s.vram, giB, giB, Allocation{"staging-" + decimal(k), s.host, giB, Pinned, Staging})
		a.Transfers = append(a.Transfers, Transfer{ID: fmt.Sprintf("fill%d", k), SourceDomainID: s.host, TargetDomainID: s.vram, Bytes: miB})
	}
	a.ranks("tp", gpus...)
	a.overlap(systems)
	return a.Spec
}

// BenchmarkRead reads scenario files of 5 MB: bytes to validated scenario.
func BenchmarkRead(b *testing.B) {
	s, err := New(cluster(920))
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"cluster.json", s.JSON()}, {"cluster.yaml", s.YAML()}} {
		b.Run(file.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(file.data)))
			for b.Loop() {
				doc, err := document.Parse(file.data, file.name)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := ReadScenario(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
