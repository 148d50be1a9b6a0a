package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Step is a point of an empirical distribution function: the share of samples that
// are at most X.
type Step struct{ X, Share float64 }

// ECDF returns one step a distinct sample, ascending; the last share is 1. Samples
// must be sorted. The function is right-continuous and 0 before the first step.
func ECDF(sorted []float64) []Step {
	var steps []Step
	n := float64(len(sorted))
	for i, x := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == x {
			continue
		}
		steps = append(steps, Step{x, float64(i+1) / n})
	}
	return steps
}

// At is the value of the distribution function at x.
func At(sorted []float64, x float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return stat.CDF(x, stat.Empirical, sorted, nil)
}

// KS is the Kolmogorov-Smirnov distance of two samples, both sorted: the largest
// difference of their distribution functions, from 0 (equal) to 1 (apart). It is
// 1 when exactly one is empty and 0 when both are.
func KS(a, b []float64) float64 {
	return stat.KolmogorovSmirnov(a, nil, b, nil)
}

// Binning says where a histogram's bins begin and end: bin i holds Edges[i] <= x <
// Edges[i+1], the last one its upper edge too. It is declared, so that two
// histograms are compared over the same bins.
type Binning struct{ Edges []float64 }

// LinearBins divides [lo, hi] into n bins of one width. Constant data (lo = hi)
// get a single bin of width 1 around the value.
func LinearBins(n int, lo, hi float64) (Binning, error) {
	if err := checkBins(n, lo, hi); err != nil {
		return Binning{}, err
	}
	if lo == hi {
		return Binning{[]float64{lo - 0.5, hi + 0.5}}, nil
	}
	return Binning{floats.Span(make([]float64, n+1), lo, hi)}, nil
}

// LogBins divides [lo, hi] into n bins whose widths grow by one factor; lo must be
// positive.
func LogBins(n int, lo, hi float64) (Binning, error) {
	if err := checkBins(n, lo, hi); err != nil {
		return Binning{}, err
	}
	if lo <= 0 {
		return Binning{}, fmt.Errorf("logarithmic bins from %g: expected a positive lower edge", lo)
	}
	if lo == hi {
		return Binning{[]float64{lo / math.Sqrt2, hi * math.Sqrt2}}, nil
	}
	edges := floats.LogSpan(make([]float64, n+1), lo, hi)
	edges[0], edges[n] = lo, hi // not subject to the rounding of exp and log
	return Binning{edges}, nil
}

func checkBins(n int, lo, hi float64) error {
	if n < 1 || math.IsNaN(lo) || math.IsInf(lo, 0) || math.IsNaN(hi) || math.IsInf(hi, 0) || lo > hi {
		return fmt.Errorf("%d bins from %g to %g: expected at least one bin between finite, ascending edges", n, lo, hi)
	}
	return nil
}

// FreedmanDiaconis proposes a number of linear bins from the samples' spread: the
// bin width is 2 IQR / n^(1/3), with quartiles by nearest rank; between 1 and most
// bins. Samples must be sorted.
func FreedmanDiaconis(sorted []float64, most int) int {
	n := len(sorted)
	if n == 0 {
		return 1
	}
	width := 2 * (Quantile(sorted, 3, 4) - Quantile(sorted, 1, 4)) / math.Cbrt(float64(n))
	spread := sorted[n-1] - sorted[0]
	if spread == 0 {
		return 1
	}
	if width == 0 {
		return most
	}
	return int(min(max(math.Ceil(spread/width), 1), float64(most)))
}

// Counts counts the samples of each bin. Samples must be sorted; those outside the
// edges are returned as below and above, never dropped silently.
func (b Binning) Counts(sorted []float64) (counts []int, below, above int) {
	last := len(b.Edges) - 1
	counts = make([]int, last)
	for _, x := range sorted {
		i, found := slices.BinarySearch(b.Edges, x)
		switch {
		case x < b.Edges[0]:
			below++
		case x > b.Edges[last]:
			above++
		case found && i < last:
			counts[i]++
		default:
			counts[i-1]++
		}
	}
	return counts, below, above
}
