package serving

import "slices"

// nearestRank puts, of the n samples in ascending order, element ⌈n·num/den⌉
// (counted from 1, at least 1) in its place and returns it; no samples give 0.
// Samples are reordered: smaller ones lie before the element, larger ones after.
//
// p50 is num/den = 1/2, p95 is 19/20 (contract 05 section 4.9).
func nearestRank(samples []int64, num, den int) int64 {
	if len(samples) == 0 {
		return 0
	}
	k := max((len(samples)*num+den-1)/den, 1) - 1
	selectNth(samples, k)
	return samples[k]
}

// sortBelow is the length under which sorting beats partitioning.
const sortBelow = 32

// selectNth reorders samples so that element k is the one that sorting would put
// there. Samples are partitioned in three around a pivot, since gaps between
// tokens have few distinct values; after too many uneven partitions what is left
// is sorted, which bounds the worst case.
func selectNth(samples []int64, k int) {
	lo, hi := 0, len(samples)
	for budget := 64; hi-lo > sortBelow && budget > 0; budget-- {
		pivot := medianOfThree(samples[lo], samples[lo+(hi-lo)/2], samples[hi-1])
		less, greater := lo, hi
		for i := lo; i < greater; {
			switch v := samples[i]; {
			case v < pivot:
				samples[i], samples[less] = samples[less], v
				less++
				i++
			case v > pivot:
				greater--
				samples[i], samples[greater] = samples[greater], v
			default:
				i++
			}
		}
		switch {
		case k < less:
			hi = less
		case k >= greater:
			lo = greater
		default:
			return
		}
	}
	slices.Sort(samples[lo:hi])
}

func medianOfThree(a, b, c int64) int64 {
	return max(min(a, b), min(max(a, b), c))
}
