package arrowio

import (
	"github.com/inferlab/inferlab/simcore/trace"
)

const pagedKVContract = "contract 01 section 9 (paged KV revision 1)"

// KVEventsDeclaration declares the table kv_events.
var KVEventsDeclaration = Declaration{
	Table: "kv_events", Revision: 1, Contract: pagedKVContract,
	Description: "one row an event of a paged KV cache, in order",
	Fields: []Field{
		{"sequence_id", Label, false, UnitID, "sequence whose KV the cache holds"},
		{"source_sequence", Int64, false, UnitID, "place in the trace, from 0"},
		{"kind", Label, false, UnitWord, "initialize, append, checkpoint, restore or commit"},
		{"checkpoint_id", Label, true, UnitID, "checkpoint that is opened or closed; null for initialize and append"},
		{"generation", Int64, true, UnitCount, "of a checkpoint the current generation, of restore and commit the new one; null for initialize and append"},
		{"base_tokens", Int64, true, UnitTokens, "length before an append, or that a checkpoint covers; null otherwise"},
		{"tokens", Int64, true, UnitTokens, "tokens appended, or accepted beyond the checkpoint's base by a restore; null otherwise"},
		{"length_tokens", Int64, false, UnitTokens, "logical length after the event"},
		{"pages_allocated", Int64, false, UnitCount, "pages that the event took"},
		{"pages_released", Int64, false, UnitCount, "pages that the event gave back"},
		{"live_pages", Int64, false, UnitCount, "pages held after the event"},
		{"reserved_bytes", Int64, false, UnitBytes, "bytes of the live pages"},
		{"tail_tokens", Int64, false, UnitTokens, "positions of the live pages beyond the logical length"},
	},
}

// KVPagesDeclaration declares the table kv_pages.
var KVPagesDeclaration = Declaration{
	Table: "kv_pages", Revision: 1, Contract: pagedKVContract,
	Description: "one row a stay of a page in a paged KV cache, in order of allocation; ids are not used again",
	Fields: []Field{
		{"sequence_id", Label, false, UnitID, "sequence whose KV the page holds"},
		{"page_id", Label, false, UnitID, "page"},
		{"position", Int64, false, UnitCount, "place of the page in the sequence, from 0"},
		{"first_token", Int64, false, UnitTokens, "token position that the page begins with"},
		{"page_tokens", Int64, false, UnitTokens, "token positions of a page"},
		{"page_bytes", Int64, false, UnitBytes, "bytes of a page"},
		{"allocated_by", Int64, false, UnitID, "event that took the page (kv_events.source_sequence)"},
		{"released_by", Int64, true, UnitID, "event that gave it back; null when it is live at the end"},
	},
}

// KVDeclarations lists the schemas of the tables of a paged KV cache, in the order
// of PagedKVTables.All.
func KVDeclarations() []*Declaration {
	return []*Declaration{&KVEventsDeclaration, &KVPagesDeclaration}
}

// PagedKVTables are the tables of one trace of a paged KV cache.
type PagedKVTables struct {
	tr         *trace.PagedKV
	events     []kvEventRow
	pages      []kvPageRow
	provenance Provenance
	opt        Options
}

// kvEventRow is an event with the state that it leaves.
type kvEventRow struct {
	event                                    *trace.PagedKVEvent
	length, allocated, released, live, index int64
	checkpoint                               int32
}

// kvPageRow is the stay of one page.
type kvPageRow struct{ page, position, allocatedBy, releasedBy int64 }

// PagedKV prepares the tables of a trace that its replay has accepted.
func PagedKV(tr *trace.PagedKV, p Provenance, opt Options) *PagedKVTables {
	t := &PagedKVTables{tr: tr, provenance: p, opt: opt}
	var live []int // rows in pages, in list order
	var length int64
	for i := range tr.Events {
		e := &tr.Events[i]
		row := kvEventRow{event: e, index: int64(i), checkpoint: int32(e.Checkpoint) - 1}
		switch e.Kind {
		case trace.PagedKVInitialize, trace.PagedKVAppend:
			length = e.FinalTokens
			for page := range tr.Pages(e) {
				live = append(live, len(t.pages))
				t.pages = append(t.pages, kvPageRow{page, int64(len(live)) - 1, int64(i), -1})
				row.allocated++
			}
		case trace.PagedKVRestore:
			length = e.FinalTokens
			row.released = tr.PageCount(e)
			kept := len(live) - int(row.released) // a restore releases the tail
			for _, at := range live[kept:] {
				t.pages[at].releasedBy = int64(i)
			}
			live = live[:kept]
		}
		row.length, row.live = length, int64(len(live))
		t.events = append(t.events, row)
	}
	return t
}

