package trace

import "github.com/inferlab/inferlab/simcore/workload"

// The revisions of the speculative contracts (04 section 1).
const (
	SpeculativeIterationRevision int64 = 1
	TokenTraceRevision           int64 = 2
	RuntimeCaptureRevision       int64 = 1
)

// SpeculativeIteration is one iteration of a speculative workload; its position is
// its number. The remaining figures of the contract follow from these.
type SpeculativeIteration struct {
	BaseTokens         int64 // committed context before the iteration
	ProposedAdditional int64 // k
	AcceptedAdditional int64 // a
	Guaranteed         uint8 // g, 0 or 1
	Authoritative      uint8 // t, 0 or 1
	Outcome            DecodeOutcome
}

// ProposedDraftTokens is D, the full proposal with the guaranteed prefix.
func (i *SpeculativeIteration) ProposedDraftTokens() int64 {
	return int64(i.Guaranteed) + i.ProposedAdditional
}

// AcceptedDraftTokens is A, the accepted part of the full proposal.
func (i *SpeculativeIteration) AcceptedDraftTokens() int64 {
	return int64(i.Guaranteed) + i.AcceptedAdditional
}

// RejectedDraftTokens is what verification threw away.
func (i *SpeculativeIteration) RejectedDraftTokens() int64 {
	return i.ProposedAdditional - i.AcceptedAdditional
}

// TargetTokenWidth is W, the rows of the verification forward.
func (i *SpeculativeIteration) TargetTokenWidth() int64 { return i.ProposedDraftTokens() + 1 }

// CommittedTokens is C, what the iteration adds to the output.
func (i *SpeculativeIteration) CommittedTokens() int64 {
	return i.AcceptedDraftTokens() + int64(i.Authoritative)
}

// FinalTokens is the committed context after the iteration.
func (i *SpeculativeIteration) FinalTokens() int64 { return i.BaseTokens + i.CommittedTokens() }

// StateGroup is the snapshot of one state group.
type StateGroup struct {
	ID              string
	Owner           workload.StateOwner
	Role            workload.StateRole
	Lifetime        workload.StateLifetime
	LogicalLength   int64
	HighWaterLength int64
	CapacityTokens  int64
}

// RollbackOperations counts what getting rid of rejected rows took (contract 04
// section 13.6).
type RollbackOperations struct {
	CursorOnly         int64 // cursor moved over stale rows
	SnapshotRestore    int64 // overwritten state copied back
	PagedTableMutation int64 // page restores that released pages
	SidecarReset       int64 // proposal-local states cleared
	Recomputation      int64 // none of the present families recomputes
}

// SpeculativeMetrics are the figures of a workload (contract 04 sections 7.4 and
// 13.6).
type SpeculativeMetrics struct {
	Iterations                      int64 // one target forward each
	GuaranteedTargetTokens          int64
	ProposedAdditionalTokens        int64
	AcceptedAdditionalTokens        int64
	ProposedDraftTokens             int64
	AcceptedDraftTokens             int64
	RejectedDraftTokens             int64
	TargetAuthoritativeTokens       int64
	CommittedTokens                 int64
	CorrectionTokens                int64
	BonusTokens                     int64
	AcceptedTailIterations          int64
	TargetOnlyTokens                int64
	CommittedTokensPerTargetForward float64
	AcceptedPrefixHistogram         []int64   // N+1 bins: iterations by accepted additional tokens
	AcceptanceByPosition            []float64 // N shares of the proposals that reached so far
	KVPagesAllocated                int64
	KVPagesReleased                 int64
	KVHighWaterReservedBytes        int64
	KVFinalReservedBytes            int64
	TargetKVHighWaterTokens         int64
	ProposerKVHighWaterTokens       int64
	RollbackOperations              RollbackOperations
}

// Speculative is the lossless record of one speculative workload.
type Speculative struct {
	Family        workload.Family
	InitialTokens int64
	FinalTokens   int64 // equals what target-only decoding reaches
	Iterations    []SpeculativeIteration
	Groups        []StateGroup // final snapshot, in id order
	Metrics       SpeculativeMetrics

	PagedKV         *PagedKV // nil: no paging
	PagedKVSnapshot PagedKVSnapshot
}

// Profile is the work profile that the iterations give the topology
// compiler (contract 04 section 11). A workload without iterations has no unit,
// and the compiler refuses it.
func (s *Speculative) Profile() (*workload.Profile, error) {
	contract, err := workload.ContractOf(s.Family)
	if err != nil {
		return nil, err
	}
	work := make([]workload.SpeculativeIteration, len(s.Iterations))
	for i := range s.Iterations {
		it := &s.Iterations[i]
		work[i] = workload.SpeculativeIteration{
			ProposedTokens: it.ProposedDraftTokens(), AdditionalTokens: it.ProposedAdditional, CommittedTokens: it.CommittedTokens(),
		}
	}
	return workload.SpeculativeProfile(string(s.Family), contract.Proposer(), work), nil
}
