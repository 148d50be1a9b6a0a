package planreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ConcurrentResult is what a valid trace of many executions amounts to.
type ConcurrentResult struct {
	AppliedEvents               int64 // admissions, operations and terminals
	CompletedAtNs               int64
	MaximumConcurrentExecutions int64
	Executions                  []*Result // in admission order
}

// CheckConcurrent replays the trace of a concurrent run without a fault (contract
// 03 section 14). The error is a *Mismatch, or an *issue.Error when the requests
// themselves are invalid.
func (c *Checker) CheckConcurrent(requests []plan.Request, t *trace.Concurrent) (*ConcurrentResult, error) {
	list, err := c.readRequests(requests)
	if err != nil {
		return nil, err
	}
	r := newConcurrentReplay(c.machine, list, t)
	if bad := r.run(); bad != nil {
		return nil, bad
	}
	return r.result(), nil
}

// CheckConcurrentNodeFailure replays the trace of a concurrent run that a node
// failure ended (contract 03 section 17.3). Errors as for CheckConcurrent.
func (c *Checker) CheckConcurrentNodeFailure(requests []plan.Request, fault *trace.Fault, t *trace.Concurrent) (*ConcurrentResult, error) {
	list, err := c.readRequests(requests)
	if err != nil {
		return nil, err
	}
	r := newConcurrentReplay(c.machine, list, t)
	if err := r.readFault(fault); err != nil {
		return nil, err
	}
	if bad := r.run(); bad != nil {
		return nil, bad
	}
	return r.result(), nil
}

// concurrentReplay is the checker's bookkeeping of many executions.
type concurrentReplay struct {
	machine *machine
	runs    []*runState
	byID    map[string]int32
	trace   *trace.Concurrent
	fault   *trace.Fault // of section 17, otherwise nil

	lanes  *laneTable
	leases *leaseTable
	ready  readyList
	groups map[string]*groupQueue

	previousNs int64
}

// runState is one execution.
type runState struct {
	*execution
	order   int32
	waiting []int32
	turns   []turn // by step, once ready
	finish  []int64
	dropped []bool
	events  int64
	lastNs  int64 // greatest finish in the schedule, dropped operations included
	node    *nodeRule
}

// groupQueue is one communicator: which executions still have collectives to
// submit in it, in admission order, and what waits for its turn.
type groupQueue struct {
	queue  []int32 // executions
	left   []int64 // collectives that each of them has not submitted
	parked map[int32]int32
}

func newConcurrentReplay(m *machine, list []*execution, t *trace.Concurrent) *concurrentReplay {
	r := &concurrentReplay{
		machine: m, trace: t, byID: make(map[string]int32, len(list)),
		lanes: newLaneTable(m), leases: newLeaseTable(len(m.buffers)), groups: make(map[string]*groupQueue),
	}
	for k, e := range list {
		n := len(e.plan.Steps)
		run := &runState{execution: e, order: int32(k), waiting: make([]int32, n), turns: make([]turn, n), finish: make([]int64, n), dropped: make([]bool, n)}
		r.runs = append(r.runs, run)
		r.byID[e.plan.ExecutionID] = int32(k)
		for i := range n {
			run.finish[i] = -1
			run.waiting[i] = int32(len(e.needs[i]))
		}
		r.enqueue(run)
	}
	for _, run := range r.runs {
		for i := range run.waiting {
			if run.waiting[i] == 0 {
				r.makeReady(run, int32(i))
			}
		}
	}
	return r
}

// enqueue puts an execution into the queue of every communicator it submits in.
func (r *concurrentReplay) enqueue(run *runState) {
	for i := range run.plan.Steps {
		op := &run.plan.Steps[i].Operation
		if op.Kind != plan.Collective {
			continue
		}
		g := r.groups[op.GroupID]
		if g == nil {
			g = &groupQueue{parked: make(map[int32]int32)}
			r.groups[op.GroupID] = g
		}
		if n := len(g.queue); n == 0 || g.queue[n-1] != run.order {
			g.queue, g.left = append(g.queue, run.order), append(g.left, 0)
		}
		g.left[len(g.left)-1]++
	}
}

