package arrowio

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/trace"
)

const expertContract = "contract 05 sections 2.4 and 2.15 (expert cache revision 5)"

const definitionStall = "stall: time from the request of a route to the moment at which all its experts are resident hot"

// ExpertEventsDeclaration declares the table expert_events.
var ExpertEventsDeclaration = Declaration{
	Table: "expert_events", Revision: 1, Contract: expertContract,
	Description: "one row an event of the expert cache, by source_sequence; facts that a kind of event does not have are null",
	Fields: []Field{
		{"source_sequence", Int64, false, UnitCount, "position of the event in the trace, from 0"},
		{"kind", Label, false, UnitWord, "kind of the event"},
		{"at_ns", Int64, false, UnitNs, "time of the event; 0 for initialize"},
		{"token_index", Int64, true, UnitCount, "token of a route or of a prefetch decision"},
		{"request", Int64, true, UnitID, "number of the routed request, from 1 (route, access)"},
		{"load", Int64, true, UnitID, "number of the load, from 1 (load_start, load_retime, load_complete)"},
		{"expert_id", Label, true, UnitID, "expert of an eviction, a load or its completion"},
		{"source_tier", Label, true, UnitWord, "tier that a load copies from"},
		{"tier", Label, true, UnitWord, "tier that a copy goes to (load_start, load_complete, prefetch) or leaves (evict)"},
		{"partition", Label, true, UnitID, "partition of the tier that an eviction made room in"},
		{"cause", Label, true, UnitWord, "why: demand or prefetch for a load, manual or adaptive for a prefetch"},
		{"bytes", Int64, true, UnitBytes, "size of an evicted or loaded copy"},
		{"completes_at_ns", Int64, true, UnitNs, "completion of a load as scheduled (load_start) or newly scheduled (load_retime)"},
		{"stall_ns", Int64, true, UnitNs, definitionStall + " (access)"},
		{"experts", Labels, false, UnitID, "experts of a route, a prefetch, a decision or an access, in its order; empty for other kinds"},
	},
	Definitions: []Definition{{"stall", definitionStall}},
}

// ExpertAccessesDeclaration declares the table expert_accesses.
var ExpertAccessesDeclaration = Declaration{
	Table: "expert_accesses", Revision: 1, Contract: expertContract,
	Description: "one row an expert used by an access, in order of accesses and, within one, of choice",
	Fields: []Field{
		{"request", Int64, false, UnitID, "number of the routed request, from 1"},
		{"choice", Int64, false, UnitCount, "position of the expert in the route, from 0"},
		{"expert_id", Label, false, UnitID, "expert"},
		{"source_tier", Label, false, UnitWord, "tier in which the route found the expert; hot is a hit"},
		{"requested_at_ns", Int64, false, UnitNs, "time of the route's request"},
		{"ready_at_ns", Int64, false, UnitNs, "time at which all experts of the route were resident hot"},
		{"stall_ns", Int64, false, UnitNs, definitionStall},
	},
	Definitions: []Definition{{"stall", definitionStall}},
}

// ExpertResidencyDeclaration declares the table expert_residency.
var ExpertResidencyDeclaration = Declaration{
	Table: "expert_residency", Revision: 1, Contract: expertContract,
	Description: "one row a stay of an expert's copy in a tier, by its beginning; initial residents come first",
	Fields: []Field{
		{"expert_id", Label, false, UnitID, "expert"},
		{"tier", Label, false, UnitWord, "hot or warm"},
		{"load", Int64, true, UnitID, "load that brought the copy; null for an initial resident"},
		{"from_ns", Int64, false, UnitNs, "time at which the copy became visible"},
		{"to_ns", Int64, false, UnitNs, "time of its eviction, or the end of the trace"},
		{"from_route", Int64, false, UnitCount, "accesses before from_ns"},
		{"to_route", Int64, false, UnitCount, "accesses before to_ns"},
		{"end", Label, false, UnitWord, "evicted, or resident at the end of the trace"},
	},
}

// ExpertDeclarations lists the schemas of the tables of an expert cache, in the
// order of ExpertTables.All.
func ExpertDeclarations() []*Declaration {
	return []*Declaration{&ExpertEventsDeclaration, &ExpertAccessesDeclaration, &ExpertResidencyDeclaration}
}

