package figure_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/workload"
)

// cacheRun is a cache of n experts of 16 MiB that holds hot and warm of them.
func cacheRun(t testing.TB, n int, hot, warm, tokens int64) *experts.Run {
	t.Helper()
	run, err := experts.Simulate(cacheWork(n, hot, warm, tokens))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func cacheWork(n int, hot, warm, tokens int64) workload.ExpertRun {
	cfg := workload.ExpertRun{
		Cache: workload.ExpertCache{
			HotCapacityBytes: hot << 24, WarmCapacityBytes: warm << 24, RoutingSeed: 42,
			WarmToHotLatencyNs: 40_000, ColdToHotLatencyNs: 300_000, ColdToWarmLatencyNs: 250_000,
			InitialHotExpertIDs: []string{"expert-00", "expert-01"},
			AdaptivePrefetch:    &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 6, MaxExpertsPerDecision: 2},
		},
		Workload: workload.ExpertWorkload{TokenCount: tokens, TopK: 2, TokenIntervalNs: 100_000,
			InitialPrefetch: &workload.InitialPrefetch{ExpertIDs: []string{"expert-02"}, TargetTier: workload.Warm, LeadTimeNs: 100_000}},
	}
	for i := range n {
		cfg.Cache.Experts = append(cfg.Cache.Experts, workload.Expert{ID: fmt.Sprintf("expert-%02d", i), Bytes: 1 << 24, RoutingWeight: 1 + 12/float64(1+i)})
	}
	return cfg
}

var cacheSource = figure.Source{Run: "expert-cache", Confidence: evidence.Heuristic}

func expertFigures(t testing.TB) map[string]figure.Figure {
	run := cacheRun(t, 10, 4, 3, 48)
	long := cacheRun(t, 10, 4, 3, 3000)
	sweep, err := experts.SweepHotCapacity(cacheWork(10, 4, 3, 400), []int64{1 << 24, 2 << 24, 3 << 24, 4 << 24, 6 << 24, 8 << 24, 10 << 24})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]figure.Figure{
		"expert-outcomes":     figure.Outcomes(cacheSource, &run.Snapshot),
		"expert-partitions":   figure.Partitions(cacheSource, run.Trace, &run.Snapshot),
		"expert-high-water":   figure.HighWater(cacheSource, &run.Snapshot),
		"expert-stalls":       figure.Stalls(cacheSource, run.Trace),
		"expert-what-if":      figure.WhatIf(cacheSource, sweep, 4<<24),
		"expert-tiers":        figure.Tiers(cacheSource, run.Trace, run.Snapshot.CurrentTimeNs),
		"expert-tiers-binned": figure.Tiers(cacheSource, long.Trace, long.Snapshot.CurrentTimeNs),
		"expert-heat":         figure.ExpertHeat(cacheSource, run.Trace, run.Snapshot.CurrentTimeNs),
		"expert-heat-binned":  figure.ExpertHeat(cacheSource, long.Trace, long.Snapshot.CurrentTimeNs),
	}
}

