package arrowio

import "sort"

// spans maps rows to owners: owner k has the rows [first[k], first[k+1]). Rows of
// a table that belong to a batch, and batches that repeat a template, are found
// this way for any range of rows, without a pass over what stands before.
type spans struct{ first []int64 }

// newSpans lays owners out in order; count gives the number of rows of each.
func newSpans(owners int, count func(owner int) int64) spans {
	first := make([]int64, owners+1)
	for k := range owners {
		first[k+1] = first[k] + count(k)
	}
	return spans{first}
}

// rows is the number of rows of all owners.
func (s spans) rows() int64 { return s.first[len(s.first)-1] }

// visit calls f for every owner with rows in [from, from+n), in order: dst is the
// position of the piece within the range, lo and hi are rows of the owner,
// counted from its first.
func (s spans) visit(from int64, n int, f func(owner, dst int, lo, hi int64)) {
	end := from + int64(n)
	k := sort.Search(len(s.first)-1, func(k int) bool { return s.first[k+1] > from })
	for ; from < end; k++ {
		hi := min(end, s.first[k+1])
		if from < hi {
			f(k, n-int(end-from), from-s.first[k], hi-s.first[k])
			from = hi
		}
	}
}
