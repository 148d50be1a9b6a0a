package figure

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ExpertHeatmap shows where every expert was over the routed tokens: one row an
// expert, grouped by the partition that owns it, one column a route; a cell has the
// ink of the fastest tier that holds the expert when the route is served. Over the
// cells lie the routes' own choices, loads, evictions, prefetches and decisions;
// above stands the stall of each route, to the right how often each expert was
// routed beside its declared weight (contract 09, V11).
//
// More routes or experts than have room are binned: a cell then has the ink of the
// tier that holds most of it, and bars for its accesses and evictions.
type ExpertHeatmap struct {
	Source
	Rows      []HeatExpert // by partition in the order of the table, then by id
	StallNs   []int64      // by route
	TokenOf   []int64      // by route: its token index
	Stays     []HeatStay
	Uses      []HeatUse // by route, then in order of choice
	Loads     []HeatLoad
	Decisions []HeatDecision

	FromRoute, ToRoute int    // window of routes; both 0: all
	Partition          string // only the experts of this partition; empty: all
}

// HeatExpert is one row.
type HeatExpert struct {
	ID, Partition string
	Bytes         int64
	Weight        float64 // declared routing weight
	Routed        int64   // accesses that used it
}

// HeatStay is a copy in a tier between two routes, half open. Row indexes Rows.
type HeatStay struct {
	Row                int
	Tier               trace.Tier
	FromRoute, ToRoute int64
	FromNs, ToNs       int64
	Evicted            bool // at ToRoute; false: the trace ends
}

// HeatUse is an expert chosen by a route, with the tier that held it on admission.
type HeatUse struct {
	Row, Route int
	Tier       trace.Tier
}

// HeatLoad is a copy on its way: from its start to its visibility, as numbers of
// routes served before. Prefetches say who asked for them.
type HeatLoad struct {
	Row                int
	Number             int32
	Source, Target     trace.Tier
	Prefetch, Adaptive bool
	FromRoute, ToRoute int64
	FromNs, ToNs       int64 // ToNs is the end of the trace for a load that is pending then
	PhysicalNs         int64 // of its last retiming; meaningful when HasPhysical
	HasPhysical        bool
	Pending            bool
	Bytes              int64
}

// HeatDecision is a decision of the adaptive policy after a route.
type HeatDecision struct {
	AfterRoute int64 // routes served before it
	AtNs       int64
	Rows       []int // chosen, in order
}

// ExpertHeat reads a figure from a cache's lossless trace; endNs is the time of its
// final snapshot.
func ExpertHeat(src Source, tr *trace.Experts, endNs int64) ExpertHeatmap {
	f := ExpertHeatmap{Source: src}
	rowOf := f.lay(tr)
	for _, s := range experts.Residences(tr, endNs) {
		f.Stays = append(f.Stays, HeatStay{Row: rowOf[s.Expert], Tier: s.Tier, FromRoute: s.FromRoute, ToRoute: s.ToRoute,
			FromNs: s.FromNs, ToNs: s.ToNs, Evicted: s.Evicted})
	}
	w := heatWalk{f: &f, tr: tr, rowOf: rowOf, load: map[int32]int{}, trigger: trace.TriggerManual}
	for i := range tr.Events {
		w.apply(&tr.Events[i])
	}
	for i := range f.Loads {
		if l := &f.Loads[i]; l.Pending {
			l.ToRoute, l.ToNs = int64(len(f.StallNs)), endNs
		}
	}
	return f
}

// lay makes the rows and returns the row of every expert.
func (f *ExpertHeatmap) lay(tr *trace.Experts) []int {
	partition, order := make(map[string]int), tr.Config.HotTable()
	for k := range order {
		for _, id := range order[k].ExpertIDs {
			partition[id] = k
		}
	}
	index := make([]int, len(tr.Config.Experts))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int {
		x, y := &tr.Config.Experts[a], &tr.Config.Experts[b]
		if d := partition[x.ID] - partition[y.ID]; d != 0 {
			return d
		}
		return quantity.CompareIDs(x.ID, y.ID)
	})
	rowOf := make([]int, len(index))
	for row, i := range index {
		e := &tr.Config.Experts[i]
		rowOf[i] = row
		f.Rows = append(f.Rows, HeatExpert{ID: e.ID, Partition: order[partition[e.ID]].ID, Bytes: e.Bytes, Weight: e.RoutingWeight})
	}
	return rowOf
}

