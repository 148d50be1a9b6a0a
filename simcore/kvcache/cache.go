package kvcache

import (
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Codes of refused calls.
const (
	InvalidTokens       = "invalid_tokens"
	LengthOverflow      = "length_overflow"
	CapacityExceeded    = "capacity_exceeded"
	CheckpointActive    = "checkpoint_active"
	InactiveCheckpoint  = "inactive_checkpoint"
	RestoreBeyondLength = "restore_beyond_length"
	TraceLimit          = "trace_limit" // more events than a trace can index
)

// Handle names a checkpoint. Restore and commit compare all of it.
type Handle struct {
	Checkpoint int64 // number, from 1; see trace.PagedKV.CheckpointID
	Generation int64
	BaseTokens int64
}

// Cache is a paged KV cache. It belongs to one caller.
type Cache struct {
	cfg       workload.PagedKV
	pageBytes int64
	maxPages  int64

	length, highWater int64
	generation        int64
	live              []trace.PageRun // in list order; consecutive runs are kept joined
	livePages         int64
	nextPage          int64
	nextCheckpoint    int64
	open              bool
	handle            Handle // of the open checkpoint

	tr      trace.PagedKV
	metrics trace.PagedKVMetrics
}

// New makes a cache that holds the configuration's initial length. The error is
// that of workload.PagedKV.Validate.
func New(cfg workload.PagedKV) (*Cache, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Cache{cfg: cfg, pageBytes: cfg.PageBytes(), maxPages: cfg.MaxPages(), nextPage: 1, nextCheckpoint: 1}
	c.tr.Config = cfg
	from := c.allocate(cfg.Pages(cfg.InitialTokenLength))
	c.length, c.highWater = cfg.InitialTokenLength, cfg.InitialTokenLength
	c.record(trace.PagedKVEvent{Kind: trace.PagedKVInitialize, FinalTokens: c.length, RunsFrom: from})
	return c, nil
}

// Reserve makes room in the trace for so many events.
func (c *Cache) Reserve(events int) {
	grown := make([]trace.PagedKVEvent, len(c.tr.Events), len(c.tr.Events)+events)
	copy(grown, c.tr.Events)
	c.tr.Events = grown
}

// Length is the logical length in tokens.
func (c *Cache) Length() int64 { return c.length }

// Append grows the length, which may be by nothing.
func (c *Cache) Append(tokens int64) error {
	if !quantity.IsCount(tokens) {
		return c.refuse(InvalidTokens, "%d tokens cannot be appended", tokens)
	}
	final, err := quantity.Add(c.length, tokens)
	if err != nil {
		return c.refuse(LengthOverflow, "%d + %d tokens: %v", c.length, tokens, err)
	}
	need := c.cfg.Pages(final)
	if need > c.maxPages {
		return c.refuse(CapacityExceeded, "%d tokens need %d pages of the %d that fit", final, need, c.maxPages)
	}
	if err := c.room(); err != nil {
		return err
	}
	base := c.length
	from := c.allocate(need - c.livePages)
	c.length, c.highWater = final, max(c.highWater, final)
	c.metrics.Appends++
	c.metrics.AppendedTokens += tokens
	c.record(trace.PagedKVEvent{Kind: trace.PagedKVAppend, BaseTokens: base, Tokens: tokens, FinalTokens: final, RunsFrom: from})
	return nil
}

// Checkpoint opens a checkpoint at the current length.
func (c *Cache) Checkpoint() (Handle, error) {
	if c.open {
		return Handle{}, c.refuse(CheckpointActive, "%s is open", c.tr.CheckpointID(c.handle.Checkpoint))
	}
	if err := c.room(); err != nil {
		return Handle{}, err
	}
	c.handle = Handle{Checkpoint: c.nextCheckpoint, Generation: c.generation, BaseTokens: c.length}
	c.nextCheckpoint++
	c.open = true
	c.metrics.Checkpoints++
	c.record(trace.PagedKVEvent{Kind: trace.PagedKVCheckpoint, BaseTokens: c.length, Generation: c.generation,
		Checkpoint: c.handle.Checkpoint, RunsFrom: int32(len(c.tr.Runs))})
	return c.handle, nil
}

// Restore goes back to the checkpoint's length plus the accepted tokens and
// releases the pages beyond.
func (c *Cache) Restore(h Handle, accepted int64) error {
	if !quantity.IsCount(accepted) {
		return c.refuse(InvalidTokens, "%d tokens cannot be accepted", accepted)
	}
	if err := c.active(h); err != nil {
		return err
	}
	final, err := quantity.Add(h.BaseTokens, accepted)
	if err != nil {
		return c.refuse(LengthOverflow, "%d + %d tokens: %v", h.BaseTokens, accepted, err)
	}
	if final > c.length {
		return c.refuse(RestoreBeyondLength, "%d + %d tokens are beyond the length %d", h.BaseTokens, accepted, c.length)
	}
	if err := c.room(); err != nil {
		return err
	}
	c.metrics.DiscardedTokens += c.length - final
	from := c.release(c.livePages - c.cfg.Pages(final))
	c.length = final
	c.generation++
	c.open = false
	c.metrics.Restores++
	c.metrics.AcceptedTokens += accepted
	c.record(trace.PagedKVEvent{Kind: trace.PagedKVRestore, Tokens: accepted, FinalTokens: final,
		Generation: c.generation, Checkpoint: h.Checkpoint, RunsFrom: from})
	return nil
}

// Commit closes a checkpoint and keeps everything.
func (c *Cache) Commit(h Handle) error {
	if err := c.active(h); err != nil {
		return err
	}
	if err := c.room(); err != nil {
		return err
	}
	c.generation++
	c.open = false
	c.metrics.Commits++
	c.metrics.AcceptedTokens += c.length - h.BaseTokens
	c.record(trace.PagedKVEvent{Kind: trace.PagedKVCommit, Generation: c.generation, Checkpoint: h.Checkpoint,
		RunsFrom: int32(len(c.tr.Runs))})
	return nil
}

// Trace is what has happened so far. It is shared and must not be written to.
func (c *Cache) Trace() *trace.PagedKV { return &c.tr }

// Snapshot is the current state.
func (c *Cache) Snapshot() trace.PagedKVSnapshot {
	s := trace.PagedKVSnapshot{
		Config: c.cfg, LogicalTokens: c.length, HighWaterTokens: c.highWater, Generation: c.generation,
		LivePages: append([]trace.PageRun(nil), c.live...), LivePageCount: c.livePages,
	}
	if c.open {
		s.ActiveCheckpoint = &trace.PagedKVCheckpointState{
			Checkpoint: c.handle.Checkpoint, Generation: c.handle.Generation, BaseTokens: c.handle.BaseTokens}
	}
	return s
}

// Metrics are the figures so far.
func (c *Cache) Metrics() trace.PagedKVMetrics {
	m := c.metrics
	m.Events = int64(len(c.tr.Events))
	m.PeakReservedBytes = m.PeakLivePages * c.pageBytes
	m.HighWaterTokens = c.highWater
	m.ReservedTailTokens = c.livePages*c.cfg.PageSizeTokens - c.length
	return m
}

func (c *Cache) active(h Handle) error {
	if !c.open || h != c.handle {
		return c.refuse(InactiveCheckpoint, "checkpoint %d of generation %d at %d tokens is not open", h.Checkpoint, h.Generation, h.BaseTokens)
	}
	return nil
}

// room keeps the trace's indices in range.
func (c *Cache) room() error {
	if len(c.tr.Events) >= math.MaxInt32-1 || len(c.tr.Runs) >= math.MaxInt32-len(c.live)-1 {
		return c.refuse(TraceLimit, "the trace holds %d events and %d page runs", len(c.tr.Events), len(c.tr.Runs))
	}
	return nil
}

func (c *Cache) refuse(code, format string, args ...any) error {
	return issue.New(code, "", "paged KV of "+c.cfg.SequenceID+": "+format, args...)
}

func (c *Cache) record(e trace.PagedKVEvent) {
	e.RunsTo = int32(len(c.tr.Runs))
	if len(c.tr.Events) == cap(c.tr.Events) {
		// Long traces double; append alone would copy them many times over.
		c.tr.Events = slices.Grow(c.tr.Events, max(len(c.tr.Events), 16))
	}
	c.tr.Events = append(c.tr.Events, e)
}

// allocate adds pages at the end of the list and returns where the event's runs
// begin.
func (c *Cache) allocate(pages int64) int32 {
	from := int32(len(c.tr.Runs))
	if pages == 0 {
		return from
	}
	run := trace.PageRun{First: c.nextPage, Count: pages}
	c.nextPage += pages
	c.livePages += pages
	c.metrics.PagesAllocated += pages
	c.metrics.PeakLivePages = max(c.metrics.PeakLivePages, c.livePages)
	c.tr.Runs = append(c.tr.Runs, run)
	if n := len(c.live); n > 0 && c.live[n-1].First+c.live[n-1].Count == run.First {
		c.live[n-1].Count += pages
	} else {
		c.live = append(c.live, run)
	}
	return from
}

// release takes pages from the end of the list and returns where the event's runs
// begin; they are recorded in list order.
func (c *Cache) release(pages int64) int32 {
	from := int32(len(c.tr.Runs))
	c.livePages -= pages
	c.metrics.PagesReleased += pages
	whole := len(c.live)
	var rest int64 // of pages, from the run before whole
	for left := pages; left > 0; {
		if last := &c.live[whole-1]; last.Count > left {
			rest, left = left, 0
		} else {
			left -= last.Count
			whole--
		}
	}
	if rest > 0 {
		last := &c.live[whole-1]
		last.Count -= rest
		c.tr.Runs = append(c.tr.Runs, trace.PageRun{First: last.First + last.Count, Count: rest})
	}
	c.tr.Runs = append(c.tr.Runs, c.live[whole:]...)
	c.live = c.live[:whole]
	return from
}
