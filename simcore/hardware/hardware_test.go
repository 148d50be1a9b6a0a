package hardware

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/issue"
)

func TestDensePeaks(t *testing.T) {
	for _, c := range []struct {
		profile, dtype string
		want           float64 // 0: none
	}{
		{"nvidia-geforce-rtx-4090", "fp16", 165.2e12}, // with fp32 accumulation, not the faster 330.3e12
		{"nvidia-geforce-rtx-4090", "FP16", 165.2e12},
		{"nvidia-geforce-rtx-5090", "fp8", 419e12},
		{"nvidia-h100-sxm", "fp8", 1979e12},
		{"intel-gaudi-3", "bf16", 0}, // of unspecified density
		{"intel-xeon-platinum-8480-plus-cpu", "fp64", 56 * 2.0e9 * 2 * 8 * 2},
		{"intel-xeon-6980p-cpu", "fp64", 128 * 2.0e9 * 2 * 8 * 2},
		{"amd-epyc-9654-cpu", "fp64", 96 * 2.4e9 * 2 * 4 * 2},
		{"amd-epyc-9654-cpu", "fp32", 2 * 96 * 2.4e9 * 2 * 4 * 2},
		{"apple-m2-pro-neural-engine", "vendor_ai", 0},
		{"intel-core-ultra-x9-388h-gpu", "int8", 120e12},
		{"intel-core-ultra-x9-388h-gpu", "fp16", 0},
		{"intel-core-ultra-9-285k-gpu", "fp16", 2e12},
	} {
		p, known := ProfileByID(c.profile)
		if !known {
			t.Errorf("there is no profile %s", c.profile)
			continue
		}
		peak, ok := p.DensePeak(c.dtype)
		if ok != (c.want != 0) || peak.OperationsPerSecond != c.want {
			t.Errorf("%s in %s: %g %t, want %g", c.profile, c.dtype, peak.OperationsPerSecond, ok, c.want)
		}
	}
	if _, known := ProfileByID("abacus"); known {
		t.Error("an abacus is registered")
	}
}

func TestDensePeakPrefersFP32ThenTheSlowest(t *testing.T) {
	peak := func(rate float64, s Sparsity, accumulation string) Peak {
		return Peak{"fp16", rate, Tensor, s, accumulation, 0}
	}
	for _, c := range []struct {
		peaks []Peak
		want  float64
	}{
		{[]Peak{peak(9, Dense, "fp16"), peak(5, Dense, "fp32"), peak(3, Dense, "fp32")}, 5},
		{[]Peak{peak(9, Dense, "fp16"), peak(5, Dense, ""), peak(5, Dense, "fp16")}, 5},
		{[]Peak{peak(1, Structured, "fp32"), peak(2, Unspecified, "")}, 0},
	} {
		p := Profile{Peaks: c.peaks}
		if got, _ := p.DensePeak("fp16"); got.OperationsPerSecond != c.want {
			t.Errorf("%v gives %g, want %g", c.peaks, got.OperationsPerSecond, c.want)
		}
	}
}

func TestOfferedDtypes(t *testing.T) {
	p, _ := ProfileByID("nvidia-geforce-rtx-5090")
	if got := strings.Join(p.OfferedDtypes(), " "); got != "fp16 bf16 fp8 fp4 int8" {
		t.Errorf("an RTX 5090 offers %s", got)
	}
	p, _ = ProfileByID("apple-m2-pro-neural-engine")
	if got := p.OfferedDtypes(); len(got) != 0 {
		t.Errorf("a neural engine offers %v", got)
	}
}

// The registry's facts have been compared, once, with revision 1 of the contract;
// the digest keeps them.
func TestRegistry(t *testing.T) {
	dtypes := strings.Fields("fp64 fp32 tf32 bf16 fp16 fp8 fp6 fp4 int8 int4 int2 int1 vendor_ai")
	vendors := strings.Fields("NVIDIA AMD Intel Qualcomm Apple")
	count := map[Kind]int{}
	seen := map[string]bool{}
	var all strings.Builder
	for _, p := range Profiles() {
		count[p.DeviceKind]++
		if seen[p.ID] || p.ReleaseDate < "2022" || len(p.Sources) == 0 || !slices.Contains(vendors, p.Vendor) {
			t.Errorf("profile %+v is malformed", p)
		}
		seen[p.ID] = true
		fmt.Fprintf(&all, "%s|%s|%s|%s|%s|%s|%s\n", p.ID, p.Vendor, p.Model, p.ReleaseDate, p.DeviceKind, p.Class, strings.Join(p.Aliases, ","))
		for _, peak := range p.Peaks {
			if !slices.Contains(dtypes, peak.Dtype) || !(peak.OperationsPerSecond > 0) || peak.SourceIndex >= len(p.Sources) ||
				(peak.Accumulation != "" && !slices.Contains(dtypes, peak.Accumulation)) {
				t.Errorf("%s: peak %+v is malformed", p.ID, peak)
			}
			fmt.Fprintf(&all, "  %s|%g|%s|%s|%s\n", peak.Dtype, peak.OperationsPerSecond, peak.Engine, peak.Sparsity, peak.Accumulation)
		}
	}
	if count[CPU] != 40 || count[GPU] != 22 || count[NPU] != 20 {
		t.Errorf("the registry holds %v", count)
	}
	sum := sha256.Sum256([]byte(all.String()))
	if got := hex.EncodeToString(sum[:8]); got != "80e328658eacc896" {
		t.Errorf("the digest of the registry is %s", got)
	}
}

