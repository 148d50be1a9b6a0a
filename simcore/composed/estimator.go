package composed

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// estimator answers how long a batch lasts by carrying it out on the shared clock
// (contract 05 section 6.4). It keeps every question, so that the replay of the
// scheduler is answered without carrying anything out twice.
type estimator struct {
	scenario  *topology.Scenario
	placement workload.ExpertPlacement
	topK      int64
	opts      *Options
	proposer  workload.Proposer

	compiler *compiler.Compiler
	fabric   *plan.Fabric
	checker  *planreplay.Checker
	runtime  *executor.Runtime
	cache    *experts.Cache

	demands  map[demandKey]*demandPlan // compiled once, re-identified for each load
	requests []plan.Request
	bound    bindings

	token     int64      // index of the next route over the whole run
	routes    [][]string // of the batch that is being routed
	routed    []string   // what they point into
	batches   []Batch
	templates []serving.Template
	asked     []question
	failure   error // of the listener, which cannot return one
}

// question is what the scheduler asked about a batch.
type question struct {
	work    trace.BatchWork // its slices are copies
	startNs int64
}

func newEstimator(scn *topology.Scenario, x *workload.ServingExperts, model *cost.Model, opts *Options) (*estimator, error) {
	if err := experts.CheckPhysical(&x.Cache, scn, x.Strategy); err != nil {
		return nil, err
	}
	if err := experts.CheckLimits(&x.Cache, scn, x.Strategy); err != nil {
		return nil, err
	}
	partitioned, err := experts.Partition(x.Cache, scn, x.Strategy)
	if err != nil {
		return nil, err
	}
	cache, err := experts.New(partitioned)
	if err != nil {
		return nil, err
	}
	c, err := compiler.New(scn, model)
	if err != nil {
		return nil, err
	}
	fabric := plan.Bind(scn)
	e := &estimator{
		scenario: scn, topK: x.TopK, opts: opts,
		placement: workload.ExpertPlacement{Strategy: x.Strategy, ExpertIDs: x.Cache.ExpertIDs()},
		compiler:  c, fabric: fabric, checker: planreplay.New(scn.Spec()),
		runtime: executor.NewRuntime(fabric), cache: cache,
		demands: make(map[demandKey]*demandPlan), bound: newBindings(),
	}
	e.runtime.OnOperation(e.observe)
	return e, nil
}

// Duration implements serving.Estimator.
func (e *estimator) Duration(work *trace.BatchWork, startNs int64) (int64, error) {
	asked := int64(len(e.asked))
	switch {
	case work.BatchID < asked:
		q := &e.asked[work.BatchID]
		if !q.same(work, startNs) {
			return 0, issue.New("batch_work_differs", "", "serving batch %d is replayed with another start or other work than it was simulated with", work.BatchID)
		}
		return e.templates[work.BatchID].DurationNs, nil
	case work.BatchID > asked:
		return 0, issue.New("batch_order", "", "serving batch %d is asked for before batch %d", work.BatchID, asked)
	}
	finish, err := e.carryOut(work, startNs)
	if err == nil {
		err = e.failure
	}
	if err != nil {
		return 0, err
	}
	e.templates[work.BatchID].DurationNs = finish - startNs
	kept := *work
	kept.Prefill, kept.Decode = slices.Clone(work.Prefill), slices.Clone(work.Decode)
	e.asked = append(e.asked, question{work: kept, startNs: startNs})
	return finish - startNs, nil
}

func (q *question) same(w *trace.BatchWork, startNs int64) bool {
	k := &q.work
	return q.startNs == startNs && k.TokenWork == w.TokenWork && k.ExpectedOutputTokens == w.ExpectedOutputTokens &&
		k.DraftTokens == w.DraftTokens && k.VerificationTokens == w.VerificationTokens &&
		k.PromptInvocations == w.PromptInvocations && k.FinalInvocations == w.FinalInvocations &&
		slices.Equal(k.Prefill, w.Prefill) && slices.Equal(k.Decode, w.Decode)
}

// carryOut runs a batch and returns when its foreground ends, in ns.
func (e *estimator) carryOut(work *trace.BatchWork, startNs int64) (int64, error) {
	if err := e.runtime.Advance(startNs); err != nil {
		return 0, err
	}
	if e.cache.Now() > startNs {
		return 0, issue.New("cache_time", "", "serving batch %d starts at %d ns, but the expert cache is at %d ns", work.BatchID, startNs, e.cache.Now())
	}
	if work.TokenWork > workload.MaxRecordedRoutes {
		return 0, issue.New("too_many_routes", "serving.max_batch_tokens", "serving batch %d needs %d expert routes, at most %d can be recorded",
			work.BatchID, work.TokenWork, workload.MaxRecordedRoutes)
	}
	b := Batch{Routes: work.TokenWork}
	e.routes, e.routed = e.routes[:0], e.routed[:0]
	for range work.TokenWork {
		if err := e.route(&b, startNs); err != nil {
			return 0, err
		}
	}
	b.ReadyNs = e.cache.Now()
	b.CacheConstraintNs = b.ReadyNs - startNs
	finish, err := e.batchPlan(work, &b)
	if err != nil {
		return 0, err
	}
	e.batches = append(e.batches, b)
	return finish, nil
}

