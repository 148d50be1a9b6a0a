package experts

import (
	"math/bits"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// CheckLimits requires what the cache may hold to fit the resource limit of every
// memory domain, however much is installed there (contract 02 section 18, rule 1):
// the effective capacities of the hot partitions where their owners keep them, of
// the warm partitions where their nodes do, and, while storage streams, the bytes
// of all experts in their nodes' storage. The cache is the configured one, before
// Partition. The error names the domain.
//
// With an expert degree of 1 nobody owns an expert alone; every tier is then spread
// over the FFN placements as loads are (contract 06 section 13).
func CheckLimits(cfg *workload.ExpertCache, s *topology.Scenario, strategy workload.PlacementStrategy) error {
	owners, err := Owners(cfg, s, strategy)
	if err != nil {
		return err
	}
	f := footprint{scenario: s, demand: make(map[string]int64)}
	if owners == nil {
		f.spread(cfg)
	} else {
		f.owned(cfg, owners, nodesOf(s, owners))
	}
	return f.check()
}

// footprint is the demand on memory domains, in bytes.
type footprint struct {
	scenario *topology.Scenario
	demand   map[string]int64
}

func (f *footprint) add(domain string, bytes int64) {
	if domain != "" {
		f.demand[domain] = saturated(f.demand[domain], bytes)
	}
}

// owned charges every owner and every node once, with what it can hold at most.
func (f *footprint) owned(cfg *workload.ExpertCache, owners, nodes []string) {
	charged := make(map[string]bool)
	for i, owner := range owners {
		if !charged["owner "+owner] {
			charged["owner "+owner] = true
			f.add(f.domainOf(hotAllocation+owner), min(cfg.HotCapacityBytes, ownedBytes(cfg, owners, owner)))
		}
		node := nodes[i]
		if !charged["node "+node] {
			charged["node "+node] = true
			all := ownedBytes(cfg, nodes, node)
			f.add(f.domainOf(warmAllocation+node), min(cfg.WarmCapacityBytes, all))
			f.store(node, all)
		}
	}
}

// spread charges the FFN placements and their nodes with equal shares.
func (f *footprint) spread(cfg *workload.ExpertCache) {
	var all int64
	for i := range cfg.Experts {
		all = saturated(all, cfg.Experts[i].Bytes)
	}
	all = min(all, quantity.MaxSafe)
	spec := f.scenario.Spec()
	var ffn []*topology.Placement
	perNode := make(map[string]int64)
	var nodes []string
	for i := range spec.Placements {
		p := &spec.Placements[i]
		if !requires(p, topology.FFN) {
			continue
		}
		ffn = append(ffn, p)
		node := f.scenario.Device(p.DeviceID).NodeID
		if perNode[node] == 0 {
			nodes = append(nodes, node)
		}
		perNode[node]++
	}
	n := int64(len(ffn))
	perDomain := make(map[string]int64)
	var domains []string
	for _, p := range ffn {
		d := f.domainOf(hotAllocation + p.PartitionID)
		if perDomain[d] == 0 {
			domains = append(domains, d)
		}
		perDomain[d]++
	}
	for _, d := range domains {
		f.add(d, share(min(cfg.HotCapacityBytes, all), perDomain[d], n))
	}
	for _, node := range nodes {
		f.add(f.domainOf(warmAllocation+node), share(min(cfg.WarmCapacityBytes, all), perNode[node], n))
		f.store(node, share(all, perNode[node], n))
	}
}

func requires(p *topology.Placement, c topology.Capability) bool {
	for _, required := range p.RequiredCapabilities {
		if required == c {
			return true
		}
	}
	return false
}

// share is ceil(bytes * some / all), exactly.
func share(bytes, some, all int64) int64 {
	hi, lo := bits.Mul64(uint64(bytes), uint64(some))
	q, r := bits.Div64(hi, lo, uint64(all)) // some <= all, so the quotient is at most bytes
	if r > 0 {
		q++
	}
	return int64(q)
}

// store charges a node's storage while it streams.
func (f *footprint) store(node string, bytes int64) {
	spec := f.scenario.Spec()
	if !spec.Execution.SSDStreaming {
		return
	}
	for i := range spec.MemoryDomains {
		if d := &spec.MemoryDomains[i]; d.NodeID == node && d.Kind == topology.StorageMemory {
			f.add(d.ID, bytes)
			return
		}
	}
}

// domainOf is the domain of an allocation, empty when the scenario has none of
// that id.
func (f *footprint) domainOf(allocationID string) string {
	spec := f.scenario.Spec()
	for i := range spec.Placements {
		for j := range spec.Placements[i].Allocations {
			if a := &spec.Placements[i].Allocations[j]; a.PhysicalAllocationID == allocationID {
				return a.DomainID
			}
		}
	}
	return ""
}

// check compares every demand with its domain's limit, in declaration order.
func (f *footprint) check() error {
	spec := f.scenario.Spec()
	for i := range spec.MemoryDomains {
		d := &spec.MemoryDomains[i]
		if need := f.demand[d.ID]; need > d.ResourceLimitBytes {
			return issue.New("resource_limit", "memoryDomains["+d.ID+"].resourceLimitBytes",
				"domain %s may give %d bytes; the expert tiers need %d there", d.ID, d.ResourceLimitBytes, need)
		}
	}
	return nil
}
