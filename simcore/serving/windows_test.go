package serving_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// joined puts windows together again.
type joined struct {
	tr      trace.Serving
	plans   []int32
	windows int
}

func (j *joined) take(w *serving.Window) error {
	j.windows++
	tr, batches := &j.tr, int32(len(j.tr.Batches))
	prefill, decode, tokens, completed := int32(len(tr.Prefill)), int32(len(tr.Decode)), int32(len(tr.Tokens)), int32(len(tr.Completed))
	for _, e := range w.Trace.Events {
		if e.Kind == trace.ServingBatchStart || e.Kind == trace.ServingBatchFinish {
			e.Ref += batches
		}
		tr.Events = append(tr.Events, e)
	}
	for _, b := range w.Trace.Batches {
		b.PrefillFrom, b.PrefillTo = b.PrefillFrom+prefill, b.PrefillTo+prefill
		b.DecodeFrom, b.DecodeTo = b.DecodeFrom+decode, b.DecodeTo+decode
		b.TokensFrom, b.TokensTo = b.TokensFrom+tokens, b.TokensTo+tokens
		b.CompletedFrom, b.CompletedTo = b.CompletedFrom+completed, b.CompletedTo+completed
		tr.Batches = append(tr.Batches, b)
	}
	tr.Prefill, tr.Decode = append(tr.Prefill, w.Trace.Prefill...), append(tr.Decode, w.Trace.Decode...)
	tr.Tokens, tr.Completed = append(tr.Tokens, w.Trace.Tokens...), append(tr.Completed, w.Trace.Completed...)
	j.plans = append(j.plans, w.BatchPlans...)
	return nil
}

// streamEquals streams a configuration and compares everything with the whole run.
func streamEquals(t rapid.TB, cfg workload.Serving, opts serving.RunOptions, windowTokens int) (windows int) {
	t.Helper()
	machine := presetOf(t, "multi-gpu")
	whole, err := serving.Simulate(machine, cfg, cost.Default(), opts)
	if err != nil {
		t.Fatal(err)
	}
	var j joined
	run, err := serving.Stream(machine, cfg, cost.Default(), opts, windowTokens, j.take)
	if err != nil {
		t.Fatal(err)
	}
	j.tr.RequestIDs, j.tr.CompletedRequests, j.tr.TotalOutputTokens = whole.Trace.RequestIDs, run.Trace.CompletedRequests, run.Trace.TotalOutputTokens
	if diff := cmp.Diff(whole.Trace, &j.tr, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("windows of %d tokens (-whole +joined):\n%s", windowTokens, diff)
	}
	if diff := cmp.Diff(whole.BatchPlans, j.plans); diff != "" {
		t.Fatal(diff)
	}
	ranges := cmpopts.IgnoreFields(serving.RequestResult{}, "TokensFrom", "TokensTo")
	if diff := cmp.Diff(whole.Requests, run.Requests, ranges); diff != "" {
		t.Fatal(diff)
	}
	for name, pair := range map[string][2]any{"metrics": {whole.Metrics, run.Metrics}, "topology": {whole.Topology, run.Topology},
		"replay": {whole.Replay, run.Replay}, "assumptions": {whole.Assumptions, run.Assumptions}, "revisions": {whole.ContractRevisions, run.ContractRevisions}} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Fatalf("%s (-whole +streamed):\n%s", name, diff)
		}
	}
	if len(run.Templates) != len(whole.Templates) || len(run.Trace.Tokens) != 0 || run.TokenTimes != nil || run.BatchPlans != nil {
		t.Fatalf("%d templates, %d rows of tokens are kept", len(run.Templates), len(run.Trace.Tokens))
	}
	return j.windows
}

func presetOf(t rapid.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStreamEqualsSimulate: whatever the workload and the length of its windows, a
// run that streams is the run that is kept.
func TestStreamEqualsSimulate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streamEquals(t, drawConfig(t), serving.RunOptions{}, rapid.IntRange(1, 40).Draw(t, "window"))
	})
	if n := streamEquals(t, smallRun, serving.RunOptions{}, 2); n < 4 {
		t.Errorf("%d windows", n)
	}
}

// TestStreamWithSpeculation: the acceptance streams of the requests and of their
// checker run on over the windows.
func TestStreamWithSpeculation(t *testing.T) {
	contract, err := workload.ContractOf("mtp")
	if err != nil {
		t.Fatal(err)
	}
	spec := &workload.ServingSpeculation{Family: "mtp", MaxAdditionalTokens: 2, Eligibility: contract.DefaultEligibility(),
		Acceptance: workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: []float64{0.8, 0.5}, Seed: 5}}
	cfg := smallRun
	cfg.MaxBatchTokens, cfg.MaxKVTokens = 24, 400
	cfg.Requests = []workload.Request{{ID: "a", PromptTokens: 8, OutputTokens: 90}, {ID: "b", PromptTokens: 8, OutputTokens: 120}}
	if n := streamEquals(t, cfg, serving.RunOptions{Speculation: spec}, 16); n < 8 {
		t.Errorf("%d windows", n)
	}
}

// TestStreamDeadlock: a deadlock is diagnosed and confirmed over windows.
func TestStreamDeadlock(t *testing.T) {
	cfg := workload.Serving{Admission: workload.AdmitUnguarded, MaxBatchSize: 4, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 24,
		Requests: []workload.Request{{ID: "p", PromptTokens: 6, OutputTokens: 12}, {ID: "q", PromptTokens: 5, OutputTokens: 12}}}
	_, whole := serving.Simulate(presetOf(t, "multi-gpu"), cfg, cost.Default(), serving.RunOptions{})
	windows := 0
	_, err := serving.Stream(presetOf(t, "multi-gpu"), cfg, cost.Default(), serving.RunOptions{}, 3, func(*serving.Window) error { windows++; return nil })
	var a, b *serving.Deadlock
	if !errors.As(whole, &a) || !errors.As(err, &b) || a.Error() != b.Error() || windows == 0 {
		t.Errorf("streamed in %d windows: %v\nwhole: %v", windows, err, whole)
	}
}

// TestStreamStopsWithItsReceiver: an error of the receiver ends the run.
func TestStreamStopsWithItsReceiver(t *testing.T) {
	full := errors.New("no space left")
	calls := 0
	_, err := serving.Stream(presetOf(t, "multi-gpu"), smallRun, cost.Default(), serving.RunOptions{}, 1, func(*serving.Window) error {
		calls++
		if calls == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 2 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

// BenchmarkStream compares with BenchmarkSimulate: windows cost nothing.
func BenchmarkStream(b *testing.B) {
	cfg := uniform(512, 0, 64, 256, workload.Serving{MaxBatchSize: 256, MaxBatchTokens: 2048, PrefillChunkTokens: 512, MaxKVTokens: 1 << 20})
	machine := presetOf(b, "multi-gpu")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := serving.Stream(machine, cfg, cost.Default(), serving.RunOptions{}, 0, func(*serving.Window) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(512*256)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
