package topology

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// absent removes a member or element.
type absent struct{}

// added appends an element to a list.
type added struct{ element any }

// edit sets the value at a path of a document's tree.
type edit struct {
	path  string
	value any
}

// changed applies edits to a copy of a tree.
func changed(t testing.TB, tree any, edits ...edit) any {
	t.Helper()
	for _, e := range edits {
		tree = change(t, tree, strings.FieldsFunc(strings.ReplaceAll(e.path, "[", ".["), func(r rune) bool { return r == '.' }), e)
	}
	return tree
}

func change(t testing.TB, tree any, steps []string, e edit) any {
	t.Helper()
	if len(steps) == 0 {
		if a, ok := e.value.(added); ok {
			return append(elements(tree), a.element)
		}
		return e.value
	}
	if strings.HasPrefix(steps[0], "[") {
		items := elements(tree)
		i, err := strconv.Atoi(strings.Trim(steps[0], "[]"))
		if err != nil || i >= len(items) {
			t.Fatalf("no element %s at %s", steps[0], e.path)
		}
		if _, remove := e.value.(absent); remove && len(steps) == 1 {
			return append(items[:i:i], items[i+1:]...)
		}
		items[i] = change(t, items[i], steps[1:], e)
		return items
	}
	object, ok := tree.(canonical.Object)
	if !ok {
		t.Fatalf("no object at %s", e.path)
	}
	object = append(canonical.Object(nil), object...)
	for i := range object {
		if object[i].Key != steps[0] {
			continue
		}
		if _, remove := e.value.(absent); remove && len(steps) == 1 {
			return append(object[:i:i], object[i+1:]...)
		}
		object[i].Value = change(t, object[i].Value, steps[1:], e)
		return object
	}
	return append(object, canonical.Member{Key: steps[0], Value: change(t, nil, steps[1:], e)})
}

// elements copies a list of either form.
func elements(tree any) []any {
	switch x := tree.(type) {
	case []any:
		return append([]any(nil), x...)
	case []string:
		items := make([]any, len(x))
		for i, s := range x {
			items[i] = s
		}
		return items
	}
	return nil
}