// ExpertTables are the tables of one trace of an expert cache.
type ExpertTables struct {
	tr         *trace.Experts
	endNs      int64
	provenance Provenance
	opt        Options
	ids        []string // words of every expert id column, by expert index
}

// Experts prepares the tables of a trace; endNs is the current time of its final
// snapshot, which closes the stays that no eviction ended.
func Experts(tr *trace.Experts, endNs int64, p Provenance, opt Options) *ExpertTables {
	t := &ExpertTables{tr: tr, endNs: endNs, provenance: p, opt: opt}
	for i := range tr.Config.Experts {
		t.ids = append(t.ids, tr.Config.Experts[i].ID)
	}
	return t
}

// All returns every table in a fixed order.
func (t *ExpertTables) All() []*Table { return []*Table{t.Events(), t.Accesses(), t.Residency()} }

var (
	expertEventKinds = wordsOf(trace.ExpertInitialize, trace.ExpertAccessed)
	tierWords        = wordsOf(trace.TierHot, trace.TierCold)
	causeWords       = []string{trace.LoadDemand.String(), trace.LoadPrefetch.String(), trace.TriggerManual.String(), trace.TriggerAdaptive.String()}
	stayEnds         = []string{"resident", "evicted"}
)

// expertFacts are the facts of one event; -1 where the kind has none. All of them
// are counts, so no value is mistaken for absence.
type expertFacts struct {
	token, request, load, bytes, completes, stall int64
	expert, source, tier, partition, cause        int32
	experts                                       []int32
}

// facts reads an event's row in the table of its kind.
func (t *ExpertTables) facts(e *trace.ExpertEvent, partitions *dictionary) expertFacts {
	f := expertFacts{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, nil}
	tr := t.tr
	switch e.Kind {
	case trace.ExpertRouted:
		r := &tr.Routes[e.Ref]
		f.token, f.request, f.experts = r.TokenIndex, int64(r.Request), tr.ExpertLists[r.From:r.To]
	case trace.ExpertPrefetched:
		p := &tr.Prefetches[e.Ref]
		f.tier, f.cause, f.experts = int32(p.Target), 2+int32(p.Trigger), tr.ExpertLists[p.From:p.To]
	case trace.ExpertDecided:
		d := &tr.Decisions[e.Ref]
		f.token, f.experts = d.TokenIndex, tr.ExpertLists[d.From:d.To]
	case trace.ExpertEvicted:
		v := &tr.Evictions[e.Ref]
		f.expert, f.tier, f.bytes = v.Expert, int32(v.Tier), v.Bytes
		f.partition = partitions.code(tr.Partition(v.Tier, v.Partition))
	case trace.ExpertLoadStarted:
		l := &tr.Loads[e.Ref]
		f.load, f.expert, f.source, f.tier = int64(l.Load), l.Expert, int32(l.Source), int32(l.Target)
		f.cause, f.bytes, f.completes = int32(l.Kind), l.Bytes, l.CompletesAtNs
	case trace.ExpertLoadRetimed:
		r := &tr.Retimes[e.Ref]
		f.load, f.completes = int64(r.Load), r.CompletesAtNs
	case trace.ExpertLoadCompleted:
		c := &tr.Completions[e.Ref]
		f.load, f.expert, f.tier = int64(c.Load), c.Expert, int32(c.Target)
	case trace.ExpertAccessed:
		a := &tr.Accesses[e.Ref]
		f.request, f.stall, f.experts = int64(a.Request), a.StallNs, tr.ExpertLists[a.From:a.To]
	}
	return f
}

// partitionWords is the dictionary of all partitions, hot ones first.
func (t *ExpertTables) partitionWords() *dictionary {
	words := newDictionary()
	for _, p := range slices.Concat(t.tr.Config.HotTable(), t.tr.Config.WarmTable()) {
		words.code(p.ID)
	}
	return words
}