// route takes one target token through the cache, from admission to access.
func (e *estimator) route(b *Batch, startNs int64) error {
	at := max(startNs, e.cache.Now())
	a, err := e.cache.Begin(e.token, e.topK, at)
	if err != nil {
		return err
	}
	if err := e.demand(a.NewDemandLoads, at); err != nil {
		return err
	}
	b.Loads = append(b.Loads, a.NewDemandLoads...)
	done, err := e.cache.Complete(a.Request)
	if err != nil {
		return err
	}
	from := len(e.routed)
	for _, x := range a.ExpertIndices {
		e.routed = append(e.routed, e.placement.ExpertIDs[x])
	}
	e.routes = append(e.routes, e.routed[from:])
	e.token++
	for _, load := range done.Prefetches {
		if err := e.cache.RetimePrefetch(load, quantity.MaxSafe, nil); err != nil {
			return err
		}
	}
	b.Prefetches = append(b.Prefetches, done.Prefetches...)
	return nil
}

// batchPlan compiles a routed batch, admits it when the cache is ready and runs
// the clock to the end of its foreground.
func (e *estimator) batchPlan(work *trace.BatchWork, b *Batch) (int64, error) {
	compiled, err := e.compile(work, b)
	if err != nil {
		return 0, err
	}
	frozen, err := e.fabric.Validate(compiled.Plan)
	if err != nil {
		return 0, err
	}
	if err := e.isolate(frozen); err != nil {
		return 0, err
	}
	releases, err := e.bind(compiled, b)
	if err != nil {
		return 0, err
	}
	if err := e.admit(frozen, b.ReadyNs, releases); err != nil {
		return 0, err
	}
	end, err := e.runtime.RunUntil(compiled.Plan.ExecutionID, compiled.ForegroundStepID)
	return end.CompletedAtNs, err
}

// compile makes the plan of a batch: all its assignments are resident by now, and
// what the policy wants is copied in the background.
func (e *estimator) compile(work *trace.BatchWork, b *Batch) (*compiler.Compiled, error) {
	shape := workload.ServingBatch{
		TokenWork: work.TokenWork, ExpectedOutputTokens: work.ExpectedOutputTokens, DraftTokens: work.DraftTokens,
		PromptInvocations: work.PromptInvocations, FinalInvocations: work.FinalInvocations,
		PipelineStepInvocations: work.VerificationTokens, Proposer: e.proposer,
	}
	dense := shape.Profile(work.BatchID)
	dense.ModelWork, dense.Pipeline = e.opts.ModelWork, e.opts.Pipeline
	background := make([]workload.BackgroundPrefetch, len(b.Prefetches))
	for i, number := range b.Prefetches {
		l, _ := e.cache.Load(number)
		background[i] = workload.BackgroundPrefetch{ID: trace.LoadID(number), ExpertID: e.placement.ExpertIDs[l.Expert], Bytes: l.Bytes}
	}
	profile, err := dense.WithExperts(e.placement, e.topK, e.routes, background)
	if err != nil {
		return nil, err
	}
	return e.compiler.Compile(profile)
}

// isolate runs a batch's own plan alone, for its figures.
func (e *estimator) isolate(f *plan.Frozen) error {
	result, err := executor.Run(f, executor.Options{})
	if err != nil {
		return err
	}
	if _, err := e.checker.Check(f.Plan(), &result.Trace); err != nil {
		return err
	}
	t := serving.Template{Plan: f.Plan(), Trace: &result.Trace, TopologyNs: result.CompletedAtNs, Occurrences: 1}
	for i := range result.Trace.Operations {
		count(&t.Operations, &result.Trace.Operations[i])
	}
	e.templates = append(e.templates, t)
	return nil
}

// admit hands a plan to the runtime and remembers the request.
func (e *estimator) admit(f *plan.Frozen, atNs int64, releases []plan.NotBefore) error {
	order, err := e.runtime.Admit(f, atNs, releases)
	if err != nil {
		return err
	}
	e.requests = append(e.requests, plan.Request{Plan: f.Plan(), ArrivalNs: atNs, AdmissionOrder: order, NotBefore: releases})
	return nil
}
