// Package planreplay checks traces of plan executions without the engine that
// made them: it reads the rules a second time.
//
// In go the inputs of a run (scenario, plans, arrivals, fault) and its trace; out
// comes what the trace amounts to, or a *Mismatch with the index of the first
// event that the rules do not allow and the rule it breaks. The checker is a list
// scheduler, not an event loop: it knows at every moment which steps are ready,
// in which order they must be submitted, and on which lanes and from when they
// run, and it compares that with the next event. It imports no executor.
//
// Contract 03 sections 11, 14, 17.3 and 18 (plan contract revision 5, concurrent
// trace revision 1, node recovery revision 1).
package planreplay
