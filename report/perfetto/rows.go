package perfetto

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// The groups of rows.
const (
	pidScheduler = 1 + iota
	pidRequests
	pidDevices
	pidLinks
	pidNetwork
	pidCommunicators
	pidExperts
)

// lane is one lane of one resource.
type lane struct {
	resource string
	index    int64
}

// lanes gives every lane of every resource its rows.
type lanes struct {
	w    *writer
	pid  map[lane]int
	base map[lane]int     // first row
	ends map[lane][]int64 // end of the last slice of each row
	next map[int]int      // next free row of a process
	name map[lane]string
}

// processOf is the group that a resource belongs to, and its id.
func processOf(resource string) (int, string) {
	for _, k := range []struct {
		prefix string
		pid    int
	}{{"compute:", pidDevices}, {"link:", pidLinks}, {"network:", pidNetwork}, {"collective:", pidCommunicators}} {
		if id, ok := strings.CutPrefix(resource, k.prefix); ok {
			return k.pid, id
		}
	}
	return pidDevices, resource
}

// newLanes names the processes and the first row of every lane in use, in the
// order of ids. Further rows of a lane get higher numbers when they are needed.
func newLanes(w *writer, marked map[lane]bool) *lanes {
	used := slices.SortedFunc(maps.Keys(marked), func(a, b lane) int {
		if c := quantity.CompareIDs(a.resource, b.resource); c != 0 {
			return c
		}
		return int(a.index - b.index)
	})
	l := &lanes{w: w, pid: map[lane]int{}, base: map[lane]int{}, ends: map[lane][]int64{}, next: map[int]int{}, name: map[lane]string{}}
	names := [...]string{pidDevices: "devices", pidLinks: "links", pidNetwork: "network", pidCommunicators: "communicators"}
	for pid := pidDevices; pid <= pidCommunicators; pid++ {
		begun := false
		for _, u := range used {
			if p, _ := processOf(u.resource); p != pid {
				continue
			}
			if !begun {
				w.process(pid, names[pid])
				begun = true
			}
			l.add(u)
		}
	}
	return l
}

func (l *lanes) add(u lane) {
	pid, id := processOf(u.resource)
	l.next[pid] += rowsOfLane
	l.pid[u], l.base[u] = pid, l.next[pid]
	l.name[u] = fmt.Sprintf("%s, lane %d", id, u.index)
	l.ends[u] = []int64{0}
	l.w.row(pid, l.base[u], l.name[u])
}

// rowsOfLane is the distance between the first rows of lanes, so that further rows
// stand below the first.
const rowsOfLane = 1000

// place finds the row of a lane on which nothing lies at from, and reserves it.
func (l *lanes) place(u lane, fromNs, toNs int64) (pid, tid int) {
	ends := l.ends[u]
	for i, end := range ends {
		if end <= fromNs {
			ends[i] = toNs
			return l.pid[u], l.base[u] + i
		}
	}
	l.ends[u] = append(ends, toNs)
	tid = l.base[u] + len(ends)
	l.w.row(l.pid[u], tid, fmt.Sprintf("%s, drain %d", l.name[u], len(ends)))
	return l.pid[u], tid
}

// markLanes marks the lanes that operations reserve.
func markLanes(used map[lane]bool, operations []trace.Operation) {
	for i := range operations {
		for _, r := range operations[i].Resources {
			used[lane{r.ResourceID, r.ResourceLane}] = true
		}
	}
}
