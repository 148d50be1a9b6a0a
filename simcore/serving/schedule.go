package serving

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/des"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ErrInterrupted is returned when Options.Interrupted said so.
var ErrInterrupted = errors.New("serving: interrupted")

// Options are what a run may be given beside its configuration. The zero value is
// complete. None of them changes a result.
type Options struct {
	// Speculation decides decode steps; nil decodes target-only.
	Speculation Speculation

	// Progress, when set, is called now and then, and once at the end, with the
	// number of completed requests, the number of requests and the clock in ns.
	Progress func(done, total, nowNs int64)

	// Interrupted, when set, is asked now and then; true stops the run with
	// ErrInterrupted.
	Interrupted func() bool

	windows *windows // where the trace goes piece by piece; nil: it is kept
}

// batchesPerReport is how many batches pass between two progress reports.
const batchesPerReport = 256

// occurrence is the payload of a kernel event.
type occurrence struct {
	kind    occurrenceKind
	request int32 // arrivals only
}

type occurrenceKind uint8

const (
	arrival occurrenceKind = iota
	dispatch
	batchFinish
)

// phase is the state of a request (contract 05 section 4.2). A request that is
// being prefilled counts as waiting: batches do not overlap, so nobody asks.
type phase uint8

const (
	unarrived phase = iota
	waiting
	decoding
	completed
)

// requestState is the live state of one request; states are kept in rank order.
type requestState struct {
	prompt, output   int64
	promptDone       int64
	emitted          int64
	kv               int64
	request          int32 // index in the configuration
	promptWasTouched bool  // a prefill slice was in an earlier batch
	phase            phase
}

// need is the KV that the request will still take until it completes.
func (s *requestState) need() int64 { return s.prompt + s.output - 1 - s.kv }

// claim is the KV that must be free before the request is granted any: all that it
// still needs under the guard, one position without it.
func (e *engine) claim(s *requestState) int64 {
	if e.s.cfg.Admission == workload.AdmitUnguarded {
		return 1
	}
	return s.need()
}

// engine is the state of one run.
type engine struct {
	s      *Scheduler
	est    Estimator
	opts   Options
	kernel *des.Kernel[occurrence]
	tr     *trace.Serving // whole, or the window under way

	firstBatch, firstToken int64 // of the window; 0 without windows

	states   []requestState // by rank
	decoding []int32        // ranks in state decoding, ascending
	prompts  needIndex      // ranks in state waiting

	work           trace.BatchWork // of the batch under selection
	kv             int64           // K: the sum of the requests' extents
	arrived, done  int64
	running        bool // the last batch of the trace is running
	dispatchQueued bool // a dispatch is queued for this nanosecond
}

// Schedule runs the configuration to its terminal event and returns the trace.
//
// It fails when the estimator fails or gives no positive safe integer, when a time
// leaves the safe integers, when the event budget is exceeded, or when the options
// interrupt it; the message names the batch or the request. Without the admission
// guard it may fail with a *Deadlock, which holds the trace up to there.
func (s *Scheduler) Schedule(est Estimator, opts Options) (*trace.Serving, error) {
	e := newEngine(s, est, opts)
	for _, r := range s.arrivals {
		if _, err := e.kernel.ScheduleAt(s.cfg.Requests[r].ArrivalNs, occurrence{arrival, r}); err != nil {
			return nil, fmt.Errorf("serving: request %q: %w", s.cfg.Requests[r].ID, err)
		}
	}
	if _, err := e.kernel.Run(des.Bounds{MaxEvents: s.cfg.MaxEvents}, e.handle); err != nil {
		return nil, e.explain(err)
	}
	if opts.Progress != nil {
		opts.Progress(e.done, int64(len(e.states)), e.kernel.Now())
	}
	return e.tr, nil
}

