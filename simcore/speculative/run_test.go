package speculative

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// configure is a workload with the family's default eligibility.
func configure(t testing.TB, f workload.Family, initial, output, width int64, a workload.Acceptance) workload.SpeculativeRun {
	t.Helper()
	c, err := workload.ContractOf(f)
	if err != nil {
		t.Fatal(err)
	}
	return workload.SpeculativeRun{Family: f, InitialTokens: initial, OutputTokens: output, MaxAdditionalTokens: width,
		Eligibility: c.DefaultEligibility(), Acceptance: a}
}

func drawRun(t *rapid.T) workload.SpeculativeRun {
	c := drawFamily(t)
	n := rapid.Int64Range(0, 6).Draw(t, "width")
	cfg := workload.SpeculativeRun{
		Family: c.Family, InitialTokens: rapid.Int64Range(0, 40).Draw(t, "initial"), OutputTokens: rapid.Int64Range(0, 60).Draw(t, "output"),
		MaxAdditionalTokens: n, Eligibility: c.DefaultEligibility(),
		Acceptance: workload.Acceptance{Kind: workload.AcceptEmpirical, Seed: rapid.Int64Range(0, 1<<40).Draw(t, "seed")},
	}
	chances := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.9, 1}), int(n), int(n)+2)
	if rapid.Bool().Draw(t, "buckets") {
		for bound := int64(0); bound < 80; bound += rapid.Int64Range(1, 40).Draw(t, "step") {
			cfg.Acceptance.Buckets = append(cfg.Acceptance.Buckets, workload.AcceptanceBucket{MinContextTokens: bound, Probabilities: chances.Draw(t, "p")})
		}
	} else {
		cfg.Acceptance.Probabilities = chances.Draw(t, "p")
	}
	if rapid.Bool().Draw(t, "paged") {
		cfg.PagedKV = &workload.PagedKV{SequenceID: "target", PageSizeTokens: rapid.Int64Range(1, 9).Draw(t, "page"), BytesPerToken: 2, CapacityBytes: 1 << 20}
	}
	return cfg
}

// TestInvariants keeps those of design section 9.7 on random runs, each of which
// the independent replay has confirmed.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawRun(t)
		run, err := Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		length, m := cfg.InitialTokens, &run.Trace.Metrics
		g := run.Contract.GuaranteedTokens()
		for i := range run.Trace.Iterations {
			it := &run.Trace.Iterations[i]
			if it.BaseTokens != length || it.CommittedTokens() < 1 || it.AcceptedAdditional > it.ProposedAdditional ||
				it.ProposedAdditional > cfg.MaxAdditionalTokens || int64(it.Guaranteed) != g {
				t.Fatalf("iteration %d: %+v at length %d", i, it, length)
			}
			length += it.CommittedTokens()
		}
		switch {
		case length != cfg.InitialTokens+cfg.OutputTokens || run.Trace.FinalTokens != length:
			t.Fatalf("the run ends at %d", length)
		case m.AcceptedDraftTokens+m.TargetAuthoritativeTokens != cfg.OutputTokens:
			t.Fatalf("accepted %d + authoritative %d is not the output %d", m.AcceptedDraftTokens, m.TargetAuthoritativeTokens, cfg.OutputTokens)
		case m.CorrectionTokens+m.BonusTokens+m.AcceptedTailIterations+m.TargetOnlyTokens != m.Iterations:
			t.Fatalf("outcomes do not add up: %+v", m)
		case m.KVPagesAllocated-m.KVPagesReleased < 0, m.AcceptedTailIterations > 1:
			t.Fatalf("%+v", m)
		}
		if p := run.Trace.PagedKV; p != nil {
			s := &run.Trace.PagedKVSnapshot
			if live := m.KVPagesAllocated - m.KVPagesReleased; live != s.LivePageCount || live != cfg.PagedKV.Pages(length) || s.ActiveCheckpoint != nil {
				t.Fatalf("%d live pages for %d tokens: %+v", live, length, s)
			}
		}
	})
}

