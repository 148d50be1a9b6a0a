package resultdoc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// assembler rebuilds the run from the entries of a document.
type assembler struct {
	d       *document
	run     *serving.Run
	request map[string]int32
	emitted []int64 // by request: tokens so far
	prompt  []int64 // by request: prompt tokens so far
	keys    map[templateKey]int32
	running bool
}

// templateKey is what makes batches share a plan (contract 05 section 6.2); the
// family is the same throughout a run.
type templateKey struct {
	tokenWork, expectedOutput, draft, prompts, finals, pipelineSteps int64
}

func (d *document) assemble() (*serving.Run, error) {
	a := &assembler{
		d:       d,
		run:     &serving.Run{Trace: &trace.Serving{}, Metrics: d.metrics, Topology: d.topology, Confidence: d.provenance.Confidence},
		request: map[string]int32{}, keys: map[templateKey]int32{},
	}
	if err := a.requests(); err != nil {
		return nil, err
	}
	for i := range d.events {
		if err := a.event(&d.events[i]); err != nil {
			return nil, located(fmt.Sprintf("serving.trace[%d]", i), err)
		}
	}
	return a.run, a.finish()
}

func (a *assembler) requests() error {
	run := a.run
	for i := range a.d.requests {
		e, path := &a.d.requests[i], fmt.Sprintf("serving.requests[%d]", i)
		if _, twice := a.request[e.ID]; twice || e.ID == "" {
			return issue.New("result_request", path+".id", "is %q; expected a new, non-empty id", e.ID)
		}
		if len(e.TokenTimestampsNs) == 0 {
			return issue.New("result_request", path+".tokenTimestampsNs", "is empty; expected a time for every token")
		}
		times := append([]int64{e.ArrivalNs, e.FirstTokenNs, e.CompletedAtNs}, e.TokenTimestampsNs...)
		if slices.ContainsFunc(times, func(t int64) bool { return !quantity.IsCount(t) }) {
			return issue.New("result_request", path, "has a time that is no safe non-negative integer")
		}
		priority, known := a.d.priorities[e.ID]
		if a.d.priorities != nil && (!known || !quantity.IsSafe(priority)) {
			return issue.New("result_request", path+".id", "is %q, which inputs.serving.requests does not have with a safe priority", e.ID)
		}
		a.request[e.ID] = int32(i)
		from := int64(len(run.TokenTimes))
		run.TokenTimes = append(run.TokenTimes, e.TokenTimestampsNs...)
		run.Trace.RequestIDs = append(run.Trace.RequestIDs, e.ID)
		run.Config.Requests = append(run.Config.Requests, workload.Request{
			ID: e.ID, ArrivalNs: e.ArrivalNs, OutputTokens: int64(len(e.TokenTimestampsNs)), Priority: priority,
		})
		run.Requests = append(run.Requests, serving.RequestResult{
			Request: int32(i), ArrivalNs: e.ArrivalNs, FirstTokenNs: e.FirstTokenNs, CompletedAtNs: e.CompletedAtNs,
			TimeToFirstTokenNs: e.TimeToFirstTokenNs, LatencyNs: e.LatencyNs, TokensFrom: from, TokensTo: int64(len(run.TokenTimes)),
		})
	}
	a.emitted, a.prompt = make([]int64, len(run.Requests)), make([]int64, len(run.Requests))
	return nil
}

// located puts the place of an event before the paths of its refusal, which are
// relative to it: nearly no event has one, and all would pay for it.
func located(place string, err error) error {
	var refusal *issue.Error
	if errors.As(err, &refusal) {
		refusal.Path = place + refusal.Path
	}
	return err
}

// event takes over one event. Paths of its refusals begin at the event.
func (a *assembler) event(e *event) error {
	if e.ContractRevision != trace.ServingContractRevision {
		return issue.New("result_revision", ".contractRevision", "is %d; expected %d", e.ContractRevision, trace.ServingContractRevision)
	}
	switch e.Kind {
	case "arrival", "terminal":
		return nil
	case "batch_start":
		return a.start(e)
	case "batch_finish":
		return a.end(e)
	}
	return issue.New("result_event", ".kind", "is %q; expected arrival, batch_start, batch_finish or terminal", e.Kind)
}

