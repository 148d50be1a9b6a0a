package run_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

func preset(t testing.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tokens(t testing.TB, n int64) *workload.Profile {
	t.Helper()
	p, err := workload.TargetOnly(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTensorParallelFigures(t *testing.T) {
	r, err := run.Execute(preset(t, "multi-gpu"), tokens(t, 4), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	// Each token: both devices run 134000 + 139000 side by side, then 1874 for the ring.
	want := run.Metrics{
		TotalDurationNs: 4 * 274874, ForegroundDurationNs: 4 * 274874, CommittedTokens: 4,
		TokensPerSecond:  4 * 1e9 / float64(4*274874),
		ComputeServiceNs: 2 * 4 * 273000, CollectiveServiceNs: 4 * 1874,
		ComputeUtilization: []run.Utilization{
			{ResourceID: "compute:node0:gpu0", BusyNs: 4 * 273000, CapacityLanes: 1, Utilization: 1092000.0 / 1099496},
			{ResourceID: "compute:node0:gpu1", BusyNs: 4 * 273000, CapacityLanes: 1, Utilization: 1092000.0 / 1099496},
		},
		LinkUtilization: []run.Utilization{
			{ResourceID: "link:node0:nvlink:forward", BusyNs: 7496, CapacityLanes: 1, Utilization: 7496.0 / 1099496},
			{ResourceID: "link:node0:nvlink:reverse", BusyNs: 7496, CapacityLanes: 1, Utilization: 7496.0 / 1099496},
		},
	}
	if d := cmp.Diff(want, r.Metrics); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(run.OperationCounts{Compute: 16, Collective: 4, AllReduce: 4}, r.Operations); d != "" {
		t.Error(d)
	}
	if len(r.Trace.Operations) != len(r.Compiled.Plan.Steps) || r.Confidence != evidence.Heuristic {
		t.Errorf("%d operations of %d steps, %s", len(r.Trace.Operations), len(r.Compiled.Plan.Steps), r.Confidence)
	}
}

func TestBackgroundOutlastsForeground(t *testing.T) {
	p := tokens(t, 1)
	p.BackgroundPrefetches = []workload.BackgroundPrefetch{{ID: "pf", AfterUnitIndex: 0, Bytes: 1 << 30}}
	r, err := run.Execute(preset(t, "single-gpu-cpu"), p, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	m := &r.Metrics
	if m.ForegroundDurationNs != 148000+158000 || m.BackgroundDrainNs != m.TransferServiceNs || m.TotalDurationNs != m.ForegroundDurationNs+m.BackgroundDrainNs {
		t.Errorf("the copy starts when the token ends: %+v", m)
	}
}

// trusted is a preset whose evidence is as strong as asked, but for one link.
func trusted(t *testing.T, all, link evidence.Class) *topology.Scenario {
	t.Helper()
	spec := *preset(t, "multi-gpu").Spec()
	spec.MemoryDomains = append([]topology.MemoryDomain(nil), spec.MemoryDomains...)
	spec.Devices = append([]topology.Device(nil), spec.Devices...)
	spec.Links = append([]topology.Link(nil), spec.Links...)
	for i := range spec.MemoryDomains {
		spec.MemoryDomains[i].Provenance.Confidence = all
	}
	for i := range spec.Devices {
		spec.Devices[i].Provenance.Confidence = all
	}
	for i := range spec.Links {
		spec.Links[i].Provenance.Confidence = all
	}
	spec.Links[len(spec.Links)-1].Provenance.Confidence = link
	s, err := topology.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConfidenceIsTheWeakestEvidence(t *testing.T) {
	measured := cost.Default()
	measured.Confidence = evidence.Calibrated
	for _, c := range []struct {
		name       string
		model      *cost.Model
		all, link  evidence.Class
		modelBound bool
		want       evidence.Class
	}{
		{"everything measured", measured, evidence.Calibrated, evidence.Calibrated, false, evidence.Calibrated},
		{"exact inputs give no exact time", measured, evidence.Exact, evidence.Exact, false, evidence.Calibrated},
		{"one weak link", measured, evidence.Exact, evidence.Heuristic, false, evidence.Heuristic},
		{"default costs", cost.Default(), evidence.Calibrated, evidence.Calibrated, false, evidence.Heuristic},
		{"a bound model", measured, evidence.Exact, evidence.Exact, true, evidence.Heuristic},
	} {
		if got := run.Confidence(trusted(t, c.all, c.link), c.model, c.modelBound); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAssumptionsSayWhatTheResultRestsOn(t *testing.T) {
	p := workload.SpeculativeProfile("mtp", workload.Proposer{Execution: workload.SidecarExecution, CostScale: 0.32},
		[]workload.SpeculativeIteration{{ProposedTokens: 2, AdditionalTokens: 1, CommittedTokens: 1}})
	r, err := run.Execute(preset(t, "multi-gpu"), p, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(r.Assumptions, "\n")
	if r.Assumptions[0] != cost.DefaultSource {
		t.Errorf("the first is the source of the costs, got %q", r.Assumptions[0])
	}
	for _, said := range []string{"heuristic", "No model is bound", "SSD streaming", "declared", "ring", "pairwise", "union of its links", "Proposer", "outlast"} {
		if !strings.Contains(text, said) {
			t.Errorf("nothing is said of %q in:\n%s", said, text)
		}
	}
}

func TestModelBoundRunsSayWhatTheyLeaveOut(t *testing.T) {
	p := tokens(t, 1)
	plain, err := run.Execute(preset(t, "single-gpu-cpu"), p, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	p.ModelWork = &workload.ModelWork{ModelID: "m", ModelName: "M", AttentionWeightBytesPerToken: 1, FFNWeightBytesPerToken: 1, ForwardFlopsPerToken: 1}
	p.Pipeline = &workload.Pipeline{StrategyKind: "s", Components: []workload.PipelineComponent{
		{ID: "a", Role: "decoder", Phase: workload.EveryStep, InvocationMultiplier: 1, WeightBytes: 1, IsPrimary: true},
		{ID: "b", Role: "tool", Phase: workload.OnDemand, InvocationMultiplier: 1, WeightBytes: 1},
	}}
	bound, err := run.Execute(preset(t, "single-gpu-cpu"), p, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, l := range bound.Limitations {
		codes = append(codes, l.Code)
	}
	want := []string{"on_demand_components", "draft_model_costs", "iterative_schedulers", "nested_inner_loops", "model_bound_routing"}
	if d := cmp.Diff(want, codes); d != "" {
		t.Error(d)
	}
	listed := document(t, func(w *jsondoc.Writer) { bound.WriteDocument(w, nil) })["limitations"].([]any)
	if plain.Limitations != nil || len(listed) != 5 || bound.Confidence != evidence.Heuristic {
		t.Errorf("%v, %v, %s", plain.Limitations, listed, bound.Confidence)
	}
}

func families(t testing.TB) []*topology.Scenario {
	var all []*topology.Scenario
	for _, name := range topology.FamilyNames() {
		all = append(all, preset(t, name))
	}
	return all
}

func TestCompareRanksTheFamilies(t *testing.T) {
	p := tokens(t, 5)
	c, err := run.Compare(families(t), func(*topology.Scenario) (*workload.Profile, error) { return p, nil }, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, e := range c.Entries {
		got = append(got, e.ScenarioID)
		if e.Rank != int64(i+1) || e.DurationNs != c.Results[i].Metrics.TotalDurationNs {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	// single-gpu-cpu and unified-memory both take 5 x 306000: the id decides.
	if d := cmp.Diff([]string{"multi-gpu", "single-gpu-cpu", "unified-memory", "multi-node", "gpu-npu", "cpu-only"}, got); d != "" {
		t.Error(d)
	}
	if last := c.Entries[5].RelativeToFastest; math.Abs(last-6600000.0/1374370) > 1e-12 {
		t.Errorf("cpu-only is %v times the fastest", last)
	}
	if c.ProfileID != "target-only" || c.Confidence() != evidence.Heuristic {
		t.Errorf("%s, %s", c.ProfileID, c.Confidence())
	}
}

func TestCompareFailsWithAnyScenario(t *testing.T) {
	p := tokens(t, 1)
	build := func(*topology.Scenario) (*workload.Profile, error) { return p, nil }
	m := cost.Default()
	m.Applicability = &cost.Applicability{ScenarioIDs: []string{"cpu-only", "multi-gpu"}, Labels: cost.KindLabels{CPU: "a", GPU: "b", NPU: "c"}}
	if _, err := run.Compare(families(t), build, m); err == nil || !strings.Contains(err.Error(), "single-gpu-cpu") {
		t.Errorf("the failing scenario must be named: %v", err)
	}
	boom := errors.New("boom")
	if _, err := run.Compare(families(t), func(*topology.Scenario) (*workload.Profile, error) { return nil, boom }, cost.Default()); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if _, err := run.Compare(nil, build, cost.Default()); err == nil {
		t.Error("nothing to compare passed")
	}
	s := preset(t, "cpu-only")
	if _, err := run.Compare([]*topology.Scenario{s, s}, build, cost.Default()); err == nil || !strings.Contains(err.Error(), "cpu-only") {
		t.Errorf("a scenario twice: %v", err)
	}
}

func document(t *testing.T, write func(*jsondoc.Writer)) map[string]any {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(w.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDocuments(t *testing.T) {
	r, err := run.Execute(preset(t, "cpu-only"), tokens(t, 2), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	got := document(t, func(w *jsondoc.Writer) {
		r.WriteDocument(w, func(w *jsondoc.Writer) { w.Key("more").Int(1) })
	})
	want := map[string]any{"kind": "inferlab/result", "command": "run", "revision": 1.0, "scenarioId": "cpu-only", "profileId": "target-only",
		"scenarioFingerprint": r.Scenario.Fingerprint(), "confidence": "heuristic", "status": "succeeded", "planSteps": 4.0, "more": 1.0,
		"contractRevisions": map[string]any{"scenario": 5.0, "costModel": 9.0, "plan": 5.0},
		"operationCounts":   map[string]any{"compute": 4.0, "transfer": 0.0, "collective": 0.0, "allReduce": 0.0, "allToAll": 0.0}}
	delete(got, "assumptions")
	metrics := got["metrics"].(map[string]any)
	delete(got, "metrics")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if metrics["totalDurationNs"] != 2640000.0 || len(metrics["linkUtilization"].([]any)) != 0 || len(metrics) != 10 {
		t.Errorf("metrics %v", metrics)
	}
	c, err := run.Compare([]*topology.Scenario{r.Scenario}, func(*topology.Scenario) (*workload.Profile, error) { return r.Profile, nil }, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	compared := document(t, c.WriteDocument)
	if d := cmp.Diff(map[string]any{"revision": 9.0, "confidence": "heuristic", "source": cost.DefaultSource, "transportCurveCount": 0.0}, compared["costModel"]); d != "" {
		t.Error(d)
	}
	entry := compared["comparison"].([]any)[0].(map[string]any)
	if entry["rank"] != 1.0 || entry["relativeToFastest"] != 1.0 || entry["durationNs"] != 2640000.0 {
		t.Errorf("%v", entry)
	}
}

// BenchmarkExecute compiles, validates, executes and replays one token on eight
// ranks: what a serving run pays for a new shape.
func BenchmarkExecute(b *testing.B) {
	s, err := topology.Ring(8)
	if err != nil {
		b.Fatal(err)
	}
	p := tokens(b, 1)
	m := cost.Default()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run.Execute(s, p, m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