// Events is the table expert_events.
func (t *ExpertTables) Events() *Table {
	rows, partitions := t.tr.Events, t.partitionWords()
	optional := func(value func(f *expertFacts) int64) column {
		return optionalOf(rows, func(e *trace.ExpertEvent) (int64, bool) {
			f := t.facts(e, partitions)
			v := value(&f)
			return v, v >= 0
		})
	}
	labels := func(words []string, code func(f *expertFacts) int32) column {
		return labelsOf(rows, words, func(e *trace.ExpertEvent) int32 {
			f := t.facts(e, partitions)
			return code(&f)
		})
	}
	return newTable(&ExpertEventsDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = from + int64(i)
			}
		}},
		labelsOf(rows, expertEventKinds, func(e *trace.ExpertEvent) int32 { return int32(e.Kind) }),
		intsOf(rows, func(e *trace.ExpertEvent) int64 { return e.AtNs }),
		optional(func(f *expertFacts) int64 { return f.token }),
		optional(func(f *expertFacts) int64 { return f.request }),
		optional(func(f *expertFacts) int64 { return f.load }),
		labels(t.ids, func(f *expertFacts) int32 { return f.expert }),
		labels(tierWords, func(f *expertFacts) int32 { return f.source }),
		labels(tierWords, func(f *expertFacts) int32 { return f.tier }),
		labels(partitions.words, func(f *expertFacts) int32 { return f.partition }),
		labels(causeWords, func(f *expertFacts) int32 { return f.cause }),
		optional(func(f *expertFacts) int64 { return f.bytes }),
		optional(func(f *expertFacts) int64 { return f.completes }),
		optional(func(f *expertFacts) int64 { return f.stall }),
		labelListsOf(rows, t.ids, func(e *trace.ExpertEvent) []int32 { return t.facts(e, partitions).experts }),
	})
}

// expertUse is one expert of an access.
type expertUse struct {
	access  *trace.ExpertAccess
	readyNs int64
	choice  int64
	expert  int32
	source  trace.Tier
}

// Accesses is the table expert_accesses.
func (t *ExpertTables) Accesses() *Table {
	var rows []expertUse
	for i := range t.tr.Events {
		e := &t.tr.Events[i]
		if e.Kind != trace.ExpertAccessed {
			continue
		}
		a := &t.tr.Accesses[e.Ref]
		tiers := t.tr.TierLists[a.TierFrom:a.TierTo]
		for k, expert := range t.tr.ExpertLists[a.From:a.To] {
			rows = append(rows, expertUse{a, e.AtNs, int64(k), expert, tiers[k]})
		}
	}
	ints := func(value func(u *expertUse) int64) column { return intsOf(rows, value) }
	return newTable(&ExpertAccessesDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		ints(func(u *expertUse) int64 { return int64(u.access.Request) }),
		ints(func(u *expertUse) int64 { return u.choice }),
		labelsOf(rows, t.ids, func(u *expertUse) int32 { return u.expert }),
		labelsOf(rows, tierWords, func(u *expertUse) int32 { return int32(u.source) }),
		ints(func(u *expertUse) int64 { return u.access.RequestedAtNs }),
		ints(func(u *expertUse) int64 { return u.readyNs }),
		ints(func(u *expertUse) int64 { return u.access.StallNs }),
	})
}

// Residency is the table expert_residency.
func (t *ExpertTables) Residency() *Table {
	rows := experts.Residences(t.tr, t.endNs)
	ints := func(value func(r *experts.Residence) int64) column { return intsOf(rows, value) }
	return newTable(&ExpertResidencyDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(rows, t.ids, func(r *experts.Residence) int32 { return r.Expert }),
		labelsOf(rows, tierWords, func(r *experts.Residence) int32 { return int32(r.Tier) }),
		optionalOf(rows, func(r *experts.Residence) (int64, bool) { return int64(r.Load), r.Load > 0 }),
		ints(func(r *experts.Residence) int64 { return r.FromNs }),
		ints(func(r *experts.Residence) int64 { return r.ToNs }),
		ints(func(r *experts.Residence) int64 { return r.FromRoute }),
		ints(func(r *experts.Residence) int64 { return r.ToRoute }),
		labelsOf(rows, stayEnds, func(r *experts.Residence) int32 {
			if r.Evicted {
				return 1
			}
			return 0
		}),
	})
}
