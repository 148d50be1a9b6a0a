package experts

import "github.com/inferlab/inferlab/simcore/trace"

// Residence is one stay of a copy in a tier: from the moment it became visible to
// its eviction, or to the end of the trace. Times are in ns; routes count the
// accesses before the moment, so that a stay can be drawn over tokens as well.
type Residence struct {
	Expert             int32
	Tier               trace.Tier
	Load               int32 // the load that brought it, 0 for an initial resident
	FromNs, ToNs       int64
	FromRoute, ToRoute int64
	Evicted            bool // false: still resident at the end
}

// Residences lists every stay of a trace in order of its beginning; initial
// residents come first, warm ones before hot ones. endNs closes what is still
// resident; it is the current time of the final snapshot.
func Residences(tr *trace.Experts, endNs int64) []Residence {
	r := residences{open: [2][]int32{make([]int32, len(tr.Config.Experts)), make([]int32, len(tr.Config.Experts))}}
	index := expertIndex(&tr.Config)
	for _, id := range tr.Config.InitialWarmExpertIDs {
		r.begin(Residence{Expert: index[id], Tier: trace.TierWarm})
	}
	for _, id := range tr.Config.InitialHotExpertIDs {
		r.begin(Residence{Expert: index[id], Tier: trace.TierHot})
	}
	for i := range tr.Events {
		e := &tr.Events[i]
		switch e.Kind {
		case trace.ExpertAccessed:
			r.routes++
		case trace.ExpertLoadCompleted:
			c := &tr.Completions[e.Ref]
			r.begin(Residence{Expert: c.Expert, Tier: c.Target, Load: c.Load, FromNs: e.AtNs})
		case trace.ExpertEvicted:
			v := &tr.Evictions[e.Ref]
			stay := &r.list[r.open[v.Tier][v.Expert]-1]
			stay.ToNs, stay.ToRoute, stay.Evicted = e.AtNs, r.routes, true
			r.open[v.Tier][v.Expert] = 0
		}
	}
	for i := range r.list {
		if stay := &r.list[i]; !stay.Evicted {
			stay.ToNs, stay.ToRoute = endNs, r.routes
		}
	}
	return r.list
}

type residences struct {
	list   []Residence
	open   [2][]int32 // tier, expert -> its stay in the list, plus one
	routes int64
}

// begin opens a stay. A copy cannot arrive where it is resident: a load starts only
// for an expert that is not, and nothing else installs it.
func (r *residences) begin(stay Residence) {
	stay.FromRoute = r.routes
	r.list = append(r.list, stay)
	r.open[stay.Tier][stay.Expert] = int32(len(r.list))
}
