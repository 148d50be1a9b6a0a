package kvreplay

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Code names a rule that an event can break.
type Code string

// The codes, in the order of the contract.
const (
	EmptyTrace           Code = "empty_trace"
	ContractRevision     Code = "contract_revision" // documents only, like the next two
	SourceID             Code = "source_id"
	SourceSequence       Code = "source_sequence"
	UnknownKind          Code = "unknown_kind"
	InitializePosition   Code = "initialize_position"
	MalformedEvent       Code = "malformed_event"
	InitializeMismatch   Code = "initialize_mismatch"
	InvalidTokens        Code = "invalid_tokens"
	LengthOverflow       Code = "length_overflow"
	LengthMismatch       Code = "length_mismatch"
	CheckpointActive     Code = "checkpoint_active"
	CheckpointMismatch   Code = "checkpoint_mismatch"
	ReleasedPages        Code = "released_pages_mismatch"
	PageCount            Code = "page_count_mismatch"
	CapacityExceeded     Code = "capacity_exceeded"
	PageIdentityReused   Code = "page_identity_reused" // used before, or empty
	InvariantPagesLength Code = "PagesMatchLength"
)

// Mismatch is the first event that breaks a rule.
type Mismatch struct {
	Index  int64 // of the event
	Code   Code
	Detail string
}

// Error states event, rule and difference.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("paged KV trace: event %d breaks %s: %s", m.Index, m.Code, m.Detail)
}

// Result is the state after the last event that follows the rules.
type Result struct {
	AppliedEvents int64
	Snapshot      trace.PagedKVSnapshot
	Metrics       trace.PagedKVMetrics
}

// Check replays a trace against a valid configuration. The error, when there is
// one, is a *Mismatch; the result then is the state before the offending event.
func Check(cfg workload.PagedKV, t *trace.PagedKV) (Result, error) {
	c := newChecker(cfg, t)
	if len(t.Events) == 0 {
		return c.result(), c.bad(EmptyTrace, "there is no event")
	}
	for c.index = range t.Events {
		if err := c.apply(&t.Events[c.index]); err != nil {
			return c.result(), err
		}
	}
	c.index = len(t.Events)
	return c.result(), nil
}

func newChecker(cfg workload.PagedKV, t *trace.PagedKV) *checker {
	return &checker{cfg: cfg, t: t, mostPages: cfg.CapacityBytes / (cfg.PageSizeTokens * cfg.BytesPerToken)}
}

// checker is the derived state. Live pages are a list of runs; a page number that
// was never seen is larger than all that were.
type checker struct {
	cfg       workload.PagedKV
	t         *trace.PagedKV
	mostPages int64
	index     int

	tokens, peak     int64 // length now and at most
	generation       int64
	pages            []trace.PageRun
	pageCount        int64
	highestPage      int64
	highestSnapshot  int64 // checkpoint number
	open             bool
	number, baseline int64 // of the open checkpoint
	m                trace.PagedKVMetrics
}

func (c *checker) bad(code Code, format string, args ...any) error {
	return &Mismatch{Index: int64(c.index), Code: code, Detail: fmt.Sprintf(format, args...)}
}

// needed is the number of pages for so many tokens.
func (c *checker) needed(tokens int64) int64 {
	n := tokens / c.cfg.PageSizeTokens
	if tokens%c.cfg.PageSizeTokens != 0 {
		n++
	}
	return n
}

func (c *checker) apply(e *trace.PagedKVEvent) error {
	if e.RunsFrom < 0 || e.RunsTo < e.RunsFrom || int(e.RunsTo) > len(c.t.Runs) {
		return c.bad(MalformedEvent, "page runs [%d, %d) of %d", e.RunsFrom, e.RunsTo, len(c.t.Runs))
	}
	if e.Kind > trace.PagedKVCommit {
		return c.bad(UnknownKind, "kind %d", e.Kind)
	}
	if (c.index == 0) != (e.Kind == trace.PagedKVInitialize) {
		return c.bad(InitializePosition, "%s at this place", e.Kind)
	}
	var err error
	switch e.Kind {
	case trace.PagedKVInitialize:
		err = c.initialize(e)
	case trace.PagedKVAppend:
		err = c.append(e)
	case trace.PagedKVCheckpoint:
		err = c.checkpoint(e)
	case trace.PagedKVRestore:
		err = c.restore(e)
	default:
		err = c.commit(e)
	}
	if err != nil {
		return err
	}
	if c.pageCount != c.needed(c.tokens) {
		return c.bad(InvariantPagesLength, "%d live pages for %d tokens", c.pageCount, c.tokens)
	}
	return nil
}