func (a *assembler) start(e *event) error {
	tr := a.run.Trace
	if a.running || e.Batch == nil || e.Batch.BatchID != int64(len(tr.Batches)) {
		return issue.New("result_event", "", "expected the start of batch %d after the end of the one before", len(tr.Batches))
	}
	b := trace.ServingBatch{
		StartNs: e.AtNs, DurationNs: e.DurationNs, KVTokensBefore: e.KVTokensBefore, TransientKVTokens: e.TransientKVTokens,
		TokenWork: e.Batch.TokenWork, ExpectedOutputTokens: e.Batch.ExpectedOutputTokens,
		PrefillFrom: int32(len(tr.Prefill)), DecodeFrom: int32(len(tr.Decode)),
	}
	for i, p := range e.Batch.Prefill {
		r, ok := a.request[p.RequestID]
		if !ok || !quantity.IsPositive(p.Tokens) {
			return issue.New("result_slice", fmt.Sprintf(".batch.prefill[%d]", i), "%d tokens of request %q; expected tokens of a known request", p.Tokens, p.RequestID)
		}
		tr.Prefill = append(tr.Prefill, trace.PrefillSlice{Request: r, Tokens: p.Tokens})
	}
	for i := range e.Batch.Decode {
		slice, err := a.decode(i, &e.Batch.Decode[i])
		if err != nil {
			return err
		}
		tr.Decode = append(tr.Decode, slice)
	}
	b.PrefillTo, b.DecodeTo = int32(len(tr.Prefill)), int32(len(tr.Decode))
	tr.Batches = append(tr.Batches, b)
	a.running = true
	return nil
}

func (a *assembler) decode(i int, e *decodeEntry) (trace.DecodeSlice, error) {
	r, known := a.request[e.RequestID]
	mode := word(e.Mode, trace.ModeTargetOnly, trace.ModeSpeculative)
	outcome := word(e.Outcome, trace.OutcomeTargetOnly, trace.OutcomeAcceptedTail)
	if !known || mode < 0 || outcome < 0 || e.GuaranteedTargetTokens&^1 != 0 || e.TargetAuthoritativeTokens&^1 != 0 ||
		e.ProposedAdditionalTokens < 0 || e.ProposedAdditionalTokens > math.MaxInt32 ||
		e.AcceptedAdditionalTokens < 0 || e.AcceptedAdditionalTokens > e.ProposedAdditionalTokens {
		return trace.DecodeSlice{}, issue.New("result_slice", fmt.Sprintf(".batch.decode[%d]", i), "is no decode slice of a known request: request %q, mode %q, outcome %q, %d guaranteed, %d of %d proposed accepted, %d of the target",
			e.RequestID, e.Mode, e.Outcome, e.GuaranteedTargetTokens, e.AcceptedAdditionalTokens, e.ProposedAdditionalTokens, e.TargetAuthoritativeTokens)
	}
	return trace.DecodeSlice{
		Request: r, ProposedAdditional: int32(e.ProposedAdditionalTokens), AcceptedAdditional: int32(e.AcceptedAdditionalTokens),
		Guaranteed: uint8(e.GuaranteedTargetTokens), Authoritative: uint8(e.TargetAuthoritativeTokens),
		Mode: trace.DecodeMode(mode), Outcome: trace.DecodeOutcome(outcome),
	}, nil
}

// word finds the value of an enumeration by its spelling, -1 when there is none.
func word[E interface {
	~uint8
	String() string
}](text string, first, last E) int {
	for e := first; e <= last; e++ {
		if e.String() == text {
			return int(e)
		}
	}
	return -1
}

