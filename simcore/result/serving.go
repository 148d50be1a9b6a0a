package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Form says how much of a run's evidence a document holds.
type Form uint8

// The two forms of a document.
const (
	Full    Form = iota // everything
	Summary             // without per-batch and per-token evidence
)

// Serving writes the document of the serving command (contract 05 section 7.1).
// The full form also holds the inputs, so that it stands alone; the summary leaves
// them out, and the trace, the batches and the token times. Every other key is the
// same. The document is streamed: its size costs no memory.
func Serving(w *jsondoc.Writer, run *serving.Run, form Form) {
	beginServing(w, run, form, func() { ServingInputs(w, run) })
	if run.Gain != nil {
		w.Key("speculationGain")
		servingGain(w, run.Gain)
	}
	if form == Full {
		w.Key("batches")
		servingBatches(w, run, func(i int) batchFigures { return batchFigures{template: &run.Templates[run.BatchPlans[i]]} })
	}
	w.End()
}

// beginServing opens the document of a serving run with all that one with and one
// without an expert cache have in common; inputs writes a value.
func beginServing(w *jsondoc.Writer, run *serving.Run, form Form, inputs func()) {
	w.Object()
	w.Head(jsondoc.Head{
		Command:             "serving",
		ContractRevisions:   run.ContractRevisions,
		ScenarioFingerprint: run.Scenario.Fingerprint(),
		Confidence:          run.Confidence,
	})
	w.Key("scenarioId").Text(run.Scenario.ID())
	w.Key("assumptions").Texts(run.Assumptions)
	if form == Full {
		w.Key("inputs")
		inputs()
	}
	w.Key("metrics")
	servingTopology(w, &run.Topology)
	w.Key("serving").Object()
	w.Key("metrics")
	servingMetrics(w, &run.Metrics)
	w.Key("requests")
	servingRequests(w, run, form)
	if form == Full {
		w.Key("trace")
		ServingTrace(w, run.Trace)
	}
	w.Key("replay").Object()
	w.Key("appliedEvents").Int(run.Replay.AppliedEvents)
	w.Key("completedRequests").Int(run.Replay.CompletedRequests)
	w.Key("finalKvTokens").Int(run.Replay.FinalKVTokens)
	w.End()
	w.End()
}

// servingTopology writes the metrics of contract 05 section 6.9.
func servingTopology(w *jsondoc.Writer, m *serving.TopologyMetrics) {
	w.Object()
	w.Key("totalDurationNs").Int(m.TotalDurationNs)
	w.Key("batchServiceNs").Int(m.BatchServiceNs)
	w.Key("idleNs").Int(m.IdleNs)
	w.Key("resourceObservationNs").Int(m.ResourceObservationNs)
	w.Key("backgroundDrainNs").Int(m.BackgroundDrainNs)
	w.Key("compiledTopologyTemplates").Int(m.CompiledTopologyTemplates)
	w.Key("reusedTopologyBatches").Int(m.ReusedTopologyBatches)
	w.Key("planSteps").Int(m.PlanSteps)
	w.Key("computeOperations").Int(m.ComputeOperations)
	w.Key("transferOperations").Int(m.TransferOperations)
	w.Key("collectiveOperations").Int(m.CollectiveOperations)
	w.Key("allReduceOperations").Int(m.AllReduceOperations)
	w.Key("allToAllOperations").Int(m.AllToAllOperations)
	w.Key("computeServiceNs").Int(m.ComputeServiceNs)
	w.Key("transferServiceNs").Int(m.TransferServiceNs)
	w.Key("collectiveServiceNs").Int(m.CollectiveServiceNs)
	w.Key("resourceUtilization").Array()
	for i := range m.ResourceUtilization {
		u := &m.ResourceUtilization[i]
		w.Element().Object()
		w.Key("resourceId").Text(u.ResourceID)
		w.Key("busyNs").Int(u.BusyNs)
		w.Key("capacityLanes").Int(u.CapacityLanes)
		w.Key("utilization").Float(u.Utilization)
		w.End()
	}
	w.End()
	w.End()
}

