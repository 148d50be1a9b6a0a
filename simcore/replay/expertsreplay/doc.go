// Package expertsreplay checks the trace of an expert cache without the cache: it
// reads the rules of contract 05 a second time, rebuilds all state from the trace
// alone, and stops at the first event that breaks a rule.
//
// In goes a trace.Experts, and, when the cache stood alone, the workload that
// drove it; out come the number of accepted events and the state that they lead
// to, which [Result.Confirm] compares with a live snapshot field by field.
//
// The checker is a state machine that knows what must come next. After a route
// only the evictions and demand loads that it still needs may follow, one named
// victim and one named load at a time; after an access only the decision that has
// fallen due; after a non-empty decision only its prefetch. An event that is
// missing, added, moved or changed therefore meets an expectation that it does not
// fulfil. It draws routes with a generator of its own and verifies the claimed
// choice against the sums to its left and right instead of searching for one; it
// finds least recently used experts in a log of uses; it ranks prefetch candidates
// by sorting them.
//
// Contract 05 section 2.16 (expert cache contract revision 5).
package expertsreplay
