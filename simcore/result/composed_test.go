package result_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	docvalue "github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

func composedRun(t testing.TB) *composed.Run {
	t.Helper()
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	x := workload.ServingExperts{TopK: 1, Strategy: workload.Contiguous, Cache: workload.ExpertCache{
		Experts: []workload.Expert{{ID: "a", Bytes: 1 << 20, RoutingWeight: 1}, {ID: "b", Bytes: 1 << 20, RoutingWeight: 1}, {ID: "c", Bytes: 1 << 20, RoutingWeight: 1}},
		// One expert of three fits an owner: every change of expert evicts.
		HotCapacityBytes: 1 << 20, WarmCapacityBytes: 2 << 20, RoutingSeed: 3,
	}}
	run, err := composed.Simulate(scn, tinyRun, x, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestComposedTraceDocumentHoldsEverything: the document holds the unpartitioned
// cache, a cache trace that its own checker accepts, and every operation.
func TestComposedTraceDocumentHoldsEverything(t *testing.T) {
	run := composedRun(t)
	var doc struct {
		Kind                string
		CompositionRevision int64
		Inputs              struct {
			Scenario, CostModel, Serving json.RawMessage
			Experts                      struct {
				TopK              int64
				PlacementStrategy string
				Cache             struct{ Experts []struct{ ID string } }
			}
		}
		Trace       []json.RawMessage
		ExpertCache json.RawMessage
		Physical    struct {
			Admissions, Operations, Terminals []json.RawMessage
		}
	}
	text := document(t, func(w *jsondoc.Writer) { result.ComposedTraceDocument(w, run) })
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Kind != "inferlab/serving-trace" || doc.CompositionRevision != 3 || doc.Inputs.Scenario == nil || doc.Inputs.CostModel == nil || doc.Inputs.Serving == nil {
		t.Errorf("head or inputs are missing: %q, revision %d", doc.Kind, doc.CompositionRevision)
	}
	if x := &doc.Inputs.Experts; x.TopK != 1 || x.PlacementStrategy != "contiguous" || len(x.Cache.Experts) != 3 {
		t.Errorf("expert inputs: %+v", x)
	}
	got := []int{len(doc.Trace), len(doc.Physical.Admissions), len(doc.Physical.Operations), len(doc.Physical.Terminals)}
	want := []int{len(run.Serving.Trace.Events), len(run.Physical.Requests), int(run.Physical.Operations), len(run.Physical.Requests)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events, admissions, operations, terminals (-run +document):\n%s", diff)
	}
	root, err := docvalue.ParseJSON(doc.ExpertCache, "expertCache")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := expertsreplay.ReadDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Verify(); err != nil {
		t.Error(err)
	}
}
