package serving_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

func preset(t testing.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func simulate(t testing.TB, machine string, cfg workload.Serving) *serving.Run {
	t.Helper()
	run, err := serving.Simulate(preset(t, machine), cfg, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

var smallRun = workload.Serving{
	MaxBatchSize: 3, MaxBatchTokens: 12, PrefillChunkTokens: 6, MaxKVTokens: 40,
	Requests: []workload.Request{
		{ID: "first", ArrivalNs: 500, PromptTokens: 10, OutputTokens: 6},
		{ID: "second", ArrivalNs: 500, PromptTokens: 4, OutputTokens: 1},
		{ID: "third", ArrivalNs: 60_000_000, PromptTokens: 7, OutputTokens: 3, Priority: 1},
	},
}

// TestBatchDurationsOfOneGPU: with the default costs a dense batch of width w lasts
// 240,000 + 66,000·w ns on one GPU (contract 05 section 8).
func TestBatchDurationsOfOneGPU(t *testing.T) {
	run := simulate(t, "single-gpu-cpu", smallRun)
	if len(run.Trace.Batches) == 0 {
		t.Fatal("no batches")
	}
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		if want := 240_000 + 66_000*b.TokenWork; b.DurationNs != want {
			t.Errorf("batch %d of width %d lasts %d ns, want %d", i, b.TokenWork, b.DurationNs, want)
		}
		tpl := run.Templates[run.BatchPlans[i]]
		if tpl.DurationNs != b.DurationNs || tpl.TopologyNs != b.DurationNs || len(tpl.Plan.Steps) != 2 ||
			tpl.Operations != (serving.OperationCounts{Compute: 2}) {
			t.Errorf("batch %d: template %+v", i, tpl)
		}
	}
}

// TestRequestsAndMetrics works every figure of a small run out by hand: widths 10,
// 4, then decode steps of width 1 for the first request, and 6, 1, 1, 1 after the
// idle gap.
func TestRequestsAndMetrics(t *testing.T) {
	run := simulate(t, "single-gpu-cpu", smallRun)
	width := func(w int64) int64 { return 240_000 + 66_000*w }
	// 0: first+6 second+4 · 1: first+4 · 2-6: first · idle · 7: third+6 · 8: third+1 · 9,10: third
	b0 := 500 + width(10)
	f0 := b0 + width(4)
	first := []int64{f0, f0 + width(1), f0 + 2*width(1), f0 + 3*width(1), f0 + 4*width(1), f0 + 5*width(1)}
	t0 := 60_000_000 + width(6) + width(1)
	third := []int64{t0, t0 + width(1), t0 + 2*width(1)}
	times := func(i int) []int64 { return run.TokenTimes[run.Requests[i].TokensFrom:run.Requests[i].TokensTo] }
	for i, want := range [][]int64{first, {b0}, third} {
		if diff := cmp.Diff(want, times(i)); diff != "" {
			t.Errorf("token times of request %d:\n%s", i, diff)
		}
	}
	wantRequests := []serving.RequestResult{
		{Request: 0, ArrivalNs: 500, FirstTokenNs: f0, CompletedAtNs: first[5], TimeToFirstTokenNs: f0 - 500,
			LatencyNs: first[5] - 500, TokensFrom: 0, TokensTo: 6},
		{Request: 1, ArrivalNs: 500, FirstTokenNs: b0, CompletedAtNs: b0, TimeToFirstTokenNs: b0 - 500,
			LatencyNs: b0 - 500, TokensFrom: 6, TokensTo: 7},
		{Request: 2, ArrivalNs: 60_000_000, FirstTokenNs: t0, CompletedAtNs: third[2], TimeToFirstTokenNs: t0 - 60_000_000,
			LatencyNs: third[2] - 60_000_000, TokensFrom: 7, TokensTo: 10},
	}
	if diff := cmp.Diff(wantRequests, run.Requests); diff != "" {
		t.Errorf("requests:\n%s", diff)
	}
	service := width(10) + width(4) + 5*width(1) + width(6) + 3*width(1)
	total := third[2] - 500
	ttft := []int64{wantRequests[0].TimeToFirstTokenNs, wantRequests[1].TimeToFirstTokenNs, wantRequests[2].TimeToFirstTokenNs}
	want := serving.Metrics{
		Requests: 3, Batches: 11, PrefillTokens: 21, DecodeTokens: 7, OutputTokens: 10,
		TargetForwards: 7, TargetVerificationTokens: 7, TargetAuthoritativeTokens: 7, CommittedTokensPerTargetForward: 1,
		TotalDurationNs: total, BatchServiceNs: service,
		ThroughputTokensPerSecond:  10e9 / float64(total),
		AverageTimeToFirstTokenNs:  float64(ttft[0]+ttft[1]+ttft[2]) / 3,
		P50TimeToFirstTokenNs:      ttft[2], // 900,000 < 942,000 < 1,404,000
		P95TimeToFirstTokenNs:      ttft[0],
		AverageInterTokenLatencyNs: 306_000, P50InterTokenLatencyNs: 306_000, P95InterTokenLatencyNs: 306_000,
		AverageRequestLatencyNs: float64(wantRequests[0].LatencyNs+wantRequests[1].LatencyNs+wantRequests[2].LatencyNs) / 3,
		// 2 slices in the first batch, 1 in each of ten others; 21 prompt and 7 decode tokens
		SequenceBatchUtilization: 12.0 / 33, TokenBatchUtilization: 28.0 / 132,
		KVHighWaterTokens: 15,
	}
	if diff := cmp.Diff(want, run.Metrics); diff != "" {
		t.Errorf("metrics:\n%s", diff)
	}
	wantTopology := serving.TopologyMetrics{
		TotalDurationNs: total, BatchServiceNs: service, IdleNs: total - service, ResourceObservationNs: total,
		CompiledTopologyTemplates: int64(len(run.Templates)), ReusedTopologyBatches: 11 - int64(len(run.Templates)),
		PlanSteps: 22, ComputeOperations: 22, ComputeServiceNs: service,
		ResourceUtilization: []serving.Utilization{{ResourceID: "compute:node0:gpu0", BusyNs: service, CapacityLanes: 1,
			Utilization: float64(service) / float64(total)}},
	}
	if diff := cmp.Diff(wantTopology, run.Topology); diff != "" {
		t.Errorf("topology metrics:\n%s", diff)
	}
	// Shapes: {10,1 expected,2 prompts,1 final} {4,1} {1} {1 final} {6,0,1 prompt} {1 prompt end}; the decode
	// steps of both requests share two shapes.
	if len(run.Templates) != 6 {
		t.Errorf("%d templates, want 6", len(run.Templates))
	}
	if want := (serving.Replay{AppliedEvents: 3 + 22 + 1, CompletedRequests: 3}); run.Replay != want {
		t.Errorf("replay %+v, want %+v", run.Replay, want)
	}
	if run.Confidence != evidence.Heuristic || len(run.Assumptions) != 13 {
		t.Errorf("confidence %s, %d assumptions", run.Confidence, len(run.Assumptions))
	}
}

// TestOccurrencesCoverEveryBatch: the templates' occurrences are the batches, and
// all service time lies in them, on every machine.
func TestOccurrencesCoverEveryBatch(t *testing.T) {
	for _, machine := range topology.PresetNames() {
		run := simulate(t, machine, smallRun)
		var batches, service int64
		for _, tpl := range run.Templates {
			batches += tpl.Occurrences
			service += tpl.Occurrences * tpl.DurationNs
		}
		m := run.Topology
		if batches != run.Metrics.Batches || service != run.Metrics.BatchServiceNs {
			t.Errorf("%s: %d batches and %d ns in templates, want %d and %d",
				machine, batches, service, run.Metrics.Batches, run.Metrics.BatchServiceNs)
		}
		if m.CompiledTopologyTemplates+m.ReusedTopologyBatches != run.Metrics.Batches ||
			m.ComputeOperations+m.TransferOperations+m.CollectiveOperations != m.PlanSteps ||
			m.AllReduceOperations+m.AllToAllOperations != m.CollectiveOperations {
			t.Errorf("%s: counts do not add up: %+v", machine, m)
		}
		for i, u := range m.ResourceUtilization {
			if u.Utilization < 0 || u.Utilization > 1 || math.IsNaN(u.Utilization) ||
				i > 0 && u.Utilization > m.ResourceUtilization[i-1].Utilization {
				t.Errorf("%s: utilisation %+v", machine, u)
			}
		}
	}
}

// TestLateFirstArrivalShiftsTimesOnly: a first arrival after 0 changes absolute
// times and nothing else (contract 05 section 9 rules 2 and 3).
func TestLateFirstArrivalShiftsTimesOnly(t *testing.T) {
	moved := smallRun
	moved.Requests = append([]workload.Request(nil), smallRun.Requests...)
	const shift = 123_456_789
	for i := range moved.Requests {
		moved.Requests[i].ArrivalNs += shift
	}
	a, b := simulate(t, "multi-node", smallRun), simulate(t, "multi-node", moved)
	if diff := cmp.Diff(a.Metrics, b.Metrics); diff != "" {
		t.Errorf("metrics:\n%s", diff)
	}
	if diff := cmp.Diff(a.Topology, b.Topology); diff != "" {
		t.Errorf("topology metrics:\n%s", diff)
	}
	for i := range a.TokenTimes {
		if b.TokenTimes[i] != a.TokenTimes[i]+shift {
			t.Fatalf("token %d at %d ns, want %d", i, b.TokenTimes[i], a.TokenTimes[i]+shift)
		}
	}
}

func TestCompareRanksByDuration(t *testing.T) {
	machines := []*topology.Scenario{preset(t, "cpu-only"), preset(t, "unified-memory"), preset(t, "multi-gpu"), preset(t, "single-gpu-cpu")}
	c, err := serving.Compare(machines, smallRun, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for i, e := range c.Entries {
		order = append(order, e.Run.Scenario.ID())
		want := float64(e.Run.Topology.TotalDurationNs) / float64(c.Entries[0].Run.Topology.TotalDurationNs)
		if e.Rank != int64(i)+1 || e.RelativeToFastest != want {
			t.Errorf("entry %d: rank %d, relative %g, want %g", i, e.Rank, e.RelativeToFastest, want)
		}
	}
	// single-gpu-cpu and unified-memory last equally long: their ids decide.
	if diff := cmp.Diff([]string{"multi-gpu", "single-gpu-cpu", "unified-memory", "cpu-only"}, order); diff != "" {
		t.Errorf("order:\n%s", diff)
	}
	if _, err := serving.Compare(nil, smallRun, cost.Default(), serving.RunOptions{}); err == nil {
		t.Error("an empty list is accepted")
	}
	if _, err := serving.Compare(append(machines, preset(t, "cpu-only")), smallRun, cost.Default(), serving.RunOptions{}); err == nil {
		t.Error("a repeated scenario is accepted")
	}
}

// BenchmarkSimulate is the whole of a metrics-only run, replay included.
func BenchmarkSimulate(b *testing.B) {
	for _, shape := range benchShapes {
		b.Run(shape.name, func(b *testing.B) {
			scn := preset(b, "multi-gpu")
			b.ReportAllocs()
			var tokens int64
			for b.Loop() {
				run, err := serving.Simulate(scn, shape.cfg, cost.Default(), serving.RunOptions{})
				if err != nil {
					b.Fatal(err)
				}
				tokens += run.Metrics.OutputTokens
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
