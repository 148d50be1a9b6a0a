package arrowio

import "github.com/inferlab/inferlab/simcore/trace"

// BatchMembersDeclaration declares the table batch_members.
var BatchMembersDeclaration = Declaration{
	Table: "batch_members", Revision: 1, Contract: servingContract,
	Description: "one row a slice of a batch (a chunk of one prompt, or one decode step), by batch_id, prefill slices before decode slices, each in the order of selection",
	Fields: []Field{
		{"batch_id", Int64, false, UnitID, "batch that holds the slice"},
		{"request_id", Label, false, UnitID, "request that the slice belongs to"},
		{"phase", Label, false, UnitWord, "prefill or decode"},
		{"tokens", Int64, false, UnitTokens, "prompt tokens of the chunk, or rows of the target forward (target token width)"},
		{"mode", Label, true, UnitWord, "target_only or speculative; null for prefill"},
		{"outcome", Label, true, UnitWord, "how the decode step ended; null for prefill"},
		{"guaranteed_target_tokens", Int64, true, UnitTokens, "target token that the proposal begins with, 0 or 1; null for prefill"},
		{"proposed_additional_tokens", Int64, true, UnitTokens, "draft tokens proposed beyond the guaranteed one; null for prefill"},
		{"accepted_additional_tokens", Int64, true, UnitTokens, "of these, tokens accepted; null for prefill"},
		{"rejected_draft_tokens", Int64, true, UnitTokens, "proposed tokens that verification threw away; null for prefill"},
		{"target_authoritative_tokens", Int64, true, UnitTokens, "token that the target itself decided, 0 or 1; null for prefill"},
		{"committed_tokens", Int64, true, UnitTokens, "output tokens that the step added; null for prefill"},
	},
}

// phaseWords are the dictionary words of batch_members.phase.
var phaseWords = []string{"prefill", "decode"}

// members locates the slices of the batches: row r of a batch is its prefill
// slice r, or its decode slice r minus the number of prefill slices.
type members struct {
	spans
	tr *trace.Serving
}

// each visits rows [from, from+n): exactly one of p and d is not nil.
func (m members) each(from int64, n int, f func(i, batch int, p *trace.PrefillSlice, d *trace.DecodeSlice)) {
	m.visit(from, n, func(batch, at int, lo, hi int64) {
		b := &m.tr.Batches[batch]
		prefills := int64(b.PrefillTo - b.PrefillFrom)
		for row := lo; row < hi; row++ {
			i := at + int(row-lo)
			if row < prefills {
				f(i, batch, &m.tr.Prefill[int64(b.PrefillFrom)+row], nil)
				continue
			}
			f(i, batch, nil, &m.tr.Decode[int64(b.DecodeFrom)+row-prefills])
		}
	})
}

// ints is a column of both phases.
func (m members) ints(prefill func(batch int, p *trace.PrefillSlice) int64, decode func(batch int, d *trace.DecodeSlice) int64) column {
	return column{ints: func(dst []int64, from int64) {
		m.each(from, len(dst), func(i, batch int, p *trace.PrefillSlice, d *trace.DecodeSlice) {
			if p != nil {
				dst[i] = prefill(batch, p)
				return
			}
			dst[i] = decode(batch, d)
		})
	}}
}

// decodes is a column of decode slices, null for prefill slices.
func (m members) decodes(value func(d *trace.DecodeSlice) int64) column {
	return column{opt: func(dst []int64, ok []bool, from int64) {
		m.each(from, len(dst), func(i, _ int, _ *trace.PrefillSlice, d *trace.DecodeSlice) {
			if ok[i] = d != nil; !ok[i] {
				dst[i] = 0
				return
			}
			dst[i] = value(d)
		})
	}}
}

// labels is a column of words; a negative code is null.
func (m members) labels(words []string, prefill func(p *trace.PrefillSlice) int32, decode func(d *trace.DecodeSlice) int32) column {
	return column{words: words, codes: func(dst []int32, from int64) {
		m.each(from, len(dst), func(i, _ int, p *trace.PrefillSlice, d *trace.DecodeSlice) {
			if p != nil {
				dst[i] = prefill(p)
				return
			}
			dst[i] = decode(d)
		})
	}}
}

// BatchMembers is the table batch_members.
func (t *ServingTables) BatchMembers() *Table {
	tr := t.run.Trace
	m := members{tr: tr, spans: newSpans(len(tr.Batches), func(b int) int64 { return tr.Batches[b].SequenceCount() })}
	noWord := func(*trace.PrefillSlice) int32 { return -1 }
	return t.table(&BatchMembersDeclaration, m.rows(),
		m.ints(func(batch int, _ *trace.PrefillSlice) int64 { return t.firstBatch + int64(batch) },
			func(batch int, _ *trace.DecodeSlice) int64 { return t.firstBatch + int64(batch) }),
		m.labels(t.requestIDs(), func(p *trace.PrefillSlice) int32 { return p.Request },
			func(d *trace.DecodeSlice) int32 { return d.Request }),
		m.labels(phaseWords, func(*trace.PrefillSlice) int32 { return 0 }, func(*trace.DecodeSlice) int32 { return 1 }),
		m.ints(func(_ int, p *trace.PrefillSlice) int64 { return p.Tokens },
			func(_ int, d *trace.DecodeSlice) int64 { return d.TargetTokenWidth() }),
		m.labels(wordsOf(trace.ModeTargetOnly, trace.ModeSpeculative), noWord,
			func(d *trace.DecodeSlice) int32 { return int32(d.Mode) }),
		m.labels(wordsOf(trace.OutcomeTargetOnly, trace.OutcomeAcceptedTail), noWord,
			func(d *trace.DecodeSlice) int32 { return int32(d.Outcome) }),
		m.decodes(func(d *trace.DecodeSlice) int64 { return int64(d.Guaranteed) }),
		m.decodes(func(d *trace.DecodeSlice) int64 { return int64(d.ProposedAdditional) }),
		m.decodes(func(d *trace.DecodeSlice) int64 { return int64(d.AcceptedAdditional) }),
		m.decodes((*trace.DecodeSlice).RejectedDraftTokens),
		m.decodes(func(d *trace.DecodeSlice) int64 { return int64(d.Authoritative) }),
		m.decodes((*trace.DecodeSlice).CommittedTokens),
	)
}
