package planreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/trace"
)

// terminals compares the closing events of all executions, in their order.
func (r *concurrentReplay) terminals() *Mismatch {
	at := len(r.trace.Operations)
	if len(r.trace.Terminals) != len(r.runs) {
		return mismatch(at, RuleEventCount, "%d terminals of %d executions", len(r.trace.Terminals), len(r.runs))
	}
	ends := make([]int64, len(r.runs))
	order := make([]int, len(r.runs))
	for k, run := range r.runs {
		order[k] = k
		if r.fault != nil && run.lastNs < r.fault.AtNs {
			return mismatch(at, RuleFault, "execution %q had completed before the fault", run.plan.ExecutionID)
		}
		ends[k] = run.endNs()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ends[a] < ends[b]:
			return -1
		case ends[a] > ends[b]:
			return 1
		}
		return 0
	})
	for k, i := range order {
		if bad := r.closing(at+k, r.runs[i], ends[i], &r.trace.Terminals[k]); bad != nil {
			return bad
		}
	}
	return nil
}

// endNs is when an execution completes or quiesces.
func (run *runState) endNs() int64 {
	if run.node == nil {
		return run.lastNs
	}
	drained := run.node.atNs
	for i, finish := range run.finish {
		if run.has(int32(i)) && !run.node.spanning[i] {
			drained = max(drained, finish)
		}
	}
	return min(drained, run.node.deadlineNs)
}

// has reports whether step i has an event.
func (run *runState) has(i int32) bool { return run.finish[i] >= 0 && !run.dropped[i] }

func (r *concurrentReplay) closing(at int, run *runState, endNs int64, end *trace.Terminal) *Mismatch {
	if bad := run.envelope(at, end, run.events); bad != nil {
		return bad
	}
	if end.TimestampNs != endNs {
		return mismatch(at, RuleTimestamp, "execution %q ends at %d ns, expected %d ns", end.ExecutionID, end.TimestampNs, endNs)
	}
	if r.fault == nil {
		return run.closedWell(at, end)
	}
	return r.closedByFault(at, run, end)
}

func (run *runState) closedWell(at int, end *trace.Terminal) *Mismatch {
	if end.Status != trace.Succeeded {
		return mismatch(at, RuleStatus, "execution %q is %s, expected succeeded", end.ExecutionID, end.Status)
	}
	if bad := plainSuccess(at, end); bad != nil {
		return bad
	}
	want := make([]trace.RankState, len(run.rankIDs))
	for rank, last := range run.lastFinishes(run.has, run.finish) {
		want[rank] = trace.RankState{RankID: run.rankIDs[rank], Status: trace.Succeeded, TerminalAtNs: last}
	}
	return sameRanks(at, end.RankStates, want)
}

func (r *concurrentReplay) closedByFault(at int, run *runState, end *trace.Terminal) *Mismatch {
	switch {
	case end.Status != trace.Failed:
		return mismatch(at, RuleStatus, "execution %q is %s, expected failed", end.ExecutionID, end.Status)
	case end.FailureAtNs != r.fault.AtNs:
		return mismatch(at, RuleFault, "failureAtNs is %d, the fault is at %d", end.FailureAtNs, r.fault.AtNs)
	case end.Reason != r.fault.Reason:
		return mismatch(at, RuleReason, "reason %q is not the fault's reason %q", end.Reason, r.fault.Reason)
	case end.Fault == nil || *end.Fault != *r.fault:
		return mismatch(at, RuleFault, "the terminal of execution %q does not carry the fault", end.ExecutionID)
	case end.HasBeforeStep || end.BeforeStepID != 0:
		return mismatch(at, RuleTerminal, "beforeStepId after a fault")
	}
	if bad := run.script.unsubmitted(at, end, run.has); bad != nil {
		return bad
	}
	return run.node.close(at, run.script, run.has, run.finish, end)
}

func (r *concurrentReplay) result() *ConcurrentResult {
	out := &ConcurrentResult{
		AppliedEvents: int64(len(r.trace.Admissions) + len(r.trace.Operations) + len(r.trace.Terminals)),
		Executions:    make([]*Result, len(r.runs)),
	}
	if r.fault != nil {
		out.CompletedAtNs = r.fault.AtNs
	}
	for k := range r.trace.Terminals {
		end := &r.trace.Terminals[k]
		run := r.runs[r.byID[end.ExecutionID]]
		out.Executions[run.order] = &Result{
			Status: end.Status, AppliedEvents: run.events + 1, CompletedAtNs: end.TimestampNs,
			RankCompletions: succeeded(end.RankStates), RankStates: end.RankStates,
		}
		out.CompletedAtNs = max(out.CompletedAtNs, end.TimestampNs)
	}
	out.MaximumConcurrentExecutions = r.most(out.Executions)
	return out
}

// most is the greatest number of executions at once. It is reached right after
// the arrivals of some nanosecond: those that arrived by then, less those that
// were over by then and had not just arrived.
func (r *concurrentReplay) most(results []*Result) int64 {
	ends := make([]int64, len(results))
	for k, e := range results {
		ends[k] = e.CompletedAtNs
	}
	slices.Sort(ends)
	most := 0
	for k := 0; k < len(r.runs); {
		t, instant := r.runs[k].arrivalNs, 0
		for k < len(r.runs) && r.runs[k].arrivalNs == t { // admission order is arrival order
			if results[k].CompletedAtNs == t {
				instant++
			}
			k++
		}
		over, _ := slices.BinarySearch(ends, t+1)
		most = max(most, k-(over-instant))
	}
	return int64(most)
}
