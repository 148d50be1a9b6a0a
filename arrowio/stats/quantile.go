package stats

import (
	"cmp"
	"slices"
)

// Rank is the nearest rank of the fraction num/den among n ascending samples:
// ceil(n*num/den), counted from 1, at least 1. It is 0 for n = 0. Exact integer
// arithmetic; n*num must not overflow.
func Rank(n, num, den int) int {
	if n == 0 {
		return 0
	}
	return max((n*num+den-1)/den, 1)
}

// Quantile returns the sample of nearest rank num/den: p50 is 1/2, p95 is 19/20,
// p99 is 99/100. Samples must be sorted ascending; none gives zero.
func Quantile[T cmp.Ordered](sorted []T, num, den int) T {
	if len(sorted) == 0 {
		var zero T
		return zero
	}
	return sorted[Rank(len(sorted), num, den)-1]
}

// Sorted returns a sorted copy, which the functions of this package ask for.
func Sorted[T cmp.Ordered](samples []T) []T {
	out := slices.Clone(samples)
	slices.Sort(out)
	return out
}

// MeanInt is the mean as the contracts take it: the exact sum, then one rounded
// division; 0 without samples. Sums beyond 2^53 - 1 are rounded first.
func MeanInt(samples []int64) float64 {
	if len(samples) == 0 {
		return 0
	}
	var sum int64
	for _, v := range samples {
		sum += v
	}
	return float64(sum) / float64(len(samples))
}
