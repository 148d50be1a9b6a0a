// Package kvreplay checks the trace of a paged KV cache by deriving every
// transition again: lengths, page counts, identities, checkpoints and released
// lists. It shares no code with the cache.
//
// In go the configuration and the trace; out come the state after the last event
// and the metrics, or a *Mismatch with the index of the first event that breaks a
// rule and the rule's code.
//
// Contract 01 section 9.5 (paged KV contract revision 1).
package kvreplay
