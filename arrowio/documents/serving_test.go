package documents_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
)

// servingDocuments are the full result of two requests on two GPUs, and its trace.
func servingDocuments(t testing.TB) (full, protocol string) {
	t.Helper()
	s, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := simcore.Serve(s, simcore.Serving{MaxBatchSize: 2, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 64,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 12, OutputTokens: 3}, {ID: "b", ArrivalNs: 7, PromptTokens: 5, OutputTokens: 2, Priority: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	text := func(write func(*jsondoc.Writer)) string {
		w := jsondoc.NewWriter(nil)
		write(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return string(w.Bytes())
	}
	return text(func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) }), text(func(w *jsondoc.Writer) { result.ServingTraceDocument(w, run) })
}

// TestServingResult: a result gives the tables of its trace, operations included, and
// one without inputs those of what it says.
func TestServingResult(t *testing.T) {
	full, protocol := servingDocuments(t)
	want := cells(t, protocol)
	if _, ok := want["operations"]; !ok || len(want) != 9 {
		t.Fatalf("the trace gives %d tables", len(want))
	}
	for _, text := range []string{full, strings.ReplaceAll(full, "\n", "\n ")} {
		if diff := cmp.Diff(want, cells(t, text)); diff != "" {
			t.Error(diff)
		}
	}
	if old := cells(t, strings.Replace(full, `"inputs": `, `"was": `, 1)); len(old) != 6 {
		t.Errorf("without inputs there are %d tables", len(old))
	}
}

// TestChangedServingResult: no value of a result has to be believed.
func TestChangedServingResult(t *testing.T) {
	full, _ := servingDocuments(t)
	for _, c := range [][3]string{
		{`"throughputTokensPerSecond": `, `"throughputTokensPerSecond": 1`, "result_replay"},
		{`"resourceUtilization": `, `"utilization": `, "result_replay"},
		{`"sourceSequence": 1`, `"sourceSequence": 11`, "result_replay"},
		{`"sequenceCount": 1`, `"sequenceCount": 2`, "result_replay"},
		{`"planSteps": `, `"planSteps": 1`, "result_replay"},
		{`"assumptions": [`, `"assumptions": ["none",`, "result_replay"},
	} {
		changed := strings.Replace(full, c[0], c[1], 1)
		if changed == full {
			t.Fatalf("the document does not hold %s", c[0])
		}
		refused(t, changed, c[2])
	}
}

// TestChangedServingTrace: no value of a trace has to be believed either, not even one
// that no table shows.
func TestChangedServingTrace(t *testing.T) {
	_, protocol := servingDocuments(t)
	for _, c := range [][3]string{
		{`"sourceSequence": 1`, `"sourceSequence": 11`, "result_replay"},
		{`"sequenceCount": 1`, `"sequenceCount": 2`, "result_replay"},
		{`"committedTokens": 1`, `"committedTokens": 2`, "result_replay"},
		{`"contractRevision": 3`, `"contractRevision": 4`, "result_replay"},
		{`"kind": "arrival"`, `"kind": "arrival", "note": 1`, "result_replay"},
	} {
		changed := strings.Replace(protocol, c[0], c[1], 1)
		if changed == protocol {
			t.Fatalf("the document does not hold %s", c[0])
		}
		refused(t, changed, c[2])
	}
}
