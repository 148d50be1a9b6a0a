package trace

// BatchWork is one batch of a serving run as a duration estimator sees it: the
// contract's batch object and the invocation counts that its plan depends on
// (contract 05 section 6.1). The slices are borrowed for the duration of the
// call; an estimator that keeps them must copy them.
type BatchWork struct {
	BatchID              int64
	Prefill              []PrefillSlice
	Decode               []DecodeSlice
	TokenWork            int64 // prefill tokens plus decode target widths
	ExpectedOutputTokens int64 // committed tokens plus prompts that end here

	DraftTokens        int64 // sum of proposed additional tokens
	VerificationTokens int64 // sum of decode target widths
	PromptInvocations  int64 // prefill slices that are the first of their request
	FinalInvocations   int64 // requests that reach their last token in this batch
}

// PrefillTokens is the number of prompt tokens in the batch.
func (w *BatchWork) PrefillTokens() int64 { return w.TokenWork - w.VerificationTokens }

// TargetOnlySlice is the decode slice of a step without speculation: one row,
// one token, decided by the target (contract 05 section 4.8).
func TargetOnlySlice(request int32) DecodeSlice {
	return DecodeSlice{Request: request, Authoritative: 1, Mode: ModeTargetOnly, Outcome: OutcomeTargetOnly}
}

// TokenSourceOf gives the source of token offset (from 0) in the burst that a
// decode step emits (contract 05 section 4.6).
func (d *DecodeSlice) TokenSourceOf(offset int64) TokenSource {
	switch {
	case d.Mode == ModeTargetOnly || d.Outcome == OutcomeTargetOnly:
		return SourceTargetDecode
	case offset < int64(d.Guaranteed):
		return SourceTargetGuaranteed
	case offset < d.AcceptedDraftTokens():
		return SourceSpeculativeAccepted
	}
	return SourceSpeculativeAuthoritative
}