// All returns every table in a fixed order.
func (t *PagedKVTables) All() []*Table { return []*Table{t.Events(), t.Pages()} }

var pagedKVKinds = wordsOf(trace.PagedKVInitialize, trace.PagedKVCommit)

// Events is the table kv_events.
func (t *PagedKVTables) Events() *Table {
	cfg := &t.tr.Config
	var checkpoints []string
	for i := range t.events {
		if n := t.events[i].checkpoint; int(n) == len(checkpoints) {
			checkpoints = append(checkpoints, t.tr.CheckpointID(int64(n)+1))
		}
	}
	ints := func(value func(r *kvEventRow) int64) column { return intsOf(t.events, value) }
	of := func(value func(e *trace.PagedKVEvent) int64, kinds ...trace.PagedKVKind) column {
		return optionalOf(t.events, func(r *kvEventRow) (int64, bool) {
			for _, k := range kinds {
				if r.event.Kind == k {
					return value(r.event), true
				}
			}
			return 0, false
		})
	}
	return newTable(&KVEventsDeclaration, t.provenance, t.opt, int64(len(t.events)), []column{
		constant(cfg.SequenceID),
		ints(func(r *kvEventRow) int64 { return r.index }),
		labelsOf(t.events, pagedKVKinds, func(r *kvEventRow) int32 { return int32(r.event.Kind) }),
		labelsOf(t.events, checkpoints, func(r *kvEventRow) int32 { return r.checkpoint }),
		of(func(e *trace.PagedKVEvent) int64 { return e.Generation }, trace.PagedKVCheckpoint, trace.PagedKVRestore, trace.PagedKVCommit),
		of(func(e *trace.PagedKVEvent) int64 { return e.BaseTokens }, trace.PagedKVAppend, trace.PagedKVCheckpoint),
		of(func(e *trace.PagedKVEvent) int64 { return e.Tokens }, trace.PagedKVAppend, trace.PagedKVRestore),
		ints(func(r *kvEventRow) int64 { return r.length }),
		ints(func(r *kvEventRow) int64 { return r.allocated }),
		ints(func(r *kvEventRow) int64 { return r.released }),
		ints(func(r *kvEventRow) int64 { return r.live }),
		ints(func(r *kvEventRow) int64 { return r.live * cfg.PageBytes() }),
		ints(func(r *kvEventRow) int64 { return r.live*cfg.PageSizeTokens - r.length }),
	})
}

// Pages is the table kv_pages.
func (t *PagedKVTables) Pages() *Table {
	cfg := &t.tr.Config
	ids := make([]string, len(t.pages))
	for i := range t.pages {
		ids[i] = t.tr.PageID(t.pages[i].page)
	}
	ints := func(value func(r *kvPageRow) int64) column { return intsOf(t.pages, value) }
	return newTable(&KVPagesDeclaration, t.provenance, t.opt, int64(len(t.pages)), []column{
		constant(cfg.SequenceID),
		{words: ids, codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = int32(from) + int32(i)
			}
		}},
		ints(func(r *kvPageRow) int64 { return r.position }),
		ints(func(r *kvPageRow) int64 { return r.position * cfg.PageSizeTokens }),
		ints(func(*kvPageRow) int64 { return cfg.PageSizeTokens }),
		ints(func(*kvPageRow) int64 { return cfg.PageBytes() }),
		ints(func(r *kvPageRow) int64 { return r.allocatedBy }),
		optionalOf(t.pages, func(r *kvPageRow) (int64, bool) { return r.releasedBy, r.releasedBy >= 0 }),
	})
}
