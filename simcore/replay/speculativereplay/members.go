package speculativereplay

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ReadIteration reads one iteration of a document (contract 04 section 7.3); the
// figures that follow from others must agree with them. Refusals are with the node's
// reader.
func ReadIteration(n document.Node, number int64) trace.SpeculativeIteration {
	n.Closed([]string{"iteration", "baseTokenLength", "guaranteedTargetTokens", "proposedAdditionalTokens", "acceptedAdditionalTokens",
		"proposedDraftTokens", "acceptedDraftTokens", "rejectedDraftTokens", "targetAuthoritativeTokens", "committedTokens",
		"finalTokenLength", "outcome"})
	it := trace.SpeculativeIteration{
		BaseTokens:         n.Get("baseTokenLength").Count(),
		Guaranteed:         uint8(n.Get("guaranteedTargetTokens").IntegerIn(0, 1, "0 or 1")),
		ProposedAdditional: n.Get("proposedAdditionalTokens").Count(),
		AcceptedAdditional: n.Get("acceptedAdditionalTokens").Count(),
		Authoritative:      uint8(n.Get("targetAuthoritativeTokens").IntegerIn(0, 1, "0 or 1")),
	}
	words := [...]trace.DecodeOutcome{trace.OutcomeTargetOnly, trace.OutcomeCorrection, trace.OutcomeBonus, trace.OutcomeAcceptedTail}
	names := make([]string, len(words))
	for i, o := range words {
		names[i] = o.String()
	}
	outcome := n.Get("outcome").OneOf(names...)
	for i, name := range names {
		if name == outcome {
			it.Outcome = words[i]
		}
	}
	drafted, accepted := int64(it.Guaranteed)+it.ProposedAdditional, int64(it.Guaranteed)+it.AcceptedAdditional
	committed := accepted + int64(it.Authoritative)
	for _, f := range [...]struct {
		key  string
		want int64
	}{
		{"iteration", number}, {"proposedDraftTokens", drafted}, {"acceptedDraftTokens", accepted}, {"rejectedDraftTokens", drafted - accepted},
		{"committedTokens", committed}, {"finalTokenLength", it.BaseTokens + committed},
	} {
		follows(n.Get(f.key), f.want)
	}
	return it
}

// follows refuses a figure that differs from what others say.
func follows(n document.Node, want int64) {
	if v := n.Integer(); n.OK() && v != want {
		n.Fail("figure", "found %d, expected %d", v, want)
	}
}

func readMetrics(n document.Node, m *trace.SpeculativeMetrics) {
	counts := [...]struct {
		key  string
		into *int64
	}{
		{"iterations", &m.Iterations}, {"guaranteedTargetTokens", &m.GuaranteedTargetTokens},
		{"proposedAdditionalTokens", &m.ProposedAdditionalTokens}, {"acceptedAdditionalTokens", &m.AcceptedAdditionalTokens},
		{"proposedDraftTokens", &m.ProposedDraftTokens}, {"acceptedDraftTokens", &m.AcceptedDraftTokens},
		{"rejectedDraftTokens", &m.RejectedDraftTokens}, {"targetAuthoritativeTokens", &m.TargetAuthoritativeTokens},
		{"committedTokens", &m.CommittedTokens}, {"correctionTokens", &m.CorrectionTokens}, {"bonusTokens", &m.BonusTokens},
		{"acceptedTailIterations", &m.AcceptedTailIterations}, {"targetOnlyTokens", &m.TargetOnlyTokens},
		{"kvPagesAllocated", &m.KVPagesAllocated}, {"kvPagesReleased", &m.KVPagesReleased},
		{"kvHighWaterReservedBytes", &m.KVHighWaterReservedBytes}, {"kvFinalReservedBytes", &m.KVFinalReservedBytes},
		{"targetKvHighWaterTokens", &m.TargetKVHighWaterTokens}, {"proposerKvHighWaterTokens", &m.ProposerKVHighWaterTokens},
	}
	keys := []string{"targetForwards", "committedTokensPerTargetForward", "acceptedPrefixHistogram", "acceptanceByPosition", "rollbackOperations"}
	for _, c := range counts {
		keys = append(keys, c.key)
	}
	if !n.Closed(keys) {
		return
	}
	for _, c := range counts {
		*c.into = n.Get(c.key).Count()
	}
	follows(n.Get("targetForwards"), m.Iterations)
	m.CommittedTokensPerTargetForward = n.Get("committedTokensPerTargetForward").Number()
	m.AcceptedPrefixHistogram = readInts(n.Get("acceptedPrefixHistogram"))
	m.AcceptanceByPosition = readNumbers(n.Get("acceptanceByPosition"))
	o := n.Get("rollbackOperations")
	o.Closed([]string{"cursorOnly", "snapshotRestore", "pagedTableMutation", "sidecarReset", "recomputation"})
	m.RollbackOperations = trace.RollbackOperations{CursorOnly: o.Get("cursorOnly").Count(), SnapshotRestore: o.Get("snapshotRestore").Count(),
		PagedTableMutation: o.Get("pagedTableMutation").Count(), SidecarReset: o.Get("sidecarReset").Count(), Recomputation: o.Get("recomputation").Count()}
}

func readGroup(n document.Node) trace.StateGroup {
	n.Closed([]string{"id", "owner", "role", "lifetime", "logicalLength", "highWaterLength", "capacityTokens"})
	return trace.StateGroup{ID: n.Get("id").Text(), Owner: workload.StateOwner(n.Get("owner").Text()), Role: workload.StateRole(n.Get("role").Text()),
		Lifetime: workload.StateLifetime(n.Get("lifetime").Text()), LogicalLength: n.Get("logicalLength").Count(),
		HighWaterLength: n.Get("highWaterLength").Count(), CapacityTokens: n.Get("capacityTokens").Count()}
}

