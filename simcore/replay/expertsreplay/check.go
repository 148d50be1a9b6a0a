package expertsreplay

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Input is a trace and what is known of its origin.
type Input struct {
	Trace *trace.Experts

	// Workload, when not nil, drove the cache alone: tokens, times and the initial
	// prefetch must then be those of contract 05 section 2.17.
	Workload *workload.ExpertWorkload

	// ConsecutiveTokens promises that routes count tokens from 0 without a gap, as
	// composed serving does (section 6.4). A Workload implies it.
	ConsecutiveTokens bool

	// EndNs is the time (ns) to which the cache was last advanced, when that is
	// later than its last event. Loads due until then must have completed. A
	// Workload implies its own end.
	EndNs int64
}

// Result is a trace that follows the rules.
type Result struct {
	AppliedEvents int64
	Snapshot      trace.ExpertSnapshot
}

// Rule names a rule that an event can break.
type Rule string

// The rules, in the order of contract 05 section 2.16.
const (
	RowOrder        Rule = "row_order"         // a table's rows are skipped, shared, left over or out of range
	TimeOrder       Rule = "time_order"        // time runs backwards or is no safe integer
	UnknownKind     Rule = "unknown_kind"      // no such kind, tier, trigger or load kind
	Initialization  Rule = "initialize"        // missing, repeated, or with an invalid configuration
	DecisionDue     Rule = "decision_due"      // a decision had to come first
	PrefetchDue     Rule = "prefetch_due"      // an adaptive prefetch had to come first
	LoadDue         Rule = "load_due"          // an eviction or a load had to come first
	CompletionDue   Rule = "completion_due"    // a load had to complete first
	RouteOpen       Rule = "route_open"        // another route is outstanding
	RouteIdentity   Rule = "route_identity"    // the request number is not the next one
	RouteArguments  Rule = "route_arguments"   // token index or topK is impossible, or not the workload's
	RouteSelection  Rule = "route_selection"   // the experts differ from the drawn ones
	RouteAdmission  Rule = "route_admission"   // the working set does not fit its partition
	PrefetchRequest Rule = "prefetch_request"  // ids, target, trigger or time are not possible
	PrefetchFit     Rule = "prefetch_fit"      // the request could not be reserved
	Decision        Rule = "prefetch_decision" // none is due, or token, time, routes or ids differ
	EvictionNeed    Rule = "eviction_need"     // nothing needs room in that tier and partition
	EvictionVictim  Rule = "eviction_victim"   // not the least recently used unprotected resident
	EvictionBytes   Rule = "eviction_bytes"    // other bytes than the expert's
	LoadIdentity    Rule = "load_identity"     // not the load that is due
	LoadBytes       Rule = "load_bytes"        // other bytes than the expert's
	LoadSource      Rule = "load_source"       // not the tier that holds the source copy
	LoadLatency     Rule = "load_latency"      // completion is not start plus latency
	LoadCapacity    Rule = "load_capacity"     // resident plus reserved would exceed the capacity
	Completion      Rule = "load_complete"     // not pending, out of turn, or other figures
	Retime          Rule = "load_retime"       // not pending, or impossible times
	AccessIdentity  Rule = "access_identity"   // not the outstanding route
	AccessTime      Rule = "access_time"       // requested, ready or stall do not agree
	AccessExperts   Rule = "access_experts"    // experts or source tiers differ, or one is not hot
	Overflow        Rule = "overflow"          // a count leaves the safe integers
	RouteUnfinished Rule = "route_unfinished"  // the trace ends within a route
	WorkloadEnd     Rule = "workload_end"      // more or fewer tokens than the workload has
	SnapshotDiffers Rule = "snapshot_mismatch" // the live state is another one
)

// Mismatch is the first event that breaks a rule. Index is the event's position,
// or the number of events when something is missing at the end.
type Mismatch struct {
	Index  int64
	Rule   Rule
	Detail string
	Cause  error // what validation of a configuration said, or nil
}

