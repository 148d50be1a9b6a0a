package topology

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
)

func TestLookUps(t *testing.T) {
	s := built(t)(LAN(2, directInfiniBand))
	if s.Domain("node1:host").BandwidthBytesPerSec != 100*gB || s.Device("node1:gpu0").Kind != GPU || s.Link("lan:node1:node0").Transport != GPUDirectRDMA ||
		s.NetworkResource("lan:fabric0").Kind != Switch || len(s.Group("tp").OrderedRanks) != 2 || s.Placement("target-shard-1").DeviceID != "node1:gpu0" {
		t.Error("a look-up finds something else")
	}
	if s.Domain("x") != nil || s.Device("x") != nil || s.Link("x") != nil || s.NetworkResource("x") != nil || s.Group("x") != nil || s.Placement("x") != nil {
		t.Error("a look-up finds what is not there")
	}
	if a, p := s.Allocation("staging-1"); a.Bytes != giB || p.PartitionID != "target-shard-1" {
		t.Errorf("staging-1 is %v of %v", a, p)
	}
	if a, p := s.Allocation("x"); a != nil || p != nil {
		t.Error("an allocation x is found")
	}
	got := []int{s.DomainIndex("node1:host"), s.DeviceIndex("node1:cpu0"), s.LinkIndex("node0:pcie:reverse"), s.NetworkResourceIndex("lan:fabric0"), s.GroupIndex("tp"), s.PlacementIndex("expert-tier:node0"),
		s.DomainIndex("x"), s.DeviceIndex("x"), s.LinkIndex("x"), s.NetworkResourceIndex("x"), s.GroupIndex("x"), s.PlacementIndex("x")}
	if want := []int{2, 2, 1, 2, 0, 2, -1, -1, -1, -1, -1, -1}; !cmp.Equal(got, want) {
		t.Errorf("positions are %v, want %v", got, want)
	}
	if device, ok := s.RankDevice("rank-1"); !ok || device != "node1:gpu0" {
		t.Errorf("rank-1 is %s", device)
	}
	if _, ok := s.RankDevice("rank-2"); ok || s.RankCount() != 4 {
		t.Errorf("there are %d ranks", s.RankCount())
	}
	if rate, latency := s.LinkRate(s.LinkIndex("lan:node0:node1")); rate != 25*gB || latency != 3000+700+500+700 {
		t.Errorf("the direct link has %d bytes per second and %d ns", rate, latency)
	}
	if _, ok := s.LinkDuration(0, 0); ok {
		t.Error("a link carries nothing")
	}
}

func TestPerformanceEvidence(t *testing.T) {
	spec := *built(t)(LAN(2, directInfiniBand)).Spec().clone()
	mark := func(c evidence.Class) evidence.Provenance { return evidence.Provenance{Confidence: c, Source: "x"} }
	for i := range spec.MemoryDomains {
		spec.MemoryDomains[i].Provenance = mark(evidence.Exact)
	}
	for i := range spec.Devices {
		spec.Devices[i].Provenance = mark(evidence.Exact)
	}
	for i := range spec.Links {
		spec.Links[i].Provenance = mark(evidence.Calibrated)
	}
	if got := built(t)(New(spec)).PerformanceEvidence(); got != evidence.Calibrated { // resources do not count
		t.Errorf("evidence is %s", got)
	}
	spec.Devices[1].Provenance = mark(evidence.Heuristic)
	if got := built(t)(New(spec)).PerformanceEvidence(); got != evidence.Heuristic {
		t.Errorf("evidence is %s", got)
	}
}

