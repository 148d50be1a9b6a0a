package planreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// terminal examines the event that closes the execution.
func (r *singleReplay) terminal() *Mismatch {
	at, end := len(r.trace.Operations), &r.trace.Terminal
	if bad := r.script.envelope(at, end, int64(at)); bad != nil {
		return bad
	}
	if bad := r.budget(at, end); bad != nil {
		return bad
	}
	if end.Status == trace.Succeeded {
		return r.success(at, end)
	}
	if end.Reason == "" {
		return mismatch(at, RuleReason, "an execution that did not succeed has a reason")
	}
	if !quantity.IsCount(end.FailureAtNs) {
		return mismatch(at, RuleTerminal, "failureAtNs %d is not a count", end.FailureAtNs)
	}
	if end.Fault != nil {
		return r.faultTerminal(at, end)
	}
	return r.injectionTerminal(at, end)
}

// envelope checks the keys that every terminal of an execution has.
func (s *script) envelope(at int, end *trace.Terminal, events int64) *Mismatch {
	switch {
	case end.ContractRevision != plan.ContractRevision:
		return mismatch(at, RuleRevision, "contractRevision is %d, expected %d", end.ContractRevision, plan.ContractRevision)
	case end.ExecutionID != s.plan.ExecutionID:
		return mismatch(at, RuleExecution, "executionId is %q, expected %q", end.ExecutionID, s.plan.ExecutionID)
	case end.TopologyEpoch != s.plan.TopologyEpoch:
		return mismatch(at, RuleEpoch, "topologyEpoch is %d, expected %d", end.TopologyEpoch, s.plan.TopologyEpoch)
	case end.SourceSequence != events:
		return mismatch(at, RuleSequence, "sourceSequence is %d, expected %d", end.SourceSequence, events)
	case end.Status != trace.Succeeded && end.Status != trace.Failed && end.Status != trace.Aborted:
		return mismatch(at, RuleStatus, "%q is not a status", end.Status)
	}
	return nil
}

// budget refuses an execution with more events than the scenario allows: one
// completion an operation, and the fault.
func (r *singleReplay) budget(at int, end *trace.Terminal) *Mismatch {
	events, limit := int64(r.submitted), r.script.machine.spec.Execution.MaxEvents
	if end.Fault != nil {
		events++
	}
	if events > limit {
		return mismatch(at, RuleBudget, "%d events exceed maxEvents = %d", events, limit)
	}
	return nil
}

func (r *singleReplay) success(at int, end *trace.Terminal) *Mismatch {
	if steps := len(r.script.plan.Steps); at != steps {
		return mismatch(at, RuleEventCount, "%d events of a succeeded execution of %d steps", at, steps)
	}
	if bad := plainSuccess(at, end); bad != nil {
		return bad
	}
	if end.TimestampNs != r.greatest {
		return mismatch(at, RuleTimestamp, "ends at %d ns, expected %d ns", end.TimestampNs, r.greatest)
	}
	want := make([]trace.RankState, 0, len(r.script.rankIDs))
	for k, last := range r.lastFinishes() {
		want = append(want, trace.RankState{RankID: r.script.rankIDs[k], Status: trace.Succeeded, TerminalAtNs: last})
	}
	return sameRanks(at, end.RankStates, want)
}

// plainSuccess refuses on a success what only an early end carries.
func plainSuccess(at int, end *trace.Terminal) *Mismatch {
	field := ""
	switch {
	case end.HasBeforeStep || end.BeforeStepID != 0:
		field = "beforeStepId"
	case end.FailureAtNs != 0:
		field = "failureAtNs"
	case end.Reason != "":
		field = "reason"
	case end.Fault != nil:
		field = "fault"
	case len(end.UnsubmittedStepIDs) != 0:
		field = "unsubmittedStepIds"
	default:
		return nil
	}
	return mismatch(at, RuleTerminal, "a succeeded execution has no %s", field)
}

func (r *singleReplay) faultTerminal(at int, end *trace.Terminal) *Mismatch {
	fault := end.Fault
	if bad := r.script.checkFault(at, fault); bad != nil {
		return bad
	}
	want := trace.Failed
	if fault.Kind == trace.TopologyEpochChange {
		want = trace.Aborted
	}
	switch {
	case end.Status != want:
		return mismatch(at, RuleStatus, "status %s after a %s, expected %s", end.Status, fault.Kind, want)
	case end.FailureAtNs != fault.AtNs:
		return mismatch(at, RuleFault, "failureAtNs is %d, the fault is at %d", end.FailureAtNs, fault.AtNs)
	case end.Reason != fault.Reason:
		return mismatch(at, RuleReason, "reason %q is not the fault's reason %q", end.Reason, fault.Reason)
	case end.HasBeforeStep || end.BeforeStepID != 0:
		return mismatch(at, RuleTerminal, "beforeStepId after a fault")
	case fault.AtNs > r.scheduled:
		return mismatch(at, RuleFault, "a fault at %d ns comes after the last completion (%d ns)", fault.AtNs, r.scheduled)
	}
	if next, ok := r.ready.next(); ok && (r.node != nil || next.timeNs < fault.AtNs) {
		return mismatch(at, RuleOmitted, "step %d was ready at %d ns and has no event", r.script.plan.Steps[next.step].ID, next.timeNs)
	}
	if bad := r.unsubmitted(at, end); bad != nil {
		return bad
	}
	if r.node != nil {
		return r.node.close(at, r.script, r.has, r.finish, end)
	}
	return r.interrupted(at, end, r.failedBy(fault))
}

