package speculativereplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// readTokens reads the token values of a document; family and width are those of its
// workload.
func readTokens(n document.Node, cfg *workload.SpeculativeRun) *trace.TokenTrace {
	n.Closed([]string{"traceId", "provenance", "promptTokenIds", "expectedOutputTokenIds", "iterations"})
	t := &trace.TokenTrace{ID: n.Get("traceId").NonEmpty(), Family: cfg.Family, MaxAdditionalTokens: cfg.MaxAdditionalTokens,
		Prompt: readInts(n.Get("promptTokenIds")), ExpectedOutput: readInts(n.Get("expectedOutputTokenIds"))}
	p := n.Get("provenance")
	p.Closed([]string{"source", "runtimeRevision", "modelFingerprint", "proposerFingerprint", "tokenizerFingerprint",
		"generationConfigFingerprint", "targetOnlyRunId", "speculativeRunId"})
	t.Provenance = trace.TokenProvenance{
		Source: p.Get("source").NonEmpty(), RuntimeRevision: p.Get("runtimeRevision").NonEmpty(), ModelFingerprint: p.Get("modelFingerprint").NonEmpty(),
		ProposerFingerprint: p.Get("proposerFingerprint").NonEmpty(), TokenizerFingerprint: p.Get("tokenizerFingerprint").NonEmpty(),
		GenerationConfigFingerprint: p.Get("generationConfigFingerprint").NonEmpty(),
		TargetOnlyRunID:             p.Get("targetOnlyRunId").NonEmpty(), SpeculativeRunID: p.Get("speculativeRunId").NonEmpty(),
	}
	for _, item := range n.Get("iterations").Items() {
		item.Closed([]string{"id", "proposalTokenIds", "targetTokenIds"})
		t.Iterations = append(t.Iterations, trace.TokenIteration{ID: item.Get("id").NonEmpty(),
			Proposal: readInts(item.Get("proposalTokenIds")), Target: readInts(item.Get("targetTokenIds"))})
	}
	return t
}

// checkTokens derives the counts of every iteration from its token values (contract
// 04 section 8.2) and the committed stream from all of them. The target has one row
// for every accepted token and one more where the token is its own.
func checkTokens(cfg *workload.SpeculativeRun, t *trace.TokenTrace, iterations []trace.SpeculativeIteration, committed []int64) error {
	c := &checker{}
	if int64(len(t.Prompt)) != cfg.InitialTokens || int64(len(t.ExpectedOutput)) != cfg.OutputTokens {
		return c.bad(Tokens, "prompt and output length are %d and %d, the workload has %d and %d",
			len(t.Prompt), len(t.ExpectedOutput), cfg.InitialTokens, cfg.OutputTokens)
	}
	var stream []int64
	for i := range iterations {
		c.number = int64(i)
		if i >= len(t.Iterations) {
			return c.bad(Tokens, "no token values stand for this iteration")
		}
		it, p, q := &iterations[i], t.Iterations[i].Proposal, t.Iterations[i].Target
		same := 0
		for same < min(len(p), len(q)) && p[same] == q[same] {
			same++
		}
		drafted, own := int64(it.Guaranteed)+it.ProposedAdditional, int(it.Authoritative)
		if int64(len(p)) != drafted || int64(same) != int64(it.Guaranteed)+it.AcceptedAdditional || len(q) != same+own {
			return c.bad(Tokens, "proposed tokens, agreed ones and target rows of %q: %d, %d, %d; the record has %d, %d, %d", t.Iterations[i].ID,
				len(p), same, len(q), drafted, int64(it.Guaranteed)+it.AcceptedAdditional, int64(it.Guaranteed)+it.AcceptedAdditional+int64(own))
		}
		stream = append(stream, q...)
	}
	c.number = int64(len(iterations))
	if len(t.Iterations) != len(iterations) {
		return c.bad(Tokens, "iterations with token values: %d, of the record: %d", len(t.Iterations), len(iterations))
	}
	if !slices.Equal(stream, committed) {
		return c.bad(Tokens, "the committed output is not the stream of the target's rows")
	}
	return nil
}
