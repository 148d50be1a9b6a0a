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
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	proposer, err := newProposer(opts.Speculation, s.cfg.Requests)
	if err != nil {
		return nil, err
	}
	est, err := newTemplateEstimator(scn, model,
		workloadBinding{modelWork: opts.ModelWork, pipeline: opts.Pipeline, proposer: proposer.cost}, s.outputTokens)
	if err != nil {
		return nil, err
	}
	tr, err := s.Schedule(est, Options{Speculation: proposer.live, Progress: opts.Progress, Interrupted: opts.Interrupted})
	if err != nil {
		return nil, s.confirm(err, est, proposer.checker)
	}
	replayed, err := servingreplay.Check(servingreplay.Input{Config: s.cfg, Trace: tr, Estimator: est, Speculation: proposer.checker})
	if err != nil {
		return nil, err
	}
	run := &Run{
		Scenario:    scn,
		Config:      s.cfg,
		Speculation: opts.Speculation,
		Model:       model,
		Trace:       tr,
		Templates:   est.templates,
		BatchPlans:  est.batchPlans,
		Replay: Replay{
			AppliedEvents:     replayed.AppliedEvents,
			CompletedRequests: replayed.CompletedRequests,
			FinalKVTokens:     replayed.FinalKVTokens,
		},
		Confidence: confidence(scn, model, opts.ModelWork != nil),
		ContractRevisions: []Revision{
			{Name: "scenario", Revision: topology.SchemaVersion},
			{Name: "costModel", Revision: cost.Revision},
			{Name: "plan", Revision: plan.ContractRevision},
			{Name: "servingTrace", Revision: trace.ServingContractRevision},
		},
	}
	if s.cfg.Admission == workload.AdmitUnguarded {
		run.ContractRevisions = append(run.ContractRevisions, Revision{Name: "unguardedAdmission", Revision: workload.UnguardedAdmissionRevision})
	}
	if opts.Speculation != nil {
		run.ContractRevisions = append(run.ContractRevisions,
			Revision{Name: "proposerFamily", Revision: workload.FamilyContractRevision},
			Revision{Name: "speculativeIteration", Revision: trace.SpeculativeIterationRevision})
	}
	run.Assumptions = assumptions(run, model, opts.ModelWork)
	run.Requests, run.TokenTimes = s.requestResults(tr)
	if run.Metrics, err = s.metrics(tr, run.Requests, run.TokenTimes); err != nil {
		return nil, err
	}
	if run.Topology, err = topologyMetrics(scn, &run.Metrics, run.Templates); err != nil {
		return nil, err
	}
	return run, nil
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
