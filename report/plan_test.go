package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

func small() *topology.Scenario { return plantest.Scenario(plantest.Small) }

func large(execution string) *plan.Plan {
	p := plantest.Large(plantest.Small, 60)
	p.ExecutionID = execution
	return p
}

var crash = trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 245, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 60}

// planPages makes the page of every command that executes plans.
func planPages(t testing.TB) map[string][]byte {
	t.Helper()
	pages := make(map[string][]byte)
	keep := func(name string, html []byte, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pages[name] = html
	}
	meta := report.Meta{CommandLine: "inferlab x"}
	profile, err := workload.TargetOnly(4)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Execute(machine, profile, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	html, err := report.Run(r, meta)
	keep("run", html, err)
	frozen, err := plan.Validate(small(), large("x"))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]executor.Options{"plan-run": {}, "plan-fault": {Fault: &crash}} {
		x, err := run.ExecutePlan(small(), frozen, o)
		if err != nil {
			t.Fatal(err)
		}
		html, err := report.PlanRun(x, meta)
		keep(name, html, err)
	}
	f, err := campaign.RunFaults(small(), large("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	html, err = report.FaultCampaign(f, meta)
	keep("fault-campaign", html, err)
	options := executor.CampaignOptions{ExecutionCount: 4, Seed: 7, ArrivalWindowNs: 20}
	n, err := campaign.RunNodeFailure(small(), large("x"), options, crash)
	if err != nil {
		t.Fatal(err)
	}
	html, err = report.NodeFailure(n, meta)
	keep("concurrent-node-failure", html, err)
	c, err := campaign.RunConcurrent(small(), large("x"), options)
	if err != nil {
		t.Fatal(err)
	}
	html, err = report.ConcurrentCampaign(c, meta)
	keep("concurrent-campaign", html, err)
	html, err = report.Failover(failover(t), meta)
	keep("node-failover", html, err)
	return pages
}

func failover(t testing.TB) *campaign.Failover {
	t.Helper()
	alone := plantest.Small
	alone.Nodes = 1
	rest, err := campaign.NextEpoch(small(), plantest.Scenario(alone))
	if err != nil {
		t.Fatal(err)
	}
	again := plantest.Large(alone, 20)
	again.ExecutionID, again.TopologyEpoch = "y", 1
	f, err := campaign.RunFailover(trace.FailoverRequest{FailedScenario: small(), FailedPlan: large("x"), FailedNodeID: "n1", FaultAtNs: 700, Reason: "power",
		RecoveryScenario: rest, RecoveryPlan: again})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPlanPages checks order and content of the sections, self-containment and
// determinism.
func TestPlanPages(t *testing.T) {
	want := map[string]struct {
		sections string
		words    []string
	}{
		"run":                     {"machine links timeline resources capacity roofline", []string{"committed in a modeled", "Predicted throughput", "critical path", "Operations by resource lane"}},
		"plan-run":                {"machine links timeline resources capacity", []string{"All 61 steps complete in a modeled", "planArtifact 1"}},
		"plan-fault":              {"ranks machine links timeline resources capacity", []string{"The execution failed at 245 ns", "No step was ready but not submitted", "truncated"}},
		"fault-campaign":          {"cases ranks machine resources", []string{"11 cases", "device:n0/d1", "epoch:1", "first unsubmitted step ids"}},
		"concurrent-node-failure": {"ranks timeline machine resources", []string{"ended by the deadline; draining would have taken until 460 ns", "abort deadline", "steps ready but not submitted"}},
		"concurrent-campaign":     {"timeline resources latency", []string{"4 executions of one plan complete", "Operations by execution", "Execution latency"}},
		"node-failover":           {"ranks timeline machine recovery-machine resources", []string{"recovery admitted", "epoch 0 to 1", "nodeRecovery 1"}},
	}
	pages, again := planPages(t), planPages(t)
	if len(pages) != len(want) {
		t.Fatalf("%d pages, expected %d", len(pages), len(want))
	}
	for name, w := range want {
		html := string(pages[name])
		var ids []string
		for _, part := range strings.Split(html, `<section id="`)[1:] {
			if id, _, _ := strings.Cut(part, `"`); id != "evidence" && id != "reproduce" {
				ids = append(ids, id)
			}
		}
		if got := strings.Join(ids, " "); got != w.sections {
			t.Errorf("%s: sections %s, expected %s", name, got, w.sections)
		}
		for _, word := range append(w.words, "replay verified", "heuristic", "<svg", "inferlab x") {
			if !strings.Contains(html, word) {
				t.Errorf("%s lacks %q", name, word)
			}
		}
		for _, fetch := range []string{"src=\"http", "href=\"http", "@import", "url(", "fetch("} {
			if strings.Contains(html, fetch) {
				t.Errorf("%s contains %s", name, fetch)
			}
		}
		if !bytes.Equal(pages[name], again[name]) {
			t.Errorf("%s: a second page differs", name)
		}
		if *look != "" {
			if err := os.WriteFile(filepath.Join(filepath.Dir(*look), name+".html"), pages[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLargePlanPage checks that a plan of 10,000 steps stays within the bound and
// states its reduction (contract 09, K6).
func TestLargePlanPage(t *testing.T) {
	shape := plantest.Shape{Nodes: 8, DevicesPerNode: 8, ComputeLanes: 1, LinkLanes: 2, NetworkLanes: 4, MaxEvents: 1_000_000}
	scn := plantest.Scenario(shape)
	frozen, err := plan.Validate(scn, plantest.Large(shape, 10_000))
	if err != nil {
		t.Fatal(err)
	}
	x, err := run.ExecutePlan(scn, frozen, executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bound int
		words []string
	}{
		{report.DefaultMaxBytes, []string{"busiest of", "Showing the first 250 and the last 250 of"}},
		{2 << 20, []string{"bars stand for", "busiest of", "Showing the first 50 and the last 50 of"}},
	} {
		html, err := report.PlanRun(x, report.Meta{MaxBytes: c.bound})
		if err != nil {
			t.Fatal(err)
		}
		if len(html) > c.bound {
			t.Errorf("the page has %d bytes, at most %d were asked for", len(html), c.bound)
		}
		for _, word := range c.words {
			if !strings.Contains(string(html), word) {
				t.Errorf("the page of at most %d bytes does not say %q", c.bound, word)
			}
		}
	}
}

func TestPlanPagesRefuseNothing(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){
		"run":      func() ([]byte, error) { return report.Run(nil, report.Meta{}) },
		"plan":     func() ([]byte, error) { return report.PlanRun(&run.Executed{}, report.Meta{}) },
		"faults":   func() ([]byte, error) { return report.FaultCampaign(&campaign.Faults{}, report.Meta{}) },
		"failure":  func() ([]byte, error) { return report.NodeFailure(nil, report.Meta{}) },
		"failover": func() ([]byte, error) { return report.Failover(nil, report.Meta{}) },
		"campaign": func() ([]byte, error) { return report.ConcurrentCampaign(&campaign.Concurrent{}, report.Meta{}) },
	} {
		if _, err := make(); !errors.Is(err, report.ErrNoExecution) {
			t.Errorf("%s: error %v, expected ErrNoExecution", name, err)
		}
	}
}

// TestBriefs checks that a result shown alone says what its page says.
func TestBriefs(t *testing.T) {
	frozen, err := plan.Validate(small(), large("x"))
	if err != nil {
		t.Fatal(err)
	}
	calm, err := run.ExecutePlan(small(), frozen, executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hit, err := run.ExecutePlan(small(), frozen, executor.Options{Fault: &crash})
	if err != nil {
		t.Fatal(err)
	}
	faults, err := campaign.RunFaults(small(), large("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value          any
		verdict, title string
	}{
		{calm, "All 61 steps complete in a modeled 3.94 µs.", "The foreground ends at 3.94 µs"},
		{hit, "The execution failed at 245 ns and is quiet at 245 ns; 56 of 61 steps never submitted.", "Node n1 fails: 2 fail, 2 abort, 0 succeed"},
		{faults, "One fault fails or aborts this plan in each of 11 cases", "11 faults: node:n1 takes longest to quiesce"},
		{failover(t), "Node n1 fails at 700 ns", "Node n1 fails at 700 ns"},
	} {
		b, ok := report.BriefOf(c.value)
		if !ok || !strings.HasPrefix(b.Verdict, c.verdict) || !strings.HasPrefix(b.Figure.Text().Title, c.title) || len(b.Numbers) < 4 {
			t.Errorf("%T: %v, %q, %q, %d numbers", c.value, ok, b.Verdict, b.Figure.Text().Title, len(b.Numbers))
		}
		html, err := report.PageOf(c.value, report.Meta{})
		if err != nil || !strings.Contains(string(html), b.Verdict) {
			t.Errorf("%T: the page does not say the verdict (%v)", c.value, err)
		}
	}
	for _, v := range []any{nil, 7, (*run.Result)(nil), (*campaign.Faults)(nil)} {
		if _, ok := report.BriefOf(v); ok {
			t.Errorf("%T has nothing to tell", v)
		}
	}
}
