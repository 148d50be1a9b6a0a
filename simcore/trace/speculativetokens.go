package trace

import "github.com/inferlab/inferlab/simcore/workload"

// TokenProvenance binds a token trace to what was run.
type TokenProvenance struct {
	Source                      string
	RuntimeRevision             string
	ModelFingerprint            string
	ProposerFingerprint         string
	TokenizerFingerprint        string
	GenerationConfigFingerprint string
	TargetOnlyRunID             string
	SpeculativeRunID            string
}

// TokenTrace is evidence of one speculative run in token values (contract 04
// section 8, token trace revision 2).
type TokenTrace struct {
	ID                  string
	Provenance          TokenProvenance
	Family              workload.Family
	MaxAdditionalTokens int64
	Prompt              []int64 // token ids
	ExpectedOutput      []int64 // the target-only output
	Iterations          []TokenIteration
}

// TokenIteration is one iteration as the runtime recorded it.
type TokenIteration struct {
	ID       string
	Proposal []int64 // the full proposal, the guaranteed token included
	Target   []int64 // only tokens that the target loop selected
}

// CaptureRole says which of the two runs a capture recorded.
type CaptureRole string

// The two roles.
const (
	CaptureTargetOnly  CaptureRole = "target_only"
	CaptureSpeculative CaptureRole = "speculative"
)

// CaptureProvenance binds a capture to what was run.
type CaptureProvenance struct {
	Source                      string
	RuntimeRevision             string
	ModelFingerprint            string
	TokenizerFingerprint        string
	GenerationConfigFingerprint string
}

// Capture is one runtime artifact (contract 04 section 9, runtime capture
// revision 1). The last four fields belong to speculative captures.
type Capture struct {
	ID         string
	Role       CaptureRole
	Provenance CaptureProvenance
	Prompt     []int64 // token ids
	Output     []int64

	Family              workload.Family
	ProposerFingerprint string
	MaxAdditionalTokens int64
	Iterations          []CaptureIteration
}

// CaptureIteration is an iteration with what the runtime claims to have committed.
type CaptureIteration struct {
	TokenIteration
	OutputOffset int64
	Committed    []int64
}
