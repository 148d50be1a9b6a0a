// Package executor runs validated plans on the contended resources of their
// scenario, on one simulated clock.
//
// In goes a *plan.Frozen, or several with arrivals; out come the lossless trace
// of what was submitted when, on which lanes and for how long, how every rank
// ended, and when everything was done. Faults, terminal injection, concurrent
// admission, the streaming runtime, campaigns and failover are here too. Nothing
// here checks itself: package replay/planreplay and its neighbours re-derive
// every decision from the same inputs without this package.
//
// Contract 03 sections 6 to 10, 12, 13 and 15 to 18 (plan contract revision 5,
// concurrent trace revision 1, node recovery revision 1).
package executor
