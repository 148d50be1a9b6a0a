package result

import (
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ComposedTraceDocument writes the lossless traces of a run with an expert cache as
// a serving-trace document: beside the inputs that every such document has, the
// cache's configuration as it was before it was partitioned for the scenario; beside
// the scheduler's trace, the cache's own trace document and the physical trace of
// all plans on the shared clock. Batch durations follow from the physical trace:
// nothing in the document has to be believed.
func ComposedTraceDocument(w *jsondoc.Writer, run *composed.Run) {
	w.Object()
	w.Key("kind").Text(ServingTraceKind)
	w.Key("revision").Int(ServingTraceRevision)
	w.Key("contractRevision").Int(trace.ServingContractRevision)
	w.Key("compositionRevision").Int(workload.ServingExpertsRevision)
	w.Key("inputs")
	ComposedInputs(w, run)
	w.Key("trace")
	ServingTrace(w, run.Serving.Trace)
	w.Key("expertCache")
	experts.WriteTrace(w, run.Cache, &run.Snapshot, nil)
	w.Key("physical")
	run.Physical.Trace.Encode(w)
	w.End()
}

// ComposedInputs writes what a run with an expert cache was made from.
func ComposedInputs(w *jsondoc.Writer, run *composed.Run) {
	w.Object()
	servingInputMembers(w, run.Serving)
	w.Key("experts").Object()
	w.Key("topK").Int(run.Experts.TopK)
	w.Key("placementStrategy").Text(string(run.Experts.Strategy))
	w.Key("cache")
	trace.WriteExpertCache(w, &run.Experts.Cache)
	w.End()
	w.End()
}
