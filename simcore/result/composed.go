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
	s := run.Serving
	w.Object()
	w.Head(jsondoc.Head{
		Command:             "serving",
		ContractRevisions:   s.ContractRevisions,
		ScenarioFingerprint: s.Scenario.Fingerprint(),
		Confidence:          s.Confidence,
	})
	w.Key("scenarioId").Text(s.Scenario.ID())
	w.Key("assumptions").Texts(s.Assumptions)
	if form == Full {
		w.Key("inputs")
		ComposedInputs(w, run)
	}
	w.Key("metrics")
	servingTopology(w, &s.Topology)
	w.Key("serving").Object()
	w.Key("metrics")
	servingMetrics(w, &s.Metrics)
	w.Key("requests")
	servingRequests(w, s, form)
	if form == Full {
		w.Key("trace")
		ServingTrace(w, s.Trace)
	}
	w.Key("replay").Object()
	w.Key("appliedEvents").Int(s.Replay.AppliedEvents)
	w.Key("completedRequests").Int(s.Replay.CompletedRequests)
	w.Key("finalKvTokens").Int(s.Replay.FinalKVTokens)
	w.End()
	w.End()
	if form == Full {
		w.Key("batches")
		composedBatches(w, run)
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

// composedBatches writes the batches with the figures of their own plans.
func composedBatches(w *jsondoc.Writer, run *composed.Run) {
	s := run.Serving
	work := newBatchWriter(w, s.Trace)
	w.Array()
	for i := range s.Trace.Batches {
		t, b := &s.Templates[i], &run.Batches[i]
		w.Element().Object()
		w.Key("batchId").Int(int64(i))
		w.Key("work")
		work.write(i)
		w.Key("durationNs").Int(s.Trace.Batches[i].DurationNs)
		w.Key("topologyDurationNs").Int(t.TopologyNs)
		w.Key("cacheConstraintNs").Int(b.CacheConstraintNs)
		w.Key("expertRoutes").Int(b.Routes)
		w.Key("planSteps").Int(int64(len(t.Plan.Steps)))
		w.Key("operationCounts").Object()
		w.Key("compute").Int(t.Operations.Compute)
		w.Key("transfer").Int(t.Operations.Transfer)
		w.Key("collective").Int(t.Operations.Collective)
		w.Key("allReduce").Int(t.Operations.AllReduce)
		w.Key("allToAll").Int(t.Operations.AllToAll)
		w.End()
		w.End()
	}
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
