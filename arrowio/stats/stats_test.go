package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNearestRank(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, c := range []struct {
		sorted   []int64
		num, den int
		want     int64
	}{
		{nil, 1, 2, 0},
		{[]int64{7}, 1, 2, 7}, {[]int64{7}, 19, 20, 7}, {[]int64{7}, 0, 1, 7},
		{[]int64{1, 2}, 1, 2, 1}, {[]int64{1, 2, 3}, 1, 2, 2}, {[]int64{1, 2, 3, 4}, 1, 2, 2},
		{hundred[:19], 19, 20, 19}, {hundred[:20], 19, 20, 19}, {hundred[:21], 19, 20, 20},
		{hundred, 1, 2, 50}, {hundred, 19, 20, 95}, {hundred, 99, 100, 99}, {hundred, 1, 1, 100},
	} {
		if got := Quantile(c.sorted, c.num, c.den); got != c.want {
			t.Errorf("quantile %d/%d of %d samples = %d; want %d", c.num, c.den, len(c.sorted), got, c.want)
		}
	}
}

// TestRankIsCeiling: the integer rank is the ceiling of the exact product.
func TestRankIsCeiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, den := rapid.IntRange(1, 1<<30).Draw(t, "n"), rapid.IntRange(1, 1000).Draw(t, "den")
		num := rapid.IntRange(1, den).Draw(t, "num")
		r := Rank(n, num, den)
		if r < 1 || r > n || r*den < n*num || (r-1)*den >= n*num {
			t.Fatalf("rank of %d/%d among %d is %d", num, den, n, r)
		}
	})
}

func TestMeanInt(t *testing.T) {
	if got := MeanInt([]int64{1, 2}); got != 1.5 {
		t.Errorf("mean = %g", got)
	}
	if got := MeanInt(nil); got != 0 {
		t.Errorf("mean of nothing = %g", got)
	}
}

func TestECDF(t *testing.T) {
	sorted := []float64{1, 1, 2, 4}
	want := []Step{{1, 0.5}, {2, 0.75}, {4, 1}}
	if diff := cmp.Diff(want, ECDF(sorted)); diff != "" {
		t.Error(diff)
	}
	for x, want := range map[float64]float64{0.9: 0, 1: 0.5, 1.5: 0.5, 2: 0.75, 3.9: 0.75, 4: 1, 9: 1} {
		if got := At(sorted, x); got != want {
			t.Errorf("share at %g = %g; want %g", x, got, want)
		}
	}
	if ECDF(nil) != nil || At(nil, 1) != 0 {
		t.Error("no samples have no distribution")
	}
}

// TestKS compares with closed forms: samples apart, equal, shifted by k of n, and
// brute force over all steps.
func TestKS(t *testing.T) {
	line := func(from, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(from + i)
		}
		return out
	}
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{nil, nil, 0}, {nil, line(0, 3), 1}, {line(0, 4), line(4, 5), 1}, {line(0, 9), line(0, 9), 0},
		{line(0, 10), line(3, 10), 0.3},
	} {
		if got := KS(c.a, c.b); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("KS(%v, %v) = %g; want %g", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 30)
		a, b := toFloats(sample.Draw(t, "a")), toFloats(sample.Draw(t, "b"))
		want := 0.0
		for x := range 21 {
			want = max(want, math.Abs(At(a, float64(x))-At(b, float64(x))))
		}
		if got := KS(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("KS = %g; want %g", got, want)
		}
	})
}

func toFloats(ints []int) []float64 {
	out := make([]float64, len(ints))
	for i, v := range ints {
		out[i] = float64(v)
	}
	slices.Sort(out)
	return out
}

func TestBins(t *testing.T) {
	linear, err := LinearBins(4, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	counts, below, above := linear.Counts([]float64{-1, 0, 1.9, 2, 7, 8, 8, 9, 10})
	if diff := cmp.Diff([]int{2, 1, 0, 3}, counts); diff != "" || below != 1 || above != 2 {
		t.Errorf("counts %v, below %d, above %d", counts, below, above)
	}
	log, err := LogBins(3, 1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 10, 100, 1000} {
		if math.Abs(log.Edges[i]-want) > 1e-9*want {
			t.Errorf("edge %d = %g; want %g", i, log.Edges[i], want)
		}
	}
	if counts, below, above := log.Counts([]float64{1, 1000}); counts[0] != 1 || counts[2] != 1 || below+above != 0 {
		t.Errorf("the outer edges belong to the outer bins: %v", counts)
	}
	constant, err := LinearBins(10, 5, 5)
	if err != nil || !cmp.Equal(constant.Edges, []float64{4.5, 5.5}) {
		t.Errorf("constant data: edges %v, %v", constant.Edges, err)
	}
	if constant, err := LogBins(10, 2, 2); err != nil || len(constant.Edges) != 2 || constant.Edges[0] >= 2 || constant.Edges[1] <= 2 {
		t.Errorf("constant data: logarithmic edges %v, %v", constant.Edges, err)
	}
	for _, bad := range []func() (Binning, error){
		func() (Binning, error) { return LinearBins(0, 0, 1) },
		func() (Binning, error) { return LinearBins(1, 2, 1) },
		func() (Binning, error) { return LinearBins(1, 0, math.Inf(1)) },
		func() (Binning, error) { return LogBins(1, 0, 1) },
	} {
		if b, err := bad(); err == nil {
			t.Errorf("bins %v were accepted", b)
		}
	}
}

// TestCountsAddUp: no sample is lost.
func TestCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := Sorted(rapid.SliceOf(rapid.Float64Range(-10, 10)).Draw(t, "samples"))
		bins, err := LinearBins(rapid.IntRange(1, 20).Draw(t, "n"), -5, 5)
		if err != nil {
			t.Fatal(err)
		}
		counts, below, above := bins.Counts(samples)
		total := below + above
		for i, c := range counts {
			total += c
			inside := 0
			for _, x := range samples {
				if x >= bins.Edges[i] && (x < bins.Edges[i+1] || i == len(counts)-1 && x == bins.Edges[i+1]) {
					inside++
				}
			}
			if inside != c {
				t.Fatalf("bin %d counts %d; want %d", i, c, inside)
			}
		}
		if total != len(samples) {
			t.Fatalf("%d of %d samples counted", total, len(samples))
		}
	})
}

func TestFreedmanDiaconis(t *testing.T) {
	uniform := make([]float64, 1000)
	for i := range uniform {
		uniform[i] = float64(i)
	}
	// IQR 749 - 249 = 500, width 2*500/10 = 100, spread 999: 10 bins.
	if got := FreedmanDiaconis(uniform, 100); got != 10 {
		t.Errorf("bins = %d; want 10", got)
	}
	for _, c := range []struct {
		sorted []float64
		want   int
	}{{nil, 1}, {[]float64{3, 3, 3}, 1}, {[]float64{0, 1, 1, 1, 1, 1, 1, 1, 9}, 50}} {
		if got := FreedmanDiaconis(c.sorted, 50); got != c.want {
			t.Errorf("bins of %v = %d; want %d", c.sorted, got, c.want)
		}
	}
}
