package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestTranscripts compiles the profiles of testdata and shows the whole plan. The
// plans agree step by step with the figures that contract 06 gives for the same
// profiles.
//
//	compile on=TARGET          profile in YAML -> the plan and the run's figures
//	expert-load on=TARGET      load in YAML -> the plan of the load
//	proposers draft=N          every proposer family on every topology family
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "proposers" {
				return proposerTranscript(t, d)
			}
			var on string
			d.ScanArgs(t, "on", &on)
			s := target(t, on)
			switch d.Cmd {
			case "compile":
				return compileTranscript(t, s, readProfile(t, d.Input))
			case "expert-load":
				return loadTranscript(t, s, d.Input)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// families are the proposer families with where they run and what they cost.
var families = []struct {
	name     string
	proposer workload.Proposer
	fixed    int64 // tokens guaranteed besides the additional ones
}{
	{"prompt_lookup", workload.Proposer{Execution: workload.CPULookup, CostScale: 0.08}, 0},
	{"draft_model", workload.Proposer{Execution: workload.SeparateModel, CostScale: 1}, 0},
	{"mtp", workload.Proposer{Execution: workload.SidecarExecution, CostScale: 0.32}, 1},
	{"eagle3", workload.Proposer{Execution: workload.SidecarExecution, CostScale: 0.46}, 1},
	{"shared_kv", workload.Proposer{Execution: workload.SharedKVAssistant, CostScale: 0.38}, 1},
	{"self_speculative", workload.Proposer{Execution: workload.TargetEarlyExit, CostScale: 0.55}, 0},
}

// proposerTranscript runs two iterations of every family on every topology: one
// that drafts and one that does not.
func proposerTranscript(t *testing.T, d *datadriven.TestData) string {
	var n int64
	d.ScanArgs(t, "draft", &n)
	var b strings.Builder
	for _, on := range topology.FamilyNames() {
		s := preset(t, on)
		for _, f := range families {
			p := workload.SpeculativeProfile(f.name, f.proposer, []workload.SpeculativeIteration{
				{ProposedTokens: n + f.fixed, AdditionalTokens: n, CommittedTokens: 2},
				{ProposedTokens: f.fixed, CommittedTokens: 1},
			})
			r, err := run.Execute(s, p, cost.Default())
			if err != nil {
				fmt.Fprintf(&b, "%s %s: refused: %v\n", on, f.name, err)
				continue
			}
			first := &r.Compiled.Plan.Steps[0]
			fmt.Fprintf(&b, "%s %s: %s on %s, %d ns, writes %v; %d steps, %d ns\n", on, f.name, first.Operation.Capability,
				first.Operation.DeviceID, first.Operation.DurationNs, first.Writes, len(r.Compiled.Plan.Steps), r.Metrics.TotalDurationNs)
		}
	}
	return b.String()
}

// target is a preset, or a ring of n devices given as ring-n.
func target(t *testing.T, name string) *topology.Scenario {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(name, "ring-%d", &n); err == nil {
		return ring(t, n)
	}
	return preset(t, name)
}

func compileTranscript(t *testing.T, s *topology.Scenario, p *workload.Profile) string {
	r, err := run.Execute(s, p, cost.Default())
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	writePlan(&b, r.Compiled.Plan)
	fmt.Fprintf(&b, "foreground ends with %d, units with %v\n", r.Compiled.ForegroundStepID, r.Compiled.UnitTerminals)
	for _, f := range r.Compiled.Prefetches {
		fmt.Fprintf(&b, "prefetch %s into %s: steps %v\n", f.PrefetchID, f.TargetDomainID, f.StepIDs)
	}
	m := &r.Metrics
	fmt.Fprintf(&b, "%s: total %d ns, foreground %d ns, drain %d ns, %d tokens, %.6f tokens/s\n",
		r.Confidence, m.TotalDurationNs, m.ForegroundDurationNs, m.BackgroundDrainNs, m.CommittedTokens, m.TokensPerSecond)
	fmt.Fprintf(&b, "service: compute %d ns, transfer %d ns, collective %d ns\n",
		m.ComputeServiceNs, m.TransferServiceNs, m.CollectiveServiceNs)
	for _, u := range append(append([]run.Utilization(nil), m.ComputeUtilization...), m.LinkUtilization...) {
		fmt.Fprintf(&b, "busy %s: %d ns of %d lanes, %.6f\n", u.ResourceID, u.BusyNs, u.CapacityLanes, u.Utilization)
	}
	return b.String()
}

func writePlan(b *strings.Builder, p *plan.Plan) {
	fmt.Fprintf(b, "%s as %s\n", p.ID, p.ExecutionID)
	for i := range p.Steps {
		st := &p.Steps[i]
		op := &st.Operation
		what := ""
		switch op.Kind {
		case plan.Compute:
			what = fmt.Sprintf("%s on %s", op.Capability, op.DeviceID)
			if op.ComponentID != "" {
				what += fmt.Sprintf(" for %s (%s)", op.ComponentID, op.PipelinePhase)
			}
		case plan.Transfer:
			what = "over " + op.LinkID
		case plan.Collective:
			what = fmt.Sprintf("%s %d of %s over %v", op.Algorithm, op.CommSequenceID, op.GroupID, op.LinkIDs)
		}
		fmt.Fprintf(b, "%d %s, %d ns; %s; after %v; reads %v; writes %v\n",
			st.ID, what, op.DurationNs, strings.Join(st.Participants, " "), st.Dependencies, st.Reads, st.Writes)
	}
}

func loadTranscript(t *testing.T, s *topology.Scenario, input string) string {
	v, err := document.Parse([]byte(input), "load.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := document.NewReader(v, "")
	n := r.Root()
	load := &compiler.ExpertLoad{
		ID: n.Get("id").Text(), ExpertID: n.Get("expertId").Text(),
		SourceTier: workload.SourceTier(n.Get("sourceTier").Text()), Bytes: n.Get("bytes").Integer(),
		Placement: *placementOf(n.Get("placement")),
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	c, err := compiler.New(s, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := c.CompileExpertLoad(load)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	if compiled.Plan == nil {
		return fmt.Sprintf("no plan, terminals %v\n", compiled.TerminalStepIDs)
	}
	if _, err := plan.Validate(s, compiled.Plan); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	writePlan(&b, compiled.Plan)
	fmt.Fprintf(&b, "terminals %v\n", compiled.TerminalStepIDs)
	return b.String()
}