func (a *assembler) end(e *event) error {
	tr := a.run.Trace
	id := len(tr.Batches) - 1
	if !a.running || e.BatchID != int64(id) || e.AtNs != tr.Batches[id].FinishNs() {
		return issue.New("result_event", "", "expected the end of the running batch at its start plus its duration")
	}
	b := &tr.Batches[id]
	b.TokensFrom, b.CompletedFrom, b.KVTokensAfter = int32(len(tr.Tokens)), int32(len(tr.Completed)), e.KVTokensAfter
	for i, t := range e.EmittedTokens {
		r, ok := a.request[t.RequestID]
		source := word(t.Source, trace.SourcePrefill, trace.SourceSpeculativeAuthoritative)
		if !ok || source < 0 || t.TokenIndex != a.emitted[r] || t.TokenIndex >= a.run.Config.Requests[r].OutputTokens ||
			a.run.TokenTimes[a.run.Requests[r].TokensFrom+t.TokenIndex] != e.AtNs {
			return issue.New("result_token", fmt.Sprintf(".emittedTokens[%d]", i),
				"is token %d of request %q from %q; expected the next token of a known request, at its time", t.TokenIndex, t.RequestID, t.Source)
		}
		a.emitted[r]++
		tr.Tokens = append(tr.Tokens, trace.TokenEmission{Request: r, Index: int32(t.TokenIndex), Source: trace.TokenSource(source)})
	}
	for i, id := range e.CompletedRequestIDs {
		r, ok := a.request[id]
		if !ok {
			return issue.New("result_request", fmt.Sprintf(".completedRequestIds[%d]", i), "is %q, which is no request", id)
		}
		tr.Completed = append(tr.Completed, r)
	}
	b.TokensTo, b.CompletedTo = int32(len(tr.Tokens)), int32(len(tr.Completed))
	a.running = false
	a.assign(b)
	return nil
}

// assign gives the batch its template: equal batches share one, numbered in order
// of appearance.
func (a *assembler) assign(b *trace.ServingBatch) {
	tr, run := a.run.Trace, a.run
	key := templateKey{tokenWork: b.TokenWork, expectedOutput: b.ExpectedOutputTokens, finals: int64(b.CompletedTo - b.CompletedFrom)}
	for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
		if a.prompt[p.Request] == 0 {
			key.prompts++
		}
		a.prompt[p.Request] += p.Tokens
	}
	for i := b.DecodeFrom; i < b.DecodeTo; i++ {
		key.draft += int64(tr.Decode[i].ProposedAdditional)
		key.pipelineSteps += tr.Decode[i].TargetTokenWidth()
	}
	k, known := a.keys[key]
	if !known {
		k = int32(len(run.Templates))
		a.keys[key] = k
		run.Templates = append(run.Templates, serving.Template{Plan: &plan.Plan{}, Trace: &trace.Plan{}})
	}
	run.Templates[k].Occurrences++
	run.BatchPlans = append(run.BatchPlans, k)
}

// finish checks that the trace is complete and takes over the figures of the plans.
func (a *assembler) finish() error {
	run := a.run
	summary := a.d.batches == nil && !a.d.traced
	if a.running || len(a.d.batches) != len(run.Trace.Batches) && !summary {
		return issue.New("result_batches", "batches", "has %d entries for %d finished batches", len(a.d.batches), len(run.Trace.Batches))
	}
	for r := range run.Requests {
		if a.emitted[r] != run.Config.Requests[r].OutputTokens {
			return issue.New("result_request", fmt.Sprintf("serving.requests[%d]", r), "has %d token times and %d emissions",
				run.Config.Requests[r].OutputTokens, a.emitted[r])
		}
		run.Config.Requests[r].PromptTokens = a.prompt[r]
	}
	for i := range a.d.batches {
		e, t := &a.d.batches[i], &run.Templates[run.BatchPlans[i]]
		if e.BatchID != int64(i) {
			return issue.New("result_batches", fmt.Sprintf("batches[%d].batchId", i), "is %d", e.BatchID)
		}
		t.TopologyNs, t.Operations = e.TopologyDurationNs, e.OperationCounts
	}
	return nil
}
