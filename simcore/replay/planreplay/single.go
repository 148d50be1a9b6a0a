package planreplay

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Result is what a valid trace of one execution amounts to.
type Result struct {
	Status          trace.Status
	AppliedEvents   int64 // operations and the terminal
	CompletedAtNs   int64
	RankCompletions []trace.RankCompletion // ranks that succeeded, ascending
	RankStates      []trace.RankState      // ascending by rank id
}

// Checker checks traces of plans on one scenario. It keeps no state between
// checks.
type Checker struct{ machine *machine }

// New reads a scenario once for any number of checks. The scenario must be valid.
func New(spec *topology.Spec) *Checker { return &Checker{machine: newMachine(spec)} }

// Check replays the trace of one execution of a valid plan (contract 03 section
// 11) and returns what it amounts to; the error is a *Mismatch.
func (c *Checker) Check(p *plan.Plan, t *trace.Plan) (*Result, error) {
	script, bad := newScript(c.machine, p)
	if bad != nil {
		return nil, bad
	}
	r := newSingleReplay(script, t)
	if bad := r.run(); bad != nil {
		return nil, bad
	}
	return r.result(), nil
}

// singleReplay is the checker's own bookkeeping of one execution.
type singleReplay struct {
	script *script
	trace  *trace.Plan

	lanes   *laneTable
	leases  []leaseEnds
	ready   readyList
	waiting []int32 // dependencies without an event, by step
	from    []turn  // by step: when it becomes ready and by which event
	finish  []int64 // by step, -1 before its event
	dropped []bool  // by step: submitted in the schedule, omitted by a node failure

	node       *nodeRule // a node failure with a deadline, otherwise nil
	greatest   int64     // greatest finish of the events
	scheduled  int64     // greatest finish of the whole schedule, dropped operations included
	submitted  int       // events and dropped operations so far
	previousNs int64     // submission of the event before
}

// leaseEnds is until when an allocation is read and written.
type leaseEnds struct{ readNs, writeNs int64 }

func newSingleReplay(s *script, t *trace.Plan) *singleReplay {
	n := len(s.plan.Steps)
	r := &singleReplay{
		script: s, trace: t, lanes: newLaneTable(s.machine), leases: make([]leaseEnds, len(s.machine.buffers)),
		waiting: make([]int32, n), from: make([]turn, n), finish: make([]int64, n), dropped: make([]bool, n),
	}
	for i := range n {
		r.finish[i] = -1
		r.waiting[i] = int32(len(s.needs[i]))
		r.from[i] = turn{rank: -1, step: int32(i)}
		if r.waiting[i] == 0 {
			r.ready.add(r.from[i])
		}
	}
	return r
}

func (r *singleReplay) run() *Mismatch {
	t := r.trace
	fault := t.Terminal.Fault
	if fault != nil && fault.Kind == trace.NodeFailure && fault.HasQuiesceTimeout {
		if bad := r.script.checkFault(len(t.Operations), fault); bad != nil {
			return bad
		}
		r.node = newNodeRule(r.script, fault)
	}
	for at := range t.Operations {
		if bad := r.event(at, &t.Operations[at]); bad != nil {
			return bad
		}
	}
	if bad := r.drop(len(t.Operations)); bad != nil {
		return bad
	}
	return r.terminal()
}

// event examines one operation against the plan and the schedule.
func (r *singleReplay) event(at int, e *trace.Operation) *Mismatch {
	i, bad := r.script.content(at, e, int64(at))
	if bad != nil {
		return bad
	}
	if r.finish[i] >= 0 && !r.dropped[i] {
		return mismatch(at, RuleStep, "step %d stands twice", e.StepID)
	}
	if e.SubmittedAtNs < r.previousNs {
		return mismatch(at, RuleMonotonic, "submitted at %d ns, before the event before it (%d ns)", e.SubmittedAtNs, r.previousNs)
	}
	if bad := r.beforeFault(at, e); bad != nil {
		return bad
	}
	if bad := r.drop(at); bad != nil {
		return bad
	}
	if r.dropped[i] {
		return mismatch(at, RuleFailedNode, "step %d spans the failed node and starts only after the fault", e.StepID)
	}
	if bad := r.turnOf(at, i, e); bad != nil {
		return bad
	}
	if bad := r.lanes.compare(at, r.script.resources[i], e); bad != nil {
		return bad
	}
	if start := r.lanes.readyFrom(r.script.resources[i], e.SubmittedAtNs); e.StartNs != start {
		return mismatch(at, RuleStart, "starts at %d ns, expected %d ns", e.StartNs, start)
	}
	if bad := r.lease(at, i, e); bad != nil {
		return bad
	}
	r.previousNs = e.SubmittedAtNs
	r.greatest = max(r.greatest, e.FinishNs)
	r.apply(i, e.FinishNs)
	return nil
}

