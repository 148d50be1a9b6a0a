package trace

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/workload"
)

// The trace document of a speculative workload: the lossless record and, under
// inputs, all that an independent replay needs.
const (
	SpeculativeDocumentKind           = "inferlab/speculative-trace"
	SpeculativeDocumentRevision int64 = 1
)

// SpeculativeDocument is what a trace document holds.
type SpeculativeDocument struct {
	Config *workload.SpeculativeRun
	Trace  *Speculative

	Tokens    *TokenTrace // nil: the accepted lengths do not come from token values
	Committed []int64     // the output that the tokens commit, nil without tokens

	// Execution writes the trace document of the plan that carried the iterations
	// out on a machine; nil: there was no machine.
	Execution func(*jsondoc.Writer)
}

// Write writes the document.
func (d *SpeculativeDocument) Write(w *jsondoc.Writer) {
	w.Object()
	w.Key("kind").Text(SpeculativeDocumentKind)
	w.Key("revision").Int(SpeculativeDocumentRevision)
	w.Key("contractRevision").Int(SpeculativeIterationRevision)
	w.Key("inputs").Object()
	w.Key("workload")
	writeSpeculativeRun(w, d.Config)
	if d.Tokens != nil {
		w.Key("tokens")
		d.Tokens.write(w)
	}
	w.End()
	w.Key("trace").Object()
	w.Key("finalTokenLength").Int(d.Trace.FinalTokens)
	d.Trace.WriteRecord(w)
	if d.Tokens != nil {
		w.Key("committedOutputTokenIds").Ints(d.Committed)
	}
	w.End()
	if d.Execution != nil {
		w.Key("execution")
		d.Execution(w)
	}
	w.End()
}

func writeSpeculativeRun(w *jsondoc.Writer, s *workload.SpeculativeRun) {
	w.Object()
	w.Key("family").Text(string(s.Family))
	w.Key("initialTokenLength").Int(s.InitialTokens)
	w.Key("outputTokenCount").Int(s.OutputTokens)
	w.Key("maxAdditionalTokens").Int(s.MaxAdditionalTokens)
	w.Key("maxIterations").Int(s.Iterations())
	w.Key("eligibility")
	WriteEligibility(w, s.Family, &s.Eligibility)
	w.Key("acceptance")
	writeAcceptance(w, &s.Acceptance)
	if s.Widths != nil {
		w.Key("additionalWidths").Ints(s.Widths)
	}
	if p := s.PagedKV; p != nil {
		w.Key("pagedKv").Object()
		w.Key("sequenceId").Text(p.SequenceID)
		w.Key("pageSizeTokens").Int(p.PageSizeTokens)
		w.Key("bytesPerToken").Int(p.BytesPerToken)
		w.Key("capacityBytes").Int(p.CapacityBytes)
		w.Key("sourceId").Text(p.Source())
		w.End()
	}
	if s.StateGroups != nil {
		w.Key("stateGroups").Array()
		for i := range s.StateGroups {
			w.Element()
			writeDeclaredGroup(w, &s.StateGroups[i])
		}
		w.End()
	}
	w.End()
}

// WriteEligibility writes what a backend offers as an object; the layer split only
// where it is read.
func WriteEligibility(w *jsondoc.Writer, family workload.Family, e *workload.Eligibility) {
	w.Object()
	w.Key("proposerAvailable").Bool(e.ProposerAvailable)
	w.Key("decoding").Text(e.Decoding)
	w.Key("grammarActive").Bool(e.GrammarActive)
	w.Key("targetKvAvailable").Bool(e.TargetKVAvailable)
	w.Key("targetHiddenOutputCount").Int(e.TargetHiddenOutputs)
	w.Key("sharedKvGroupCount").Int(e.SharedKVGroups)
	w.Key("multiTokenVerification").Bool(e.MultiTokenVerification)
	if family == workload.SelfSpeculative {
		w.Key("targetLayerCount").Float(e.TargetLayers)
		w.Key("earlyExitLayer").Float(e.EarlyExitLayer)
		w.Key("allowDesignOnly").Bool(e.AllowDesignOnly)
	}
	w.End()
}

