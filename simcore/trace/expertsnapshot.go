package trace

import (
	"fmt"
	"slices"
)

// ExpertMetrics counts what a cache did (contract 05 section 2.13).
type ExpertMetrics struct {
	Routes        int64
	RoutedExperts int64

	HotHits    int64 // by the tier at admission, counted at access
	WarmMisses int64
	ColdMisses int64

	DemandLoads                int64
	PrefetchLoads              int64
	AdaptivePrefetchDecisions  int64
	AdaptivePrefetchSelections int64
	Evictions                  int64
	BytesMoved                 int64
	StallNs                    int64
	HighWaterHotBytes          int64 // resident and reserved, whole tier
	HighWaterWarmBytes         int64
}

// HotHitRate is hot hits per routed expert, 0 without any.
func (m *ExpertMetrics) HotHitRate() float64 {
	if m.RoutedExperts == 0 {
		return 0
	}
	return float64(m.HotHits) / float64(m.RoutedExperts)
}

// ExpertSnapshot is the visible state of a cache (contract 05 section 2.14).
// Experts are declaration indices.
type ExpertSnapshot struct {
	CurrentTimeNs int64
	Hot, Warm     ExpertTierState
	PendingLoads  []ExpertLoad // by completion time, then by load id as text
	Metrics       ExpertMetrics
}

// ExpertTierState is one tier of a snapshot.
type ExpertTierState struct {
	CapacityBytes int64
	ResidentBytes int64
	ReservedBytes int64
	Experts       []int32 // least recently used first, whole tier
	Partitions    []ExpertPartitionState
}

// ExpertPartitionState is one partition of a tier, in the order of its table.
type ExpertPartitionState struct {
	ID            string
	CapacityBytes int64
	ResidentBytes int64
	ReservedBytes int64
	Experts       []int32 // least recently used first
}

// Difference names the first field in which two snapshots differ, with both
// values, or is empty.
func (s *ExpertSnapshot) Difference(other *ExpertSnapshot) string {
	if s.CurrentTimeNs != other.CurrentTimeNs {
		return unequal("currentTimeNs", s.CurrentTimeNs, other.CurrentTimeNs)
	}
	if d := s.Hot.difference("hot", &other.Hot); d != "" {
		return d
	}
	if d := s.Warm.difference("warm", &other.Warm); d != "" {
		return d
	}
	if !slices.Equal(s.PendingLoads, other.PendingLoads) {
		return unequal("pendingLoads", s.PendingLoads, other.PendingLoads)
	}
	return s.Metrics.difference(&other.Metrics)
}

func unequal(name string, a, b any) string { return fmt.Sprintf("%s: %v and %v", name, a, b) }

func (t *ExpertTierState) difference(tier string, other *ExpertTierState) string {
	switch {
	case t.CapacityBytes != other.CapacityBytes:
		return unequal(tier+"CapacityBytes", t.CapacityBytes, other.CapacityBytes)
	case t.ResidentBytes != other.ResidentBytes:
		return unequal(tier+"ResidentBytes", t.ResidentBytes, other.ResidentBytes)
	case t.ReservedBytes != other.ReservedBytes:
		return unequal(tier+"ReservedBytes", t.ReservedBytes, other.ReservedBytes)
	case !slices.Equal(t.Experts, other.Experts):
		return unequal(tier+"ExpertIds", t.Experts, other.Experts)
	case len(t.Partitions) != len(other.Partitions):
		return unequal(tier+"Partitions", len(t.Partitions), len(other.Partitions))
	}
	for i := range t.Partitions {
		p, q := &t.Partitions[i], &other.Partitions[i]
		if p.ID != q.ID || p.CapacityBytes != q.CapacityBytes || p.ResidentBytes != q.ResidentBytes ||
			p.ReservedBytes != q.ReservedBytes || !slices.Equal(p.Experts, q.Experts) {
			return unequal(fmt.Sprintf("%sPartitions[%d]", tier, i), *p, *q)
		}
	}
	return ""
}

func (m *ExpertMetrics) difference(other *ExpertMetrics) string {
	if *m == *other {
		return ""
	}
	a, b := m.named(), other.named()
	for i := range a {
		if a[i] != b[i] {
			return unequal("metrics."+a[i].name, a[i].value, b[i].value)
		}
	}
	return ""
}

type namedCount struct {
	name  string
	value int64
}

// named lists the counts under the contract's names.
func (m *ExpertMetrics) named() [14]namedCount {
	return [14]namedCount{
		{"routes", m.Routes}, {"routedExperts", m.RoutedExperts},
		{"hotHits", m.HotHits}, {"warmMisses", m.WarmMisses}, {"coldMisses", m.ColdMisses},
		{"demandLoads", m.DemandLoads}, {"prefetchLoads", m.PrefetchLoads},
		{"adaptivePrefetchDecisions", m.AdaptivePrefetchDecisions},
		{"adaptivePrefetchSelections", m.AdaptivePrefetchSelections},
		{"evictions", m.Evictions}, {"bytesMoved", m.BytesMoved}, {"stallNs", m.StallNs},
		{"highWaterHotBytes", m.HighWaterHotBytes}, {"highWaterWarmBytes", m.HighWaterWarmBytes},
	}
}
