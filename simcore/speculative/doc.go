// Package speculative runs speculative decoding as a protocol: a proposer drafts,
// one target forward verifies, the longest accepted prefix stays, every state
// stream is restored to it, and the target's own token is committed.
//
// In goes a workload.SpeculativeRun, a trace.TokenTrace, or a pair of captures.
// Out come a trace.Speculative, checked by package replay/speculativereplay before
// it is returned, and for token evidence the derived iterations and the comparison
// with the target-only run. Serving drives the same arithmetic a step at a time
// through [Serving]; [Measure] splits the time of a topology-bound run.
//
// # Two coordinates
//
// Some families begin every proposal with one token that the target itself has
// chosen. What the proposer adds is counted in additional tokens (k, a, N:
// acceptance, sidecar state, proposer work). What the target verifies is counted
// in the full proposal (D = g + k, A = g + a: verification, rollback, paged KV).
// The two are never mixed.
//
// # The transaction
//
// All state groups of a sequence (target KV, draft KV, sidecar and recurrent
// state, borrowed leases) are checkpointed together, written speculatively,
// restored to checkpoint plus accepted offset, and only then written by the
// commit: a correction or bonus is a new write and never a cursor that is raised
// over a stale row. A checkpoint is bound to its sequence, topology epoch,
// generation, row mapping and base length, and serves once.
//
// Contract 04 (family contract 2, iterations 1, token trace 2, runtime capture 1)
// and contract 05 section 5.
package speculative
