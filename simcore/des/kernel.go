// Package des is the deterministic event kernel: an ordered queue, cancellation,
// run bounds, and the availability timelines of contended resources. It is the
// only owner of simulated time and knows nothing of tokens, devices or plans.
//
// In go payloads with a time; out come the same payloads, one at a time, ordered
// by (timestampNs, sequence), where the sequence is the order of insertion. There
// is no wall clock and no randomness, so a schedule is a function of its input.
//
// Contract 01 sections 2.1 to 2.4 (kernel trace contract revision 1); contract 03
// section 6 for lanes.
package des

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// DefaultMaxEvents is the event budget of a run that names none.
const DefaultMaxEvents int64 = 1_000_000

// Event is one scheduled occurrence.
type Event[E any] struct {
	ID          int64 // positive, never reused
	TimestampNs int64 // when it fires
	Sequence    int64 // insertion order, from 0
	Payload     E
}

// Code names a fatal scenario error.
type Code string

// The fatal errors of the kernel.
const (
	InvalidTimestamp   Code = "invalid_timestamp"
	PastTimestamp      Code = "past_timestamp"
	InvalidDelay       Code = "invalid_delay"
	TimestampOverflow  Code = "timestamp_overflow"
	InvalidEventID     Code = "invalid_event_id"
	DuplicateEventID   Code = "duplicate_event_id"
	IdentityExhausted  Code = "identity_exhausted"
	InvalidDeadline    Code = "invalid_deadline"
	InvalidEventLimit  Code = "invalid_event_limit"
	EventLimitExceeded Code = "event_limit_exceeded"
	KernelClosed       Code = "kernel_closed"
)

// FatalError ends a run for good: after it the kernel accepts nothing more.
type FatalError struct {
	Code  Code
	NowNs int64 // the clock when it happened
	Value int64 // the offending time, delay, id or limit
}

// Error states the rule that was broken and the offending value.
func (e *FatalError) Error() string {
	return fmt.Sprintf("event kernel: %s (value %d, clock %d ns)", e.Code, e.Value, e.NowNs)
}

// Bounds limit a run. The zero value means no deadline and DefaultMaxEvents; a
// deadline of 0 ns is written with HasDeadline.
type Bounds struct {
	UntilNs     int64 // inclusive deadline, used when HasDeadline is set
	HasDeadline bool
	MaxEvents   int64 // events that may fire in this run; 0 means DefaultMaxEvents
}

// RunResult counts what a run or a step did.
type RunResult struct {
	ProcessedEvents        int64
	SkippedCancelledEvents int64
	NowNs                  int64
	PendingEvents          int64 // not yet popped, cancelled ones included
}

// Kernel owns the clock and the queue. The zero value is not usable; call New.
type Kernel[E any] struct {
	queue   []Event[E] // binary heap by (TimestampNs, Sequence)
	now     int64
	nextSeq int64
	lastID  int64
	states  stateTable
	fired   int64
	fatal   *FatalError
}

// New returns a kernel at time 0 with an empty queue.
func New[E any]() *Kernel[E] { return &Kernel[E]{} }

// Now is the clock in ns: the time of the last fired event.
func (k *Kernel[E]) Now() int64 { return k.now }

// Pending counts events that were scheduled and not yet popped, cancelled ones
// included.
func (k *Kernel[E]) Pending() int64 { return int64(len(k.queue)) }

// Fired counts events that fired since the kernel was made.
func (k *Kernel[E]) Fired() int64 { return k.fired }

// Scheduled counts events that were ever scheduled.
func (k *Kernel[E]) Scheduled() int64 { return k.nextSeq }

// Fatal returns the error that closed the kernel, or nil.
func (k *Kernel[E]) Fatal() *FatalError { return k.fatal }

// Next returns the time of the earliest event that will fire, and false when no
// live event is queued. Cancelled heads are looked past, not popped.
func (k *Kernel[E]) Next() (timestampNs int64, ok bool) {
	if len(k.queue) == 0 {
		return 0, false
	}
	if k.states.get(k.queue[0].ID) != cancelled {
		return k.queue[0].TimestampNs, true
	}
	for i := range k.queue {
		e := &k.queue[i]
		if k.states.get(e.ID) != cancelled && (!ok || e.TimestampNs < timestampNs) {
			timestampNs, ok = e.TimestampNs, true
		}
	}
	return timestampNs, ok
}

// ScheduleAt queues payload at absolute time t (ns, not before the clock) and
// returns the new event's id.
func (k *Kernel[E]) ScheduleAt(t int64, payload E) (int64, error) {
	if err := k.checkTime(t); err != nil {
		return 0, err
	}
	if k.lastID >= quantity.MaxSafe {
		return 0, k.fail(IdentityExhausted, k.lastID)
	}
	return k.push(k.lastID+1, t, payload), nil
}

// ScheduleAfter queues payload d ns after the clock and returns its id.
func (k *Kernel[E]) ScheduleAfter(d int64, payload E) (int64, error) {
	if k.fatal != nil {
		return 0, k.closed()
	}
	if !quantity.IsCount(d) {
		return 0, k.fail(InvalidDelay, d)
	}
	t, err := quantity.Add(k.now, d)
	if err != nil {
		return 0, k.fail(TimestampOverflow, d)
	}
	return k.ScheduleAt(t, payload)
}

