package topology

import "github.com/inferlab/inferlab/simcore/quantity"

// charges are the bytes that owned allocations reserve in each domain, in the
// order in which domains are first charged.
type charges struct {
	order []int // domain indices
	sum   map[int]float64
}

// placements checks sections 5.7 to 5.9.
func (v *validator) placements() {
	s := v.spec
	c := charges{sum: make(map[int]float64)}
	for i := range s.Placements {
		p, placement := at("placements", i), &s.Placements[i]
		device := v.placed(p, placement)
		for j := range placement.Allocations {
			v.allocation(p.within(".allocations", j), allocationAt{i, j}, device, &c)
		}
	}
	for i := range s.Placements {
		v.aliases(at("placements", i), i, &s.Placements[i])
	}
	for _, i := range c.order {
		d := &s.MemoryDomains[i]
		if capacity := v.num(&d.CapacityBytes); c.sum[i] > capacity {
			v.issues.Add("domain_over_capacity", "memoryDomains."+d.ID, "reservations of %s bytes exceed the installed %s bytes", show(c.sum[i]), show(capacity))
		}
	}
}

// placed checks a placement's own fields and returns its device, nil when unknown.
func (v *validator) placed(p place, placement *Placement) *Device {
	device := v.deviceByID(placement.DeviceID)
	if device == nil {
		v.issues.Add("unknown_device", p.path(".deviceId"), "there is no device %q", placement.DeviceID)
	} else {
		for _, c := range placement.RequiredCapabilities {
			if !device.Can(c) {
				v.issues.Add("missing_capability", p.path(".requiredCapabilities"), "the device %q has no capability %q", device.ID, string(c))
			}
		}
	}
	distinct(v, p, ".requiredCapabilities", placement.RequiredCapabilities)
	enums(v, p, ".requiredCapabilities", placement.RequiredCapabilities, capabilities)
	return device
}

// allocation checks rules 4 to 10 of section 5.7 and charges the domain.
func (v *validator) allocation(p place, at allocationAt, device *Device, c *charges) {
	a := &v.spec.Placements[at.placement].Allocations[at.position]
	enum(v, p, ".allocationClass", a.AllocationClass, allocationClasses)
	enum(v, p, ".purpose", a.Purpose, purposes)
	v.positive(p, ".bytes", &a.Bytes)
	if owner := v.index.allocations[a.PhysicalAllocationID]; owner != at || a.PhysicalAllocationID == "" {
		v.issues.Add("duplicate_allocation", p.path(".physicalAllocationId"), "the allocation %q is empty or already owned by %q", a.PhysicalAllocationID, v.spec.Placements[owner.placement].PartitionID)
	}
	domainAt, known := v.index.domains[a.DomainID]
	if !known {
		v.issues.Add("unknown_domain", p.path(".domainId"), "there is no memory domain %q", a.DomainID)
		return
	}
	domain := &v.spec.MemoryDomains[domainAt]
	if !domain.Offers(a.AllocationClass) {
		v.issues.Add("unsupported_allocation_class", p.path(".allocationClass"), "the domain %q does not offer the class %q", domain.ID, string(a.AllocationClass))
	}
	if device != nil && !device.Lists(domain.ID) {
		v.issues.Add("inaccessible_allocation", p.path(""), "the device %q does not list the domain %q", device.ID, domain.ID)
	}
	before, charged := c.sum[domainAt]
	if !charged {
		c.order = append(c.order, domainAt)
		c.sum[domainAt] = 0
	}
	sum := before + v.num(&a.Bytes)
	if _, safe := quantity.FromFloat(sum); !safe {
		v.issues.Add("integer_overflow", p.path(".bytes"), "the reservations of %q would sum to %s bytes, which is not a safe integer", domain.ID, show(sum))
		return
	}
	c.sum[domainAt] = sum
}

// aliases checks section 5.8.
func (v *validator) aliases(p place, i int, placement *Placement) {
	distinct(v, p, ".sharedAllocationIds", placement.SharedAllocationIDs)
	device := v.deviceByID(placement.DeviceID)
	for _, id := range placement.SharedAllocationIDs {
		owner, known := v.index.allocations[id]
		switch {
		case !known:
			v.issues.Add("unknown_allocation", p.path(".sharedAllocationIds"), "no placement owns the allocation %q", id)
		case owner.placement == i:
			v.issues.Add("self_alias", p.path(".sharedAllocationIds"), "the placement owns %q itself", id)
		default:
			domain := v.spec.Placements[owner.placement].Allocations[owner.position].DomainID
			if device != nil && !device.Lists(domain) {
				v.issues.Add("inaccessible_allocation", p.path(".sharedAllocationIds"), "the device %q does not list the domain of %q", device.ID, id)
			}
		}
	}
}