// TestReplayOfASampledRun: replaying a sampled run's own accepted lengths
// gives the same run.
func TestReplayOfASampledRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawRun(t)
		sampled, err := Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		again := cfg
		again.Acceptance = workload.Acceptance{Kind: workload.AcceptReplay}
		for i := range sampled.Trace.Iterations {
			again.Acceptance.Accepted = append(again.Acceptance.Accepted, float64(sampled.Trace.Iterations[i].AcceptedAdditional))
			again.Widths = append(again.Widths, sampled.Trace.Iterations[i].ProposedAdditional)
		}
		if len(again.Widths) == 0 {
			again.Widths = nil
		}
		replayed, err := Simulate(again)
		if err != nil {
			t.Fatal(err)
		}
		if len(replayed.Trace.Iterations) != len(sampled.Trace.Iterations) {
			t.Fatal("another number of iterations")
		}
		for i := range sampled.Trace.Iterations {
			if replayed.Trace.Iterations[i] != sampled.Trace.Iterations[i] {
				t.Fatalf("iteration %d: %+v, then %+v", i, sampled.Trace.Iterations[i], replayed.Trace.Iterations[i])
			}
		}
	})
}

// TestMutatedRecordsAreRefused changes one figure of a record at a time and asks
// the independent replay for the rule and the iteration.
func TestMutatedRecordsAreRefused(t *testing.T) {
	cfg := configure(t, workload.MTP, 6, 30, 3, workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: []float64{0.8, 0.6, 0.5}, Seed: 4})
	cfg.PagedKV = &workload.PagedKV{SequenceID: "target", PageSizeTokens: 4, BytesPerToken: 2, CapacityBytes: 4096}
	for _, m := range []struct {
		name  string
		spoil func(*trace.Speculative)
		rule  speculativereplay.Rule
		at    int64
	}{
		{"accepted more", func(s *trace.Speculative) { s.Iterations[2].AcceptedAdditional++ }, speculativereplay.IterationRow, 2},
		{"proposed less", func(s *trace.Speculative) { s.Iterations[1].ProposedAdditional-- }, speculativereplay.IterationRow, 1},
		{"prefix dropped", func(s *trace.Speculative) { s.Iterations[0].Guaranteed = 0 }, speculativereplay.IterationRow, 0},
		{"bonus dropped", func(s *trace.Speculative) { s.Iterations[3].Authoritative = 0 }, speculativereplay.IterationRow, 3},
		{"outcome", func(s *trace.Speculative) { s.Iterations[4].Outcome = trace.OutcomeTargetOnly }, speculativereplay.IterationRow, 4},
		{"base", func(s *trace.Speculative) { s.Iterations[5].BaseTokens++ }, speculativereplay.IterationRow, 5},
		{"an iteration twice", func(s *trace.Speculative) { s.Iterations = append(s.Iterations, s.Iterations[0]) }, speculativereplay.IterationRow, -1},
		{"truncated", func(s *trace.Speculative) { s.Iterations = s.Iterations[:len(s.Iterations)-1] }, speculativereplay.IterationRow, -2},
		{"final length", func(s *trace.Speculative) { s.FinalTokens++ }, speculativereplay.FinalLength, -1},
		{"a lease is kept", func(s *trace.Speculative) { s.Groups[0].LogicalLength = 1 }, speculativereplay.StateGroups, -1},
		{"high water", func(s *trace.Speculative) { s.Groups[2].HighWaterLength++ }, speculativereplay.StateGroups, -1},
		{"a metric", func(s *trace.Speculative) { s.Metrics.BonusTokens++ }, speculativereplay.Metrics, -1},
		{"a bin", func(s *trace.Speculative) { s.Metrics.AcceptedPrefixHistogram[1]++ }, speculativereplay.Metrics, -1},
		{"a share", func(s *trace.Speculative) { s.Metrics.AcceptanceByPosition[0] = 0.5 }, speculativereplay.Metrics, -1},
		{"a rollback", func(s *trace.Speculative) { s.Metrics.RollbackOperations.CursorOnly++ }, speculativereplay.Metrics, -1},
		{"a page event", func(s *trace.Speculative) { s.PagedKV.Events[6].Tokens++ }, speculativereplay.PagedKV, -1},
		{"a page released late", func(s *trace.Speculative) { s.PagedKVSnapshot.LivePageCount++ }, speculativereplay.PagedKV, -1},
		{"initial length", func(s *trace.Speculative) { s.InitialTokens++ }, speculativereplay.Configuration, 0},
	} {
		run, err := Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(len(run.Trace.Iterations))
		m.spoil(&run.Trace)
		_, err = speculativereplay.Check(&cfg, &run.Trace)
		want := m.at
		switch m.at {
		case -1:
			want = n
		case -2:
			want = n - 1
		}
		var mismatch *speculativereplay.Mismatch
		if !errors.As(err, &mismatch) || mismatch.Rule != m.rule || mismatch.Iteration != want {
			t.Errorf("%s: %v, want %s at iteration %d", m.name, err, m.rule, want)
		}
	}
}

