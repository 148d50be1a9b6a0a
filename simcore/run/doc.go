// Package run takes one work profile from compilation to a verified result: it
// compiles the profile onto a scenario, validates the plan, executes it, has the
// trace checked by the independent replay, and evaluates it; and it compares one
// workload over several scenarios.
//
// In go a scenario, a profile and a cost model; out come a Result or a Comparison
// with their JSON documents. The label of a result is that of its weakest
// performance evidence; modelled time is never exact.
//
// Contract 06 sections 14 and 15 (cost model 9, plan contract 5).
package run
