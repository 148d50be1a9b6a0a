package executor

import "slices"

// bookings is the lease table of a concurrent run: for every physical allocation
// when it is read and when it is written. Reads share, everything else excludes
// (contract 03 section 13.4).
//
// Intervals are open: [0,5) and [5,9) touch without conflict, and an empty lease
// conflicts only strictly inside another. A list holds disjoint spans in order;
// for reads it is the union of the leases, which is all that a writer sees of
// them.
type bookings struct {
	reads, writes []spans // by allocation
}

type span struct{ start, finish int64 }

// spans is a list of disjoint open intervals, ascending; so the finishes ascend
// as well.
type spans struct {
	list []span
	head int // spans before it lie in the past
}

func newBookings(allocations int) *bookings {
	return &bookings{reads: make([]spans, allocations), writes: make([]spans, allocations)}
}

// fit returns the least start at or after ready at which an operation of
// duration d conflicts with no lease.
func (b *bookings) fit(reads, writes []int32, ready, d int64) int64 {
	for {
		start := ready
		for _, a := range reads {
			start = b.writes[a].after(start, d)
		}
		for _, a := range writes {
			start = b.writes[a].after(start, d)
			start = b.reads[a].after(start, d)
		}
		if start == ready {
			return start
		}
		ready = start
	}
}

// grant records the leases of an operation that runs over [start, finish). Spans
// that ended by now are dropped: nothing starts before now any more.
func (b *bookings) grant(reads, writes []int32, start, finish, now int64) {
	for _, a := range reads {
		b.reads[a].forget(now)
		b.reads[a].unite(span{start, finish})
	}
	for _, a := range writes {
		b.writes[a].forget(now)
		b.writes[a].unite(span{start, finish})
	}
}

// after returns the least start at or after s at which an interval of length d
// overlaps none of the spans.
func (l *spans) after(s, d int64) int64 {
	for _, o := range l.list[l.firstEndingAfter(s):] {
		if o.start >= s+d {
			break
		}
		if o.finish > s {
			s = o.finish
		}
	}
	return s
}

// firstEndingAfter is the position of the first span with a finish beyond t.
func (l *spans) firstEndingAfter(t int64) int {
	lo, hi := l.head, len(l.list)
	for lo < hi {
		if mid := (lo + hi) / 2; l.list[mid].finish > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// unite adds a span to the union; spans that share an inner point become one.
func (l *spans) unite(n span) {
	from := l.firstEndingAfter(n.start)
	to := from
	for to < len(l.list) && l.list[to].start < n.finish {
		to++
	}
	if n.start == n.finish { // a point within a span adds nothing; a new one goes in order
		if from < len(l.list) && l.list[from].start < n.start {
			return
		}
		to = from
	}
	if from < to {
		n.start = min(n.start, l.list[from].start)
		n.finish = max(n.finish, l.list[to-1].finish)
	}
	l.list = slices.Replace(l.list, from, to, n)
}

func (l *spans) forget(now int64) {
	for l.head < len(l.list) && l.list[l.head].finish <= now {
		l.head++
	}
	if l.head > 32 && l.head > len(l.list)/2 {
		l.list = l.list[:copy(l.list, l.list[l.head:])]
		l.head = 0
	}
}
