package resultdoc

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/serving"
)

// What a long document consists of is read member by member into the structures of
// its entries, without a tree and without reflection. Members of other names are
// read over.

func (s *scanner) request(e *requestEntry) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "id":
			return s.word(&e.ID)
		case "arrivalNs":
			return s.integer(&e.ArrivalNs)
		case "firstTokenNs":
			return s.integer(&e.FirstTokenNs)
		case "completedAtNs":
			return s.integer(&e.CompletedAtNs)
		case "timeToFirstTokenNs":
			return s.integer(&e.TimeToFirstTokenNs)
		case "latencyNs":
			return s.integer(&e.LatencyNs)
		case "tokenTimestampsNs":
			return list(s, &e.TokenTimestampsNs, s.integer)
		}
		return s.skip()
	})
}

func (s *scanner) event(e *event) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "contractRevision":
			return s.integer(&e.ContractRevision)
		case "kind":
			return s.word(&e.Kind)
		case "atNs":
			return s.integer(&e.AtNs)
		case "batch":
			e.Batch = &work{}
			return s.work(e.Batch)
		case "durationNs":
			return s.integer(&e.DurationNs)
		case "kvTokensBefore":
			return s.integer(&e.KVTokensBefore)
		case "transientKvTokens":
			return s.integer(&e.TransientKVTokens)
		case "batchId":
			return s.integer(&e.BatchID)
		case "emittedTokens":
			return list(s, &e.EmittedTokens, s.token)
		case "completedRequestIds":
			return list(s, &e.CompletedRequestIDs, s.word)
		case "kvTokensAfter":
			return s.integer(&e.KVTokensAfter)
		case "requestId":
			return s.word(&e.RequestID)
		case "completedRequests":
			return s.integer(&e.CompletedRequests)
		case "totalOutputTokens":
			return s.integer(&e.TotalOutputTokens)
		}
		return s.skip()
	})
}

func (s *scanner) work(w *work) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "batchId":
			return s.integer(&w.BatchID)
		case "prefill":
			return list(s, &w.Prefill, s.prefill)
		case "decode":
			return list(s, &w.Decode, s.decode)
		case "tokenWork":
			return s.integer(&w.TokenWork)
		case "expectedOutputTokens":
			return s.integer(&w.ExpectedOutputTokens)
		}
		return s.skip()
	})
}

func (s *scanner) prefill(p *prefillEntry) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "requestId":
			return s.word(&p.RequestID)
		case "tokens":
			return s.integer(&p.Tokens)
		}
		return s.skip()
	})
}

func (s *scanner) decode(e *decodeEntry) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "requestId":
			return s.word(&e.RequestID)
		case "mode":
			return s.word(&e.Mode)
		case "outcome":
			return s.word(&e.Outcome)
		case "guaranteedTargetTokens":
			return s.integer(&e.GuaranteedTargetTokens)
		case "proposedAdditionalTokens":
			return s.integer(&e.ProposedAdditionalTokens)
		case "acceptedAdditionalTokens":
			return s.integer(&e.AcceptedAdditionalTokens)
		case "targetAuthoritativeTokens":
			return s.integer(&e.TargetAuthoritativeTokens)
		}
		return s.skip()
	})
}

func (s *scanner) token(t *tokenEntry) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "requestId":
			return s.word(&t.RequestID)
		case "tokenIndex":
			return s.integer(&t.TokenIndex)
		case "source":
			return s.word(&t.Source)
		}
		return s.skip()
	})
}

func (s *scanner) batch(b *batchEntry) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "batchId":
			return s.integer(&b.BatchID)
		case "topologyDurationNs":
			return s.integer(&b.TopologyDurationNs)
		case "operationCounts":
			return s.counts(&b.OperationCounts)
		}
		return s.skip()
	})
}

func (s *scanner) counts(c *serving.OperationCounts) error {
	return s.members(func(key []byte) error {
		switch string(key) {
		case "compute":
			return s.integer(&c.Compute)
		case "transfer":
			return s.integer(&c.Transfer)
		case "collective":
			return s.integer(&c.Collective)
		case "allReduce":
			return s.integer(&c.AllReduce)
		case "allToAll":
			return s.integer(&c.AllToAll)
		}
		return s.skip()
	})
}

// list reads an array of entries; an empty one is not nil.
func list[E any](s *scanner, into *[]E, read func(*E) error) error {
	entries := make([]E, 0, 16)
	err := s.elements(func() error {
		entries = append(entries, *new(E))
		return read(&entries[len(entries)-1])
	})
	*into = slices.Clip(entries)
	return err
}

// gathered is a list of entries that grows without moving them.
type gathered[E any] struct {
	full [][]E
	last []E
}

// Lengths of the pieces of a gathered list.
const (
	firstPiece   = 64
	longestPiece = 8192
)

// next is a new entry at the end.
func (g *gathered[E]) next() *E {
	if len(g.last) == cap(g.last) {
		if g.last != nil {
			g.full = append(g.full, g.last)
		}
		g.last = make([]E, 0, min(max(2*cap(g.last), firstPiece), longestPiece))
	}
	g.last = g.last[:len(g.last)+1]
	return &g.last[len(g.last)-1]
}

// all is the whole list; nil when nothing was added.
func (g *gathered[E]) all() []E {
	if g.last == nil {
		return nil
	}
	return slices.Concat(append(g.full, g.last)...)
}
