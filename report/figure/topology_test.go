package figure_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/topology"
)

// mesh is a machine of equal systems, each with so many devices and memories; every
// ordered pair of memories of different systems has a link, over the systems' adapters
// and one switch when switched, and so has every pair within a system.
func mesh(systems, devices int, switched bool) figure.Topology {
	f := figure.Topology{Source: figure.Source{Run: "mesh", Confidence: evidence.Exact}}
	type end struct{ id, system string }
	var ends []end
	if switched {
		f.Nodes = append(f.Nodes, topology.ProjectedNode{ID: "fabric", Category: topology.NetworkNode, Network: &topology.NetworkResource{ID: "fabric", Kind: topology.Switch, BandwidthBytesPerSec: 1e12, ConcurrencyLanes: 8}})
	}
	for s := range systems {
		name := fmt.Sprintf("n%02d", s)
		f.Nodes = append(f.Nodes, topology.ProjectedNode{ID: "system:" + name, Category: topology.SystemNode, Title: name})
		for d := range devices {
			device, memory := fmt.Sprintf("%s:gpu%d", name, d), fmt.Sprintf("%s:gpu%d:vram", name, d)
			f.Nodes = append(f.Nodes, topology.ProjectedNode{ID: device, Category: topology.DeviceNode, ParentID: "system:" + name, Device: &topology.Device{ID: device, Kind: "gpu"}},
				topology.ProjectedNode{ID: memory, Category: topology.MemoryNode, ParentID: "system:" + name, Enabled: true, Memory: &topology.MemoryDomain{ID: memory, Kind: "device", CapacityBytes: 1 << 36, ResourceLimitBytes: 1 << 36}})
			f.Edges = append(f.Edges, topology.ProjectedEdge{ID: "access " + device, Source: device, Target: memory, Local: true})
			ends = append(ends, end{memory, name})
		}
		if switched {
			f.Nodes = append(f.Nodes, topology.ProjectedNode{ID: name + ":nic", Category: topology.NetworkNode, ParentID: "system:" + name, Network: &topology.NetworkResource{ID: name + ":nic", Kind: topology.NIC, BandwidthBytesPerSec: 5e10, ConcurrencyLanes: 1}})
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			if a == b {
				continue
			}
			link := &topology.Link{ID: "link:" + a.id + ">" + b.id, SourceDomainID: a.id, TargetDomainID: b.id, Kind: "nvlink", BandwidthBytesPerSec: 6e11, LatencyNs: 500, ConcurrencyLanes: 1}
			way := []string{a.id, b.id}
			if a.system != b.system {
				link.Kind, link.BandwidthBytesPerSec = "infiniband", 5e10
				if switched {
					way = []string{a.id, a.system + ":nic", "fabric", b.system + ":nic", b.id}
				}
			}
			for i := 1; i < len(way); i++ {
				f.Edges = append(f.Edges, topology.ProjectedEdge{ID: link.ID + strconv.Itoa(i), Kind: string(link.Kind), Source: way[i-1], Target: way[i],
					InterNode: a.system != b.system, Link: link, SegmentIndex: i - 1, Labelled: true})
			}
		}
	}
	return f
}

// TestCrowdedTopology draws machines with thousands of links in few lines: every box
// and every link is counted once, the drawing is small, and the caption says so.
func TestCrowdedTopology(t *testing.T) {
	lines := regexp.MustCompile(`([\d,]+) × (nvlink|infiniband), `)
	for _, c := range []struct {
		name                       string
		systems, devices           int
		switched                   bool
		nvlink, infiniband, widest int
	}{
		{"one-system", 1, 64, false, 64 * 63, 0, 80 << 10},
		{"systems", 64, 1, false, 0, 64 * 63, 84 << 10},
		{"two-systems", 2, 8, false, 8 * 7, 2 * 8 * 8, 40 << 10},
		{"switched", 16, 4, true, 4 * 3, 3840 + 480, 90 << 10},
	} {
		f := mesh(c.systems, c.devices, c.switched)
		for _, width := range []float64{350, 900} {
			svg, err := f.SVG(figure.Options{Width: width, Page: true})
			if err != nil {
				t.Fatal(err)
			}
			again, _ := f.SVG(figure.Options{Width: width, Page: true})
			if !bytes.Equal(svg, again) {
				t.Errorf("%s: two drawings differ", c.name)
			}
			if len(svg) > c.widest {
				t.Errorf("%s at %.0f px: %d bytes, want at most %d", c.name, width, len(svg), c.widest)
			}
			if *look != "" {
				png, err := f.PNG(figure.Options{Width: width})
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*look, fmt.Sprintf("crowded-%s-%.0f.png", c.name, width)), png, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if width < 900 {
				continue
			}
			got := map[string]int{}
			for _, m := range lines.FindAllStringSubmatch(regexp.MustCompile(`<title>[^<]*</title>`).ReplaceAllString(string(svg), ""), -1) {
				n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
				got[m[2]] += n
			}
			if got["nvlink"] != c.nvlink || got["infiniband"] != c.infiniband {
				t.Errorf("%s: the lines above say %v, want %d and %d", c.name, got, c.nvlink, c.infiniband)
			}
			for i := range f.Nodes {
				if n := &f.Nodes[i]; n.Category != topology.SystemNode && !bytes.Contains(svg, []byte("<title>"+n.ID+": ")) {
					t.Errorf("%s: %s has no box", c.name, n.ID)
				}
			}
			if text := f.Text(); !strings.Contains(text.Caption, "too many to draw one by one") {
				t.Errorf("%s: caption %q", c.name, text.Caption)
			}
			if f.Table().Len != len(f.Edges) {
				t.Errorf("%s: the table has %d rows of %d edges", c.name, f.Table().Len, len(f.Edges))
			}
		}
	}
}
