package workload_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/workload"
)

const expertFile = `
expert_cache:
  hot_capacity_bytes: 60
  warm_capacity_bytes: 40
  warm_to_hot_latency_ns: 2
  cold_to_hot_latency_ns: 9
  cold_to_warm_latency_ns: 5
  experts:
  - {id: aa, bytes: 10, routing_weight: 1.5}
  - {id: bb, bytes: 20.0}
  initial_hot_expert_ids: [bb]
  adaptive_prefetch: {target_tier: warm, min_observations: 1, interval_tokens: 2, max_experts_per_decision: 3}
workload: {token_count: 4, top_k: 2, token_interval_ns: 10}
initial_prefetch: {expert_ids: [aa, aa], target_tier: hot, lead_time_ns: 7}
`

func readExperts(t *testing.T, file string) (*workload.ExpertRun, []document.Warning, error) {
	t.Helper()
	v, err := document.ParseYAML([]byte(file), "cache.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return workload.ReadExpertRun(v, false)
}

func TestExpertFile(t *testing.T) {
	got, warnings, err := readExperts(t, expertFile)
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	want := &workload.ExpertRun{
		Cache: workload.ExpertCache{
			Experts:          []workload.Expert{{ID: "aa", Bytes: 10, RoutingWeight: 1.5}, {ID: "bb", Bytes: 20, RoutingWeight: 1}},
			HotCapacityBytes: 60, WarmCapacityBytes: 40,
			WarmToHotLatencyNs: 2, ColdToHotLatencyNs: 9, ColdToWarmLatencyNs: 5,
			RoutingSeed: 42, InitialHotExpertIDs: []string{"bb"}, InitialWarmExpertIDs: []string{},
			AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 2, MaxExpertsPerDecision: 3},
		},
		Workload: workload.ExpertWorkload{TokenCount: 4, TopK: 2, TokenIntervalNs: 10,
			InitialPrefetch: &workload.InitialPrefetch{ExpertIDs: []string{"aa", "aa"}, TargetTier: workload.Hot, LeadTimeNs: 7}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestExpertFileWarnsOfStrangers(t *testing.T) {
	_, warnings, err := readExperts(t, strings.Replace(expertFile, "  experts:\n", "  routing_sed: 3\n  placement_strategy: round_robin\n  experts:\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	want := []document.Warning{{Path: "expert_cache.routing_sed", Nearest: "routing_seed", Line: 8}}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Error(d)
	}
	v, _ := document.ParseYAML([]byte("expert_cache: {}\nworklod: {}\n"), "cache.yaml")
	_, _, err = workload.ReadExpertRun(v, true)
	if i := issue.All(err); len(i) != 1 || i[0].Path != "worklod" || i[0].Code != document.CodeUnknown {
		t.Errorf("strict: %v", err)
	}
}

// Paths are those that contract 05 section 3 asks for.
func TestExpertFileRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, path string }{
		{"hot_capacity_bytes: 60", "", "expert_cache.hot_capacity_bytes"},
		{"hot_capacity_bytes: 60", "hot_capacity_bytes: 0", "expert_cache.hot_capacity_bytes"},
		{"hot_capacity_bytes: 60", "hot_capacity_bytes: '60'", "expert_cache.hot_capacity_bytes"},
		{"hot_capacity_bytes: 60", "hot_capacity_bytes: .inf", "expert_cache.hot_capacity_bytes"},
		{"warm_capacity_bytes: 40", "warm_capacity_bytes: -1", "expert_cache.warm_capacity_bytes"},
		{"cold_to_hot_latency_ns: 9", "cold_to_hot_latency_ns: 9007199254740993", "expert_cache.cold_to_hot_latency_ns"},
		{"  experts:\n", "  routing_seed: null\n  experts:\n", "expert_cache.routing_seed"},
		{"id: aa", "id: ''", "expert_cache.experts[0].id"},
		{"id: bb", "id: 7", "expert_cache.experts[1].id"},
		{"bytes: 20.0", "bytes: 20.5", "expert_cache.experts[1].bytes"},
		{"routing_weight: 1.5", "routing_weight: .nan", "expert_cache.experts[0].routing_weight"},
		{"routing_weight: 1.5", "routing_weight: 0", "expert_cache.experts[0].routing_weight"},
		{"[bb]", "[bb, '']", "expert_cache.initial_hot_expert_ids[1]"},
		{"[bb]", "bb", "expert_cache.initial_hot_expert_ids"},
		{", max_experts_per_decision: 3", "", "expert_cache.adaptive_prefetch.max_experts_per_decision"},
		{"target_tier: warm", "target_tier: hot", "expert_cache.adaptive_prefetch.target_tier"},
		{"interval_tokens: 2", "interval_tokens: 0", "expert_cache.adaptive_prefetch.interval_tokens"},
		{"workload: {token_count: 4, top_k: 2, token_interval_ns: 10}", "", "workload"},
		{"workload: {token_count: 4, top_k: 2, token_interval_ns: 10}", "workload: 3", "workload"},
		{"token_count: 4", "token_count: 2.5", "workload.token_count"},
		{"top_k: 2", "top_k: 0", "workload.top_k"},
		{"target_tier: hot", "target_tier: cold", "initial_prefetch.target_tier"},
		{"expert_ids: [aa, aa], ", "", "initial_prefetch.expert_ids"},
		{"lead_time_ns: 7", "lead_time_ns: -7", "initial_prefetch.lead_time_ns"},
		{"[aa, aa]", "[aa, zz]", "initial_prefetch.expert_ids[1]"},
		{"top_k: 2", "top_k: 3", "workload.top_k"},
		{"id: bb", "id: aa", "expert_cache.experts[1].id"},
		{"[bb]", "[bb, zz]", "expert_cache.initial_hot_expert_ids[1]"},
		{"[bb]", "[bb, bb]", "expert_cache.initial_hot_expert_ids[1]"},
		{"warm_capacity_bytes: 40", "warm_capacity_bytes: 0", "expert_cache.adaptive_prefetch"},
		{"hot_capacity_bytes: 60", "hot_capacity_bytes: 19", "expert_cache.initial_hot_expert_ids"},
	} {
		file := strings.Replace(expertFile, c.old, c.new, 1)
		if file == expertFile {
			t.Fatalf("%q is not in the file", c.old)
		}
		_, _, err := readExperts(t, file)
		if i := issue.All(err); len(i) == 0 || i[0].Path != c.path {
			t.Errorf("%q: %v; want a refusal of %s", c.new, err, c.path)
		}
	}
	v, _ := document.ParseYAML([]byte("[1, 2]"), "cache.yaml")
	if _, _, err := workload.ReadExpertRun(v, false); err == nil || !strings.Contains(err.Error(), "config") {
		t.Errorf("a list: %v", err)
	}
}

// Rules of contract 05 section 2.3.
func TestPartitionTables(t *testing.T) {
	part := func(id string, capacity int64, experts ...string) workload.ExpertPartition {
		return workload.ExpertPartition{ID: id, ExpertIDs: experts, CapacityBytes: capacity}
	}
	for _, c := range []struct {
		name  string
		table []workload.ExpertPartition
		code  string // empty: accepted
	}{
		{"sound", []workload.ExpertPartition{part("p", 20, "a"), part("q", 40, "c", "b")}, ""},
		{"a partition of no bytes", []workload.ExpertPartition{part("p", 0, "a"), part("q", 60, "c", "b")}, ""},
		{"empty", []workload.ExpertPartition{}, "empty_list"},
		{"no id", []workload.ExpertPartition{part("", 60, "a", "b", "c")}, "empty_id"},
		{"one id twice", []workload.ExpertPartition{part("p", 30, "a"), part("p", 30, "b", "c")}, "duplicate_value"},
		{"negative", []workload.ExpertPartition{part("p", -1, "a"), part("q", 61, "b", "c")}, "count"},
		{"no experts", []workload.ExpertPartition{part("p", 0), part("q", 60, "a", "b", "c")}, "partition_experts"},
		{"a stranger", []workload.ExpertPartition{part("p", 60, "a", "b", "c", "z")}, "unknown_expert"},
		{"an expert twice", []workload.ExpertPartition{part("p", 30, "a", "b"), part("q", 30, "b", "c")}, "partition_experts"},
		{"an expert nowhere", []workload.ExpertPartition{part("p", 60, "a", "b")}, "partition_experts"},
		{"another sum", []workload.ExpertPartition{part("p", 59, "a", "b", "c")}, "partition_capacity"},
		{"initial experts", []workload.ExpertPartition{part("p", 9, "a"), part("q", 51, "b", "c")}, "capacity"},
	} {
		cfg := workload.ExpertCache{HotCapacityBytes: 60, HotPartitions: c.table, InitialHotExpertIDs: []string{"a"}}
		if c.name == "a partition of no bytes" {
			cfg.InitialHotExpertIDs = nil
		}
		for _, id := range []string{"a", "b", "c"} {
			cfg.Experts = append(cfg.Experts, workload.Expert{ID: id, Bytes: 10, RoutingWeight: 1})
		}
		err := cfg.Validate()
		if c.code == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if i := issue.All(err); c.code != "" && (len(i) == 0 || i[0].Code != c.code) {
			t.Errorf("%s: %v; want %s", c.name, err, c.code)
		}
		if c.code == "capacity" && !strings.Contains(err.Error(), "partition p") {
			t.Errorf("%s: %v does not name the partition", c.name, err)
		}
	}
}

func TestServingExperts(t *testing.T) {
	const block = `
contract_revision: 3
top_k: 2
hot_capacity_bytes: 60
warm_capacity_bytes: 40
warm_to_hot_latency_ns: 2
cold_to_hot_latency_ns: 9
cold_to_warm_latency_ns: 5
experts: [{id: aa, bytes: 10}, {id: bb, bytes: 20}]
`
	read := func(file string) (*workload.ServingExperts, error) {
		v, err := document.ParseYAML([]byte(file), "work.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := workload.ReadServingExperts(v, true)
		return s, err
	}
	s, err := read(block)
	if err != nil || s.TopK != 2 || s.Strategy != workload.Contiguous || s.Cache.RoutingSeed != 42 || len(s.Cache.Experts) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = read(block + "placement_strategy: round_robin\n"); err != nil || s.Strategy != workload.RoundRobin {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"contract_revision: 3\n", "", "expert_cache.contract_revision"},
		{"contract_revision: 3", "contract_revision: 2", "expert_cache.contract_revision"},
		{"top_k: 2", "top_k: 1.5", "expert_cache.top_k"},
		{"top_k: 2", "top_k: 3", "expert_cache.top_k"},
		{"top_k: 2", "top_k: 2\nplacement_strategy: hashed", "hashed"},
		{"top_k: 2", "top_k: 2\nhot_partitions: []", "expert_cache.hot_partitions"},
	} {
		if _, err := read(strings.Replace(block, c.old, c.new, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want a refusal that names %s", c.new, err, c.want)
		}
	}
	s.Cache.HotPartitions = []workload.ExpertPartition{}
	var one *issue.Error
	if err := s.Validate(); !errors.As(err, &one) || one.Code != "prepartitioned" {
		t.Errorf("prepartitioned: %v", err)
	}
}

// FuzzExpertFile: no file makes the reader panic, and what it accepts is valid.
func FuzzExpertFile(f *testing.F) {
	f.Add([]byte(expertFile))
	f.Add([]byte("expert_cache: {experts: [{id: a, bytes: 1}]}\nworkload: {}\n"))
	f.Add([]byte("[]"))
	f.Fuzz(func(t *testing.T, file []byte) {
		v, err := document.ParseYAML(file, "cache.yaml")
		if err != nil {
			return
		}
		run, _, err := workload.ReadExpertRun(v, false)
		if err == nil {
			err = run.Validate()
		} else if len(issue.All(err)) == 0 {
			t.Fatalf("an error without a place: %v", err)
		} else {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
