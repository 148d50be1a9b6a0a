package speculative_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

func servingSpeculation(t rapid.TB, family workload.Family, width int64, a workload.Acceptance) *workload.ServingSpeculation {
	contract, err := workload.ContractOf(family)
	if err != nil {
		t.Fatal(err)
	}
	return &workload.ServingSpeculation{Family: family, MaxAdditionalTokens: width, Eligibility: contract.DefaultEligibility(), Acceptance: a}
}

// schedule serves requests with a proposer and has the trace replayed.
func schedule(t rapid.TB, cfg workload.Serving, spec *workload.ServingSpeculation) *trace.Serving {
	s, err := serving.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	live, err := speculative.NewServing(spec, cfg.Requests)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{Speculation: live})
	if err != nil {
		t.Fatal(err)
	}
	checker, err := speculativereplay.NewServing(spec, cfg.Requests)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr, Estimator: serving.DefaultEstimator, Speculation: checker}); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestOthersCannotChangeADraw: a request alone and among others, in batches of
// other sizes, draws the same at the same output coordinate and position; only the
// width may differ (contract 04 section 4.4).
func TestOthersCannotChangeADraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.Int64Range(0, 4).Draw(t, "width")
		spec := servingSpeculation(t, rapid.SampledFrom(workload.Families[:]).Draw(t, "family"), width,
			workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: workload.AcceptanceLadder(0.8, width), Seed: rapid.Int64Range(0, 1<<33).Draw(t, "seed")})
		cfg := workload.Serving{MaxBatchSize: rapid.Int64Range(1, 5).Draw(t, "batch"), MaxBatchTokens: rapid.Int64Range(1, 24).Draw(t, "tokens"),
			PrefillChunkTokens: 8, MaxKVTokens: 120}
		for i := range rapid.IntRange(1, 6).Draw(t, "requests") {
			cfg.Requests = append(cfg.Requests, workload.Request{ID: fmt.Sprint("r", i), ArrivalNs: rapid.Int64Range(0, 3).Draw(t, "at") * 100_000,
				PromptTokens: rapid.Int64Range(1, 20).Draw(t, "prompt"), OutputTokens: rapid.Int64Range(1, 30).Draw(t, "output")})
		}
		tr := schedule(t, cfg, spec)
		hash := make([]uint32, len(cfg.Requests))
		emitted := make([]int64, len(cfg.Requests))
		for i := range hash {
			hash[i], emitted[i] = speculative.StreamHash(cfg.Requests[i].ID), 1
		}
		for i := range tr.Decode {
			d := &tr.Decode[i]
			matched := int64(0)
			for matched < int64(d.ProposedAdditional) &&
				float64(speculative.Draw(spec.Acceptance.Seed, hash[d.Request], emitted[d.Request], matched))/(1<<32) < spec.Acceptance.Probabilities[matched] {
				matched++
			}
			if int64(d.AcceptedAdditional) != matched {
				t.Fatalf("step %d: %d accepted, the draw at output %d gives %d", i, d.AcceptedAdditional, emitted[d.Request], matched)
			}
			emitted[d.Request] += d.CommittedTokens()
		}
		for i, n := range emitted {
			if n != cfg.Requests[i].OutputTokens {
				t.Fatalf("request %d emitted %d of %d tokens", i, n, cfg.Requests[i].OutputTokens)
			}
		}
	})
}

// TestServingMisuse: the transaction refuses steps that it did not begin.
func TestServingMisuse(t *testing.T) {
	spec := servingSpeculation(t, workload.MTP, 2, workload.Acceptance{Kind: workload.AcceptReplay})
	spec.Replays = []workload.RequestReplay{{RequestID: "a", Accepted: []float64{0.5}}}
	requests := []workload.Request{{ID: "a", PromptTokens: 4, OutputTokens: 2}}
	s, err := speculative.NewServing(spec, requests)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Propose(0, 1, 8, 9); err == nil || !strings.Contains(err.Error(), "accepted_draft_tokens_by_request.a[0]: found 0.5") {
		t.Errorf("a fractional entry: %v", err)
	}
	if _, err := s.Propose(0, 1, 8, 9); err == nil || !strings.Contains(err.Error(), "step 1") {
		t.Errorf("a missing entry: %v", err)
	}
	for _, c := range []struct {
		name string
		step trace.DecodeSlice
		kv   int64
		want string
	}{
		{"prefix missing", trace.DecodeSlice{ProposedAdditional: 1, Authoritative: 1}, 4, "guaranteed"},
		{"another length", trace.DecodeSlice{Guaranteed: 1, Authoritative: 1}, 5, "transaction is at 4"},
		{"beyond the peak", trace.DecodeSlice{Guaranteed: 1, ProposedAdditional: 1, Authoritative: 1}, 4, "target_kv:0"},
	} {
		if err := s.Commit(&c.step, c.kv); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// BenchmarkServing serves 131,072 tokens of 64 requests with a proposer, and
// replays them.
func BenchmarkServing(b *testing.B) {
	spec := servingSpeculation(b, workload.Eagle3, 4, workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: workload.AcceptanceLadder(0.85, 4), Seed: 3})
	cfg := workload.Serving{MaxBatchSize: 32, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 200_000}
	for i := range 64 {
		cfg.Requests = append(cfg.Requests, workload.Request{ID: fmt.Sprint("r", i), ArrivalNs: int64(i) * 1000, PromptTokens: 64, OutputTokens: 2048})
	}
	b.ReportAllocs()
	for b.Loop() {
		schedule(b, cfg, spec)
	}
	b.ReportMetric(64*2048*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
