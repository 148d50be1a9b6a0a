package calibration_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

func resultDocument(t *testing.T, r *calibration.Result) map[string]any {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	r.WriteDocument(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(w.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCalibrateDocument(t *testing.T) {
	v := resultDocument(t, fit(t, withAllToAll(synthetic.Measure(1, 0, 3, 1, 6, 40))))
	if v["kind"] != "inferlab/result" || v["command"] != "calibrate" || v["confidence"] != "calibrated" || v["datasetId"] != "lab-1" {
		t.Errorf("%v", v)
	}
	groups := v["diagnostics"].([]any)
	if len(groups) != 15 {
		t.Fatalf("%d groups", len(groups))
	}
	want := map[string]any{"deviceKind": "gpu", "capability": "attention", "observationPoints": 3.0, "samples": 9.0, "minWorkItems": 1.0,
		"maxWorkItems": 40.0, "coefficientNs": 27100.0, "standardErrorNs": 0.0, "confidence95Ns": 0.0, "normalizedRmse": 0.0, "p95RelativeError": 0.0}
	if d := cmp.Diff(want, groups[6]); d != "" {
		t.Error(d)
	}
	model := v["costModel"].(map[string]any)
	if model["revision"] != 9.0 || len(model["transportCurves"].([]any)) != 3 || len(model["validWorkItemRanges"].(map[string]any)) != 3 {
		t.Errorf("%v", model)
	}
	var algorithms []string
	for _, c := range v["transportDiagnostics"].([]any) {
		algorithms = append(algorithms, c.(map[string]any)["algorithm"].(string))
	}
	if d := cmp.Diff([]string{"all_reduce_ring", "all_to_all_v", "point_to_point"}, algorithms); d != "" {
		t.Error(d)
	}
}

func TestRefusedDocumentListsItsRefusals(t *testing.T) {
	d := synthetic.Measure(4, 0.05, 5, 1, 6, 40)
	d.Quality.MaxNormalizedRMSE = 0.001
	r, err := calibration.Fit(d)
	if err == nil {
		t.Fatal("the gate let scatter of 5 % pass at 0.1 %")
	}
	v := resultDocument(t, r)
	if _, ok := v["costModel"]; ok {
		t.Error("a refused dataset has no model")
	}
	refusals := v["refusals"].([]any)
	if len(refusals) != len(r.Refusals) || len(refusals) < 15 {
		t.Fatalf("%d refusals", len(refusals))
	}
	first := refusals[0].(map[string]any)
	if first["group"] != "cpu invocation" || first["statistic"] != "normalizedRmse" || first["bound"] != 0.001 || len(first["points"].([]any)) != 1 {
		t.Errorf("%v", first)
	}
}

// Curves are ordered by their identity texts, so 12 participants precede 2 and one
// scenario id precedes its longer namesake.
func TestCurvesAreOrderedByIdentity(t *testing.T) {
	d := synthetic.Measure(1, 0, 3, 1, 6)
	d.Applicability.ScenarioIDs = []string{"multi-gpu-ring-4", "multi-gpu"}
	for _, p := range []int64{2, 12} {
		for _, bytes := range []int64{1, 2} {
			o := synthetic.AllReduce("r4-"+string(rune('a'+p))+string(rune('0'+bytes)), bytes, []int64{5, 5, 5})
			o.ScenarioID, o.ParticipantCount = "multi-gpu-ring-4", p
			d.Transports = append(d.Transports, o)
		}
	}
	type identity struct {
		scenario string
		n        int64
		op       string
	}
	var got []identity
	for _, c := range fit(t, d).Curves {
		got = append(got, identity{c.ScenarioID, c.ParticipantCount, string(c.Operation)})
	}
	want := []identity{{"multi-gpu", 2, "collective"}, {"multi-gpu", 2, "transfer"}, {"multi-gpu-ring-4", 12, "collective"}, {"multi-gpu-ring-4", 2, "collective"}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(identity{})); d != "" {
		t.Error(d)
	}
}