// makeReady works out the turn of a step all of whose dependencies have events,
// and lists it, unless its communicator belongs to another execution.
func (r *concurrentReplay) makeReady(run *runState, i int32) {
	step := &run.plan.Steps[i]
	t := turn{timeNs: max(run.arrivalNs, run.release[step.ID]), execution: run.order, step: i}
	for _, d := range run.needs[i] {
		t.timeNs = max(t.timeNs, run.finish[d])
	}
	// Rounds: what an admission makes ready belongs to round 0 after it; what
	// events of the instant make ready to round 1; what work of the same
	// nanosecond makes ready to the round after that work's.
	t.afterward = t.timeNs == run.arrivalNs
	if !t.afterward {
		t.rank = 1
	}
	for _, d := range run.needs[i] {
		if run.finish[d] == t.timeNs && run.turns[d].timeNs == t.timeNs {
			t.rank = max(t.rank, run.turns[d].rank+1)
		}
	}
	run.turns[i] = t
	if step.Operation.Kind == plan.Collective {
		if g := r.groups[step.Operation.GroupID]; g.queue[0] != run.order {
			g.parked[run.order] = i
			return
		}
	}
	r.ready.add(t)
}

// readFault checks the inputs of section 17.1 that do not depend on the schedule.
func (r *concurrentReplay) readFault(fault *trace.Fault) error {
	normal := fault.Normal()
	fault = &normal
	r.fault = fault
	if fault.Kind != trace.NodeFailure || fault.AtNs < 1 || !fault.HasQuiesceTimeout {
		return issue.New(CodeRequests, "fault", "a concurrent run ends by a node_failure after 0 ns with a deadline")
	}
	for _, run := range r.runs {
		if bad := run.checkFault(0, fault); bad != nil {
			return issue.New(CodeRequests, "fault", "execution %q: %s", run.plan.ExecutionID, bad.Detail)
		}
		if run.arrivalNs >= fault.AtNs {
			return issue.New(CodeRequests, "fault", "execution %q arrives at %d ns, not before the fault", run.plan.ExecutionID, run.arrivalNs)
		}
		run.node = newNodeRule(run.script, fault)
	}
	return nil
}

func (r *concurrentReplay) run() *Mismatch {
	if bad := r.admissions(); bad != nil {
		return bad
	}
	for at := range r.trace.Operations {
		if bad := r.event(at, &r.trace.Operations[at]); bad != nil {
			return bad
		}
	}
	end := len(r.trace.Operations)
	if bad := r.drop(end); bad != nil {
		return bad
	}
	if next, more := r.ready.next(); more {
		run := r.runs[next.execution]
		return mismatch(end, RuleOmitted, "step %d of execution %q was ready at %d ns and has no event", run.plan.Steps[next.step].ID, run.plan.ExecutionID, next.timeNs)
	}
	return r.terminals()
}

func (r *concurrentReplay) admissions() *Mismatch {
	if r.trace.Revision != trace.ConcurrentRevision {
		return mismatch(0, RuleRevision, "revision is %d, expected %d", r.trace.Revision, trace.ConcurrentRevision)
	}
	want := make([]trace.Admission, len(r.runs))
	for k, run := range r.runs {
		want[k] = trace.Admission{ExecutionID: run.plan.ExecutionID, ArrivalNs: run.arrivalNs, AdmissionOrder: int64(k)}
	}
	if !slices.Equal(want, r.trace.Admissions) {
		return mismatch(0, RuleAdmissions, "the admissions are not the %d requests in their order", len(want))
	}
	return nil
}

func (r *concurrentReplay) event(at int, g *trace.GlobalOperation) *Mismatch {
	e := &g.Event
	if g.GlobalSequence != int64(at) {
		return mismatch(at, RuleGlobal, "globalSequence is %d, expected %d", g.GlobalSequence, at)
	}
	k, known := r.byID[e.ExecutionID]
	if !known {
		return mismatch(at, RuleExecution, "no execution %q was admitted", e.ExecutionID)
	}
	run := r.runs[k]
	i, bad := run.content(at, e, run.events)
	if bad != nil {
		return bad
	}
	if run.finish[i] >= 0 && !run.dropped[i] {
		return mismatch(at, RuleStep, "step %d of execution %q stands twice", e.StepID, e.ExecutionID)
	}
	if e.SubmittedAtNs < r.previousNs {
		return mismatch(at, RuleMonotonic, "submitted at %d ns, before the event before it (%d ns)", e.SubmittedAtNs, r.previousNs)
	}
	if r.fault != nil && e.SubmittedAtNs >= r.fault.AtNs {
		return mismatch(at, RuleAfterFault, "submitted at %d ns, not before the fault at %d ns", e.SubmittedAtNs, r.fault.AtNs)
	}
	if bad := r.drop(at); bad != nil {
		return bad
	}
	if bad := r.turnOf(at, run, i, e); bad != nil {
		return bad
	}
	if bad := r.lanes.compare(at, run.resources[i], e); bad != nil {
		return bad
	}
	if start := r.startOf(run, i, e.SubmittedAtNs); e.StartNs != start {
		return mismatch(at, RuleStart, "starts at %d ns, expected %d ns", e.StartNs, start)
	}
	r.previousNs = e.SubmittedAtNs
	run.events++
	r.apply(run, i, e.StartNs, e.FinishNs)
	return nil
}

