package serving_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// drawConfig draws a workload that fits its pool, often only just: many requests
// compete for it, so that the guard refuses grants of every kind.
func drawConfig(t *rapid.T) workload.Serving {
	n := rapid.IntRange(1, 12).Draw(t, "requests")
	cfg := workload.Serving{
		MaxBatchSize:       rapid.Int64Range(1, 6).Draw(t, "size"),
		MaxBatchTokens:     rapid.Int64Range(1, 20).Draw(t, "tokens"),
		PrefillChunkTokens: rapid.Int64Range(1, 12).Draw(t, "chunk"),
	}
	var peak int64
	for i := range n {
		r := workload.Request{
			ID:           rapid.StringMatching(`[a-zA-Z0-9_]{1,3}`).Draw(t, "id") + string(rune('A'+i)),
			ArrivalNs:    rapid.Int64Range(0, 8).Draw(t, "arrival") * 60_000,
			PromptTokens: rapid.Int64Range(1, 24).Draw(t, "prompt"),
			OutputTokens: rapid.Int64Range(1, 16).Draw(t, "output"),
			Priority:     rapid.Int64Range(-1, 1).Draw(t, "priority"),
		}
		peak = max(peak, r.PeakKVTokens())
		cfg.Requests = append(cfg.Requests, r)
	}
	cfg.MaxKVTokens = peak + rapid.Int64Range(0, 30).Draw(t, "spare")
	return cfg
}

// TestAnyWorkloadThatFitsCompletes is the promise of the guard: no workload whose
// single requests fit can lock the pool, and the pool is never exceeded.
func TestAnyWorkloadThatFitsCompletes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		s, err := serving.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr, Estimator: serving.DefaultEstimator}); err != nil {
			t.Fatal(err)
		}
		checkConservation(t, cfg, tr)
	})
}

// checkConservation recounts KV and tokens from the slices alone.
func checkConservation(t *rapid.T, cfg workload.Serving, tr *trace.Serving) {
	held := make([]int64, len(cfg.Requests))
	next := make([]int32, len(cfg.Requests))
	var total int64
	for i := range tr.Batches {
		b := &tr.Batches[i]
		if b.TokenWork < 1 || b.TokenWork > cfg.MaxBatchTokens || b.SequenceCount() > cfg.MaxBatchSize {
			t.Fatalf("batch %d: %d tokens, %d sequences", i, b.TokenWork, b.SequenceCount())
		}
		if b.KVTokensBefore != total || b.TransientKVTokens > cfg.MaxKVTokens {
			t.Fatalf("batch %d: kv %d to %d, recounted %d", i, b.KVTokensBefore, b.TransientKVTokens, total)
		}
		for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
			held[p.Request] += p.Tokens
			total += p.Tokens
		}
		for _, d := range tr.Decode[b.DecodeFrom:b.DecodeTo] {
			held[d.Request] += d.CommittedTokens()
			total += d.CommittedTokens()
		}
		if total > b.TransientKVTokens {
			t.Fatalf("batch %d: more KV committed than reserved", i)
		}
		for _, k := range tr.Tokens[b.TokensFrom:b.TokensTo] {
			if k.Index != next[k.Request] {
				t.Fatalf("batch %d: token %d of request %d, want %d", i, k.Index, k.Request, next[k.Request])
			}
			next[k.Request]++
		}
		for _, r := range tr.Completed[b.CompletedFrom:b.CompletedTo] {
			if peak := cfg.Requests[r].PeakKVTokens(); held[r] != peak {
				t.Fatalf("request %d completes with %d KV tokens, want its peak %d", r, held[r], peak)
			}
			total -= held[r]
			held[r] = 0
		}
		if b.KVTokensAfter != total {
			t.Fatalf("batch %d leaves %d, recounted %d", i, b.KVTokensAfter, total)
		}
	}
	for i := range next {
		if int64(next[i]) != cfg.Requests[i].OutputTokens {
			t.Fatalf("request %d emitted %d tokens, want %d", i, next[i], cfg.Requests[i].OutputTokens)
		}
	}
}

// TestObserversChangeNothing runs with and without progress, and twice.
func TestObserversChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := serving.New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var reports [][3]int64
		watched, err := s.Schedule(serving.DefaultEstimator, serving.Options{
			Progress:    func(done, total, now int64) { reports = append(reports, [3]int64{done, total, now}) },
			Interrupted: func() bool { return false },
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain, watched); diff != "" {
			t.Fatalf("observers change the trace:\n%s", diff)
		}
		n := int64(len(plain.RequestIDs))
		last := reports[len(reports)-1]
		if want := [3]int64{n, n, plain.Events[len(plain.Events)-1].AtNs}; last != want {
			t.Fatalf("last report %v, want %v", last, want)
		}
	})
}

// TestShiftedArrivalsShiftAllTimes: adding a constant to every arrival adds it to
// every time and changes nothing else (contract 05 section 9 rule 2).
func TestShiftedArrivalsShiftAllTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		shift := rapid.Int64Range(1, 1<<40).Draw(t, "shift")
		moved := cfg
		moved.Requests = slices.Clone(cfg.Requests)
		for i := range moved.Requests {
			moved.Requests[i].ArrivalNs += shift
		}
		a, b := schedule(t, cfg), schedule(t, moved)
		for i := range a.Events {
			a.Events[i].AtNs += shift
		}
		for i := range a.Batches {
			a.Batches[i].StartNs += shift
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("a shift changes more than times:\n%s", diff)
		}
	})
}

// TestOrderOfConfigurationIsIrrelevant permutes the requests.
func TestOrderOfConfigurationIsIrrelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		other := cfg
		other.Requests = rapid.Permutation(cfg.Requests).Draw(t, "order")
		if diff := cmp.Diff(transcript(schedule(t, cfg)), transcript(schedule(t, other))); diff != "" {
			t.Fatalf("the order of the requests in the configuration shows:\n%s", diff)
		}
	})
}

func schedule(t *rapid.T, cfg workload.Serving) *trace.Serving {
	s, err := serving.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestInterrupted(t *testing.T) {
	s, err := serving.New(workload.Serving{MaxBatchSize: 1, MaxBatchTokens: 1, PrefillChunkTokens: 1, MaxKVTokens: 4,
		Requests: []workload.Request{{ID: "a", PromptTokens: 1, OutputTokens: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{Interrupted: func() bool { return true }})
	if !errors.Is(err, serving.ErrInterrupted) || tr != nil {
		t.Errorf("got %v, %v; want no trace and %v", tr, err, serving.ErrInterrupted)
	}
}