func TestAnalyserPresets(t *testing.T) {
	if got := strings.Join(DeviceNames(), " "); got != "h100-sxm h200-sxm a100-80g a100-40g l40s rtx-4090 rtx-5090 b200 m1-max m2-ultra m4-max m4-ultra" {
		t.Errorf("devices are %s", got)
	}
	if got := strings.Join(TopologyNames(), " "); got != "dgx-h100 h100-8x dgx-h200 h200-8x 2x-dgx-h100 4x-mac-studio-m4 a100-4x rtx-4090-2x" {
		t.Errorf("topologies are %s", got)
	}
	ultra, err := DevicePreset("m4-ultra")
	if err != nil || ultra != (Device{"", "unified", Memory{549755813888, 1090000000000.0001, 70}, Compute{76e12, 76e12, 76e12}}) {
		t.Errorf("an M4 Ultra is %+v, %v", ultra, err)
	}
	h100, _ := DevicePreset("h100-sxm")
	if h100 != (Device{"", "gpu", Memory{85899345920, 3.35e12, 100}, Compute{990e12, 1979e12, 1979e12}}) {
		t.Errorf("an H100 is %+v", h100)
	}
	for name, c := range map[string]struct {
		nodes, devices, wires int // devices and wires of a node
		between               string
		host                  Memory
	}{
		"dgx-h100":         {1, 8, 28, "[]", Memory{2199023255552, 50e9, 80}},
		"h200-8x":          {1, 8, 28, "[]", Memory{2199023255552, 50e9, 80}},
		"2x-dgx-h100":      {2, 8, 28, "[{[node0 node1] 5e+10 1000 infiniband}]", Memory{2199023255552, 50e9, 80}},
		"4x-mac-studio-m4": {4, 1, 0, "[{[node0 node1] 5e+09 2000 thunderbolt} {[node1 node2] 5e+09 2000 thunderbolt} {[node2 node3] 5e+09 2000 thunderbolt}]", Memory{137438953472, 546e9, 70}},
		"a100-4x":          {1, 4, 6, "[]", Memory{1099511627776, 50e9, 80}},
		"rtx-4090-2x":      {1, 2, 1, "[]", Memory{137438953472, 50e9, 80}},
	} {
		m, err := TopologyPreset(name)
		if err != nil || len(m.Nodes) != c.nodes || fmt.Sprint(m.InterNodeLinks) != c.between {
			t.Errorf("%s is %+v, %v", name, m, err)
			continue
		}
		for _, n := range m.Nodes {
			if len(n.Devices) != c.devices || len(n.InterDeviceLinks) != c.wires || n.HostMemory != c.host {
				t.Errorf("%s: node %s has %d devices, %d wires, host %v", name, n.ID, len(n.Devices), len(n.InterDeviceLinks), n.HostMemory)
			}
		}
	}
	pair, _ := TopologyPreset("rtx-4090-2x")
	if got := fmt.Sprint(pair.Nodes[0].InterDeviceLinks); got != "[{[node0:gpu0 node0:gpu1] 3.2e+10 1500 pcie}]" {
		t.Errorf("two RTX 4090 are joined by %s", got)
	}
	mesh, _ := TopologyPreset("a100-4x")
	if got := fmt.Sprint(mesh.Nodes[0].InterDeviceLinks[3]); got != "{[node0:gpu1 node0:gpu2] 6e+11 500 nvlink}" {
		t.Errorf("the fourth wire of four A100 is %s", got)
	}
	if _, err := DevicePreset("h100"); issue.All(err)[0].Code != "unknown_preset" {
		t.Errorf("an unknown device gives %v", err)
	}
	if _, err := TopologyPreset("dgx-h10"); !strings.Contains(err.Error(), "did you mean dgx-h100") {
		t.Errorf("an unknown topology gives %v", err)
	}
}
