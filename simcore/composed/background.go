package composed

import (
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// bindings tie background transfers to the prefetch loads that they carry out.
type bindings struct {
	terminals map[stepKey]int32     // the last transfer into a domain -> load
	open      map[int32]*prefetchOf // loads with terminals still to come
	latest    int64                 // ns, greatest recorded finish
	any       bool
}

type stepKey struct {
	execution string
	step      int64
}

// prefetchOf is a bound load: terminals to come, greatest finish so far.
type prefetchOf struct {
	left   int
	finish int64 // ns
}

func newBindings() bindings {
	return bindings{terminals: make(map[stepKey]int32), open: make(map[int32]*prefetchOf)}
}

// bind ties a batch's background transfers to its loads and returns the times
// before which their steps may not be submitted (contract 05 sections 6.4 (5) and
// 6.6).
func (e *estimator) bind(c *compiler.Compiled, b *Batch) ([]plan.NotBefore, error) {
	numbers := make(map[string]int32, len(b.Prefetches))
	for _, number := range b.Prefetches {
		numbers[trace.LoadID(number)] = number
	}
	var releases []plan.NotBefore
	for i := range c.Prefetches {
		p := &c.Prefetches[i]
		number, known := numbers[p.PrefetchID]
		if !known {
			return nil, issue.New("prefetch_binding", "", "plan %s has a prefetch %s, which no load of the batch is", c.Plan.ID, p.PrefetchID)
		}
		l, _ := e.cache.Load(number)
		for _, step := range p.StepIDs {
			releases = append(releases, plan.NotBefore{StepID: step, AtNs: max(l.StartedAtNs, b.ReadyNs)})
		}
		e.bound.terminals[stepKey{c.Plan.ExecutionID, p.StepID}] = number
		if e.bound.open[number] == nil {
			e.bound.open[number] = &prefetchOf{}
		}
		e.bound.open[number].left++
		e.bound.any = true
	}
	for _, number := range b.Prefetches {
		if e.bound.open[number] == nil {
			return nil, issue.New("prefetch_binding", "", "plan %s carries out no transfer for %s", c.Plan.ID, trace.LoadID(number))
		}
	}
	return releases, nil
}

// observe is told every operation as it is submitted. The runtime cannot be
// stopped from here, so a failure waits for whoever drives it.
func (e *estimator) observe(op trace.Operation) {
	key := stepKey{op.ExecutionID, op.StepID}
	number, bound := e.bound.terminals[key]
	if !bound || e.failure != nil {
		return
	}
	delete(e.bound.terminals, key)
	e.failure = e.record(number, &op)
}

// record takes note of a terminal transfer; with the last one the load's
// completion moves to where its transfers end.
func (e *estimator) record(number int32, op *trace.Operation) error {
	l, _ := e.cache.Load(number)
	if op.Kind != plan.Transfer || op.StartNs < l.StartedAtNs {
		return issue.New("prefetch_binding", "", "%s ends with a %s that starts at %d ns; the load starts at %d ns",
			trace.LoadID(number), op.Kind, op.StartNs, l.StartedAtNs)
	}
	p := e.bound.open[number]
	p.left--
	p.finish = max(p.finish, op.FinishNs)
	if p.left > 0 {
		return nil
	}
	delete(e.bound.open, number)
	e.bound.latest = max(e.bound.latest, p.finish)
	return e.cache.RetimePrefetch(number, max(p.finish, e.cache.Now()), &p.finish)
}

// drainPrefetches lets every bound prefetch arrive in the cache once nothing is
// left to run.
func (e *estimator) drainPrefetches() error {
	if len(e.bound.open) > 0 {
		return issue.New("prefetch_binding", "", "%d prefetches were never carried out", len(e.bound.open))
	}
	if !e.bound.any {
		return nil
	}
	return e.cache.Advance(max(e.cache.Now(), e.bound.latest))
}
