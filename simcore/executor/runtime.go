package executor

import (
	"github.com/inferlab/inferlab/simcore/des"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Runtime executes any number of plans on one clock, on shared lanes, shared
// communicators and shared buffers, and may be fed one plan at a time (contract
// 03 sections 13.3, 13.4 and 13.6).
//
// It moves in whole instants: all events of a nanosecond are handled, then one
// submit pass takes everything that is eligible in the order of admission and
// plan index, and again for what that finishes in the same nanosecond. Plans that
// arrive in one nanosecond are admitted together, after all earlier work of it.
//
// An operation out of turn is refused and changes nothing. A failure within the
// run (a finish beyond the safe integers) is final: every later call returns it.
type Runtime struct {
	fabric    *plan.Fabric
	kernel    *des.Kernel[happening]
	lanes     *timelines
	leases    *bookings
	sequencer Sequencer
	log       recorder
	owners    []int32 // execution of each operation, by admission order

	runs     []*liveRun
	byID     map[string]int32
	eligible []candidate // heap by (admission order, plan index)

	now       int64
	arrivalNs int64 // of the last admission
	admitting bool  // the submit pass of the last admissions is still to come
	spent     int64 // events that the admitted plans will take
	lastNs    int64 // greatest finish so far
	err       error
	listener  func(trace.Operation)
	streaming bool // operations are told and not kept
}

// happening is an event of the run: the completion of a step or its release.
type happening struct {
	run, step int32
	release   bool
}

// candidate is a step that may be submitted.
type candidate struct{ run, step int32 }

// liveRun is one admitted execution.
type liveRun struct {
	plan      *plan.Frozen
	arrivalNs int64
	blockers  []int32         // dependencies that are not terminal, plus one for a release to come
	finishNs  []int64         // by step, once submitted
	done      []bool          // by step: terminal
	parked    map[int32]int32 // by group: the step that waits for the communicator
	submitted int64
	open      int // steps that are not terminal
	lastNs    int64
}

// NewRuntime returns a runtime at time 0 with nothing admitted.
func NewRuntime(f *plan.Fabric) *Runtime {
	r := &Runtime{
		fabric: f, kernel: des.New[happening](), lanes: newTimelines(f), leases: newBookings(f.Allocations()),
		byID: make(map[string]int32),
	}
	if epoch := f.Spec().Execution.TopologyEpoch; epoch > 0 {
		r.err = r.sequencer.Advance(epoch)
	}
	return r
}

// Now is the runtime's current time in ns.
func (r *Runtime) Now() int64 { return r.now }

// OnOperation sets the listener that is told every operation when it is
// submitted.
func (r *Runtime) OnOperation(listener func(trace.Operation)) { r.listener = listener }

// Stream makes the runtime keep no trace: operations are told to the listener and
// forgotten, so that a run of any length holds only what is live. Drain then has
// no result to give; use Finish. It must be called before the first admission.
func (r *Runtime) Stream() error {
	if len(r.runs) > 0 {
		return issue.New(CodeRuntime, "", "a runtime streams from its first admission on or not at all")
	}
	r.streaming = true
	return nil
}

// Release forgets the steps of a completed execution of a streaming runtime;
// RunUntil has no answer for them any more. Its id stays taken.
func (r *Runtime) Release(executionID string) error {
	index, known := r.byID[executionID]
	if !known || !r.streaming || r.runs[index].open > 0 {
		return issue.New(CodeRuntime, "executionId", "execution %q is not a completed execution of a streaming runtime", executionID)
	}
	r.runs[index] = &liveRun{}
	return nil
}

// Admit runs everything up to and including the arrival and then admits a plan
// that was frozen on the runtime's fabric. It returns the admission order. The
// plan's own first submissions happen with the next operation that moves time, so
// that plans of one arrival are admitted together.
func (r *Runtime) Admit(f *plan.Frozen, arrivalNs int64, notBefore []plan.NotBefore) (int64, error) {
	if r.err != nil {
		return 0, r.err
	}
	if !quantity.IsCount(arrivalNs) || arrivalNs < r.now || arrivalNs < r.arrivalNs {
		return 0, issue.New(CodeRuntime, "arrivalNs", "execution %q arrives at %d ns; the runtime is at %d ns and the last arrival was at %d ns",
			f.Plan().ExecutionID, arrivalNs, r.now, r.arrivalNs)
	}
	if err := r.checkAdmission(f, arrivalNs, notBefore); err != nil {
		return 0, err
	}
	if !r.admitting || arrivalNs > r.arrivalNs {
		if err := r.runTo(arrivalNs); err != nil {
			return 0, err
		}
	}
	return r.admit(f, arrivalNs, notBefore)
}

func (r *Runtime) checkAdmission(f *plan.Frozen, arrivalNs int64, notBefore []plan.NotBefore) error {
	id := f.Plan().ExecutionID
	if f.Fabric() != r.fabric {
		return issue.New(CodeRequest, "plan", "execution %q is of a plan for another scenario", id)
	}
	if _, used := r.byID[id]; used {
		return issue.New(CodeRequest, "executionId", "execution %q is admitted already", id)
	}
	if err := checkReleases(f, arrivalNs, notBefore); err != nil {
		return err
	}
	limit := f.Spec().Execution.MaxEvents
	if sum := r.spent + cost(f, arrivalNs, notBefore); sum > limit {
		return overTotal(sum, limit)
	}
	return nil
}

// cost is the number of events that a plan takes of the budget: its steps, its
// admission and terminal, and the releases after its arrival.
func cost(f *plan.Frozen, arrivalNs int64, notBefore []plan.NotBefore) int64 {
	events := int64(f.Len()) + 2
	for _, n := range notBefore {
		if n.AtNs > arrivalNs {
			events++
		}
	}
	return events
}

func overTotal(sum, limit int64) error {
	return issue.New(CodeEventBudget, "execution.maxEvents", "%d events exceed maxEvents = %d", sum, limit)
}

// checkReleases refuses not-before entries for no step, twice for one, or before
// the arrival.
func checkReleases(f *plan.Frozen, arrivalNs int64, notBefore []plan.NotBefore) error {
	id := f.Plan().ExecutionID
	seen := make(map[int64]bool, len(notBefore))
	for _, n := range notBefore {
		if _, known := f.StepIndex(n.StepID); !known || seen[n.StepID] {
			return issue.New(CodeRequest, "stepNotBeforeNs", "execution %q: step %d does not exist, or stands twice", id, n.StepID)
		}
		seen[n.StepID] = true
		if !quantity.IsCount(n.AtNs) || n.AtNs < arrivalNs {
			return issue.New(CodeRequest, "stepNotBeforeNs", "execution %q: step %d is released at %d ns, which is no count or before the arrival at %d ns",
				id, n.StepID, n.AtNs, arrivalNs)
		}
	}
	return nil
}

func (r *Runtime) admit(f *plan.Frozen, arrivalNs int64, notBefore []plan.NotBefore) (int64, error) {
	n, index := f.Len(), int32(len(r.runs))
	run := &liveRun{plan: f, arrivalNs: arrivalNs, blockers: make([]int32, n), finishNs: make([]int64, n), done: make([]bool, n), open: n, lastNs: arrivalNs}
	if err := r.sequencer.Register(f.Plan().ExecutionID, f.Plan().TopologyEpoch, groupCounts(f)); err != nil {
		return 0, err
	}
	r.runs = append(r.runs, run)
	r.byID[f.Plan().ExecutionID] = index
	r.spent += cost(f, arrivalNs, notBefore)
	r.now, r.arrivalNs, r.admitting = arrivalNs, arrivalNs, true
	for i := range int32(n) {
		run.blockers[i] = int32(len(f.Dependencies(i)))
	}
	for _, release := range notBefore {
		if release.AtNs == arrivalNs {
			continue
		}
		i, _ := f.StepIndex(release.StepID)
		run.blockers[i]++
		if _, err := r.kernel.ScheduleAt(release.AtNs, happening{run: index, step: i, release: true}); err != nil {
			return 0, r.fail(err)
		}
	}
	for i := range int32(n) {
		if run.blockers[i] == 0 {
			r.offer(index, i)
		}
	}
	return int64(index), nil
}

// groupCounts lists how many collectives a plan has in each communicator.
func groupCounts(f *plan.Frozen) []GroupCount {
	var counts []GroupCount
	at := make(map[int32]int)
	for i := range int32(f.Len()) {
		g := f.Group(i)
		if g < 0 {
			continue
		}
		k, known := at[g]
		if !known {
			k = len(counts)
			at[g] = k
			counts = append(counts, GroupCount{GroupID: f.Step(i).Operation.GroupID})
		}
		counts[k].Count++
	}
	return counts
}

// Advance runs all instants up to and including t.
func (r *Runtime) Advance(t int64) error {
	if r.err != nil {
		return r.err
	}
	if !quantity.IsCount(t) || t < r.now {
		return issue.New(CodeRuntime, "timeNs", "%d ns is not a count or lies before the runtime's time %d ns", t, r.now)
	}
	return r.runTo(t)
}

// StepCompletion answers RunUntil.
type StepCompletion struct {
	ExecutionID   string
	StepID        int64
	CompletedAtNs int64
}

// RunUntil runs whole instants until a step of an admitted execution is terminal.
func (r *Runtime) RunUntil(executionID string, stepID int64) (StepCompletion, error) {
	if r.err != nil {
		return StepCompletion{}, r.err
	}
	index, known := r.byID[executionID]
	if !known {
		return StepCompletion{}, issue.New(CodeRuntime, "executionId", "execution %q was not admitted", executionID)
	}
	run := r.runs[index]
	if run.plan == nil {
		return StepCompletion{}, issue.New(CodeRuntime, "executionId", "execution %q was released", executionID)
	}
	i, known := run.plan.StepIndex(stepID)
	if !known {
		return StepCompletion{}, issue.New(CodeRuntime, "stepId", "execution %q has no step %d", executionID, stepID)
	}
	if err := r.settle(); err != nil {
		return StepCompletion{}, err
	}
	for !run.done[i] {
		t, more := r.kernel.Next()
		if !more {
			return StepCompletion{}, issue.New(CodeRuntime, "stepId", "nothing is left to happen and step %d of execution %q is not terminal", stepID, executionID)
		}
		if err := r.instant(t); err != nil {
			return StepCompletion{}, err
		}
	}
	return StepCompletion{ExecutionID: executionID, StepID: stepID, CompletedAtNs: run.finishNs[i]}, nil
}

// runTo settles the last admissions and runs all instants up to and including t.
func (r *Runtime) runTo(t int64) error {
	if err := r.settle(); err != nil {
		return err
	}
	for {
		next, more := r.kernel.Next()
		if !more || next > t {
			r.now = t
			return nil
		}
		if err := r.instant(next); err != nil {
			return err
		}
	}
}

// settle makes the submit pass of the plans admitted last, and the further rounds
// of that nanosecond.
func (r *Runtime) settle() error {
	if !r.admitting {
		return nil
	}
	r.admitting = false
	if err := r.pass(r.arrivalNs); err != nil {
		return err
	}
	if t, more := r.kernel.Next(); more && t == r.arrivalNs {
		return r.instant(t)
	}
	return nil
}

// instant handles every event of time t, round by round.
func (r *Runtime) instant(t int64) error {
	r.now = t
	for next, more := t, true; more && next == t; next, more = r.kernel.Next() {
		for again, some := next, true; some && again == t; again, some = r.kernel.Next() {
			if _, _, err := r.kernel.Step(r.handle); err != nil {
				return r.fail(err)
			}
		}
		if err := r.pass(t); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runtime) handle(e des.Event[happening]) error {
	h := e.Payload
	run := r.runs[h.run]
	if h.release {
		r.unblock(h.run, h.step)
		return nil
	}
	run.done[h.step] = true
	run.open--
	for _, d := range run.plan.Dependents(h.step) {
		r.unblock(h.run, d)
	}
	if run.open == 0 {
		return r.sequencer.Complete(run.plan.Plan().ExecutionID)
	}
	return nil
}

func (r *Runtime) unblock(run, step int32) {
	if r.runs[run].blockers[step]--; r.runs[run].blockers[step] == 0 {
		r.offer(run, step)
	}
}

// offer makes a step eligible, or parks a collective whose execution does not
// head the communicator's queue.
func (r *Runtime) offer(index, step int32) {
	run := r.runs[index]
	if g := run.plan.Group(step); g >= 0 {
		op := &run.plan.Step(step).Operation
		if r.sequencer.Queue(op.GroupID)[0] != run.plan.Plan().ExecutionID {
			if run.parked == nil {
				run.parked = make(map[int32]int32)
			}
			run.parked[g] = step
			return
		}
	}
	r.push(candidate{index, step})
}

// pass submits everything that is eligible at time t, the least of admission
// order and plan index first.
func (r *Runtime) pass(t int64) error {
	for len(r.eligible) > 0 {
		c := r.pop()
		if err := r.submit(c, t); err != nil {
			return r.fail(err)
		}
	}
	return nil
}

func (r *Runtime) submit(c candidate, t int64) error {
	run := r.runs[c.run]
	f := run.plan
	step, resources := f.Step(c.step), f.Resources(c.step)
	reads, writes := f.Reads(c.step), f.Writes(c.step)
	start := r.leases.fit(reads, writes, r.lanes.ready(resources, t), step.Operation.DurationNs)
	end, err := finish(step, start)
	if err != nil {
		return err
	}
	r.log.record(f.Plan(), run.submitted, c.step, t, start, end)
	r.log.held = r.lanes.occupy(resources, end, r.log.held)
	r.log.seal()
	r.leases.grant(reads, writes, start, end, t)
	run.submitted++
	run.finishNs[c.step] = end
	run.lastNs = max(run.lastNs, end)
	r.lastNs = max(r.lastNs, end)
	if _, err := r.kernel.ScheduleAt(end, happening{run: c.run, step: c.step}); err != nil {
		return err
	}
	if r.listener != nil {
		r.listener(r.log.operations[len(r.log.operations)-1])
	}
	if r.streaming {
		r.log.forget()
	} else {
		r.owners = append(r.owners, c.run)
	}
	return r.handOver(f, c.step)
}

// handOver records a submitted collective and, after the execution's last one in
// the communicator, offers what the next execution has waiting there.
func (r *Runtime) handOver(f *plan.Frozen, step int32) error {
	g := f.Group(step)
	if g < 0 {
		return nil
	}
	op, id := &f.Step(step).Operation, f.Plan().ExecutionID
	if err := r.sequencer.Submit(id, op.GroupID, op.CommSequenceID); err != nil {
		return err
	}
	queue := r.sequencer.Queue(op.GroupID)
	if len(queue) == 0 || queue[0] == id {
		return nil
	}
	next := r.byID[queue[0]]
	if waiting, parked := r.runs[next].parked[g]; parked {
		delete(r.runs[next].parked, g)
		r.push(candidate{next, waiting})
	}
	return nil
}

func (r *Runtime) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

func (a candidate) before(b candidate) bool {
	if a.run != b.run {
		return a.run < b.run
	}
	return a.step < b.step
}

func (r *Runtime) push(c candidate) {
	h := append(r.eligible, c)
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	r.eligible = h
}

func (r *Runtime) pop() candidate {
	h := r.eligible
	head, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	r.eligible = h
	return head
}
