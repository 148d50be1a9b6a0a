// Package samplerun makes serving runs by hand for the tests of the tables. Their
// figures follow from a few plain rules, so that a test can state every cell, and
// a run of millions of tokens is made in a moment. No simulation takes part.
package samplerun

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Small is a run with every shape: a request of one token, a chunked prompt, an
// id that needs escaping, an idle gap, speculative bursts, operations with one
// resource, several and none.
func Small() *serving.Run {
	b := newBuilder([]workload.Request{
		{ID: "a", ArrivalNs: 5, PromptTokens: 6, OutputTokens: 3},
		{ID: "b", ArrivalNs: 10, PromptTokens: 5, OutputTokens: 1, Priority: 2},
		{ID: `ü "<x>",`, ArrivalNs: 1000, PromptTokens: 4, OutputTokens: 5},
	})
	b.batch(10, 90, 0, prefill(0, 4), prefill(1, 5)) // b is done
	b.batch(100, 50, 1, prefill(0, 2))               // a's first token
	b.batch(150, 40, 1, decode(0))
	b.batch(190, 40, 1, decode(0)) // a is done; idle until 1000
	b.batch(1000, 90, 0, prefill(2, 4))
	b.batch(1090, 60, 0, speculate(2, 2, 1))
	b.batch(1150, 60, 0, decode(2))
	b.batch(1210, 60, 0, decode(2))
	return b.run()
}

// Large is a run of equally long requests that are all prefilled in the first
// batch and decode in step to the end.
func Large(requests, outputTokens int) *serving.Run {
	asked := make([]workload.Request, requests)
	for i := range asked {
		asked[i] = workload.Request{ID: fmt.Sprintf("request-%06d", i), PromptTokens: 8, OutputTokens: int64(outputTokens)}
	}
	b := newBuilder(asked)
	slices := make([]slice, requests)
	for i := range slices {
		slices[i] = prefill(int32(i), 8)
	}
	b.batch(0, 1000, 0, slices...)
	at := int64(1000)
	for step := 1; step < outputTokens; step++ {
		for i := range slices {
			slices[i] = decode(int32(i))
		}
		duration := int64(500 + step%7)
		b.batch(at, duration, step%2, slices...)
		at += duration
	}
	return b.run()
}

// slice is a chunk of a prompt or a decode step.
type slice struct {
	request            int32
	chunk              int64
	proposed, accepted int32
	burst              bool
}

func prefill(request int32, tokens int64) slice { return slice{request: request, chunk: tokens} }
func decode(request int32) slice                { return slice{request: request} }

// speculate is a decode step that proposes and accepts additional draft tokens and
// ends in a correction.
func speculate(request, proposed, accepted int32) slice {
	return slice{request: request, proposed: proposed, accepted: accepted, burst: true}
}

// builder keeps a trace consistent while batches are added in order of time.
type builder struct {
	requests []workload.Request
	tr       *trace.Serving
	plans    []int32
	prompt   []int64 // tokens of the prompt processed
	times    [][]int64
	kv       int64
	held     []int64
}

func newBuilder(requests []workload.Request) *builder {
	b := &builder{requests: requests, tr: &trace.Serving{}}
	for i := range requests {
		b.tr.RequestIDs = append(b.tr.RequestIDs, requests[i].ID)
	}
	b.prompt = make([]int64, len(requests))
	b.held = make([]int64, len(requests))
	b.times = make([][]int64, len(requests))
	return b
}

func (b *builder) batch(start, duration int64, template int, slices ...slice) {
	tr := b.tr
	batch := trace.ServingBatch{
		StartNs: start, DurationNs: duration, KVTokensBefore: b.kv,
		PrefillFrom: int32(len(tr.Prefill)), DecodeFrom: int32(len(tr.Decode)),
		TokensFrom: int32(len(tr.Tokens)), CompletedFrom: int32(len(tr.Completed)),
	}
	reserved := int64(0)
	for _, s := range slices {
		width := s.chunk
		if s.chunk > 0 {
			b.prefill(s, start+duration)
		} else {
			d := b.decode(s, start+duration)
			width = d.TargetTokenWidth()
		}
		batch.TokenWork += width
		reserved += width
		b.complete(s.request)
	}
	batch.TransientKVTokens = batch.KVTokensBefore + reserved
	batch.KVTokensAfter = b.kv
	batch.PrefillTo, batch.DecodeTo = int32(len(tr.Prefill)), int32(len(tr.Decode))
	batch.TokensTo, batch.CompletedTo = int32(len(tr.Tokens)), int32(len(tr.Completed))
	batch.ExpectedOutputTokens = int64(batch.TokensTo - batch.TokensFrom)
	tr.Batches = append(tr.Batches, batch)
	b.plans = append(b.plans, int32(template))
}

