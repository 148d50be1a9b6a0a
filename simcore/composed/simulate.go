package composed

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/composedreplay"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Options are what a composed run may be given beside scenario, configurations
// and cost model. The zero value is complete. None of Progress and Interrupted
// changes a result.
type Options struct {
	// Speculation configures the proposer of decode steps; nil is target-only
	// decoding.
	Speculation *workload.ServingSpeculation

	// ModelWork and Pipeline bind a model to every batch; nil leaves the work
	// synthetic and normalised.
	ModelWork *workload.ModelWork
	Pipeline  *workload.Pipeline

	Progress    func(done, total, nowNs int64) // as serving.Options has it
	Interrupted func() bool
}

// Run is a finished, verified composed run. It is read-only.
type Run struct {
	// Serving is the scheduler's run. Its templates are the batches' own plans run
	// in isolation, one a batch; their DurationNs is the batch's duration on the
	// shared clock.
	Serving *serving.Run

	Experts  workload.ServingExperts // as configured, before partitioning
	Batches  []Batch
	Cache    *trace.Experts
	Snapshot trace.ExpertSnapshot
	Physical Physical

	CacheAppliedEvents int64 // by the cache's replay
}

// Batch is what the composition adds to a batch.
type Batch struct {
	Routes            int64 // one a target token
	ReadyNs           int64 // cache time after the last route
	CacheConstraintNs int64 // ReadyNs - start
	Loads             []int32
	Prefetches        []int32 // loads that the adaptive policy started here
}

// Physical is the shared timeline of all plans.
type Physical struct {
	Requests                    []plan.Request // demand and batch plans in order of admission
	Trace                       trace.Concurrent
	CompletedAtNs               int64 // absolute
	MaximumConcurrentExecutions int64
	Operations                  int64
	ReplayAppliedEvents         int64 // admissions, operations and terminals
}

// Simulate runs a serving configuration with an expert cache on a topology.
//
// Errors are those of the configurations (workload.ServingExperts, serving.New,
// experts.New), of expert owners and physical room, of the cache (*issue.Error,
// naming the partition), of compiling, validating and executing plans, and the
// mismatches of the three replays and of the check that ties their traces together.
func Simulate(scn *topology.Scenario, cfg workload.Serving, x workload.ServingExperts, model *cost.Model, opts Options) (*Run, error) {
	if err := x.Validate(); err != nil {
		return nil, err
	}
	if cfg.Admission != workload.AdmitGuarded {
		return nil, issue.New("unguarded_admission", "serving", "the %s admission rule is not composed with an expert cache", cfg.Admission)
	}
	s, err := serving.New(cfg)
	if err != nil {
		return nil, err
	}
	proposer, err := newProposer(opts.Speculation, cfg.Requests)
	if err != nil {
		return nil, err
	}
	est, err := newEstimator(scn, &x, model, &opts)
	if err != nil {
		return nil, err
	}
	est.proposer = proposer.cost
	tr, err := s.Schedule(est, serving.Options{Speculation: proposer.live, Progress: opts.Progress, Interrupted: opts.Interrupted})
	if err != nil {
		return nil, err
	}
	replayed, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr, Estimator: est, Speculation: proposer.checker})
	if err != nil {
		return nil, err
	}
	run := &Run{
		Experts: x, Batches: est.batches, Cache: est.cache.Trace(),
		Serving: &serving.Run{
			Scenario: scn, Config: s.Config(), Speculation: opts.Speculation, Model: model, Trace: tr,
			Templates: est.templates, BatchPlans: identity(len(est.templates)),
			Replay: serving.Replay{
				AppliedEvents: replayed.AppliedEvents, CompletedRequests: replayed.CompletedRequests, FinalKVTokens: replayed.FinalKVTokens,
			},
			Confidence: confidence(scn, model, opts.ModelWork != nil), ContractRevisions: revisions(opts.Speculation != nil),
		},
	}
	if err := run.settle(est); err != nil {
		return nil, err
	}
	run.Serving.Assumptions = assumptions(run, &opts)
	if run.Serving.Requests, run.Serving.TokenTimes, run.Serving.Metrics, err = s.Evaluate(tr); err != nil {
		return nil, err
	}
	run.Serving.Topology, err = run.topologyMetrics()
	return run, err
}

// WriteCacheTrace writes the trace document of the run's expert cache
// (inferlab/expert-cache-trace); package expertsreplay verifies it.
func (run *Run) WriteCacheTrace(w *jsondoc.Writer) {
	experts.WriteTrace(w, run.Cache, &run.Snapshot, nil)
}

