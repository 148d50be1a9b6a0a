package topology

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// LedgerEntry is what one memory domain has to give and what is reserved of it.
// All sizes are bytes.
type LedgerEntry struct {
	DomainID              string
	Enabled               bool  // false for storage while SSD streaming is off
	PhysicalCapacityBytes int64 // installed
	CapacityBytes         int64 // the resource limit, 0 when not enabled
	ReservedBytes         int64 // sum of owned allocations, 0 when not enabled
	FreeBytes             int64 // CapacityBytes - ReservedBytes, may be negative
}

// Object is the entry as in documents.
func (e LedgerEntry) Object() canonical.Object {
	return canonical.Object{
		{Key: "domainId", Value: e.DomainID},
		{Key: "enabled", Value: e.Enabled},
		{Key: "physicalCapacityBytes", Value: e.PhysicalCapacityBytes},
		{Key: "capacityBytes", Value: e.CapacityBytes},
		{Key: "reservedBytes", Value: e.ReservedBytes},
		{Key: "freeBytes", Value: e.FreeBytes},
	}
}

// Ledger is the reservation ledger (contract 02 section 6): one entry per memory
// domain in the order of ids. Aliases are never charged.
func (s *Scenario) Ledger() []LedgerEntry {
	// Without replacements nothing can fail: validation has proved the sums.
	entries, _ := s.LedgerWith(nil)
	return entries
}

// LedgerWith is the ledger with replacement sizes in bytes by allocation id, for
// actual weights or cache sizes. Zero is allowed. An unknown id, a size that is
// not a non-negative safe integer, or a sum out of the safe range is an
// *issue.Error with code unknown_allocation, invalid_allocation_override or
// integer_overflow.
func (s *Scenario) LedgerWith(allocationBytes map[string]int64) ([]LedgerEntry, error) {
	if err := s.checkOverrides(allocationBytes); err != nil {
		return nil, err
	}
	reserved := make([]int64, len(s.spec.MemoryDomains))
	for i := range s.spec.Placements {
		p := &s.spec.Placements[i]
		for j := range p.Allocations {
			a := &p.Allocations[j]
			bytes := a.Bytes
			if replacement, ok := allocationBytes[a.PhysicalAllocationID]; ok {
				bytes = replacement
			}
			at := s.index.domains[a.DomainID]
			sum, err := quantity.Add(reserved[at], bytes)
			if err != nil {
				return nil, issue.New("integer_overflow", "placements."+p.PartitionID, "the reservations of %q leave the safe integers", a.DomainID)
			}
			reserved[at] = sum
		}
	}
	entries := make([]LedgerEntry, len(s.spec.MemoryDomains))
	for i := range s.spec.MemoryDomains {
		entries[i] = s.ledgerEntry(&s.spec.MemoryDomains[i], reserved[i])
	}
	slices.SortFunc(entries, func(a, b LedgerEntry) int { return quantity.CompareIDs(a.DomainID, b.DomainID) })
	return entries, nil
}

// checkOverrides judges replacement sizes in the order of their ids.
func (s *Scenario) checkOverrides(allocationBytes map[string]int64) error {
	ids := make([]string, 0, len(allocationBytes))
	for id := range allocationBytes {
		ids = append(ids, id)
	}
	quantity.SortIDs(ids)
	for _, id := range ids {
		path := "allocationBytes." + id
		if _, known := s.index.allocations[id]; !known {
			return issue.New("unknown_allocation", path, "no placement owns the allocation %q", id)
		}
		if bytes := allocationBytes[id]; !quantity.IsCount(bytes) {
			return issue.New("invalid_allocation_override", path, "expected a non-negative integer, found %d", bytes)
		}
	}
	return nil
}

// DomainEnabled reports whether the domain may hold reservations: storage only
// while SSD streaming is on.
func (s *Scenario) DomainEnabled(d *MemoryDomain) bool {
	return d.Kind != StorageMemory || s.spec.Execution.SSDStreaming
}

func (s *Scenario) ledgerEntry(d *MemoryDomain, reserved int64) LedgerEntry {
	e := LedgerEntry{DomainID: d.ID, Enabled: s.DomainEnabled(d), PhysicalCapacityBytes: d.CapacityBytes}
	if e.Enabled {
		e.CapacityBytes, e.ReservedBytes = d.ResourceLimitBytes, reserved
		e.FreeBytes = e.CapacityBytes - e.ReservedBytes
	}
	return e
}

// CheckFree refuses a ledger that reserves more than a domain may give: what a run
// with actual weights and cache sizes must prove before it starts (contract 02
// section 18, rule 9). The error is an *issue.List with code ledger_over_limit,
// naming domain, limit and demand.
func CheckFree(entries []LedgerEntry) error {
	list := issue.List{Subject: "memory ledger"}
	for _, e := range entries {
		if e.FreeBytes < 0 {
			list.Add("ledger_over_limit", "memoryDomains."+e.DomainID, "reservations of %s exceed the limit of %s", quantity.Counted(e.ReservedBytes, "byte"), quantity.Counted(e.CapacityBytes, "byte"))
		}
	}
	return list.Err()
}
