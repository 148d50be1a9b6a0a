package composedreplay

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Input are the traces of one run, each of which has passed its own checker, and
// the plans that were admitted.
type Input struct {
	ScenarioID string
	Serving    *trace.Serving
	Cache      *trace.Experts
	Requests   []plan.Request // in order of admission
	Physical   *trace.Concurrent
}

// Result counts what was tied together.
type Result struct {
	Batches, Routes         int64
	DemandLoads, Prefetches int64
	Executions              int64
}

// Rule names what a run can break.
type Rule string

// The rules.
const (
	RouteCount      Rule = "route_count"      // other than one route a target token
	RouteTime       Rule = "route_time"       // a route begins neither with its batch nor with the end of the one before
	RetimeTime      Rule = "retime_time"      // a load is retimed at another time than the cache's
	BatchExecution  Rule = "batch_execution"  // a batch has no plan of its own
	BatchAdmission  Rule = "batch_admission"  // a batch's plan is admitted before or after its experts are ready
	BatchFinish     Rule = "batch_finish"     // a batch does not end with its foreground work
	DemandAdmission Rule = "demand_admission" // a demand plan is not admitted at the start of its load
	DemandFinish    Rule = "demand_finish"    // a demand load does not complete when its transfers end
	PrefetchHeld    Rule = "prefetch_held"    // a background step is not held back until its load may start
	PrefetchFinish  Rule = "prefetch_finish"  // a copy does not arrive with one of its batch's background transfers
	PrefetchLost    Rule = "prefetch_lost"    // a copy was never carried out
	StrayExecution  Rule = "stray_execution"  // a plan belongs to no batch and no load
)

// Mismatch is the first rule that a run breaks.
type Mismatch struct {
	Rule   Rule
	Detail string
}

// Error states the rule and the difference.
func (m *Mismatch) Error() string { return "composed run breaks " + string(m.Rule) + ": " + m.Detail }

