package topology

import "slices"

// domain checks section 5.3.
func (v *validator) domain(p place, d *MemoryDomain) {
	enum(v, p, ".kind", d.Kind, domainKinds)
	v.provenance(p, &d.Provenance)
	v.positive(p, ".capacityBytes", &d.CapacityBytes)
	v.positive(p, ".resourceLimitBytes", &d.ResourceLimitBytes)
	if limit, capacity := v.num(&d.ResourceLimitBytes), v.num(&d.CapacityBytes); limit > capacity {
		v.issues.Add("resource_limit", p.path(".resourceLimitBytes"), "the limit %s exceeds the installed capacity %s", show(limit), show(capacity))
	}
	v.positive(p, ".bandwidthBytesPerSec", &d.BandwidthBytesPerSec)
	v.nonNegative(p, ".latencyNs", &d.LatencyNs)
	distinct(v, p, ".allocationClasses", d.AllocationClasses)
	enums(v, p, ".allocationClasses", d.AllocationClasses, allocationClasses)
	distinct(v, p, ".accessibleBy", d.AccessibleBy)
	if len(d.AllocationClasses) == 0 {
		v.issues.Add("empty_classes", p.path(".allocationClasses"), "a domain offers at least one allocation class")
	}
	for j, id := range d.AccessibleBy {
		if v.deviceByID(id) == nil && !slices.Contains(d.AccessibleBy[:j], id) {
			v.issues.Add("unknown_device", p.path(".accessibleBy"), "there is no device %q", id)
		}
	}
	v.governor(p, d)
	v.domainClasses(p, d)
}

func (v *validator) governor(p place, d *MemoryDomain) {
	switch d.Governor.Kind {
	case HostGovernor:
		if d.Governor.NodeID != d.NodeID {
			v.issues.Add("governor_node", p.path(".governor"), "the governor's node %q is not the domain's node %q", d.Governor.NodeID, d.NodeID)
		}
	case DeviceGovernor:
		owner := v.deviceByID(d.Governor.DeviceID)
		if owner == nil || owner.NodeID != d.NodeID {
			v.issues.Add("governor_device", p.path(".governor"), "the governor %q is not a device of the domain's node %q", d.Governor.DeviceID, d.NodeID)
		}
	}
}

// domainClasses checks what a kind of domain may offer, and who governs and
// reaches storage.
func (v *validator) domainClasses(p place, d *MemoryDomain) {
	if d.Kind == UnifiedMemory && d.Offers(DeviceClass) {
		v.issues.Add("unified_class", p.path(".allocationClasses"), "unified memory offers no class device")
	}
	if d.Kind != StorageMemory {
		if d.Offers(StorageClass) {
			v.issues.Add("storage_class", p.path(".allocationClasses"), "only storage offers the class storage")
		}
		return
	}
	if len(d.AllocationClasses) != 1 || d.AllocationClasses[0] != StorageClass {
		v.issues.Add("storage_class", p.path(".allocationClasses"), "storage offers the class storage and no other")
	}
	if d.Governor.Kind != NoGovernor {
		v.issues.Add("storage_governor", p.path(".governor"), "storage has the governor none, found %s", d.Governor.Kind)
	}
	if len(d.AccessibleBy) == 0 {
		v.issues.Add("storage_access", p.path(".accessibleBy"), "storage needs a CPU of its node that reaches it")
	}
	for j, id := range d.AccessibleBy {
		device := v.deviceByID(id)
		if device == nil || slices.Contains(d.AccessibleBy[:j], id) {
			continue
		}
		if device.Kind != CPU || device.NodeID != d.NodeID {
			v.issues.Add("storage_access", p.path(".accessibleBy"), "%q is not a CPU of the storage's node %q", id, d.NodeID)
		}
	}
}
