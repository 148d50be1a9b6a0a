package executor

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ConcurrentResult is a run of many executions with its whole trace.
type ConcurrentResult struct {
	CompletedAtNs               int64
	MaximumConcurrentExecutions int64
	Executions                  []*Result // in admission order
	Trace                       trace.Concurrent
}

// RunConcurrent executes all requests on one clock (contract 03 section 13).
// Errors are *issue.Error, or the *issue.List of an invalid plan, and name the
// execution.
func RunConcurrent(fabric *plan.Fabric, requests []plan.Request) (*ConcurrentResult, error) {
	r, err := runAll(fabric, requests)
	if err != nil {
		return nil, err
	}
	return r.result()
}

// runAll admits the requests in order and runs out the queue.
func runAll(fabric *plan.Fabric, requests []plan.Request) (*Runtime, error) {
	ordered, err := admissionOrder(requests)
	if err != nil {
		return nil, err
	}
	plans, err := freezeAll(fabric, ordered)
	if err != nil {
		return nil, err
	}
	r := NewRuntime(fabric)
	for k, f := range plans {
		if _, err := r.Admit(f, ordered[k].ArrivalNs, ordered[k].NotBefore); err != nil {
			return nil, err
		}
	}
	return r, r.finish()
}

// admissionOrder checks arrivals, orders and identities and returns the requests
// in the order in which they are admitted.
func admissionOrder(requests []plan.Request) ([]*plan.Request, error) {
	if len(requests) == 0 {
		return nil, issue.New(CodeRequest, "requests", "there is no request")
	}
	ordered := make([]*plan.Request, len(requests))
	ids, orders := make(map[string]bool, len(requests)), make(map[int64]bool, len(requests))
	for i := range requests {
		q := &requests[i]
		id := q.Plan.ExecutionID
		if !quantity.IsCount(q.ArrivalNs) || !quantity.IsCount(q.AdmissionOrder) {
			return nil, issue.New(CodeRequest, "requests", "execution %q: arrival %d and admission order %d must be counts", id, q.ArrivalNs, q.AdmissionOrder)
		}
		if ids[id] {
			return nil, issue.New(CodeRequest, "requests", "execution %q is requested twice", id)
		}
		if orders[q.AdmissionOrder] {
			return nil, issue.New(CodeRequest, "requests", "execution %q: admission order %d is used twice", id, q.AdmissionOrder)
		}
		ids[id], orders[q.AdmissionOrder] = true, true
		ordered[i] = q
	}
	slices.SortFunc(ordered, func(a, b *plan.Request) int {
		if a.ArrivalNs != b.ArrivalNs {
			return compare(a.ArrivalNs, b.ArrivalNs)
		}
		return compare(a.AdmissionOrder, b.AdmissionOrder)
	})
	for k, q := range ordered {
		if q.AdmissionOrder != int64(k) {
			return nil, issue.New(CodeRequest, "requests", "execution %q has admission order %d; by arrival it is number %d", q.Plan.ExecutionID, q.AdmissionOrder, k)
		}
	}
	return ordered, nil
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// freezeAll validates the plans and checks the event budget of all together.
// Requests that share one list of steps, as those of a campaign do, are validated
// once.
func freezeAll(fabric *plan.Fabric, ordered []*plan.Request) ([]*plan.Frozen, error) {
	plans := make([]*plan.Frozen, len(ordered))
	var total int64
	for k, q := range ordered {
		if k > 0 && sameSteps(q.Plan, plans[k-1].Plan()) {
			plans[k] = plans[k-1].WithIdentity(q.Plan.ID, q.Plan.ExecutionID)
		} else {
			f, err := fabric.Validate(q.Plan)
			if err != nil {
				return nil, issue.New(CodeRequest, "plan", "execution %q: %v", q.Plan.ExecutionID, err)
			}
			plans[k] = f
		}
		if err := checkReleases(plans[k], q.ArrivalNs, q.NotBefore); err != nil {
			return nil, err
		}
		total += cost(plans[k], q.ArrivalNs, q.NotBefore)
	}
	if limit := fabric.Spec().Execution.MaxEvents; total > limit {
		return nil, overTotal(total, limit)
	}
	return plans, nil
}

// sameSteps reports whether two plans are one but for their identities, which
// both have.
func sameSteps(a, b *plan.Plan) bool {
	return a.ID != "" && a.ExecutionID != "" && a.ContractRevision == b.ContractRevision && a.TopologyEpoch == b.TopologyEpoch &&
		len(a.Steps) == len(b.Steps) && &a.Steps[0] == &b.Steps[0]
}

// Drain runs out the queue and returns everything that was executed. It refuses
// when nothing was admitted, and on a streaming runtime, which keeps no trace.
func (r *Runtime) Drain() (*ConcurrentResult, error) {
	if r.streaming {
		return nil, issue.New(CodeRuntime, "", "a streaming runtime keeps no trace to answer with")
	}
	if _, err := r.Finish(); err != nil {
		return nil, err
	}
	return r.result()
}

// Finish runs out the queue and returns the time of the last completion in ns. It
// refuses when nothing was admitted.
func (r *Runtime) Finish() (completedAtNs int64, err error) {
	if r.err != nil {
		return 0, r.err
	}
	if len(r.runs) == 0 {
		return 0, issue.New(CodeRuntime, "", "nothing was admitted")
	}
	if err := r.finish(); err != nil {
		return 0, err
	}
	return r.lastNs, nil
}

// finish runs all instants that are left.
func (r *Runtime) finish() error {
	if err := r.settle(); err != nil {
		return err
	}
	for t, more := r.kernel.Next(); more; t, more = r.kernel.Next() {
		if err := r.instant(t); err != nil {
			return err
		}
	}
	for _, run := range r.runs {
		if run.open > 0 {
			return issue.New(CodeRuntime, "", "execution %q has %d steps that never became ready", run.plan.Plan().ExecutionID, run.open)
		}
	}
	return nil
}

// result assembles the answer of a run that is drained.
func (r *Runtime) result() (*ConcurrentResult, error) {
	logs := r.split(nil)
	out := &ConcurrentResult{Executions: make([]*Result, len(r.runs))}
	for k, run := range r.runs {
		p := run.plan.Plan()
		end := trace.Terminal{
			ContractRevision: plan.ContractRevision, ExecutionID: p.ExecutionID, TopologyEpoch: p.TopologyEpoch,
			SourceSequence: int64(len(logs[k].operations)), Status: trace.Succeeded, TimestampNs: logs[k].lastFinish(),
			RankStates: succeededRanks(run.plan, &logs[k]),
		}
		out.Executions[k] = newResult(logs[k].operations, end)
		out.CompletedAtNs = max(out.CompletedAtNs, end.TimestampNs)
	}
	out.Trace = r.trace(out.Executions, nil)
	out.MaximumConcurrentExecutions = r.concurrency(out.Executions)
	return out, nil
}

// split sorts the operations by execution; a keep list, when given, says which
// ones there are and the sequences are numbered anew.
func (r *Runtime) split(keep []bool) []recorder {
	logs := make([]recorder, len(r.runs))
	for k, run := range r.runs {
		logs[k] = newRecorder(int(run.submitted), 0)
	}
	for k, owner := range r.owners {
		if keep != nil && !keep[k] {
			continue
		}
		log := &logs[owner]
		op := r.log.operations[k]
		op.SourceSequence = int64(len(log.operations))
		log.operations = append(log.operations, op)
		log.steps = append(log.steps, r.log.steps[k])
	}
	return logs
}

// trace assembles the concurrent trace from the executions' own.
func (r *Runtime) trace(executions []*Result, keep []bool) trace.Concurrent {
	t := trace.Concurrent{
		Revision:   trace.ConcurrentRevision,
		Admissions: make([]trace.Admission, len(r.runs)),
		Operations: make([]trace.GlobalOperation, 0, len(r.owners)),
		Terminals:  make([]trace.Terminal, len(r.runs)),
	}
	order := make([]int, len(r.runs))
	for k, run := range r.runs {
		t.Admissions[k] = trace.Admission{ExecutionID: run.plan.Plan().ExecutionID, ArrivalNs: run.arrivalNs, AdmissionOrder: int64(k)}
		order[k] = k
	}
	next := make([]int, len(r.runs)) // operations of each execution taken so far
	for k, owner := range r.owners {
		if keep != nil && !keep[k] {
			continue
		}
		t.Operations = append(t.Operations, trace.GlobalOperation{
			GlobalSequence: int64(len(t.Operations)), Event: executions[owner].Trace.Operations[next[owner]]})
		next[owner]++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compare(executions[a].CompletedAtNs, executions[b].CompletedAtNs)
	})
	for k, i := range order {
		t.Terminals[k] = executions[i].Trace.Terminal
	}
	return t
}

// concurrency is the greatest number of executions between arrival and terminal.
// At one time the terminals of earlier arrivals come first, then the arrivals,
// then the terminals of those that just arrived.
func (r *Runtime) concurrency(executions []*Result) int64 {
	type change struct {
		at    int64
		phase int
		by    int64
	}
	changes := make([]change, 0, 2*len(executions))
	for k, e := range executions {
		arrival := r.runs[k].arrivalNs
		changes = append(changes, change{arrival, 1, 1})
		phase := 0
		if e.CompletedAtNs == arrival {
			phase = 2
		}
		changes = append(changes, change{e.CompletedAtNs, phase, -1})
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.at != b.at {
			return compare(a.at, b.at)
		}
		return a.phase - b.phase
	})
	var running, most int64
	for _, c := range changes {
		running += c.by
		most = max(most, running)
	}
	return most
}
