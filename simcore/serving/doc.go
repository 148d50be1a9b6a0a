// Package serving is the continuous-batching scheduler: requests arrive, batches
// are selected decode-first under the KV admission guard, a batch lasts what an
// estimator says, and every decision is recorded in a lossless trace.
//
// In go a workload.Serving configuration and an Estimator; out comes a
// trace.Serving. [Simulate] is the whole room in one call: it binds the scheduler
// to a topology (every distinct kind of batch is compiled into a plan, executed
// and replayed once, and reused by its equals), has the trace checked by the
// independent replay, and returns the [Run] with its requests, metrics and
// templates.
//
// # The scheduler in brief
//
// Time moves on one event kernel with three kinds of event: arrival, dispatch and
// batch finish. All arrivals of a nanosecond are handled before a dispatch of that
// nanosecond selects (the dispatch barrier); a batch finish selects its successor
// at once. Batches never overlap and are never preempted.
//
// Selection walks requests by priority descending, arrival ascending, id: first
// those that decode, then those with prompt left. A request is granted KV only
// when all it still needs until completion fits in what is free at that moment.
// Free counts what this batch has reserved already. A refused request is stepped
// over, not waited for. Under this guard the request with the latest grant can
// always be driven to completion, so the pool never locks. workload.AdmitUnguarded
// grants on free space alone instead, to show the [Deadlock] that the guard
// prevents.
//
// Contract 05 sections 4, 6.1, 6.2, 6.9 and 7 (serving trace contract revision 3).
package serving
