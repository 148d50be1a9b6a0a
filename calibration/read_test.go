package calibration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// tree is a dataset as its file, decoded, so that a test can spoil it anywhere.
func tree(t testing.TB, d *calibration.Dataset) map[string]any {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	d.WriteFile(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(w.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func read(t testing.TB, v any, strict bool) (*calibration.Dataset, []document.Warning, error) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse(text, "cal.json")
	if err != nil {
		t.Fatal(err)
	}
	return calibration.Read(doc, strict)
}

// allToAll is a collective with a traffic signature, at two sizes.
func withAllToAll(d *calibration.Dataset) *calibration.Dataset {
	for _, bytes := range []int64{5000, 90000} {
		o := synthetic.AllReduce("", bytes, []int64{900 + bytes/100, 901 + bytes/100, 902 + bytes/100})
		o.ID = map[int64]string{5000: "a2a-small", 90000: "a2a-large"}[bytes]
		o.Algorithm, o.TrafficSignature = "all_to_all_v", cost.SignaturePrefix+"[[1,2],[0,0]]"
		o.LinkIDs = o.LinkIDs[:1]
		d.Transports = append(d.Transports, o)
	}
	return d
}

func TestFilesReadBack(t *testing.T) {
	d := withAllToAll(synthetic.Measure(2, 0.01, 4, 1, 6))
	d.Provenance.Notes = "quotes \" and \u2028 and é"
	got, warnings, err := read(t, tree(t, d), true)
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Error(diff)
	}
	bare, _, err := read(t, tree(t, d)["calibration"], true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, bare); diff != "" {
		t.Errorf("without the wrapper: %s", diff)
	}
}

func TestUnknownKeysAreIgnoredAloud(t *testing.T) {
	d := synthetic.Measure(2, 0.01, 4, 1, 6)
	v := tree(t, d)
	v["calibration"].(map[string]any)["provenance"].(map[string]any)["measured_on"] = "x"
	got, warnings, err := read(t, v, false)
	if err != nil || len(warnings) != 1 || warnings[0].Path != "calibration.provenance.measured_on" {
		t.Fatalf("%v, %v", warnings, err)
	}
	if got.Fingerprint() != d.Fingerprint() {
		t.Error("an ignored key changed the fingerprint")
	}
	if _, _, err := read(t, v, true); err == nil || !strings.Contains(err.Error(), "measured_on") {
		t.Errorf("strict: %v", err)
	}
}

// at walks a decoded file by keys and indices.
func at(v any, steps ...any) map[string]any {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			v = v.(map[string]any)[s]
		case int:
			v = v.([]any)[s]
		}
	}
	return v.(map[string]any)
}

