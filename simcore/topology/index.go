package topology

// index finds the items of a Spec by id. Ids that occur twice, which only an
// invalid scenario has, belong to their first holder.
type index struct {
	domains, devices, links, resources, groups map[string]int
	placements                                 map[string]int
	allocations                                map[string]allocationAt
	ranks                                      map[string]string // rank id to the first device it names
}

// allocationAt is the place of an allocation: its placement, its position there.
type allocationAt struct{ placement, position int }

func newIndex(s *Spec) *index {
	return &index{
		domains:     first(len(s.MemoryDomains), func(i int) string { return s.MemoryDomains[i].ID }),
		devices:     first(len(s.Devices), func(i int) string { return s.Devices[i].ID }),
		links:       first(len(s.Links), func(i int) string { return s.Links[i].ID }),
		resources:   first(len(s.NetworkResources), func(i int) string { return s.NetworkResources[i].ID }),
		groups:      first(len(s.Groups), func(i int) string { return s.Groups[i].ID }),
		placements:  first(len(s.Placements), func(i int) string { return s.Placements[i].PartitionID }),
		allocations: firstAllocations(s),
		ranks:       firstRanks(s),
	}
}

func first(n int, id func(int) string) map[string]int {
	m := make(map[string]int, n)
	for i := range n {
		key := id(i)
		if _, taken := m[key]; !taken {
			m[key] = i
		}
	}
	return m
}

func firstAllocations(s *Spec) map[string]allocationAt {
	m := make(map[string]allocationAt)
	for i := range s.Placements {
		for j := range s.Placements[i].Allocations {
			id := s.Placements[i].Allocations[j].PhysicalAllocationID
			if _, taken := m[id]; !taken {
				m[id] = allocationAt{i, j}
			}
		}
	}
	return m
}

func firstRanks(s *Spec) map[string]string {
	m := make(map[string]string)
	for i := range s.Groups {
		for _, r := range s.Groups[i].OrderedRanks {
			if _, taken := m[r.RankID]; !taken {
				m[r.RankID] = r.DeviceID
			}
		}
	}
	return m
}
