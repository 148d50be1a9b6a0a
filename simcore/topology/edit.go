package topology

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Edit is one change of a field of an existing item. Edits are values: the same
// edit may be applied to many scenarios.
type Edit struct{ apply func(*Spec) error }

// With applies edits in order and returns the new, validated scenario: its id ends
// in -custom (once), its family is custom, its topologyEpoch is one higher, and
// all its provenance says heuristic, edited by the user (contract 02 section 16).
// The receiver does not change. An unknown id is an *issue.Error with code
// unknown_item, a value that is no positive safe integer one with code
// invalid_edit.
func (s *Scenario) With(edits ...Edit) (*Scenario, error) {
	spec := s.spec.clone()
	for _, e := range edits {
		if err := e.apply(spec); err != nil {
			return nil, err
		}
	}
	if !strings.HasSuffix(spec.ID, "-custom") {
		spec.ID += "-custom"
	}
	spec.Family = Custom
	spec.Execution.TopologyEpoch++
	edited := evidence.Provenance{Confidence: evidence.Heuristic, Source: "edited by the user"}
	for i := range spec.MemoryDomains {
		spec.MemoryDomains[i].Provenance = edited
	}
	for i := range spec.Devices {
		spec.Devices[i].Provenance = edited
	}
	for i := range spec.NetworkResources {
		spec.NetworkResources[i].Provenance = edited
	}
	for i := range spec.Links {
		spec.Links[i].Provenance = edited
	}
	return New(*spec)
}

// clone copies the items whose fields edits change; lists inside them are shared.
func (s *Spec) clone() *Spec {
	c := *s
	c.MemoryDomains = append([]MemoryDomain(nil), s.MemoryDomains...)
	c.Devices = append([]Device(nil), s.Devices...)
	c.NetworkResources = append([]NetworkResource(nil), s.NetworkResources...)
	c.Links = append([]Link(nil), s.Links...)
	return &c
}

// find gives the item of an id, or an error that offers the nearest ids.
func find[T any](items []T, id string, idOf func(*T) string, what string) (*T, error) {
	ids := make([]string, len(items))
	for i := range items {
		if ids[i] = idOf(&items[i]); ids[i] == id {
			return &items[i], nil
		}
	}
	return nil, issue.New("unknown_item", id, "the scenario has no %s of this id%s", what, document.Suggest(id, ids))
}

func editDomain(id string, change func(*MemoryDomain) error) Edit {
	return Edit{func(s *Spec) error {
		d, err := find(s.MemoryDomains, id, func(d *MemoryDomain) string { return d.ID }, "memory domain")
		if err != nil {
			return err
		}
		return change(d)
	}}
}

func editDevice(id string, change func(*Device) error) Edit {
	return Edit{func(s *Spec) error {
		d, err := find(s.Devices, id, func(d *Device) string { return d.ID }, "device")
		if err != nil {
			return err
		}
		return change(d)
	}}
}

func editLink(id string, change func(*Link) error) Edit {
	return Edit{func(s *Spec) error {
		l, err := find(s.Links, id, func(l *Link) string { return l.ID }, "link")
		if err != nil {
			return err
		}
		return change(l)
	}}
}

func editNetwork(id string, change func(*NetworkResource) error) Edit {
	return Edit{func(s *Spec) error {
		r, err := find(s.NetworkResources, id, func(r *NetworkResource) string { return r.ID }, "network resource")
		if err != nil {
			return err
		}
		return change(r)
	}}
}

// scaled stores value x unit, which must be a positive safe integer.
func scaled(field *int64, path string, value, unit float64, unitName string) error {
	product := float64(value * unit)
	i, ok := quantity.FromFloat(product)
	if !ok || i < 1 {
		return issue.New("invalid_edit", path, "%s %s is not a positive integer of base units", show(value), unitName)
	}
	*field = i
	return nil
}

const (
	bytesPerGiB = 1024 * 1024 * 1024
	bytesPerGB  = 1e9
)

// CapacityGiB sets the installed capacity of a memory domain in GiB.
func CapacityGiB(domainID string, value float64) Edit {
	return editDomain(domainID, func(d *MemoryDomain) error {
		return scaled(&d.CapacityBytes, d.ID+".capacityBytes", value, bytesPerGiB, "GiB")
	})
}

