package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

func expertConfig(n int) workload.ExpertCache {
	c := workload.ExpertCache{
		HotCapacityBytes: 64 << 20, WarmCapacityBytes: 48 << 20, RoutingSeed: 42,
		WarmToHotLatencyNs: 40_000, ColdToHotLatencyNs: 300_000, ColdToWarmLatencyNs: 250_000,
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 6, MaxExpertsPerDecision: 2},
	}
	for i := range n {
		c.Experts = append(c.Experts, workload.Expert{ID: fmt.Sprintf("expert <%d>", i), Bytes: 16 << 20, RoutingWeight: 1 + 12/float64(1+i)})
	}
	return c
}

func expertRun(t testing.TB, tokens int64) *experts.Run {
	t.Helper()
	run, err := experts.Simulate(workload.ExpertRun{Cache: expertConfig(8), Workload: workload.ExpertWorkload{TokenCount: tokens, TopK: 2, TokenIntervalNs: 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestExpertCachePage(t *testing.T) {
	run := expertRun(t, 60)
	sweep, err := experts.SweepHotCapacity(run.Config, []int64{16 << 20, 64 << 20, 128 << 20})
	if err != nil {
		t.Fatal(err)
	}
	meta := report.Meta{CommandLine: "inferlab expert-cache experts.yaml", Result: []byte(`{"kind":"inferlab/result"}`)}
	page, err := report.ExpertCache(run, sweep, meta)
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.ExpertCache(run, sweep, meta)
	if err != nil || !bytes.Equal(page, again) {
		t.Errorf("a second page differs (%v)", err)
	}
	for _, want := range []string{
		"Where were the experts when tokens needed them?", "What did the cache do?", "What did tokens wait for?", "How full were the tiers, and when?",
		"What would another hot capacity have done?", "expert &lt;0&gt;", "inferlab expert-cache experts.yaml", "an independent checker applied",
		"64 MiB hot, 48 MiB warm", "Routing seed", "cannot hold the experts that one token needs",
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"expert <0>", "ZgotmplZ", ">NaN", "measured latency"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if alone, err := report.ExpertCache(run, nil, meta); err != nil || bytes.Contains(alone, []byte("another hot capacity")) {
		t.Errorf("without a sweep there is a section of it (%v)", err)
	}
}

// TestExpertCachePageWithoutRoutes: sections without anything to draw say why.
func TestExpertCachePageWithoutRoutes(t *testing.T) {
	page, err := report.ExpertCache(expertRun(t, 0), nil, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"No route was executed.", "No expert was accessed."} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, err := report.ExpertCache(nil, nil, report.Meta{}); !errors.Is(err, report.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
}

// TestExpertCachePageStaysWithinItsBound: 50,000 tokens fit the default bound.
func TestExpertCachePageStaysWithinItsBound(t *testing.T) {
	page, err := report.ExpertCache(expertRun(t, 50_000), nil, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > report.DefaultMaxBytes {
		t.Errorf("the page has %d bytes", len(page))
	}
}

func composedRun(t testing.TB) *composed.Run {
	t.Helper()
	scn, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 6, PrefillChunkTokens: 4, MaxKVTokens: 60, Requests: []workload.Request{
		{ID: "r0", PromptTokens: 9, OutputTokens: 14}, {ID: "r1", ArrivalNs: 70_000_000, PromptTokens: 5, OutputTokens: 9},
	}}
	run, err := composed.Simulate(scn, cfg, workload.ServingExperts{TopK: 2, Strategy: workload.Contiguous, Cache: expertConfig(8)}, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestComposedPage(t *testing.T) {
	run := composedRun(t)
	doc := jsondoc.NewWriter(nil)
	result.Composed(doc, run, result.Full)
	if err := doc.Close(); err != nil {
		t.Fatal(err)
	}
	page, err := report.Composed(run, report.Meta{Command: "serving", Result: doc.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	at := -1
	for _, id := range []string{"latency", "requests", "batches", "memory", "resources", "links", "machine", "capacity", "experts", "expert-outcomes", "expert-stalls", "expert-tiers"} {
		next := strings.Index(text, `id="`+id+`"`)
		if next <= at {
			t.Errorf("section %s is missing or out of order", id)
		}
		at = next
	}
	for _, want := range []string{"continuous batching with an expert cache, target-only", "Replay of the expert cache", "Replay of all plans", "passed before their experts were hot", "Hot hit rate"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	again, docs, err := report.Rebuild(page)
	if err != nil || !bytes.Equal(page, again) || docs[0].Experts == nil {
		t.Errorf("the page made again differs (%v)", err)
	}
	changed := bytes.Replace(doc.Bytes(), []byte(`"hotHits": `), []byte(`"hotHits": 1`), 1)
	if _, err := report.ReadResult(changed); err == nil || !strings.Contains(err.Error(), "differs from the one that its inputs give") {
		t.Errorf("a document that was changed by hand: %v", err)
	}
	if _, err := report.Composed(nil, report.Meta{}); !errors.Is(err, report.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
}

func TestComposedComparisonPage(t *testing.T) {
	var machines []*topology.Scenario
	for _, name := range []string{"multi-gpu", "single-gpu-cpu"} {
		scn, err := topology.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, scn)
	}
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 6, PrefillChunkTokens: 4, MaxKVTokens: 60, Requests: []workload.Request{
		{ID: "r0", PromptTokens: 5, OutputTokens: 6}, {ID: "r1", ArrivalNs: 70_000_000, PromptTokens: 5, OutputTokens: 4},
	}}
	c, runs, err := composed.Compare(machines, cfg, workload.ServingExperts{TopK: 2, Strategy: workload.Contiguous, Cache: expertConfig(8)}, cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.ComposedComparison(c, runs, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"What did experts cost on each machine?", "Where were the experts when tokens needed them? (multi-gpu)", "Replay of all plans"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, err := report.ComposedComparison(c, runs[:1], report.Meta{}); !errors.Is(err, report.ErrNoComparison) {
		t.Errorf("a ranked run without its cache: %v", err)
	}
}
