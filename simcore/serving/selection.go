package serving

import (
	"fmt"
	"math"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
)

// grant is the budget of a batch under selection (contract 05 section 4.4).
type grant struct {
	tokens    int64 // T: token budget left
	sequences int64 // S: sequence slots left
	reserved  int64 // R: KV reserved by this batch
}

// selectBatch selects the next batch at the current time and appends its slices
// to the trace; e.work describes it. Nothing was selected when it has no tokens.
func (e *engine) selectBatch() (trace.ServingBatch, error) {
	tr, work := e.tr, &e.work
	b := trace.ServingBatch{
		StartNs:        e.kernel.Now(),
		KVTokensBefore: e.kv,
		PrefillFrom:    int32(len(tr.Prefill)),
		DecodeFrom:     int32(len(tr.Decode)),
	}
	*work = trace.BatchWork{BatchID: e.firstBatch + int64(len(tr.Batches))}
	g := grant{tokens: e.s.cfg.MaxBatchTokens, sequences: e.s.cfg.MaxBatchSize}
	if err := e.decodePass(&g, work); err != nil {
		return b, err
	}
	e.prefillPass(&g, work)
	if max(len(tr.Batches), len(tr.Prefill), len(tr.Decode)) > math.MaxInt32-1 {
		return b, issue.New("trace_limit", "", "serving batch %d: the trace would hold more than %d batches or slices",
			work.BatchID, int64(math.MaxInt32-1))
	}
	b.PrefillTo, b.DecodeTo = int32(len(tr.Prefill)), int32(len(tr.Decode))
	b.TransientKVTokens = e.kv + g.reserved
	if b.TransientKVTokens > e.s.cfg.MaxKVTokens {
		return b, issue.New("kv_overcommitted", "", "serving batch %d: %d transient KV tokens exceed the pool of %d",
			work.BatchID, b.TransientKVTokens, e.s.cfg.MaxKVTokens)
	}
	work.TokenWork = e.s.cfg.MaxBatchTokens - g.tokens
	work.Prefill = tr.Prefill[b.PrefillFrom:b.PrefillTo]
	work.Decode = tr.Decode[b.DecodeFrom:b.DecodeTo]
	b.TokenWork, b.ExpectedOutputTokens = work.TokenWork, work.ExpectedOutputTokens
	return b, nil
}

// free is the KV that is neither held nor reserved.
func (e *engine) free(g *grant) int64 { return e.s.cfg.MaxKVTokens - e.kv - g.reserved }

// decodePass grants one step to each decoding request, in rank order, whose claim
// fits: under the guard, its whole outstanding need.
func (e *engine) decodePass(g *grant, work *trace.BatchWork) error {
	for _, rank := range e.decoding {
		if g.sequences == 0 || g.tokens == 0 {
			return nil
		}
		st, free := &e.states[rank], e.free(g)
		if e.claim(st) > free {
			continue
		}
		d, err := e.propose(st, min(g.tokens, free))
		if err != nil {
			return err
		}
		e.tr.Decode = push(e.tr.Decode, d)
		width, committed := d.TargetTokenWidth(), d.CommittedTokens()
		g.reserved += width
		g.tokens -= width
		g.sequences--
		work.VerificationTokens += width
		work.DraftTokens += int64(d.ProposedAdditional)
		work.ExpectedOutputTokens += committed
		if st.emitted+committed == st.output {
			work.FinalInvocations++
		}
	}
	return nil
}

// propose decides a decode step of at most width rows.
func (e *engine) propose(st *requestState, width int64) (trace.DecodeSlice, error) {
	if e.opts.Speculation == nil {
		return trace.TargetOnlySlice(st.request), nil
	}
	remaining := st.output - st.emitted
	d, err := e.opts.Speculation.Propose(st.request, st.emitted, remaining, width)
	if err != nil {
		return d, fmt.Errorf("serving request %q: %w", e.tr.RequestIDs[st.request], err)
	}
	if c := d.CommittedTokens(); d.Request != st.request || d.TargetTokenWidth() > width || c < 1 || c > remaining {
		return d, issue.New("invalid_proposal", "",
			"serving request %q: a step of width %d committing %d tokens exceeds its limits (width %d, remaining %d)",
			e.tr.RequestIDs[st.request], d.TargetTokenWidth(), c, width, remaining)
	}
	return d, nil
}

// prefillPass grants a chunk to each waiting request, in rank order, whose claim
// fits. The guard leaves room for the entire prompt, so KV never shortens a chunk;
// without it, free space does.
func (e *engine) prefillPass(g *grant, work *trace.BatchWork) {
	for from := int32(0); g.sequences > 0 && g.tokens > 0; {
		rank, ok := e.prompts.next(from, e.free(g))
		if !ok {
			return
		}
		from = rank + 1
		st := &e.states[rank]
		tokens := min(st.prompt-st.promptDone, e.s.cfg.PrefillChunkTokens, g.tokens, e.free(g))
		e.tr.Prefill = push(e.tr.Prefill, trace.PrefillSlice{Tokens: tokens, Request: st.request})
		g.reserved += tokens
		g.tokens -= tokens
		g.sequences--
		if !st.promptWasTouched {
			work.PromptInvocations++
		}
		if st.promptDone+tokens == st.prompt {
			work.ExpectedOutputTokens++
			if st.output == 1 {
				work.FinalInvocations++
			}
		}
	}
}