func newEngine(s *Scheduler, est Estimator, opts Options) *engine {
	n := len(s.cfg.Requests)
	e := &engine{
		s: s, est: est, opts: opts,
		kernel:  des.New[occurrence](),
		tr:      &trace.Serving{RequestIDs: make([]string, n)},
		states:  make([]requestState, n),
		prompts: newNeedIndex(n),
	}
	for i := range s.cfg.Requests {
		e.tr.RequestIDs[i] = s.cfg.Requests[i].ID
	}
	for rank, i := range s.byRank {
		r := &s.cfg.Requests[i]
		e.states[rank] = requestState{prompt: r.PromptTokens, output: r.OutputTokens, request: i}
	}
	tokens := expectedRows(s.outputTokens)
	if opts.windows != nil {
		tokens = min(tokens, opts.windows.tokens)
	}
	e.tr.Tokens = make([]trace.TokenEmission, 0, tokens)
	e.tr.Decode = make([]trace.DecodeSlice, 0, tokens)
	e.tr.Completed = make([]int32, 0, n)
	return e
}

// expectedRows is a capacity for that many rows, within reason: a budget may end
// the run long before a large figure of the configuration is reached.
func expectedRows(rows int64) int { return int(min(rows, 1<<22)) }

// push appends a row and doubles the table when it is full: long tables would
// otherwise grow by a quarter and be copied several times over.
func push[T any](table []T, row T) []T {
	if len(table) == cap(table) {
		table = slices.Grow(table, max(len(table), 256))
	}
	return append(table, row)
}

// explain names the budget that a kernel error stands for.
func (e *engine) explain(err error) error {
	var fatal *des.FatalError
	if errors.As(err, &fatal) && fatal.Code == des.EventLimitExceeded {
		return issue.New("event_limit_exceeded", "serving.max_events",
			"the run needs more than %d events: %d of %d requests are completed at %d ns",
			e.s.cfg.MaxEvents, e.done, len(e.states), e.kernel.Now())
	}
	return err
}

func (e *engine) handle(ev des.Event[occurrence]) error {
	switch ev.Payload.kind {
	case arrival:
		return e.arrive(ev.Payload.request)
	case dispatch:
		e.dispatchQueued = false
		if e.running {
			return nil
		}
		return e.startBatch()
	default:
		return e.finishBatch()
	}
}

// arrive makes a request wait. The dispatch that it may queue has a larger
// sequence than every arrival of this nanosecond, all of which were inserted
// before the run: it selects when all of them are waiting.
func (e *engine) arrive(request int32) error {
	rank := e.s.rankOf[request]
	st := &e.states[rank]
	st.phase = waiting
	e.arrived++
	e.prompts.set(rank, e.claim(st))
	e.record(trace.ServingArrival, request)
	if e.running || e.dispatchQueued {
		return nil
	}
	e.dispatchQueued = true
	_, err := e.kernel.ScheduleAt(e.kernel.Now(), occurrence{kind: dispatch})
	return err
}

func (e *engine) record(kind trace.ServingEventKind, ref int32) {
	e.tr.Events = push(e.tr.Events, trace.ServingEvent{AtNs: e.kernel.Now(), Ref: ref, Kind: kind})
}

// startBatch selects a batch and starts it, or leaves the machine idle when no
// request is active.
func (e *engine) startBatch() error {
	b, err := e.selectBatch()
	if err != nil {
		return err
	}
	work := &e.work
	if work.TokenWork == 0 {
		if e.done < e.arrived {
			return e.deadlock()
		}
		return nil
	}
	b.DurationNs, err = e.est.Duration(work, b.StartNs)
	if err != nil {
		return fmt.Errorf("serving batch %d: %w", work.BatchID, err)
	}
	if !quantity.IsPositive(b.DurationNs) {
		return issue.New("invalid_duration", "", "serving batch %d: estimated duration %d ns is not a positive safe integer",
			work.BatchID, b.DurationNs)
	}
	if _, err = e.kernel.ScheduleAfter(b.DurationNs, occurrence{kind: batchFinish}); err != nil {
		return fmt.Errorf("serving batch %d: its finish: %w", work.BatchID, err)
	}
	e.tr.Batches = push(e.tr.Batches, b)
	e.running = true
	e.record(trace.ServingBatchStart, int32(work.BatchID-e.firstBatch))
	return e.report(work.BatchID)
}

// report calls the sparse callbacks.
func (e *engine) report(batch int64) error {
	if batch%batchesPerReport != 0 {
		return nil
	}
	if e.opts.Interrupted != nil && e.opts.Interrupted() {
		return ErrInterrupted
	}
	if e.opts.Progress != nil {
		e.opts.Progress(e.done, int64(len(e.states)), e.kernel.Now())
	}
	return nil
}