func TestLedger(t *testing.T) {
	s := built(t)(Ring(12))
	entries := s.Ledger()
	var order []string
	for _, e := range entries {
		order = append(order, strings.TrimPrefix(e.DomainID, "node0:"))
	}
	if got := strings.Join(order, " "); got != "gpu0:vram gpu10:vram gpu11:vram gpu1:vram gpu2:vram gpu3:vram gpu4:vram gpu5:vram gpu6:vram gpu7:vram gpu8:vram gpu9:vram host storage" {
		t.Errorf("the order is %s", got)
	}
	want := LedgerEntry{"node0:gpu0:vram", true, 80 * giB, 80 * giB, 36*giB + 8*giB + 128*miB + 8*giB, 28*giB - 128*miB}
	if entries[0] != want {
		t.Errorf("got %+v, want %+v", entries[0], want)
	}
	off := built(t)(s.With(SSDStreaming(false))).Ledger()
	if got := off[len(off)-1]; got != (LedgerEntry{"node0:storage", false, 2 * tiB, 0, 0, 0}) {
		t.Errorf("storage switched off gives %+v", got)
	}
	tight := built(t)(s.With(LimitGiB("node0:gpu0:vram", 40)))
	if got := tight.Ledger()[0]; got.FreeBytes != -12*giB-128*miB || got.PhysicalCapacityBytes != 80*giB || got.CapacityBytes != 40*giB {
		t.Errorf("a limit below the reservations gives %+v", got)
	}
}

func TestLedgerWith(t *testing.T) {
	s := built(t)(Preset("cpu-only"))
	entries, err := s.LedgerWith(map[string]int64{"target-weights": 0, "target-kv": 3 * giB})
	if err != nil || entries[0].ReservedBytes != 3*giB+256*miB+8*giB+8*giB {
		t.Errorf("got %+v, %v", entries, err)
	}
	for _, c := range []struct {
		sizes map[string]int64
		want  string
	}{
		{map[string]int64{"zz": 1, "target-kv": 1, "aa": 1}, "unknown_allocation@allocationBytes.aa"},
		{map[string]int64{"target-kv": -1}, "invalid_allocation_override@allocationBytes.target-kv"},
		{map[string]int64{"target-kv": math.MaxInt64}, "invalid_allocation_override@allocationBytes.target-kv"},
		{map[string]int64{"target-kv": 1<<53 - 1}, "integer_overflow@placements.target"},
	} {
		_, err := s.LedgerWith(c.sizes)
		if all := issue.All(err); len(all) != 1 || all[0].Code+"@"+all[0].Path != c.want {
			t.Errorf("%v gives %v, want %s", c.sizes, err, c.want)
		}
	}
}

