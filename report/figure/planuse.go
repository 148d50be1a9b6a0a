package figure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// resourceLanes is how many operations each resource of a scenario serves at once.
// Communicators are an order, not a machine part, and are left out.
func resourceLanes(scn *topology.Scenario) map[string]int64 {
	spec := scn.Spec()
	lanes := make(map[string]int64, len(spec.Devices)+len(spec.Links)+len(spec.NetworkResources))
	for i := range spec.Devices {
		lanes["compute:"+spec.Devices[i].ID] = spec.Devices[i].MaxConcurrentCompute
	}
	for i := range spec.Links {
		lanes["link:"+spec.Links[i].ID] = spec.Links[i].ConcurrencyLanes
	}
	for i := range spec.NetworkResources {
		lanes["network:"+spec.NetworkResources[i].ID] = spec.NetworkResources[i].ConcurrencyLanes
	}
	return lanes
}

// PlanUse shows how busy each resource was while the operations of a timeline ran
// (contract 09, V8). Time after the end of the window, and after the cut of a
// truncated operation, does not count; dropped operations count nothing.
func PlanUse(f PlanTimeline, scn *topology.Scenario, windowNs int64) ResourceUse {
	use := ResourceUse{Source: f.Source, WindowNs: windowNs}
	if f.ForegroundNs > 0 {
		use.DrainNs = max(0, windowNs-f.ForegroundNs)
	}
	lanes := resourceLanes(scn)
	busy := make(map[string]int64, len(lanes))
	for i := range f.Operations {
		o := &f.Operations[i]
		ns := min(o.end(), windowNs) - o.StartNs
		if o.Outcome == Dropped || ns <= 0 {
			continue
		}
		for _, r := range o.Resources {
			busy[r.ResourceID] += ns
		}
	}
	for id, n := range lanes {
		if ns := busy[id]; ns > 0 && windowNs > 0 {
			use.Rows = append(use.Rows, Resource{ID: id, BusyNs: ns, Lanes: n, Share: float64(ns) / float64(float64(windowNs)*float64(n))})
		}
	}
	slices.SortFunc(use.Rows, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), quantity.CompareIDs(a.ID, b.ID))
	})
	return use
}

// PlanFlow shows which links were busy while the operations of a timeline ran, and
// for how long (contract 09, V2).
func PlanFlow(f PlanTimeline, scn *topology.Scenario, windowNs int64) LinkFlow {
	flow := LinkFlow{Source: f.Source, WindowNs: windowNs}
	used := make(map[string]Resource)
	for _, r := range PlanUse(f, scn, windowNs).Rows {
		if id, ok := strings.CutPrefix(r.ID, "link:"); ok {
			used[id] = r
		}
	}
	operations := make(map[string]int64)
	for i := range f.Operations {
		if f.Operations[i].Outcome == Dropped {
			continue
		}
		for _, r := range f.Operations[i].Resources {
			if id, ok := strings.CutPrefix(r.ResourceID, "link:"); ok {
				operations[id]++
			}
		}
	}
	spec := scn.Spec()
	for i := range spec.Links {
		l := &spec.Links[i]
		r, ok := used[l.ID]
		if !ok {
			flow.Unused = append(flow.Unused, l.ID)
			continue
		}
		flow.Bands = append(flow.Bands, FlowBand{Link: l.ID, Kind: string(l.Kind),
			SourceSystem: system(scn, l.SourceDomainID), SourceDomain: l.SourceDomainID,
			TargetSystem: system(scn, l.TargetDomainID), TargetDomain: l.TargetDomainID,
			Through: l.NetworkResourceIDs, Operations: operations[l.ID], BusyNs: r.BusyNs, Lanes: r.Lanes, Share: r.Share})
	}
	quantity.SortIDs(flow.Unused)
	slices.SortFunc(flow.Bands, func(a, b FlowBand) int { return quantity.CompareIDs(a.Link, b.Link) })
	return flow
}