// servingMetrics writes the metrics of contract 05 section 4.9.
func servingMetrics(w *jsondoc.Writer, m *serving.Metrics) {
	w.Object()
	w.Key("requests").Int(m.Requests)
	w.Key("batches").Int(m.Batches)
	w.Key("prefillTokens").Int(m.PrefillTokens)
	w.Key("decodeTokens").Int(m.DecodeTokens)
	w.Key("outputTokens").Int(m.OutputTokens)
	w.Key("targetForwards").Int(m.TargetForwards)
	w.Key("targetVerificationTokens").Int(m.TargetVerificationTokens)
	w.Key("guaranteedTargetTokens").Int(m.GuaranteedTargetTokens)
	w.Key("proposedAdditionalTokens").Int(m.ProposedAdditionalTokens)
	w.Key("acceptedAdditionalTokens").Int(m.AcceptedAdditionalTokens)
	w.Key("proposedDraftTokens").Int(m.ProposedDraftTokens)
	w.Key("acceptedDraftTokens").Int(m.AcceptedDraftTokens)
	w.Key("rejectedDraftTokens").Int(m.RejectedDraftTokens)
	w.Key("targetAuthoritativeTokens").Int(m.TargetAuthoritativeTokens)
	w.Key("committedTokensPerTargetForward").Float(m.CommittedTokensPerTargetForward)
	w.Key("totalDurationNs").Int(m.TotalDurationNs)
	w.Key("batchServiceNs").Int(m.BatchServiceNs)
	w.Key("throughputTokensPerSecond").Float(m.ThroughputTokensPerSecond)
	w.Key("averageTimeToFirstTokenNs").Float(m.AverageTimeToFirstTokenNs)
	w.Key("p50TimeToFirstTokenNs").Int(m.P50TimeToFirstTokenNs)
	w.Key("p95TimeToFirstTokenNs").Int(m.P95TimeToFirstTokenNs)
	w.Key("averageInterTokenLatencyNs").Float(m.AverageInterTokenLatencyNs)
	w.Key("p50InterTokenLatencyNs").Int(m.P50InterTokenLatencyNs)
	w.Key("p95InterTokenLatencyNs").Int(m.P95InterTokenLatencyNs)
	w.Key("averageRequestLatencyNs").Float(m.AverageRequestLatencyNs)
	w.Key("sequenceBatchUtilization").Float(m.SequenceBatchUtilization)
	w.Key("tokenBatchUtilization").Float(m.TokenBatchUtilization)
	w.Key("kvHighWaterTokens").Int(m.KVHighWaterTokens)
	w.End()
}

// servingRequests writes one entry a request, in the order of the run's table.
func servingRequests(w *jsondoc.Writer, run *serving.Run, form Form) {
	w.Array()
	for i := range run.Requests {
		r := &run.Requests[i]
		w.Element().Object()
		w.Key("id").Text(run.Trace.RequestIDs[r.Request])
		w.Key("arrivalNs").Int(r.ArrivalNs)
		w.Key("firstTokenNs").Int(r.FirstTokenNs)
		w.Key("completedAtNs").Int(r.CompletedAtNs)
		w.Key("timeToFirstTokenNs").Int(r.TimeToFirstTokenNs)
		w.Key("latencyNs").Int(r.LatencyNs)
		if form == Full {
			w.Key("tokenTimestampsNs").Ints(run.TokenTimes[r.TokensFrom:r.TokensTo])
		}
		w.End()
	}
	w.End()
}

// batchFigures are the figures of a batch's plan, and what experts cost it.
type batchFigures struct {
	template                  *serving.Template
	cacheConstraintNs, routes int64
}

