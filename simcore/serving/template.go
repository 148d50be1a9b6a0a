package serving

import (
	"fmt"
	"slices"

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

// workloadBinding is what a run binds beside the batches themselves; nil and zero
// fields are absent.
type workloadBinding struct {
	modelWork *workload.ModelWork
	pipeline  *workload.Pipeline
	proposer  workload.Proposer
}

// templateEstimator answers with the foreground duration of a batch's plan on a
// topology. The first batch of a kind compiles, validates, executes and replays a
// plan in isolated relative time; its equals reuse the template. The shape holds
// every figure of a batch that its plan depends on (contract 05 section 6.2).
//
// Every answer is kept with its question. When the replay asks for a batch again,
// start time and work must be those of the simulation, and the kept duration is
// returned: nothing is compiled or run twice.
type templateEstimator struct {
	compiler *compiler.Compiler
	fabric   *plan.Fabric
	checker  *planreplay.Checker
	binding  workloadBinding

	templates  []Template
	shapes     []workload.ServingBatch // by template
	byShape    map[workload.ServingBatch]int32
	firstBatch int64   // what batchPlans and kept begin with; 0 unless the run streams
	batchPlans []int32 // batch -> template
	kept       keptWork
}

// forget drops the batches that have been asked for twice.
func (e *templateEstimator) forget() {
	e.firstBatch += int64(len(e.batchPlans))
	e.batchPlans = e.batchPlans[:0]
	e.kept.batches, e.kept.prefill, e.kept.decode = e.kept.batches[:0], e.kept.prefill[:0], e.kept.decode[:0]
}

// newTemplateEstimator binds a scenario; decodes is the number of decode slices to
// expect.
func newTemplateEstimator(scn *topology.Scenario, model *cost.Model, binding workloadBinding, decodes int64) (*templateEstimator, error) {
	c, err := compiler.New(scn, model)
	if err != nil {
		return nil, err
	}
	return &templateEstimator{
		compiler: c, binding: binding,
		fabric: plan.NewFabric(scn.Spec()), checker: planreplay.New(scn.Spec()),
		byShape: make(map[workload.ServingBatch]int32),
		kept:    keptWork{decode: make([]trace.DecodeSlice, 0, expectedRows(decodes))},
	}, nil
}

// Duration implements Estimator.
func (e *templateEstimator) Duration(work *trace.BatchWork, startNs int64) (int64, error) {
	asked := e.firstBatch + int64(len(e.batchPlans))
	shape := e.shape(work)
	switch {
	case work.BatchID < e.firstBatch:
		return 0, issue.New("batch_order", "", "serving batch %d is asked for after its window", work.BatchID)
	case work.BatchID < asked:
		index := e.batchPlans[work.BatchID-e.firstBatch]
		if shape != e.shapes[index] {
			return 0, differentWork(work.BatchID)
		}
		return e.templates[index].DurationNs, e.kept.match(work, work.BatchID-e.firstBatch, startNs)
	case work.BatchID > asked:
		return 0, issue.New("batch_order", "", "serving batch %d is asked for before batch %d", work.BatchID, asked)
	}
	index, err := e.template(&shape, work.BatchID)
	if err != nil {
		return 0, err
	}
	e.templates[index].Occurrences++
	e.batchPlans = push(e.batchPlans, index)
	e.kept.keep(work, startNs)
	return e.templates[index].DurationNs, nil
}

// shape is the batch as the compiler takes it (contract 05 section 6.1).
func (e *templateEstimator) shape(work *trace.BatchWork) workload.ServingBatch {
	return workload.ServingBatch{
		TokenWork: work.TokenWork, ExpectedOutputTokens: work.ExpectedOutputTokens, DraftTokens: work.DraftTokens,
		PromptInvocations: work.PromptInvocations, FinalInvocations: work.FinalInvocations,
		PipelineStepInvocations: work.VerificationTokens, Proposer: e.binding.proposer,
	}
}

// template finds the template of a shape, or builds it for the first batch that
// has the shape. Most batches have the shape of the one before.
func (e *templateEstimator) template(shape *workload.ServingBatch, batchID int64) (int32, error) {
	if n := len(e.batchPlans); n > 0 {
		if last := e.batchPlans[n-1]; e.shapes[last] == *shape {
			return last, nil
		}
	}
	if index, known := e.byShape[*shape]; known {
		return index, nil
	}
	t, err := e.build(shape, batchID)
	if err != nil {
		return 0, fmt.Errorf("serving template %d: %w", len(e.templates), err)
	}
	index := int32(len(e.templates))
	e.templates = append(e.templates, t)
	e.shapes = append(e.shapes, *shape)
	e.byShape[*shape] = index
	return index, nil
}

// build compiles, validates, executes and replays the plan of a shape that a batch
// is the first to have.
func (e *templateEstimator) build(shape *workload.ServingBatch, batchID int64) (Template, error) {
	profile := shape.Template(int64(len(e.templates)), batchID)
	profile.ModelWork, profile.Pipeline = e.binding.modelWork, e.binding.pipeline
	compiled, err := e.compiler.Compile(profile)
	if err != nil {
		return Template{}, err
	}
	frozen, err := e.fabric.Validate(compiled.Plan)
	if err != nil {
		return Template{}, err
	}
	result, err := executor.Run(frozen, executor.Options{})
	if err != nil {
		return Template{}, err
	}
	if _, err := e.checker.Check(compiled.Plan, &result.Trace); err != nil {
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

// keptWork remembers the question of every batch, in flat copies; the figures of
// its shape are with its template.
type keptWork struct {
	batches []keptBatch
	prefill []trace.PrefillSlice
	decode  []trace.DecodeSlice
}

// keptBatch is one batch's question; its slices end at the given rows and begin
// where those of the previous batch end.
type keptBatch struct {
	startNs             int64
	prefillTo, decodeTo int32
}

func (k *keptWork) keep(w *trace.BatchWork, startNs int64) {
	for _, p := range w.Prefill {
		k.prefill = push(k.prefill, p)
	}
	for _, d := range w.Decode {
		k.decode = push(k.decode, d)
	}
	k.batches = push(k.batches, keptBatch{startNs, int32(len(k.prefill)), int32(len(k.decode))})
}

// match refuses a second question that differs from the first, which was number at.
func (k *keptWork) match(w *trace.BatchWork, at, startNs int64) error {
	var before keptBatch
	if at > 0 {
		before = k.batches[at-1]
	}
	kept := k.batches[at]
	if kept.startNs != startNs {
		return issue.New("batch_start_differs", "", "serving batch %d was simulated at %d ns and is replayed at %d ns",
			w.BatchID, kept.startNs, startNs)
	}
	if !slices.Equal(k.prefill[before.prefillTo:kept.prefillTo], w.Prefill) ||
		!slices.Equal(k.decode[before.decodeTo:kept.decodeTo], w.Decode) {
		return differentWork(w.BatchID)
	}
	return nil
}

func differentWork(batchID int64) error {
	return issue.New("batch_work_differs", "", "serving batch %d is replayed with other work than it was simulated with", batchID)
}