// WriteBuckets writes the distributions by context as a list.
func WriteBuckets(w *jsondoc.Writer, buckets []workload.AcceptanceBucket) {
	w.Array()
	for _, b := range buckets {
		w.Element().Object()
		w.Key("minContextTokens").Int(b.MinContextTokens)
		w.Key("matchProbabilityByPosition").Floats(b.Probabilities)
		w.End()
	}
	w.End()
}

func writeAcceptance(w *jsondoc.Writer, a *workload.Acceptance) {
	w.Object()
	w.Key("kind").Text(string(a.Kind))
	switch {
	case a.Kind == workload.AcceptReplay:
		w.Key("acceptedDraftTokens").Floats(a.Accepted)
	case a.Buckets != nil:
		WriteBuckets(w.Key("contextBuckets"), a.Buckets)
	default:
		w.Key("matchProbabilityByPosition").Floats(a.Probabilities)
	}
	w.Key("seed").Int(a.Seed)
	w.End()
}

func writeDeclaredGroup(w *jsondoc.Writer, g *workload.StateGroup) {
	d := g.WithDefaults()
	w.Object()
	w.Key("id").Text(d.ID)
	w.Key("owner").Text(string(d.Owner))
	w.Key("role").Text(string(d.Role))
	w.Key("lifetime").Text(string(d.Lifetime))
	w.Key("capacityTokens").Int(d.CapacityTokens)
	w.Key("rollback").Object()
	w.Key("kind").Text(d.Rollback.Kind())
	if d.Rollback.Bounded {
		w.Key("maxRollbackTokens").Int(d.Rollback.MaxRollbackTokens)
	}
	w.End()
	w.End()
}

// write writes the token values of a trace, in the spelling of results.
func (t *TokenTrace) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("traceId").Text(t.ID)
	w.Key("provenance")
	t.Provenance.Write(w)
	w.Key("promptTokenIds").Ints(t.Prompt)
	w.Key("expectedOutputTokenIds").Ints(t.ExpectedOutput)
	w.Key("iterations").Array()
	for i := range t.Iterations {
		it := &t.Iterations[i]
		w.Element().Object()
		w.Key("id").Text(it.ID)
		w.Key("proposalTokenIds").Ints(it.Proposal)
		w.Key("targetTokenIds").Ints(it.Target)
		w.End()
	}
	w.End()
	w.End()
}

// Write writes the provenance as an object.
func (p *TokenProvenance) Write(w *jsondoc.Writer) {
	w.Object()
	w.Key("source").Text(p.Source)
	w.Key("runtimeRevision").Text(p.RuntimeRevision)
	w.Key("modelFingerprint").Text(p.ModelFingerprint)
	w.Key("proposerFingerprint").Text(p.ProposerFingerprint)
	w.Key("tokenizerFingerprint").Text(p.TokenizerFingerprint)
	w.Key("generationConfigFingerprint").Text(p.GenerationConfigFingerprint)
	w.Key("targetOnlyRunId").Text(p.TargetOnlyRunID)
	w.Key("speculativeRunId").Text(p.SpeculativeRunID)
	w.End()
}

// WriteRecord writes the members of a record: iterations, metrics, state groups and
// the page cache (contract 04 section 7.3).
func (s *Speculative) WriteRecord(w *jsondoc.Writer) {
	w.Key("iterations").Array()
	for i := range s.Iterations {
		w.Element()
		s.Iterations[i].write(w, int64(i))
	}
	w.End()
	w.Key("metrics")
	s.Metrics.write(w)
	w.Key("stateGroups").Array()
	for i := range s.Groups {
		g := &s.Groups[i]
		w.Element().Object()
		w.Key("id").Text(g.ID)
		w.Key("owner").Text(string(g.Owner))
		w.Key("role").Text(string(g.Role))
		w.Key("lifetime").Text(string(g.Lifetime))
		w.Key("logicalLength").Int(g.LogicalLength)
		w.Key("highWaterLength").Int(g.HighWaterLength)
		w.Key("capacityTokens").Int(g.CapacityTokens)
		w.End()
	}
	w.End()
	if s.PagedKV != nil {
		w.Key("pagedKv").Object()
		w.Key("snapshot")
		s.PagedKV.WriteSnapshot(w, &s.PagedKVSnapshot)
		w.Key("trace")
		s.PagedKV.WriteEvents(w)
		w.End()
	}
}

