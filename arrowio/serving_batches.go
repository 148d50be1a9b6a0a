package arrowio

import (
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// BatchesDeclaration declares the table batches.
var BatchesDeclaration = Declaration{
	Table: "batches", Revision: 1, Contract: servingContract,
	Description: "one row a batch, by batch_id, which is also the order of time; batches never overlap",
	Fields: []Field{
		{"batch_id", Int64, false, UnitID, "id of the batch, from 0"},
		{"start_ns", Int64, false, UnitNs, "start time"},
		{"duration_ns", Int64, false, UnitNs, "modeled duration: foreground duration of the batch's plan"},
		{"finish_ns", Int64, false, UnitNs, "finish time, at which its tokens are emitted"},
		{"idle_before_ns", Int64, false, UnitNs, "time without a batch before this one; 0 for the first"},
		{"prefill_sequences", Int64, false, UnitCount, "requests with a chunk of prompt in the batch"},
		{"decode_sequences", Int64, false, UnitCount, "requests with a decode step in the batch"},
		{"prefill_tokens", Int64, false, UnitTokens, "prompt tokens processed"},
		{"decode_rows", Int64, false, UnitTokens, "rows of the decode steps: sum of their target token widths"},
		{"token_work", Int64, false, UnitTokens, "prefill_tokens + decode_rows"},
		{"expected_output_tokens", Int64, false, UnitTokens, "output tokens that the selection expected"},
		{"emitted_tokens", Int64, false, UnitTokens, "output tokens emitted at the finish"},
		{"completed_requests", Int64, false, UnitCount, "requests completed at the finish"},
		{"kv_tokens_before", Int64, false, UnitTokens, "KV held before the batch"},
		{"transient_kv_tokens", Int64, false, UnitTokens, "KV held and reserved while the batch runs"},
		{"kv_tokens_after", Int64, false, UnitTokens, "KV held after the batch and its completions"},
		{"template", Int64, false, UnitID, "compiled plan that the batch used; equal batches share one"},
		{"plan_steps", Int64, false, UnitCount, "steps of that plan"},
		{"topology_duration_ns", Int64, false, UnitNs, "duration of the whole plan, background work included"},
	},
}

// Batches is the table batches.
func (t *ServingTables) Batches() *Table {
	run, tr := t.run, t.run.Trace
	ints := func(value func(b *trace.ServingBatch) int64) column { return intsOf(tr.Batches, value) }
	byRow := func(value func(row int64) int64) column {
		return column{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = value(from + int64(i))
			}
		}}
	}
	prefill := func(b *trace.ServingBatch) (sum int64) {
		for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
			sum += p.Tokens
		}
		return sum
	}
	return t.table(&BatchesDeclaration, int64(len(tr.Batches)),
		byRow(func(row int64) int64 { return t.firstBatch + row }),
		ints(func(b *trace.ServingBatch) int64 { return b.StartNs }),
		ints(func(b *trace.ServingBatch) int64 { return b.DurationNs }),
		ints(func(b *trace.ServingBatch) int64 { return b.FinishNs() }),
		byRow(func(row int64) int64 {
			switch {
			case row > 0:
				return tr.Batches[row].StartNs - tr.Batches[row-1].FinishNs()
			case t.firstBatch > 0:
				return tr.Batches[row].StartNs - t.finishedNs
			}
			return 0
		}),
		ints(func(b *trace.ServingBatch) int64 { return int64(b.PrefillTo - b.PrefillFrom) }),
		ints(func(b *trace.ServingBatch) int64 { return int64(b.DecodeTo - b.DecodeFrom) }),
		ints(prefill),
		ints(func(b *trace.ServingBatch) int64 { return b.TokenWork - prefill(b) }),
		ints(func(b *trace.ServingBatch) int64 { return b.TokenWork }),
		ints(func(b *trace.ServingBatch) int64 { return b.ExpectedOutputTokens }),
		ints(func(b *trace.ServingBatch) int64 { return int64(b.TokensTo - b.TokensFrom) }),
		ints(func(b *trace.ServingBatch) int64 { return int64(b.CompletedTo - b.CompletedFrom) }),
		ints(func(b *trace.ServingBatch) int64 { return b.KVTokensBefore }),
		ints(func(b *trace.ServingBatch) int64 { return b.TransientKVTokens }),
		ints(func(b *trace.ServingBatch) int64 { return b.KVTokensAfter }),
		byRow(func(row int64) int64 { return int64(run.BatchPlans[row]) }),
		byRow(func(row int64) int64 { return planSteps(&run.Templates[run.BatchPlans[row]]) }),
		byRow(func(row int64) int64 { return run.Templates[run.BatchPlans[row]].TopologyNs }),
	)
}

// planSteps is the number of operations of a template, each of which is a step.
func planSteps(t *serving.Template) int64 {
	return t.Operations.Compute + t.Operations.Transfer + t.Operations.Collective
}
