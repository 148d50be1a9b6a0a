package arrowio

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/workload"
)

// drafted is a replayed run of a draft model on a machine: a correction, a bonus
// and an accepted tail.
func drafted(t *testing.T) *simcore.SpeculativeExecution {
	t.Helper()
	cfg, err := simcore.Propose("draft_model", 5, 7, 2, simcore.Acceptance{Kind: workload.AcceptReplay, Accepted: []float64{1, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := simcore.Scenario("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	e, err := simcore.SpeculateOn(machine, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSpeculativeTables(t *testing.T) {
	e := drafted(t)
	alone := Speculative(e.Workload, Options{})
	// iteration, outcome, base, g, k, a, D, A, rejected, W, t, C, final.
	want := [][]string{
		{"0", "correction", "5", "0", "2", "1", "2", "1", "1", "3", "1", "2", "7", "", "", "", "", "", ""},
		{"1", "bonus", "7", "0", "2", "2", "2", "2", "0", "3", "1", "3", "10", "", "", "", "", "", ""},
		{"2", "accepted_tail", "10", "0", "2", "2", "2", "2", "0", "3", "0", "2", "12", "", "", "", "", "", ""},
	}
	its := alone.Iterations()
	if diff := cmp.Diff(want, its.Cells(0, its.NumRows())); diff != "" {
		t.Errorf("iterations (-want +got):\n%s", diff)
	}
	// position, proposals, trials, accepted, conditional, low, high, share, declared.
	positions := alone.AcceptanceByPosition()
	for i, row := range positions.Cells(0, positions.NumRows()) {
		want := [][]string{{"1", "3", "3", "3", "1"}, {"2", "3", "3", "2"}}[i]
		if diff := cmp.Diff(want, row[:len(want)]); diff != "" {
			t.Errorf("position %d (-want +got):\n%s", i+1, diff)
		}
		if row[8] != "" {
			t.Errorf("position %d of a replay declares %s", i+1, row[8])
		}
	}
}

// TestSpeculativeTimes: on a machine the iterations have times, which follow one
// another.
func TestSpeculativeTimes(t *testing.T) {
	e := drafted(t)
	table := SpeculativeOn(e.Workload, e.Run, e.Speculation, Options{}).Iterations()
	ends, _, err := table.Ints("finish_ns")
	if err != nil {
		t.Fatal(err)
	}
	starts, started, err := table.Ints("proposer_start_ns")
	if err != nil {
		t.Fatal(err)
	}
	for i := range ends {
		if started != nil && !started[i] || i > 0 && starts[i] != ends[i-1] {
			t.Errorf("iteration %d starts at %d, the one before ended at %d", i, starts[i], ends[max(i-1, 0)])
		}
	}
	if last := ends[len(ends)-1]; last != e.Run.Metrics.TotalDurationNs {
		t.Errorf("the last iteration ends at %d, the run at %d", last, e.Run.Metrics.TotalDurationNs)
	}
	if p := ProvenanceOf(table.Schema()); p.ScenarioID != "single-gpu-cpu" || p.Command != "run" {
		t.Errorf("provenance %+v", p)
	}
}

// TestSpeculativeTablesRoundTrip reads both tables back from CSV to the same cells.
func TestSpeculativeTablesRoundTrip(t *testing.T) {
	e := drafted(t)
	for _, opt := range []Options{{}, {PlainStrings: true}} {
		for i, want := range SpeculativeOn(e.Workload, e.Run, e.Speculation, opt).All() {
			var out bytes.Buffer
			if err := WriteCSV(&out, want); err != nil {
				t.Fatal(err)
			}
			got, err := ReadCSV(&out, "f", SpeculativeDeclarations()[i], ProvenanceOf(want.Schema()), opt, checked(t))
			if err != nil {
				t.Fatal(want.Name(), err)
			}
			if x, y := want.Cells(0, want.NumRows()), got.Cells(0, got.NumRows()); !reflect.DeepEqual(x, y) {
				t.Errorf("%s:\n%s", want.Name(), cmp.Diff(x, y))
			}
			got.Release()
		}
	}
}

// TestServingAcceptance counts the steps of all requests.
func TestServingAcceptance(t *testing.T) {
	machine, err := simcore.Scenario("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := simcore.ProposeServing("mtp", 3, simcore.AcceptanceLadder(0.8, 3))
	if err != nil {
		t.Fatal(err)
	}
	run, err := simcore.Serve(machine, simcore.Serving{MaxBatchSize: 4, MaxBatchTokens: 64, PrefillChunkTokens: 16, MaxKVTokens: 400,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 8, OutputTokens: 60}, {ID: "b", PromptTokens: 8, OutputTokens: 60}}},
		simcore.ServingOptions{Speculation: spec})
	if err != nil {
		t.Fatal(err)
	}
	table := Serving(run, Options{}).AcceptanceByPosition()
	trials, _, err := table.Ints("trials")
	if err != nil {
		t.Fatal(err)
	}
	declared, ok, err := table.Floats("declared_probability")
	if err != nil || table.NumRows() != 3 {
		t.Fatal(table.NumRows(), err)
	}
	for i, p := range speculative.ServingPositions(run.Trace.Decode) {
		if trials[i] != p.Trials || ok != nil && !ok[i] || declared[i] != spec.Acceptance.Probabilities[i] {
			t.Errorf("position %d: %d trials of %d, declared %v", i+1, trials[i], p.Trials, declared[i])
		}
	}
}
