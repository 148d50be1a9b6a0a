package serving

import "github.com/inferlab/inferlab/simcore/trace"

// Speculation decides decode steps for a scheduler that speculates (contract 05
// section 5). Each request has its own acceptance stream and transaction inside.
// A nil Speculation is target-only decoding: one row, one token a step.
type Speculation interface {
	// Propose plans a granted step of a request, draws its acceptance and decides
	// the outcome. emitted is the request's output so far, remaining what is left
	// of it, and width (at least 1) the most rows that the step may reserve. It
	// is called exactly once per granted step and advances the request's stream.
	Propose(request int32, emitted, remaining, width int64) (trace.DecodeSlice, error)

	// Commit runs the step's transaction at the finish of its batch: checkpoint,
	// verify, restore to the accepted prefix, commit. kvTokens is the request's
	// extent before the step.
	Commit(step *trace.DecodeSlice, kvTokens int64) error
}
