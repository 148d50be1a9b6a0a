package arrowio

import "github.com/inferlab/inferlab/simcore/trace"

// TokensDeclaration declares the table tokens.
var TokensDeclaration = Declaration{
	Table: "tokens", Revision: 1, Contract: servingContract,
	Description: "one row an emitted token, by batch_id, then in the order of the batch's slices",
	Fields: []Field{
		{"batch_id", Int64, false, UnitID, "batch that emitted the token"},
		{"request_id", Label, false, UnitID, "request that the token belongs to"},
		{"token_index", Int64, false, UnitCount, "position in the output of the request, from 0"},
		{"emitted_at_ns", Int64, false, UnitNs, "finish time of the batch"},
		{"itl_ns", Int64, true, UnitNs, "inter-token latency: gap to the previous token of the request; null for token 0"},
		{"source", Label, false, UnitWord, "part of the step that the token comes from"},
	},
	Definitions: []Definition{{"itl", definitionITL}, {"quantile", definitionQuantile}},
}

// tokenSources are the dictionary words of tokens.source.
var tokenSources = wordsOf(trace.SourcePrefill, trace.SourceSpeculativeAuthoritative)

// wordsOf spells the values of a small enumeration from the first to the last.
func wordsOf[E interface {
	~uint8
	String() string
}](first, last E) []string {
	words := make([]string, 0, last-first+1)
	for e := first; e <= last; e++ {
		words = append(words, e.String())
	}
	return words
}

// Tokens is the table tokens.
func (t *ServingTables) Tokens() *Table {
	run, tokens := t.run, t.run.Trace.Tokens
	perBatch := func(value func(batch int) int64) column {
		return column{ints: func(dst []int64, from int64) {
			t.tokens.visit(from, len(dst), func(batch, at int, lo, hi int64) {
				v, piece := value(batch), dst[at:at+int(hi-lo)]
				for i := range piece {
					piece[i] = v
				}
			})
		}}
	}
	return t.table(&TokensDeclaration, int64(len(tokens)),
		perBatch(func(batch int) int64 { return t.firstBatch + int64(batch) }),
		column{words: t.requestIDs(), codes: func(dst []int32, from int64) {
			for i, e := range tokens[from : from+int64(len(dst))] {
				dst[i] = e.Request
			}
		}},
		column{ints: func(dst []int64, from int64) {
			for i, e := range tokens[from : from+int64(len(dst))] {
				dst[i] = int64(e.Index)
			}
		}},
		perBatch(func(batch int) int64 { return run.Trace.Batches[batch].FinishNs() }),
		t.gapColumn(),
		column{words: tokenSources, codes: func(dst []int32, from int64) {
			for i, e := range tokens[from : from+int64(len(dst))] {
				dst[i] = int32(e.Source)
			}
		}},
	)
}

// gapColumn is tokens.itl_ns: from the gaps of a window, or from the token times
// of a whole run.
func (t *ServingTables) gapColumn() column {
	if t.gaps != nil {
		return column{opt: func(dst []int64, ok []bool, from int64) {
			for i, gap := range t.gaps[from : from+int64(len(dst))] {
				dst[i], ok[i] = max(gap, 0), gap >= 0
			}
		}}
	}
	run, tokens := t.run, t.run.Trace.Tokens
	return column{opt: func(dst []int64, ok []bool, from int64) {
		seen := newSeen(len(run.Config.Requests), len(dst))
		t.tokens.visit(from, len(dst), func(batch, at int, lo, hi int64) {
			now := run.Trace.Batches[batch].FinishNs()
			first := from + int64(at)
			for i, e := range tokens[first : first+hi-lo] {
				k := at + i
				if ok[k] = e.Index > 0; ok[k] {
					before, known := seen.last(e.Request)
					if !known {
						before = run.TokenTimes[run.Requests[t.byRequest[e.Request]].TokensFrom+int64(e.Index)-1]
					}
					dst[k] = now - before
				} else {
					dst[k] = 0
				}
				seen.at(e.Request, now)
			}
		})
	}}
}

// seen remembers the last token of each request over a range of rows. The token
// times of a run stand by request, so that looking each one up would touch as many
// lines of memory as there are rows.
type seen []int64

// newSeen remembers nothing when a range is too short to pay for it.
func newSeen(requests, rows int) seen {
	if rows < requests {
		return nil
	}
	s := make(seen, requests)
	for i := range s {
		s[i] = -1
	}
	return s
}

func (s seen) last(request int32) (ns int64, known bool) {
	if s == nil || s[request] < 0 {
		return 0, false
	}
	return s[request], true
}

func (s seen) at(request int32, ns int64) {
	if s != nil {
		s[request] = ns
	}
}