func (c *checker) initialize(e *trace.PagedKVEvent) error {
	got := c.t.Config
	if got.SequenceID != c.cfg.SequenceID || got.PageSizeTokens != c.cfg.PageSizeTokens || got.BytesPerToken != c.cfg.BytesPerToken ||
		got.CapacityBytes != c.cfg.CapacityBytes || e.FinalTokens != c.cfg.InitialTokenLength {
		return c.bad(InitializeMismatch, "the payload differs from the configuration")
	}
	return c.grow(e, e.FinalTokens)
}

func (c *checker) append(e *trace.PagedKVEvent) error {
	if !quantity.IsCount(e.Tokens) {
		return c.bad(InvalidTokens, "%d tokens", e.Tokens)
	}
	after := c.tokens + e.Tokens
	if !quantity.IsSafe(after) {
		return c.bad(LengthOverflow, "%d + %d tokens", c.tokens, e.Tokens)
	}
	if e.BaseTokens != c.tokens || e.FinalTokens != after {
		return c.bad(LengthMismatch, "from %d to %d tokens, want from %d to %d", e.BaseTokens, e.FinalTokens, c.tokens, after)
	}
	if err := c.grow(e, after); err != nil {
		return err
	}
	c.m.Appends++
	c.m.AppendedTokens += e.Tokens
	return nil
}

// grow moves to a length and adds the event's pages: as many as are missing, within
// the pool, never seen before. Nothing is changed by pages that break a rule.
func (c *checker) grow(e *trace.PagedKVEvent, after int64) error {
	fresh, err := c.fresh(e, after)
	if err != nil {
		return err
	}
	for _, run := range c.t.Runs[e.RunsFrom:e.RunsTo] {
		c.highestPage = run.First + run.Count - 1
		c.pages = append(c.pages, run)
	}
	c.tokens, c.peak = after, max(c.peak, after)
	c.pageCount += fresh
	c.m.PagesAllocated += fresh
	c.m.PeakLivePages = max(c.m.PeakLivePages, c.pageCount)
	return nil
}

// fresh counts the event's pages and checks them.
func (c *checker) fresh(e *trace.PagedKVEvent, after int64) (int64, error) {
	runs := c.t.Runs[e.RunsFrom:e.RunsTo]
	var fresh int64
	for _, run := range runs {
		if run.Count < 1 || run.First < 1 {
			return 0, c.bad(MalformedEvent, "a run of %d pages from %d", run.Count, run.First)
		}
		fresh += run.Count
	}
	if want := c.needed(after) - c.pageCount; fresh != want {
		return 0, c.bad(PageCount, "%d pages are allocated, want %d", fresh, want)
	}
	if c.pageCount+fresh > c.mostPages {
		return 0, c.bad(CapacityExceeded, "%d pages of the %d that fit", c.pageCount+fresh, c.mostPages)
	}
	highest := c.highestPage
	for _, run := range runs {
		if run.First <= highest {
			return 0, c.bad(PageIdentityReused, "page %q was allocated before", c.t.PageID(run.First))
		}
		highest = run.First + run.Count - 1
		for n := run.First; c.t.PageNames != nil && n <= highest; n++ {
			if c.t.PageNames[n-1] == "" {
				return 0, c.bad(PageIdentityReused, "a page has no identity")
			}
		}
	}
	return fresh, nil
}

func (c *checker) checkpoint(e *trace.PagedKVEvent) error {
	switch {
	case c.open:
		return c.bad(CheckpointActive, "checkpoint %s is open", c.t.CheckpointID(c.number))
	case e.Checkpoint <= c.highestSnapshot || c.t.CheckpointNames != nil && c.t.CheckpointID(e.Checkpoint) == "":
		return c.bad(CheckpointMismatch, "checkpoint %d is not new", e.Checkpoint)
	case e.Generation != c.generation || e.BaseTokens != c.tokens:
		return c.bad(CheckpointMismatch, "generation %d at %d tokens, want %d at %d", e.Generation, e.BaseTokens, c.generation, c.tokens)
	}
	c.open, c.number, c.baseline = true, e.Checkpoint, e.BaseTokens
	c.highestSnapshot = e.Checkpoint
	c.m.Checkpoints++
	return nil
}

