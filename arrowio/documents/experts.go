package documents

import (
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// expertCache reads the trace document of an expert cache.
func expertCache(r io.ReadSeeker, _ head, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := tree(r)
	if err != nil {
		return nil, err
	}
	d, err := expertsreplay.ReadDocument(root)
	if err != nil {
		return nil, err
	}
	return replayedExperts(d, opt)
}

// expertResult reads the result of an expert cache that stands alone, which holds
// its whole trace and its final state. Where it holds its inputs, they must give the
// whole document.
func expertResult(r io.Reader, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := resultTree(r)
	if err != nil {
		return nil, err
	}
	pass := document.NewReader(root, "")
	n := pass.Root()
	events, snapshot := n.Get("trace"), n.Get("snapshot")
	events.Len()
	d := &expertsreplay.Document{Snapshot: snapshot.Value()}
	d.Input.EndNs = snapshot.Get("currentTimeNs").Count()
	if err := pass.Err(); err != nil {
		return nil, err
	}
	d.Input.Trace, d.Fault = trace.ReadExperts(events.Value())
	return replayedExperts(d, opt)
}

// replayedExperts are the tables of a trace that its checker accepts.
func replayedExperts(d *expertsreplay.Document, opt arrowio.Options) ([]*arrowio.Table, error) {
	replayed, err := d.Verify()
	if err != nil {
		return nil, err
	}
	p := arrowio.Provenance{Command: experts.Command, Confidence: evidence.Timing(evidence.Heuristic),
		Revisions: []jsondoc.Revision{{Name: "expertCache", Revision: trace.ExpertsContractRevision}}}
	return arrowio.Experts(d.Input.Trace, replayed.Snapshot.CurrentTimeNs, p, opt).All(), nil
}
