package arrowio

import (
	"iter"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// MemoryTimelineDeclaration declares the table memory_timeline.
var MemoryTimelineDeclaration = Declaration{
	Table: "memory_timeline", Revision: 1,
	Contract:    "contract 08 section B9 with C10 and contract 09 section V5.1, from the counters of contract 05 section 4.8",
	Description: "one row a change of what a purpose holds of a memory domain, by domain_id, then purpose with kv last, then at_ns; it holds until the next row of the two",
	Fields: []Field{
		{"domain_id", Label, false, UnitID, "enabled memory domain that reserves memory"},
		{"purpose", Label, false, UnitWord, "purpose of the reservation"},
		{"at_ns", Int64, false, UnitNs, "time of the change; 0 for the single row of a purpose that is reserved throughout"},
		{"held_bytes", Float64, false, UnitBytes, "bytes held from then on; of kv: kv_tokens times kv bytes reserved in the domain over the token budget, which need not be whole"},
		{"kv_tokens", Int64, true, UnitTokens, "KV positions held from then on: held and reserved ones while a batch runs, held ones after it; null for other purposes"},
		{"reserved_bytes", Int64, false, UnitBytes, "bytes that the ledger reserves for the purpose"},
		{"limit_bytes", Int64, false, UnitBytes, "bytes of the domain that can be allocated"},
	},
}

// memorySeries is one purpose of one domain.
type memorySeries struct {
	domain, purpose int32
	reserved, limit int64
	kv              bool
}

// memoryTimeline is what the table memory_timeline is made of.
type memoryTimeline struct {
	domains, purposes *dictionary
	series            []memorySeries
	atNs, level       []int64 // of the KV pool, in tokens
	perToken          func(s *memorySeries) float64
	rows              spans // by series
}

// MemoryTimeline is the table memory_timeline. It has no rows without a scenario.
func (t *ServingTables) MemoryTimeline() *Table {
	m := newMemoryTimeline(t.run)
	if t.run.Scenario != nil {
		m.atNs, m.level = kvLevel(t.run.Trace.Batches)
	}
	m.layOut()
	return t.memoryTable(m)
}

// memoryTable is the rows of a timeline that is laid out.
func (t *ServingTables) memoryTable(m *memoryTimeline) *Table {
	each := func(from int64, n int, f func(i int, s *memorySeries, row int64)) {
		m.rows.visit(from, n, func(k, at int, lo, hi int64) {
			for row := lo; row < hi; row++ {
				f(at+int(row-lo), &m.series[k], row)
			}
		})
	}
	ints := func(value func(s *memorySeries, row int64) int64) column {
		return column{ints: func(dst []int64, from int64) {
			each(from, len(dst), func(i int, s *memorySeries, row int64) { dst[i] = value(s, row) })
		}}
	}
	labels := func(words []string, code func(s *memorySeries) int32) column {
		return column{words: words, codes: func(dst []int32, from int64) {
			each(from, len(dst), func(i int, s *memorySeries, _ int64) { dst[i] = code(s) })
		}}
	}
	return t.table(&MemoryTimelineDeclaration, m.rows.rows(),
		labels(m.domains.words, func(s *memorySeries) int32 { return s.domain }),
		labels(m.purposes.words, func(s *memorySeries) int32 { return s.purpose }),
		ints(func(s *memorySeries, row int64) int64 {
			if s.kv {
				return m.atNs[row]
			}
			return 0
		}),
		column{floats: func(dst []float64, _ []bool, from int64) {
			each(from, len(dst), func(i int, s *memorySeries, row int64) {
				dst[i] = float64(s.reserved)
				if s.kv {
					dst[i] = float64(m.level[row]) * m.perToken(s)
				}
			})
		}},
		column{opt: func(dst []int64, ok []bool, from int64) {
			each(from, len(dst), func(i int, s *memorySeries, row int64) {
				if dst[i], ok[i] = 0, s.kv; s.kv {
					dst[i] = m.level[row]
				}
			})
		}},
		ints(func(s *memorySeries, _ int64) int64 { return s.reserved }),
		ints(func(s *memorySeries, _ int64) int64 { return s.limit }),
	)
}

// newMemoryTimeline has the series of a run, and no changes yet.
func newMemoryTimeline(run *serving.Run) *memoryTimeline {
	m := &memoryTimeline{domains: newDictionary(), purposes: newDictionary()}
	if run.Scenario != nil {
		m.addSeries(run.Scenario)
	}
	budget := run.Config.MaxKVTokens
	m.perToken = func(s *memorySeries) float64 {
		if budget == 0 {
			return 0
		}
		return float64(s.reserved) / float64(budget)
	}
	return m
}

// layOut finds the rows of each series.
func (m *memoryTimeline) layOut() {
	m.rows = newSpans(len(m.series), func(k int) int64 {
		if m.series[k].kv {
			return int64(len(m.atNs))
		}
		return 1
	})
}

// memoryPieces yields the rows of the timeline in order as tables of at most BatchRows rows,
// with the changes that a log has kept.
func (t *ServingTables) memoryPieces(m *memoryTimeline, log *levelLog) iter.Seq[*Table] {
	return func(yield func(*Table) bool) {
		for _, s := range m.series {
			part := *m
			part.series = []memorySeries{s}
			if !s.kv {
				part.layOut()
				if !yield(t.memoryTable(&part)) {
					return
				}
				continue
			}
			for part.atNs, part.level = range log.blocks(int(BatchRows)) {
				part.layOut()
				if !yield(t.memoryTable(&part)) {
					return
				}
			}
		}
	}
}

// addSeries lists what the enabled domains reserve, kv last within a domain.
func (m *memoryTimeline) addSeries(scn *topology.Scenario) {
	type use struct {
		purpose string
		bytes   int64
	}
	reserved := map[string][]use{}
	spec := scn.Spec()
	for i := range spec.Placements {
		for _, a := range spec.Placements[i].Allocations {
			list := reserved[a.DomainID]
			at := slices.IndexFunc(list, func(u use) bool { return u.purpose == string(a.Purpose) })
			if at < 0 {
				at, list = len(list), append(list, use{purpose: string(a.Purpose)})
			}
			list[at].bytes += a.Bytes
			reserved[a.DomainID] = list
		}
	}
	for _, e := range scn.Ledger() {
		list := reserved[e.DomainID]
		if !e.Enabled {
			continue
		}
		slices.SortFunc(list, func(a, b use) int {
			if ka, kb := a.purpose == string(topology.KV), b.purpose == string(topology.KV); ka != kb {
				if ka {
					return 1
				}
				return -1
			}
			return quantity.CompareIDs(a.purpose, b.purpose)
		})
		for _, u := range list {
			if u.bytes > 0 {
				m.series = append(m.series, memorySeries{domain: m.domains.code(e.DomainID), purpose: m.purposes.code(u.purpose),
					reserved: u.bytes, limit: e.CapacityBytes, kv: u.purpose == string(topology.KV)})
			}
		}
	}
}

// kvLevel is the level of the KV pool in tokens after each change: before plus
// transient at a batch's start, what is left at its end. A batch that starts where
// another ends has one change there.
func kvLevel(batches []trace.ServingBatch) (atNs, level []int64) {
	atNs, level = make([]int64, 0, 2*len(batches)), make([]int64, 0, 2*len(batches))
	for i := range batches {
		b := &batches[i]
		if k := len(atNs); k > 0 && atNs[k-1] == b.StartNs {
			level[k-1] = b.TransientKVTokens
		} else {
			atNs, level = append(atNs, b.StartNs), append(level, b.TransientKVTokens)
		}
		atNs, level = append(atNs, b.FinishNs()), append(level, b.KVTokensAfter)
	}
	return atNs, level
}
