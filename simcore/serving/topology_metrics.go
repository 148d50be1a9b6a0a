package serving

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// topologyMetrics evaluates contract 05 section 6.9 for a stateless run: each
// template counts once per batch that uses it.
func topologyMetrics(scn *topology.Scenario, m *Metrics, templates []Template) (TopologyMetrics, error) {
	t := TopologyMetrics{
		TotalDurationNs:           m.TotalDurationNs,
		BatchServiceNs:            m.BatchServiceNs,
		IdleNs:                    m.TotalDurationNs - m.BatchServiceNs,
		ResourceObservationNs:     m.TotalDurationNs,
		CompiledTopologyTemplates: int64(len(templates)),
		ReusedTopologyBatches:     m.Batches - int64(len(templates)),
	}
	busy := make(map[string]int64)
	for i := range templates {
		if err := t.addTemplate(&templates[i], busy); err != nil {
			return t, fmt.Errorf("serving template %d: %w", i, err)
		}
	}
	ids := make([]string, 0, len(busy))
	for id := range busy {
		ids = append(ids, id)
	}
	quantity.SortIDs(ids)
	for _, id := range ids {
		lanes, counted := lanesOf(scn, id)
		if !counted {
			continue
		}
		u := Utilization{ResourceID: id, BusyNs: busy[id], CapacityLanes: lanes}
		u.Utilization = float64(u.BusyNs) / float64(float64(t.ResourceObservationNs)*float64(lanes))
		if u.Utilization > 1 {
			return t, issue.New("utilization_above_one", "", "resource %s is busy for %d ns of %d ns on %d lanes",
				id, u.BusyNs, t.ResourceObservationNs, lanes)
		}
		t.ResourceUtilization = append(t.ResourceUtilization, u)
	}
	slices.SortStableFunc(t.ResourceUtilization, func(a, b Utilization) int {
		switch {
		case a.Utilization > b.Utilization:
			return -1
		case a.Utilization < b.Utilization:
			return 1
		}
		return 0
	})
	return t, nil
}

// addTemplate adds a template's counts, service times and busy times, times its
// occurrences.
func (t *TopologyMetrics) addTemplate(p *Template, busy map[string]int64) error {
	service := map[plan.Kind]*int64{
		plan.Compute: &t.ComputeServiceNs, plan.Transfer: &t.TransferServiceNs, plan.Collective: &t.CollectiveServiceNs,
	}
	for _, c := range [...]struct {
		total *int64
		count int64
	}{
		{&t.PlanSteps, int64(len(p.Plan.Steps))},
		{&t.ComputeOperations, p.Operations.Compute},
		{&t.TransferOperations, p.Operations.Transfer},
		{&t.CollectiveOperations, p.Operations.Collective},
		{&t.AllReduceOperations, p.Operations.AllReduce},
		{&t.AllToAllOperations, p.Operations.AllToAll},
	} {
		if err := p.accumulate(c.total, c.count); err != nil {
			return err
		}
	}
	for i := range p.Trace.Operations {
		op := &p.Trace.Operations[i]
		ns := op.FinishNs - op.StartNs
		if err := p.accumulate(service[op.Kind], ns); err != nil {
			return err
		}
		for _, r := range op.Resources {
			total := busy[r.ResourceID]
			if err := p.accumulate(&total, ns); err != nil {
				return err
			}
			busy[r.ResourceID] = total
		}
	}
	return nil
}

// accumulate adds a figure once per occurrence, checked.
func (p *Template) accumulate(total *int64, v int64) error {
	product, err := quantity.Mul(v, p.Occurrences)
	if err != nil {
		return err
	}
	*total, err = quantity.Add(*total, product)
	return err
}

// lanesOf gives the lanes of a device, link or network resource by its resource
// id; other resources (the sequencing lanes of communicators) are not counted.
func lanesOf(scn *topology.Scenario, resourceID string) (int64, bool) {
	kind, id, _ := strings.Cut(resourceID, ":")
	switch kind {
	case "compute":
		if d := scn.Device(id); d != nil {
			return d.MaxConcurrentCompute, true
		}
	case "link":
		if l := scn.Link(id); l != nil {
			return l.ConcurrencyLanes, true
		}
	case "network":
		if n := scn.NetworkResource(id); n != nil {
			return n.ConcurrencyLanes, true
		}
	}
	return 0, false
}
