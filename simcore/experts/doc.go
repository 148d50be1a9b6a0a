// Package experts is the expert cache: seeded weighted routing over an expert
// universe, two bounded tiers in front of a cold store, demand loads, prefetches
// and an adaptive warm policy.
//
// In goes a workload.ExpertCache; a [Cache] is then driven by calls that carry
// absolute times in ns. Out come a trace.Experts, which records every decision,
// and snapshots. [Simulate] is the whole room in one call for a cache that stands
// alone: it drives the cache with a workload, has the trace checked by the
// independent replay and returns the [Run].
//
// # The protocol in brief
//
// A load copies one expert into a tier. From its start it holds a reservation of
// the expert's bytes in the target tier; the copy is visible only from its
// completion. In every partition of every tier, resident plus reserved bytes never
// exceed the capacity.
//
// A route is a transaction of two phases. [Cache.Begin] draws the experts, checks
// that the whole working set can be held at once, and starts the demand loads that
// are missing. The caller may then move the completion of pending loads to where
// physical evidence puts it ([Cache.Retime]). [Cache.Complete] waits for them,
// touches the experts and lets the adaptive policy look at what has been seen so
// far. Between the two no other route and no prefetch is possible, so the selected
// experts can be protected from eviction by a mark.
//
// Every call either happens as a whole or leaves routing, reservations, counts and
// trace as they were. Starting loads is therefore split into planning, which may
// refuse, and committing, which may not.
//
// Contract 05 sections 2 and 3 (expert cache contract revision 5), the
// partitioning of section 6.3 and contract 06 section 4.4.
package experts