func TestExpertGolden(t *testing.T) {
	for name, f := range expertFigures(t) {
		for variant, o := range map[string]figure.Options{"": {}, "-dark": {Theme: figure.Dark, Width: 600}, "-page": {Page: true, Width: 350}} {
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

// TestExpertLook writes pictures for human eyes; without -look it has nothing to do.
func TestExpertLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look directory given")
	}
	show(t, expertFigures(t))
}

// TestExpertEmpty: the empty state of every figure is an image with a reason.
func TestExpertEmpty(t *testing.T) {
	for name, f := range map[string]figure.Figure{
		"heat": figure.ExpertHeatmap{}, "outcomes": figure.ExpertOutcomes{}, "partitions": figure.ExpertPartitions{},
		"high water": figure.TierHighWater{}, "stalls": figure.ExpertStalls{}, "what-if": figure.CapacityWhatIf{}, "tiers": figure.TierTimeline{},
	} {
		if f.Text().Empty == "" {
			t.Errorf("%s: no reason", name)
		}
		for _, render := range []func(figure.Options) ([]byte, error){f.SVG, f.PNG, f.PDF} {
			if out, err := render(figure.Options{}); err != nil || len(out) == 0 {
				t.Errorf("%s: %d bytes, %v", name, len(out), err)
			}
		}
	}
	if got := (figure.ExpertHeatmap{}).Text().Empty; got != "No route was executed." {
		t.Errorf("heat: %q", got)
	}
}

// TestExpertFiguresAgree: what the figures say follows from the run, and from each
// other.
func TestExpertFiguresAgree(t *testing.T) {
	run := cacheRun(t, 10, 4, 3, 200)
	m := &run.Snapshot.Metrics
	heat := figure.ExpertHeat(cacheSource, run.Trace, run.Snapshot.CurrentTimeNs)
	var stall, used, byTier [3]int64
	for _, ns := range heat.StallNs {
		stall[0] += ns
	}
	for _, u := range heat.Uses {
		byTier[u.Tier]++
	}
	for i := range heat.Rows {
		used[0] += heat.Rows[i].Routed
	}
	if stall[0] != m.StallNs || used[0] != m.RoutedExperts || byTier != [3]int64{m.HotHits, m.WarmMisses, m.ColdMisses} {
		t.Errorf("heat map: stall %d, accesses %d, by tier %v; metrics %+v", stall[0], used[0], byTier, *m)
	}
	evicted, prefetches, adaptive := int64(0), int64(0), int64(0)
	for _, s := range heat.Stays {
		if s.Evicted {
			evicted++
		}
		if s.ToRoute < s.FromRoute || s.ToNs < s.FromNs {
			t.Errorf("a stay that ends before it begins: %+v", s)
		}
	}
	for _, l := range heat.Loads {
		if l.Prefetch {
			prefetches++
		}
		if l.Adaptive {
			adaptive++
		}
	}
	if evicted != m.Evictions || prefetches != m.PrefetchLoads || adaptive != prefetches-1 || int64(len(heat.Decisions)) != m.AdaptivePrefetchDecisions {
		t.Errorf("heat map: %d evictions, %d prefetches (%d adaptive), %d decisions", evicted, prefetches, adaptive, len(heat.Decisions))
	}
	stalls := figure.Stalls(cacheSource, run.Trace)
	table := stalls.Table()
	if table.Row(0)[2] != "0" {
		t.Errorf("routes that find all hot stall %s ns", table.Row(0)[2])
	}
	tiers := figure.Tiers(cacheSource, run.Trace, run.Snapshot.CurrentTimeNs)
	for i, want := range []int64{run.Snapshot.Hot.ResidentBytes, run.Snapshot.Warm.ResidentBytes} {
		p := &tiers.Partitions[i]
		if got := p.ResidentBytes[len(p.ResidentBytes)-1]; got != want {
			t.Errorf("%s ends with %d bytes, the snapshot with %d", p.ID, got, want)
		}
		for k := range p.AtNs {
			if p.ResidentBytes[k]+p.ReservedBytes[k] > p.CapacityBytes || p.ResidentBytes[k] < 0 || p.ReservedBytes[k] < 0 {
				t.Errorf("%s %s holds %d and %d of %d bytes at %d ns", p.Tier, p.ID, p.ResidentBytes[k], p.ReservedBytes[k], p.CapacityBytes, p.AtNs[k])
			}
		}
	}
}

// TestExpertHeatReduces: long runs and many experts are binned and say so; a window
// of a long run is exact again.
func TestExpertHeatReduces(t *testing.T) {
	long := cacheRun(t, 10, 4, 3, 3000)
	f := figure.ExpertHeat(cacheSource, long.Trace, long.Snapshot.CurrentTimeNs)
	if caption := f.Text().Caption; !strings.Contains(caption, "a cell is 17 routes by 1 expert ") {
		t.Errorf("caption: %s", caption)
	}
	f.FromRoute, f.ToRoute = 100, 140
	if caption := f.Text().Caption; !strings.HasPrefix(caption, "Routes 100 to 139 of 3,000.") || strings.Contains(caption, "Binned") {
		t.Errorf("caption of a window: %s", caption)
	}
	many := cacheRun(t, 300, 4, 3, 20)
	f = figure.ExpertHeat(cacheSource, many.Trace, many.Snapshot.CurrentTimeNs)
	if caption := f.Text().Caption; !strings.Contains(caption, "by 2 experts") {
		t.Errorf("caption of many experts: %s", caption)
	}
	if _, err := f.SVG(figure.Options{Width: 320}); err != nil {
		t.Error(err)
	}
}

// BenchmarkExpertHeat reads and draws a hundred thousand routes.
func BenchmarkExpertHeat(b *testing.B) {
	run := cacheRun(b, 64, 16, 16, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		f := figure.ExpertHeat(cacheSource, run.Trace, run.Snapshot.CurrentTimeNs)
		if _, err := f.SVG(figure.Options{Page: true, Width: 900}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(run.Trace.Accesses))*float64(b.N)/b.Elapsed().Seconds(), "routes/s")
}