// settle drains the runtime and the cache, has both replayed, and then has the three
// traces tied together (contract 05 section 6.8).
func (run *Run) settle(est *estimator) error {
	result, err := est.runtime.Drain()
	if err == nil {
		err = est.failure
	}
	if err != nil {
		return err
	}
	if err := run.replayPlans(est, result); err != nil {
		return err
	}
	if err := est.drainPrefetches(); err != nil {
		return err
	}
	if err := run.replayCache(est); err != nil {
		return err
	}
	_, err = composedreplay.Check(composedreplay.Input{
		ScenarioID: run.Serving.Scenario.ID(), Serving: run.Serving.Trace, Cache: run.Cache, Requests: run.Physical.Requests, Physical: &run.Physical.Trace,
	})
	return err
}

func (run *Run) replayPlans(est *estimator, result *executor.ConcurrentResult) error {
	checked, err := planreplay.New(run.Serving.Scenario.Spec()).CheckConcurrent(est.requests, &result.Trace)
	if err != nil {
		return err
	}
	run.Physical = Physical{
		Requests: est.requests, Trace: result.Trace,
		CompletedAtNs: result.CompletedAtNs, MaximumConcurrentExecutions: result.MaximumConcurrentExecutions,
		Operations: int64(len(result.Trace.Operations)), ReplayAppliedEvents: checked.AppliedEvents,
	}
	if checked.CompletedAtNs != result.CompletedAtNs || checked.MaximumConcurrentExecutions != result.MaximumConcurrentExecutions {
		return issue.New("physical_replay", "", "plans complete at %d ns with at most %d at once; the replay finds %d and %d",
			result.CompletedAtNs, result.MaximumConcurrentExecutions, checked.CompletedAtNs, checked.MaximumConcurrentExecutions)
	}
	return nil
}

func (run *Run) replayCache(est *estimator) error {
	run.Snapshot = est.cache.Snapshot()
	replayed, err := expertsreplay.Check(expertsreplay.Input{Trace: run.Cache, ConsecutiveTokens: true, EndNs: est.cache.Now()})
	if err != nil {
		return err
	}
	run.CacheAppliedEvents = replayed.AppliedEvents
	return replayed.Confirm(&run.Snapshot)
}

// identity maps every batch to its own template.
func identity(n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids
}

// confidence is the class of the run's timing (contract 06 section 14.2).
func confidence(scn *topology.Scenario, model *cost.Model, modelBound bool) evidence.Class {
	if modelBound {
		return evidence.Heuristic
	}
	return evidence.Timing(evidence.Weakest(model.Confidence, scn.PerformanceEvidence()))
}

func revisions(speculative bool) []serving.Revision {
	list := []serving.Revision{
		{Name: "scenario", Revision: topology.SchemaVersion},
		{Name: "costModel", Revision: cost.Revision},
		{Name: "plan", Revision: plan.ContractRevision},
		{Name: "concurrentTrace", Revision: trace.ConcurrentRevision},
		{Name: "servingTrace", Revision: trace.ServingContractRevision},
		{Name: "expertCache", Revision: trace.ExpertsContractRevision},
		{Name: "servingExperts", Revision: workload.ServingExpertsRevision},
	}
	if speculative {
		list = append(list,
			serving.Revision{Name: "proposerFamily", Revision: workload.FamilyContractRevision},
			serving.Revision{Name: "speculativeIteration", Revision: trace.SpeculativeIterationRevision})
	}
	return list
}

// Compare runs a configuration on every scenario and ranks the runs (contract 05
// section 7.2). Any failing run fails the comparison; an empty list and a repeated
// scenario id are errors. The runs are returned in the order of the scenarios.
func Compare(scenarios []*topology.Scenario, cfg workload.Serving, x workload.ServingExperts, model *cost.Model, opts Options) (*serving.Comparison, []*Run, error) {
	if len(scenarios) == 0 {
		return nil, nil, issue.New("no_scenarios", "", "a comparison needs at least one scenario")
	}
	seen := make(map[string]bool, len(scenarios))
	runs := make([]*Run, len(scenarios))
	ranked := make([]*serving.Run, len(scenarios))
	for i, scn := range scenarios {
		if seen[scn.ID()] {
			return nil, nil, issue.New("duplicate_scenario", "", "scenario %q is listed twice", scn.ID())
		}
		seen[scn.ID()] = true
		run, err := Simulate(scn, cfg, x, model, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("on scenario %s: %w", scn.ID(), err)
		}
		runs[i], ranked[i] = run, run.Serving
	}
	return serving.Rank(ranked, model), runs, nil
}
