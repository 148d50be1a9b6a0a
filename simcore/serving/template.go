package serving

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// templateKey holds every figure of a batch that its plan depends on (contract 05
// section 6.2). The family of proposers is one per run and therefore not in it.
type templateKey struct {
	tokenWork, expectedOutputTokens, draftTokens int64
	promptInvocations, finalInvocations          int64
	pipelineStepInvocations                      int64
}

// workloadBinding is what a run binds beside the batches themselves; nil and zero
// fields are absent.
type workloadBinding struct {
	modelWork         *workload.ModelWork
	pipeline          *workload.Pipeline
	proposerExecution workload.ProposerExecution
	proposerCostScale float64
}

// templateEstimator answers with the foreground duration of a batch's plan on a
// topology. The first batch of a kind compiles, validates, executes and replays a
// plan in isolated relative time; its equals reuse the template.
//
// Every answer is kept with its question. When the replay asks for a batch again,
// start time and work must be those of the simulation, and the kept duration is
// returned: nothing is compiled or run twice.
type templateEstimator struct {
	scenario *topology.Scenario
	compiler *compiler.Compiler
	binding  workloadBinding

	templates  []Template
	byKey      map[templateKey]int32
	batchPlans []int32 // batch -> template
	kept       keptWork
}

func newTemplateEstimator(scn *topology.Scenario, model *cost.Model, binding workloadBinding) (*templateEstimator, error) {
	c, err := compiler.New(scn, model)
	if err != nil {
		return nil, err
	}
	return &templateEstimator{
		scenario: scn, compiler: c, binding: binding,
		byKey: make(map[templateKey]int32),
	}, nil
}

// Duration implements Estimator.
func (e *templateEstimator) Duration(work *trace.BatchWork, startNs int64) (int64, error) {
	asked := int64(len(e.batchPlans))
	switch {
	case work.BatchID < asked:
		if err := e.kept.match(work, startNs); err != nil {
			return 0, err
		}
		return e.templates[e.batchPlans[work.BatchID]].DurationNs, nil
	case work.BatchID > asked:
		return 0, issue.New("batch_order", "", "serving batch %d is asked for before batch %d", work.BatchID, asked)
	}
	key := templateKey{
		tokenWork: work.TokenWork, expectedOutputTokens: work.ExpectedOutputTokens, draftTokens: work.DraftTokens,
		promptInvocations: work.PromptInvocations, finalInvocations: work.FinalInvocations,
		pipelineStepInvocations: work.VerificationTokens,
	}
	index, known := e.byKey[key]
	if !known {
		t, err := e.build(work)
		if err != nil {
			return 0, fmt.Errorf("serving template %d: %w", len(e.templates), err)
		}
		index = int32(len(e.templates))
		e.templates = append(e.templates, t)
		e.byKey[key] = index
	}
	e.templates[index].Occurrences++
	e.batchPlans = append(e.batchPlans, index)
	e.kept.keep(work, startNs)
	return e.templates[index].DurationNs, nil
}

// profile is the batch as the compiler takes it (contract 05 section 6.1).
func (e *templateEstimator) profile(work *trace.BatchWork) *workload.Profile {
	unit := workload.Unit{
		ID:                         "batch-" + strconv.FormatInt(work.BatchID, 10),
		TargetTokenWidth:           work.TokenWork,
		CommittedTokens:            work.ExpectedOutputTokens,
		DraftTokens:                work.DraftTokens,
		ActiveExperts:              1,
		PromptInvocations:          work.PromptInvocations,
		FinalInvocations:           work.FinalInvocations,
		PipelineStepInvocations:    work.VerificationTokens,
		HasPipelineStepInvocations: true,
	}
	if work.DraftTokens > 0 {
		unit.ProposerExecution = e.binding.proposerExecution
		unit.ProposerCostScale = e.binding.proposerCostScale
	}
	return &workload.Profile{
		ID:        "serving-template:" + strconv.Itoa(len(e.templates)),
		BatchSize: 1,
		Units:     []workload.Unit{unit},
		ModelWork: e.binding.modelWork,
		Pipeline:  e.binding.pipeline,
	}
}

