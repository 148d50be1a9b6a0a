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
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculativeResult reads the result of a speculative workload. Its iterations must
// follow from one another and its page cache is replayed; where it holds its inputs,
// they must give the whole document.
func speculativeResult(r io.Reader, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := resultTree(r)
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

// iteration reads one iteration, which begins at the given length.
func iteration(n document.Node, number, base int64) (trace.SpeculativeIteration, error) {
	pass := document.NewReader(*n.Value(), fmt.Sprintf("iterations[%d]", number))
	it := speculativereplay.ReadIteration(pass.Root(), number)
	if found := issue.All(pass.Err()); len(found) > 0 {
		return it, issue.New("speculative_result", found[0].Path, "%s", found[0].Message)
	}
	if it.BaseTokens != base {
		return it, issue.New("speculative_result", fmt.Sprintf("iterations[%d].baseTokenLength", number), "is %d; expected %d", it.BaseTokens, base)
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
