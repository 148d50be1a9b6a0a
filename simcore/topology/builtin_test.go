package topology

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
)

// digest identifies everything about a machine but the prose of its provenance.
func digest(s *Scenario) string {
	spec := s.spec.clone()
	for i := range spec.MemoryDomains {
		blank(&spec.MemoryDomains[i].Provenance)
	}
	for i := range spec.Devices {
		blank(&spec.Devices[i].Provenance)
	}
	for i := range spec.NetworkResources {
		blank(&spec.NetworkResources[i].Provenance)
	}
	for i := range spec.Links {
		blank(&spec.Links[i].Provenance)
	}
	text, err := canonical.Text(spec.document())
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func blank(p *evidence.Provenance) { p.Source, p.Notes = "-", "" }

var (
	directInfiniBand = LANOptions{Advanced: true, LinkKind: InfiniBand, Transport: GPUDirectRDMA}
	slowEthernet     = LANOptions{BandwidthBytesPerSec: 5 * gB}
)

func reconfigured(n int, options ...LANOptions) (*Scenario, error) {
	s, err := LAN(n, LANOptions{})
	for _, o := range options {
		if err == nil {
			s, err = Reconfigure(s, o)
		}
	}
	return s, err
}

// builtIns are machines whose whole content has been compared, once, with the
// materialised scenarios of the contract's revision 5; the digests keep it.
var builtIns = []struct {
	name, digest string
	build        func() (*Scenario, error)
}{
	{"rtx-4090-desktop", "acd8e367795402d7", nil},
	{"rtx-5090-desktop", "ab0bb632813b41ac", nil},
	{"mac-mini-m4-pro-64gb", "66d1110491f3346d", nil},
	{"mac-studio-m3-ultra-512gb", "75fb0ebcc85242bd", nil},
	{"ryzen-ai-max-395-128gb", "291f4b6a927aa719", nil},
	{"cpu-only", "8ee7864d6bba6ad2", nil},
	{"single-gpu-cpu", "45d14b44b8454f0b", nil},
	{"multi-gpu", "faa6a1307f4497ee", nil},
	{"gpu-npu", "2d14f33a495a7645", nil},
	{"unified-memory", "4298c9010832d599", nil},
	{"multi-node", "5af11571322b2a9c", nil},
	{"multi-gpu-ring-2", "ad753338fdd3fef9", nil},
	{"multi-gpu-ring-3", "8c53e25b4c199951", nil},
	{"multi-gpu-ring-4", "97d54f62b45f8326", nil},
	{"multi-gpu-ring-8", "840ceafe7b57976c", nil},
	{"lan-2", "80d515c36ee32270", func() (*Scenario, error) { return LAN(2, LANOptions{}) }},
	{"lan-3", "30d6a1f75f3d248e", func() (*Scenario, error) { return LAN(3, LANOptions{}) }},
	{"lan-4", "c72855b809e26e5d", func() (*Scenario, error) { return LAN(4, LANOptions{}) }},
	{"lan-2-infiniband", "4fc4b709d13443c0", func() (*Scenario, error) { return LAN(2, LANOptions{LinkKind: InfiniBand}) }},
	{"lan-3-advanced-tcp", "e13668393ab40b38", func() (*Scenario, error) { return LAN(3, LANOptions{Advanced: true}) }},
	{"lan-2-advanced-rdma-host", "d55eabbea1dae862", func() (*Scenario, error) {
		return LAN(2, LANOptions{Advanced: true, LinkKind: InfiniBand})
	}},
	{"lan-2-advanced-gpudirect", "0f919010cee17dac", func() (*Scenario, error) { return LAN(2, directInfiniBand) }},
	{"lan-4-advanced-gpudirect", "d2310b4c505530c7", func() (*Scenario, error) {
		return LAN(4, LANOptions{Advanced: true, Transport: GPUDirectRDMA,
			BandwidthBytesPerSec: 40 * gB, LatencyNs: 2000, LinkConcurrencyLanes: 2,
			NICBandwidthBytesPerSec: 20 * gB, NICLatencyNs: 600, NICConcurrencyLanes: 4,
			FabricBandwidthBytesPerSec: 80 * gB, FabricLatencyNs: 350, FabricConcurrencyLanes: 8})
	}},
	{"lan-3-reconfigured-gpudirect", "9a6c0df8d7d6eff4", func() (*Scenario, error) { return reconfigured(3, directInfiniBand) }},
	{"lan-3-reconfigured-simple", "5122819c6cf13971", func() (*Scenario, error) { return reconfigured(3, directInfiniBand, slowEthernet) }},
}

func TestBuiltInMachines(t *testing.T) {
	for _, m := range builtIns {
		build := m.build
		if build == nil {
			build = func() (*Scenario, error) { return Target(m.name, noFiles) }
		}
		s, err := build()
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if got := digest(s); got != m.digest {
			t.Errorf("%s: digest %s, want %s", m.name, got, m.digest)
		}
		if s.PerformanceEvidence() != evidence.Heuristic {
			t.Errorf("%s claims %s evidence", m.name, s.PerformanceEvidence())
		}
	}
}

func noFiles(path string) ([]byte, error) { return nil, errors.New("no file " + path) }

func TestNames(t *testing.T) {
	want := "rtx-4090-desktop rtx-5090-desktop mac-mini-m4-pro-64gb mac-studio-m3-ultra-512gb ryzen-ai-max-395-128gb " +
		"cpu-only single-gpu-cpu multi-gpu gpu-npu unified-memory multi-node"
	if got := strings.Join(PresetNames(), " "); got != want {
		t.Errorf("presets are %s", got)
	}
	if got := strings.Join(FurtherComputerNames(), " "); got != "panther-lake-x9-388h-32gb arrow-lake-s-285k-64gb" {
		t.Errorf("further computers are %s", got)
	}
	if _, err := Preset("multi-gup"); err == nil || !strings.Contains(err.Error(), "did you mean multi-gpu") {
		t.Errorf("a misspelled preset gives %v", err)
	}
}

// A further computer reserves by its limit, so that its description never
// overcommits itself.
func TestFurtherComputersFitTheirLimits(t *testing.T) {
	for name, want := range map[string][3]int64{ // weights, KV, each cache
		"panther-lake-x9-388h-32gb": {14 * giB, 7 * giB / 2, 7 * giB / 2},
		"arrow-lake-s-285k-64gb":    {28 * giB, 7 * giB, 7 * giB},
	} {
		s, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int64{}
		for i, id := range []string{"target-weights", "target-kv", "expert-hot-cache:target"} {
			a, _ := s.Allocation(id)
			got[i] = a.Bytes
		}
		if got != want {
			t.Errorf("%s reserves %v, want %v", name, got, want)
		}
		for _, e := range s.Ledger() {
			if e.FreeBytes < 0 {
				t.Errorf("%s overcommits %s by %d", name, e.DomainID, -e.FreeBytes)
			}
		}
	}
}

// The declared bandwidth of a computer must be what its memory bus can carry.
func TestMemoryBus(t *testing.T) {
	for _, list := range [][]computer{computers, furtherComputers} {
		for _, c := range list {
			if err := c.bus.check(c.name, c.rate); err != nil {
				t.Error(err)
			}
			for _, wrong := range []int64{c.rate * 102 / 100, c.rate * 98 / 100, 0} {
				err := c.bus.check(c.name, wrong)
				if err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.bus.label) || !strings.Contains(err.Error(), fmt.Sprint(wrong)) {
					t.Errorf("%s at %d bytes per second gives %v", c.name, wrong, err)
				}
			}
		}
	}
	if (memoryBus{}).check("nothing", 0) == nil {
		t.Error("a bus of no width passes")
	}
}

