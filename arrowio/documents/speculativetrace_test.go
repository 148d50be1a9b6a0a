package documents_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/documents"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestSpeculativeTrace: the trace document gives the tables of the run that left it,
// and one that breaks a rule gives none.
func TestSpeculativeTrace(t *testing.T) {
	contract, err := workload.ContractOf(workload.DraftModel)
	if err != nil {
		t.Fatal(err)
	}
	s, err := speculative.Simulate(workload.SpeculativeRun{Family: workload.DraftModel, InitialTokens: 3, OutputTokens: 4, MaxAdditionalTokens: 2,
		Eligibility: contract.DefaultEligibility(), Acceptance: workload.Acceptance{Kind: workload.AcceptReplay, Accepted: []float64{1, 2}},
		PagedKV: &workload.PagedKV{SequenceID: "target", PageSizeTokens: 2, BytesPerToken: 1, CapacityBytes: 40}})
	if err != nil {
		t.Fatal(err)
	}
	w := jsondoc.NewWriter(nil)
	(&trace.SpeculativeDocument{Config: &s.Config, Trace: &s.Trace}).Write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text := string(w.Bytes())
	got, err := documents.Tables(strings.NewReader(text), arrowio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := arrowio.Speculative(s, arrowio.Options{}).All()
	if len(got) != len(want) {
		t.Fatalf("%d tables, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Name() != want[i].Name() || got[i].NumRows() != want[i].NumRows() {
			t.Errorf("table %d is %s of %d rows, want %s of %d", i, got[i].Name(), got[i].NumRows(), want[i].Name(), want[i].NumRows())
		}
		if diff := cmp.Diff(want[i].Cells(0, want[i].NumRows()), got[i].Cells(0, got[i].NumRows())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want[i].Name(), diff)
		}
		if diff := cmp.Diff(arrowio.ProvenanceOf(want[i].Schema()), arrowio.ProvenanceOf(got[i].Schema())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want[i].Name(), diff)
		}
	}
	broken := strings.Replace(text, `"outcome": "correction"`, `"outcome": "bonus"`, 1)
	var bad *speculativereplay.Mismatch
	if _, err := documents.Tables(strings.NewReader(broken), arrowio.Options{}); !errors.As(err, &bad) || bad.Rule != speculativereplay.IterationRow {
		t.Errorf("a changed outcome: %v", err)
	}
}
