package lab_test

import (
	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/notebooks/lab"
	"github.com/inferlab/inferlab/simcore"
)

// From nothing to a verdict and a table, as in a notebook cell. Outside a
// notebook the plain text of each display is printed.
func Example() {
	scenario := lab.Must(simcore.Scenario("multi-gpu"))
	run := lab.Must(simcore.Serve(scenario, simcore.Serving{
		MaxBatchSize: 8, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 10_000,
		Requests: []simcore.Request{
			{ID: "chat-1", PromptTokens: 900, OutputTokens: 1},
			{ID: "chat-2", ArrivalNs: 2_000_000, PromptTokens: 64, OutputTokens: 1},
		},
	}))
	tables := arrowio.Serving(run, arrowio.Options{})
	lab.Show(lab.NewTable("sizes", []string{"table", "rows"},
		[]any{"requests", tables.Requests().NumRows()},
		[]any{"tokens", tables.Tokens().NumRows()}))
	lab.Show(run.Confidence)
	// Output:
	// table     rows
	// requests     2
	// tokens       2
	// sizes, 2 rows
	// heuristic
}