func TestRings(t *testing.T) {
	for n := MinRing; n <= MaxRing; n++ {
		s, err := Ring(n)
		if err != nil {
			t.Fatalf("ring of %d: %v", n, err)
		}
		links := 2*n + 2*n + 1 // PCIe pairs, NVLink pairs, storage
		if n == 2 {
			links -= 2
		}
		spec := s.Spec()
		if len(spec.Devices) != n+1 || len(spec.MemoryDomains) != n+2 || len(spec.Links) != links || len(spec.Groups[0].OrderedRanks) != n {
			t.Fatalf("ring of %d has %d devices, %d domains, %d links", n, len(spec.Devices), len(spec.MemoryDomains), len(spec.Links))
		}
		if p := spec.Execution.Parallelism; p != (Parallelism{OverlapByCapability, int64(n), 1, int64(n), 1}) {
			t.Fatalf("ring of %d has parallelism %v", n, p)
		}
	}
	for _, n := range []int{-1, 0, 1, 65} {
		if _, err := Ring(n); err == nil || !strings.Contains(err.Error(), fmt.Sprint(n)) || !strings.Contains(err.Error(), "64") {
			t.Errorf("ring of %d gives %v", n, err)
		}
	}
}

func TestLANRefusals(t *testing.T) {
	lan3, err := LAN(3, LANOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := Preset("cpu-only")
	if err != nil {
		t.Fatal(err)
	}
	mac, err := Preset("mac-mini-m4-pro-64gb")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		make func() (*Scenario, error)
		code string
	}{
		"one system":         {func() (*Scenario, error) { return LAN(1, LANOptions{}) }, "lan_size"},
		"five systems":       {func() (*Scenario, error) { return LAN(5, LANOptions{}) }, "lan_size"},
		"direct but simple":  {func() (*Scenario, error) { return LAN(2, LANOptions{Transport: GPUDirectRDMA}) }, "lan_options"},
		"pcie":               {func() (*Scenario, error) { return LAN(2, LANOptions{LinkKind: PCIe}) }, "lan_options"},
		"unknown transport":  {func() (*Scenario, error) { return LAN(2, LANOptions{Transport: "carrier-pigeon"}) }, "enum_value"},
		"negative rate":      {func() (*Scenario, error) { return LAN(2, LANOptions{BandwidthBytesPerSec: -5}) }, "positive_integer"},
		"reconfigure direct": {func() (*Scenario, error) { return Reconfigure(lan3, LANOptions{Transport: GPUDirectRDMA}) }, "lan_options"},
		"reconfigure one":    {func() (*Scenario, error) { return Reconfigure(cpu, LANOptions{}) }, "lan_shape"},
		"reconfigure mac":    {func() (*Scenario, error) { return Reconfigure(mac, LANOptions{}) }, "lan_shape"},
	} {
		_, err := c.make()
		all := issue.All(err)
		if len(all) == 0 || all[0].Code != c.code {
			t.Errorf("%s: got %v, want code %s", name, err, c.code)
		}
	}
	s, err := LAN(2, LANOptions{LatencyNs: NoLatency, NICLatencyNs: NoLatency, Advanced: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, latency := s.LinkRate(s.LinkIndex("lan:node0:node1")); latency != 500 {
		t.Errorf("a LAN without latency but its switch has %d ns", latency)
	}
}

func TestTarget(t *testing.T) {
	file := func(path string) ([]byte, error) {
		s, err := Preset("cpu-only")
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(path[len(path)-5:], ".json") {
			return s.JSON(), nil
		}
		return s.YAML(), nil
	}
	for name, id := range map[string]string{
		"multi-gpu": "multi-gpu", "multi-gpu-ring-12": "multi-gpu-ring-12", "arrow-lake-s-285k-64gb": "arrow-lake-s-285k-64gb",
		"a.json": "cpu-only", "b.YAML": "cpu-only", "c.yml": "cpu-only", "dir/D.JSON": "cpu-only",
	} {
		if s, err := Target(name, file); err != nil || s.ID() != id {
			t.Errorf("target %s: %v, want %s", name, err, id)
		}
	}
	for name, code := range map[string]string{
		"": "unknown_target", "Multi-GPU": "unknown_target", "multi-gpu-ring-04": "unknown_target", "multi-gpu-ring-0": "unknown_target",
		"multi-gpu-ring-2.5": "unknown_target", "multi-gpu-ring--1": "unknown_target", "lab.toml": "unknown_target",
		"multi-gpu-ring-1": "ring_size", "multi-gpu-ring-65": "ring_size", "multi-gpu-ring-99999999999999999999": "ring_size",
	} {
		_, err := Target(name, file)
		if all := issue.All(err); len(all) != 1 || all[0].Code != code {
			t.Errorf("target %q gives %v, want %s", name, err, code)
		}
	}
	if _, err := Target("x.json", noFiles); err == nil || err.Error() != "no file x.json" {
		t.Errorf("an unreadable file gives %v", err)
	}
	bad := func(string) ([]byte, error) { return []byte("{"), nil }
	if _, err := Target("x.json", bad); err == nil || issue.All(err)[0].Code != document.CodeSyntax {
		t.Errorf("a broken file gives %v", err)
	}
	if names := TargetNames(); len(names) != 13 || slices.Contains(names, "multi-gpu-ring-2") {
		t.Errorf("targets are %v", names)
	}
}
