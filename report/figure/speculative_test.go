package figure_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/workload"
)

func propose(t testing.TB, family string, output, width int64, p float64) *simcore.SpeculativeExecution {
	t.Helper()
	cfg, err := simcore.Propose(family, 128, output, width, simcore.AcceptanceLadder(p, width))
	if err != nil {
		t.Fatal(err)
	}
	e, err := simcore.SpeculateOn(preset(t, "multi-gpu"), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func proposeServing(t testing.TB, requests int) *serving.Run {
	t.Helper()
	spec, err := simcore.ProposeServing("eagle3", 4, simcore.AcceptanceLadder(0.8, 4))
	if err != nil {
		t.Fatal(err)
	}
	cfg := simcore.Serving{MaxBatchSize: 4, MaxBatchTokens: 48, PrefillChunkTokens: 24, MaxKVTokens: 4000}
	for i := range requests {
		cfg.Requests = append(cfg.Requests, simcore.Request{ID: "request-" + string(rune('a'+i)), ArrivalNs: int64(i) * 500_000, PromptTokens: 40, OutputTokens: 24 + 6*int64(i)})
	}
	r, err := simcore.Serve(preset(t, "multi-gpu"), cfg, simcore.ServingOptions{Speculation: spec})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// speculativeFigures lists every figure of speculation by file name.
func speculativeFigures(t testing.TB) map[string]figure.Figure {
	short, long := propose(t, "mtp", 64, 4, 0.82), propose(t, "draft_model", 3000, 4, 0.75)
	served := proposeServing(t, 6)
	var works []*speculative.Run
	var results []*run.Result
	var splits []*run.Speculation
	for _, family := range []string{"draft_model", "mtp", "eagle3", "self_speculative"} {
		for width := int64(0); width <= 8; width++ {
			e := propose(t, family, 600, width, 0.85)
			works, results, splits = append(works, e.Workload), append(results, e.Run), append(splits, e.Speculation)
		}
	}
	return map[string]figure.Figure{
		"spec-iterations": figure.Iterations(short.Workload), "spec-iterations-on": figure.IterationsOn(short.Workload, short.Run, short.Speculation),
		"spec-iterations-long": figure.IterationsOn(long.Workload, long.Run, long.Speculation), "spec-iterations-served": figure.ServedIterations(served),
		"spec-acceptance": figure.Acceptance(long.Workload), "spec-acceptance-served": figure.ServedAcceptance(served),
		"spec-prefix": figure.AcceptedPrefix(long.Workload), "spec-prefix-served": figure.ServedPrefix(served),
		"spec-width": figure.TokensPerForward(works), "spec-speedup": figure.Speedups(works, results, splits),
	}
}

func TestSpeculativeGolden(t *testing.T) {
	for name, f := range speculativeFigures(t) {
		for variant, o := range map[string]figure.Options{"": {}, "-page": {Page: true, Width: 350}} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wellFormed(t, name+variant, svg)
			path := filepath.Join("testdata", name+variant+".svg")
			if *update {
				if err := os.WriteFile(path, svg, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, svg) {
				t.Errorf("%s differs from the golden picture:\n%s", path, cmp.Diff(string(want), string(svg)))
			}
		}
	}
}

// TestSpeculativeLook writes pictures for human eyes.
func TestSpeculativeLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look directory given")
	}
	show(t, speculativeFigures(t))
}

// TestSpeculativeNumbers: figures hold the run's own numbers.
func TestSpeculativeNumbers(t *testing.T) {
	e := propose(t, "mtp", 200, 3, 0.8)
	m := &e.Workload.Trace.Metrics
	f := figure.Iterations(e.Workload)
	var accepted, lost, own float64
	for _, s := range f.Lanes[0].Steps {
		accepted, lost, own = accepted+s.Accepted, lost+s.Lost, own+s.Own
	}
	if int64(accepted) != m.AcceptedAdditionalTokens || int64(lost) != m.RejectedDraftTokens || int64(own) != m.TargetAuthoritativeTokens {
		t.Errorf("the figure holds %v accepted, %v rejected, %v own: %+v", accepted, lost, own, m)
	}
	a := figure.Acceptance(e.Workload)
	if a.Rows[0].Accepted != m.Iterations-m.AcceptedPrefixHistogram[0] && a.Rows[0].Trials > m.Iterations {
		t.Errorf("position 1: %+v", a.Rows[0])
	}
	if diff := cmp.Diff(m.AcceptedPrefixHistogram, figure.AcceptedPrefix(e.Workload).Counts); diff != "" {
		t.Error(diff)
	}
	on := figure.IterationsOn(e.Workload, e.Run, e.Speculation)
	if steps := on.Lanes[0].Steps; int64(steps[len(steps)-1].To) != e.Run.Metrics.TotalDurationNs {
		t.Errorf("the last iteration ends at %v, the run at %d", steps[len(steps)-1].To, e.Run.Metrics.TotalDurationNs)
	}
}

// TestSpeculativeEmpty: nothing to see is said in words.
func TestSpeculativeEmpty(t *testing.T) {
	cfg, err := simcore.Propose("prompt_lookup", 8, 0, 2, simcore.Acceptance{Kind: workload.AcceptReplay})
	if err != nil {
		t.Fatal(err)
	}
	s, err := simcore.Speculate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]figure.Figure{"iterations": figure.Iterations(s), "acceptance": figure.Acceptance(s),
		"prefix": figure.AcceptedPrefix(s), "width": figure.TokensPerForward(nil)} {
		if f.Text().Empty == "" {
			t.Errorf("%s of nothing has no reason", name)
		}
		if _, err := f.SVG(figure.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
