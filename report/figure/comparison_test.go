package figure_test

import (
	"testing"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/serving"
)

func TestComparisonFindings(t *testing.T) {
	rank := func(higher bool, values ...float64) string {
		f := figure.Ranking{Quantity: "Modeled duration", Unit: "ns", HigherIsBetter: higher}
		for i, v := range values {
			f.Rows = append(f.Rows, figure.Ranked{Label: string(rune('a' + i)), Value: v})
		}
		return f.Text().Title
	}
	for _, c := range []struct{ got, want string }{
		{rank(false, 2e9, 3e9), "a is first with 2 s, 1.5 × ahead of b"},
		{rank(true, 3e9, 2e9), "a is first with 3 s, 1.5 × ahead of b"},
		{rank(false, 1e9, 1.02e9), "a is first with 1 s, 2.0 % ahead of b"},
		{rank(false, 2e9, 2e9, 5e9), "a and b share the first place with 2 s"},
		{rank(false, 2e9), "a is first with 2 s"},
		{rank(true, 2e9, 0), "a is first with 2 s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	front := figure.Tradeoff{Points: []figure.TradeoffPoint{{"slow", 10, 50}, {"fast", 90, 80}, {"beaten", 10, 60}, {"quick", 40, 20}}}
	if got, want := front.Text().Title, "2 of 4 runs are a choice between throughput and p95 TTFT"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := front.Text().Caption, "Not beaten in both: quick, fast."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	runs := []*serving.Run{
		sample.Run(sample.Options{Requests: 20, Output: 10, Rate: 30, Scenario: preset(t, "multi-gpu")}),
		sample.Run(sample.Options{Requests: 20, Output: 10, Rate: 30, Scenario: preset(t, "unified-memory")}),
	}
	for name, f := range map[string]figure.Figure{"ttft": figure.CompareTTFT(runs), "itl": figure.CompareITL(runs), "tradeoff": figure.CompareTradeoff(runs), "front": front} {
		for _, o := range []figure.Options{{}, {Page: true, Width: 350}} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wellFormed(t, name, svg)
		}
		if f.Table().Len < 2 {
			t.Errorf("%s: %d table rows", name, f.Table().Len)
		}
	}
	if got, want := figure.CompareTTFT(runs).Text().Title, "p95 TTFT is "+unit.Duration(float64(runs[0].Metrics.P95TimeToFirstTokenNs))+" on every machine"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