// TestClosedForm: the mean of a million draws meets the closed form. With
// conditional chances p_0 … p_(k-1), an iteration far from its end accepts
// sum over j of p_0 … p_j additional tokens and commits g and one more.
func TestClosedForm(t *testing.T) {
	const draws = 1_000_000
	chances := []float64{0.82, 0.7, 0.55, 0.5}
	for _, family := range []workload.Family{workload.DraftModel, workload.Eagle3} {
		contract, err := workload.ContractOf(family)
		if err != nil {
			t.Fatal(err)
		}
		model := &workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: chances, Seed: 20240601}
		cursor := NewCursor(model, workload.SpeculativeStream)
		g := contract.GuaranteedTokens()
		shape := Plan(g, draws, int64(len(chances)))
		var committed int64
		for range draws {
			a, err := cursor.Accept(shape.ProposedAdditional, 0)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Decide(shape, a, draws)
			if err != nil {
				t.Fatal(err)
			}
			committed += d.Committed
		}
		expected, square, reach := float64(g)+1, 0.0, 1.0
		for j, p := range chances {
			reach *= p
			expected += reach
			square += float64(2*j+1) * reach // E[a^2] = sum of (2j+1) P(a > j)
		}
		mean := expected - float64(g) - 1
		deviation := math.Sqrt((square - mean*mean) / draws)
		if got := float64(committed) / draws; math.Abs(got-expected) > 4*deviation {
			t.Errorf("%s: %.5f committed tokens per forward, closed form %.5f ± %.5f", family, got, expected, deviation)
		}
	}
}

func TestRunErrorsNameTheirPlace(t *testing.T) {
	replay := func(list ...float64) workload.Acceptance {
		return workload.Acceptance{Kind: workload.AcceptReplay, Accepted: list}
	}
	short := configure(t, workload.DraftModel, 0, 9, 2, replay(1, 1))
	limited := configure(t, workload.DraftModel, 0, 9, 2, replay(0, 0, 0, 0, 0, 0, 0, 0, 0))
	limited.MaxIterations = 3
	paged := configure(t, workload.DraftModel, 7, 9, 4, replay(0))
	paged.PagedKV = &workload.PagedKV{SequenceID: "target", PageSizeTokens: 2, BytesPerToken: 1, CapacityBytes: 10}
	long := configure(t, workload.MTP, 0, 9, 2, replay(1<<53-1))
	wide := configure(t, workload.MTP, 0, 9, 2, replay(3))
	blind := configure(t, workload.MTP, 0, 9, 0, replay())
	blind.Eligibility.MultiTokenVerification = false
	endless := configure(t, workload.MTP, 0, 1<<52, 2, replay(2))
	nothing := configure(t, workload.MTP, 0, 9, 0, replay())
	nothing.Eligibility = workload.Eligibility{}
	for _, c := range []struct {
		name, want string
		cfg        workload.SpeculativeRun
	}{
		{"replay ends", "iteration 2: speculative.acceptance.accepted_draft_tokens: found a list that ends before step 2", short},
		{"iterations end", "max_iterations", limited},
		{"candidate beyond the pages", "iteration 0: paged KV of target", paged},
		{"entry above the width", "accepted_draft_tokens[0]: found 3, expected an integer from 0 to 2", wide},
		{"an entry of many digits", "accepted_draft_tokens[0]: found 9007199254740991, expected", long},
		{"one row a forward", "multi_token_verification", blind},
		{"more than a run records", "at most 16777216 iterations", endless},
		{"no eligibility", "family mtp: the proposer is not available", nothing},
	} {
		if _, err := Simulate(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// BenchmarkMillionTokens runs and replays a million committed tokens, with the
// transaction over three groups, and once more with pages.
func BenchmarkMillionTokens(b *testing.B) {
	for _, paged := range []bool{false, true} {
		name := "states"
		if paged {
			name = "states+pages"
		}
		b.Run(name, func(b *testing.B) {
			cfg := configure(b, workload.MTP, 1024, 1_000_000, 3,
				workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: []float64{0.8, 0.7, 0.6}, Seed: 1})
			if paged {
				cfg.PagedKV = &workload.PagedKV{SequenceID: "target", PageSizeTokens: 16, BytesPerToken: 65536, CapacityBytes: 1 << 40}
			}
			var iterations int
			b.ReportAllocs()
			for b.Loop() {
				run, err := Simulate(cfg)
				if err != nil {
					b.Fatal(err)
				}
				iterations = len(run.Trace.Iterations)
			}
			b.ReportMetric(1e6*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			b.ReportMetric(float64(iterations)*float64(b.N)/b.Elapsed().Seconds(), "iterations/s")
		})
	}
}
