package serving

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TestNearestRank compares with the definition: sort, then take element ⌈n·p⌉.
func TestNearestRank(t *testing.T) {
	for _, c := range []struct {
		samples  []int64
		p50, p95 int64
	}{
		{nil, 0, 0},
		{[]int64{7}, 7, 7},
		{[]int64{9, 1}, 1, 9},
		{[]int64{3, 1, 2}, 2, 3},
		{[]int64{4, 3, 2, 1}, 2, 4},
		{[]int64{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10, 19},
	} {
		samples := slices.Clone(c.samples)
		if p50, p95 := nearestRank(samples, 1, 2), nearestRank(samples, 19, 20); p50 != c.p50 || p95 != c.p95 {
			t.Errorf("%v: p50 %d, p95 %d; want %d, %d", c.samples, p50, p95, c.p50, c.p95)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, 40), 1, 400).Draw(t, "samples")
		sorted := slices.Sorted(slices.Values(samples))
		n := len(samples)
		if got, want := nearestRank(samples, 1, 2), sorted[(n+1)/2-1]; got != want {
			t.Fatalf("p50 %d, want %d", got, want)
		}
		if got, want := nearestRank(samples, 19, 20), sorted[(19*n+19)/20-1]; got != want {
			t.Fatalf("p95 %d, want %d", got, want)
		}
	})
}

// TestNeedIndex compares the tree with a plain walk.
func TestNeedIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "ranks")
		x, plain := newNeedIndex(n), make([]int64, n)
		for i := range plain {
			plain[i] = absent
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			rank := rapid.IntRange(0, n-1).Draw(t, "rank")
			need := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Just(int64(absent))).Draw(t, "need")
			x.set(int32(rank), need)
			plain[rank] = need
			from, free := rapid.IntRange(0, n).Draw(t, "from"), rapid.Int64Range(0, 9).Draw(t, "free")
			want := slices.IndexFunc(plain[from:], func(v int64) bool { return v <= free })
			got, ok := x.next(int32(from), free)
			if ok != (want >= 0) || ok && int(got) != from+want {
				t.Fatalf("next(%d, %d) = %d, %v; want offset %d of %v", from, free, got, ok, want, plain)
			}
		}
	})
}

// TestTemplateEstimatorKeepsItsAnswers: a second question about a batch must be
// the first one, and costs nothing.
func TestTemplateEstimatorKeepsItsAnswers(t *testing.T) {
	scn, err := topology.Preset("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	e, err := newTemplateEstimator(scn, cost.Default(), workloadBinding{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	question := func(id int64) *trace.BatchWork {
		return &trace.BatchWork{
			BatchID: id, Prefill: []trace.PrefillSlice{{Request: int32(id), Tokens: 3}},
			Decode:    []trace.DecodeSlice{trace.TargetOnlySlice(7)},
			TokenWork: 4, ExpectedOutputTokens: 1, VerificationTokens: 1, PromptInvocations: 1,
		}
	}
	const want = 240_000 + 4*66_000
	for id := range int64(3) {
		if ns, err := e.Duration(question(id), 1000*id); ns != want || err != nil {
			t.Fatalf("batch %d: %d ns, %v; want %d", id, ns, err, want)
		}
	}
	if len(e.templates) != 1 || e.templates[0].Occurrences != 3 {
		t.Fatalf("%d templates, %d occurrences; want 1 and 3", len(e.templates), e.templates[0].Occurrences)
	}
	for id := range int64(3) {
		if ns, err := e.Duration(question(id), 1000*id); ns != want || err != nil {
			t.Fatalf("batch %d again: %d ns, %v; want %d", id, ns, err, want)
		}
	}
	if e.templates[0].Occurrences != 3 {
		t.Errorf("asking again counts as %d occurrences", e.templates[0].Occurrences)
	}
	for name, change := range map[string]func(*trace.BatchWork){
		"prefill tokens": func(w *trace.BatchWork) { w.Prefill[0].Tokens = 2 },
		"prefill member": func(w *trace.BatchWork) { w.Prefill[0].Request = 9 },
		"decode member":  func(w *trace.BatchWork) { w.Decode[0].Request = 8 },
		"one row less":   func(w *trace.BatchWork) { w.Decode = nil },
		"token work":     func(w *trace.BatchWork) { w.TokenWork++ },
		"invocations":    func(w *trace.BatchWork) { w.FinalInvocations++ },
	} {
		w := question(1)
		change(w)
		if _, err := e.Duration(w, 1000); code(err) != "batch_work_differs" {
			t.Errorf("%s changed: %v", name, err)
		}
	}
	if _, err := e.Duration(question(1), 1001); code(err) != "batch_start_differs" {
		t.Errorf("start changed: %v", err)
	}
	if _, err := e.Duration(question(4), 9000); code(err) != "batch_order" {
		t.Errorf("a batch ahead of its turn: %v", err)
	}
}

func code(err error) string {
	if all := issue.All(err); len(all) == 1 {
		return all[0].Code
	}
	return ""
}