// ScheduleAs queues payload at time t under an id of the caller's choice, which
// must be positive and never used before, whatever became of its holder.
func (k *Kernel[E]) ScheduleAs(id, t int64, payload E) error {
	if k.fatal != nil {
		return k.closed()
	}
	if !quantity.IsPositive(id) {
		return k.fail(InvalidEventID, id)
	}
	if k.states.get(id) != unknown {
		return k.fail(DuplicateEventID, id)
	}
	if err := k.checkTime(t); err != nil {
		return err
	}
	k.push(id, t, payload)
	return nil
}

// Cancel marks a queued event so that it is skipped when it comes up. It answers
// true exactly when the id is queued and not cancelled yet; unknown, fired and
// already cancelled ids answer false.
func (k *Kernel[E]) Cancel(id int64) (bool, error) {
	if k.fatal != nil {
		return false, k.closed()
	}
	if !quantity.IsPositive(id) {
		return false, k.fail(InvalidEventID, id)
	}
	if k.states.get(id) != queued {
		return false, nil
	}
	k.states.set(id, cancelled)
	return true, nil
}

// Run fires events in order until the queue is empty, the head lies beyond the
// inclusive deadline, or a handler or the budget ends it. The clock stays at the
// last fired event; it does not move to the deadline. Skipped cancelled events
// move no time and use no budget.
func (k *Kernel[E]) Run(b Bounds, handle func(Event[E]) error) (RunResult, error) {
	if k.fatal != nil {
		return RunResult{}, k.closed()
	}
	until, limit := quantity.MaxSafe, b.MaxEvents
	if b.HasDeadline {
		until = b.UntilNs
	}
	if !quantity.IsCount(until) {
		return RunResult{}, k.fail(InvalidDeadline, until)
	}
	if limit == 0 {
		limit = DefaultMaxEvents
	}
	if !quantity.IsPositive(limit) {
		return RunResult{}, k.fail(InvalidEventLimit, limit)
	}
	var r RunResult
	for len(k.queue) > 0 && k.queue[0].TimestampNs <= until {
		if k.states.get(k.queue[0].ID) == cancelled {
			k.pop()
			r.SkippedCancelledEvents++
			continue
		}
		if r.ProcessedEvents == limit {
			return k.sum(r), k.fail(EventLimitExceeded, limit)
		}
		r.ProcessedEvents++
		if err := k.fire(handle); err != nil {
			return k.sum(r), err
		}
	}
	return k.sum(r), nil
}

// Step fires the next live event, popping cancelled ones before it, and reports
// whether there was one. It knows no deadline and no budget.
func (k *Kernel[E]) Step(handle func(Event[E]) error) (advanced bool, r RunResult, err error) {
	if k.fatal != nil {
		return false, r, k.closed()
	}
	for len(k.queue) > 0 && k.states.get(k.queue[0].ID) == cancelled {
		k.pop()
		r.SkippedCancelledEvents++
	}
	if len(k.queue) == 0 {
		return false, k.sum(r), nil
	}
	r.ProcessedEvents = 1
	err = k.fire(handle)
	return true, k.sum(r), err
}

func (k *Kernel[E]) fire(handle func(Event[E]) error) error {
	e := k.pop()
	k.now = e.TimestampNs
	k.states.set(e.ID, popped)
	k.fired++
	if err := handle(e); err != nil {
		return err
	}
	if k.fatal != nil { // the handler swallowed a kernel error; it stays fatal
		return k.fatal
	}
	return nil
}

func (k *Kernel[E]) sum(r RunResult) RunResult {
	r.NowNs, r.PendingEvents = k.now, int64(len(k.queue))
	return r
}

func (k *Kernel[E]) checkTime(t int64) error {
	switch {
	case k.fatal != nil:
		return k.closed()
	case !quantity.IsCount(t):
		return k.fail(InvalidTimestamp, t)
	case t < k.now:
		return k.fail(PastTimestamp, t)
	}
	return nil
}

func (k *Kernel[E]) fail(code Code, value int64) error {
	k.fatal = &FatalError{Code: code, NowNs: k.now, Value: value}
	return k.fatal
}

func (k *Kernel[E]) closed() error {
	return &FatalError{Code: KernelClosed, NowNs: k.now, Value: k.fatal.Value}
}

func (k *Kernel[E]) push(id, t int64, payload E) int64 {
	k.states.set(id, queued)
	k.lastID = max(k.lastID, id)
	k.queue = append(k.queue, Event[E]{ID: id, TimestampNs: t, Sequence: k.nextSeq, Payload: payload})
	k.nextSeq++
	for i := len(k.queue) - 1; i > 0; {
		parent := (i - 1) / 2
		if !k.before(i, parent) {
			break
		}
		k.queue[i], k.queue[parent] = k.queue[parent], k.queue[i]
		i = parent
	}
	return id
}

func (k *Kernel[E]) pop() Event[E] {
	head, last := k.queue[0], len(k.queue)-1
	k.states.set(head.ID, popped)
	k.queue[0] = k.queue[last]
	k.queue[last] = Event[E]{} // release what the payload refers to
	k.queue = k.queue[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && k.before(child+1, child) {
			child++
		}
		if !k.before(child, i) {
			break
		}
		k.queue[i], k.queue[child] = k.queue[child], k.queue[i]
		i = child
	}
	return head
}

func (k *Kernel[E]) before(i, j int) bool {
	a, b := &k.queue[i], &k.queue[j]
	if a.TimestampNs != b.TimestampNs {
		return a.TimestampNs < b.TimestampNs
	}
	return a.Sequence < b.Sequence
}
