package cost_test

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
)

func TestDefaultModelIsValidAndHeuristic(t *testing.T) {
	m := cost.Default()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if m.Confidence != evidence.Heuristic || m.HasCurves || m.Applicability != nil || m.Ranges != nil {
		t.Errorf("the default model claims more than it has: %+v", m)
	}
	if err := m.CheckScenario("anything"); err != nil {
		t.Errorf("a model without applicability applies everywhere: %v", err)
	}
	m.Devices.GPU.DraftNsPerToken = 1
	if cost.Default().Devices.GPU.DraftNsPerToken != 17000 {
		t.Error("default models share memory")
	}
}

func TestValidateNamesEveryBrokenField(t *testing.T) {
	curve := func(points ...cost.Point) cost.Curve {
		return cost.Curve{CurveKey: cost.CurveKey{ScenarioID: "lab", Operation: cost.TransferOperation,
			Algorithm: cost.PointToPoint, ParticipantCount: 2, LinkIDs: []string{"l"}}, Points: points}
	}
	good := curve(cost.Point{Bytes: 1, DurationNs: 5}, cost.Point{Bytes: 2, DurationNs: 5})
	cases := []struct {
		name, code, path string
		change           func(*cost.Model)
	}{
		{"another revision", "revision", "revision", func(m *cost.Model) { m.Revision = 8 }},
		{"unknown confidence", "confidence", "confidence", func(m *cost.Model) { m.Confidence = "sure" }},
		{"no source", "empty_text", "source", func(m *cost.Model) { m.Source = "" }},
		{"zero coefficient", "positive_integer", "deviceCosts.npu.ffnNsPerToken", func(m *cost.Model) { m.Devices.NPU.FFNNsPerToken = 0 }},
		{"negative constant", "positive_integer", "coldLoadByteMultiplier", func(m *cost.Model) { m.ColdLoadByteMultiplier = -1 }},
		{"inverted range", "inverted_range", "validWorkItemRanges.gpu.draft",
			func(m *cost.Model) {
				m.Ranges = &cost.DeviceRanges{GPU: cost.KindRanges{Draft: &cost.Range{MinWorkItems: 4, MaxWorkItems: 3}}}
			}},
		{"no scenario", "empty_list", "applicability.scenarioIds",
			func(m *cost.Model) {
				m.Applicability = &cost.Applicability{Labels: cost.KindLabels{CPU: "a", GPU: "b", NPU: "c"}}
			}},
		{"no label", "empty_text", "applicability.deviceKindLabels.gpu",
			func(m *cost.Model) {
				m.Applicability = &cost.Applicability{ScenarioIDs: []string{"lab"}, Labels: cost.KindLabels{CPU: "a", NPU: "c"}}
			}},
		{"repeated curve", "duplicate_curve", "transportCurves[1]", func(m *cost.Model) { m.Curves = []cost.Curve{good, good} }},
		{"curve of another scenario", "not_applicable", "transportCurves[0].scenarioId", func(m *cost.Model) {
			m.Applicability = &cost.Applicability{ScenarioIDs: []string{"other"}, Labels: cost.KindLabels{CPU: "a", GPU: "b", NPU: "c"}}
			m.Curves = []cost.Curve{good}
		}},
		{"one point", "too_few_points", "transportCurves[0].points", func(m *cost.Model) { m.Curves = []cost.Curve{curve(cost.Point{Bytes: 1, DurationNs: 1})} }},
		{"equal sizes", "order", "transportCurves[0].points[1].bytes",
			func(m *cost.Model) {
				m.Curves = []cost.Curve{curve(cost.Point{Bytes: 2, DurationNs: 5}, cost.Point{Bytes: 2, DurationNs: 6})}
			}},
		{"falling duration", "order", "transportCurves[0].points[1].durationNs",
			func(m *cost.Model) {
				m.Curves = []cost.Curve{curve(cost.Point{Bytes: 1, DurationNs: 6}, cost.Point{Bytes: 2, DurationNs: 5})}
			}},
		{"two links in a transfer", "transfer_shape", "transportCurves[0]", func(m *cost.Model) {
			c := good
			c.LinkIDs = []string{"l", "k"}
			m.Curves = []cost.Curve{c}
		}},
		{"missing signature", "traffic_signature", "transportCurves[0].trafficSignature", func(m *cost.Model) {
			c := good
			c.Operation, c.Algorithm = cost.CollectiveOperation, "all_to_all_v"
			m.Curves = []cost.Curve{c}
		}},
	}
	for _, c := range cases {
		m := cost.Default()
		c.change(m)
		issues := issue.All(m.Validate())
		if len(issues) != 1 || issues[0].Code != c.code || issues[0].Path != c.path {
			t.Errorf("%s: want one %s at %s, got %v", c.name, c.code, c.path, issues)
		}
	}
}