func readWorkload(n document.Node, s *workload.SpeculativeRun) {
	if !n.Closed([]string{"family", "initialTokenLength", "outputTokenCount", "maxAdditionalTokens", "maxIterations", "eligibility", "acceptance"},
		"additionalWidths", "pagedKv", "stateGroups") {
		return
	}
	s.Family = workload.Family(n.Get("family").OneOf(workload.FamilyNames()...))
	s.InitialTokens, s.OutputTokens = n.Get("initialTokenLength").Count(), n.Get("outputTokenCount").Count()
	s.MaxAdditionalTokens, s.MaxIterations = n.Get("maxAdditionalTokens").Count(), n.Get("maxIterations").Positive()
	readEligibility(n.Get("eligibility"), s)
	readAcceptance(n.Get("acceptance"), &s.Acceptance)
	if w := n.Get("additionalWidths"); w.Present() {
		s.Widths = readInts(w)
	}
	if p := n.Get("pagedKv"); p.Present() {
		p.Closed([]string{"sequenceId", "pageSizeTokens", "bytesPerToken", "capacityBytes", "sourceId"})
		s.PagedKV = &workload.PagedKV{SequenceID: p.Get("sequenceId").NonEmpty(), PageSizeTokens: p.Get("pageSizeTokens").Positive(),
			BytesPerToken: p.Get("bytesPerToken").Positive(), CapacityBytes: p.Get("capacityBytes").Positive(), SourceID: p.Get("sourceId").Text()}
	}
	if list := n.Get("stateGroups"); list.Present() {
		s.StateGroups = []workload.StateGroup{}
		for _, item := range list.Items() {
			s.StateGroups = append(s.StateGroups, readDeclaredGroup(item))
		}
	}
}

// readEligibility reads what the backend offered. The layer split stands only where it
// is read.
func readEligibility(n document.Node, s *workload.SpeculativeRun) {
	keys := []string{"proposerAvailable", "decoding", "grammarActive", "targetKvAvailable", "targetHiddenOutputCount", "sharedKvGroupCount", "multiTokenVerification"}
	split := s.Family == workload.SelfSpeculative
	if split {
		keys = append(keys, "targetLayerCount", "earlyExitLayer", "allowDesignOnly")
	}
	n.Closed(keys)
	s.Eligibility = workload.Eligibility{
		ProposerAvailable: n.Get("proposerAvailable").Bool(), Decoding: n.Get("decoding").OneOf(workload.Greedy, workload.Sampling),
		GrammarActive: n.Get("grammarActive").Bool(), TargetKVAvailable: n.Get("targetKvAvailable").Bool(),
		TargetHiddenOutputs: n.Get("targetHiddenOutputCount").Count(), SharedKVGroups: n.Get("sharedKvGroupCount").Count(),
		MultiTokenVerification: n.Get("multiTokenVerification").Bool(),
	}
	if split {
		s.Eligibility.TargetLayers, s.Eligibility.EarlyExitLayer = n.Get("targetLayerCount").Number(), n.Get("earlyExitLayer").Number()
		s.Eligibility.AllowDesignOnly = n.Get("allowDesignOnly").Bool()
	}
}

func readAcceptance(n document.Node, a *workload.Acceptance) {
	a.Kind = workload.AcceptanceKind(n.Get("kind").OneOf(string(workload.AcceptReplay), string(workload.AcceptEmpirical), string(workload.AcceptHeuristic)))
	a.Seed = n.Get("seed").Count()
	switch buckets := n.Get("contextBuckets"); {
	case a.Kind == workload.AcceptReplay:
		n.Closed([]string{"kind", "seed", "acceptedDraftTokens"})
		a.Accepted = readNumbers(n.Get("acceptedDraftTokens"))
	case buckets.Present():
		n.Closed([]string{"kind", "seed", "contextBuckets"})
		a.Buckets = []workload.AcceptanceBucket{}
		for _, item := range buckets.Items() {
			item.Closed([]string{"minContextTokens", "matchProbabilityByPosition"})
			a.Buckets = append(a.Buckets, workload.AcceptanceBucket{MinContextTokens: item.Get("minContextTokens").Count(),
				Probabilities: readNumbers(item.Get("matchProbabilityByPosition"))})
		}
	default:
		n.Closed([]string{"kind", "seed", "matchProbabilityByPosition"})
		a.Probabilities = readNumbers(n.Get("matchProbabilityByPosition"))
	}
}

func readDeclaredGroup(n document.Node) workload.StateGroup {
	n.Closed([]string{"id", "owner", "role", "lifetime", "capacityTokens", "rollback"})
	g := workload.StateGroup{ID: n.Get("id").NonEmpty(), Owner: workload.StateOwner(n.Get("owner").Text()), Role: workload.StateRole(n.Get("role").Text()),
		Lifetime: workload.StateLifetime(n.Get("lifetime").Text()), CapacityTokens: n.Get("capacityTokens").Count()}
	rollback := n.Get("rollback")
	snapshot := workload.RollbackProtection{Bounded: true}.Kind()
	if rollback.Get("kind").OneOf(workload.RollbackProtection{}.Kind(), snapshot) == snapshot {
		g.Rollback = workload.RollbackProtection{Bounded: true, MaxRollbackTokens: rollback.Get("maxRollbackTokens").Count()}
	}
	return g
}

func readInts(n document.Node) []int64 {
	list := make([]int64, 0, n.Len())
	for _, item := range n.Items() {
		list = append(list, item.Count())
	}
	return list
}

func readNumbers(n document.Node) []float64 {
	list := make([]float64, 0, n.Len())
	for _, item := range n.Items() {
		list = append(list, item.Number())
	}
	return list
}
