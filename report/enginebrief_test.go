package report_test

import (
	"html"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
)

// What a notebook shows of a result is the head of the result's page.
func TestEngineBriefs(t *testing.T) {
	drafted, cached, both := speculativeResult(t, "multi-gpu"), expertRun(t, 60), composedRun(t)
	ranked := compared(t, 12)
	fitted, err := calibration.Fit(workedDataset(t))
	if err != nil {
		t.Fatal(err)
	}
	work, err := simcore.TargetOnly(4)
	if err != nil {
		t.Fatal(err)
	}
	families, err := simcore.Compare(work)
	if err != nil {
		t.Fatal(err)
	}
	none := report.Meta{}
	for _, c := range []struct {
		value          any
		verdict, title string
		numbers        int
		page           func() ([]byte, error)
	}{
		{both.Serving, "2 requests served in a modeled 73.5 ms at 313 output tokens/s.", "p95 TTFT 21.1 ms, 24.3 × the median; p95 ITL 340 µs", 8, func() ([]byte, error) { return report.Serving(both.Serving, none) }},
		{both, "2 requests served in a modeled 73.5 ms at 313 output tokens/s.", "p95 TTFT 21.1 ms, 24.3 × the median", 8, func() ([]byte, error) { return report.Composed(both, none) }},
		{ranked, "multi-gpu serves the 12 requests first, in a modeled 355 ms", "p95 TTFT from 264 ms on multi-gpu to 4.41 s on cpu-only", 4, func() ([]byte, error) { return report.ServingComparison(ranked, none) }},
		{families, "multi-gpu finishes the workload first, in a modeled 1.1 ms", "multi-gpu is first with 1.1 ms", 4, func() ([]byte, error) { return report.Comparison(families, none) }},
		{cached, "56.7 % of 120 accesses found their expert hot; routes stalled", "56.7 % of 120 accesses are hot, 33.3 % cold", 6, func() ([]byte, error) { return report.ExpertCache(cached, nil, none) }},
		{drafted, "The outputs differ from the target-only run: first at output 2", "The first draft is accepted in 100.0 % of its trials, the 2nd in 50.0 %", 7, func() ([]byte, error) { return report.Speculative(drafted, none) }},
		{drafted.Workload, "2 target forwards commit 4 tokens, 2 each.", "The first draft is accepted", 5, func() ([]byte, error) {
			return report.Speculative(report.SpeculativeResult{Workload: drafted.Workload}, none)
		}},
		{fitted, "A heuristic cost model from 320 samples.", "All 19 fits keep their gates", 4, func() ([]byte, error) { return report.Calibrate(fitted, none) }},
	} {
		b, ok := report.BriefOf(c.value)
		if !ok {
			t.Errorf("%T has nothing to tell", c.value)
			continue
		}
		if !strings.HasPrefix(b.Verdict, c.verdict) || !strings.HasPrefix(b.Figure.Text().Title, c.title) || len(b.Numbers) != c.numbers {
			t.Errorf("%T: %q, %q, %d numbers", c.value, b.Verdict, b.Figure.Text().Title, len(b.Numbers))
		}
		page, err := c.page()
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{b.Verdict, b.Replay, b.Numbers[0].Label, b.Numbers[len(b.Numbers)-1].Context} {
			if !strings.Contains(string(page), html.EscapeString(said)) {
				t.Errorf("%T: the page does not say %q", c.value, said)
			}
		}
	}
	for _, v := range []any{(*serving.Run)(nil), (*composed.Run)(nil), (*serving.Comparison)(nil), (*run.Comparison)(nil), (*experts.Run)(nil),
		(*speculative.Run)(nil), report.SpeculativeResult{}, (*calibration.Result)(nil)} {
		if _, ok := report.BriefOf(v); ok {
			t.Errorf("%T has something to tell", v)
		}
	}
}
