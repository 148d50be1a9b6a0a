package perfetto

import (
	"fmt"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/trace"
)

// The rows of the expert cache. Loads and waits overlap, so each of them may need
// several; their numbers stand far apart, so that further rows follow their first.
const (
	rowEvictions = 1
	rowDecisions = 2
	rowWaits     = 1 * rowsOfLane
	rowDemand    = 2 * rowsOfLane
	rowPrefetch  = 3 * rowsOfLane
)

// expertsWriter writes what an expert cache did, on the clock of the run.
type expertsWriter struct {
	w   *writer
	run *composed.Run

	ends  map[int][]int64 // by first row: the end of the last slice of each row
	loads []expertLoad    // by load number - 1

	arrived map[int32]int32 // by expert: its last load that is complete in the hot tier, number - 1
}

// expertLoad is where a load lies.
type expertLoad struct {
	tid          int
	fromNs, toNs int64
	done         bool
}

// experts writes the tracks of the cache: loads that routes wait for and prefetches,
// the waits of routes, evictions and decisions as instants, the bytes of every
// partition, and an arrow from every load to each wait for its expert.
func experts(w *writer, run *composed.Run) {
	x := &expertsWriter{w: w, run: run, ends: make(map[int][]int64), arrived: make(map[int32]int32)}
	w.process(pidExperts, "expert cache")
	w.row(pidExperts, rowEvictions, "evictions")
	w.row(pidExperts, rowDecisions, "prefetch decisions")
	x.place()
	t := run.Cache
	for i := range t.Events {
		switch e := &t.Events[i]; e.Kind {
		case trace.ExpertEvicted:
			x.eviction(e)
		case trace.ExpertDecided:
			x.decision(e)
		case trace.ExpertLoadStarted:
			x.load(&t.Loads[e.Ref])
		case trace.ExpertLoadCompleted:
			if c := &t.Completions[e.Ref]; c.Target == trace.TierHot {
				x.arrived[c.Expert] = c.Load - 1
			}
		case trace.ExpertAccessed:
			x.wait(e)
		}
	}
	x.levels()
}

// place finds the end of every load: its completion, or for one that is under way at
// the end of the run its last known time.
func (x *expertsWriter) place() {
	t := x.run.Cache
	x.loads = make([]expertLoad, len(t.Loads))
	for i := range t.Events {
		switch e := &t.Events[i]; e.Kind {
		case trace.ExpertLoadStarted:
			l := &t.Loads[e.Ref]
			x.loads[l.Load-1] = expertLoad{fromNs: l.StartedAtNs, toNs: l.CompletesAtNs}
		case trace.ExpertLoadRetimed:
			r := &t.Retimes[e.Ref]
			x.loads[r.Load-1].toNs = r.CompletesAtNs
		case trace.ExpertLoadCompleted:
			l := &x.loads[t.Completions[e.Ref].Load-1]
			l.toNs, l.done = e.AtNs, true
		}
	}
}

// rowFor finds a row from the first one on that is free at a time, and reserves it.
func (x *expertsWriter) rowFor(first int, name string, fromNs, toNs int64) int {
	ends := x.ends[first]
	for i, end := range ends {
		if end <= fromNs {
			ends[i] = toNs
			return first + i
		}
	}
	x.ends[first] = append(ends, toNs)
	if len(ends) > 0 {
		name = fmt.Sprintf("%s, row %d", name, len(ends)+1)
	}
	x.w.row(pidExperts, first+len(ends), name)
	return first + len(ends)
}

func (x *expertsWriter) load(l *trace.ExpertLoad) {
	t, at := x.run.Cache, &x.loads[l.Load-1]
	first, name := rowDemand, "demand loads"
	if l.Kind == trace.LoadPrefetch {
		first, name = rowPrefetch, "prefetch loads"
	}
	at.tid = x.rowFor(first, name, at.fromNs, at.toNs)
	x.w.slice(pidExperts, at.tid, t.ExpertID(l.Expert), l.Kind.String()+" load", at.fromNs, at.toNs)
	x.w.args()
	x.w.text("load", trace.LoadID(l.Load))
	x.w.text("source", l.Source.String())
	x.w.text("target", l.Target.String())
	x.w.integer("bytes", l.Bytes)
	if !at.done {
		x.w.text("state", "under way at the end of the run")
	}
	x.w.end()
	x.w.done()
}

// wait writes the time that a route waited for experts, and the arrows that end in it.
func (x *expertsWriter) wait(e *trace.ExpertEvent) {
	t := x.run.Cache
	a := &t.Accesses[e.Ref]
	if a.StallNs == 0 {
		return
	}
	from := e.AtNs - a.StallNs
	tid := x.rowFor(rowWaits, "waits for experts", from, e.AtNs)
	x.w.slice(pidExperts, tid, trace.RequestID(a.Request), "wait for experts", from, e.AtNs)
	x.w.args()
	x.w.integer("experts", int64(a.To-a.From))
	x.w.end()
	x.w.done()
	for _, expert := range t.ExpertLists[a.From:a.To] {
		if l, ok := x.arrived[expert]; ok && x.loads[l].toNs > from {
			id := int64(l)*int64(len(t.Accesses)) + int64(e.Ref)
			x.w.flow('s', "expert", pidExperts, x.loads[l].tid, id, x.loads[l].fromNs)
			x.w.flow('f', "expert", pidExperts, tid, id, max(from, x.loads[l].fromNs))
		}
	}
}

func (x *expertsWriter) eviction(e *trace.ExpertEvent) {
	t := x.run.Cache
	v := &t.Evictions[e.Ref]
	x.w.instant(pidExperts, rowEvictions, t.ExpertID(v.Expert), "eviction", e.AtNs)
	x.w.args()
	x.w.text("tier", v.Tier.String())
	x.w.text("partition", t.Partition(v.Tier, v.Partition))
	x.w.integer("bytes", v.Bytes)
	x.w.end()
	x.w.done()
}

func (x *expertsWriter) decision(e *trace.ExpertEvent) {
	d := &x.run.Cache.Decisions[e.Ref]
	x.w.instant(pidExperts, rowDecisions, "prefetch decision", "decision", e.AtNs)
	x.w.args()
	x.w.integer("experts", int64(d.To-d.From))
	x.w.integer("token", d.TokenIndex)
	x.w.integer("observedRoutes", d.ObservedRoutes)
	x.w.end()
	x.w.done()
}

// levels writes the resident and the reserved bytes of every partition as counters.
func (x *expertsWriter) levels() {
	tiers := figure.Tiers(figure.Source{}, x.run.Cache, x.run.Snapshot.CurrentTimeNs)
	for i := range tiers.Partitions {
		p := &tiers.Partitions[i]
		name := p.Tier.String() + " " + p.ID + ", resident bytes"
		for k, at := range p.AtNs {
			x.w.counter(pidExperts, name, "bytes", at, p.ResidentBytes[k])
		}
		name = p.Tier.String() + " " + p.ID + ", reserved bytes"
		for k, at := range p.AtNs {
			x.w.counter(pidExperts, name, "bytes", at, p.ReservedBytes[k])
		}
	}
}
