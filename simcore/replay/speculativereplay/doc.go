// Package speculativereplay checks the record of a speculative workload against
// its configuration by deriving everything again: widths, draws, decisions,
// lengths and high-water marks of every state group, metrics, and the trace of the
// page cache. It shares no code with the engine and takes the group lengths from
// closed forms instead of a transaction.
//
// In go the configuration and the record; out come the counts of a record that
// follows the rules, or a *Mismatch with the first iteration that differs.
// [Serving] derives the decode steps of a serving run for package servingreplay.
//
// [ReadDocument] reads the trace document that --trace leaves: the record with its
// configuration, token values and the trace of a plan, if there are any, and
// [Document.Verify] checks all of it.
//
// Contract 04 sections 3, 4, 7, 8.2 and 13.9; contract 05 section 5.
package speculativereplay
