// Package compiler turns work into a FrozenPlan: it places every invocation of a
// work profile on a scenario's devices, routes every copy and collective over its
// links, prices each step with a cost model, and orders steps that share a buffer.
//
// In go a validated topology.Scenario, a workload.Profile and a cost.Model; out
// comes a plan.Plan with the step that ends the foreground work, the terminal of
// every unit, and the steps of every background prefetch. A profile that the
// scenario or the model cannot serve is a typed error that names why; nothing is
// guessed or extrapolated.
//
// A Compiler resolves a scenario once and then compiles any number of profiles;
// it keeps scratch memory and routes, so it serves one goroutine at a time. Equal
// inputs give equal plans.
//
// Contract 06 sections 4 to 13 (topology cost model 9, plan contract 5).
package compiler
