package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// The identity of a serving trace document.
const (
	ServingTraceKind           = "inferlab/serving-trace"
	ServingTraceRevision int64 = 1
)

// ServingTraceDocument writes a run's lossless trace as a document of its own,
// with all that an independent replay needs: the scenario, the cost model, the
// scheduler's configuration and, if there is one, the proposer's.
func ServingTraceDocument(w *jsondoc.Writer, run *serving.Run) {
	w.Object()
	w.Key("kind").Text(ServingTraceKind)
	w.Key("revision").Int(ServingTraceRevision)
	w.Key("contractRevision").Int(trace.ServingContractRevision)
	w.Key("inputs")
	ServingInputs(w, run)
	w.Key("trace")
	ServingTrace(w, run.Trace)
	w.End()
}

// servingConfig writes the scheduler's settings, defaults filled in (contract 05
// section 4.1).
func servingConfig(w *jsondoc.Writer, c *workload.Serving) {
	w.Object()
	w.Key("maxBatchSize").Int(c.MaxBatchSize)
	w.Key("maxBatchTokens").Int(c.MaxBatchTokens)
	w.Key("prefillChunkTokens").Int(c.PrefillChunkTokens)
	w.Key("maxKvTokens").Int(c.MaxKVTokens)
	w.Key("maxEvents").Int(c.MaxEvents)
	if c.Admission != workload.AdmitGuarded {
		w.Key("admission").Text(c.Admission.String())
	}
	w.Key("requests").Array()
	for i := range c.Requests {
		r := &c.Requests[i]
		w.Element().Object()
		w.Key("id").Text(r.ID)
		w.Key("arrivalNs").Int(r.ArrivalNs)
		w.Key("promptTokens").Int(r.PromptTokens)
		w.Key("outputTokens").Int(r.OutputTokens)
		w.Key("priority").Int(r.Priority)
		w.End()
	}
	w.End()
	w.End()
}