// beforeFault refuses submissions at or after the fault that the terminal names.
func (r *singleReplay) beforeFault(at int, e *trace.Operation) *Mismatch {
	fault := r.trace.Terminal.Fault
	if fault != nil && e.SubmittedAtNs >= fault.AtNs {
		return mismatch(at, RuleAfterFault, "submitted at %d ns, not before the fault at %d ns", e.SubmittedAtNs, fault.AtNs)
	}
	return nil
}

// turnOf checks that step i is ready, at this time, and next.
func (r *singleReplay) turnOf(at int, i int32, e *trace.Operation) *Mismatch {
	if r.waiting[i] > 0 {
		return mismatch(at, RuleDependency, "step %d depends on a step without an event", e.StepID)
	}
	if e.SubmittedAtNs != r.from[i].timeNs {
		return mismatch(at, RuleSubmission, "submitted at %d ns, expected %d ns", e.SubmittedAtNs, r.from[i].timeNs)
	}
	if next, _ := r.ready.next(); next.step != i {
		return mismatch(at, RuleOrder, "step %d comes before step %d, which was ready first", e.StepID, r.script.plan.Steps[next.step].ID)
	}
	return nil
}

// lease refuses an operation that begins before a conflicting lease ends. In a
// valid plan conflicting steps depend on each other, so no lease lies ahead.
func (r *singleReplay) lease(at int, i int32, e *trace.Operation) *Mismatch {
	for _, b := range r.script.reads[i] {
		if e.StartNs < r.leases[b].writeNs {
			return mismatch(at, RuleLease, "step %d reads an allocation that is written until %d ns", e.StepID, r.leases[b].writeNs)
		}
		r.leases[b].readNs = max(r.leases[b].readNs, e.FinishNs)
	}
	for _, b := range r.script.writes[i] {
		if until := max(r.leases[b].writeNs, r.leases[b].readNs); e.StartNs < until {
			return mismatch(at, RuleLease, "step %d writes an allocation that is in use until %d ns", e.StepID, until)
		}
		r.leases[b].writeNs = max(r.leases[b].writeNs, e.FinishNs)
	}
	return nil
}

// apply takes the next ready step's lanes and releases what waits for it.
func (r *singleReplay) apply(i int32, finish int64) {
	r.ready.remove()
	r.lanes.take(r.script.resources[i], finish)
	r.finish[i] = finish
	r.scheduled = max(r.scheduled, finish)
	released := turn{timeNs: finish, rank: int64(r.submitted)}
	r.submitted++
	for _, d := range r.script.unblocks[i] {
		// The completion handled last is the one of greatest finish, on ties the one
		// submitted last.
		if f := &r.from[d]; released.timeNs >= f.timeNs {
			f.timeNs, f.rank = released.timeNs, released.rank
		}
		if r.waiting[d]--; r.waiting[d] == 0 {
			r.ready.add(r.from[d])
		}
	}
}

// drop applies, without an event, the operations of the schedule that a node
// failure with a deadline removes, up to the next one that it keeps.
func (r *singleReplay) drop(at int) *Mismatch {
	for r.node != nil {
		next, ok := r.ready.next()
		if !ok {
			return nil
		}
		i := next.step
		start := r.lanes.readyFrom(r.script.resources[i], next.timeNs)
		finish, err := quantity.Add(start, r.script.plan.Steps[i].Operation.DurationNs)
		if err != nil {
			return mismatch(at, RuleTimes, "step %d finishes beyond the safe integers", r.script.plan.Steps[i].ID)
		}
		if r.node.keeps(i, next.timeNs, start) {
			return nil
		}
		r.dropped[i] = true
		r.apply(i, finish)
	}
	return nil
}

func (r *singleReplay) result() *Result {
	end := &r.trace.Terminal
	return &Result{
		Status: end.Status, AppliedEvents: int64(len(r.trace.Operations)) + 1, CompletedAtNs: end.TimestampNs,
		RankCompletions: succeeded(end.RankStates), RankStates: end.RankStates,
	}
}

func succeeded(states []trace.RankState) []trace.RankCompletion {
	var list []trace.RankCompletion
	for _, s := range states {
		if s.Status == trace.Succeeded {
			list = append(list, trace.RankCompletion{RankID: s.RankID, CompletedAtNs: s.TerminalAtNs})
		}
	}
	return list
}