func TestWith(t *testing.T) {
	s := built(t)(LAN(2, directInfiniBand))
	before := s.Fingerprint()
	c := built(t)(s.With(
		CapacityGiB("node0:host", 512), LimitGiB("node0:host", 1.5), MemoryBandwidthGBps("node0:host", 88.5), MemoryLatencyNs("node0:host", 9),
		LinkBandwidthGBps("lan:node0:node1", 12.5), LinkLatencyNs("lan:node0:node1", 0), LinkLanes("lan:node0:node1", 3),
		NetworkBandwidthGBps("lan:fabric0", 100), NetworkLatencyNs("lan:fabric0", 1), NetworkLanes("lan:fabric0", 9),
		ComputeLanes("node0:gpu0", 2), ComputeProfile("node0:gpu0", "nvidia-h100-sxm"), ExecutionProvider("node0:gpu0", "TensorRT"),
		ComputePeaks("node1:gpu0", ComputePeak{"FP16", 5e12}), Capabilities("node1:cpu0", Copy), SSDStreaming(false)))
	spec := c.Spec()
	if spec.ID != "multi-node-custom" || spec.Family != Custom || spec.Execution.TopologyEpoch != 1 || spec.Execution.SSDStreaming {
		t.Errorf("the edited head is %s %s %d %t", spec.ID, spec.Family, spec.Execution.TopologyEpoch, spec.Execution.SSDStreaming)
	}
	d := c.Domain("node0:host")
	if d.CapacityBytes != 512*giB || d.ResourceLimitBytes != 3*giB/2 || d.BandwidthBytesPerSec != 88_500_000_000 || d.LatencyNs != 9 {
		t.Errorf("the edited domain is %+v", d)
	}
	l, r := c.Link("lan:node0:node1"), c.NetworkResource("lan:fabric0")
	if l.BandwidthBytesPerSec != 12_500_000_000 || l.LatencyNs != 0 || l.ConcurrencyLanes != 3 || r.BandwidthBytesPerSec != 100*gB || r.LatencyNs != 1 || r.ConcurrencyLanes != 9 {
		t.Errorf("the edited network is %+v, %+v", l, r)
	}
	g := c.Device("node0:gpu0")
	if g.MaxConcurrentCompute != 2 || g.ExecutionProvider != "TensorRT" || strings.Join(g.SupportedDtypes, " ") != "fp16 bf16 fp8 int8" {
		t.Errorf("the edited device is %+v", g)
	}
	if rate, ok := g.ComputePeak("BF16"); !ok || rate != 989.5e12 {
		t.Errorf("an H100 does %g in bf16", rate)
	}
	if rate, ok := c.Device("node1:gpu0").ComputePeak("fp16"); !ok || rate != 5e12 {
		t.Errorf("the custom device does %g in fp16", rate)
	}
	if _, ok := c.Device("node1:cpu0").ComputePeak("fp16"); ok {
		t.Error("a CPU without a binding has a peak")
	}
	for i := range spec.Links {
		if p := spec.Links[i].Provenance; p != (evidence.Provenance{Confidence: evidence.Heuristic, Source: "edited by the user"}) {
			t.Errorf("provenance is %+v", p)
		}
	}
	again := built(t)(c.With(ComputeProfile("node0:gpu0", "")))
	if again.ID() != "multi-node-custom" || again.Spec().Execution.TopologyEpoch != 2 || again.Device("node0:gpu0").ComputeProfileID != "" {
		t.Errorf("the second edit gives %s at epoch %d", again.ID(), again.Spec().Execution.TopologyEpoch)
	}
	s.fingerprint = ""
	if s.Fingerprint() != before {
		t.Error("the edited scenario changed its origin")
	}
}

