package compiler

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/hardware"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// stageWork is one attention or ffn invocation of the target.
type stageWork struct {
	placement  *placement
	capability topology.Capability
	items      int64 // work items before any division
	shards     int64 // S of section 5.2
	owned, all int64 // assignments of the owner and of the unit; 1 and 1 outside owners
}

// workNs prices an invocation of the target: the normalized cost, and when a
// model is bound at least its weight-streaming and compute-peak floors (contract
// 06 section 12).
func (u *unitCompiler) workNs(w stageWork) (int64, error) {
	device := w.placement.device
	ns, err := u.model.ComputeNs(device.Kind, w.capability, w.items, w.shards)
	if err != nil || u.profile.ModelWork == nil {
		return ns, err
	}
	weights := u.profile.ModelWork.AttentionWeightBytesPerToken
	if w.capability == topology.FFN {
		weights = u.profile.ModelWork.FFNWeightBytesPerToken
	}
	domain, err := u.weightsDomain(device.ID, w.capability)
	if err != nil {
		return 0, err
	}
	streamed, err := cost.WeightFloorNs(domain, weights, w.shards)
	if err != nil {
		return 0, err
	}
	computed, err := u.computeFloorNs(w, weights)
	return max(ns, streamed, computed), err
}

// weightsDomain is where a device streams the weights of a capability from.
func (u *unitCompiler) weightsDomain(deviceID string, c topology.Capability) (*topology.MemoryDomain, error) {
	on := first(u.machine.targets, func(p *placement) bool {
		return p.spec.DeviceID == deviceID && (c == topology.Attention && p.attention || c == topology.FFN && p.ffn)
	})
	if on == nil {
		on = u.machine.firstTargetOn(deviceID)
	}
	if on.weightsDomain == nil {
		return nil, issue.New("missing_weights", "", "placement %s of scenario %s holds no weights to stream",
			on.spec.PartitionID, u.machine.spec.ID)
	}
	return on.weightsDomain, nil
}

// computeFloorNs is 0 where no dense peak is published for the number format.
func (u *unitCompiler) computeFloorNs(w stageWork, weights int64) (int64, error) {
	work := u.profile.ModelWork
	if work.ComputeDtype == "" {
		return 0, nil
	}
	peak, ok := densePeak(w.placement.device, work.ComputeDtype)
	if !ok {
		return 0, nil
	}
	p := cost.ComputePeak{
		ForwardFlopsPerToken: float64(work.ForwardFlopsPerToken),
		StageWeightBytes:     float64(weights),
		TotalWeightBytes:     float64(work.AttentionWeightBytesPerToken) + float64(work.FFNWeightBytesPerToken),
		Tokens:               u.tokens,
		OwnedItems:           w.owned,
		AllItems:             w.all,
		Shards:               w.shards,
		PeakOpsPerSecond:     peak,
	}
	return p.FloorNs()
}

// densePeak is the rate that a device computes a number format at: the user's own
// figure when the device declares any, else the registry's (contract 02 section
// 13). False means that none is published.
func densePeak(d *topology.Device, dtype string) (float64, bool) {
	if d.HasCustomPeaks {
		for _, p := range d.CustomComputePeaks {
			if strings.EqualFold(p.Dtype, dtype) {
				return p.OperationsPerSecond, true
			}
		}
		return 0, false
	}
	profile, ok := hardware.ProfileByID(d.ComputeProfileID)
	if !ok {
		return 0, false
	}
	peak, ok := profile.DensePeak(dtype)
	return peak.OperationsPerSecond, ok
}

// sum adds times or bytes, checked.
func (b *builder) sum(x, y int64) (int64, error) {
	total, err := quantity.Add(x, y)
	if err != nil {
		return 0, issue.New("overflow", "", "%d + %d is not a safe integer", x, y)
	}
	return total, nil
}
