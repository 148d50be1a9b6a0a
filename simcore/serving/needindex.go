package serving

import "math"

// absent is the need of a rank that is not in an index: larger than any pool.
const absent = math.MaxInt64

// needIndex holds the ranks that wait for prompt work with the KV each still
// needs, and finds the next one, in rank order, that fits a free extent. It is a
// tree of minima, so stepping over any number of requests that do not fit costs
// the logarithm of the number of requests: an overloaded queue does not slow
// every batch down.
type needIndex struct {
	leaves int     // power of two
	min    []int64 // heap layout, node 1 is the root, leaves from index leaves
}

func newNeedIndex(ranks int) needIndex {
	leaves := 1
	for leaves < ranks {
		leaves *= 2
	}
	x := needIndex{leaves: leaves, min: make([]int64, 2*leaves)}
	for i := range x.min {
		x.min[i] = absent
	}
	return x
}

// set records the need of a rank; absent takes the rank out.
func (x *needIndex) set(rank int32, need int64) {
	i := x.leaves + int(rank)
	x.min[i] = need
	for i >>= 1; i >= 1; i >>= 1 {
		m := min(x.min[2*i], x.min[2*i+1])
		if x.min[i] == m {
			return
		}
		x.min[i] = m
	}
}

// next returns the first rank, not before from, whose need is at most free.
func (x *needIndex) next(from int32, free int64) (rank int32, ok bool) {
	i := x.leaves + int(from)
	if int(from) >= x.leaves {
		return 0, false
	}
	for x.min[i] > free {
		for i&1 == 1 { // a right child: everything below the parent is passed
			i >>= 1
		}
		if i == 0 {
			return 0, false
		}
		i++ // from a left child to its sibling
	}
	for i < x.leaves {
		i *= 2
		if x.min[i] > free {
			i++
		}
	}
	return int32(i - x.leaves), true
}