// heatWalk reads the events that are no stays.
type heatWalk struct {
	f       *ExpertHeatmap
	tr      *trace.Experts
	rowOf   []int
	load    map[int32]int // load number -> its place in the figure
	trigger trace.PrefetchTrigger
}

func (w *heatWalk) apply(e *trace.ExpertEvent) {
	f, tr, served := w.f, w.tr, int64(len(w.f.StallNs))
	switch e.Kind {
	case trace.ExpertPrefetched:
		w.trigger = tr.Prefetches[e.Ref].Trigger
	case trace.ExpertDecided:
		d := &tr.Decisions[e.Ref]
		decision := HeatDecision{AfterRoute: served, AtNs: e.AtNs}
		for _, x := range tr.ExpertLists[d.From:d.To] {
			decision.Rows = append(decision.Rows, w.rowOf[x])
		}
		f.Decisions = append(f.Decisions, decision)
	case trace.ExpertLoadStarted:
		l := &tr.Loads[e.Ref]
		w.load[l.Load] = len(f.Loads)
		prefetch := l.Kind == trace.LoadPrefetch
		f.Loads = append(f.Loads, HeatLoad{Row: w.rowOf[l.Expert], Number: l.Load, Source: l.Source, Target: l.Target, Bytes: l.Bytes,
			Prefetch: prefetch, Adaptive: prefetch && w.trigger == trace.TriggerAdaptive, FromRoute: served, FromNs: e.AtNs, Pending: true})
	case trace.ExpertLoadRetimed:
		r := &tr.Retimes[e.Ref]
		l := &f.Loads[w.load[r.Load]]
		l.PhysicalNs, l.HasPhysical = r.PhysicalCompletesAtNs, r.HasPhysical
	case trace.ExpertLoadCompleted:
		l := &f.Loads[w.load[tr.Completions[e.Ref].Load]]
		l.ToRoute, l.ToNs, l.Pending = served, e.AtNs, false
	case trace.ExpertAccessed:
		w.access(e)
	}
}

func (w *heatWalk) access(e *trace.ExpertEvent) {
	a := &w.tr.Accesses[e.Ref]
	route := len(w.f.StallNs)
	tiers := w.tr.TierLists[a.TierFrom:a.TierTo]
	for k, x := range w.tr.ExpertLists[a.From:a.To] {
		row := w.rowOf[x]
		w.f.Rows[row].Routed++
		w.f.Uses = append(w.f.Uses, HeatUse{Row: row, Route: route, Tier: tiers[k]})
	}
	w.f.StallNs = append(w.f.StallNs, a.StallNs)
	token := int64(route)
	if route < len(w.tr.Routes) {
		token = w.tr.Routes[route].TokenIndex
	}
	w.f.TokenOf = append(w.f.TokenOf, token)
}

// window is the range of routes that is drawn.
func (f ExpertHeatmap) window() (from, to int) {
	from, to = max(f.FromRoute, 0), min(f.ToRoute, len(f.StallNs))
	if to <= from {
		from, to = 0, len(f.StallNs)
	}
	return from, to
}

// shown lists the rows that pass the filter.
func (f ExpertHeatmap) shown() []int {
	var rows []int
	for i := range f.Rows {
		if f.Partition == "" || f.Rows[i].Partition == f.Partition {
			rows = append(rows, i)
		}
	}
	return rows
}

// hits counts the accesses in the window by tier, of the rows that are shown.
func (f ExpertHeatmap) hits() (byTier [3]int64) {
	from, to := f.window()
	for _, u := range f.Uses {
		if u.Route >= from && u.Route < to && (f.Partition == "" || f.Rows[u.Row].Partition == f.Partition) {
			byTier[u.Tier]++
		}
	}
	return byTier
}

