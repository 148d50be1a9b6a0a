package cost

import (
	"math"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// ComputeNs is the normalized duration of one invocation (contract 06 section
// 5.2): invocation[kind] + ceil((perItem[kind][capability] * items) / shards).
//
// The observed range, when the model has one, bounds the items before they are
// divided over shards. Items and shards must be positive.
func (m *Model) ComputeNs(kind topology.DeviceKind, capability topology.Capability, items, shards int64) (int64, error) {
	c := m.Devices.For(kind)
	if c == nil {
		return 0, issue.New("unknown_device_kind", "", "device kind %q has no compute costs", kind)
	}
	if err := m.checkRange(kind, capability, items); err != nil {
		return 0, err
	}
	work, err := quantity.Mul(c.PerItem(capability), items)
	if err != nil {
		return 0, overflow(kind, capability, items)
	}
	service, ok := quantity.Ceil(float64(work) / float64(shards))
	if !ok {
		return 0, overflow(kind, capability, items)
	}
	total, err := quantity.Add(c.InvocationOverheadNs, service)
	if err != nil {
		return 0, overflow(kind, capability, items)
	}
	return total, nil
}

func overflow(kind topology.DeviceKind, capability topology.Capability, items int64) error {
	return issue.New("overflow", "", "the duration of %s %s over %d work items is not a safe integer",
		kind, capability, items)
}

func (m *Model) checkRange(kind topology.DeviceKind, capability topology.Capability, items int64) error {
	if m.Ranges == nil {
		return nil
	}
	r := m.Ranges.For(kind).Of(capability)
	if r == nil || (items >= r.MinWorkItems && items <= r.MaxWorkItems) {
		return nil
	}
	return issue.New("outside_range", "",
		"%s %s was observed from %d to %d work items; this step has %d and costs are not extrapolated",
		kind, capability, r.MinWorkItems, r.MaxWorkItems, items)
}

// ProposerNs is the duration of a proposer step: max(1, ceil(base * scale)) with
// the undivided base of section 5.2. Scale must be finite and positive.
func (m *Model) ProposerNs(kind topology.DeviceKind, capability topology.Capability, items int64, scale float64) (int64, error) {
	base, err := m.ComputeNs(kind, capability, items, 1)
	if err != nil {
		return 0, err
	}
	scaled, ok := quantity.Ceil(float64(base) * scale)
	if !ok {
		return 0, overflow(kind, capability, items)
	}
	return max(1, scaled), nil
}

// LocalMemoryNs is the penalty of reading bytes within one memory domain:
// latency + ceil(bytes / bandwidth * 1e9) (contract 06 section 5.3).
func LocalMemoryNs(d *topology.MemoryDomain, bytes int64) (int64, error) {
	service, ok := quantity.ServiceNs(bytes, d.BandwidthBytesPerSec)
	if ok {
		if total, err := quantity.Add(d.LatencyNs, service); err == nil {
			return total, nil
		}
	}
	return 0, issue.New("overflow", "", "reading %d bytes within domain %s takes no safe number of ns", bytes, d.ID)
}

// CeilShare divides bytes over shards and rounds up: ceil(bytes / shards) as a
// double quotient (contract 06 section 9.5).
func CeilShare(bytes, shards int64) int64 {
	return int64(math.Ceil(float64(bytes) / float64(shards)))
}