func (b *builder) prefill(s slice, finish int64) {
	b.tr.Prefill = append(b.tr.Prefill, trace.PrefillSlice{Request: s.request, Tokens: s.chunk})
	b.prompt[s.request] += s.chunk
	b.hold(s.request, s.chunk)
	if b.prompt[s.request] == b.requests[s.request].PromptTokens {
		b.emit(s.request, trace.SourcePrefill, finish)
	}
}

func (b *builder) decode(s slice, finish int64) *trace.DecodeSlice {
	d := trace.DecodeSlice{Request: s.request, Authoritative: 1}
	source := trace.SourceTargetDecode
	if s.burst {
		d.Mode, d.Outcome = trace.ModeSpeculative, trace.OutcomeCorrection
		d.ProposedAdditional, d.AcceptedAdditional = s.proposed, s.accepted
		source = trace.SourceSpeculativeAuthoritative
	}
	b.tr.Decode = append(b.tr.Decode, d)
	for range s.accepted {
		b.emit(s.request, trace.SourceSpeculativeAccepted, finish)
	}
	b.emit(s.request, source, finish)
	b.hold(s.request, d.CommittedTokens())
	return &d
}

func (b *builder) hold(request int32, tokens int64) {
	b.held[request] += tokens
	b.kv += tokens
}

func (b *builder) emit(request int32, source trace.TokenSource, at int64) {
	index := int32(len(b.times[request]))
	b.tr.Tokens = append(b.tr.Tokens, trace.TokenEmission{Request: request, Index: index, Source: source})
	b.times[request] = append(b.times[request], at)
}

// complete releases the KV of a request that has all its tokens.
func (b *builder) complete(request int32) {
	if int64(len(b.times[request])) < b.requests[request].OutputTokens {
		return
	}
	b.tr.Completed = append(b.tr.Completed, request)
	b.kv -= b.held[request]
	b.held[request] = 0
}

// run finishes the run. Requests are given in order of arrival.
func (b *builder) run() *serving.Run {
	run := &serving.Run{
		Config:            workload.Serving{Requests: b.requests},
		Trace:             b.tr,
		Templates:         templates(),
		BatchPlans:        b.plans,
		Confidence:        evidence.Heuristic,
		ContractRevisions: []serving.Revision{{Name: "plan", Revision: 5}, {Name: "servingTrace", Revision: 3}},
	}
	for i := range b.requests {
		times := b.times[i]
		from := int64(len(run.TokenTimes))
		run.TokenTimes = append(run.TokenTimes, times...)
		arrival, first, last := b.requests[i].ArrivalNs, times[0], times[len(times)-1]
		run.Requests = append(run.Requests, serving.RequestResult{
			Request: int32(i), ArrivalNs: arrival, FirstTokenNs: first, CompletedAtNs: last,
			TimeToFirstTokenNs: first - arrival, LatencyNs: last - arrival,
			TokensFrom: from, TokensTo: int64(len(run.TokenTimes)),
		})
	}
	run.Metrics = serving.Metrics{
		Requests: int64(len(b.requests)), Batches: int64(len(b.tr.Batches)), OutputTokens: int64(len(b.tr.Tokens)),
		ThroughputTokensPerSecond: 0.1, P95TimeToFirstTokenNs: 145,
	}
	run.Topology = serving.TopologyMetrics{
		ResourceObservationNs: 1265,
		ResourceUtilization: []serving.Utilization{
			{ResourceID: "compute:gpu-0", BusyNs: 400, CapacityLanes: 1, Utilization: 400.0 / 1265},
			{ResourceID: "link:gpu-0-gpu-1", BusyNs: 80, CapacityLanes: 2, Utilization: 80.0 / 2530},
			{ResourceID: "network:switch", BusyNs: 80, CapacityLanes: 1, Utilization: 80.0 / 1265},
		},
	}
	return run
}

