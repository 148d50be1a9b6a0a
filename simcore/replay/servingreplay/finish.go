package servingreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/trace"
)

// batchFinish: the running batch, at its end, with the derived effects. The
// derived selection of its start is still in the scratch slices.
func (c *checker) batchFinish(ev trace.ServingEvent) error {
	id := c.firstBatch + int64(ev.Ref)
	if !c.running || id != c.batches-1 {
		return c.bad(BatchIdentity, "batch %d is not running", id)
	}
	if ev.AtNs != c.finishNs {
		return c.bad(BatchFinishTime, "batch %d at %d ns, want %d ns", id, ev.AtNs, c.finishNs)
	}
	if err := c.missedArrival(ev.AtNs); err != nil {
		return err
	}
	b := &c.tr.Batches[ev.Ref]
	if b.TokensFrom != c.tokenAt || b.TokensTo < b.TokensFrom || int(b.TokensTo) > len(c.tr.Tokens) ||
		b.CompletedFrom != c.completedAt || b.CompletedTo < b.CompletedFrom || int(b.CompletedTo) > len(c.tr.Completed) {
		return c.bad(BatchRange, "batch %d: token rows [%d, %d), completed rows [%d, %d); the previous batch ended at %d and %d",
			id, b.TokensFrom, b.TokensTo, b.CompletedFrom, b.CompletedTo, c.tokenAt, c.completedAt)
	}
	out := outcome{
		c: c, id: id,
		tokens: c.tr.Tokens[b.TokensFrom:b.TokensTo],
		gone:   c.tr.Completed[b.CompletedFrom:b.CompletedTo],
	}
	if err := out.apply(); err != nil {
		return err
	}
	if b.KVTokensAfter != c.held {
		return c.bad(KVAfter, "batch %d leaves %d KV tokens, want %d", id, b.KVTokensAfter, c.held)
	}
	c.tokenAt, c.completedAt = b.TokensTo, b.CompletedTo
	c.running = false
	c.startDue = int64(c.arrivedCount) > c.completed
	c.startAfterFinish = c.startDue
	return nil
}

// outcome walks what a batch claims to have emitted and completed while the
// derived effects are applied.
type outcome struct {
	c      *checker
	id     int64
	tokens []trace.TokenEmission // claimed and not matched yet
	gone   []int32               // claimed and not matched yet
}

func (o *outcome) apply() error {
	c := o.c
	for _, p := range c.prefill {
		if err := o.prefill(p); err != nil {
			return err
		}
	}
	for i := range c.decode {
		if err := o.decode(&c.decode[i]); err != nil {
			return err
		}
	}
	switch {
	case len(o.tokens) > 0:
		return c.bad(EmittedTokens, "batch %d emits %d tokens too many", o.id, len(o.tokens))
	case len(o.gone) > 0:
		return c.bad(CompletedIDs, "batch %d completes %d requests too many", o.id, len(o.gone))
	}
	c.decoders = slices.DeleteFunc(c.decoders, func(place int32) bool {
		return c.requests[c.place[place]].finished
	})
	return nil
}

func (o *outcome) prefill(p trace.PrefillSlice) error {
	c := o.c
	r := &c.requests[p.Request]
	r.chunks++
	r.processed += p.Tokens
	r.extent += p.Tokens
	c.held += p.Tokens
	place := c.placeOf[p.Request]
	if r.processed < c.cfg.Requests[p.Request].PromptTokens {
		c.queue.put(place, c.asks(c.outstanding(p.Request)))
		return nil
	}
	c.queue.put(place, nobody)
	at, _ := slices.BinarySearch(c.decoders, place)
	c.decoders = slices.Insert(c.decoders, at, place)
	return o.emit(p.Request, trace.SourcePrefill)
}

func (o *outcome) decode(d *trace.DecodeSlice) error {
	c := o.c
	r := &c.requests[d.Request]
	if c.spec != nil {
		if err := c.spec.Settle(d, r.extent); err != nil {
			return &Mismatch{Index: c.index, Rule: Transaction,
				Detail: "request " + c.tr.RequestIDs[d.Request], Cause: err}
		}
	}
	burst := int64(d.Guaranteed) + int64(d.AcceptedAdditional) + int64(d.Authoritative)
	r.extent += burst
	c.held += burst
	for offset := range burst {
		if err := o.emit(d.Request, sourceOf(d, offset)); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf reads the table of contract 05 section 4.6.
func sourceOf(d *trace.DecodeSlice, offset int64) trace.TokenSource {
	if d.Mode != trace.ModeSpeculative || d.Outcome == trace.OutcomeTargetOnly {
		return trace.SourceTargetDecode
	}
	if d.Guaranteed == 1 && offset == 0 {
		return trace.SourceTargetGuaranteed
	}
	if offset < int64(d.Guaranteed)+int64(d.AcceptedAdditional) {
		return trace.SourceSpeculativeAccepted
	}
	return trace.SourceSpeculativeAuthoritative
}

// emit matches the next claimed token and, after a request's last one, the next
// claimed completion.
func (o *outcome) emit(i int32, source trace.TokenSource) error {
	c := o.c
	r, total := &c.requests[i], c.cfg.Requests[i].OutputTokens
	want := trace.TokenEmission{Request: i, Index: int32(r.written), Source: source}
	if r.written >= total || len(o.tokens) == 0 || o.tokens[0] != want {
		return c.bad(EmittedTokens, "batch %d: token %d of request %q (%s) differs",
			o.id, r.written, c.tr.RequestIDs[i], source)
	}
	o.tokens = o.tokens[1:]
	r.written++
	c.emitted++
	if r.written < total {
		return nil
	}
	if len(o.gone) == 0 || o.gone[0] != i {
		return c.bad(CompletedIDs, "batch %d: completion of request %q differs", o.id, c.tr.RequestIDs[i])
	}
	o.gone = o.gone[1:]
	r.finished = true
	c.completed++
	c.held -= r.extent
	r.extent = 0
	return nil
}