func (r *singleReplay) injectionTerminal(at int, end *trace.Terminal) *Mismatch {
	if !end.HasBeforeStep {
		return mismatch(at, RuleInjection, "an execution without a fault that did not succeed names the step it ended before")
	}
	i, known := r.script.index[end.BeforeStepID]
	if !known {
		return mismatch(at, RuleInjection, "the plan has no step %d", end.BeforeStepID)
	}
	switch next, ok := r.ready.next(); {
	case r.has(i):
		return mismatch(at, RuleInjection, "step %d has an event", end.BeforeStepID)
	case r.waiting[i] > 0:
		return mismatch(at, RuleInjection, "step %d depends on a step without an event", end.BeforeStepID)
	case end.FailureAtNs != r.from[i].timeNs:
		return mismatch(at, RuleInjection, "failureAtNs is %d, step %d was due at %d", end.FailureAtNs, end.BeforeStepID, r.from[i].timeNs)
	case ok && next.step != i:
		return mismatch(at, RuleOmitted, "step %d was ready before step %d and has no event", r.script.plan.Steps[next.step].ID, end.BeforeStepID)
	}
	if bad := r.unsubmitted(at, end); bad != nil {
		return bad
	}
	failed := make([]bool, len(r.script.rankIDs))
	if end.Status == trace.Failed {
		for _, rank := range r.script.ranks[i] {
			failed[rank] = true
		}
	}
	return r.interrupted(at, end, failed)
}

// has reports whether step i has an event.
func (r *singleReplay) has(i int32) bool { return r.finish[i] >= 0 && !r.dropped[i] }

func (r *singleReplay) unsubmitted(at int, end *trace.Terminal) *Mismatch {
	return r.script.unsubmitted(at, end, r.has)
}

// unsubmitted compares the terminal's list with the steps that have no event.
func (s *script) unsubmitted(at int, end *trace.Terminal, has func(int32) bool) *Mismatch {
	k := 0
	for i := range s.plan.Steps {
		if has(int32(i)) {
			continue
		}
		id := s.plan.Steps[i].ID
		if k >= len(end.UnsubmittedStepIDs) || end.UnsubmittedStepIDs[k] != id {
			return mismatch(at, RuleUnsubmitted, "step %d belongs at position %d of unsubmittedStepIds", id, k)
		}
		k++
	}
	if k != len(end.UnsubmittedStepIDs) {
		return mismatch(at, RuleUnsubmitted, "%d ids in unsubmittedStepIds, expected %d", len(end.UnsubmittedStepIDs), k)
	}
	return nil
}

// lastFinishes gives, by rank, the greatest finish of its events.
func (r *singleReplay) lastFinishes() []int64 { return r.script.lastFinishes(r.has, r.finish) }

func (s *script) lastFinishes(has func(int32) bool, finish []int64) []int64 {
	last := make([]int64, len(s.rankIDs))
	for i := range s.ranks {
		if !has(int32(i)) {
			continue
		}
		for _, rank := range s.ranks[i] {
			last[rank] = max(last[rank], finish[i])
		}
	}
	return last
}

// complete marks, by rank, those all of whose steps have events.
func (s *script) complete(has func(int32) bool) []bool {
	missing := make([]bool, len(s.rankIDs))
	for i := range s.ranks {
		if !has(int32(i)) {
			for _, rank := range s.ranks[i] {
				missing[rank] = true
			}
		}
	}
	for rank := range missing {
		missing[rank] = !missing[rank]
	}
	return missing
}

// failedBy marks, by rank, those that a fault without a deadline fails.
func (r *singleReplay) failedBy(fault *trace.Fault) []bool {
	failed := make([]bool, len(r.script.rankIDs))
	for rank, id := range r.script.rankIDs {
		home := r.script.machine.rankHome[id]
		failed[rank] = fault.Kind == trace.NodeFailure && home.node == fault.NodeID ||
			fault.Kind == trace.DeviceFailure && home.device == fault.DeviceID
	}
	if fault.Kind != trace.LinkFailure {
		return failed
	}
	for i := range r.script.plan.Steps {
		if !r.has(int32(i)) || r.finish[i] < fault.AtNs || !moves(&r.script.plan.Steps[i].Operation, fault.LinkID) {
			continue
		}
		for _, rank := range r.script.ranks[i] {
			failed[rank] = true
		}
	}
	return failed
}

// interrupted compares timestamp and rank states after an early end.
func (r *singleReplay) interrupted(at int, end *trace.Terminal, failed []bool) *Mismatch {
	if want := max(end.FailureAtNs, r.greatest); end.TimestampNs != want {
		return mismatch(at, RuleTimestamp, "ends at %d ns, expected %d ns", end.TimestampNs, want)
	}
	last, complete := r.lastFinishes(), r.script.complete(r.has)
	want := make([]trace.RankState, len(last))
	for rank, id := range r.script.rankIDs {
		state := trace.RankState{RankID: id, Status: trace.Aborted, TerminalAtNs: end.TimestampNs}
		early := complete[rank] && last[rank] < end.FailureAtNs
		if early || complete[rank] && !failed[rank] {
			state.Status, state.TerminalAtNs = trace.Succeeded, last[rank]
		} else if failed[rank] {
			state.Status, state.TerminalAtNs = trace.Failed, end.FailureAtNs
		}
		want[rank] = state
	}
	return sameRanks(at, end.RankStates, want)
}

func sameRanks(at int, found, want []trace.RankState) *Mismatch {
	if slices.Equal(found, want) {
		return nil
	}
	for k := range want {
		if k >= len(found) || found[k] != want[k] {
			return mismatch(at, RuleRankStates, "rank %q must be %s at %d ns, as number %d of the states",
				want[k].RankID, want[k].Status, want[k].TerminalAtNs, k)
		}
	}
	return mismatch(at, RuleRankStates, "%d rank states, expected %d", len(found), len(want))
}
