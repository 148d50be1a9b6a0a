package documents_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/documents"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
)

const expertConfig = `{"expert_cache":{"experts":[{"id":"a","bytes":10,"routing_weight":2},{"id":"b","bytes":10},{"id":"c","bytes":10}],
	"hot_capacity_bytes":20,"warm_capacity_bytes":20,"warm_to_hot_latency_ns":3,"cold_to_hot_latency_ns":30,"cold_to_warm_latency_ns":20,
	"adaptive_prefetch":{"target_tier":"warm","min_observations":1,"interval_tokens":4,"max_experts_per_decision":1}},
	"workload":{"token_count":12,"top_k":1,"token_interval_ns":10}}`

// expertRun drives an expert cache.
func expertRun(t testing.TB) *experts.Run {
	t.Helper()
	root, err := document.ParseJSON([]byte(expertConfig), "")
	if err != nil {
		t.Fatal(err)
	}
	cfg, _, err := experts.ReadConfig(root, true)
	if err != nil {
		t.Fatal(err)
	}
	run, err := experts.Simulate(*cfg)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// expertDocuments are the result of a run, the same with its inputs, and its trace.
func expertDocuments(t testing.TB) (plain, withInputs, protocol string) {
	t.Helper()
	run := expertRun(t)
	var result, traced bytes.Buffer
	if err := errors.Join(run.Document(&result), run.TraceDocument(&traced)); err != nil {
		t.Fatal(err)
	}
	plain = result.String()
	return plain, strings.Replace(plain, `"routes": [`, `"inputs": {"config": `+expertConfig+`}, "routes": [`, 1), traced.String()
}

// TestExpertResult: the tables of a result, with and without its inputs, are those
// of its trace.
func TestExpertResult(t *testing.T) {
	plain, withInputs, protocol := expertDocuments(t)
	want := cells(t, protocol)
	if len(want) != 3 {
		t.Fatalf("the trace gives %d tables; want 3", len(want))
	}
	for name, text := range map[string]string{"plain": plain, "with inputs": withInputs} {
		if diff := cmp.Diff(want, cells(t, text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestChangedExpertResult: a result whose trace breaks a rule, does not fit its
// workload or does not end in its state is refused.
func TestChangedExpertResult(t *testing.T) {
	plain, withInputs, _ := expertDocuments(t)
	for name, text := range map[string]string{
		"event": inTrace(plain, `"stallNs": 30`, `"stallNs": 31`),
		"state": strings.Replace(plain, `"hotResidentBytes": 20`, `"hotResidentBytes": 10`, 1),
	} {
		_, err := documents.Tables(strings.NewReader(text), arrowio.Options{})
		var mismatch *expertsreplay.Mismatch
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: error %v; want a mismatch", name, err)
		}
	}
	refused(t, strings.Replace(withInputs, `"token_count":12`, `"token_count":13`, 1), "result_replay")
	refused(t, strings.Replace(withInputs, `"stallNs": 30`, `"stallNs": 31`, 1), "result_replay") // of a route
	refused(t, strings.Replace(plain, `"trace": [`, `"events": [`, 1), "missing")
	refused(t, strings.Replace(plain, `"currentTimeNs": `, `"currentTimeNs": -`, 1), document.CodeRange)
}

// inTrace replaces a text behind the routes and the state.
func inTrace(text, old, new string) string {
	at := strings.Index(text, `"trace": [`)
	return text[:at] + strings.Replace(text[at:], old, new, 1)
}

// cells are the rows of all tables of a document.
func cells(t *testing.T, text string) map[string][][]string {
	t.Helper()
	tables, err := documents.Tables(strings.NewReader(text), arrowio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]string{}
	for _, table := range tables {
		all[table.Name()] = table.Cells(0, table.NumRows())
	}
	return all
}