func TestEveryBadDatasetIsRefusedWithItsPath(t *testing.T) {
	// Positions in synthetic.Measure(…, 1, 6): 0 cpu-launch, 1 and 2 cpu attention, 3 and 4
	// cpu ffn; transports 0 bus, 1 ring, 2 bus, 3 ring, 4 and 5 all-to-all.
	set := func(key string, value any, steps ...any) func(map[string]any) {
		return func(c map[string]any) { at(c, steps...)[key] = value }
	}
	drop := func(key string, steps ...any) func(map[string]any) {
		return func(c map[string]any) { delete(at(c, steps...), key) }
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		paths  []string // of all issues
		named  []string
	}{
		{"older revision", set("revision", 2), []string{"calibration.revision"}, []string{"2", "3"}},
		{"revision as text", set("revision", "3"), []string{"calibration.revision"}, nil},
		{"no id", drop("id"), []string{"calibration.id"}, nil},
		{"blank id", set("id", " \u00a0\ufeff"), []string{"id"}, nil},
		{"unknown evidence", set("kind", "simulated", "provenance"), []string{"calibration.provenance.kind"}, []string{"simulated"}},
		{"no source", drop("source", "provenance"), []string{"calibration.provenance.source"}, nil},
		{"blank stack", set("software_stack", "\t", "provenance"), []string{"provenance.software_stack"}, nil},
		{"no artifact", set("model_artifact", 4, "provenance"), []string{"calibration.provenance.model_artifact"}, nil},
		{"measured without a date", drop("measured_at", "provenance"), []string{"provenance.measured_at"}, nil},
		{"null notes", set("notes", nil, "provenance"), []string{"calibration.provenance.notes"}, []string{"null"}},
		{"blank notes", set("notes", "", "provenance"), []string{"calibration.provenance.notes"}, nil},
		{"no scenario", set("scenario_ids", []any{}, "applicability"), []string{"applicability.scenario_ids"}, nil},
		{"scenario twice", set("scenario_ids", []any{"multi-gpu", "multi-gpu"}, "applicability"), []string{"applicability.scenario_ids[1]"}, []string{"multi-gpu"}},
		{"scenario as text", set("scenario_ids", "multi-gpu", "applicability"), []string{"calibration.applicability.scenario_ids"}, nil},
		{"blank label", set("npu", "", "applicability", "device_kind_labels"), []string{"applicability.device_kind_labels.npu"}, nil},
		{"no label", drop("gpu", "applicability", "device_kind_labels"), []string{"calibration.applicability.device_kind_labels.gpu"}, nil},
		{"zero constant", set("cold_load_byte_multiplier", 0, "model_constants"), []string{"calibration.model_constants.cold_load_byte_multiplier"}, nil},
		{"two samples are enough?", set("min_samples_per_point", 2, "quality"), []string{"quality.min_samples_per_point"}, nil},
		{"gate of nothing", set("max_normalized_rmse", 0, "quality"), []string{"quality.max_normalized_rmse"}, nil},
		{"gate above one", set("max_p95_relative_error", 1.5, "quality"), []string{"quality.max_p95_relative_error"}, nil},
		{"unknown kind", set("device_kind", "tpu", "observations", 3), []string{"calibration.observations[3].device_kind"}, []string{"tpu"}},
		{"unknown capability", set("capability", "mlp", "observations", 3), []string{"calibration.observations[3].capability"}, []string{"mlp"}},
		{"items as text", set("work_items", "6", "observations", 2), []string{"calibration.observations[2].work_items"}, nil},
		{"half a nanosecond", set("durations_ns", []any{1.0, 2.5}, "observations", 2), []string{"calibration.observations[2].durations_ns[1]"}, []string{"cpu-attention-6"}},
		{"no duration", set("durations_ns", []any{0}, "observations", 2), []string{"calibration.observations[2].durations_ns[0]"}, []string{"cpu-attention-6"}},
		{"invocation with work", set("work_items", 1, "observations", 0), []string{"observations[0].work_items"}, []string{"cpu-launch"}},
		{"work without work", set("work_items", 0, "observations", 1), []string{"observations[1].work_items"}, []string{"cpu-attention-1"}},
		{"two samples", set("durations_ns", []any{1, 2}, "observations", 4), []string{"observations[4].durations_ns"}, []string{"cpu-ffn-6", "3"}},
		{"id twice", set("id", "cpu-ffn-1", "observations", 4), []string{"observations[4].id"}, []string{"cpu-ffn-1"}},
		{"blank regime", set("regime", " ", "observations", 4), []string{"observations[4].regime"}, []string{"cpu-ffn-6"}},
		{"one distinct point", set("work_items", 1, "observations", 4), []string{"observations"}, []string{"cpu", "ffn"}},
		{"no transports", set("transport_observations", []any{}), []string{"transport_observations"}, nil},
		{"no observations key", drop("observations"), []string{"calibration.observations"}, nil},
		{"unknown operation", set("operation", "copy", "transport_observations", 0), []string{"calibration.transport_observations[0].operation"}, []string{"copy"}},
		{"null signature", set("traffic_signature", nil, "transport_observations", 0), []string{"calibration.transport_observations[0].traffic_signature"}, nil},
		{"no bytes", set("bytes", 0, "transport_observations", 0), []string{"calibration.transport_observations[0].bytes"}, []string{"bus-1000"}},
		{"one sample", set("durations_ns", []any{1}, "transport_observations", 1), []string{"transport_observations[1].durations_ns"}, []string{"ring-1000"}},
		{"transport id twice", set("id", "bus-1000", "transport_observations", 1), []string{"transport_observations[1].id"}, []string{"bus-1000"}},
		{"size twice", set("bytes", 1000, "transport_observations", 2), []string{"transport_observations[2].bytes"}, []string{"bus-1000000", "bus-1000"}},
		{"another scenario", set("scenario_id", "multi-node", "transport_observations", 0),
			[]string{"transport_observations[0].scenario_id"}, []string{"bus-1000", "multi-node"}},
		{"two links in a transfer", set("link_ids", []any{"a", "b"}, "transport_observations", 0),
			[]string{"transport_observations[0].link_ids"}, []string{"bus-1000"}},
		{"three in a transfer", set("participant_count", 3, "transport_observations", 0),
			[]string{"transport_observations[0].participant_count"}, nil},
		{"link twice", set("link_ids", []any{"a", "a"}, "transport_observations", 1),
			[]string{"transport_observations[1].link_ids[1]"}, nil},
		{"no link", set("link_ids", []any{}, "transport_observations", 1),
			[]string{"transport_observations[1].link_ids"}, nil},
		{"alone in a collective", set("participant_count", 1, "transport_observations", 1),
			[]string{"transport_observations[1].participant_count"}, []string{"ring-1000"}},
		{"signature unwanted", set("traffic_signature", cost.SignaturePrefix+"[[1,2],[0,0]]", "transport_observations", 1),
			[]string{"transport_observations[1].traffic_signature"}, []string{"ring-1000"}},
		{"signature missing", drop("traffic_signature", "transport_observations", 4),
			[]string{"transport_observations[4].traffic_signature"}, []string{"a2a-small"}},
		{"signature reducible", set("traffic_signature", cost.SignaturePrefix+"[[2,4],[0,0]]", "transport_observations", 4),
			[]string{"transport_observations[4].traffic_signature"}, []string{"[[1,2],[0,0]]"}},
		{"signature with spaces", set("traffic_signature", cost.SignaturePrefix+"[[1, 2],[0,0]]", "transport_observations", 4),
			[]string{"transport_observations[4].traffic_signature"}, nil},
		{"signature of three", set("traffic_signature", cost.SignaturePrefix+"[[1,2,0],[0,0,0],[0,0,0]]", "transport_observations", 4),
			[]string{"transport_observations[4].traffic_signature"}, []string{"3 x 3", "2"}},
	} {
		v := tree(t, withAllToAll(synthetic.Measure(2, 0.01, 4, 1, 6)))
		c.change(v["calibration"].(map[string]any))
		_, _, err := read(t, v, false)
		var paths []string
		for _, i := range issue.All(err) {
			paths = append(paths, i.Path)
		}
		if diff := cmp.Diff(c.paths, paths); diff != "" {
			t.Errorf("%s: %s (%v)", c.name, diff, err)
			continue
		}
		for _, said := range c.named {
			if !strings.Contains(err.Error(), said) {
				t.Errorf("%s: %q is not said in %v", c.name, said, err)
			}
		}
	}
}

