package figure

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
)

// PlanUse shows how busy each resource was while the operations of a timeline ran
// (contract 09, V8). Time after the end of the window, and after the cut of a
// truncated operation, does not count; dropped operations count nothing.
func PlanUse(f PlanTimeline, scn *topology.Scenario, windowNs int64) ResourceUse {
	use := ResourceUse{Source: f.Source, WindowNs: windowNs}
	if f.ForegroundNs > 0 {
		use.DrainNs = max(0, windowNs-f.ForegroundNs)
	}
	busy := run.NewBusy(windowNs)
	for i := range f.Operations {
		if o := &f.Operations[i]; o.Outcome != Dropped {
			busy.Hold(o.Resources, o.StartNs, o.end())
		}
	}
	for _, u := range busy.Utilizations(scn) {
		use.Rows = append(use.Rows, Resource{ID: u.ResourceID, BusyNs: u.BusyNs, Lanes: u.CapacityLanes, Share: u.Utilization})
	}
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
