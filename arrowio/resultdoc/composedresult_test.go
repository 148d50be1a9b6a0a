package resultdoc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestComposedRunComesBack: the document alone gives the whole run again, traces of
// the cache and of all plans included.
func TestComposedRunComesBack(t *testing.T) {
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 4, PrefillChunkTokens: 4, MaxKVTokens: 12,
		Requests: []workload.Request{{ID: "r", PromptTokens: 5, OutputTokens: 2}, {ID: "late", ArrivalNs: 50_000_000, PromptTokens: 1, OutputTokens: 2, Priority: -3}}}
	x := workload.ServingExperts{TopK: 1, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		Experts:          []workload.Expert{{ID: "a", Bytes: 1 << 20, RoutingWeight: 1.5}, {ID: "b", Bytes: 1 << 20, RoutingWeight: 1}, {ID: "c", Bytes: 1 << 20, RoutingWeight: 1}},
		HotCapacityBytes: 1 << 20, WarmCapacityBytes: 2 << 20, RoutingSeed: 3,
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 2, MaxExpertsPerDecision: 1},
	}}
	run, err := composed.Simulate(scn, cfg, x, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, func(w *jsondoc.Writer) { result.Composed(w, run, result.Full) })
	back, err := resultdoc.ComposedRun(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run.Cache, back.Cache, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the cache's trace (-run +read):\n%s", diff)
	}
	if diff := cmp.Diff(run.Physical.Trace, back.Physical.Trace); diff != "" {
		t.Errorf("the physical trace (-run +read):\n%s", diff)
	}
	if diff := cmp.Diff(run.Serving.Metrics, back.Serving.Metrics); diff != "" {
		t.Errorf("metrics (-run +read):\n%s", diff)
	}
	changed := bytes.Replace(text, []byte(`"completedAtNs": `), []byte(`"completedAtNs": 1`), 1)
	if _, err := resultdoc.ComposedRun(changed); err == nil {
		t.Error("a document that was changed by hand is accepted")
	}
	dense, err := serving.Simulate(scn, cfg, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	none, err := resultdoc.ComposedRun(written(t, func(w *jsondoc.Writer) { result.Serving(w, dense, result.Full) }))
	if err != nil || none != nil {
		t.Errorf("a run without a cache: %v, %v", none, err)
	}
	if _, err := resultdoc.ComposedRun(written(t, func(w *jsondoc.Writer) { result.Composed(w, run, result.Summary) })); err == nil || !strings.Contains(err.Error(), "summary") {
		t.Errorf("a summary: %v", err)
	}
}

func written(t *testing.T, write func(*jsondoc.Writer)) []byte {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}
