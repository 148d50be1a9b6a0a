package servingreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/trace"
)

// batchStart: the next batch, at the only possible time, with the derived
// members, totals, duration and KV figures.
func (c *checker) batchStart(ev trace.ServingEvent) error {
	if c.running {
		return c.bad(BatchOverlap, "batch %d is running", c.batches-1)
	}
	id := c.firstBatch + int64(ev.Ref)
	if id != c.batches || int(ev.Ref) >= len(c.tr.Batches) {
		return c.bad(BatchIdentity, "batch %d, want %d of %d", id, c.batches, c.firstBatch+int64(len(c.tr.Batches)))
	}
	b := &c.tr.Batches[ev.Ref]
	if !c.startDue || ev.AtNs != c.now || b.StartNs != ev.AtNs {
		return c.bad(BatchStartTime, "batch %d at %d ns (event at %d ns), want %d ns after a finish or an arrival that ended idleness",
			id, b.StartNs, ev.AtNs, c.now)
	}
	if err := c.missedArrival(ev.AtNs); err != nil {
		return err
	}
	reserved, err := c.derive()
	if err != nil {
		return err
	}
	work := &c.work
	if err := c.compareMembers(id, b); err != nil {
		return err
	}
	switch {
	case b.TokenWork != work.TokenWork || b.ExpectedOutputTokens != work.ExpectedOutputTokens:
		return c.bad(BatchTotals, "batch %d has token work %d and expects %d tokens, want %d and %d",
			id, b.TokenWork, b.ExpectedOutputTokens, work.TokenWork, work.ExpectedOutputTokens)
	case b.KVTokensBefore != c.held:
		return c.bad(KVBefore, "batch %d starts with %d KV tokens, want %d", id, b.KVTokensBefore, c.held)
	case b.TransientKVTokens != c.held+reserved || b.TransientKVTokens > c.cfg.MaxKVTokens:
		return c.bad(TransientKV, "batch %d takes %d KV tokens, want %d of %d",
			id, b.TransientKVTokens, c.held+reserved, c.cfg.MaxKVTokens)
	}
	return c.begin(ev, b)
}

// begin asks the estimator and marks the batch as running.
func (c *checker) begin(ev trace.ServingEvent, b *trace.ServingBatch) error {
	duration, err := c.est.Duration(&c.work, ev.AtNs)
	if err != nil {
		return &Mismatch{Index: c.index, Rule: EstimatorFailure, Detail: "the estimator refuses the batch", Cause: err}
	}
	if b.DurationNs != duration || duration < 1 {
		return c.bad(BatchDuration, "batch %d lasts %d ns, want %d ns", c.batches, b.DurationNs, duration)
	}
	c.running, c.finishNs = true, ev.AtNs+duration
	c.startDue, c.startAfterFinish = false, false
	c.prefillAt, c.decodeAt = b.PrefillTo, b.DecodeTo
	c.batches++
	return nil
}

// compareMembers compares a batch's rows with the derived selection.
func (c *checker) compareMembers(id int64, b *trace.ServingBatch) error {
	if b.PrefillFrom != c.prefillAt || b.PrefillTo < b.PrefillFrom || int(b.PrefillTo) > len(c.tr.Prefill) ||
		b.DecodeFrom != c.decodeAt || b.DecodeTo < b.DecodeFrom || int(b.DecodeTo) > len(c.tr.Decode) {
		return c.bad(BatchRange, "batch %d: prefill rows [%d, %d), decode rows [%d, %d); the previous batch ended at %d and %d",
			id, b.PrefillFrom, b.PrefillTo, b.DecodeFrom, b.DecodeTo, c.prefillAt, c.decodeAt)
	}
	if !slices.Equal(c.tr.Prefill[b.PrefillFrom:b.PrefillTo], c.prefill) {
		return c.bad(BatchSelection, "batch %d: prefill slices differ from the selection", id)
	}
	if !slices.Equal(c.tr.Decode[b.DecodeFrom:b.DecodeTo], c.decode) {
		return c.bad(BatchSelection, "batch %d: decode slices differ from the selection", id)
	}
	return nil
}

// derive selects the next batch into the scratch slices, describes it in c.work
// and returns the KV it reserves.
func (c *checker) derive() (int64, error) {
	c.prefill, c.decode = c.prefill[:0], c.decode[:0]
	c.work = trace.BatchWork{BatchID: c.batches}
	work := &c.work
	slots, budget, pool := c.cfg.MaxBatchSize, c.cfg.MaxBatchTokens, c.cfg.MaxKVTokens-c.held
	for _, place := range c.decoders {
		if slots == 0 || budget == 0 {
			break
		}
		i := c.place[place]
		r, output := &c.requests[i], c.cfg.Requests[i].OutputTokens
		if c.asks(output-r.written) > pool {
			continue
		}
		step, err := c.step(i, min(budget, pool))
		if err != nil {
			return 0, err
		}
		rows := step.TargetTokenWidth()
		c.decode = append(c.decode, step)
		slots, budget, pool = slots-1, budget-rows, pool-rows
		work.VerificationTokens += rows
		work.DraftTokens += int64(step.ProposedAdditional)
		work.ExpectedOutputTokens += step.CommittedTokens()
		if r.written+step.CommittedTokens() == output {
			work.FinalInvocations++
		}
	}
	for place := c.queue.after(0, pool); place >= 0 && slots > 0 && budget > 0; place = c.queue.after(place+1, pool) {
		i := c.place[place]
		r, cfg := &c.requests[i], &c.cfg.Requests[i]
		chunk := min(cfg.PromptTokens-r.processed, c.cfg.PrefillChunkTokens, budget, pool)
		c.prefill = append(c.prefill, trace.PrefillSlice{Request: i, Tokens: chunk})
		slots, budget, pool = slots-1, budget-chunk, pool-chunk
		if r.chunks == 0 {
			work.PromptInvocations++
		}
		if r.processed+chunk == cfg.PromptTokens {
			work.ExpectedOutputTokens++
			if cfg.OutputTokens == 1 {
				work.FinalInvocations++
			}
		}
	}
	work.Prefill, work.Decode = c.prefill, c.decode
	work.TokenWork = c.cfg.MaxBatchTokens - budget
	return c.cfg.MaxKVTokens - c.held - pool, nil
}

// step derives one decode step.
func (c *checker) step(i int32, width int64) (trace.DecodeSlice, error) {
	if c.spec == nil {
		return trace.DecodeSlice{Request: i, Authoritative: 1, Mode: trace.ModeTargetOnly, Outcome: trace.OutcomeTargetOnly}, nil
	}
	r := &c.requests[i]
	step, err := c.spec.Derive(i, r.written, c.cfg.Requests[i].OutputTokens-r.written, width)
	if err != nil {
		return step, &Mismatch{Index: c.index, Rule: Transaction,
			Detail: "request " + c.tr.RequestIDs[i], Cause: err}
	}
	return step, nil
}