// built takes what a builder returns, or ends the test.
func built(t testing.TB) func(*Scenario, error) *Scenario {
	return func(s *Scenario, err error) *Scenario {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// verdict reads a changed machine and lists the refusals as code@path.
func verdict(t testing.TB, s *Scenario, edits ...edit) (string, error) {
	t.Helper()
	_, err := ReadScenario(document.From(changed(t, s.Document(), edits...)))
	var all []string
	for _, e := range issue.All(err) {
		all = append(all, e.Code+"@"+e.Path)
	}
	return strings.Join(all, " "), err
}

func TestBoundary(t *testing.T) {
	lan := built(t)(LAN(2, directInfiniBand))
	for _, c := range []struct {
		name  string
		edits []edit
		want  string   // code@path of the first failure
		holds []string // that the text must name
	}{
		{"version", []edit{{"schemaVersion", 4}}, "schema_version@schemaVersion", []string{"5", "4"}},
		{"version as text", []edit{{"schemaVersion", "5"}}, "schema_version@schemaVersion", []string{"5", `"5"`}},
		{"unknown and missing at the root", []edit{{"zebra", 1}, {"alpha", 1}, {"links", absent{}}, {"id", absent{}}},
			"unknown_key@", []string{"alpha, zebra", "id, links"}},
		{"version is judged after keys", []edit{{"schemaVersion", 4}, {"extra", 1}}, "unknown_key@", []string{"extra"}},
		{"empty id", []edit{{"id", ""}}, "type@id", []string{"non-empty"}},
		{"null family", []edit{{"family", nil}}, "type@family", []string{"null"}},
		{"list expected", []edit{{"devices", canonical.Object{}}}, "type@devices", []string{"a list", "an object"}},
		{"every element is an object before any is read", []edit{{"memoryDomains[0].id", 1}, {"memoryDomains[3]", 5}},
			"type@memoryDomains[3]", nil},
		{"domains before devices", []edit{{"devices[0].id", 1}, {"memoryDomains[1].kind", 1}}, "type@memoryDomains[1].kind", nil},
		{"strings before numbers", []edit{{"memoryDomains[0].capacityBytes", "x"}, {"memoryDomains[0].kind", ""}},
			"type@memoryDomains[0].kind", nil},
		{"number as text", []edit{{"memoryDomains[0].latencyNs", "100"}}, "type@memoryDomains[0].latencyNs", []string{"finite number"}},
		{"coherent", []edit{{"memoryDomains[0].coherent", "no"}}, "type@memoryDomains[0].coherent", []string{"boolean"}},
		{"class is no text", []edit{{"memoryDomains[0].allocationClasses[1]", 5}}, "type@memoryDomains[0].allocationClasses[1]", nil},
		{"governor kind", []edit{{"memoryDomains[0].governor.kind", "rack"}}, "governor_kind@memoryDomains[0].governor.kind", []string{"rack"}},
		{"governor field of another kind", []edit{{"memoryDomains[0].governor.deviceId", "x"}}, "unknown_key@memoryDomains[0].governor", []string{"deviceId"}},
		{"governor of none", []edit{{"memoryDomains[4].governor.nodeId", "x"}}, "unknown_key@memoryDomains[4].governor", nil},
		{"provenance", []edit{{"memoryDomains[0].provenance.source", ""}}, "type@memoryDomains[0].provenance.source", nil},
		{"notes", []edit{{"memoryDomains[0].provenance.notes", ""}}, "type@memoryDomains[0].provenance.notes", nil},
		{"null profile", []edit{{"devices[1].computeProfileId", nil}}, "type@devices[1].computeProfileId", nil},
		{"peak", []edit{{"devices[1].customComputePeaks", []any{canonical.Object{{Key: "dtype", Value: "fp16"}}}}},
			"missing@devices[1].customComputePeaks[0].operationsPerSecond", nil},
		{"resource", []edit{{"networkResources[2].speed", 1}}, "unknown_key@networkResources[2]", []string{"speed"}},
		{"null resources", []edit{{"networkResources", nil}}, "type@networkResources", nil},
		{"link", []edit{{"links[4].transport", ""}}, "type@links[4].transport", nil},
		{"placement before allocations", []edit{{"placements[0].allocations[0].bytes", "x"}, {"placements[0].requiredCapabilities", "ffn"}},
			"type@placements[0].requiredCapabilities", nil},
		{"allocation purpose before bytes", []edit{{"placements[1].allocations[2].bytes", true}, {"placements[1].allocations[2].purpose", 1}},
			"type@placements[1].allocations[2].purpose", nil},
		{"transfer", []edit{{"transfers[0].requiresPinnedStaging", 0}}, "type@transfers[0].requiresPinnedStaging", nil},
		{"rank", []edit{{"groups[0].orderedRanks[1].weight", 1}}, "unknown_key@groups[0].orderedRanks[1]", []string{"weight"}},
		{"workload", []edit{{"workload.speculative", canonical.Object{{Key: "family", Value: "mtp"}}}},
			"missing@workload.speculative.maxAdditionalTokens", nil},
		{"features", []edit{{"execution.features.ssdStreaming", absent{}}}, "missing@execution.features.ssdStreaming", nil},
		{"parallelism", []edit{{"execution.parallelism.tensor", absent{}}, {"execution.parallelism.tenser", 2}},
			"unknown_key@execution.parallelism", []string{"tenser", "tensor"}},
		{"calibration", []edit{{"calibration.coefficients", nil}}, "type@calibration.coefficients", nil},
	} {
		got, err := verdict(t, lan, c.edits...)
		if got != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.name, got, err, c.want)
			continue
		}
		for _, text := range c.holds {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q does not name %s", c.name, err, text)
			}
		}
	}
	for _, whole := range []any{nil, 5, "x", []any{}} {
		if _, err := Parse(document.From(whole)); err == nil || !strings.Contains(err.Error(), "an object") {
			t.Errorf("the document %v gives %v", whole, err)
		}
	}
}

