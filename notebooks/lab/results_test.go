package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

// value ends the test where there is none.
func value[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// results is one result of every kind, made with the façade, by what its verdict
// begins with.
func results(t *testing.T) map[string]any {
	t.Helper()
	machine := value(simcore.Scenario("multi-gpu"))(t)
	config := simcore.Serving{MaxBatchSize: 2, MaxBatchTokens: 64, PrefillChunkTokens: 32, MaxKVTokens: 1_000,
		Requests: []simcore.Request{{ID: "a", PromptTokens: 40, OutputTokens: 4}, {ID: "b", ArrivalNs: 1_000_000, PromptTokens: 8, OutputTokens: 6}}}
	cache := workload.ExpertCache{HotCapacityBytes: 32 << 20, WarmCapacityBytes: 32 << 20, RoutingSeed: 42,
		WarmToHotLatencyNs: 40_000, ColdToHotLatencyNs: 300_000, ColdToWarmLatencyNs: 250_000}
	for _, id := range []string{"e0", "e1", "e2", "e3"} {
		cache.Experts = append(cache.Experts, workload.Expert{ID: id, Bytes: 16 << 20, RoutingWeight: 1})
	}
	work := value(simcore.Propose("draft_model", 64, 32, 2, simcore.AcceptanceLadder(0.8, 2)))(t)
	profile := value(simcore.TargetOnly(4))(t)
	ran := value(simcore.Run(machine, profile))(t)
	compiled := value(simcore.Compile(machine, profile))(t)
	text := value(os.ReadFile("../../testdata/calibration.yaml"))(t)
	dataset, _, err := calibration.Read(value(document.Parse(text, "calibration.yaml"))(t), true)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"2 requests served in a modeled":                value(simcore.Serve(machine, config))(t),
		"96.4 % of 112 accesses found their expert hot": value(simcore.ServeWithExperts(machine, config, simcore.ServingExperts{TopK: 2, Strategy: workload.Contiguous, Cache: cache}))(t),
		"multi-gpu serves the 2 requests first":         value(simcore.CompareServing(config))(t),
		"% of":                                          value(simcore.RouteExperts(simcore.ExpertWork{Cache: cache, Workload: workload.ExpertWorkload{TokenCount: 12, TopK: 2, TokenIntervalNs: 100_000}}))(t),
		"target forwards commit 32 tokens":              value(simcore.Speculate(work))(t),
		"the modeled speed of target-only":              value(simcore.SpeculateOn(machine, work, nil))(t),
		"4 tokens committed in a modeled 1.1 ms":        ran,
		"complete in a modeled":                         value(simcore.Execute(machine, compiled))(t),
		"One fault fails":                               value(simcore.Faults(machine, profile))(t),
		"and the recovery completes at":                 failedOver(t),
		"A heuristic cost model from 320 samples":       value(calibration.Fit(dataset))(t),
	}
}

// failedOver moves from two machines, one of which fails, to a third.
func failedOver(t *testing.T) *simcore.Failover {
	t.Helper()
	two := value(simcore.Scenario("multi-node"))(t)
	next := value(campaign.NextEpoch(two, value(simcore.Scenario("single-gpu-cpu"))(t)))(t)
	devices := two.Spec().Devices
	return value(simcore.FailOver(two, next, value(simcore.TargetOnly(4))(t), simcore.NodeFails(devices[len(devices)-1].NodeID, 1_000, 0)))(t)
}

// Every result, shown alone, says its verdict, its numbers and one figure; saved,
// it leaves its tables and a page with the same verdict.
func TestEveryResult(t *testing.T) {
	for verdict, result := range results(t) {
		shown, ok := resultBundles(result)
		if !ok || len(shown) != 2 || !strings.HasPrefix(shown[1].text(mimeSVG), "<svg") {
			t.Errorf("%T: %d displays (%t)", result, len(shown), ok)
			continue
		}
		said, _, _ := strings.Cut(shown[0].text(mimeText), "\n")
		if !strings.Contains(said, verdict) {
			t.Errorf("%T says %q, expected %q", result, said, verdict)
		}
		dir := t.TempDir()
		printed, complained, status := captured(t, func() { SaveResult(dir, result, ".csv", arrowio.WriteCSV) })
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if status != 0 || err != nil || !strings.HasPrefix(strings.ToLower(string(page)), "<!doctype html>") || !strings.Contains(printed, "report.html") {
			t.Errorf("%T: status %d, %v, %s", result, status, err, complained)
		}
		tables, err := filepath.Glob(filepath.Join(dir, "*.csv"))
		if err != nil || len(tables) == 0 {
			t.Errorf("%T: no tables (%v)", result, err)
		}
		if want := fmt.Sprintf("saved, %d row", len(tables)); !strings.Contains(printed, want) && len(tables) <= 10 {
			t.Errorf("%T: the list of tables does not say %q:\n%s", result, want, printed)
		}
	}
	_, complained, status := captured(t, func() { SaveResult(t.TempDir(), 7, ".csv", arrowio.WriteCSV) })
	if status != 1 || !strings.HasSuffix(complained, "int is no result with tables\n") {
		t.Errorf("a number: status %d, %q", status, complained)
	}
}