// Error states the event, the rule and the difference.
func (m *Mismatch) Error() string {
	s := fmt.Sprintf("expert cache trace: event %d breaks %s: %s", m.Index, m.Rule, m.Detail)
	if m.Cause != nil {
		s += ": " + m.Cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (m *Mismatch) Unwrap() error { return m.Cause }

// Check replays a trace. The error, when there is one, is a *Mismatch.
func Check(in Input) (Result, error) {
	r, err := CheckPrefix(in)
	if err != nil {
		return Result{}, err
	}
	return r.finish()
}

// Prefix is a trace whose events so far follow the rules; it need not be complete.
type Prefix struct{ c *checker }

// CheckPrefix replays a trace without asking whether anything is missing at its
// end. The error, when there is one, is a *Mismatch.
func CheckPrefix(in Input) (Prefix, error) {
	c := &checker{tr: in.Trace, workload: in.Workload, consecutive: in.ConsecutiveTokens, endNs: in.EndNs}
	for i := range in.Trace.Events {
		c.index = int64(i)
		if err := c.apply(in.Trace.Events[i]); err != nil {
			return Prefix{}, err
		}
	}
	c.index = int64(len(in.Trace.Events))
	return Prefix{c}, nil
}

// finish asks whether the trace may end here.
func (p Prefix) finish() (Result, error) {
	if err := p.c.end(); err != nil {
		return Result{}, err
	}
	return Result{AppliedEvents: p.c.index, Snapshot: p.c.snapshot()}, nil
}

// Confirm compares the replayed state with a live one. The error is a *Mismatch
// behind the last event.
func (r *Result) Confirm(live *trace.ExpertSnapshot) error {
	if d := r.Snapshot.Difference(live); d != "" {
		return &Mismatch{Index: r.AppliedEvents, Rule: SnapshotDiffers, Detail: "replayed and live state differ in " + d}
	}
	return nil
}

// bad makes the mismatch of the current event.
func (c *checker) bad(rule Rule, format string, args ...any) error {
	return &Mismatch{Index: c.index, Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// apply checks one event against the derived state and moves that state on.
func (c *checker) apply(ev trace.ExpertEvent) error {
	if (c.index == 0) != (ev.Kind == trace.ExpertInitialize) {
		return c.bad(Initialization, "%s at position %d; a trace begins with its only initialize event", ev.Kind, c.index)
	}
	if !quantity.IsCount(ev.AtNs) || ev.AtNs < c.now {
		return c.bad(TimeOrder, "%s at %d ns, after %d ns", ev.Kind, ev.AtNs, c.now)
	}
	if err := c.row(ev); err != nil {
		return err
	}
	if err := c.expected(ev); err != nil {
		return err
	}
	switch ev.Kind {
	case trace.ExpertInitialize:
		return c.initialize(ev)
	case trace.ExpertRouted:
		return c.route(ev)
	case trace.ExpertPrefetched:
		return c.prefetch(ev)
	case trace.ExpertDecided:
		return c.decision(ev)
	case trace.ExpertEvicted:
		return c.evict(ev)
	case trace.ExpertLoadStarted:
		return c.loadStart(ev)
	case trace.ExpertLoadRetimed:
		return c.loadRetime(ev)
	case trace.ExpertLoadCompleted:
		return c.loadComplete(ev)
	}
	return c.access(ev)
}

// row requires every table to be read from its first row to its last.
func (c *checker) row(ev trace.ExpertEvent) error {
	if ev.Kind == trace.ExpertInitialize {
		if ev.Ref != 0 {
			return c.bad(RowOrder, "initialize refers to row %d", ev.Ref)
		}
		return nil
	}
	if ev.Kind > trace.ExpertAccessed {
		return c.bad(UnknownKind, "kind %d", ev.Kind)
	}
	want := c.rows[ev.Kind]
	if ev.Ref != want || int(want) >= c.table(ev.Kind) {
		return c.bad(RowOrder, "%s refers to row %d of %d, want %d", ev.Kind, ev.Ref, c.table(ev.Kind), want)
	}
	c.rows[ev.Kind]++
	return nil
}

// table is the length of a kind's table.
func (c *checker) table(k trace.ExpertEventKind) int {
	switch k {
	case trace.ExpertRouted:
		return len(c.tr.Routes)
	case trace.ExpertPrefetched:
		return len(c.tr.Prefetches)
	case trace.ExpertDecided:
		return len(c.tr.Decisions)
	case trace.ExpertEvicted:
		return len(c.tr.Evictions)
	case trace.ExpertLoadStarted:
		return len(c.tr.Loads)
	case trace.ExpertLoadRetimed:
		return len(c.tr.Retimes)
	case trace.ExpertLoadCompleted:
		return len(c.tr.Completions)
	case trace.ExpertAccessed:
		return len(c.tr.Accesses)
	}
	return 0
}

// expected refuses an event when a certain other one has to come first.
func (c *checker) expected(ev trace.ExpertEvent) error {
	switch c.stage {
	case stageDecision:
		if ev.Kind != trace.ExpertDecided {
			return c.bad(DecisionDue, "%s, but a prefetch decision is due at %d ns", ev.Kind, c.now)
		}
	case stageAdaptive:
		if ev.Kind != trace.ExpertPrefetched {
			return c.bad(PrefetchDue, "%s, but an adaptive prefetch is due at %d ns", ev.Kind, c.now)
		}
	case stageLoading:
		if ev.Kind != trace.ExpertEvicted && ev.Kind != trace.ExpertLoadStarted {
			return c.bad(LoadDue, "%s, but a load of expert %s is due at %d ns", ev.Kind, c.id(c.due), c.now)
		}
	}
	return nil
}

// moveTo moves time to an event that the cache reached by advancing: whatever was
// due until then must have completed.
func (c *checker) moveTo(atNs int64) error {
	if len(c.pending) > 0 && c.pending[0].CompletesAtNs <= atNs {
		p := &c.pending[0]
		return c.bad(CompletionDue, "%s is due at %d ns, before %d ns", trace.LoadID(p.Load), p.CompletesAtNs, atNs)
	}
	c.now = atNs
	return nil
}

// end asks whether the trace may end here, and moves time to where the cache was
// left.
func (c *checker) end() error {
	switch {
	case c.index == 0:
		return c.bad(Initialization, "the trace is empty")
	case c.stage == stageDecision:
		return c.bad(DecisionDue, "the trace ends, but a prefetch decision is due at %d ns", c.now)
	case c.stage == stageAdaptive:
		return c.bad(PrefetchDue, "the trace ends, but an adaptive prefetch is due at %d ns", c.now)
	case c.stage == stageLoading:
		return c.bad(LoadDue, "the trace ends, but a load of expert %s is due at %d ns", c.id(c.due), c.now)
	case c.open != nil:
		return c.bad(RouteUnfinished, "the trace ends, but %s is outstanding", trace.RequestID(c.open.Request))
	}
	for k := trace.ExpertRouted; k <= trace.ExpertAccessed; k++ {
		if int(c.rows[k]) != c.table(k) {
			return c.bad(RowOrder, "%d rows of %s, events refer to %d", c.table(k), k, c.rows[k])
		}
	}
	until, err := c.workloadEnd()
	if err != nil {
		return err
	}
	if until > c.now {
		return c.moveTo(until)
	}
	return nil
}
