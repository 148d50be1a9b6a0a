// Package servingreplay checks a serving trace against its configuration by
// deriving every decision again: which requests a batch holds, how long it lasts,
// when it may start, what it emits, who completes and how much KV is held. It
// shares no code with the scheduler and keeps its own request states.
//
// In go the configuration, the trace and the estimator that the run was made with;
// out come the counts of a trace that follows the rules, or a *Mismatch with the
// index of the first event that breaks one and the rule's name.
//
// Contract 05 section 4.11 (serving trace contract revision 3).
package servingreplay
