package composed

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// count adds one executed operation.
func count(c *serving.OperationCounts, op *trace.Operation) {
	switch op.Kind {
	case plan.Compute:
		c.Compute++
	case plan.Transfer:
		c.Transfer++
	case plan.Collective:
		c.Collective++
		switch op.CollectiveAlgorithm {
		case plan.AllReduceRing:
			c.AllReduce++
		case plan.AllToAllV:
			c.AllToAll++
		}
	}
}

// topologyMetrics evaluates contract 05 section 6.9 over the shared timeline.
func (run *Run) topologyMetrics() (serving.TopologyMetrics, error) {
	m := &run.Serving.Metrics
	first, last := run.Serving.Requests[0].ArrivalNs, int64(0)
	for i := range run.Serving.Requests {
		last = max(last, run.Serving.Requests[i].CompletedAtNs)
	}
	t := serving.TopologyMetrics{
		TotalDurationNs: m.TotalDurationNs, BatchServiceNs: m.BatchServiceNs, IdleNs: m.TotalDurationNs - m.BatchServiceNs,
		ResourceObservationNs:     max(last, run.Physical.CompletedAtNs) - first,
		CompiledTopologyTemplates: int64(len(run.Serving.Templates)),
	}
	t.BackgroundDrainNs = t.ResourceObservationNs - t.TotalDurationNs
	for i := range run.Physical.Requests {
		t.PlanSteps += int64(len(run.Physical.Requests[i].Plan.Steps))
	}
	if t.PlanSteps != run.Physical.Operations {
		return t, issue.New("incomplete_execution", "", "the plans have %d steps, %d were executed", t.PlanSteps, run.Physical.Operations)
	}
	busy, err := run.service(&t)
	if err != nil {
		return t, err
	}
	t.ResourceUtilization, err = utilization(run.Serving.Scenario, busy, t.ResourceObservationNs)
	return t, err
}

// service counts the operations, sums their times by kind, and returns the busy
// time of every resource.
func (run *Run) service(t *serving.TopologyMetrics) (map[string]int64, error) {
	var counts serving.OperationCounts
	busy := make(map[string]int64)
	for i := range run.Physical.Trace.Operations {
		op := &run.Physical.Trace.Operations[i].Event
		count(&counts, op)
		ns := op.FinishNs - op.StartNs
		total := &t.ComputeServiceNs
		switch op.Kind {
		case plan.Transfer:
			total = &t.TransferServiceNs
		case plan.Collective:
			total = &t.CollectiveServiceNs
		}
		var err error
		if *total, err = quantity.Add(*total, ns); err != nil {
			return nil, err
		}
		for _, r := range op.Resources {
			if busy[r.ResourceID], err = quantity.Add(busy[r.ResourceID], ns); err != nil {
				return nil, err
			}
		}
	}
	t.ComputeOperations, t.TransferOperations = counts.Compute, counts.Transfer
	t.CollectiveOperations, t.AllReduceOperations, t.AllToAllOperations = counts.Collective, counts.AllReduce, counts.AllToAll
	return busy, nil
}

// utilization is the busy share of devices, links and network resources over a
// window, greatest first; the lanes of communicators are no resource of the
// machine. A share above one is an error.
func utilization(scn *topology.Scenario, busy map[string]int64, windowNs int64) ([]serving.Utilization, error) {
	ids := make([]string, 0, len(busy))
	for id := range busy {
		ids = append(ids, id)
	}
	quantity.SortIDs(ids)
	var list []serving.Utilization
	for _, id := range ids {
		lanes := lanesOf(scn, id)
		if lanes == 0 {
			continue
		}
		u := serving.Utilization{ResourceID: id, BusyNs: busy[id], CapacityLanes: lanes}
		u.Utilization = float64(u.BusyNs) / float64(float64(windowNs)*float64(lanes))
		if u.Utilization > 1 {
			return nil, issue.New("utilization_above_one", "", "resource %s is busy for %d ns of %d ns on %d lanes", id, u.BusyNs, windowNs, lanes)
		}
		list = append(list, u)
	}
	slices.SortStableFunc(list, func(a, b serving.Utilization) int {
		switch {
		case a.Utilization > b.Utilization:
			return -1
		case a.Utilization < b.Utilization:
			return 1
		}
		return 0
	})
	return list, nil
}

// lanesOf is the number of lanes of a counted resource, 0 for others.
func lanesOf(scn *topology.Scenario, resourceID string) int64 {
	kind, id, _ := strings.Cut(resourceID, ":")
	switch kind {
	case "compute":
		if d := scn.Device(id); d != nil {
			return d.MaxConcurrentCompute
		}
	case "link":
		if l := scn.Link(id); l != nil {
			return l.ConcurrencyLanes
		}
	case "network":
		if n := scn.NetworkResource(id); n != nil {
			return n.ConcurrencyLanes
		}
	}
	return 0
}
