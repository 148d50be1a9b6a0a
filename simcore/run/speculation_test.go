package run_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

func speculate(t testing.TB, family workload.Family) *speculative.Run {
	t.Helper()
	contract, err := workload.ContractOf(family)
	if err != nil {
		t.Fatal(err)
	}
	s, err := speculative.Simulate(workload.SpeculativeRun{
		Family: family, InitialTokens: 64, OutputTokens: 24, MaxAdditionalTokens: 3, Eligibility: contract.DefaultEligibility(),
		Acceptance: workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: workload.AcceptanceLadder(0.8, 3), Seed: 7},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFamiliesOnFamilies runs the six proposer families on the six topology
// families: every run is replayed, commits what target-only decoding commits, and
// splits into parts that add up.
func TestFamiliesOnFamilies(t *testing.T) {
	for _, family := range workload.Families {
		s := speculate(t, family)
		profile, err := s.Trace.Profile()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range topology.FamilyNames() {
			machine, err := topology.Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := run.Execute(machine, profile, cost.Default())
			if err != nil {
				t.Fatalf("%s on %s: %v", family, name, err)
			}
			m, err := run.MeasureSpeculation(r, &s.Trace, cost.Default())
			if err != nil {
				t.Fatalf("%s on %s: %v", family, name, err)
			}
			checkSplit(t, string(family)+" on "+name, r, m, s)
		}
	}
}

func checkSplit(t *testing.T, name string, r *run.Result, m *run.Speculation, s *speculative.Run) {
	t.Helper()
	total := r.Metrics.ComputeServiceNs + r.Metrics.TransferServiceNs + r.Metrics.CollectiveServiceNs
	if m.ProposerNs+m.VerificationNs != total {
		t.Errorf("%s: proposer %d + verification %d is not the service time %d", name, m.ProposerNs, m.VerificationNs, total)
	}
	if r.Metrics.CommittedTokens != s.Config.OutputTokens || m.TargetOnly.Metrics.CommittedTokens != s.Config.OutputTokens {
		t.Errorf("%s: %d tokens, target-only %d, want %d", name, r.Metrics.CommittedTokens, m.TargetOnly.Metrics.CommittedTokens, s.Config.OutputTokens)
	}
	if m.ProposerNs <= 0 || m.RejectedProposerNs > m.ProposerNs || m.RejectedComputeNs+m.RejectedCommunicationNs > m.VerificationNs {
		t.Errorf("%s: %+v", name, m)
	}
	for i := range m.Units {
		u, it := &m.Units[i], &s.Trace.Iterations[i]
		if (u.ProposerNs > 0) != (it.ProposedAdditional > 0) || u.ProposerFinishNs > u.VerifyStartNs || u.VerifyStartNs >= u.FinishNs ||
			i > 0 && u.VerifyStartNs < m.Units[i-1].FinishNs {
			t.Errorf("%s: iteration %d ran %+v", name, i, u)
		}
	}
}

// TestRecomputationIsNeverFree: it has no default coefficient.
func TestRecomputationIsNeverFree(t *testing.T) {
	costs := run.DefaultRollbackCosts()
	counted := trace.RollbackOperations{CursorOnly: 9, SnapshotRestore: 2, PagedTableMutation: 3, SidecarReset: 4}
	if ns, err := costs.Total(counted); err != nil || ns != 20_000 {
		t.Errorf("%d ns, %v; want 20000", ns, err)
	}
	counted.Recomputation = 1
	if _, err := costs.Total(counted); err == nil {
		t.Error("a recomputation without a coefficient is taken to be free")
	}
	costs.RecomputationNs = 70_000
	if ns, err := costs.Total(counted); err != nil || ns != 90_000 {
		t.Errorf("%d ns, %v; want 90000", ns, err)
	}
}