// LimitGiB sets the allocatable limit of a memory domain in GiB.
func LimitGiB(domainID string, value float64) Edit {
	return editDomain(domainID, func(d *MemoryDomain) error {
		return scaled(&d.ResourceLimitBytes, d.ID+".resourceLimitBytes", value, bytesPerGiB, "GiB")
	})
}

// MemoryBandwidthGBps sets the local bandwidth of a memory domain in 10^9 bytes per
// second.
func MemoryBandwidthGBps(domainID string, value float64) Edit {
	return editDomain(domainID, func(d *MemoryDomain) error {
		return scaled(&d.BandwidthBytesPerSec, d.ID+".bandwidthBytesPerSec", value, bytesPerGB, "GB/s")
	})
}

// MemoryLatencyNs sets the latency of a memory domain in nanoseconds.
func MemoryLatencyNs(domainID string, value int64) Edit {
	return editDomain(domainID, func(d *MemoryDomain) error { d.LatencyNs = value; return nil })
}

// LinkBandwidthGBps sets the bandwidth of one directed link in 10^9 bytes per
// second.
func LinkBandwidthGBps(linkID string, value float64) Edit {
	return editLink(linkID, func(l *Link) error {
		return scaled(&l.BandwidthBytesPerSec, l.ID+".bandwidthBytesPerSec", value, bytesPerGB, "GB/s")
	})
}

// LinkLatencyNs sets the latency of one directed link in nanoseconds.
func LinkLatencyNs(linkID string, value int64) Edit {
	return editLink(linkID, func(l *Link) error { l.LatencyNs = value; return nil })
}

// LinkLanes sets how many operations one directed link carries at once.
func LinkLanes(linkID string, value int64) Edit {
	return editLink(linkID, func(l *Link) error { l.ConcurrencyLanes = value; return nil })
}

// NetworkBandwidthGBps sets the bandwidth of a NIC or switch in 10^9 bytes per
// second.
func NetworkBandwidthGBps(resourceID string, value float64) Edit {
	return editNetwork(resourceID, func(r *NetworkResource) error {
		return scaled(&r.BandwidthBytesPerSec, r.ID+".bandwidthBytesPerSec", value, bytesPerGB, "GB/s")
	})
}

// NetworkLatencyNs sets the latency of a NIC or switch in nanoseconds.
func NetworkLatencyNs(resourceID string, value int64) Edit {
	return editNetwork(resourceID, func(r *NetworkResource) error { r.LatencyNs = value; return nil })
}

// NetworkLanes sets how many operations a NIC or switch carries at once.
func NetworkLanes(resourceID string, value int64) Edit {
	return editNetwork(resourceID, func(r *NetworkResource) error { r.ConcurrencyLanes = value; return nil })
}

// ComputeLanes sets how many computations a device runs at once.
func ComputeLanes(deviceID string, value int64) Edit {
	return editDevice(deviceID, func(d *Device) error { d.MaxConcurrentCompute = value; return nil })
}

// ComputeProfile binds a device to a profile of the compute registry, which also
// replaces its supported dtypes by those that the profile publishes rates for. An
// empty id removes the binding.
func ComputeProfile(deviceID, profileID string) Edit {
	return editDevice(deviceID, func(d *Device) error {
		d.ComputeProfileID, d.CustomComputePeaks, d.HasCustomPeaks = profileID, nil, false
		if dtypes := offeredDtypes(profileID); len(dtypes) > 0 {
			d.SupportedDtypes = dtypes
		}
		return nil
	})
}

// ComputePeaks gives a device rates of its own instead of a registry profile.
func ComputePeaks(deviceID string, peaks ...ComputePeak) Edit {
	return editDevice(deviceID, func(d *Device) error {
		d.ComputeProfileID, d.CustomComputePeaks, d.HasCustomPeaks = "", peaks, true
		return nil
	})
}

// ExecutionProvider sets the execution provider of a device.
func ExecutionProvider(deviceID, provider string) Edit {
	return editDevice(deviceID, func(d *Device) error { d.ExecutionProvider = provider; return nil })
}

// Capabilities replaces what a device can do.
func Capabilities(deviceID string, can ...Capability) Edit {
	return editDevice(deviceID, func(d *Device) error { d.Capabilities = can; return nil })
}

// SSDStreaming switches storage on or off as a tier of the ledger.
func SSDStreaming(on bool) Edit {
	return Edit{func(s *Spec) error { s.Execution.SSDStreaming = on; return nil }}
}
