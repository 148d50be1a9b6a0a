package run

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Metrics are the figures of one run (contract 06 section 14); times in ns.
type Metrics struct {
	TotalDurationNs      int64 // completion of the whole plan
	ForegroundDurationNs int64 // finish of the foreground terminal
	BackgroundDrainNs    int64 // what background copies last beyond it
	CommittedTokens      int64
	TokensPerSecond      float64 // committed tokens over the total duration
	ComputeServiceNs     int64   // sum of (finish - start) over compute operations
	TransferServiceNs    int64
	CollectiveServiceNs  int64
	ComputeUtilization   []Utilization // devices that were used, by resource id
	LinkUtilization      []Utilization // links that were used, by resource id
}

// Utilization is the busy share of one resource over the whole run.
type Utilization struct {
	ResourceID    string // "compute:" or "link:" and the id
	BusyNs        int64  // sum of the durations of the operations that reserve it
	CapacityLanes int64
	Utilization   float64 // busy / (total * lanes)
}

// evaluate derives counts and metrics from the trace.
func (r *Result) evaluate() error {
	m := &r.Metrics
	m.TotalDurationNs = r.Trace.Terminal.TimestampNs
	var err error
	for i := range r.Profile.Units {
		if m.CommittedTokens, err = quantity.Add(m.CommittedTokens, r.Profile.Units[i].CommittedTokens); err != nil {
			return issue.New("overflow", "", "the committed tokens of profile %s are no safe integer", r.Profile.ID)
		}
	}
	busy := make(map[string]int64)
	for i := range r.Trace.Operations {
		op := &r.Trace.Operations[i]
		ns := op.FinishNs - op.StartNs
		if err := r.count(op.Kind, op.CollectiveAlgorithm, ns); err != nil {
			return err
		}
		if op.StepID == r.Compiled.ForegroundStepID {
			m.ForegroundDurationNs = op.FinishNs
		}
		for _, held := range op.Resources {
			busy[held.ResourceID] += ns
		}
	}
	m.BackgroundDrainNs = m.TotalDurationNs - m.ForegroundDurationNs
	if m.TotalDurationNs > 0 {
		m.TokensPerSecond = float64(float64(m.CommittedTokens)*1e9) / float64(m.TotalDurationNs)
	}
	r.utilize(busy)
	return nil
}

func (r *Result) count(kind plan.Kind, algorithm plan.Algorithm, ns int64) error {
	var service *int64
	switch kind {
	case plan.Compute:
		r.Operations.Compute++
		service = &r.Metrics.ComputeServiceNs
	case plan.Transfer:
		r.Operations.Transfer++
		service = &r.Metrics.TransferServiceNs
	default:
		r.Operations.Collective++
		service = &r.Metrics.CollectiveServiceNs
		if algorithm == plan.AllReduceRing {
			r.Operations.AllReduce++
		} else {
			r.Operations.AllToAll++
		}
	}
	total, err := quantity.Add(*service, ns)
	if err != nil {
		return issue.New("overflow", "", "the %s service of profile %s is no safe number of ns", kind, r.Profile.ID)
	}
	*service = total
	return nil
}

// utilize lists the used devices and links in id order.
func (r *Result) utilize(busy map[string]int64) {
	spec := r.Scenario.Spec()
	for i := range spec.Devices {
		d := &spec.Devices[i]
		r.Metrics.ComputeUtilization = r.used(r.Metrics.ComputeUtilization, busy, "compute:"+d.ID, d.MaxConcurrentCompute)
	}
	for i := range spec.Links {
		l := &spec.Links[i]
		r.Metrics.LinkUtilization = r.used(r.Metrics.LinkUtilization, busy, "link:"+l.ID, l.ConcurrencyLanes)
	}
	byID := func(a, b Utilization) int { return quantity.CompareIDs(a.ResourceID, b.ResourceID) }
	slices.SortFunc(r.Metrics.ComputeUtilization, byID)
	slices.SortFunc(r.Metrics.LinkUtilization, byID)
}

func (r *Result) used(list []Utilization, busy map[string]int64, id string, lanes int64) []Utilization {
	ns := busy[id]
	if ns == 0 {
		return list
	}
	window := float64(float64(r.Metrics.TotalDurationNs) * float64(lanes))
	return append(list, Utilization{ResourceID: id, BusyNs: ns, CapacityLanes: lanes, Utilization: float64(ns) / window})
}
