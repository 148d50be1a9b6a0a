package executor

import (
	"github.com/inferlab/inferlab/simcore/des"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Options change how one plan runs. At most one of them may be given.
type Options struct {
	Fault     *trace.Fault // a fault at a time (contract 03 section 9)
	Injection *Injection   // an end before a step (contract 03 section 10)
}

// Injection ends an execution immediately before the submission of a step.
type Injection struct {
	StepID int64
	Status trace.Status // Failed or Aborted
	Reason string       // not empty
}

// Result is one execution with its whole trace.
type Result struct {
	Status          trace.Status
	ExecutionID     string
	CompletedAtNs   int64 // of the terminal: completion or quiescence
	Trace           trace.Plan
	RankCompletions []trace.RankCompletion // ranks that succeeded, ascending by id
}

// RankStates lists how every participating rank ended, ascending by id.
func (r *Result) RankStates() []trace.RankState { return r.Trace.Terminal.RankStates }

// Run executes one plan from time 0 until nothing more can happen (contract 03
// section 7): completions of one nanosecond are handled in the order of their
// submission, and each releases its own ready steps before the next is handled.
//
// Errors are *issue.Error: an invalid fault or injection, a finish beyond the
// safe integers (naming the step), or more events than execution.maxEvents.
func Run(f *plan.Frozen, opts Options) (*Result, error) {
	if err := checkOptions(f, opts); err != nil {
		return nil, err
	}
	if fault := opts.Fault; fault != nil && fault.Kind == trace.NodeFailure && fault.HasQuiesceTimeout {
		return runNodeFailure(f, fault)
	}
	r := newSingleRun(f, opts)
	if err := r.execute(); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// singleRun is the state of one execution.
type singleRun struct {
	plan   *plan.Frozen
	opts   Options
	kernel *des.Kernel[int32] // payload: plan index of a completion, or faultEvent
	lanes  *timelines
	log    recorder

	open      []int32 // dependencies that are not terminal, by step
	submitted []bool  // by step
	terminals int     // steps that are terminal

	closed   bool  // no submission any more: a fault or an injection took effect
	closedAt int64 // when it did
	faulted  bool  // by the fault
	spent    int64 // events that count besides those of the queue
}

// faultEvent is the payload of the fault among the completions.
const faultEvent int32 = -1

func newSingleRun(f *plan.Frozen, opts Options) *singleRun {
	n := f.Len()
	r := &singleRun{
		plan: f, opts: opts,
		kernel: des.New[int32](), lanes: newTimelines(f.Fabric()), log: newRecorder(n, f.ResourceUses()),
		open: make([]int32, n), submitted: make([]bool, n),
	}
	for i := range int32(n) {
		r.open[i] = int32(len(f.Dependencies(i)))
	}
	return r
}

func (r *singleRun) execute() error {
	if fault := r.opts.Fault; fault != nil {
		if fault.AtNs == 0 {
			r.fail(0)
			r.spent = 1
		} else if _, err := r.kernel.ScheduleAt(fault.AtNs, faultEvent); err != nil {
			return err
		}
	}
	for i := range int32(r.plan.Len()) {
		if r.open[i] == 0 {
			if err := r.submit(i, 0); err != nil {
				return err
			}
		}
	}
	if r.kernel.Pending() == 0 {
		return nil
	}
	limit := r.plan.Spec().Execution.MaxEvents
	if limit <= r.spent {
		return overBudget(limit)
	}
	_, err := r.kernel.Run(des.Bounds{MaxEvents: limit - r.spent}, r.handle)
	return budgetError(err, limit)
}

func (r *singleRun) handle(e des.Event[int32]) error {
	if e.Payload == faultEvent {
		r.fail(e.TimestampNs)
		return nil
	}
	r.terminals++
	if r.closed {
		return nil
	}
	// Dependents ascend by plan index, so the ones released here are submitted in
	// the order of a submit pass.
	for _, d := range r.plan.Dependents(e.Payload) {
		r.open[d]--
	}
	for _, d := range r.plan.Dependents(e.Payload) {
		if r.open[d] == 0 {
			if err := r.submit(d, e.TimestampNs); err != nil {
				return err
			}
		}
	}
	return nil
}

// fail lets the fault take effect, unless everything is terminal already.
func (r *singleRun) fail(t int64) {
	if r.terminals == r.plan.Len() {
		return
	}
	r.closed, r.faulted, r.closedAt = true, true, t
}

// submit reserves for step i at time t and records it; once submission is closed
// it does nothing.
func (r *singleRun) submit(i int32, t int64) error {
	if r.closed {
		return nil
	}
	step := r.plan.Step(i)
	if in := r.opts.Injection; in != nil && in.StepID == step.ID {
		r.closed, r.closedAt = true, t
		return nil
	}
	resources := r.plan.Resources(i)
	start := r.lanes.ready(resources, t)
	end, err := finish(step, start)
	if err != nil {
		return err
	}
	r.submitted[i] = true
	r.log.record(r.plan.Plan(), int64(len(r.log.operations)), i, t, start, end)
	r.log.held = r.lanes.occupy(resources, end, r.log.held)
	r.log.seal()
	_, err = r.kernel.ScheduleAt(end, i)
	return err
}

func (r *singleRun) result() *Result {
	p := r.plan.Plan()
	end := trace.Terminal{
		ContractRevision: plan.ContractRevision, ExecutionID: p.ExecutionID, TopologyEpoch: p.TopologyEpoch,
		SourceSequence: int64(len(r.log.operations)),
	}
	last := r.log.lastFinish()
	if !r.closed {
		end.Status, end.TimestampNs = trace.Succeeded, last
		end.RankStates = succeededRanks(r.plan, &r.log)
		return newResult(r.log.operations, end)
	}
	end.TimestampNs = max(r.closedAt, last)
	end.FailureAtNs = r.closedAt
	end.UnsubmittedStepIDs = unsubmitted(r.plan, r.submitted)
	r.describe(&end)
	failed := r.failedRanks(end.Status)
	end.RankStates = interruptedRanks(r.plan, &r.log, failed, r.closedAt, end.TimestampNs)
	return newResult(r.log.operations, end)
}

// describe says why the execution ended early.
func (r *singleRun) describe(end *trace.Terminal) {
	if !r.faulted {
		in := r.opts.Injection
		end.Status, end.Reason = in.Status, in.Reason
		end.BeforeStepID, end.HasBeforeStep = in.StepID, true
		return
	}
	fault := r.opts.Fault.Normal()
	end.Status, end.Reason, end.Fault = trace.Failed, fault.Reason, &fault
	if fault.Kind == trace.TopologyEpochChange {
		end.Status = trace.Aborted
	}
}

// failedRanks marks, by rank, those that fail at the closing time.
func (r *singleRun) failedRanks(status trace.Status) []bool {
	if r.faulted {
		return faultedRanks(r.plan, &r.log, r.opts.Fault)
	}
	failed := make([]bool, len(r.plan.Fabric().RankIDs()))
	if status == trace.Failed {
		i, _ := r.plan.StepIndex(r.opts.Injection.StepID)
		for _, rank := range r.plan.Participants(i) {
			failed[rank] = true
		}
	}
	return failed
}

func newResult(operations []trace.Operation, end trace.Terminal) *Result {
	return &Result{
		Status: end.Status, ExecutionID: end.ExecutionID, CompletedAtNs: end.TimestampNs,
		Trace:           trace.Plan{Operations: operations, Terminal: end},
		RankCompletions: completions(end.RankStates),
	}
}
