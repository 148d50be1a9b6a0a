package servingreplay

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Estimator answers, a second time, how long a batch lasts (ns). An estimator that
// kept the first answer must also check that work and start time are the same.
type Estimator interface {
	Duration(work *trace.BatchWork, startNs int64) (int64, error)
}

// Speculation derives decode steps again, from acceptance cursors and transactions
// of its own. A nil Speculation expects target-only steps.
type Speculation interface {
	// Derive plans and decides the next granted step of a request.
	Derive(request int32, emitted, remaining, width int64) (trace.DecodeSlice, error)
	// Settle runs the step's transaction when its batch finishes.
	Settle(step *trace.DecodeSlice, kvTokens int64) error
}

// Input is all that a check needs. Config must have passed serving validation.
type Input struct {
	Config      workload.Serving
	Trace       *trace.Serving
	Estimator   Estimator
	Speculation Speculation
}

// Result counts a trace that follows the rules.
type Result struct {
	AppliedEvents     int64
	CompletedRequests int64
	FinalKVTokens     int64
}

// Rule names a rule that an event can break.
type Rule string

// The rules, in the order of contract 05 section 4.11.
const (
	RequestTable     Rule = "request_table"      // the id table differs from the configuration
	TimeOrder        Rule = "time_order"         // time runs backwards or is no safe integer
	AfterTerminal    Rule = "after_terminal"     // an event or row follows the terminal
	UnknownKind      Rule = "unknown_kind"       // no such event kind
	UnknownRequest   Rule = "unknown_request"    // arrival of a request that does not exist
	ArrivalRepeated  Rule = "arrival_repeated"   // arrival of a request that has arrived
	ArrivalTime      Rule = "arrival_time"       // arrival at another time than configured
	ArrivalOrder     Rule = "arrival_order"      // an earlier arrival is missing
	BatchOverlap     Rule = "batch_overlap"      // a batch starts while one runs
	BatchIdentity    Rule = "batch_identity"     // not the next batch, or not the running one
	BatchRange       Rule = "batch_range"        // rows are skipped, shared or missing
	BatchSelection   Rule = "batch_selection"    // membership differs from the derived selection
	BatchTotals      Rule = "batch_totals"       // token work or expected output differs
	BatchStartTime   Rule = "batch_start_time"   // late, early or without cause
	BatchDuration    Rule = "batch_duration"     // differs from the estimator's
	KVBefore         Rule = "kv_before"          // KV held at the start differs
	TransientKV      Rule = "transient_kv"       // KV reserved differs or exceeds the pool
	BatchFinishTime  Rule = "batch_finish_time"  // finish is not start plus duration
	Transaction      Rule = "transaction"        // a speculative transaction does not hold
	EmittedTokens    Rule = "emitted_tokens"     // emissions differ
	CompletedIDs     Rule = "completed_requests" // completions or their order differ
	KVAfter          Rule = "kv_after"           // KV held after the finish differs
	TerminalState    Rule = "terminal_state"     // not all completed, or KV still held
	TerminalCounts   Rule = "terminal_counts"    // the terminal's figures differ
	MissingTerminal  Rule = "missing_terminal"   // the trace ends without a terminal
	EstimatorFailure Rule = "estimator"          // the estimator refused the batch
	NoDeadlock       Rule = "no_deadlock"        // the trace is said to end locked and does not
)

// Mismatch is the first event that breaks a rule. Index is the event's position,
// or the number of events when something is missing at the end.
type Mismatch struct {
	Index  int64
	Rule   Rule
	Detail string
	Cause  error // what the estimator or a transaction said, or nil
}