func TestGroupsMustBeCovered(t *testing.T) {
	d := synthetic.Measure(2, 0.01, 4, 1, 6)
	d.Observations = d.Observations[:len(d.Observations)-2] // npu lookup
	issues := issue.All(d.Validate())
	if len(issues) != 1 || issues[0].Code != "coverage" || !strings.Contains(issues[0].Message, "npu lookup has 0") {
		t.Errorf("%v", issues)
	}
	d.Observations[18-9].Capability = "nothing" // gpu-launch
	if err := d.Validate(); err == nil || !strings.Contains(err.Error(), "gpu invocation has 0") {
		t.Errorf("%v", err)
	}
}

// A file of arbitrary bytes is read or refused, never more.
func FuzzRead(f *testing.F) {
	w := jsondoc.NewWriter(nil)
	withAllToAll(synthetic.Measure(2, 0.01, 3, 1, 6)).WriteFile(w)
	f.Add(w.Bytes())
	f.Add([]byte("calibration: {revision: 3, observations: [{id: }]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.Parse(data, "cal.yaml")
		if err != nil {
			return
		}
		d, _, err := calibration.Read(doc, false)
		if err != nil {
			return
		}
		if r, err := calibration.Fit(d); err == nil {
			if err := r.Model.Validate(); err != nil {
				t.Fatalf("a fitted model is not valid: %v", err)
			}
		}
	})
}
