package experts

import (
	"math"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Partition binds a cache to a topology (contract 05 section 6.3). With an expert
// degree above 1 the hot tier gets a partition for every owner that owns an
// expert, named as its placement, and the warm tier one for every node of such an
// owner; the configured capacities are those of one owner and of one node, capped
// at the bytes that it can own. With an expert degree of 1 the cache is returned
// as it is: one partition a tier.
//
// Errors are those of resolving owners (contract 06 section 6.4), a cache that
// declares partitions itself, and capacities whose sum is no safe integer.
func Partition(cfg workload.ExpertCache, s *topology.Scenario, strategy workload.PlacementStrategy) (workload.ExpertCache, error) {
	if cfg.HotPartitions != nil || cfg.WarmPartitions != nil {
		return cfg, issue.New("prepartitioned", "expert_cache", "a topology-bound run derives its partitions itself; the cache must not declare any")
	}
	if s.Spec().Execution.Parallelism.Expert <= 1 {
		return cfg, nil
	}
	owners, err := Owners(&cfg, s, strategy)
	if err != nil {
		return cfg, err
	}
	nodes := nodesOf(s, owners)
	if cfg.HotPartitions, cfg.HotCapacityBytes, err = derive(cfg.Experts, owners, cfg.HotCapacityBytes); err != nil {
		return cfg, err
	}
	cfg.WarmPartitions, cfg.WarmCapacityBytes, err = derive(cfg.Experts, nodes, cfg.WarmCapacityBytes)
	return cfg, err
}

// Owners names the placement that owns each expert, by declaration index; nil when
// the expert degree is 1.
func Owners(cfg *workload.ExpertCache, s *topology.Scenario, strategy workload.PlacementStrategy) ([]string, error) {
	if s.Spec().Execution.Parallelism.Expert <= 1 {
		return nil, nil
	}
	c, err := compiler.New(s, cost.Default())
	if err != nil {
		return nil, err
	}
	return c.ExpertOwners(&workload.ExpertPlacement{Strategy: strategy, ExpertIDs: cfg.ExpertIDs()})
}

// nodesOf maps placements to the nodes of their devices.
func nodesOf(s *topology.Scenario, partitionIDs []string) []string {
	spec := s.Spec()
	node := make(map[string]string, len(spec.Devices))
	for i := range spec.Devices {
		node[spec.Devices[i].ID] = spec.Devices[i].NodeID
	}
	of := make(map[string]string, len(spec.Placements))
	for i := range spec.Placements {
		of[spec.Placements[i].PartitionID] = node[spec.Placements[i].DeviceID]
	}
	nodes := make([]string, len(partitionIDs))
	for i, id := range partitionIDs {
		nodes[i] = of[id]
	}
	return nodes
}

// derive builds a partition table in order of first appearance, and its sum.
func derive(experts []workload.Expert, holders []string, capacity int64) ([]workload.ExpertPartition, int64, error) {
	var table []workload.ExpertPartition
	at := make(map[string]int)
	for i := range experts {
		p, seen := at[holders[i]]
		if !seen {
			p = len(table)
			at[holders[i]] = p
			table = append(table, workload.ExpertPartition{ID: holders[i]})
		}
		part := &table[p]
		part.ExpertIDs = append(part.ExpertIDs, experts[i].ID)
		part.CapacityBytes = min(part.CapacityBytes+experts[i].Bytes, math.MaxInt64/2) // bytes owned, so far
	}
	var total int64
	var err error
	for p := range table {
		table[p].CapacityBytes = min(table[p].CapacityBytes, capacity)
		if total, err = quantity.Add(total, table[p].CapacityBytes); err != nil {
			return nil, 0, issue.New(CodeOverflow, "expert_cache", "the capacities of the partitions are no safe integer together")
		}
	}
	return table, total, nil
}
