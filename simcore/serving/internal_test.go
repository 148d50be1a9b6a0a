package serving

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
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