// templates are two plans: a compute, a transfer and a collective; and a compute
// with a collective of one rank that reserves nothing.
func templates() []serving.Template {
	ranks := []string{"rank-0", "rank-1"}
	return []serving.Template{
		template([]plan.Step{
			{ID: 7, Operation: plan.Operation{Kind: plan.Compute, ComponentID: "decoder", PipelinePhase: "every_step"}},
			{ID: 9, Operation: plan.Operation{Kind: plan.Transfer}},
			{ID: 8, Operation: plan.Operation{Kind: plan.Collective}},
		}, []trace.Operation{
			{StepID: 7, Kind: plan.Compute, StartNs: 0, FinishNs: 30, Participants: ranks[:1],
				Resources: []trace.Reservation{{ResourceID: "compute:gpu-0"}}},
			{StepID: 9, Kind: plan.Transfer, SubmittedAtNs: 30, StartNs: 32, FinishNs: 40, Participants: ranks,
				Resources: []trace.Reservation{{ResourceID: "link:gpu-0-gpu-1", ResourceLane: 1}, {ResourceID: "network:switch"}}},
			{StepID: 8, Kind: plan.Collective, SubmittedAtNs: 40, StartNs: 40, FinishNs: 45, Participants: ranks,
				GroupID: "tp", CollectiveAlgorithm: plan.AllReduceRing,
				Resources: []trace.Reservation{{ResourceID: "link:gpu-0-gpu-1"}, {ResourceID: "network:switch"}, {ResourceID: "collective:tp"}}},
		}),
		template([]plan.Step{
			{ID: 1, Operation: plan.Operation{Kind: plan.Compute}},
			{ID: 2, Operation: plan.Operation{Kind: plan.Collective}},
		}, []trace.Operation{
			{StepID: 1, Kind: plan.Compute, StartNs: 0, FinishNs: 20, Participants: ranks[:1],
				Resources: []trace.Reservation{{ResourceID: "compute:gpu-0"}}},
			{StepID: 2, Kind: plan.Collective, SubmittedAtNs: 20, StartNs: 20, FinishNs: 20,
				GroupID: "alone", CollectiveAlgorithm: plan.AllToAllV},
		}),
	}
}

func template(steps []plan.Step, ops []trace.Operation) serving.Template {
	var counts serving.OperationCounts
	for i := range ops {
		ops[i].SourceSequence = int64(i)
		switch ops[i].Kind {
		case plan.Compute:
			counts.Compute++
		case plan.Transfer:
			counts.Transfer++
		case plan.Collective:
			counts.Collective++
		}
	}
	return serving.Template{
		Plan: &plan.Plan{Steps: steps}, Trace: &trace.Plan{Operations: ops},
		TopologyNs: ops[len(ops)-1].FinishNs, Operations: counts,
	}
}

// Window is a copy of batches [from, to) of a run, with ranges of its own, as an
// engine that streams hands them over.
func Window(run *serving.Run, from, to int) *trace.Serving {
	whole := run.Trace
	w := &trace.Serving{}
	for _, b := range whole.Batches[from:to] {
		prefill, decode, tokens, completed := b.PrefillFrom, b.DecodeFrom, b.TokensFrom, b.CompletedFrom
		b.PrefillFrom, b.DecodeFrom = int32(len(w.Prefill)), int32(len(w.Decode))
		b.TokensFrom, b.CompletedFrom = int32(len(w.Tokens)), int32(len(w.Completed))
		w.Prefill = append(w.Prefill, whole.Prefill[prefill:b.PrefillTo]...)
		w.Decode = append(w.Decode, whole.Decode[decode:b.DecodeTo]...)
		w.Tokens = append(w.Tokens, whole.Tokens[tokens:b.TokensTo]...)
		w.Completed = append(w.Completed, whole.Completed[completed:b.CompletedTo]...)
		b.PrefillTo, b.DecodeTo = int32(len(w.Prefill)), int32(len(w.Decode))
		b.TokensTo, b.CompletedTo = int32(len(w.Tokens)), int32(len(w.Completed))
		w.Batches = append(w.Batches, b)
	}
	return w
}
