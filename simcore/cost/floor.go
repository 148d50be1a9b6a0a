package cost

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// streamingEfficiency is the share of a domain's bandwidth that streaming
// weights reaches at best (contract 06 section 12.1).
const streamingEfficiency = 0.7

// WeightFloorNs is the shortest time in which one shard of a stage's weights
// streams out of its domain (contract 06 section 12.1):
//
//	ideal = latency + ceil(ceil(bytes / shards) / bandwidth * 1e9)
//	floor = ceil(ideal / 0.7)
//
// It does not depend on the width of the step.
func WeightFloorNs(d *topology.MemoryDomain, weightBytes, shards int64) (int64, error) {
	ideal, err := LocalMemoryNs(d, CeilShare(weightBytes, shards))
	if err != nil {
		return 0, err
	}
	floor, ok := quantity.Ceil(float64(ideal) / streamingEfficiency)
	if !ok {
		return 0, issue.New("overflow", "", "the weight floor of %d bytes in domain %s is not a safe integer", weightBytes, d.ID)
	}
	return floor, nil
}

// ComputePeak describes one step for its compute floor (contract 06 section
// 12.2).
type ComputePeak struct {
	ForwardFlopsPerToken float64 // F, arithmetic of one token through the model
	StageWeightBytes     float64 // bytes of the stage: attention's or FFN's
	TotalWeightBytes     float64 // attention's plus FFN's
	Tokens               int64   // W x B, not work items
	OwnedItems           int64   // assignments of this owner; 1 when the work is not split by owner
	AllItems             int64   // assignments of the unit; 1 when the work is not split by owner
	Shards               int64   // S of section 5.2, 1 on an owner
	PeakOpsPerSecond     float64 // dense peak of the step's number format
}

// FloorNs is the shortest time in which the device's published dense peak does
// the stage's arithmetic, left to right with one rounding an operation:
//
//	flops = F * (stage / total) * tokens * (owned / all) / S
//	floor = ceil(flops * 1e9 / P)
func (p *ComputePeak) FloorNs() (int64, error) {
	share := p.StageWeightBytes / p.TotalWeightBytes
	work := float64(p.OwnedItems) / float64(p.AllItems)
	flops := float64(float64(float64(p.ForwardFlopsPerToken*share)*float64(p.Tokens))*work) / float64(p.Shards)
	floor, ok := quantity.Ceil(float64(flops*1e9) / p.PeakOpsPerSecond)
	if !ok || floor <= 0 {
		return 0, issue.New("overflow", "", "the compute floor of %d tokens at %v operations/s is not a positive safe integer",
			p.Tokens, p.PeakOpsPerSecond)
	}
	return floor, nil
}