// servingBatches writes the batches with the figures of their plans.
func servingBatches(w *jsondoc.Writer, run *serving.Run, of func(i int) batchFigures) {
	work := newBatchWriter(w, run.Trace)
	w.Array()
	for i := range run.Trace.Batches {
		f := of(i)
		t := f.template
		w.Element().Object()
		w.Key("batchId").Int(int64(i))
		w.Key("work")
		work.write(i)
		w.Key("durationNs").Int(run.Trace.Batches[i].DurationNs)
		w.Key("topologyDurationNs").Int(t.TopologyNs)
		w.Key("cacheConstraintNs").Int(f.cacheConstraintNs)
		w.Key("expertRoutes").Int(f.routes)
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

// ServingTrace writes the array of trace events (contract 05 section 4.8).
func ServingTrace(w *jsondoc.Writer, tr *trace.Serving) {
	work := newBatchWriter(w, tr)
	w.Array()
	for i, e := range tr.Events {
		w.Element().Object()
		w.Key("contractRevision").Int(trace.ServingContractRevision)
		w.Key("sourceSequence").Int(int64(i))
		w.Key("kind").Text(e.Kind.String())
		w.Key("atNs").Int(e.AtNs)
		switch e.Kind {
		case trace.ServingArrival:
			w.Key("requestId").Text(tr.RequestIDs[e.Ref])
		case trace.ServingBatchStart:
			b := &tr.Batches[e.Ref]
			w.Key("batch")
			work.write(int(e.Ref))
			w.Key("durationNs").Int(b.DurationNs)
			w.Key("kvTokensBefore").Int(b.KVTokensBefore)
			w.Key("transientKvTokens").Int(b.TransientKVTokens)
		case trace.ServingBatchFinish:
			batchFinish(w, tr, e.Ref)
		case trace.ServingTerminal:
			w.Key("completedRequests").Int(tr.CompletedRequests)
			w.Key("totalOutputTokens").Int(tr.TotalOutputTokens)
			w.Key("kvTokensAfter").Int(tr.FinalKVTokens)
		}
		w.End()
	}
	w.End()
}

func batchFinish(w *jsondoc.Writer, tr *trace.Serving, id int32) {
	b := &tr.Batches[id]
	w.Key("batchId").Int(int64(id))
	w.Key("emittedTokens").Array()
	for _, t := range tr.Tokens[b.TokensFrom:b.TokensTo] {
		w.Element().Object()
		w.Key("requestId").Text(tr.RequestIDs[t.Request])
		w.Key("tokenIndex").Int(int64(t.Index))
		w.Key("source").Text(t.Source.String())
		w.End()
	}
	w.End()
	w.Key("completedRequestIds").Array()
	for _, r := range tr.Completed[b.CompletedFrom:b.CompletedTo] {
		w.Element().Text(tr.RequestIDs[r])
	}
	w.End()
	w.Key("kvTokensAfter").Int(b.KVTokensAfter)
}

// batchWriter writes batch objects.
type batchWriter struct {
	w  *jsondoc.Writer
	tr *trace.Serving
}

func newBatchWriter(w *jsondoc.Writer, tr *trace.Serving) *batchWriter {
	return &batchWriter{w: w, tr: tr}
}

func (x *batchWriter) write(id int) {
	w, tr, b := x.w, x.tr, &x.tr.Batches[id]
	w.Object()
	w.Key("batchId").Int(int64(id))
	w.Key("prefill").Array()
	for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
		w.Element().Object()
		w.Key("requestId").Text(tr.RequestIDs[p.Request])
		w.Key("tokens").Int(p.Tokens)
		w.End()
	}
	w.End()
	w.Key("decode").Array()
	for i := b.DecodeFrom; i < b.DecodeTo; i++ {
		w.Element()
		x.decode(&tr.Decode[i])
	}
	w.End()
	w.Key("tokenWork").Int(b.TokenWork)
	w.Key("sequenceCount").Int(b.SequenceCount())
	w.Key("expectedOutputTokens").Int(b.ExpectedOutputTokens)
	w.End()
}

func (x *batchWriter) decode(d *trace.DecodeSlice) {
	w := x.w
	w.Object()
	w.Key("requestId").Text(x.tr.RequestIDs[d.Request])
	w.Key("mode").Text(d.Mode.String())
	w.Key("guaranteedTargetTokens").Int(int64(d.Guaranteed))
	w.Key("proposedAdditionalTokens").Int(int64(d.ProposedAdditional))
	w.Key("proposedDraftTokens").Int(d.ProposedDraftTokens())
	w.Key("targetTokenWidth").Int(d.TargetTokenWidth())
	w.Key("acceptedAdditionalTokens").Int(int64(d.AcceptedAdditional))
	w.Key("acceptedDraftTokens").Int(d.AcceptedDraftTokens())
	w.Key("rejectedDraftTokens").Int(d.RejectedDraftTokens())
	w.Key("targetAuthoritativeTokens").Int(int64(d.Authoritative))
	w.Key("committedTokens").Int(d.CommittedTokens())
	w.Key("outcome").Text(d.Outcome.String())
	w.End()
}
