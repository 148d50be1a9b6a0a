package experts

import (
	"math"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Allocations of a scenario that hold expert copies (contract 02 section 10.2).
const (
	hotAllocation  = "expert-hot-cache:"  // and the placement's partition id
	warmAllocation = "expert-warm-cache:" // and the node id
)

// CheckPhysical requires the memory that a scenario reserves for expert copies to
// hold what the cache may keep there (contract 05 section 6.3). The cache is the
// configured one, before Partition. The error names the partition or the node that
// falls short.
func CheckPhysical(cfg *workload.ExpertCache, s *topology.Scenario, strategy workload.PlacementStrategy) error {
	held, err := allocations(s)
	if err != nil {
		return err
	}
	owners, err := Owners(cfg, s, strategy)
	if err != nil {
		return err
	}
	if owners == nil {
		return held.shared(cfg)
	}
	return held.perOwner(cfg, owners, nodesOf(s, owners))
}

// reservations are the allocations of a scenario by id.
type reservations struct {
	bytes map[string]int64
	order []string // ids in declaration order
	ffn   []topology.Placement
}

// allocations collects the scenario's allocations. Several with one id are one
// reservation and must agree on its size.
func allocations(s *topology.Scenario) (reservations, error) {
	r := reservations{bytes: make(map[string]int64)}
	for _, p := range s.Spec().Placements {
		if requires(&p, topology.FFN) {
			r.ffn = append(r.ffn, p)
		}
		for _, a := range p.Allocations {
			known, repeated := r.bytes[a.PhysicalAllocationID]
			if !repeated {
				r.order = append(r.order, a.PhysicalAllocationID)
				r.bytes[a.PhysicalAllocationID] = a.Bytes
			} else if known != a.Bytes {
				return r, issue.New("allocation_bytes", "placements", "allocation %s has %d bytes in one place and %d in another", a.PhysicalAllocationID, known, a.Bytes)
			}
		}
	}
	return r, nil
}

// perOwner compares every FFN placement and every owning node with what it may
// have to hold.
func (r *reservations) perOwner(cfg *workload.ExpertCache, owners, nodes []string) error {
	for i := range r.ffn {
		id := r.ffn[i].PartitionID
		need := min(cfg.HotCapacityBytes, ownedBytes(cfg, owners, id))
		if have := r.in(&r.ffn[i], hotAllocation+id); need > have {
			return issue.New(CodeCapacity, "expert_cache.hot_capacity_bytes", "partition %s reserves %d bytes in %s, its experts may need %d", id, have, hotAllocation+id, need)
		}
	}
	checked := make(map[string]bool)
	for _, node := range nodes {
		if checked[node] {
			continue
		}
		checked[node] = true
		need := min(cfg.WarmCapacityBytes, ownedBytes(cfg, nodes, node))
		if have := r.bytes[warmAllocation+node]; need > have {
			return issue.New(CodeCapacity, "expert_cache.warm_capacity_bytes", "node %s reserves %d bytes in %s, its experts may need %d", node, have, warmAllocation+node, need)
		}
	}
	return nil
}

// in is the size of a reservation that a placement lists itself.
func (r *reservations) in(p *topology.Placement, id string) int64 {
	for i := range p.Allocations {
		if p.Allocations[i].PhysicalAllocationID == id {
			return p.Allocations[i].Bytes
		}
	}
	return 0
}

// shared compares all reservations of a tier together with all experts.
func (r *reservations) shared(cfg *workload.ExpertCache) error {
	var all, hot, warm int64
	for i := range cfg.Experts {
		all = saturated(all, cfg.Experts[i].Bytes)
	}
	counted := make(map[string]bool)
	for i := range r.ffn {
		if id := hotAllocation + r.ffn[i].PartitionID; !counted[id] {
			counted[id] = true
			hot = saturated(hot, r.in(&r.ffn[i], id))
		}
	}
	for _, id := range r.order {
		if strings.HasPrefix(id, warmAllocation) {
			warm = saturated(warm, r.bytes[id])
		}
	}
	if need := min(cfg.HotCapacityBytes, all); need > hot {
		return issue.New(CodeCapacity, "expert_cache.hot_capacity_bytes", "the ffn placements reserve %d bytes for hot experts, %d may be needed", hot, need)
	}
	if need := min(cfg.WarmCapacityBytes, all); need > warm {
		return issue.New(CodeCapacity, "expert_cache.warm_capacity_bytes", "the nodes reserve %d bytes for warm experts, %d may be needed", warm, need)
	}
	return nil
}

// ownedBytes sums the experts of one holder.
func ownedBytes(cfg *workload.ExpertCache, holders []string, holder string) int64 {
	var total int64
	for i := range cfg.Experts {
		if holders[i] == holder {
			total = saturated(total, cfg.Experts[i].Bytes)
		}
	}
	return total
}

// saturated adds extents of which only the comparison with a safe integer matters.
func saturated(a, b int64) int64 { return min(a+b, math.MaxInt64/2) }