// semantics is every rule of contract 02 section 5 on a small machine.
var semantics = []struct {
	base  string
	edits []edit
	want  string
}{
	{"lan", nil, ""},
	{"lan", []edit{{"family", "cluster"}}, "enum_value@family"},
	{"lan", []edit{{"workload.batchSize", 0}, {"workload.inputSequenceLength", -1}, {"workload.outputSequenceLength", 0.5}},
		"positive_integer@workload.batchSize non_negative_integer@workload.inputSequenceLength non_negative_integer@workload.outputSequenceLength"},
	{"lan", []edit{{"workload.speculative", canonical.Object{{Key: "family", Value: "medusa"}, {Key: "maxAdditionalTokens", Value: -1}}}},
		"enum_value@workload.speculative.family non_negative_integer@workload.speculative.maxAdditionalTokens"},
	{"lan", []edit{{"execution.topologyEpoch", -1}, {"execution.seed", 1e300}, {"execution.maxEvents", 9007199254740992.0}},
		"non_negative_integer@execution.topologyEpoch non_negative_integer@execution.seed positive_integer@execution.maxEvents"},
	{"cpu", []edit{{"execution.parallelism.pipeline", 1.5}},
		"positive_integer@execution.parallelism.pipeline integer_overflow@execution.parallelism"},
	{"lan", []edit{{"devices[3].id", "node0:gpu0"}},
		"duplicate_id@devices[3].id unknown_device@memoryDomains[2].accessibleBy unknown_device@memoryDomains[3].accessibleBy governor_device@memoryDomains[3].governor " +
			"asymmetric_access@devices[3].memoryDomainIds asymmetric_access@devices[3].memoryDomainIds " +
			"unknown_device@placements[1].deviceId unknown_device@groups[0].orderedRanks[1].deviceId"},
	{"lan", []edit{{"transfers", added{canonical.Object{{Key: "id", Value: "cross-node-collective"}, {Key: "sourceDomainId", Value: "node0:host"},
		{Key: "targetDomainId", Value: "node0:host"}, {Key: "bytes", Value: 1}, {Key: "requiresPinnedStaging", Value: false}, {Key: "stagingAllocationIds", Value: []any{}}}}}},
		"duplicate_id@transfers[1].id"},

	{"lan", []edit{{"memoryDomains[0].kind", "dram"}}, "enum_value@memoryDomains[0].kind"},
	{"cpu", []edit{{"memoryDomains[0].provenance.confidence", "certain"}}, "enum_value@memoryDomains[0].provenance.confidence"},
	{"cpu", []edit{{"memoryDomains[0].capacityBytes", 1.5}, {"memoryDomains[0].resourceLimitBytes", 0}},
		"positive_integer@memoryDomains[0].capacityBytes positive_integer@memoryDomains[0].resourceLimitBytes domain_over_capacity@memoryDomains.node0:host"},
	{"cpu", []edit{{"memoryDomains[0].resourceLimitBytes", 128*giB + 1}}, "resource_limit@memoryDomains[0].resourceLimitBytes"},
	{"cpu", []edit{{"memoryDomains[0].bandwidthBytesPerSec", 0}, {"memoryDomains[0].latencyNs", -1}},
		"positive_integer@memoryDomains[0].bandwidthBytesPerSec non_negative_integer@memoryDomains[0].latencyNs"},
	{"cpu", []edit{{"memoryDomains[0].allocationClasses", []any{"pageable", "pinned", "pinned", "swap"}}},
		"duplicate_value@memoryDomains[0].allocationClasses enum_value@memoryDomains[0].allocationClasses[3]"},
	{"cpu", []edit{{"memoryDomains[0].accessibleBy", []any{"node0:cpu0", "", "ghost", "ghost"}}},
		"duplicate_value@memoryDomains[0].accessibleBy unknown_device@memoryDomains[0].accessibleBy unknown_device@memoryDomains[0].accessibleBy"},
	{"lan", []edit{{"memoryDomains[1].allocationClasses", []any{}}},
		"empty_classes@memoryDomains[1].allocationClasses unsupported_allocation_class@placements[0].allocations[0].allocationClass " +
			"unsupported_allocation_class@placements[0].allocations[1].allocationClass unsupported_allocation_class@placements[0].allocations[2].allocationClass " +
			"unsupported_allocation_class@placements[0].allocations[4].allocationClass"},
	{"lan", []edit{{"memoryDomains[0].governor.nodeId", "other"}, {"memoryDomains[1].governor.deviceId", "node1:gpu0"}},
		"governor_node@memoryDomains[0].governor governor_device@memoryDomains[1].governor"},
	{"mac", []edit{{"memoryDomains[0].allocationClasses", added{"device"}}}, "unified_class@memoryDomains[0].allocationClasses"},
	{"cpu", []edit{{"memoryDomains[1].allocationClasses", added{"pageable"}}, {"memoryDomains[1].governor", canonical.Object{{Key: "kind", Value: "host"}, {Key: "nodeId", Value: "node0"}}}},
		"storage_class@memoryDomains[1].allocationClasses storage_governor@memoryDomains[1].governor"},
	{"single", []edit{{"memoryDomains[2].accessibleBy", added{"node0:gpu0"}}}, "storage_access@memoryDomains[2].accessibleBy"},
	{"cpu", []edit{{"memoryDomains[1].accessibleBy", []any{}}}, "storage_access@memoryDomains[1].accessibleBy asymmetric_access@devices[0].memoryDomainIds"},
	{"cpu", []edit{{"memoryDomains[0].allocationClasses", added{"storage"}}}, "storage_class@memoryDomains[0].allocationClasses"},

	{"single", []edit{{"devices[1].kind", "tpu"}, {"devices[1].maxConcurrentCompute", 0}, {"devices[1].supportedDtypes", added{"fp16"}}},
		"enum_value@devices[1].kind positive_integer@devices[1].maxConcurrentCompute duplicate_value@devices[1].supportedDtypes"},
	{"single", []edit{{"devices[1].capabilities", added{"dream"}}}, "enum_value@devices[1].capabilities[6]"},
	{"single", []edit{{"devices[1].computeProfileId", "abacus"}}, "unknown_compute_profile@devices[1].computeProfileId"},
	{"single", []edit{{"devices[1].computeProfileId", "apple-m2-cpu"}}, "compute_profile_kind_mismatch@devices[1].computeProfileId"},
	{"single", []edit{{"devices[1].computeProfileId", "nvidia-h100-sxm"}, {"devices[1].customComputePeaks", []any{}}},
		"multiple_compute_profiles@devices[1] empty_custom_compute_peaks@devices[1].customComputePeaks"},
	{"single", []edit{{"devices[1].customComputePeaks", []any{peakTree("fp16", 1.5), peakTree("FP16", 0.5), peakTree("fp16", 0)}}},
		"duplicate_value@devices[1].customComputePeaks.dtypes positive_compute_peak@devices[1].customComputePeaks[2].operationsPerSecond"},
	{"single", []edit{{"devices[1].memoryDomainIds", added{"node0:storage"}}}, "asymmetric_access@devices[1].memoryDomainIds"},
	{"single", []edit{{"devices[0].memoryDomainIds", []any{}}},
		"no_memory@devices[0].memoryDomainIds inaccessible_allocation@placements[1].allocations[0] inaccessible_allocation@placements[1].allocations[1]"},

	{"single", []edit{{"links[0].kind", "wire"}, {"links[0].bandwidthBytesPerSec", 0.5}, {"links[0].latencyNs", -1}, {"links[0].concurrencyLanes", 0}},
		"enum_value@links[0].kind positive_integer@links[0].bandwidthBytesPerSec non_negative_integer@links[0].latencyNs positive_integer@links[0].concurrencyLanes no_transfer_path@transfers[0]"},
	{"single", []edit{{"links[1].targetDomainId", "node0:gpu0:vram"}}, "self_link@links[1]"},
	{"single", []edit{{"links[1].sourceDomainId", "void"}}, "unknown_domain@links[1].sourceDomainId"},
	{"single", []edit{{"links[1].transport", "tcp"}}, "invalid_transport_link@links[1].transport invalid_network_path@links[1].transport invalid_network_path@links[1].transport"},
	{"lan", []edit{{"links[4].transport", "rdma_host"}},
		"unsupported_network_transport@links[4].networkResourceIds unsupported_network_transport@links[4].networkResourceIds unsupported_network_transport@links[4].networkResourceIds " +
			"invalid_network_path@links[4].transport invalid_network_path@links[4].transport invalid_network_path@links[4].transport invalid_network_path@links[4].transport"},
	{"lan", []edit{{"links[4].networkResourceIds", []any{"lan:fabric0", "node1:nic0", "ghost"}}},
		"unknown_network_resource@links[4].networkResourceIds invalid_network_path@links[4].networkResourceIds"},
	{"lan", []edit{{"links[4].targetDomainId", "node0:host"}},
		"invalid_network_path@links[4].transport invalid_network_path@links[4].transport no_transfer_path@transfers[0]"},

	{"lan", []edit{{"networkResources[0].kind", "hub"}},
		"invalid_network_path@links[4].networkResourceIds invalid_network_path@links[5].networkResourceIds enum_value@networkResources[0].kind " +
			"invalid_network_node@networkResources[0].nodeId invalid_direct_memory@networkResources[0].directMemoryDomainIds"},
	{"lan", []edit{{"networkResources[2].bandwidthBytesPerSec", 0}, {"networkResources[2].latencyNs", 0.5}, {"networkResources[2].concurrencyLanes", -3}},
		"positive_integer@networkResources[2].bandwidthBytesPerSec non_negative_integer@networkResources[2].latencyNs positive_integer@networkResources[2].concurrencyLanes no_transfer_path@transfers[0]"},
	{"lan", []edit{{"networkResources[2].supportedTransports", []any{"gpudirect_rdma", "gpudirect_rdma", "smoke"}}, {"networkResources[2].nodeId", "node0"}},
		"duplicate_value@networkResources[2].supportedTransports enum_value@networkResources[2].supportedTransports[2] invalid_network_node@networkResources[2].nodeId"},
	{"lan", []edit{{"networkResources[1].directMemoryDomainIds", []any{"node1:gpu0:vram", "node0:gpu0:vram", "node1:host", "void"}}},
		"invalid_direct_memory@networkResources[1].directMemoryDomainIds invalid_direct_memory@networkResources[1].directMemoryDomainIds unknown_domain@networkResources[1].directMemoryDomainIds"},

	{"npu", []edit{{"placements[1].deviceId", "ghost"}}, "unknown_device@placements[1].deviceId"},
	{"npu", []edit{{"placements[1].requiredCapabilities", []any{"ffn", "attention", "ffn", "dream"}}},
		"missing_capability@placements[1].requiredCapabilities missing_capability@placements[1].requiredCapabilities " +
			"duplicate_value@placements[1].requiredCapabilities enum_value@placements[1].requiredCapabilities[3]"},
	{"npu", []edit{{"placements[0].allocations[0].allocationClass", "slab"}, {"placements[0].allocations[0].purpose", "fun"}, {"placements[0].allocations[0].bytes", 0}},
		"enum_value@placements[0].allocations[0].allocationClass enum_value@placements[0].allocations[0].purpose positive_integer@placements[0].allocations[0].bytes unsupported_allocation_class@placements[0].allocations[0].allocationClass"},
	{"npu", []edit{{"placements[1].allocations[0].physicalAllocationId", "attention-kv"}}, "duplicate_allocation@placements[1].allocations[0].physicalAllocationId"},
	{"npu", []edit{{"placements[1].allocations[0].domainId", "void"}, {"placements[1].allocations[0].allocationClass", "pinned"}}, "unknown_domain@placements[1].allocations[0].domainId"},
	{"npu", []edit{{"placements[1].allocations[0].domainId", "node0:npu0:memory"}},
		"inaccessible_allocation@placements[1].allocations[0] domain_over_capacity@memoryDomains.node0:npu0:memory"},
	{"npu", []edit{{"placements[1].allocations[0].bytes", float64(9007199254740991)}},
		"integer_overflow@placements[1].allocations[1].bytes integer_overflow@placements[1].allocations[3].bytes domain_over_capacity@memoryDomains.node0:gpu0:vram"},
	{"npu", []edit{{"placements[1].allocations[0].bytes", 0.5}},
		"positive_integer@placements[1].allocations[0].bytes integer_overflow@placements[1].allocations[0].bytes"},
	{"npu", []edit{{"placements[0].sharedAllocationIds", []any{"npu-staging", "ffn-weights", "gpu-staging", "ghost", "gpu-staging"}}},
		"duplicate_value@placements[0].sharedAllocationIds self_alias@placements[0].sharedAllocationIds inaccessible_allocation@placements[0].sharedAllocationIds unknown_allocation@placements[0].sharedAllocationIds"},

	{"npu", []edit{{"transfers[0].bytes", 0}}, "positive_integer@transfers[0].bytes no_transfer_path@transfers[0]"},
	{"npu", []edit{{"transfers[0].sourceDomainId", "void"}}, "unknown_domain@transfers[0].sourceDomainId no_transfer_path@transfers[0]"},
	{"npu", []edit{{"transfers[0].targetDomainId", "node0:npu0:memory"}}, "no_transfer_path@transfers[0]"},
	{"npu", []edit{{"transfers[0].requiresPinnedStaging", false}}, "unexpected_staging@transfers[0].stagingAllocationIds"},
	{"npu", []edit{{"transfers[0].stagingAllocationIds", []any{}}}, "missing_staging@transfers[0].stagingAllocationIds"},
	{"npu", []edit{{"transfers[0].stagingAllocationIds", []any{"ghost", "ffn-weights", "ghost"}}},
		"duplicate_value@transfers[0].stagingAllocationIds unknown_allocation@transfers[0].stagingAllocationIds invalid_staging@transfers[0].stagingAllocationIds " +
			"unknown_allocation@transfers[0].stagingAllocationIds missing_staging@transfers[0].stagingAllocationIds"},
	{"npu", []edit{{"transfers[0].bytes", 2*giB + 1}}, "invalid_staging@transfers[0].stagingAllocationIds missing_staging@transfers[0].stagingAllocationIds"},

	{"npu", []edit{{"groups", added{canonical.Object{{Key: "id", Value: "none"}, {Key: "orderedRanks", Value: []any{}}}}}}, "empty_group@groups[2].orderedRanks"},
	{"npu", []edit{{"groups[0].orderedRanks", []any{rankTree("rank-0", "node0:npu0"), rankTree("rank-0", "node0:gpu0"), rankTree("rank-2", "node0:npu0"), rankTree("rank-3", "ghost")}}},
		"duplicate_rank@groups[0].orderedRanks[1].rankId rank_remap@groups[0].orderedRanks[1].rankId duplicate_group_device@groups[0].orderedRanks[2].deviceId unknown_device@groups[0].orderedRanks[3].deviceId"},
	{"npu", []edit{{"groups[1].orderedRanks[0].rankId", "rank-1"}}, "rank_remap@groups[1].orderedRanks[0].rankId"},

	{"lan", []edit{{"execution.parallelism.composition", "mixed"}}, "parallelism_composition@execution.parallelism.composition"},
	{"lan", []edit{{"execution.parallelism.pipeline", 2}, {"execution.parallelism.expert", 1}},
		"parallelism_composition@execution.parallelism parallelism_composition@execution.parallelism"},
	{"lan", []edit{{"execution.parallelism.tensor", 5}, {"execution.parallelism.expert", 5}},
		"parallelism_composition@groups parallelism_participants@execution.parallelism"},
	{"npu", []edit{{"execution.parallelism.pipeline", 4}}, "parallelism_participants@execution.parallelism"},
	{"npu", []edit{{"execution.parallelism.pipeline", float64(4503599627370496)}, {"execution.parallelism.data", 4}}, "integer_overflow@execution.parallelism"},
	{"cpu", []edit{{"calibration.coefficients", []any{canonical.Object{{Key: "id", Value: "a"}, {Key: "unit", Value: "ns"}, {Key: "value", Value: -0.5},
		{Key: "provenance", Value: canonical.Object{{Key: "confidence", Value: "guess"}, {Key: "source", Value: "x"}}}}}}},
		"enum_value@calibration.coefficients[0].provenance.confidence invalid_calibration@calibration.coefficients[0]"},
}

