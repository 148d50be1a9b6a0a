// Package kvcache is the paged KV cache of one sequence: pages of a fixed size
// from a bounded pool, appended to, and rolled back to a checkpoint.
//
// In goes a workload.PagedKV; a [Cache] is then driven by calls. Out come a
// trace.PagedKV that records every accepted call, snapshots and metrics. Replay of
// the trace is package replay/kvreplay.
//
// # The protocol in brief
//
// The cache has a logical length and a list of live pages that is exactly long
// enough to hold it. An append makes the length grow and allocates what is missing.
// A checkpoint remembers the length; at most one is open. A restore goes back to
// the checkpoint's length plus an accepted offset, never to a bare length, and
// releases the pages beyond. A last page that is kept keeps its identity: rejected
// rows in it stay physically stale behind the length and are overwritten by later
// appends. Page and checkpoint identities are never reused.
//
// A refused call changes nothing: no length, no page, no identity.
//
// Contract 01 section 9 (paged KV contract revision 1); contract 04 section 6.
package kvcache
