package serving

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// CodeDeadlock is the code of a run that the KV pool has locked.
const CodeDeadlock = "kv_deadlock"

// Deadlock reports that requests are active and none of them can be granted a
// single KV position: whatever is still to arrive, nothing can run any more. The
// guard of contract 05 section 4.7 excludes it; a run admitted on free space alone
// can end in it.
type Deadlock struct {
	AtNs         int64
	BatchID      int64 // of the batch that could not be selected
	PoolKVTokens int64
	FreeKVTokens int64 // of the pool; too few for any of Blocked
	Completed    int64 // requests that were done before
	Blocked      []BlockedRequest

	// Trace is the lossless trace up to the last batch's finish; it has no terminal.
	// Of a run that streams it is the last window.
	Trace *trace.Serving
}

// BlockedRequest is an active request of a deadlock. Figures are KV positions.
type BlockedRequest struct {
	Request      int32 // index in the configuration
	ID           string
	Decoding     bool  // the prompt is done; false: it waits with prompt left
	HeldKV       int64 // kept until the request completes
	PromptLeft   int64 // prompt tokens without KV
	OutputLeft   int64 // tokens not emitted
	NeedKV       int64 // what it still takes until it completes
	EmittedSoFar int64
}

// Unwrap gives the refusal as an *issue.Error with CodeDeadlock.
func (d *Deadlock) Unwrap() error { return issue.New(CodeDeadlock, "", "%s", d.Error()) }

// shownBlocked is how many requests a message lists.
const shownBlocked = 8

// Error says who holds what and who waits for what.
func (d *Deadlock) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at %d ns, batch %d: %d of %d KV tokens are free and %s wait for more, each keeping what it holds:",
		d.AtNs, d.BatchID, d.FreeKVTokens, d.PoolKVTokens, quantity.Counted(int64(len(d.Blocked)), "request"))
	for i := range d.Blocked {
		if i == shownBlocked {
			fmt.Fprintf(&b, "; and %d more", len(d.Blocked)-shownBlocked)
			break
		}
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(" " + d.Blocked[i].String())
	}
	return b.String()
}

// String says what the request holds and what it waits for.
func (r *BlockedRequest) String() string {
	if r.Decoding {
		return fmt.Sprintf("%q holds %d and waits for 1 to decode (%d until it completes)", r.ID, r.HeldKV, r.NeedKV)
	}
	return fmt.Sprintf("%q holds %d and waits for %d of prompt (%d until it completes)", r.ID, r.HeldKV, r.PromptLeft, r.NeedKV)
}

// confirm has a deadlock checked by the independent replay before it is believed:
// the trace up to it follows the rules, and a selection at its end is empty. Other
// errors pass.
func (s *Scheduler) confirm(err error, est Estimator, spec servingreplay.Speculation) error {
	var d *Deadlock
	if !errors.As(err, &d) {
		return err
	}
	found, err := servingreplay.CheckDeadlock(servingreplay.Input{Config: s.cfg, Trace: d.Trace, Estimator: est, Speculation: spec})
	if err != nil {
		return err
	}
	return d.confirmed(found)
}

// confirmed compares the deadlock with what the replay found.
func (d *Deadlock) confirmed(found servingreplay.Deadlock) error {
	if found.AtNs != d.AtNs || found.FreeKVTokens != d.FreeKVTokens || found.Blocked != int64(len(d.Blocked)) {
		return issue.New("deadlock_replay", "", "a deadlock of %s at %d ns, free KV tokens: %d; the replay finds %d, %d ns and %d",
			quantity.Counted(int64(len(d.Blocked)), "request"), d.AtNs, d.FreeKVTokens, found.Blocked, found.AtNs, found.FreeKVTokens)
	}
	return d
}

// deadlock describes the state in which nothing was selected, in rank order.
func (e *engine) deadlock() error {
	d := &Deadlock{
		AtNs: e.kernel.Now(), BatchID: e.firstBatch + int64(len(e.tr.Batches)), PoolKVTokens: e.s.cfg.MaxKVTokens,
		FreeKVTokens: e.s.cfg.MaxKVTokens - e.kv, Completed: e.done, Trace: e.tr,
	}
	for i := range e.states {
		st := &e.states[i]
		if st.phase != waiting && st.phase != decoding {
			continue
		}
		d.Blocked = append(d.Blocked, BlockedRequest{
			Request: st.request, ID: e.tr.RequestIDs[st.request], Decoding: st.phase == decoding,
			HeldKV: st.kv, PromptLeft: st.prompt - st.promptDone, OutputLeft: st.output - st.emitted,
			NeedKV: st.need(), EmittedSoFar: st.emitted,
		})
	}
	return d
}