// finishBatch applies the running batch: prefill slices first, then decode slices,
// each in slice order (contract 05 section 4.6).
func (e *engine) finishBatch() error {
	id := int32(len(e.tr.Batches) - 1)
	b := &e.tr.Batches[id]
	b.TokensFrom, b.CompletedFrom = int32(len(e.tr.Tokens)), int32(len(e.tr.Completed))
	if int64(len(e.tr.Tokens))+b.ExpectedOutputTokens > math.MaxInt32 {
		return issue.New("trace_limit", "", "serving batch %d: the trace would hold more than %d token emissions",
			e.firstBatch+int64(id), int64(math.MaxInt32))
	}
	for i := b.PrefillFrom; i < b.PrefillTo; i++ {
		e.finishPrefill(&e.tr.Prefill[i])
	}
	before := len(e.tr.Completed)
	for i := b.DecodeFrom; i < b.DecodeTo; i++ {
		if err := e.finishDecode(&e.tr.Decode[i]); err != nil {
			return err
		}
	}
	if len(e.tr.Completed) > before {
		e.decoding = slices.DeleteFunc(e.decoding, func(rank int32) bool {
			return e.states[rank].phase == completed
		})
	}
	b.TokensTo, b.CompletedTo, b.KVTokensAfter = int32(len(e.tr.Tokens)), int32(len(e.tr.Completed)), e.kv
	e.running = false
	e.record(trace.ServingBatchFinish, id)
	if e.done == int64(len(e.states)) {
		return e.terminate()
	}
	if w := e.opts.windows; w != nil && len(e.tr.Tokens) >= w.tokens {
		if err := e.handOver(); err != nil {
			return err
		}
	}
	return e.startBatch()
}

func (e *engine) terminate() error {
	if e.kv != 0 {
		return issue.New("kv_leak", "", "all requests are completed and %d KV tokens are still held", e.kv)
	}
	e.tr.CompletedRequests = e.done
	e.tr.TotalOutputTokens = e.firstToken + int64(len(e.tr.Tokens))
	e.tr.FinalKVTokens = e.kv
	e.record(trace.ServingTerminal, 0)
	if e.opts.windows != nil {
		return e.handOver()
	}
	return nil
}

// finishPrefill applies a chunk. The last one of a prompt emits the first output
// token, which adds no KV position.
func (e *engine) finishPrefill(p *trace.PrefillSlice) {
	rank := e.s.rankOf[p.Request]
	st := &e.states[rank]
	st.promptDone += p.Tokens
	st.promptWasTouched = true
	st.kv += p.Tokens
	e.kv += p.Tokens
	if st.promptDone < st.prompt {
		e.prompts.set(rank, e.claim(st))
		return
	}
	e.prompts.set(rank, absent)
	e.emit(st, trace.SourcePrefill)
	if st.emitted == st.output {
		e.complete(st)
		return
	}
	st.phase = decoding
	at, _ := slices.BinarySearch(e.decoding, rank)
	e.decoding = slices.Insert(e.decoding, at, rank)
}

// finishDecode commits a decode step and emits its burst.
func (e *engine) finishDecode(d *trace.DecodeSlice) error {
	st := &e.states[e.s.rankOf[d.Request]]
	if e.opts.Speculation != nil {
		if err := e.opts.Speculation.Commit(d, st.kv); err != nil {
			return fmt.Errorf("serving request %q: %w", e.tr.RequestIDs[d.Request], err)
		}
	}
	committed := d.CommittedTokens()
	st.kv += committed
	e.kv += committed
	for offset := range committed {
		e.emit(st, d.TokenSourceOf(offset))
	}
	if st.emitted == st.output {
		e.complete(st)
	}
	return nil
}

func (e *engine) emit(st *requestState, source trace.TokenSource) {
	e.tr.Tokens = push(e.tr.Tokens, trace.TokenEmission{
		Request: st.request, Index: int32(st.emitted), Source: source})
	st.emitted++
}

// complete releases the request's whole extent at once.
func (e *engine) complete(st *requestState) {
	st.phase = completed
	e.kv -= st.kv
	st.kv = 0
	e.done++
	e.tr.Completed = append(e.tr.Completed, st.request)
}
