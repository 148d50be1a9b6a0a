package serving

import "github.com/inferlab/inferlab/simcore/trace"

// requestResults reads the outcome of every request from a finished trace: one
// row a request, in arrival order, and all token times in one flat slice that the
// rows point into.
func (s *Scheduler) requestResults(tr *trace.Serving) ([]RequestResult, []int64) {
	results := make([]RequestResult, len(s.arrivals))
	first := make([]int64, len(s.arrivals)) // request index -> first row of its times
	var at int64
	for i, r := range s.arrivals {
		req := &s.cfg.Requests[r]
		first[r] = at
		results[i] = RequestResult{Request: r, ArrivalNs: req.ArrivalNs, TokensFrom: at, TokensTo: at + req.OutputTokens}
		at += req.OutputTokens
	}
	times := make([]int64, at)
	for i := range tr.Batches {
		b := &tr.Batches[i]
		finish := b.FinishNs()
		for _, t := range tr.Tokens[b.TokensFrom:b.TokensTo] {
			times[first[t.Request]+int64(t.Index)] = finish
		}
	}
	for i := range results {
		r := &results[i]
		r.FirstTokenNs = times[r.TokensFrom]
		r.CompletedAtNs = times[r.TokensTo-1] // a request completes with its last token
		r.TimeToFirstTokenNs = r.FirstTokenNs - r.ArrivalNs
		r.LatencyNs = r.CompletedAtNs - r.ArrivalNs
	}
	return results, times
}
