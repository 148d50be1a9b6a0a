package executor

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// RunConcurrentNodeFailure executes all requests until a node fails and the old
// epoch is quiescent (contract 03 section 17). The fault carries an abort
// deadline. Every execution must be admitted before the fault, take part on the
// node and still run at the fault; otherwise the error names those that do not.
func RunConcurrentNodeFailure(fabric *plan.Fabric, requests []plan.Request, fault *trace.Fault) (*ConcurrentResult, error) {
	if err := checkConcurrentFault(fabric, fault); err != nil {
		return nil, err
	}
	if late := executionsWhere(requests, func(q *plan.Request) bool { return q.ArrivalNs >= fault.AtNs }); late != "" {
		return nil, issue.New(CodeFault, "at_ns", "executions %s do not arrive before the fault at %d ns", late, fault.AtNs)
	}
	r, err := runAll(fabric, requests)
	if err != nil {
		return nil, err
	}
	n := newNodeFault(fabric, fault)
	if err := r.checkInvolved(n); err != nil {
		return nil, err
	}
	return r.failedResult(n), nil
}

func checkConcurrentFault(fabric *plan.Fabric, fault *trace.Fault) error {
	switch {
	case fault.Kind != trace.NodeFailure:
		return issue.New(CodeFault, "kind", "%q is not node_failure", fault.Kind)
	case fault.Reason == "":
		return issue.New(CodeFault, "reason", "the reason is empty")
	case !quantity.IsPositive(fault.AtNs):
		return issue.New(CodeFault, "at_ns", "%d is not a count greater than 0", fault.AtNs)
	case !fault.HasQuiesceTimeout || !quantity.IsPositive(fault.QuiesceTimeoutNs):
		return issue.New(CodeFault, "quiesce_timeout_ns", "%d is not a count greater than 0", fault.QuiesceTimeoutNs)
	case !hasNode(fabric, fault.NodeID):
		return issue.New(CodeFault, "node_id", "no device has node %q", fault.NodeID)
	}
	if _, err := quantity.Add(fault.AtNs, fault.QuiesceTimeoutNs); err != nil {
		return issue.New(CodeFault, "quiesce_timeout_ns", "fault time %d plus timeout %d exceeds %d", fault.AtNs, fault.QuiesceTimeoutNs, quantity.MaxSafe)
	}
	return nil
}

// executionsWhere names the executions of the requests that a test picks.
func executionsWhere(requests []plan.Request, picked func(*plan.Request) bool) string {
	var ids []string
	for i := range requests {
		if picked(&requests[i]) {
			ids = append(ids, requests[i].Plan.ExecutionID)
		}
	}
	return strings.Join(ids, ", ")
}

// checkInvolved refuses executions that are over before the fault, or have no
// rank on the failed node.
func (r *Runtime) checkInvolved(n *nodeFault) error {
	var over, outside []string
	for _, run := range r.runs {
		id := run.plan.Plan().ExecutionID
		if run.lastNs < n.fault.AtNs {
			over = append(over, id)
		}
		if !takesPart(run.plan, n.dead) {
			outside = append(outside, id)
		}
	}
	if len(outside) > 0 {
		return issue.New(CodeFault, "node_id", "executions %s have no participant on node %q", strings.Join(outside, ", "), n.fault.NodeID)
	}
	if len(over) > 0 {
		return issue.New(CodeFault, "at_ns", "executions %s have completed before the fault at %d ns", strings.Join(over, ", "), n.fault.AtNs)
	}
	return nil
}

// failedResult partitions the fault-free schedule by node.
func (r *Runtime) failedResult(n *nodeFault) *ConcurrentResult {
	keep := make([]bool, len(r.owners))
	for k, owner := range r.owners {
		keep[k] = n.retains(r.runs[owner].plan, r.log.steps[k], &r.log.operations[k])
	}
	logs := r.split(keep)
	out := &ConcurrentResult{CompletedAtNs: n.fault.AtNs, Executions: make([]*Result, len(r.runs))}
	for k, run := range r.runs {
		out.Executions[k] = newResult(logs[k].operations, n.terminal(run.plan, &logs[k]))
		out.CompletedAtNs = max(out.CompletedAtNs, out.Executions[k].CompletedAtNs)
	}
	out.Trace = r.trace(out.Executions, keep)
	out.MaximumConcurrentExecutions = r.concurrency(out.Executions)
	return out
}
