package workload

import (
	"math"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// DefaultExpertSourceID names the cache in its trace unless it is given a name.
const DefaultExpertSourceID = "expert-cache"

// DefaultRoutingSeed is the seed of a cache file that names none.
const DefaultRoutingSeed int64 = 42

// Expert is one expert of the universe.
type Expert struct {
	ID            string
	Bytes         int64   // positive
	RoutingWeight float64 // finite and positive; probability mass of the routing draw
}

// ExpertCache configures the cache tiers in front of the cold store (contract 05
// section 2.2). Experts stand in declaration order, which is the order of the
// placement contract; routing sorts them by id.
type ExpertCache struct {
	Experts []Expert

	HotCapacityBytes  int64 // positive
	WarmCapacityBytes int64 // may be 0: no warm tier

	WarmToHotLatencyNs  int64
	ColdToHotLatencyNs  int64
	ColdToWarmLatencyNs int64

	RoutingSeed int64 // taken modulo 2^32

	InitialHotExpertIDs  []string // oldest first
	InitialWarmExpertIDs []string

	AdaptivePrefetch *AdaptivePrefetch // nil: off

	// Partition tables; nil means one partition "default" with every expert and
	// the tier's whole capacity.
	HotPartitions  []ExpertPartition
	WarmPartitions []ExpertPartition

	SourceID string // empty: DefaultExpertSourceID
}

// AdaptivePrefetch is the warm-tier feedback policy (contract 05 section 2.11).
type AdaptivePrefetch struct {
	TargetTier            SourceTier // Warm
	MinObservations       int64      // completed routes of an expert before it is a candidate
	IntervalTokens        int64      // tokens between decisions
	MaxExpertsPerDecision int64
}

// ExpertPartition is the part of a tier that one owner (hot) or one node (warm)
// holds; every decision about capacity is made inside one partition.
type ExpertPartition struct {
	ID            string
	ExpertIDs     []string
	CapacityBytes int64
}

// Source is the name under which the cache's trace events appear.
func (c *ExpertCache) Source() string {
	if c.SourceID == "" {
		return DefaultExpertSourceID
	}
	return c.SourceID
}

// ExpertIDs lists the universe in declaration order.
func (c *ExpertCache) ExpertIDs() []string {
	ids := make([]string, len(c.Experts))
	for i := range c.Experts {
		ids[i] = c.Experts[i].ID
	}
	return ids
}

// DefaultPartition is the id of the one partition of a tier without a table.
const DefaultPartition = "default"

// HotTable is the hot tier's partition table with the default filled in.
func (c *ExpertCache) HotTable() []ExpertPartition {
	return c.table(c.HotPartitions, c.HotCapacityBytes)
}

// WarmTable is the warm tier's partition table with the default filled in.
func (c *ExpertCache) WarmTable() []ExpertPartition {
	return c.table(c.WarmPartitions, c.WarmCapacityBytes)
}

func (c *ExpertCache) table(declared []ExpertPartition, capacity int64) []ExpertPartition {
	if declared != nil {
		return declared
	}
	return []ExpertPartition{{ID: DefaultPartition, ExpertIDs: c.ExpertIDs(), CapacityBytes: capacity}}
}

// Validate checks a cache against contract 05 sections 2.2 and 2.3 and returns an
// *issue.List of every rule that it breaks, or nil. Paths are those of a file
// (contract 05 section 3): expert_cache.hot_capacity_bytes.
func (c *ExpertCache) Validate() error { return c.validate(true) }

// ValidateUnplaced is Validate for a cache that is still to be partitioned for a
// topology: its capacities are those of one owner and of one node, so whether the
// initial experts fit is not asked yet.
func (c *ExpertCache) ValidateUnplaced() error { return c.validate(false) }

func (c *ExpertCache) validate(placed bool) error {
	v := expertCheck{cache: c, placed: placed, issues: issue.List{Subject: "expert cache"}}
	v.experts()
	v.settings()
	v.adaptive()
	if len(v.issues.Issues) == 0 { // the tables need sound experts and capacities
		v.tier("hot_partitions", c.HotTable(), c.HotCapacityBytes, "initial_hot_expert_ids", c.InitialHotExpertIDs)
		v.tier("warm_partitions", c.WarmTable(), c.WarmCapacityBytes, "initial_warm_expert_ids", c.InitialWarmExpertIDs)
	}
	for _, e := range v.issues.Issues {
		e.Path = joinPath("expert_cache", e.Path)
	}
	return v.issues.Err()
}

type expertCheck struct {
	cache  *ExpertCache
	placed bool
	index  map[string]int // id -> declaration index
	issues issue.List
}

func (v *expertCheck) experts() {
	v.index = make(map[string]int, len(v.cache.Experts))
	if len(v.cache.Experts) == 0 {
		v.issues.Add("empty_list", "experts", "expected at least one expert, found an empty list")
	}
	for i := range v.cache.Experts {
		e := &v.cache.Experts[i]
		path := "experts[" + strconv.Itoa(i) + "]"
		switch _, repeated := v.index[e.ID]; {
		case e.ID == "":
			v.issues.Add("empty_id", path+".id", "must not be empty")
		case repeated:
			v.issues.Add("duplicate_value", path+".id", "repeats expert %s", e.ID)
		}
		v.index[e.ID] = i
		if !quantity.IsPositive(e.Bytes) {
			v.issues.Add("positive_integer", path+".bytes", "expert %s: is %d, must be a positive safe integer", e.ID, e.Bytes)
		}
		if !(e.RoutingWeight > 0) || math.IsInf(e.RoutingWeight, 0) {
			v.issues.Add("routing_weight", path+".routing_weight", "expert %s: is %s, must be finite and above 0", e.ID, canonical.Number(e.RoutingWeight))
		}
	}
}

func (v *expertCheck) settings() {
	c := v.cache
	positive(&v.issues, "hot_capacity_bytes", c.HotCapacityBytes)
	count(&v.issues, "warm_capacity_bytes", c.WarmCapacityBytes)
	count(&v.issues, "warm_to_hot_latency_ns", c.WarmToHotLatencyNs)
	count(&v.issues, "cold_to_hot_latency_ns", c.ColdToHotLatencyNs)
	count(&v.issues, "cold_to_warm_latency_ns", c.ColdToWarmLatencyNs)
	count(&v.issues, "routing_seed", c.RoutingSeed)
}

func (v *expertCheck) adaptive() {
	a := v.cache.AdaptivePrefetch
	if a == nil {
		return
	}
	if a.TargetTier != Warm {
		v.issues.Add("target_tier", "adaptive_prefetch.target_tier", "target_tier %q is not warm", a.TargetTier)
	}
	positive(&v.issues, "adaptive_prefetch.min_observations", a.MinObservations)
	positive(&v.issues, "adaptive_prefetch.interval_tokens", a.IntervalTokens)
	positive(&v.issues, "adaptive_prefetch.max_experts_per_decision", a.MaxExpertsPerDecision)
	if v.cache.WarmCapacityBytes == 0 {
		v.issues.Add("warm_capacity", "adaptive_prefetch", "adaptive prefetch needs a warm tier, but warm_capacity_bytes is 0")
	}
}

// tier checks a partition table and the residents that it begins with.
func (v *expertCheck) tier(path string, table []ExpertPartition, capacity int64, initialPath string, initial []string) {
	before := len(v.issues.Issues)
	owner := v.partitions(path, table, capacity)
	listed := make(map[string]bool, len(initial))
	held := make([]int64, len(table))
	for i, id := range initial {
		at := initialPath + "[" + strconv.Itoa(i) + "]"
		e, known := v.index[id]
		switch {
		case !known:
			v.issues.Add("unknown_expert", at, "expert %q is not declared", id)
		case listed[id]:
			v.issues.Add("duplicate_value", at, "repeats expert %s", id)
		case owner[e] >= 0:
			p := owner[e]
			held[p] = min(held[p]+v.cache.Experts[e].Bytes, math.MaxInt64/2)
		}
		listed[id] = true
	}
	if len(v.issues.Issues) > before || !v.placed {
		return
	}
	for p := range table {
		if held[p] > table[p].CapacityBytes {
			v.issues.Add("capacity", initialPath, "partition %s holds %d bytes, its initial experts need %d",
				table[p].ID, table[p].CapacityBytes, held[p])
		}
	}
}

// partitions applies contract 05 section 2.3 to a table and returns the partition
// of every expert, -1 where there is none.
func (v *expertCheck) partitions(path string, table []ExpertPartition, capacity int64) []int {
	owner := make([]int, len(v.cache.Experts))
	for i := range owner {
		owner[i] = -1
	}
	if len(table) == 0 {
		v.issues.Add("empty_list", path, "a declared partition table must not be empty")
		return owner
	}
	ids := make(map[string]bool, len(table))
	var total int64
	for p := range table {
		v.partition(path+"["+strconv.Itoa(p)+"]", &table[p], p, ids, owner)
		total = min(total+max(table[p].CapacityBytes, 0), math.MaxInt64/2)
	}
	for e, p := range owner {
		if p < 0 {
			v.issues.Add("partition_experts", path, "expert %s is in no partition", v.cache.Experts[e].ID)
		}
	}
	if total != capacity {
		v.issues.Add("partition_capacity", path, "the partitions hold %d bytes together, the tier %d", total, capacity)
	}
	return owner
}

func (v *expertCheck) partition(path string, part *ExpertPartition, p int, ids map[string]bool, owner []int) {
	switch {
	case part.ID == "":
		v.issues.Add("empty_id", path+".id", "must not be empty")
	case ids[part.ID]:
		v.issues.Add("duplicate_value", path+".id", "repeats partition %s", part.ID)
	}
	ids[part.ID] = true
	count(&v.issues, path+".capacity_bytes", part.CapacityBytes)
	if len(part.ExpertIDs) == 0 {
		v.issues.Add("partition_experts", path+".expert_ids", "partition %s owns no expert", part.ID)
	}
	for i, id := range part.ExpertIDs {
		at := path + ".expert_ids[" + strconv.Itoa(i) + "]"
		e, known := v.index[id]
		switch {
		case !known:
			v.issues.Add("unknown_expert", at, "partition %s: expert %q is not declared", part.ID, id)
		case owner[e] >= 0:
			v.issues.Add("partition_experts", at, "expert %s is in more than one place of the table", id)
		default:
			owner[e] = p
		}
	}
}
