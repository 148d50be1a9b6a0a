package run

import (
	"cmp"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Busy adds up how long each resource was held. Communicators are an order, not a part
// of the machine, and are left out.
type Busy struct {
	windowNs int64
	busy     map[string]int64
}

// NewBusy observes the time from 0 to windowNs.
func NewBusy(windowNs int64) *Busy { return &Busy{windowNs: windowNs, busy: make(map[string]int64)} }

// Hold counts one operation's lanes from startNs to endNs, as far as it lies within
// the window.
func (b *Busy) Hold(held []trace.Reservation, startNs, endNs int64) {
	ns := min(endNs, b.windowNs) - max(startNs, 0)
	if ns <= 0 {
		return
	}
	for _, r := range held {
		b.busy[r.ResourceID] += ns
	}
}

// Utilizations lists the resources of a scenario that were held at all, by utilisation
// descending, then by id.
func (b *Busy) Utilizations(scn *topology.Scenario) []Utilization {
	var list []Utilization
	add := func(id string, lanes int64) {
		if ns := b.busy[id]; ns > 0 {
			window := float64(float64(b.windowNs) * float64(lanes))
			list = append(list, Utilization{ResourceID: id, BusyNs: ns, CapacityLanes: lanes, Utilization: float64(ns) / window})
		}
	}
	spec := scn.Spec()
	for i := range spec.Devices {
		add("compute:"+spec.Devices[i].ID, spec.Devices[i].MaxConcurrentCompute)
	}
	for i := range spec.Links {
		add("link:"+spec.Links[i].ID, spec.Links[i].ConcurrencyLanes)
	}
	for i := range spec.NetworkResources {
		add("network:"+spec.NetworkResources[i].ID, spec.NetworkResources[i].ConcurrencyLanes)
	}
	slices.SortFunc(list, func(x, y Utilization) int {
		return cmp.Or(cmp.Compare(y.Utilization, x.Utilization), quantity.CompareIDs(x.ResourceID, y.ResourceID))
	})
	return list
}

// Cut says until when operations really ran under a fault: a node's failure with a
// deadline truncates, at the fault, what has a rank on the node and was to finish at or
// after it (contract 03 section 17.2). Any other fault lets submitted work run out
// (section 9).
type Cut struct {
	fault *trace.Fault
	dead  map[string]bool // ranks on the failed node
}

// NewCut reads who is on the failed node; a nil fault cuts nothing.
func NewCut(scn *topology.Scenario, fault *trace.Fault) *Cut {
	c := &Cut{}
	if fault == nil || fault.Kind != trace.NodeFailure || !fault.HasQuiesceTimeout {
		return c
	}
	c.fault, c.dead = fault, make(map[string]bool)
	spec := scn.Spec()
	for i := range spec.Groups {
		for _, r := range spec.Groups[i].OrderedRanks {
			if d := scn.Device(r.DeviceID); d != nil && d.NodeID == fault.NodeID {
				c.dead[r.RankID] = true
			}
		}
	}
	return c
}

// End is the time until which an operation held its lanes, and whether it was
// truncated there.
func (c *Cut) End(participants []string, finishNs int64) (endNs int64, truncated bool) {
	if c.fault == nil || finishNs < c.fault.AtNs || !slices.ContainsFunc(participants, func(r string) bool { return c.dead[r] }) {
		return finishNs, false
	}
	return min(finishNs, c.fault.AtNs), true
}