// Error states the event, the rule and the difference.
func (m *Mismatch) Error() string {
	s := fmt.Sprintf("serving trace: event %d breaks %s: %s", m.Index, m.Rule, m.Detail)
	if m.Cause != nil {
		s += ": " + m.Cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (m *Mismatch) Unwrap() error { return m.Cause }

// Check replays a trace. The error, when there is one, is a *Mismatch.
func Check(in Input) (Result, error) {
	c := newChecker(in)
	if err := c.checkAll(in.Trace); err != nil {
		return Result{}, err
	}
	return c.result()
}

// result is that of a trace whose events have all been applied.
func (c *checker) result() (Result, error) {
	if !c.ended {
		return Result{}, c.bad(MissingTerminal, "the trace ends without a terminal event")
	}
	return Result{AppliedEvents: c.index, CompletedRequests: c.completed, FinalKVTokens: c.held}, nil
}

// checkAll applies every event of a whole trace.
func (c *checker) checkAll(tr *trace.Serving) error {
	c.tr = tr
	if err := c.checkTable(); err != nil {
		return err
	}
	return c.events()
}

// events applies every event of the window.
func (c *checker) events() error {
	for i := range c.tr.Events {
		c.index = c.firstEvent + int64(i)
		if err := c.apply(c.tr.Events[i]); err != nil {
			return err
		}
	}
	c.index = c.firstEvent + int64(len(c.tr.Events))
	return nil
}

// bad makes the mismatch of the current event.
func (c *checker) bad(rule Rule, format string, args ...any) error {
	return &Mismatch{Index: c.index, Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

func (c *checker) checkTable() error {
	ids := c.tr.RequestIDs
	if len(ids) != len(c.cfg.Requests) {
		return c.bad(RequestTable, "%d request ids, want %d", len(ids), len(c.cfg.Requests))
	}
	for i := range ids {
		if ids[i] != c.cfg.Requests[i].ID {
			return c.bad(RequestTable, "request %d is %q, want %q", i, ids[i], c.cfg.Requests[i].ID)
		}
	}
	return nil
}

// apply checks one event against the derived state and moves that state on.
func (c *checker) apply(ev trace.ServingEvent) error {
	switch {
	case c.ended:
		return c.bad(AfterTerminal, "%s after the terminal event", kindName(ev.Kind))
	case ev.AtNs < c.now || !quantity.IsCount(ev.AtNs):
		return c.bad(TimeOrder, "at %d ns, after %d ns", ev.AtNs, c.now)
	}
	if c.startDue && ev.Kind != trace.ServingBatchStart && ev.Kind != trace.ServingArrival {
		return c.bad(BatchStartTime, "%s, but a batch starts at %d ns", kindName(ev.Kind), c.now)
	}
	var err error
	switch ev.Kind {
	case trace.ServingArrival:
		err = c.arrival(ev)
	case trace.ServingBatchStart:
		err = c.batchStart(ev)
	case trace.ServingBatchFinish:
		err = c.batchFinish(ev)
	case trace.ServingTerminal:
		err = c.terminal(ev)
	default:
		err = c.bad(UnknownKind, "kind %d", ev.Kind)
	}
	c.now = ev.AtNs
	return err
}

// kindName spells a kind that may be none.
func kindName(k trace.ServingEventKind) string {
	if k > trace.ServingTerminal {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return k.String()
}

// arrival: the next request of the arrival order, at its configured time.
func (c *checker) arrival(ev trace.ServingEvent) error {
	if ev.Ref < 0 || int(ev.Ref) >= len(c.cfg.Requests) {
		return c.bad(UnknownRequest, "request %d of %d", ev.Ref, len(c.cfg.Requests))
	}
	r := &c.requests[ev.Ref]
	id, want := c.tr.RequestIDs[ev.Ref], c.cfg.Requests[ev.Ref].ArrivalNs
	switch {
	case r.arrived:
		return c.bad(ArrivalRepeated, "request %q has arrived already", id)
	case ev.AtNs != want:
		return c.bad(ArrivalTime, "request %q at %d ns, want %d ns", id, ev.AtNs, want)
	case c.order[c.arrivedCount] != ev.Ref:
		return c.bad(ArrivalOrder, "request %q before %q", id, c.tr.RequestIDs[c.order[c.arrivedCount]])
	case c.running && ev.AtNs > c.finishNs:
		return c.bad(BatchFinishTime, "request %q at %d ns, but the running batch ends at %d ns", id, ev.AtNs, c.finishNs)
	case c.startDue && (c.startAfterFinish || ev.AtNs != c.now):
		return c.bad(BatchStartTime, "request %q arrives, but a batch starts at %d ns", id, c.now)
	}
	r.arrived = true
	c.arrivedCount++
	c.queue.put(c.placeOf[ev.Ref], c.asks(c.outstanding(ev.Ref)))
	if !c.running {
		c.startDue = true
	}
	return nil
}

// missedArrival reports whether a request should have arrived by now. Arrivals of
// a nanosecond come before everything else of it.
func (c *checker) missedArrival(at int64) error {
	if c.arrivedCount < len(c.order) {
		next := c.order[c.arrivedCount]
		if c.cfg.Requests[next].ArrivalNs <= at {
			return c.bad(ArrivalOrder, "request %q should have arrived at %d ns",
				c.tr.RequestIDs[next], c.cfg.Requests[next].ArrivalNs)
		}
	}
	return nil
}

// terminal: everything has arrived, completed and been released.
func (c *checker) terminal(ev trace.ServingEvent) error {
	t := c.tr
	switch {
	case c.running:
		return c.bad(TerminalState, "batch %d is running", c.batches-1)
	case c.completed != int64(len(c.requests)):
		return c.bad(TerminalState, "%d of %d requests are completed", c.completed, len(c.requests))
	case c.held != 0:
		return c.bad(TerminalState, "%d KV tokens are held", c.held)
	case ev.AtNs != c.now:
		return c.bad(TerminalState, "at %d ns, want %d ns", ev.AtNs, c.now)
	case ev.Ref != 0:
		return c.bad(TerminalState, "refers to row %d", ev.Ref)
	case t.CompletedRequests != c.completed || t.TotalOutputTokens != c.emitted || t.FinalKVTokens != 0:
		return c.bad(TerminalCounts, "%d requests, %d tokens, %d KV tokens; want %d, %d, 0",
			t.CompletedRequests, t.TotalOutputTokens, t.FinalKVTokens, c.completed, c.emitted)
	}
	if err := c.everyRowUsed(); err != nil {
		return err
	}
	c.ended = true
	return nil
}

// everyRowUsed refuses rows beyond those that events refer to.
func (c *checker) everyRowUsed() error {
	t := c.tr
	if int64(len(t.Batches)) != c.batches-c.firstBatch || len(t.Prefill) != int(c.prefillAt) || len(t.Decode) != int(c.decodeAt) ||
		len(t.Tokens) != int(c.tokenAt) || len(t.Completed) != int(c.completedAt) {
		return c.bad(AfterTerminal, "the tables hold rows that no event refers to")
	}
	return nil
}
