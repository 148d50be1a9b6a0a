package serving

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// RunOptions are what a topology-bound run may be given beside scenario,
// configuration and cost model. The zero value is complete.
type RunOptions struct {
	// Speculation configures the proposer of decode steps (contract 05 section 5);
	// nil is target-only decoding.
	Speculation *workload.ServingSpeculation

	// ModelWork and Pipeline bind a model to every batch; nil leaves the work
	// synthetic and normalised (contract 06 sections 11 and 12).
	ModelWork *workload.ModelWork
	Pipeline  *workload.Pipeline

	// Progress and Interrupted are those of Options.
	Progress    func(done, total, nowNs int64)
	Interrupted func() bool
}

// Simulate runs a serving configuration on a topology, checks the trace with the
// independent replay and evaluates requests and metrics (contract 05 sections 4
// and 6.2, stateless). Without the admission guard it may end in a *Deadlock, which
// the replay has confirmed.
//
// Errors are those of New, of compiling, validating, executing and replaying a
// template's plan, of Schedule, *servingreplay.Mismatch, and figures that are no
// safe integers.
func Simulate(scn *topology.Scenario, cfg workload.Serving, model *cost.Model, opts RunOptions) (*Run, error) {
	b, err := bind(scn, cfg, model, &opts)
	if err != nil {
		return nil, err
	}
	tr, err := b.s.Schedule(b.est, Options{Speculation: b.proposer.live, Progress: opts.Progress, Interrupted: opts.Interrupted})
	if err != nil {
		return nil, b.s.confirm(err, b.est, b.proposer.checker)
	}
	return b.finish(tr)
}

// Rebuild makes the run of a trace that was made elsewhere or before. Nothing of the
// trace is believed: the independent replay derives every event, and the duration of
// every batch is that of its plan, compiled, executed and replayed here. Errors are
// those of Simulate.
func Rebuild(scn *topology.Scenario, cfg workload.Serving, model *cost.Model, tr *trace.Serving, opts RunOptions) (*Run, error) {
	b, err := bind(scn, cfg, model, &opts)
	if err != nil {
		return nil, err
	}
	return b.finish(tr)
}

// binding is a configuration on a topology, ready to be run.
type binding struct {
	scn      *topology.Scenario
	model    *cost.Model
	opts     *RunOptions
	s        *Scheduler
	est      *templateEstimator
	proposer proposer
}

func bind(scn *topology.Scenario, cfg workload.Serving, model *cost.Model, opts *RunOptions) (*binding, error) {
	return bindWindows(scn, cfg, model, opts, 0)
}

// bindWindows is bind for a run of which at most a window of so many tokens is kept;
// 0: all of it.
func bindWindows(scn *topology.Scenario, cfg workload.Serving, model *cost.Model, opts *RunOptions, windowTokens int) (*binding, error) {
	b := &binding{scn: scn, model: model, opts: opts}
	var err error
	if b.s, err = New(cfg); err != nil {
		return nil, err
	}
	if b.proposer, err = newProposer(opts.Speculation, b.s.cfg.Requests); err != nil {
		return nil, err
	}
	decodes := b.s.outputTokens
	if windowTokens > 0 {
		decodes = min(decodes, int64(windowTokens))
	}
	b.est, err = newTemplateEstimator(scn, model,
		workloadBinding{modelWork: opts.ModelWork, pipeline: opts.Pipeline, proposer: b.proposer.cost}, decodes)
	return b, err
}

// finish has the trace checked by the independent replay and evaluates it.
func (b *binding) finish(tr *trace.Serving) (*Run, error) {
	replayed, err := servingreplay.Check(servingreplay.Input{Config: b.s.cfg, Trace: tr, Estimator: b.est, Speculation: b.proposer.checker})
	if err != nil {
		return nil, err
	}
	run := b.describe(tr, replayed)
	run.Requests, run.TokenTimes = b.s.requestResults(tr)
	if run.Metrics, err = b.s.metrics(tr, run.Requests, run.TokenTimes); err != nil {
		return nil, err
	}
	if run.Topology, err = topologyMetrics(b.scn, &run.Metrics, run.Templates); err != nil {
		return nil, err
	}
	return run, nil
}

// describe is the run but for its figures.
func (b *binding) describe(tr *trace.Serving, replayed servingreplay.Result) *Run {
	run := &Run{
		Scenario:    b.scn,
		Config:      b.s.cfg,
		Speculation: b.opts.Speculation,
		Model:       b.model,
		Trace:       tr,
		Templates:   b.est.templates,
		BatchPlans:  b.est.batchPlans,
		Replay: Replay{
			AppliedEvents:     replayed.AppliedEvents,
			CompletedRequests: replayed.CompletedRequests,
			FinalKVTokens:     replayed.FinalKVTokens,
		},
		Confidence: confidence(b.scn, b.model, b.opts.ModelWork != nil),
		ContractRevisions: []Revision{
			{Name: "scenario", Revision: topology.SchemaVersion},
			{Name: "costModel", Revision: cost.Revision},
			{Name: "plan", Revision: plan.ContractRevision},
			{Name: "servingTrace", Revision: trace.ServingContractRevision},
		},
	}
	if b.s.cfg.Admission == workload.AdmitUnguarded {
		run.ContractRevisions = append(run.ContractRevisions, Revision{Name: "unguardedAdmission", Revision: workload.UnguardedAdmissionRevision})
	}
	if b.opts.Speculation != nil {
		run.ContractRevisions = append(run.ContractRevisions,
			Revision{Name: "proposerFamily", Revision: workload.FamilyContractRevision},
			Revision{Name: "speculativeIteration", Revision: trace.SpeculativeIterationRevision})
	}
	run.Assumptions = assumptions(run, b.model, b.opts.ModelWork)
	return run
}

// confidence is the class of the run's timing: the weakest of the cost model and
// the scenario's performance figures, heuristic when a model is bound (contract 06
// section 14.2). It is the same for every batch.
func confidence(scn *topology.Scenario, model *cost.Model, modelBound bool) evidence.Class {
	if modelBound {
		return evidence.Heuristic
	}
	return evidence.Timing(evidence.Weakest(model.Confidence, scn.PerformanceEvidence()))
}