func peakTree(dtype string, rate float64) canonical.Object {
	return canonical.Object{{Key: "dtype", Value: dtype}, {Key: "operationsPerSecond", Value: rate}}
}

func rankTree(rank, device string) canonical.Object {
	return canonical.Object{{Key: "rankId", Value: rank}, {Key: "deviceId", Value: device}}
}

// bases are the machines that the semantic cases change.
func bases(t testing.TB) map[string]*Scenario {
	lan := built(t)(LAN(2, directInfiniBand))
	return map[string]*Scenario{
		"lan": lan, "cpu": built(t)(Preset("cpu-only")), "single": built(t)(Preset("single-gpu-cpu")),
		"npu": built(t)(Preset("gpu-npu")), "mac": built(t)(Preset("mac-mini-m4-pro-64gb")),
	}
}

func TestSemantics(t *testing.T) {
	machines := bases(t)
	for i, c := range semantics {
		got, err := verdict(t, machines[c.base], c.edits...)
		if got != c.want {
			t.Errorf("case %d, %s %v:\n got %s\nwant %s", i, c.base, c.edits, got, c.want)
		}
		if err == nil {
			continue
		}
		all := issue.All(err)
		if text := fmt.Sprintf("%d issue", len(all)); !strings.Contains(err.Error(), text) {
			t.Errorf("case %d: %q does not say %s", i, err, text)
		}
		for _, e := range all {
			if !strings.Contains(err.Error(), e.Path) {
				t.Errorf("case %d: %q lacks %s", i, err, e.Path)
			}
		}
	}
}

// A Spec is judged by the structure of its document as well as by its meaning.
func TestNewJudgesStructure(t *testing.T) {
	spec := *built(t)(Preset("cpu-only")).Spec()
	spec.SchemaVersion = 4
	if _, err := New(spec); err == nil || issue.All(err)[0].Path != "schemaVersion" {
		t.Errorf("schema version 4 gives %v", err)
	}
	spec.SchemaVersion = SchemaVersion
	spec.MemoryDomains = append([]MemoryDomain(nil), spec.MemoryDomains...)
	spec.MemoryDomains[0].NodeID = ""
	if _, err := spec.Validate(); err == nil || issue.All(err)[0].Path != "memoryDomains[0].nodeId" {
		t.Errorf("an empty node gives %v", err)
	}
}
