package planreplay

import "slices"

// leaseTable holds the leases granted so far on every allocation. Writers exclude
// each other, so their leases stand in order of time; readers overlap and stand
// as they were granted.
type leaseTable struct {
	written [][]interval
	read    [][]interval
	pruneAt []int // by allocation: length at which past reads are dropped
}

type interval struct{ from, to int64 }

// conflicts reports whether [s, s+d) overlaps the lease: an empty interval only
// strictly inside the other.
func (i interval) conflicts(s, d int64) bool { return s < i.to && i.from < s+d }

func newLeaseTable(buffers int) *leaseTable {
	return &leaseTable{written: make([][]interval, buffers), read: make([][]interval, buffers), pruneAt: make([]int, buffers)}
}

// earliest is the least start at or after s at which an operation of duration d
// overlaps no conflicting lease.
func (t *leaseTable) earliest(reads, writes []int32, s, d int64) int64 {
	for {
		before := s
		for _, b := range reads {
			s = pastWrites(t.written[b], s, d)
		}
		for _, b := range writes {
			s = pastWrites(t.written[b], s, d)
			s = pastReads(t.read[b], s, d)
		}
		if s == before {
			return s
		}
	}
}

func pastWrites(list []interval, s, d int64) int64 {
	from, _ := slices.BinarySearchFunc(list, s, func(i interval, s int64) int {
		if i.to <= s {
			return -1
		}
		return 1
	})
	for _, i := range list[from:] {
		if i.conflicts(s, d) {
			s = i.to
		} else if i.from >= s+d {
			break
		}
	}
	return s
}

func pastReads(list []interval, s, d int64) int64 {
	for again := true; again; {
		again = false
		for _, i := range list {
			if i.conflicts(s, d) {
				s, again = i.to, true
			}
		}
	}
	return s
}

// hold records the leases of an operation submitted at nowNs; nothing that ended
// by then can be in the way any more.
func (t *leaseTable) hold(reads, writes []int32, from, to, nowNs int64) {
	for _, b := range reads {
		if len(t.read[b]) > t.pruneAt[b] {
			t.read[b] = slices.DeleteFunc(t.read[b], func(i interval) bool { return i.to <= nowNs })
			t.pruneAt[b] = 16 + 2*len(t.read[b])
		}
		t.read[b] = append(t.read[b], interval{from, to})
	}
	for _, b := range writes {
		list := t.written[b]
		past := 0
		for past < len(list) && list[past].to <= nowNs {
			past++
		}
		list = list[past:]
		at := len(list)
		for at > 0 && (list[at-1].from > from || list[at-1].from == from && list[at-1].to > to) {
			at--
		}
		t.written[b] = slices.Insert(list, at, interval{from, to})
	}
}
