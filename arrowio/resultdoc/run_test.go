package resultdoc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// TestRunOfDocument: what the document holds comes back as it was.
func TestRunOfDocument(t *testing.T) {
	run := simulated(t, 40)
	got, err := Run(bytes.NewReader(written(t, run, result.Full)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Scenario.Fingerprint() != run.Scenario.Fingerprint() {
		t.Errorf("scenario %s, want %s", got.Scenario.Fingerprint(), run.Scenario.Fingerprint())
	}
	if diff := cmp.Diff(run, got, cmpopts.IgnoreTypes(&topology.Scenario{}), cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(serving.Run{}, "Templates", "BatchPlans")); diff != "" {
		t.Errorf("the run differs (-written +read):\n%s", diff)
	}
	for i := range got.Trace.Batches {
		a, b := &got.Templates[got.BatchPlans[i]], &run.Templates[run.BatchPlans[i]]
		if a.TopologyNs != b.TopologyNs || a.Operations != b.Operations {
			t.Errorf("batch %d: %+v, want %+v", i, a, b)
		}
	}
}

// TestChangedDocument: a document that was changed by hand is refused.
func TestChangedDocument(t *testing.T) {
	doc := string(written(t, simulated(t, 12), result.Full))
	for _, c := range []struct{ name, old, new, want string }{
		{"scenario", `"bandwidthBytesPerSec": `, `"bandwidthBytesPerSec": 1`, "scenarioFingerprint"},
		{"configuration", `"maxBatchSize": 8`, `"maxBatchSize": 3`, "serving.trace"},
		{"replay", `"appliedEvents": `, `"appliedEvents": 1`, "serving.replay"},
		{"admission", `"maxBatchSize": 8`, `"admission": "hopeful", "maxBatchSize": 8`, "inputs.serving.admission"},
		{"no inputs", `"inputs": {`, `"outputs": {`, "inputs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := strings.Replace(doc, c.old, c.new, 1)
			if changed == doc {
				t.Fatalf("the document has no %s", c.old)
			}
			_, err := Run(strings.NewReader(changed))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %s", err, c.want)
			}
		})
	}
}

// TestSummaryWithTrace: a summary and the trace document give what the full
// document gives, but for the figures of the batches' plans.
func TestSummaryWithTrace(t *testing.T) {
	run := simulated(t, 40)
	w := jsondoc.NewWriter(nil)
	result.ServingTraceDocument(w, run)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := Run(bytes.NewReader(written(t, run, result.Full)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := RunWithTrace(bytes.NewReader(written(t, run, result.Summary)), bytes.NewReader(w.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(&topology.Scenario{}), cmpopts.IgnoreFields(serving.Template{}, "TopologyNs", "Operations")); diff != "" {
		t.Errorf("the run differs (-full +summary):\n%s", diff)
	}
	other := jsondoc.NewWriter(nil)
	result.ServingTraceDocument(other, simulated(t, 39))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := RunWithTrace(bytes.NewReader(written(t, run, result.Summary)), bytes.NewReader(other.Bytes())); err == nil {
		t.Error("the trace of another run was taken")
	}
}
