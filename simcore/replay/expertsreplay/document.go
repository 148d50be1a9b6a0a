package expertsreplay

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Document is a trace document of an expert cache: inferlab/expert-cache-trace.
type Document struct {
	Input    Input
	Fault    *trace.EventFault // the event at which the readable part of the trace ends
	Snapshot *document.Value   // exported final state, nil when absent
	events   int64
}

// ReadDocument reads a trace document. Only what lies around the events is refused
// here; an event that is none is the Fault, which Verify reports at its place.
func ReadDocument(root document.Value) (*Document, error) {
	r := document.NewReader(root, "")
	n := r.Root()
	if n.Closed([]string{"kind", "revision", "contractRevision", "inputs", "trace"}, "snapshot") {
		n.Get("kind").OneOf(trace.ExpertsDocumentKind)
		exactly(n.Get("revision"), trace.ExpertsDocumentRevision)
		exactly(n.Get("contractRevision"), trace.ExpertsContractRevision)
	}
	d := &Document{}
	inputs := n.Get("inputs")
	if inputs.Object() {
		inputs.Closed(nil, "workload", "endNs", "consecutiveTokens")
		d.Input.EndNs = inputs.Get("endNs").CountOr(0)
		d.Input.ConsecutiveTokens = inputs.Get("consecutiveTokens").BoolOr(false)
		if w := inputs.Get("workload"); w.Present() {
			d.Input.Workload = readWorkload(w)
		}
	}
	d.events = int64(n.Get("trace").Len())
	if s := n.Get("snapshot"); s.Present() {
		d.Snapshot = s.Value()
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	d.Input.Trace, d.Fault = trace.ReadExperts(n.Get("trace").Value())
	return d, nil
}

func exactly(n document.Node, want int64) {
	if v := n.Integer(); n.OK() && v != want {
		n.Refuse(issue.New(document.CodeChoice, n.Path(), "%d is not supported, expected %d", v, want))
	}
}

func readWorkload(n document.Node) *workload.ExpertWorkload {
	n.Closed([]string{"tokenCount", "topK", "startAtNs", "tokenIntervalNs"}, "initialPrefetch")
	w := &workload.ExpertWorkload{
		TokenCount: n.Get("tokenCount").Count(), TopK: n.Get("topK").Positive(),
		StartAtNs: n.Get("startAtNs").Count(), TokenIntervalNs: n.Get("tokenIntervalNs").Count(),
	}
	if p := n.Get("initialPrefetch"); p.Present() {
		p.Closed([]string{"expertIds", "targetTier", "leadTimeNs"})
		w.InitialPrefetch = &workload.InitialPrefetch{
			ExpertIDs: p.Get("expertIds").Texts(), TargetTier: workload.SourceTier(p.Get("targetTier").OneOf("hot", "warm")),
			LeadTimeNs: p.Get("leadTimeNs").Count(),
		}
	}
	return w
}

// Verify replays the document and compares the state that it exports. The error,
// when there is one, is a *Mismatch: the first event that breaks a rule, or the
// length of the trace when something is missing or the states differ.
func (d *Document) Verify() (Result, error) {
	p, err := CheckPrefix(d.Input)
	if err != nil {
		return Result{}, err
	}
	if d.Fault != nil {
		return Result{}, &Mismatch{Index: d.Fault.Index, Rule: Rule(d.Fault.Code), Detail: d.Fault.Detail}
	}
	r, err := p.finish()
	if err != nil || d.Snapshot == nil {
		return r, err
	}
	if same, err := d.exported(&r); err != nil || !same {
		return Result{}, &Mismatch{Index: d.events, Rule: SnapshotDiffers, Detail: "the exported state is not the replayed one", Cause: err}
	}
	return r, nil
}

// exported compares the exported state with the replayed one, as JSON values.
func (d *Document) exported(r *Result) (bool, error) {
	w := jsondoc.NewWriter(nil)
	d.Input.Trace.WriteSnapshot(w, &r.Snapshot)
	if err := w.Close(); err != nil {
		return false, err
	}
	return d.Snapshot.IsJSON(w.Bytes())
}
