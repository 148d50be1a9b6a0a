// Package simcore is the façade of the simulator: what notebooks and the command
// line call. A scenario goes in, a workload goes in, and a verified run comes
// out, as values that tables, figures and documents are made from.
//
// Everything below this package is pure: it reads no files, no clock and no
// randomness of its own, starts no goroutine, and gives the same bytes for the
// same input on every machine. It also builds for js/wasm.
package simcore