// turnOf checks that step i is ready, at this time, at the head of its
// communicator, and next of all.
func (r *concurrentReplay) turnOf(at int, run *runState, i int32, e *trace.Operation) *Mismatch {
	if run.dropped[i] {
		return mismatch(at, RuleFailedNode, "step %d spans the failed node and starts only after the fault", e.StepID)
	}
	if run.waiting[i] > 0 {
		return mismatch(at, RuleDependency, "step %d depends on a step without an event", e.StepID)
	}
	if op := &run.plan.Steps[i].Operation; op.Kind == plan.Collective {
		if head := r.groups[op.GroupID].queue[0]; head != run.order {
			return mismatch(at, RuleCommunicator, "execution %q still owns group %q", r.runs[head].plan.ExecutionID, op.GroupID)
		}
	}
	if want := run.turns[i].timeNs; e.SubmittedAtNs != want {
		return mismatch(at, RuleSubmission, "submitted at %d ns, expected %d ns", e.SubmittedAtNs, want)
	}
	next, _ := r.ready.next()
	if next.execution != run.order || next.step != i {
		first := r.runs[next.execution]
		return mismatch(at, RuleOrder, "step %d of execution %q comes before step %d of execution %q, whose turn it is",
			e.StepID, e.ExecutionID, first.plan.Steps[next.step].ID, first.plan.ExecutionID)
	}
	return nil
}

// startOf is when a step submitted at a time starts: when all chosen lanes are
// free, and later if leases are in the way.
func (r *concurrentReplay) startOf(run *runState, i int32, submittedNs int64) int64 {
	free := r.lanes.readyFrom(run.resources[i], submittedNs)
	return r.leases.earliest(run.reads[i], run.writes[i], free, run.plan.Steps[i].Operation.DurationNs)
}

// apply takes the next ready step's lanes and leases and releases what waits for
// it, in its execution and in its communicator.
func (r *concurrentReplay) apply(run *runState, i int32, start, finish int64) {
	own := run.turns[i]
	r.ready.remove()
	r.lanes.take(run.resources[i], finish)
	r.leases.hold(run.reads[i], run.writes[i], start, finish, own.timeNs)
	run.finish[i] = finish
	run.lastNs = max(run.lastNs, finish)
	for _, d := range run.unblocks[i] {
		if run.waiting[d]--; run.waiting[d] == 0 {
			r.makeReady(run, d)
		}
	}
	if op := &run.plan.Steps[i].Operation; op.Kind == plan.Collective {
		r.passOn(r.groups[op.GroupID], own)
	}
}

// passOn counts a submitted collective; after the owner's last one the group
// belongs to the next execution from that very turn on.
func (r *concurrentReplay) passOn(g *groupQueue, by turn) {
	if g.left[0]--; g.left[0] > 0 {
		return
	}
	g.queue, g.left = g.queue[1:], g.left[1:]
	if len(g.queue) == 0 {
		return
	}
	heir := r.runs[g.queue[0]]
	i, waiting := g.parked[heir.order]
	if !waiting {
		return
	}
	delete(g.parked, heir.order)
	t := &heir.turns[i]
	switch {
	case by.timeNs > t.timeNs:
		t.timeNs, t.afterward, t.rank = by.timeNs, by.afterward, by.rank
	case by.timeNs == t.timeNs && by.afterward == t.afterward:
		t.rank = max(t.rank, by.rank)
	}
	r.ready.add(*t)
}

// drop applies, without an event, what the node failure removes from the
// schedule, up to the next operation that it keeps.
func (r *concurrentReplay) drop(at int) *Mismatch {
	for r.fault != nil {
		next, more := r.ready.next()
		if !more {
			return nil
		}
		run, i := r.runs[next.execution], next.step
		start := r.startOf(run, i, next.timeNs)
		finish, err := quantity.Add(start, run.plan.Steps[i].Operation.DurationNs)
		if err != nil {
			return mismatch(at, RuleTimes, "step %d finishes beyond the safe integers", run.plan.Steps[i].ID)
		}
		if run.node.keeps(i, next.timeNs, start) {
			return nil
		}
		run.dropped[i] = true
		r.apply(run, i, start, finish)
	}
	return nil
}