func TestEditRefusals(t *testing.T) {
	s := built(t)(Preset("single-gpu-cpu"))
	for _, c := range []struct {
		edit Edit
		want string
	}{
		{LimitGiB("node0:hots", 1), "unknown_item@node0:hots"},
		{ComputeLanes("gpu", 1), "unknown_item@gpu"},
		{LinkLanes("", 1), "unknown_item@"},
		{NetworkLanes("x", 1), "unknown_item@x"},
		{LimitGiB("node0:host", 0), "invalid_edit@node0:host.resourceLimitBytes"},
		{LimitGiB("node0:host", 1e-12), "invalid_edit@node0:host.resourceLimitBytes"},
		{CapacityGiB("node0:host", 1e9), "invalid_edit@node0:host.capacityBytes"},
		{MemoryBandwidthGBps("node0:host", math.NaN()), "invalid_edit@node0:host.bandwidthBytesPerSec"},
		{LinkBandwidthGBps("node0:pcie0:forward", -1), "invalid_edit@node0:pcie0:forward.bandwidthBytesPerSec"},
		{LimitGiB("node0:host", 300), "resource_limit@memoryDomains[0].resourceLimitBytes"},
		{ComputeLanes("node0:gpu0", 0), "positive_integer@devices[1].maxConcurrentCompute"},
		{ComputeProfile("node0:gpu0", "abacus"), "unknown_compute_profile@devices[1].computeProfileId"},
		{ExecutionProvider("node0:gpu0", ""), "type@devices[1].executionProvider"},
	} {
		_, err := s.With(c.edit)
		if all := issue.All(err); len(all) != 1 || all[0].Code+"@"+all[0].Path != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := s.With(LimitGiB("node0:hots", 1)); !strings.Contains(err.Error(), "did you mean node0:host") {
		t.Errorf("a misspelled id gives %v", err)
	}
}

func TestProjection(t *testing.T) {
	s := built(t)(LAN(2, directInfiniBand))
	p := s.Projection()
	var nodes, edges []string
	for _, n := range p.Nodes {
		nodes = append(nodes, n.ID)
	}
	for _, e := range p.Edges {
		if e.Link != nil && e.Labelled {
			edges = append(edges, e.ID)
		}
	}
	if got, want := strings.Join(nodes, " "), "system:node0 node0:cpu0 node0:gpu0 node0:gpu0:vram node0:host node0:storage node0:nic0 "+
		"system:node1 node1:cpu0 node1:gpu0 node1:gpu0:vram node1:host node1:storage node1:nic0 lan:fabric0"; got != want {
		t.Errorf("nodes are %s", got)
	}
	if got, want := strings.Join(edges, " "), "node0:pcie:forward node1:pcie:forward lan:node0:node1:path:1 node0:storage-read node1:storage-read"; got != want {
		t.Errorf("labelled edges are %s", got)
	}
	last := p.Edges[len(p.Edges)-3] // the last segment of lan:node1:node0
	if last.ID != "lan:node1:node0:path:3" || last.Source != "node0:nic0" || last.Target != "node0:gpu0:vram" || !last.InterNode || last.ReverseLinkID != "lan:node0:node1" {
		t.Errorf("the edge is %+v", last)
	}
	for id, want := range map[string]bool{"node1:gpu0:vram": true, "lan:fabric0": true, "node0:nic0": true, "node0:host": false, "node1:gpu0": false} {
		if last.Touches(id) != want {
			t.Errorf("the edge touches %s: %t", id, !want)
		}
	}
	if access := p.Edges[2]; access.ID != "access:node0:gpu0:node0:gpu0:vram" || !access.Local || access.InterNode {
		t.Errorf("the edge is %+v", access)
	}
	system, device := p.Nodes[0], p.Nodes[2]
	if system.DeviceCount != 2 || system.MemoryDomainCount != 3 || system.NetworkAdapterCount != 1 || device.ParentID != "system:node0" {
		t.Errorf("the system is %+v, its device %+v", system, device)
	}
}

func TestProjectionOfOneWayAndUnequalLinks(t *testing.T) {
	s := built(t)(New(graph("a b", "up a b 5 1", "down b a 5 2", "twin a b 5 1", "back b a 5 1")))
	var got []string
	for _, e := range s.Projection().Edges {
		label := ""
		if e.Labelled {
			label = "*"
		}
		got = append(got, e.ID+">"+e.ReverseLinkID+label)
	}
	if text := strings.Join(got, " "); text != "up>back* down>* twin>back* back>up" {
		t.Errorf("edges are %s", text)
	}
}

func TestDOTAndTables(t *testing.T) {
	s := built(t)(LAN(2, directInfiniBand))
	dot := string(s.DOT())
	for _, want := range []string{
		"digraph \"multi-node\" {\n",
		`subgraph "cluster_node1" {`,
		`"node0:nic0" -> "lan:fabric0" [tooltip="lan:node0:node1:path:1", label="infiniband 25 GB/s"];`,
		`"node0:gpu0" -> "node0:host" [style=dashed, dir=none];`,
	} {
		if !strings.Contains(dot, want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
	if strings.Count(dot, "{") != strings.Count(dot, "}") {
		t.Error("braces do not match")
	}
	if got := dotText("a\"b\\c\nd"); got != `"a\"b\\c\nd"` {
		t.Errorf("a hostile name is %s", got)
	}
	tables := s.Tables()
	var titles []string
	for _, table := range tables {
		titles = append(titles, table.Title)
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d cells under %d headings", table.Title, len(row), len(table.Columns))
			}
		}
	}
	if got := strings.Join(titles, " "); got != "Memory Devices Links Network Placements" {
		t.Errorf("tables are %s", got)
	}
	if row := tables[0].Rows[0]; !cmp.Equal(row, []string{"node0:gpu0:vram", "node0", "device", "80 GiB", "80 GiB", "52.125 GiB", "27.875 GiB", "2000 GB/s", "80"}) {
		t.Errorf("the first memory row is %q", row)
	}
}