func TestComputeNs(t *testing.T) {
	m := cost.Default()
	cases := []struct {
		kind          topology.DeviceKind
		capability    topology.Capability
		items, shards int64
		want          int64
	}{
		{topology.GPU, topology.Attention, 1, 1, 148000},
		{topology.GPU, topology.FFN, 1, 1, 158000},
		{topology.GPU, topology.Attention, 1, 2, 134000},
		{topology.GPU, topology.FFN, 1, 2, 139000},
		{topology.GPU, topology.Attention, 4, 1, 232000},
		{topology.GPU, topology.FFN, 4, 1, 272000},
		{topology.GPU, topology.Attention, 1, 3, 129334},
		{topology.CPU, topology.Attention, 1, 1, 620000},
		{topology.NPU, topology.Attention, 1, 1, 122000},
	}
	for _, c := range cases {
		got, err := m.ComputeNs(c.kind, c.capability, c.items, c.shards)
		if err != nil || got != c.want {
			t.Errorf("%s %s, %d items over %d: got %d (%v), want %d", c.kind, c.capability, c.items, c.shards, got, err, c.want)
		}
	}
	if _, err := m.ComputeNs(topology.CPU, topology.FFN, 1<<50, 1); err == nil {
		t.Error("a product above the safe integers passed")
	}
	if _, err := m.ComputeNs("tpu", topology.FFN, 1, 1); err == nil || !strings.Contains(err.Error(), "tpu") {
		t.Errorf("an unknown kind must be named: %v", err)
	}
}

func TestRangeBindsBeforeSharding(t *testing.T) {
	m := cost.Default()
	m.Ranges = &cost.DeviceRanges{GPU: cost.KindRanges{Attention: &cost.Range{MinWorkItems: 2, MaxWorkItems: 8}}}
	for items, ok := range map[int64]bool{1: false, 2: true, 8: true, 9: false, 16: false} {
		_, err := m.ComputeNs(topology.GPU, topology.Attention, items, 2)
		if ok != (err == nil) {
			t.Errorf("%d items: %v", items, err)
		}
		if err != nil && !(strings.Contains(err.Error(), "gpu") && strings.Contains(err.Error(), "attention")) {
			t.Errorf("the refusal must name kind and capability: %v", err)
		}
	}
	if _, err := m.ComputeNs(topology.GPU, topology.FFN, 100, 1); err != nil {
		t.Errorf("a capability without a range is not bound: %v", err)
	}
}

func TestProposerNs(t *testing.T) {
	m := cost.Default()
	cases := []struct {
		kind       topology.DeviceKind
		capability topology.Capability
		items      int64
		scale      float64
		want       int64
	}{
		{topology.GPU, topology.Draft, 2, 0.32, 49280},
		{topology.CPU, topology.Lookup, 3, 0.08, 33920},
		{topology.GPU, topology.Draft, 3, 0.55, 94051}, // the double product 171000 * 0.55 lies above 94050
		{topology.CPU, topology.Draft, 3, 0.55, 401501},
		{topology.GPU, topology.Draft, 1, 1e-9, 1},
	}
	for _, c := range cases {
		got, err := m.ProposerNs(c.kind, c.capability, c.items, c.scale)
		if err != nil || got != c.want {
			t.Errorf("%s %s x %d at %v: got %d (%v), want %d", c.kind, c.capability, c.items, c.scale, got, err, c.want)
		}
	}
}

func TestLocalMemoryNs(t *testing.T) {
	d := &topology.MemoryDomain{ID: "ram", BandwidthBytesPerSec: 100e9, LatencyNs: 100}
	got, err := cost.LocalMemoryNs(d, 24414100)
	if err != nil || got != 244242 {
		t.Errorf("got %d (%v), want 100 + 244142", got, err)
	}
}

func TestWeightFloor(t *testing.T) {
	d := &topology.MemoryDomain{ID: "hbm", BandwidthBytesPerSec: 2e12, LatencyNs: 80}
	got, err := cost.WeightFloorNs(d, 4_200_000_000, 1)
	if err != nil || got != 3000115 {
		t.Errorf("got %d (%v), want ceil(2100080 / 0.7) = 3000115", got, err)
	}
	half, err := cost.WeightFloorNs(d, 4_200_000_000, 2)
	if err != nil || half != 1500115 {
		t.Errorf("two shards: got %d (%v), want ceil(1050080 / 0.7) = 1500115", half, err)
	}
}

func TestComputeFloor(t *testing.T) {
	base := cost.ComputePeak{ForwardFlopsPerToken: 26e9, StageWeightBytes: 4.2e9, TotalWeightBytes: 13.1e9, OwnedItems: 1, AllItems: 1, Shards: 1}
	cases := []struct {
		name   string
		change func(*cost.ComputePeak)
		want   int64
	}{
		{"wide prefill, attention's share", func(p *cost.ComputePeak) { p.Tokens, p.PeakOpsPerSecond = 512, 165.2e12 }, 25835167},
		{"one token, ffn's share", func(p *cost.ComputePeak) { p.Tokens, p.PeakOpsPerSecond, p.StageWeightBytes = 1, 209.5e12, 8.9e9 }, 84316},
		{"four shards", func(p *cost.ComputePeak) { p.Tokens, p.PeakOpsPerSecond, p.Shards = 1000, 209.5e12, 4 }, 9947349},
		{"an owner of a quarter", func(p *cost.ComputePeak) {
			p.Tokens, p.PeakOpsPerSecond, p.StageWeightBytes, p.OwnedItems, p.AllItems = 6, 165.2e12, 8.9e9, 3, 12
		}, 160389},
		{"an integrated device", func(p *cost.ComputePeak) { p.Tokens, p.PeakOpsPerSecond, p.StageWeightBytes = 64, 2.1e12, 8.9e9 }, 538335151},
	}
	for _, c := range cases {
		p := base
		c.change(&p)
		got, err := p.FloorNs()
		if err != nil || got != c.want {
			t.Errorf("%s: got %d (%v), want %d", c.name, got, err, c.want)
		}
	}
}
