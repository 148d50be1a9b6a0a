package compiler_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
	"pgregory.net/rapid"
)

// changed is a preset with some fields of its own.
func changed(t *testing.T, name string, change func(*topology.Spec)) *topology.Scenario {
	t.Helper()
	spec := *preset(t, name).Spec()
	change(&spec)
	s, err := topology.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tokens(t *testing.T, n int64) *workload.Profile {
	t.Helper()
	p, err := workload.TargetOnly(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// code is the code of a refusal, which must be typed.
func code(t *testing.T, err error) string {
	t.Helper()
	var e *issue.Error
	if !errors.As(err, &e) {
		t.Fatalf("want a typed refusal, got %v", err)
	}
	return e.Code
}

func TestWorkedNumbers(t *testing.T) {
	for _, c := range []struct {
		on    string
		steps []int64
	}{
		{"single-gpu-cpu", []int64{148000, 158000}},
		{"multi-gpu", []int64{134000, 139000, 134000, 139000, 1874}},
		{"gpu-npu", []int64{122000, 2000 + 65536, 1500 + 32768, 158000}},
	} {
		compiled, err := compiler.Compile(preset(t, c.on), tokens(t, 1), cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, s := range compiled.Plan.Steps {
			got = append(got, s.Operation.DurationNs)
		}
		if d := cmp.Diff(c.steps, got); d != "" {
			t.Errorf("%s: %s", c.on, d)
		}
	}
}

func TestEventBudget(t *testing.T) {
	s := changed(t, "single-gpu-cpu", func(spec *topology.Spec) { spec.Execution.MaxEvents = 6 })
	if _, err := compiler.Compile(s, tokens(t, 3), cost.Default()); err != nil {
		t.Errorf("exactly as many steps as events: %v", err)
	}
	_, err := compiler.Compile(s, tokens(t, 4), cost.Default())
	if err == nil || code(t, err) != "max_events" || !strings.Contains(err.Error(), "maxEvents") {
		t.Errorf("one step more: %v", err)
	}
}

func TestModelMustApply(t *testing.T) {
	m := cost.Default()
	m.Applicability = &cost.Applicability{ScenarioIDs: []string{"multi-gpu"}, Labels: cost.KindLabels{CPU: "a", GPU: "b", NPU: "c"}}
	if _, err := compiler.Compile(preset(t, "multi-gpu"), tokens(t, 1), m); err != nil {
		t.Error(err)
	}
	_, err := compiler.Compile(preset(t, "cpu-only"), tokens(t, 1), m)
	if err == nil || code(t, err) != "not_applicable" || !strings.Contains(err.Error(), "cpu-only") {
		t.Errorf("the scenario must be named: %v", err)
	}
	m.Revision = 8
	if _, err := compiler.New(preset(t, "multi-gpu"), m); err == nil || !strings.Contains(err.Error(), "revision") {
		t.Errorf("another revision: %v", err)
	}
}

func TestCurvesReplaceDurationsOnly(t *testing.T) {
	s := preset(t, "multi-gpu")
	m := cost.Default()
	m.HasCurves = true
	if _, err := compiler.Compile(s, tokens(t, 1), m); err == nil || code(t, err) != "missing_curve" || !strings.Contains(err.Error(), "node0:nvlink:forward") {
		t.Errorf("no curve, no price: %v", err)
	}
	m.Curves = []cost.Curve{{
		CurveKey: cost.CurveKey{ScenarioID: "multi-gpu", Operation: cost.CollectiveOperation, Algorithm: string(plan.AllReduceRing),
			ParticipantCount: 2, LinkIDs: []string{"node0:nvlink:forward", "node0:nvlink:reverse"}},
		Points: []cost.Point{{Bytes: 1, DurationNs: 1}, {Bytes: 524288, DurationNs: 777}},
	}}
	priced, err := compiler.Compile(s, tokens(t, 1), m)
	if err != nil {
		t.Fatal(err)
	}
	declared, err := compiler.Compile(s, tokens(t, 1), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	last := &priced.Plan.Steps[4].Operation
	if last.DurationNs != 777 {
		t.Errorf("the step's whole bytes are looked up: got %d ns, want 777", last.DurationNs)
	}
	last.DurationNs = declared.Plan.Steps[4].Operation.DurationNs
	if d := cmp.Diff(declared.Plan, priced.Plan); d != "" {
		t.Errorf("more than the duration changed: %s", d)
	}
}

func bound(dtype string, width int64) *workload.Profile {
	return &workload.Profile{ID: "bound", BatchSize: 1, Units: []workload.Unit{{ID: "u", TargetTokenWidth: width, ActiveExperts: 1}},
		ModelWork: &workload.ModelWork{ModelID: "m", ModelName: "M", AttentionWeightBytesPerToken: 4_200_000_000,
			FFNWeightBytesPerToken: 8_900_000_000, ForwardFlopsPerToken: 26_000_000_000, ComputeDtype: dtype}}
}

func TestComputePeakFloor(t *testing.T) {
	slow := func(s *topology.Spec) {
		devices := append([]topology.Device(nil), s.Devices...)
		for i := range devices {
			devices[i].ComputeProfileID, devices[i].HasCustomPeaks = "", true
			devices[i].CustomComputePeaks = []topology.ComputePeak{{Dtype: "FP16", OperationsPerSecond: 2.1e12}}
		}
		s.Devices = devices
	}
	custom := changed(t, "rtx-4090-desktop", slow)
	registry := preset(t, "rtx-4090-desktop")
	for _, c := range []struct {
		name           string
		on             *topology.Scenario
		dtype          string
		width          int64
		attention, ffn int64
	}{
		{"the user's own peak", custom, "fp16", 64, 254045802, 538335151},
		{"letter case of the format", custom, "Fp16", 64, 254045802, 538335151},
		{"registry, fp32 accumulation", registry, "fp16", 512, 25835167, 54745948},
	} {
		r, err := compiler.Compile(c.on, bound(c.dtype, c.width), cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		a, f := r.Plan.Steps[0].Operation.DurationNs, r.Plan.Steps[1].Operation.DurationNs
		if a != c.attention || f != c.ffn {
			t.Errorf("%s: got %d and %d ns, want %d and %d", c.name, a, f, c.attention, c.ffn)
		}
	}
	// Without a rate for the format only the weights bound the step; the registry
	// is not asked behind a user's back.
	for _, dtype := range []string{"", "int4", "bf16"} {
		r, err := compiler.Compile(custom, bound(dtype, 64), cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		none, err := compiler.Compile(custom, bound("", 64), cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(none.Plan, r.Plan); d != "" {
			t.Errorf("format %q has no rate, yet: %s", dtype, d)
		}
	}
}

func TestStreamingDisabled(t *testing.T) {
	s := changed(t, "single-gpu-cpu", func(spec *topology.Spec) { spec.Execution.SSDStreaming = false })
	p := tokens(t, 1)
	p.BackgroundPrefetches = []workload.BackgroundPrefetch{{ID: "pf-7", AfterUnitIndex: -1, Bytes: 9}}
	_, err := compiler.Compile(s, p, cost.Default())
	if err == nil || code(t, err) != "ssd_streaming_disabled" || !strings.Contains(err.Error(), "pf-7") || !strings.Contains(err.Error(), "single-gpu-cpu") {
		t.Errorf("prefetch and scenario must be named: %v", err)
	}
	c, err := compiler.New(s, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	load := compiler.ExpertLoad{ID: "ld-3", ExpertID: "a", SourceTier: workload.Cold, Bytes: 5,
		Placement: workload.ExpertPlacement{Strategy: workload.Contiguous, ExpertIDs: []string{"a"}}}
	if _, err := c.CompileExpertLoad(&load); err == nil || !strings.Contains(err.Error(), "ld-3") {
		t.Errorf("the load must be named: %v", err)
	}
	load.SourceTier = workload.Warm
	if l, err := c.CompileExpertLoad(&load); err != nil || len(l.Plan.Steps) != 1 {
		t.Errorf("warm experts stay usable: %v", err)
	}
}

func TestExpertOwners(t *testing.T) {
	five := []string{"a", "b", "c", "d", "e"}
	for _, c := range []struct {
		strategy workload.PlacementStrategy
		want     []int
	}{
		{workload.Contiguous, []int{0, 0, 1, 1, 2}},
		{workload.RoundRobin, []int{0, 1, 2, 0, 1}},
	} {
		s := ring(t, 3)
		co, err := compiler.New(s, cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		got, err := co.ExpertOwners(&workload.ExpertPlacement{Strategy: c.strategy, ExpertIDs: five})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, i := range c.want {
			want = append(want, s.Spec().Placements[i].PartitionID)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", c.strategy, d)
		}
	}
	co, err := compiler.New(preset(t, "single-gpu-cpu"), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := co.ExpertOwners(&workload.ExpertPlacement{Strategy: workload.Contiguous, ExpertIDs: five}); err == nil ||
		!strings.Contains(err.Error(), "single-gpu-cpu") {
		t.Errorf("without expert parallelism nobody owns: %v", err)
	}
}

// A Compiler that has compiled other profiles before gives the plan of a fresh one.
func TestReuseChangesNothing(t *testing.T) {
	for _, on := range topology.FamilyNames() {
		s := preset(t, on)
		used, err := compiler.New(s, cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			batch := workload.ServingBatch{
				TokenWork: rapid.Int64Range(1, 1<<16).Draw(t, "work"), ExpectedOutputTokens: 1,
				DraftTokens: rapid.Int64Range(0, 3).Draw(t, "draft"),
			}
			p := batch.Profile(3)
			p.BatchSize = rapid.Int64Range(1, 4).Draw(t, "batch")
			p.Units[0].WarmLoadBytes = rapid.Int64Range(0, 1<<20).Draw(t, "warm")
			if rapid.Bool().Draw(t, "prefetch") {
				p.BackgroundPrefetches = []workload.BackgroundPrefetch{{ID: "pf", AfterUnitIndex: rapid.Int64Range(-1, 0).Draw(t, "after"), Bytes: 1 << 20}}
			}
			again, err := used.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := compiler.Compile(s, p, cost.Default())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fresh, again); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// Whatever is compiled is a valid plan that runs and replays, in order of units.
func TestRandomExpertWorkRuns(t *testing.T) {
	var on []*topology.Scenario
	for _, name := range topology.FamilyNames() {
		on = append(on, preset(t, name))
	}
	on = append(on, ring(t, 3))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(on).Draw(t, "scenario")
		p := randomRouted(t)
		r, err := run.Execute(s, p, cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(r.Compiled.UnitTerminals); i++ {
			if r.Compiled.UnitTerminals[i] <= r.Compiled.UnitTerminals[i-1] {
				t.Fatalf("units end out of order: %v", r.Compiled.UnitTerminals)
			}
		}
		if r.Metrics.BackgroundDrainNs < 0 || r.Metrics.CommittedTokens != int64(len(p.Units)) {
			t.Fatalf("%+v", r.Metrics)
		}
	})
}

func randomRouted(t *rapid.T) *workload.Profile {
	universe := []string{"a", "b", "c", "d", "e", "f"}
	p := &workload.Profile{ID: "random", BatchSize: 1, ExpertTokenPlacement: workload.TokenRoundRobin,
		ExpertPlacement: &workload.ExpertPlacement{ExpertIDs: universe,
			Strategy: rapid.SampledFrom([]workload.PlacementStrategy{workload.Contiguous, workload.RoundRobin}).Draw(t, "strategy")}}
	units := rapid.IntRange(1, 4).Draw(t, "units")
	for i := range units {
		k := rapid.IntRange(1, 3).Draw(t, "experts")
		u := workload.Unit{ID: "u" + string(rune('0'+i)), TargetTokenWidth: rapid.Int64Range(1, 3).Draw(t, "width"),
			CommittedTokens: 1, ActiveExperts: int64(k), ExpertRouted: true}
		for range u.TargetTokenWidth {
			for _, e := range rapid.Permutation(universe).Draw(t, "route")[:k] {
				r := workload.RoutedExpert{ExpertID: e, SourceTier: rapid.SampledFrom([]workload.SourceTier{workload.Hot, workload.Warm, workload.Cold}).Draw(t, "tier")}
				if r.SourceTier != workload.Hot {
					r.LoadBytes = rapid.Int64Range(1, 1<<24).Draw(t, "bytes")
				}
				u.RoutedExperts = append(u.RoutedExperts, r)
			}
		}
		p.Units = append(p.Units, u)
		if rapid.Bool().Draw(t, "prefetch") {
			p.BackgroundPrefetches = append(p.BackgroundPrefetches, workload.BackgroundPrefetch{ID: "pf-" + u.ID,
				ExpertID: rapid.SampledFrom(universe).Draw(t, "expert"), AfterUnitIndex: int64(i) - 1, Bytes: 1 << 22})
			p.Units[i].RequiredPrefetchIDs = []string{"pf-" + u.ID}
		}
	}
	return p
}