func bad(rule Rule, format string, args ...any) error {
	return &Mismatch{Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// Check ties the traces together. The error, when there is one, is a *Mismatch.
func Check(in Input) (Result, error) {
	c := newChecker(&in)
	if err := c.retimeTimes(); err != nil {
		return Result{}, err
	}
	for i := range in.Serving.Batches {
		if err := c.batch(i); err != nil {
			return Result{}, err
		}
	}
	if c.at < len(c.routes) {
		return Result{}, bad(RouteCount, "%d routes, but the batches have %d target tokens", len(c.routes), c.at)
	}
	for i := range in.Cache.Loads {
		if err := c.load(&in.Cache.Loads[i]); err != nil {
			return Result{}, err
		}
	}
	for i := range in.Requests {
		if id := in.Requests[i].Plan.ExecutionID; !c.executions[id].claimed {
			return Result{}, bad(StrayExecution, "execution %q belongs to no batch and no load", id)
		}
	}
	c.result.Batches, c.result.Routes, c.result.Executions = int64(len(in.Serving.Batches)), int64(len(c.routes)), int64(len(in.Requests))
	return c.result, nil
}

// checker is the derived view of a run.
type checker struct {
	in         *Input
	executions map[string]*execution
	routes     []route
	at         int            // routes consumed by batches
	starter    map[int32]int  // load -> route before or in which it was started
	moves      map[int32]move // load -> its retimings
	owner      []int          // route -> its batch
	result     Result
}

// execution is one admitted plan with what became of it; times in ns.
type execution struct {
	admittedNs   int64
	finishNs     int64          // of its last operation
	foregroundNs int64          // of its last operation that is not held back
	heldFinishes map[int64]bool // finishes of operations that are
	held         map[int64]bool // steps with a not-before time
	notBefore    []plan.NotBefore
	claimed      bool
}

// route is one route of the cache; times in ns.
type route struct{ atNs, readyNs int64 }

// move are the retimings of a load.
type move struct {
	physicalNs  int64
	completesNs int64
	physical    int // retimings with a physical time
}

func newChecker(in *Input) *checker {
	c := &checker{in: in, executions: make(map[string]*execution, len(in.Requests)), starter: make(map[int32]int), moves: make(map[int32]move)}
	for i := range in.Requests {
		r := &in.Requests[i]
		e := &execution{notBefore: r.NotBefore, held: make(map[int64]bool, len(r.NotBefore)), heldFinishes: make(map[int64]bool)}
		for _, n := range r.NotBefore {
			e.held[n.StepID] = true
		}
		c.executions[r.Plan.ExecutionID] = e
	}
	for i := range in.Physical.Admissions {
		if e := c.executions[in.Physical.Admissions[i].ExecutionID]; e != nil {
			e.admittedNs = in.Physical.Admissions[i].ArrivalNs
		}
	}
	for i := range in.Physical.Operations {
		c.operation(&in.Physical.Operations[i].Event)
	}
	for i := range in.Cache.Events {
		c.event(&in.Cache.Events[i])
	}
	return c
}

func (c *checker) operation(op *trace.Operation) {
	e := c.executions[op.ExecutionID]
	if e == nil {
		return
	}
	e.finishNs = max(e.finishNs, op.FinishNs)
	if e.held[op.StepID] {
		e.heldFinishes[op.FinishNs] = true
		return
	}
	e.foregroundNs = max(e.foregroundNs, op.FinishNs)
}

// event notes what the cache did, in order. A load that the adaptive policy starts
// after an access belongs to the route of that access.
func (c *checker) event(e *trace.ExpertEvent) {
	switch e.Kind {
	case trace.ExpertRouted:
		c.routes = append(c.routes, route{atNs: e.AtNs})
	case trace.ExpertAccessed:
		c.routes[len(c.routes)-1].readyNs = e.AtNs
	case trace.ExpertLoadStarted:
		c.starter[c.in.Cache.Loads[e.Ref].Load] = len(c.routes) - 1
	case trace.ExpertLoadRetimed:
		r := &c.in.Cache.Retimes[e.Ref]
		m := c.moves[r.Load]
		m.completesNs = r.CompletesAtNs
		if r.HasPhysical {
			m.physicalNs = r.PhysicalCompletesAtNs
			m.physical++
		}
		c.moves[r.Load] = m
	}
}

// retimeTimes: a composition retimes loads while the cache stands still, so that a
// retiming has the time of the event before it.
func (c *checker) retimeTimes() error {
	events := c.in.Cache.Events
	for i := 1; i < len(events); i++ {
		if e := &events[i]; e.Kind == trace.ExpertLoadRetimed && e.AtNs != events[i-1].AtNs {
			return bad(RetimeTime, "cache event %d retimes %s at %d ns, the cache is at %d ns", i, trace.LoadID(c.in.Cache.Retimes[e.Ref].Load), e.AtNs, events[i-1].AtNs)
		}
	}
	return nil
}

// batch ties a batch to its routes and its plan (contract 05 section 6.4).
func (c *checker) batch(i int) error {
	b := &c.in.Serving.Batches[i]
	if int64(len(c.routes)-c.at) < b.TokenWork {
		return bad(RouteCount, "batch %d has %d target tokens, %d routes are left", i, b.TokenWork, len(c.routes)-c.at)
	}
	ready := b.StartNs
	for _, r := range c.routes[c.at : c.at+int(b.TokenWork)] {
		if r.atNs != ready {
			return bad(RouteTime, "route %d of batch %d begins at %d ns, want %d ns", len(c.owner), i, r.atNs, ready)
		}
		ready = r.readyNs
		c.owner = append(c.owner, i)
	}
	c.at += int(b.TokenWork)
	id := c.batchExecution(i)
	e := c.executions[id]
	switch {
	case e == nil:
		return bad(BatchExecution, "batch %d: no execution %q", i, id)
	case e.admittedNs != ready:
		return bad(BatchAdmission, "batch %d is admitted at %d ns, its experts are ready at %d ns", i, e.admittedNs, ready)
	case e.foregroundNs != b.FinishNs():
		return bad(BatchFinish, "batch %d ends at %d ns, its foreground work at %d ns", i, b.FinishNs(), e.foregroundNs)
	}
	e.claimed = true
	return nil
}

func (c *checker) batchExecution(i int) string {
	return c.in.ScenarioID + ":serving-batch:" + strconv.Itoa(i) + ":expert-cache"
}

// load ties a load to the transfers that carry it out.
func (c *checker) load(l *trace.ExpertLoad) error {
	if l.Kind == trace.LoadDemand {
		c.result.DemandLoads++
		return c.demand(l)
	}
	c.result.Prefetches++
	return c.prefetch(l)
}

// demand: a plan of its own, or nothing to transport (contract 05 section 6.5).
func (c *checker) demand(l *trace.ExpertLoad) error {
	id, m := trace.LoadID(l.Load), c.moves[l.Load]
	end := l.StartedAtNs
	if e := c.executions[c.in.ScenarioID+":expert-load:"+id]; e != nil {
		if e.admittedNs != l.StartedAtNs {
			return bad(DemandAdmission, "the plan of %s is admitted at %d ns, the load starts at %d ns", id, e.admittedNs, l.StartedAtNs)
		}
		e.claimed = true
		end = e.finishNs
	}
	if m.physical != 1 || m.physicalNs != end || m.completesNs != end {
		return bad(DemandFinish, "%s completes at %d ns (physically %d ns, %d times), its transfers end at %d ns", id, m.completesNs, m.physicalNs, m.physical, end)
	}
	return nil
}

// prefetch: background transfers of the batch in which the load was started, held
// back until its experts were ready (contract 05 section 6.6).
func (c *checker) prefetch(l *trace.ExpertLoad) error {
	id, m := trace.LoadID(l.Load), c.moves[l.Load]
	by := c.starter[l.Load]
	if by < 0 || by >= len(c.owner) {
		return bad(PrefetchLost, "%s was started outside every batch", id)
	}
	e := c.executions[c.batchExecution(c.owner[by])]
	for _, n := range e.notBefore {
		if n.AtNs != e.admittedNs {
			return bad(PrefetchHeld, "step %d of batch %d is held back until %d ns, want %d ns", n.StepID, c.owner[by], n.AtNs, e.admittedNs)
		}
	}
	switch {
	case m.physical != 1:
		return bad(PrefetchLost, "%s was carried out %d times", id, m.physical)
	case !e.heldFinishes[m.physicalNs] || m.completesNs < m.physicalNs:
		return bad(PrefetchFinish, "%s arrives at %d ns (physically %d ns); no background transfer of batch %d ends then", id, m.completesNs, m.physicalNs, c.owner[by])
	}
	return nil
}
