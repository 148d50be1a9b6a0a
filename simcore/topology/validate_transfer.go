package topology

import "slices"

// transfer checks section 7.4: that the bytes can move, and with what staging.
func (v *validator) transfer(p place, t *Transfer) {
	v.positive(p, ".bytes", &t.Bytes)
	if v.domainByID(t.SourceDomainID) == nil {
		v.issues.Add("unknown_domain", p.path(".sourceDomainId"), "there is no memory domain %q", t.SourceDomainID)
	}
	if v.domainByID(t.TargetDomainID) == nil {
		v.issues.Add("unknown_domain", p.path(".targetDomainId"), "there is no memory domain %q", t.TargetDomainID)
	}
	bytes := t.Bytes
	if _, odd := v.odd[&t.Bytes]; odd {
		bytes = 0 // not a positive integer: no route
	}
	route, ok := v.router.route(t.SourceDomainID, t.TargetDomainID, bytes, t.RequiresPinnedStaging)
	if !ok {
		v.issues.Add("no_transfer_path", p.path(""), "no path moves %s bytes from %q to %q (pinned staging required: %t)", show(v.num(&t.Bytes)), t.SourceDomainID, t.TargetDomainID, t.RequiresPinnedStaging)
		return
	}
	distinct(v, p, ".stagingAllocationIds", t.StagingAllocationIDs)
	if !t.RequiresPinnedStaging {
		if len(t.StagingAllocationIDs) > 0 {
			v.issues.Add("unexpected_staging", p.path(".stagingAllocationIds"), "a transfer without pinned staging names no staging allocations")
		}
		return
	}
	v.staging(p, t, route.DomainIDs[1:len(route.DomainIDs)-1])
}

// staging checks the staging allocations of a transfer against the intermediate
// domains of its route.
func (v *validator) staging(p place, t *Transfer, intermediates []string) {
	const field = ".stagingAllocationIds"
	var staged []string
	for _, id := range t.StagingAllocationIDs {
		owner, known := v.index.allocations[id]
		if !known {
			v.issues.Add("unknown_allocation", p.path(field), "no placement owns the allocation %q", id)
			continue
		}
		a := &v.spec.Placements[owner.placement].Allocations[owner.position]
		domain := v.domainByID(a.DomainID)
		if a.Purpose != Staging || a.AllocationClass != Pinned || v.num(&a.Bytes) < v.num(&t.Bytes) ||
			domain == nil || !domain.Offers(Pinned) || !slices.Contains(intermediates, a.DomainID) {
			v.issues.Add("invalid_staging", p.path(field), "%q is not a pinned staging allocation of at least %s bytes in a domain that the route passes", id, show(v.num(&t.Bytes)))
			continue
		}
		staged = append(staged, a.DomainID)
	}
	for _, id := range intermediates {
		if domain := v.domainByID(id); domain != nil && domain.Offers(Pinned) && !slices.Contains(staged, id) {
			v.issues.Add("missing_staging", p.path(field), "the route stages in %q, which needs a staging allocation", id)
		}
	}
}
