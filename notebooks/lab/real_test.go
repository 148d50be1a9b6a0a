package lab

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore"
)

// A run of the simulator itself, with an id that would like to be markup.
func TestShowSimulatedRun(t *testing.T) {
	scenario, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := simcore.Serve(scenario, simcore.Serving{
		MaxBatchSize: 8, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 10_000,
		Requests: []simcore.Request{
			{ID: "<img src=x>", PromptTokens: 900, OutputTokens: 12},
			{ID: "plain", ArrivalNs: 2_000_000, PromptTokens: 64, OutputTokens: 40},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	shown, _, status := captured(t, func() { Show(run) })
	if status != 0 || !strings.HasPrefix(shown, "2 requests served in a modeled ") {
		t.Errorf("status %d, shown:\n%s", status, shown)
	}
	for _, table := range arrowio.Serving(run, arrowio.Options{}).All() {
		b := bundles(table)[0]
		if !strings.Contains(b.text(mimeText), table.Name()+", ") || strings.Contains(b.text(mimeHTML), "<img") {
			t.Errorf("table %s:\n%s", table.Name(), b.text(mimeText))
		}
	}
	b := bundles(arrowio.Serving(run, arrowio.Options{}).Requests())[0]
	for _, want := range []string{"<bdi>&lt;img src=x&gt;</bdi>", "<bdi>2,000,000</bdi>", "<bdi>900</bdi>"} {
		if !strings.Contains(b.text(mimeHTML), want) {
			t.Errorf("the table of requests lacks %q:\n%s", want, b.text(mimeHTML))
		}
	}
}