func (i *SpeculativeIteration) write(w *jsondoc.Writer, number int64) {
	w.Object()
	w.Key("iteration").Int(number)
	w.Key("baseTokenLength").Int(i.BaseTokens)
	w.Key("guaranteedTargetTokens").Int(int64(i.Guaranteed))
	w.Key("proposedAdditionalTokens").Int(i.ProposedAdditional)
	w.Key("acceptedAdditionalTokens").Int(i.AcceptedAdditional)
	w.Key("proposedDraftTokens").Int(i.ProposedDraftTokens())
	w.Key("acceptedDraftTokens").Int(i.AcceptedDraftTokens())
	w.Key("rejectedDraftTokens").Int(i.RejectedDraftTokens())
	w.Key("targetAuthoritativeTokens").Int(int64(i.Authoritative))
	w.Key("committedTokens").Int(i.CommittedTokens())
	w.Key("finalTokenLength").Int(i.FinalTokens())
	w.Key("outcome").Text(i.Outcome.String())
	w.End()
}

// write writes the metrics of contract 04 sections 7.4 and 13.6.
func (m *SpeculativeMetrics) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("iterations").Int(m.Iterations)
	w.Key("targetForwards").Int(m.Iterations)
	w.Key("guaranteedTargetTokens").Int(m.GuaranteedTargetTokens)
	w.Key("proposedAdditionalTokens").Int(m.ProposedAdditionalTokens)
	w.Key("acceptedAdditionalTokens").Int(m.AcceptedAdditionalTokens)
	w.Key("proposedDraftTokens").Int(m.ProposedDraftTokens)
	w.Key("acceptedDraftTokens").Int(m.AcceptedDraftTokens)
	w.Key("rejectedDraftTokens").Int(m.RejectedDraftTokens)
	w.Key("targetAuthoritativeTokens").Int(m.TargetAuthoritativeTokens)
	w.Key("committedTokens").Int(m.CommittedTokens)
	w.Key("correctionTokens").Int(m.CorrectionTokens)
	w.Key("bonusTokens").Int(m.BonusTokens)
	w.Key("acceptedTailIterations").Int(m.AcceptedTailIterations)
	w.Key("targetOnlyTokens").Int(m.TargetOnlyTokens)
	w.Key("committedTokensPerTargetForward").Float(m.CommittedTokensPerTargetForward)
	w.Key("acceptedPrefixHistogram").Ints(m.AcceptedPrefixHistogram)
	w.Key("acceptanceByPosition").Floats(m.AcceptanceByPosition)
	w.Key("kvPagesAllocated").Int(m.KVPagesAllocated)
	w.Key("kvPagesReleased").Int(m.KVPagesReleased)
	w.Key("kvHighWaterReservedBytes").Int(m.KVHighWaterReservedBytes)
	w.Key("kvFinalReservedBytes").Int(m.KVFinalReservedBytes)
	w.Key("targetKvHighWaterTokens").Int(m.TargetKVHighWaterTokens)
	w.Key("proposerKvHighWaterTokens").Int(m.ProposerKVHighWaterTokens)
	w.Key("rollbackOperations").Object()
	w.Key("cursorOnly").Int(m.RollbackOperations.CursorOnly)
	w.Key("snapshotRestore").Int(m.RollbackOperations.SnapshotRestore)
	w.Key("pagedTableMutation").Int(m.RollbackOperations.PagedTableMutation)
	w.Key("sidecarReset").Int(m.RollbackOperations.SidecarReset)
	w.Key("recomputation").Int(m.RollbackOperations.Recomputation)
	w.End()
	w.End()
}