// build compiles, validates, executes and replays one plan.
func (e *templateEstimator) build(work *trace.BatchWork) (Template, error) {
	compiled, err := e.compiler.Compile(e.profile(work))
	if err != nil {
		return Template{}, err
	}
	frozen, err := plan.Validate(e.scenario, compiled.Plan)
	if err != nil {
		return Template{}, err
	}
	result, err := executor.Run(frozen, executor.Options{})
	if err != nil {
		return Template{}, err
	}
	if _, err := planreplay.Check(e.scenario, compiled.Plan, &result.Trace); err != nil {
		return Template{}, err
	}
	t := Template{Plan: compiled.Plan, Trace: &result.Trace, TopologyNs: result.CompletedAtNs}
	foreground := false
	for i := range t.Trace.Operations {
		op := &t.Trace.Operations[i]
		t.Operations.count(op)
		if op.StepID == compiled.ForegroundStepID {
			t.DurationNs, foreground = op.FinishNs, true
		}
	}
	if !foreground || len(t.Trace.Operations) != len(t.Plan.Steps) {
		return Template{}, issue.New("incomplete_execution", "", "plan %s ran %d of %d steps",
			t.Plan.ID, len(t.Trace.Operations), len(t.Plan.Steps))
	}
	return t, nil
}

// count adds one executed operation.
func (c *OperationCounts) count(op *trace.Operation) {
	switch op.Kind {
	case plan.Compute:
		c.Compute++
	case plan.Transfer:
		c.Transfer++
	case plan.Collective:
		c.Collective++
		switch op.CollectiveAlgorithm {
		case plan.AllReduceRing:
			c.AllReduce++
		case plan.AllToAllV:
			c.AllToAll++
		}
	}
}

// keptWork remembers the question of every batch, in flat copies.
type keptWork struct {
	batches []keptBatch
	prefill []trace.PrefillSlice
	decode  []trace.DecodeSlice
}

// keptBatch is one batch's question; its slices end at the given rows and begin
// where those of the previous batch end.
type keptBatch struct {
	startNs              int64
	prefillTo, decodeTo  int
	tokenWork, expected  int64
	draft, verification  int64
	promptings, finishes int64
}

func (k *keptWork) keep(w *trace.BatchWork, startNs int64) {
	k.prefill = append(k.prefill, w.Prefill...)
	k.decode = append(k.decode, w.Decode...)
	k.batches = append(k.batches, k.row(w, startNs, len(k.prefill), len(k.decode)))
}

func (*keptWork) row(w *trace.BatchWork, startNs int64, prefillTo, decodeTo int) keptBatch {
	return keptBatch{
		startNs: startNs, prefillTo: prefillTo, decodeTo: decodeTo,
		tokenWork: w.TokenWork, expected: w.ExpectedOutputTokens,
		draft: w.DraftTokens, verification: w.VerificationTokens,
		promptings: w.PromptInvocations, finishes: w.FinalInvocations,
	}
}

// match refuses a second question that differs from the first.
func (k *keptWork) match(w *trace.BatchWork, startNs int64) error {
	var before keptBatch
	if w.BatchID > 0 {
		before = k.batches[w.BatchID-1]
	}
	kept := k.batches[w.BatchID]
	if kept.startNs != startNs {
		return issue.New("batch_start_differs", "", "serving batch %d was simulated at %d ns and is replayed at %d ns",
			w.BatchID, kept.startNs, startNs)
	}
	same := kept == k.row(w, startNs, before.prefillTo+len(w.Prefill), before.decodeTo+len(w.Decode)) &&
		slices.Equal(k.prefill[before.prefillTo:kept.prefillTo], w.Prefill) &&
		slices.Equal(k.decode[before.decodeTo:kept.decodeTo], w.Decode)
	if !same {
		return issue.New("batch_work_differs", "", "serving batch %d is replayed with other work than it was simulated with", w.BatchID)
	}
	return nil
}
