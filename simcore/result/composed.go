package result

import (
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Composed writes the document of the serving command with an expert cache
// (contract 05 section 7.1). The summary leaves out the trace, the batches and the
// token times.
func Composed(w *jsondoc.Writer, run *composed.Run, form Form) {
	beginServing(w, run.Serving, form, func() { ComposedInputs(w, run) })
	if form == Full {
		w.Key("batches")
		servingBatches(w, run.Serving, func(i int) batchFigures {
			return batchFigures{&run.Serving.Templates[i], run.Batches[i].CacheConstraintNs, run.Batches[i].Routes}
		})
	}
	w.Key("expertCache")
	composedCache(w, run)
	w.Key("physical").Object()
	w.Key("completedAtNs").Int(run.Physical.CompletedAtNs)
	w.Key("maximumConcurrentExecutions").Int(run.Physical.MaximumConcurrentExecutions)
	w.Key("operations").Int(run.Physical.Operations)
	w.Key("replayAppliedEvents").Int(run.Physical.ReplayAppliedEvents)
	w.End()
	w.End()
}

// composedCache writes what the cache did and holds at the end.
func composedCache(w *jsondoc.Writer, run *composed.Run) {
	w.Object()
	w.Key("contractRevision").Int(workload.ServingExpertsRevision)
	w.Key("metrics")
	run.Snapshot.Metrics.Write(w)
	w.Key("hotExpertIds")
	run.Cache.WriteExpertIDs(w, run.Snapshot.Hot.Experts)
	w.Key("warmExpertIds")
	run.Cache.WriteExpertIDs(w, run.Snapshot.Warm.Experts)
	run.Cache.WritePartitions(w, "hotPartitions", run.Snapshot.Hot.Partitions)
	run.Cache.WritePartitions(w, "warmPartitions", run.Snapshot.Warm.Partitions)
	w.Key("routes").Int(int64(len(run.Cache.Accesses)))
	w.Key("traceEvents").Int(int64(len(run.Cache.Events)))
	w.Key("replayAppliedEvents").Int(run.CacheAppliedEvents)
	w.End()
}
