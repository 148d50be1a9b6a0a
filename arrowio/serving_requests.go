package arrowio

import (
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// RequestsDeclaration declares the table requests.
var RequestsDeclaration = Declaration{
	Table: "requests", Revision: 1, Contract: servingContract,
	Description: "one row a request, by arrival_ns ascending, priority descending, request_id",
	Fields: []Field{
		{"request_id", Label, false, UnitID, "id of the request"},
		{"priority", Int64, true, UnitCount, "larger runs first; null when the run was read from a document that does not say"},
		{"arrival_ns", Int64, false, UnitNs, "arrival time"},
		{"prompt_tokens", Int64, false, UnitTokens, "length of the prompt"},
		{"output_tokens", Int64, false, UnitTokens, "number of tokens produced"},
		{"first_scheduled_ns", Int64, false, UnitNs, "start of the first batch that holds a chunk of the prompt"},
		{"queue_ns", Int64, false, UnitNs, "first_scheduled_ns minus arrival_ns"},
		{"first_token_ns", Int64, false, UnitNs, "time of the first token"},
		{"completed_at_ns", Int64, false, UnitNs, "time of the last token, when the KV of the request is released"},
		{"ttft_ns", Int64, false, UnitNs, definitionTTFT},
		{"latency_ns", Int64, false, UnitNs, definitionLatency},
		{"tpot_ns_per_token", Float64, true, UnitNsToken, definitionTPOT + " (then null)"},
		{"prefill_chunks", Int64, false, UnitCount, "number of batches that held a chunk of the prompt"},
		{"decode_steps", Int64, false, UnitCount, "number of batches that held a decode step"},
		{"peak_kv_tokens", Int64, false, UnitTokens, "largest KV extent of the request: prompt_tokens + output_tokens - 1"},
	},
	Definitions: []Definition{
		{"ttft", definitionTTFT}, {"tpot", definitionTPOT}, {"latency", definitionLatency},
		{"quantile", definitionQuantile},
	},
}

// schedule is how one request went through the batches.
type schedule struct {
	firstNs         int64
	chunks, decodes int64
}

// schedules walks the batches once and returns one entry a request, by its index
// in the configuration.
func (t *ServingTables) schedules() []schedule {
	if t.scheduled != nil {
		return t.scheduled
	}
	out := make([]schedule, len(t.run.Config.Requests))
	addSchedules(out, t.run.Trace)
	return out
}

// addSchedules walks the batches of a trace, or of its next window.
func addSchedules(out []schedule, tr *trace.Serving) {
	for b := range tr.Batches {
		batch := &tr.Batches[b]
		for _, p := range tr.Prefill[batch.PrefillFrom:batch.PrefillTo] {
			s := &out[p.Request]
			if s.chunks == 0 {
				s.firstNs = batch.StartNs
			}
			s.chunks++
		}
		for _, d := range tr.Decode[batch.DecodeFrom:batch.DecodeTo] {
			out[d.Request].decodes++
		}
	}
}

// Requests is the table requests.
func (t *ServingTables) Requests() *Table {
	run, sched := t.run, t.schedules()
	ints := func(value func(r *serving.RequestResult) int64) column { return intsOf(run.Requests, value) }
	asked := run.Config.Requests
	return t.table(&RequestsDeclaration, int64(len(run.Requests)),
		labelsOf(run.Requests, t.requestIDs(), func(r *serving.RequestResult) int32 { return r.Request }),
		optionalOf(run.Requests, func(r *serving.RequestResult) (int64, bool) { return asked[r.Request].Priority, !t.noPriorities }),
		ints(func(r *serving.RequestResult) int64 { return r.ArrivalNs }),
		ints(func(r *serving.RequestResult) int64 { return asked[r.Request].PromptTokens }),
		ints(func(r *serving.RequestResult) int64 { return asked[r.Request].OutputTokens }),
		ints(func(r *serving.RequestResult) int64 { return sched[r.Request].firstNs }),
		ints(func(r *serving.RequestResult) int64 { return sched[r.Request].firstNs - r.ArrivalNs }),
		ints(func(r *serving.RequestResult) int64 { return r.FirstTokenNs }),
		ints(func(r *serving.RequestResult) int64 { return r.CompletedAtNs }),
		ints(func(r *serving.RequestResult) int64 { return r.TimeToFirstTokenNs }),
		ints(func(r *serving.RequestResult) int64 { return r.LatencyNs }),
		column{floats: func(dst []float64, ok []bool, from int64) {
			for i := range dst {
				r := &run.Requests[from+int64(i)]
				gaps := asked[r.Request].OutputTokens - 1
				if ok[i] = gaps > 0; ok[i] { // a request completes with its last token
					dst[i] = float64(r.CompletedAtNs-r.FirstTokenNs) / float64(gaps)
				} else {
					dst[i] = 0
				}
			}
		}},
		ints(func(r *serving.RequestResult) int64 { return sched[r.Request].chunks }),
		ints(func(r *serving.RequestResult) int64 { return sched[r.Request].decodes }),
		ints(func(r *serving.RequestResult) int64 { return asked[r.Request].PeakKVTokens() }),
	)
}
