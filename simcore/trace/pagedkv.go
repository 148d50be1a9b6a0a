package trace

import (
	"iter"
	"strconv"

	"github.com/inferlab/inferlab/simcore/workload"
)

// PagedKVContractRevision is the paged KV contract (01 section 9).
const PagedKVContractRevision int64 = 1

// PagedKV is the lossless trace of one paged KV cache. Pages and checkpoints are
// numbers inside, from 1 in the order of their first mention; ids exist only at
// the edge. Pages that were allocated together are one run, so a long trace costs
// a few words an event.
type PagedKV struct {
	Config workload.PagedKV // of the initialize event
	Events []PagedKVEvent
	Runs   []PageRun // of the events' page lists

	// PageNames and CheckpointNames give the ids of a trace that was read from a
	// document; nil means generated ids.
	PageNames, CheckpointNames []string
}

// PageRun is a run of consecutive page numbers.
type PageRun struct {
	First, Count int64
}

// PagedKVKind is the kind of an event.
type PagedKVKind uint8

// The five kinds.
const (
	PagedKVInitialize PagedKVKind = iota
	PagedKVAppend
	PagedKVCheckpoint
	PagedKVRestore
	PagedKVCommit
)

// String gives the contract's spelling.
func (k PagedKVKind) String() string {
	return spelling(uint8(k), "initialize", "append", "checkpoint", "restore", "commit")
}

// PagedKVEvent is one event; its position is its sourceSequence. The meaning of
// the figures depends on the kind; those not named are 0.
type PagedKVEvent struct {
	BaseTokens  int64 // append: length before; checkpoint: length covered
	Tokens      int64 // append: appended; restore: accepted beyond the base
	FinalTokens int64 // append, restore: length after; initialize: length
	Generation  int64 // checkpoint: current; restore, commit: the new one
	Checkpoint  int64 // number of the checkpoint
	RunsFrom    int32 // half-open range in Runs: pages allocated (initialize, append)
	RunsTo      int32 // or released (restore), in list order
	Kind        PagedKVKind
}

// PageID is the id of page n.
func (t *PagedKV) PageID(n int64) string {
	if t.PageNames != nil {
		return t.PageNames[n-1]
	}
	return t.Config.SequenceID + ":kv-page-" + strconv.FormatInt(n, 10)
}

// CheckpointID is the id of checkpoint n.
func (t *PagedKV) CheckpointID(n int64) string {
	if t.CheckpointNames != nil {
		return t.CheckpointNames[n-1]
	}
	return "kv-checkpoint-" + strconv.FormatInt(n, 10)
}

// Pages walks the page numbers of an event in list order.
func (t *PagedKV) Pages(e *PagedKVEvent) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, run := range t.Runs[e.RunsFrom:e.RunsTo] {
			for n := run.First; n < run.First+run.Count; n++ {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// PageCount is the number of pages that an event allocates or releases.
func (t *PagedKV) PageCount(e *PagedKVEvent) int64 {
	var count int64
	for _, run := range t.Runs[e.RunsFrom:e.RunsTo] {
		count += run.Count
	}
	return count
}

// PagedKVSnapshot is the state of a paged KV cache (contract 01 section 9.4).
type PagedKVSnapshot struct {
	Config           workload.PagedKV
	LogicalTokens    int64
	HighWaterTokens  int64
	Generation       int64
	LivePages        []PageRun // in list order
	LivePageCount    int64
	ActiveCheckpoint *PagedKVCheckpointState // nil: none
}

// PagedKVCheckpointState is an open checkpoint.
type PagedKVCheckpointState struct {
	Checkpoint int64 // number
	Generation int64
	BaseTokens int64
}

// ReservedBytes is what the live pages hold.
func (s *PagedKVSnapshot) ReservedBytes() int64 { return s.LivePageCount * s.Config.PageBytes() }

// HighWaterBytes is what the pages of the largest length hold.
func (s *PagedKVSnapshot) HighWaterBytes() int64 {
	return s.Config.Pages(s.HighWaterTokens) * s.Config.PageBytes()
}

// PagedKVMetrics are the figures of a paged KV trace (contract 01 section 9.4).
type PagedKVMetrics struct {
	Events, Appends, AppendedTokens  int64
	Checkpoints, Restores, Commits   int64
	AcceptedTokens, DiscardedTokens  int64
	PagesAllocated, PagesReleased    int64
	PeakLivePages, PeakReservedBytes int64
	HighWaterTokens                  int64
	ReservedTailTokens               int64 // live pages x page size - length
}