// Text gives the figure's words.
func (f ExpertHeatmap) Text() Text {
	t := f.words()
	t.What = "Tier of each expert as the routed tokens see it"
	from, to := f.window()
	rows := f.shown()
	if to == 0 || len(rows) == 0 {
		t.Title, t.Empty = "No route to show", "No route was executed."
		return t
	}
	by := f.hits()
	total := max(by[0]+by[1]+by[2], 1)
	stall := int64(0)
	for _, ns := range f.StallNs[from:to] {
		stall += ns
	}
	t.Title = fmt.Sprintf("%s of expert accesses find their expert hot; routes stall %s in all",
		unit.Percent(float64(by[0])/float64(total)), dur(stall))
	most := rows[0]
	for _, r := range rows {
		if f.Rows[r].Routed > f.Rows[most].Routed {
			most = r
		}
	}
	t.Alt = fmt.Sprintf("Over %s and %s, %s accesses were hot, %s warm and %s cold; %s was routed most, %s; routes stalled a modeled %s.",
		unit.Plural(int64(to-from), "route"), unit.Plural(int64(len(rows)), "expert"), unit.Count(by[0]), unit.Count(by[1]), unit.Count(by[2]),
		brief(f.Rows[most].ID), unit.Plural(f.Rows[most].Routed, "time"), dur(stall))
	t.Caption = f.caption(DefaultWidth-32, from, to, len(rows))
	return t
}

func (f ExpertHeatmap) caption(width float64, from, to, rows int) string {
	s := ""
	if to-from < len(f.StallNs) {
		s = fmt.Sprintf("Routes %s to %s of %s. ", unit.Count(int64(from)), unit.Count(int64(to-1)), unit.Count(int64(len(f.StallNs))))
	}
	if f.Partition != "" {
		s += "Partition " + brief(f.Partition) + ". "
	}
	g := f.grid(width)
	if !g.binned() {
		return s + "Dots are the routes' choices by the tier that held the expert on admission. A copy in hot and warm is hot with a warm edge. " +
			"Bars under a cell are loads up to their visibility; a demand load lies inside its own route."
	}
	return s + fmt.Sprintf("Binned: a cell is %s by %s and has the ink of the tier that holds most of it; the bar from below is its number of accesses, the bar from above of evictions; full height is %s. "+
		"Every load, prefetch and decision is a row of the table.",
		unit.Plural(int64(g.perColumn), "route"), unit.Plural(int64(g.perRow), "expert"), unit.Plural(g.most(&f), "access"))
}

// SVG renders the figure.
func (f ExpertHeatmap) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f ExpertHeatmap) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f ExpertHeatmap) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a stay, then one an access, a load and a decision.
func (f ExpertHeatmap) Table() Table {
	stays, uses, loads := len(f.Stays), len(f.Uses), len(f.Loads)
	tiers := func(a, b trace.Tier) string { return a.String() + " to " + b.String() }
	return Table{
		Columns: []Column{{"what", "", false}, {"expert", "", false}, {"tier", "", false}, {"from route", "", true}, {"to route", "", true},
			{"from", "ns", true}, {"to", "ns", true}, {"size", "bytes", true}},
		Len: stays + uses + loads + len(f.Decisions),
		Row: func(i int) []string {
			switch {
			case i < stays:
				s := &f.Stays[i]
				what := "resident"
				if s.Evicted {
					what = "resident until evicted"
				}
				return append([]string{what, f.Rows[s.Row].ID, s.Tier.String()}, decimals(s.FromRoute, s.ToRoute, s.FromNs, s.ToNs, f.Rows[s.Row].Bytes)...)
			case i < stays+uses:
				u := &f.Uses[i-stays]
				return append(append([]string{"access", f.Rows[u.Row].ID, u.Tier.String()}, decimals(int64(u.Route), int64(u.Route)+1)...), "", "", "")
			case i < stays+uses+loads:
				l := &f.Loads[i-stays-uses]
				return append([]string{l.what(), f.Rows[l.Row].ID, tiers(l.Source, l.Target)}, decimals(l.FromRoute, l.ToRoute, l.FromNs, l.ToNs, l.Bytes)...)
			}
			d := &f.Decisions[i-stays-uses-loads]
			ids := make([]string, len(d.Rows))
			for k, r := range d.Rows {
				ids[k] = f.Rows[r].ID
			}
			return append(append([]string{"decision", enumerate(ids, 16), "warm"}, decimals(d.AfterRoute, d.AfterRoute, d.AtNs, d.AtNs)...), "")
		},
	}
}

// what names a load by its cause.
func (l *HeatLoad) what() string {
	name := "demand load"
	switch {
	case l.Adaptive:
		name = "adaptive prefetch"
	case l.Prefetch:
		name = "manual prefetch"
	}
	if l.Pending {
		name += ", pending at the end"
	}
	return name
}
