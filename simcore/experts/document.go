package experts

import (
	"io"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Command is the command whose document a Run writes.
const Command = "expert-cache"

// Confidence is the class of a cache that stands alone. Its counts, extents and
// order are exact consequences of the protocol, but its latencies are the
// configuration's own numbers, which carry no provenance, and they decide order
// and stalls. The weakest input labels the result.
func (r *Run) Confidence() evidence.Class { return evidence.Timing(evidence.Heuristic) }

// Document writes the result of the command expert-cache (contract 05 section 3)
// as a whole file.
func (r *Run) Document(out io.Writer) error {
	w := jsondoc.NewWriter(out)
	r.WriteDocument(w)
	return w.Close()
}

// WriteDocument is Document on a writer that the caller closes.
func (r *Run) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Head(jsondoc.Head{
		Command:           Command,
		ContractRevisions: []jsondoc.Revision{{Name: "expertCache", Revision: trace.ExpertsContractRevision}},
		Confidence:        r.Confidence(),
	})
	w.Key("routes")
	r.writeRoutes(w)
	w.Key("snapshot")
	r.Trace.WriteSnapshot(w, &r.Snapshot)
	w.Key("replayAppliedEvents").Int(r.AppliedEvents)
	w.Key("trace")
	r.Trace.WriteEvents(w)
	w.End()
}

// writeRoutes writes the results of the routes in order; they are the accesses.
func (r *Run) writeRoutes(w *jsondoc.Writer) {
	w.Array()
	for i := range r.Trace.Events {
		if e := &r.Trace.Events[i]; e.Kind == trace.ExpertAccessed {
			w.Element().Object()
			r.Trace.WriteAccess(w, e)
			w.End()
		}
	}
	w.End()
}

// TraceKind and TraceRevision identify a trace document of an expert cache.
const (
	TraceKind     = trace.ExpertsDocumentKind
	TraceRevision = trace.ExpertsDocumentRevision
)

// TraceDocument writes the lossless trace as a file of its own: the workload that
// drove the cache, the events, and the state at the end, which is all that an
// independent replay needs. Package expertsreplay verifies it.
func (r *Run) TraceDocument(out io.Writer) error {
	w := jsondoc.NewWriter(out)
	r.WriteTraceDocument(w)
	return w.Close()
}

// WriteTraceDocument is TraceDocument on a writer that the caller closes.
func (r *Run) WriteTraceDocument(w *jsondoc.Writer) {
	WriteTrace(w, r.Trace, &r.Snapshot, &r.Config.Workload)
}

// WriteTrace writes the trace document of any cache. load is the workload that
// drove it alone; nil stands for a caller that counted tokens from 0 without a gap
// and retimed loads, as composed serving does, and the document then says when the
// cache was left.
func WriteTrace(w *jsondoc.Writer, tr *trace.Experts, s *trace.ExpertSnapshot, load *workload.ExpertWorkload) {
	w.Object()
	w.Key("kind").Text(TraceKind)
	w.Key("revision").Int(TraceRevision)
	w.Key("contractRevision").Int(trace.ExpertsContractRevision)
	w.Key("inputs").Object()
	if load != nil {
		w.Key("workload")
		writeWorkload(w, load)
	} else {
		w.Key("endNs").Int(s.CurrentTimeNs)
		w.Key("consecutiveTokens").Bool(true)
	}
	w.End()
	w.Key("trace")
	tr.WriteEvents(w)
	w.Key("snapshot")
	tr.WriteSnapshot(w, s)
	w.End()
}

func writeWorkload(w *jsondoc.Writer, load *workload.ExpertWorkload) {
	w.Object()
	w.Key("tokenCount").Int(load.TokenCount)
	w.Key("topK").Int(load.TopK)
	w.Key("startAtNs").Int(load.StartAtNs)
	w.Key("tokenIntervalNs").Int(load.TokenIntervalNs)
	if p := load.InitialPrefetch; p != nil {
		w.Key("initialPrefetch").Object()
		w.Key("expertIds").Texts(p.ExpertIDs)
		w.Key("targetTier").Text(string(p.TargetTier))
		w.Key("leadTimeNs").Int(p.LeadTimeNs)
		w.End()
	}
	w.End()
}
