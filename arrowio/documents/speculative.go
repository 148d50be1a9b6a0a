package documents

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/kvreplay"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculativeResult reads the result of a speculative workload. Its iterations must
// follow from one another and its page cache is replayed; the acceptance that the
// configuration declared is not in the document.
func speculativeResult(r io.Reader, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := tree(r)
	if err != nil {
		return nil, err
	}
	pass := document.NewReader(root, "")
	n := pass.Root()
	p := arrowio.Provenance{Command: "speculative", Confidence: evidence.Class(n.Get("confidence").Text())}
	run := &speculative.Run{Trace: trace.Speculative{InitialTokens: n.Get("initialTokenLength").Count()}}
	base := run.Trace.InitialTokens
	for i, item := range n.Get("iterations").Items() {
		it, err := iteration(item, int64(i), base)
		if err != nil {
			return nil, err
		}
		base = it.FinalTokens()
		run.Trace.Iterations = append(run.Trace.Iterations, it)
	}
	if final := n.Get("finalTokenLength").Count(); pass.Err() == nil && final != base {
		return nil, issue.New("speculative_result", "finalTokenLength", "is %d; the iterations end at %d", final, base)
	}
	revisions := n.Get("contractRevisions")
	for _, name := range []string{"proposerFamily", "speculativeIteration", "pagedKv"} {
		if v := revisions.Get(name); v.Present() {
			p.Revisions = append(p.Revisions, jsondoc.Revision{Name: name, Revision: v.Count()})
		}
	}
	if err := pass.Err(); err != nil {
		return nil, err
	}
	if !p.Confidence.Valid() {
		return nil, issue.New("speculative_result", "confidence", "is %q; expected one of %v", p.Confidence, evidence.Classes)
	}
	if pages := n.Get("pagedKv"); pages.Present() {
		if run.Trace.PagedKV, err = pagedKV(pages.Get("trace")); err != nil {
			return nil, err
		}
	}
	if err := pass.Err(); err != nil {
		return nil, err
	}
	return arrowio.SpeculativeDocument(run, p, opt).All(), nil
}

// outcomes are the words of a result by outcome.
var outcomes = []trace.DecodeOutcome{trace.OutcomeTargetOnly, trace.OutcomeCorrection, trace.OutcomeBonus, trace.OutcomeAcceptedTail}

// iteration reads one iteration and compares its derived members with it.
func iteration(n document.Node, number, base int64) (trace.SpeculativeIteration, error) {
	it := trace.SpeculativeIteration{
		BaseTokens:         n.Get("baseTokenLength").Count(),
		Guaranteed:         uint8(n.Get("guaranteedTargetTokens").IntegerIn(0, 1, "0 or 1")),
		ProposedAdditional: n.Get("proposedAdditionalTokens").Count(),
		AcceptedAdditional: n.Get("acceptedAdditionalTokens").Count(),
		Authoritative:      uint8(n.Get("targetAuthoritativeTokens").IntegerIn(0, 1, "0 or 1")),
	}
	words := make([]string, len(outcomes))
	for i, o := range outcomes {
		words[i] = o.String()
	}
	word := n.Get("outcome").OneOf(words...)
	for i := range words {
		if words[i] == word {
			it.Outcome = outcomes[i]
		}
	}
	for _, c := range []struct {
		key  string
		want int64
	}{{"iteration", number}, {"baseTokenLength", base}, {"proposedDraftTokens", it.ProposedDraftTokens()},
		{"acceptedDraftTokens", it.AcceptedDraftTokens()}, {"rejectedDraftTokens", it.RejectedDraftTokens()},
		{"committedTokens", it.CommittedTokens()}, {"finalTokenLength", it.FinalTokens()}} {
		if v := n.Get(c.key); v.OK() && v.Integer() != c.want {
			return it, issue.New("speculative_result", fmt.Sprintf("iterations[%d].%s", number, c.key), "is %d; expected %d", v.Integer(), c.want)
		}
	}
	return it, nil
}

// pagedKV reads the trace of a page cache and replays it. The configuration is that
// of its first event.
func pagedKV(events document.Node) (*trace.PagedKV, error) {
	var cfg workload.PagedKV
	for i, e := range events.Items() {
		if i == 0 {
			cfg = workload.PagedKV{SequenceID: e.Get("sequenceId").Text(), PageSizeTokens: e.Get("pageSizeTokens").Positive(),
				BytesPerToken: e.Get("bytesPerToken").Positive(), CapacityBytes: e.Get("capacityBytes").Positive(),
				InitialTokenLength: e.Get("initialTokenLength").Count(), SourceID: e.Get("sourceId").Text()}
		}
	}
	if !events.OK() {
		return nil, nil
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	_, tr, err := kvreplay.CheckDocument(cfg, events.Value())
	return tr, err
}
