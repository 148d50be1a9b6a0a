package figure_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// targetOnly runs tokens of the target model alone on a preset.
func targetOnly(t testing.TB, machine string, tokens int64) *run.Result {
	t.Helper()
	p, err := workload.TargetOnly(tokens)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Execute(preset(t, machine), p, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// relay is compute on device 0 for 10 ns, a transfer to device 2 on the other node
// for 5 ns, and compute there for 1 ns.
func relay() *plan.Plan {
	return &plan.Plan{ContractRevision: 5, ID: "relay", ExecutionID: "x", Steps: []plan.Step{
		{ID: 4, Participants: []string{"r00"}, Reads: []string{"n0/d0.w"}, Writes: []string{"n0/d0.out"},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.FFN, DurationNs: 10}},
		{ID: 5, Participants: []string{"r00", "r02"}, Dependencies: []int64{4}, Reads: []string{"n0/d0.out"}, Writes: []string{"n1/d0.in"},
			Operation: plan.Operation{Kind: plan.Transfer, LinkID: "00>02", DurationNs: 5}},
		{ID: 6, Participants: []string{"r02"}, Dependencies: []int64{5}, Reads: []string{"n1/d0.in"}, Writes: []string{"n1/d0.kv"},
			Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n1/d0", Capability: topology.FFN, DurationNs: 1}},
	}}
}

// executed runs a plan of the small machine, with a fault when one is given.
func executed(t testing.TB, p *plan.Plan, fault *trace.Fault) *trace.Plan {
	t.Helper()
	f, err := plan.Validate(plantest.Scenario(plantest.Small), p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := executor.Run(f, executor.Options{Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	return &r.Trace
}

var source = figure.Source{Run: "small", Confidence: evidence.Heuristic}

func relayTimeline(t testing.TB) figure.PlanTimeline {
	return figure.PlanOf(source, plantest.Scenario(plantest.Small), relay(), executed(t, relay(), nil))
}

func large() *plan.Plan { return plantest.Large(plantest.Small, 60) }

// nodeFault is a failure amid the large plan.
var nodeFault = trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 245, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 60}

func faulted(t testing.TB) figure.PlanTimeline {
	f := figure.PlanOf(source, plantest.Scenario(plantest.Small), large(), executed(t, large(), &nodeFault))
	return f.Against(large(), executed(t, large(), nil))
}

func concurrent(t testing.TB, n int64) *campaign.Concurrent {
	t.Helper()
	c, err := campaign.RunConcurrent(plantest.Scenario(plantest.Small), large(), executor.CampaignOptions{ExecutionCount: n, Seed: 7, ArrivalWindowNs: 400})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func nodeFailure(t testing.TB) *campaign.NodeFailure {
	t.Helper()
	n, err := campaign.RunNodeFailure(plantest.Scenario(plantest.Small), large(), executor.CampaignOptions{ExecutionCount: 4, Seed: 7, ArrivalWindowNs: 20}, nodeFault)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func failover(t testing.TB) *campaign.Failover {
	t.Helper()
	alone := plantest.Small
	alone.Nodes = 1
	rest, err := campaign.NextEpoch(plantest.Scenario(plantest.Small), plantest.Scenario(alone))
	if err != nil {
		t.Fatal(err)
	}
	again := relay()
	again.ExecutionID, again.TopologyEpoch, again.Steps = "y", 1, again.Steps[:1]
	f, err := campaign.RunFailover(trace.FailoverRequest{
		FailedScenario: plantest.Scenario(plantest.Small), FailedPlan: relay(), FailedNodeID: "n1", FaultAtNs: 12, Reason: "power",
		RecoveryScenario: rest, RecoveryPlan: again,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func faultCampaign(t testing.TB) *campaign.Faults {
	t.Helper()
	f, err := campaign.RunFaults(plantest.Scenario(plantest.Small), large(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// planFigures lists the figures of plans by file name.
func planFigures(t testing.TB) map[string]figure.Figure {
	r := targetOnly(t, "multi-gpu", 2)
	byRank := figure.RunPlan(r)
	byResource := byRank
	byResource.Arrange = figure.ByResource
	selected := byRank
	selected.Selected = &figure.PlanStep{StepID: r.Compiled.Plan.Steps[len(r.Compiled.Plan.Steps)/2].ID}
	hazards := relayTimeline(t)
	hazards.Selected = &figure.PlanStep{StepID: 5}
	reduced := byRank
	reduced.MaxBars = 6
	return map[string]figure.Figure{
		"plan-rank": byRank, "plan-resource": byResource, "plan-selected": selected, "plan-hazards": hazards, "plan-reduced": reduced,
		"plan-fault": faulted(t), "plan-concurrent": figure.ConcurrentCampaign(concurrent(t, 5)),
		"plan-node-failure": figure.NodeFailurePlans(nodeFailure(t)), "plan-failover": figure.FailoverPlans(failover(t)),
		"plan-use":       figure.PlanUse(byRank, r.Scenario, r.Metrics.TotalDurationNs),
		"fault-cases":    figure.Faults(faultCampaign(t)),
		"ranks":          figure.RanksOf(source, plantest.Scenario(plantest.Small), &executed(t, large(), &nodeFault).Terminal),
		"ranks-many":     figure.NodeFailureRanks(nodeFailure(t)),
		"ranks-failover": figure.FailoverRanks(failover(t)),
	}
}

// TestLookPlans writes pictures for human eyes; without -look it has nothing to do.
func TestLookPlans(t *testing.T) {
	if *look == "" {
		t.Skip("no -look directory given")
	}
	show(t, planFigures(t))
}

func TestPlanGolden(t *testing.T) {
	for name, f := range planFigures(t) {
		for variant, o := range map[string]figure.Options{"": {}, "-dark": {Theme: figure.Dark, Width: 1080}, "-page": {Page: true, Width: 350}} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text := wellFormed(t, name+variant, svg)
			if variant == "" && !strings.Contains(text, "heuristic") {
				t.Errorf("%s does not say its confidence", name)
			}
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
			if string(want) != string(svg) {
				t.Errorf("%s differs from the golden picture", path)
			}
		}
	}
}

// TestCriticalPath follows the chain by hand: the collective of the large plan holds
// nobody up, the relay is one chain.
func TestCriticalPath(t *testing.T) {
	f := relayTimeline(t)
	for i := range f.Operations {
		if !f.Operations[i].Critical {
			t.Errorf("step %d is not on the path, expected all of the relay", f.Operations[i].StepID)
		}
	}
	if got, want := f.Text().Title, "The foreground ends at 16 ns; compute is 68.8 % of the path that decides it"; got != want {
		t.Errorf("title %q, expected %q", got, want)
	}

	// Two computes on one lane: the second waits for the lane, not for a dependency.
	p := relay()
	p.Steps = append(p.Steps[:1:1], plan.Step{ID: 9, Participants: []string{"r00"}, Reads: []string{"n0/d0.w"}, Writes: []string{"n0/d0.kv"},
		Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.FFN, DurationNs: 7}})
	f = figure.PlanOf(source, plantest.Scenario(plantest.Small), p, executed(t, p, nil))
	if !f.Operations[0].Critical || !f.Operations[1].Critical || f.Operations[1].StartNs != 10 {
		t.Errorf("the lane's former holder is not on the path: %+v", f.Operations)
	}
}

// TestCriticalPathOfCampaigns checks that the chain has no hole: every operation on
// it starts when another one on it ends, up to an arrival.
func TestCriticalPathOfCampaigns(t *testing.T) {
	f := figure.ConcurrentCampaign(concurrent(t, 20))
	ends, starts := map[int64]bool{}, 0
	for _, o := range f.Operations {
		if o.Critical {
			ends[o.FinishNs] = true
		}
	}
	for _, o := range f.Operations {
		if o.Critical && !ends[o.StartNs] {
			starts++
		}
	}
	if starts != 1 {
		t.Errorf("%d operations of the path have no predecessor on it, expected the first alone", starts)
	}
}

// TestSelection checks the edges of a selected step: the transfer of the relay waits
// for the first compute and releases the second, over the buffer of each.
func TestSelection(t *testing.T) {
	f := relayTimeline(t)
	f.Selected = &figure.PlanStep{StepID: 5}
	if got, want := f.Text().Caption, "Step 5 waits for 1 step and releases 1 step (solid lines); 2 hazards (dashed) over n1/d0.in, n0/d0.out."; !strings.HasSuffix(got, want) {
		t.Errorf("caption %q, expected %q at its end", got, want)
	}
	svg, err := f.SVG(figure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n1/d0.in", "n0/d0.out"} {
		if !strings.Contains(string(svg), ">"+name+"</text>") {
			t.Errorf("the hazard over %s has no name in the drawing", name)
		}
	}
	f.Selected.StepID = 99
	if got := f.Text().Caption; !strings.Contains(got, "Step 99, which was selected, has no operation.") {
		t.Errorf("caption %q", got)
	}
}

func TestFilters(t *testing.T) {
	f := relayTimeline(t)
	steps := func(q figure.PlanFilter) (ids []string) {
		f.Filter = q
		table := f.Table()
		for i := range table.Len {
			ids = append(ids, table.Row(i)[1])
		}
		return ids
	}
	for want, q := range map[string]figure.PlanFilter{
		"4 5 6": {}, "5 6": {Ranks: []string{"r02"}}, "5": {Kinds: []plan.Kind{plan.Transfer}},
		"4 5": {FromStep: 4, ToStep: 5}, "": {Groups: []string{"world"}}, "6": {Ranks: []string{"r02"}, Kinds: []plan.Kind{plan.Compute}},
	} {
		if diff := cmp.Diff(want, strings.Join(steps(q), " ")); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
	f.Filter = figure.PlanFilter{Executions: []string{"nobody"}}
	if text := f.Text(); text.Empty != "No operation lies in this window or passes the filter." {
		t.Errorf("an empty filter says %q", text.Empty)
	}
	f.Filter, f.Window = figure.PlanFilter{}, figure.Window{FromNs: 12, ToNs: 16}
	if text := f.Text(); !strings.Contains(text.Caption, "Showing 2 of 3 operations") {
		t.Errorf("the window's caption is %q", text.Caption)
	}
}

// TestPlanReduction checks that merged bars keep their number and say so.
func TestPlanReduction(t *testing.T) {
	f := figure.ConcurrentCampaign(concurrent(t, 200))
	f.Arrange = figure.ByResource
	text := f.Text()
	if len(f.Operations) != 12_200 || !strings.Contains(text.Caption, "bars stand for") {
		t.Errorf("%d operations, caption %q", len(f.Operations), text.Caption)
	}
	svg, err := f.SVG(figure.Options{Page: true, Width: 900})
	if err != nil {
		t.Fatal(err)
	}
	if marks := strings.Count(string(svg), "<title>"); marks > 5000 || marks < 100 {
		t.Errorf("%d marks drawn", marks)
	}
	if f.Table().Len != 12_200 {
		t.Errorf("the table has %d rows; it is never reduced", f.Table().Len)
	}
}

func TestFaultedTimeline(t *testing.T) {
	f := faulted(t)
	var n [3]int
	for _, o := range f.Operations {
		n[o.Outcome]++
	}
	if n != [3]int{4, 1, 56} {
		t.Errorf("%v completed, truncated, dropped; expected 4, 1 and 56", n)
	}
	if got, want := f.Text().Title, "Node n1 fails at 245 ns: 1 operation truncated, 56 steps dropped"; got != want {
		t.Errorf("title %q, expected %q", got, want)
	}
}

func TestRankBars(t *testing.T) {
	f := figure.NodeFailureRanks(nodeFailure(t))
	if len(f.Rows) != 16 || f.DeadlineNs != 305 || f.DrainedNs != 460 {
		t.Errorf("%d ranks, deadline %d, drained %d", len(f.Rows), f.DeadlineNs, f.DrainedNs)
	}
	if text := f.Text(); !strings.Contains(text.Alt, "ended by the deadline: surviving work would have drained at 460 ns") {
		t.Errorf("alternative %q", text.Alt)
	}
	r := figure.FailoverRanks(failover(t))
	last := r.Rows[len(r.Rows)-1]
	if last.Execution != "new" || last.FromNs != 15 || last.TerminalNs != 25 {
		t.Errorf("the recovery's rank is %+v", last)
	}
	calm := figure.RanksOf(source, plantest.Scenario(plantest.Small), &executed(t, relay(), nil).Terminal)
	if got, want := calm.Text().Title, "All 2 ranks succeed without a fault"; got != want {
		t.Errorf("title %q, expected %q", got, want)
	}
	if (figure.RankBars{}).Text().Empty == "" || (figure.FaultCases{}).Text().Empty == "" || (figure.PlanTimeline{}).Text().Empty == "" {
		t.Error("an empty figure states no reason")
	}
}

// TestPlanUse checks that nothing counts beyond the window or after a cut.
func TestPlanUse(t *testing.T) {
	use := figure.PlanUse(relayTimeline(t), plantest.Scenario(plantest.Small), 16)
	var got []string
	for _, r := range use.Rows {
		got = append(got, r.ID+" "+figureCell(use, r.ID))
	}
	want := []string{"compute:n0/d0 10", "link:00>02 5", "compute:n1/d0 1"}
	for i := range want {
		if !slices.Contains(got, want[i]) {
			t.Errorf("%v lacks %s", got, want[i])
		}
	}
	n := nodeFailure(t)
	for _, r := range figure.PlanUse(figure.NodeFailurePlans(n), n.Scenario, n.Run.CompletedAtNs).Rows {
		if r.Share > 1 {
			t.Errorf("%s is busy %v of its time", r.ID, r.Share)
		}
	}
}

func TestPlanFlow(t *testing.T) {
	r := targetOnly(t, "multi-gpu", 2)
	flow := figure.PlanFlow(figure.RunPlan(r), r.Scenario, r.Metrics.TotalDurationNs)
	if len(flow.Bands) != len(r.Metrics.LinkUtilization) || len(flow.Bands)+len(flow.Unused) != len(r.Scenario.Spec().Links) {
		t.Fatalf("%d bands and %d unused links", len(flow.Bands), len(flow.Unused))
	}
	for i, u := range r.Metrics.LinkUtilization {
		if b := flow.Bands[i]; "link:"+b.Link != u.ResourceID || b.BusyNs != u.BusyNs || b.Share != u.Utilization || b.Operations == 0 {
			t.Errorf("band %+v, metric %+v", b, u)
		}
	}
}

func figureCell(f figure.ResourceUse, id string) string {
	table := f.Table()
	for i := range table.Len {
		if row := table.Row(i); row[0] == id {
			return row[1]
		}
	}
	return ""
}

func TestHostileIDs(t *testing.T) {
	f := relayTimeline(t)
	f.Ranks[0].ID, f.Ranks[0].Node = `<script>"&'`+strings.Repeat("x", 200), "\u202eevil"
	for i := range f.Operations {
		f.Operations[i].Ranks = []string{f.Ranks[0].ID}
	}
	svg, err := f.SVG(figure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "hostile", svg)
	if strings.Contains(string(svg), "<script") {
		t.Error("an id became markup")
	}
}

func BenchmarkPlanTimeline(b *testing.B) {
	shape := plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1_000_000}
	scn, p := plantest.Scenario(shape), plantest.Large(shape, 100_000)
	fz, err := plan.Validate(scn, p)
	if err != nil {
		b.Fatal(err)
	}
	r, err := executor.Run(fz, executor.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := figure.PlanOf(source, scn, p, &r.Trace).SVG(figure.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.Steps))*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// TestPlanForms checks the forms beside SVG, each twice.
func TestPlanForms(t *testing.T) {
	for name, f := range planFigures(t) {
		for magic, draw := range map[string]func(figure.Options) ([]byte, error){"\x89PNG": f.PNG, "%PDF": f.PDF} {
			first, err := draw(figure.Options{Width: 500, Scale: 1, Theme: figure.Dark})
			if err != nil || !strings.HasPrefix(string(first), magic) {
				t.Errorf("%s: no %q (%v)", name, magic, err)
			}
			if again, _ := draw(figure.Options{Width: 500, Scale: 1, Theme: figure.Dark}); string(again) != string(first) {
				t.Errorf("%s: a second %q differs", name, magic)
			}
		}
		table := f.Table()
		for i := range table.Len {
			if n := len(table.Row(i)); n != len(table.Columns) {
				t.Fatalf("%s: row %d has %d cells for %d columns", name, i, n, len(table.Columns))
			}
		}
	}
}
