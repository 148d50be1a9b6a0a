package trace

// ServingContractRevision is the serving trace contract (05 section 4.8).
const ServingContractRevision int64 = 3

// Serving is the lossless trace of a continuous-batching run, kept in columns:
// requests and batches are indices inside, ids only at the edge. Events refer to
// rows of the other tables; every batch owns contiguous ranges of slices and
// tokens, so a run of many tokens costs a few flat slices and no pointer per
// record.
type Serving struct {
	RequestIDs []string // index -> id, in the order of the configuration's requests

	Events    []ServingEvent
	Batches   []ServingBatch
	Prefill   []PrefillSlice
	Decode    []DecodeSlice
	Tokens    []TokenEmission
	Completed []int32 // request indices in completion order

	// Terminal counts; meaningful when the last event is ServingTerminal.
	CompletedRequests int64
	TotalOutputTokens int64
	FinalKVTokens     int64
}

// ServingEventKind is the kind of a serving event.
type ServingEventKind uint8

// The four kinds, in the order of their first possible occurrence.
const (
	ServingArrival ServingEventKind = iota
	ServingBatchStart
	ServingBatchFinish
	ServingTerminal
)

// String gives the contract's spelling.
func (k ServingEventKind) String() string {
	return [...]string{"arrival", "batch_start", "batch_finish", "terminal"}[k]
}

// ServingEvent is one event; its position is its sourceSequence. Ref is a request
// index (arrival), a batch index (start, finish), or 0 (terminal).
type ServingEvent struct {
	AtNs int64
	Ref  int32
	Kind ServingEventKind
}

// ServingBatch is one batch; its position is its batchId. Ranges are half-open
// [From, To) into the tables of Serving.
type ServingBatch struct {
	StartNs              int64
	DurationNs           int64
	TokenWork            int64
	ExpectedOutputTokens int64
	KVTokensBefore       int64
	TransientKVTokens    int64
	KVTokensAfter        int64

	PrefillFrom, PrefillTo     int32
	DecodeFrom, DecodeTo       int32
	TokensFrom, TokensTo       int32
	CompletedFrom, CompletedTo int32
}

// FinishNs is the batch's end in ns.
func (b *ServingBatch) FinishNs() int64 { return b.StartNs + b.DurationNs }

// SequenceCount is the number of requests in the batch.
func (b *ServingBatch) SequenceCount() int64 {
	return int64(b.PrefillTo-b.PrefillFrom) + int64(b.DecodeTo-b.DecodeFrom)
}

// PrefillSlice is a chunk of one request's prompt.
type PrefillSlice struct {
	Tokens  int64
	Request int32
}

// DecodeMode is target_only or speculative.
type DecodeMode uint8

// The two modes of a decode slice.
const (
	ModeTargetOnly DecodeMode = iota
	ModeSpeculative
)

// String gives the contract's spelling.
func (m DecodeMode) String() string { return [...]string{"target_only", "speculative"}[m] }

// DecodeOutcome is how a decode step ended.
type DecodeOutcome uint8

// The four outcomes.
const (
	OutcomeTargetOnly DecodeOutcome = iota
	OutcomeCorrection
	OutcomeBonus
	OutcomeAcceptedTail
)

// String gives the contract's spelling.
func (o DecodeOutcome) String() string {
	return [...]string{"target_only", "correction", "bonus", "accepted_tail"}[o]
}

// DecodeSlice is one decode step of one request. The remaining figures of the
// contract follow from these.
type DecodeSlice struct {
	Request            int32
	ProposedAdditional int32
	AcceptedAdditional int32
	Guaranteed         uint8 // guaranteed target tokens, 0 or 1
	Authoritative      uint8 // target authoritative tokens, 0 or 1
	Mode               DecodeMode
	Outcome            DecodeOutcome
}

// ProposedDraftTokens is the full proposal, the guaranteed token included.
func (d *DecodeSlice) ProposedDraftTokens() int64 {
	return int64(d.Guaranteed) + int64(d.ProposedAdditional)
}

// AcceptedDraftTokens is the accepted part of the full proposal.
func (d *DecodeSlice) AcceptedDraftTokens() int64 {
	return int64(d.Guaranteed) + int64(d.AcceptedAdditional)
}

// RejectedDraftTokens is what verification threw away.
func (d *DecodeSlice) RejectedDraftTokens() int64 {
	return d.ProposedDraftTokens() - d.AcceptedDraftTokens()
}

// TargetTokenWidth is the number of rows of the target forward.
func (d *DecodeSlice) TargetTokenWidth() int64 { return d.ProposedDraftTokens() + 1 }

// CommittedTokens is what the step adds to the output.
func (d *DecodeSlice) CommittedTokens() int64 {
	return d.AcceptedDraftTokens() + int64(d.Authoritative)
}

// TokenSource says which part of a step a token comes from.
type TokenSource uint8

// The five sources (contract 05 section 4.6).
const (
	SourcePrefill TokenSource = iota
	SourceTargetDecode
	SourceTargetGuaranteed
	SourceSpeculativeAccepted
	SourceSpeculativeAuthoritative
)

// String gives the contract's spelling.
func (s TokenSource) String() string {
	return [...]string{"prefill", "target_decode", "target_guaranteed",
		"speculative_accepted", "speculative_authoritative"}[s]
}

// TokenEmission is one output token; its time is the finish of its batch.
type TokenEmission struct {
	Request int32
	Index   int32 // tokenIndex, from 0 per request
	Source  TokenSource
}
