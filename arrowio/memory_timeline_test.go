package arrowio_test

import (
	"strconv"
	"testing"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore"
)

func servedSmall(t *testing.T, machine string) *simcore.ServingRun {
	t.Helper()
	scn, err := simcore.Scenario(machine)
	if err != nil {
		t.Fatal(err)
	}
	run, err := simcore.Serve(scn, simcore.Serving{MaxBatchSize: 2, MaxBatchTokens: 12, PrefillChunkTokens: 6, MaxKVTokens: 60,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 8, OutputTokens: 5}, {ID: "b", PromptTokens: 4, OutputTokens: 3},
			{ID: "c", ArrivalNs: 900_000_000, PromptTokens: 3, OutputTokens: 2}}}, simcore.ServingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestMemoryTimelineIsWhatTheFigurePlots: the rows of a domain are the parts of its
// figure, sample by sample, to the last bit.
func TestMemoryTimelineIsWhatTheFigurePlots(t *testing.T) {
	run := servedSmall(t, "multi-gpu")
	table := arrowio.Serving(run, arrowio.Options{}).MemoryTimeline()
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	held := map[string][][]string{} // domain and purpose -> rows
	for _, row := range table.Cells(0, table.NumRows()) {
		held[row[0]+" "+row[1]] = append(held[row[0]+" "+row[1]], row)
	}
	figures := figure.MemoryTimelines(run.Scenario, figure.KV(run))
	if len(figures) < 2 {
		t.Fatalf("%d domains in the figure", len(figures))
	}
	for _, f := range figures {
		for _, p := range f.Constant {
			rows := held[f.Domain+" "+p.Purpose]
			if len(rows) != 1 || rows[0][2] != "0" || number(rows[0][3]) != float64(p.Bytes) || rows[0][4] != "" {
				t.Errorf("%s %s: %v, the figure holds %d bytes", f.Domain, p.Purpose, rows, p.Bytes)
			}
		}
		rows, drawn := held[f.Domain+" kv"], f.Table()
		if len(rows) != drawn.Len || drawn.Len < 10 {
			t.Fatalf("%s: %d rows of kv, the figure has %d", f.Domain, len(rows), drawn.Len)
		}
		for i, row := range rows {
			cells := drawn.Row(i)
			if row[2] != cells[0] || number(row[3]) != number(cells[len(cells)-2]) || row[6] != strconv.FormatInt(f.LimitBytes, 10) {
				t.Fatalf("%s row %d: %v, the figure has %v", f.Domain, i, row, cells)
			}
		}
	}
}

// TestMemoryTimelineNeedsAScenario: without a machine there is no memory.
func TestMemoryTimelineNeedsAScenario(t *testing.T) {
	if n := arrowio.Serving(samplerun.Small(), arrowio.Options{}).MemoryTimeline().NumRows(); n != 0 {
		t.Errorf("%d rows", n)
	}
}