// spend closes the open checkpoint.
func (c *checker) spend(e *trace.PagedKVEvent) error {
	if !c.open || e.Checkpoint != c.number || e.Generation != c.generation+1 {
		return c.bad(CheckpointMismatch, "checkpoint %d to generation %d is not the open one, or the generation does not follow %d",
			e.Checkpoint, e.Generation, c.generation)
	}
	return nil
}

func (c *checker) restore(e *trace.PagedKVEvent) error {
	if err := c.spend(e); err != nil {
		return err
	}
	if !quantity.IsCount(e.Tokens) {
		return c.bad(InvalidTokens, "%d tokens", e.Tokens)
	}
	to := c.baseline + e.Tokens
	switch {
	case !quantity.IsSafe(to):
		return c.bad(LengthOverflow, "%d + %d tokens", c.baseline, e.Tokens)
	case e.FinalTokens != to || to > c.tokens:
		return c.bad(LengthMismatch, "to %d tokens, want %d and no more than %d", e.FinalTokens, to, c.tokens)
	}
	if err := c.give(e, c.pageCount-c.needed(to)); err != nil {
		return err
	}
	c.m.Restores++
	c.m.AcceptedTokens += e.Tokens
	c.m.DiscardedTokens += c.tokens - to
	c.tokens, c.open = to, false
	c.generation++
	return nil
}

// give removes the event's pages, which must be exactly the last surplus of them in
// list order. Both lists are compared from the end, in strides; nothing is removed
// unless all agree.
func (c *checker) give(e *trace.PagedKVEvent, surplus int64) error {
	runs := c.t.Runs[e.RunsFrom:e.RunsTo]
	at, used := len(c.pages), int64(0) // pages before at remain, less used of the last of them
	left := surplus
	for i := len(runs) - 1; i >= 0; i-- {
		end, count := runs[i].First+runs[i].Count, runs[i].Count
		for count > 0 {
			if left == 0 || at == 0 {
				return c.bad(ReleasedPages, "more than %d pages are released", surplus)
			}
			last := c.pages[at-1]
			if last.First+last.Count-used != end {
				return c.bad(ReleasedPages, "page %q is released, the last is %q", c.t.PageID(end-1), c.t.PageID(last.First+last.Count-used-1))
			}
			stride := min(count, last.Count-used, left)
			end, count, left, used = end-stride, count-stride, left-stride, used+stride
			if used == last.Count {
				at, used = at-1, 0
			}
		}
	}
	if left != 0 {
		return c.bad(ReleasedPages, "%d pages too few are released", left)
	}
	c.pages = c.pages[:at]
	if used > 0 {
		c.pages[at-1].Count -= used
	}
	c.pageCount -= surplus
	c.m.PagesReleased += surplus
	return nil
}

func (c *checker) commit(e *trace.PagedKVEvent) error {
	if err := c.spend(e); err != nil {
		return err
	}
	c.m.Commits++
	c.m.AcceptedTokens += c.tokens - c.baseline
	c.open = false
	c.generation++
	return nil
}

// result is the state after the events before the current one.
func (c *checker) result() Result {
	bytes := c.cfg.PageSizeTokens * c.cfg.BytesPerToken
	c.m.Events = int64(c.index)
	c.m.PeakReservedBytes = c.m.PeakLivePages * bytes
	c.m.HighWaterTokens = c.peak
	c.m.ReservedTailTokens = c.pageCount*c.cfg.PageSizeTokens - c.tokens
	r := Result{AppliedEvents: c.m.Events, Metrics: c.m, Snapshot: trace.PagedKVSnapshot{
		Config: c.cfg, LogicalTokens: c.tokens, HighWaterTokens: c.peak, Generation: c.generation,
		LivePages: c.pages, LivePageCount: c.pageCount,
	}}
	if c.open {
		r.Snapshot.ActiveCheckpoint = &trace.PagedKVCheckpointState{Checkpoint: c.number, Generation: c.generation, BaseTokens: c.baseline}
	}
	return r
}
