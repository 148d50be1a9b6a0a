package planreplay

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// CodeRequests is the code of requests that break contract 03 section 13.1.
const CodeRequests = "invalid_request"

// execution is one request as the checker reads it, in admission order.
type execution struct {
	*script
	arrivalNs int64
	release   map[int64]int64 // step id to its release, for releases after the arrival
}

// readRequests validates the requests and sorts them by admission.
func (c *Checker) readRequests(requests []plan.Request) ([]*execution, error) {
	n := len(requests)
	if n == 0 {
		return nil, issue.New(CodeRequests, "requests", "there is no request")
	}
	place := make([]*plan.Request, n)
	ids := make(map[string]bool, n)
	for i := range requests {
		q := &requests[i]
		k := q.AdmissionOrder
		if k < 0 || k >= int64(n) || place[k] != nil {
			return nil, issue.New(CodeRequests, "requests", "execution %q: admission order %d is outside 0..%d or used twice", q.Plan.ExecutionID, k, n-1)
		}
		if ids[q.Plan.ExecutionID] {
			return nil, issue.New(CodeRequests, "requests", "execution %q is requested twice", q.Plan.ExecutionID)
		}
		place[k], ids[q.Plan.ExecutionID] = q, true
	}
	fabric := plan.NewFabric(c.machine.spec)
	list := make([]*execution, n)
	var events int64
	for k, q := range place {
		if !quantity.IsCount(q.ArrivalNs) || k > 0 && q.ArrivalNs < place[k-1].ArrivalNs {
			return nil, issue.New(CodeRequests, "requests", "execution %q arrives at %d ns, out of its admission order", q.Plan.ExecutionID, q.ArrivalNs)
		}
		s, err := c.scriptOf(fabric, q.Plan, list[:k])
		if err != nil {
			return nil, err
		}
		list[k] = &execution{script: s, arrivalNs: q.ArrivalNs}
		if err := list[k].readReleases(q); err != nil {
			return nil, err
		}
		events += int64(len(q.Plan.Steps)+2) + int64(len(list[k].release))
	}
	if limit := c.machine.spec.Execution.MaxEvents; events > limit {
		return nil, issue.New(CodeRequests, "execution.maxEvents", "%d events exceed maxEvents = %d", events, limit)
	}
	return list, nil
}

// scriptOf resolves a plan; plans that share their steps with the one before, as
// in a campaign, share its script as well.
func (c *Checker) scriptOf(fabric *plan.Fabric, p *plan.Plan, before []*execution) (*script, error) {
	if n := len(before); n > 0 && len(p.Steps) > 0 {
		last := before[n-1].script
		if q := last.plan; len(q.Steps) == len(p.Steps) && &q.Steps[0] == &p.Steps[0] &&
			q.TopologyEpoch == p.TopologyEpoch && q.ContractRevision == p.ContractRevision && p.ID != "" && p.ExecutionID != "" {
			shared := *last
			shared.plan = p
			return &shared, nil
		}
	}
	if _, err := fabric.Validate(p); err != nil {
		return nil, issue.New(CodeRequests, "plan", "execution %q: %v", p.ExecutionID, err)
	}
	s, bad := newScript(c.machine, p)
	if bad != nil {
		return nil, bad
	}
	return s, nil
}

func (e *execution) readReleases(q *plan.Request) error {
	seen := make(map[int64]bool, len(q.NotBefore))
	for _, n := range q.NotBefore {
		_, known := e.index[n.StepID]
		if !known || seen[n.StepID] || !quantity.IsCount(n.AtNs) || n.AtNs < q.ArrivalNs {
			return issue.New(CodeRequests, "stepNotBeforeNs", "execution %q: no release of step %d at %d ns is possible", q.Plan.ExecutionID, n.StepID, n.AtNs)
		}
		seen[n.StepID] = true
		if n.AtNs > q.ArrivalNs {
			if e.release == nil {
				e.release = make(map[int64]int64)
			}
			e.release[n.StepID] = n.AtNs
		}
	}
	return nil
}
