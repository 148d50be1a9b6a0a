package perfetto

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Serving writes a serving run. A run whose plans are not known (one that was read
// from a document) shows its batches, requests and counters. Errors are those of
// out.
func Serving(out io.Writer, run *serving.Run) error {
	w := newWriter(out)
	w.process(pidScheduler, "scheduler")
	w.row(pidScheduler, rowBatches, "batches")
	s := &servingWriter{w: w, run: run}
	s.batches()
	s.counters()
	s.requests()
	s.machine()
	return w.close()
}

// rowBatches is the row of the batches.
const rowBatches = 1

type servingWriter struct {
	w   *writer
	run *serving.Run
}

// batches writes one slice a batch.
func (s *servingWriter) batches() {
	t := s.run.Trace
	for i := range t.Batches {
		b := &t.Batches[i]
		prefill, decode := int64(0), int64(b.DecodeTo-b.DecodeFrom)
		for _, p := range t.Prefill[b.PrefillFrom:b.PrefillTo] {
			prefill += p.Tokens
		}
		name := "mixed"
		switch {
		case decode == 0:
			name = "prefill"
		case prefill == 0:
			name = "decode"
		}
		s.w.slice(pidScheduler, rowBatches, name, "batch", b.StartNs, b.FinishNs())
		s.w.args()
		s.w.integer("batch", int64(i))
		s.w.integer("prefillTokens", prefill)
		s.w.integer("decodeSequences", decode)
		s.w.integer("tokenWork", b.TokenWork)
		s.w.integer("outputTokens", int64(b.TokensTo-b.TokensFrom))
		s.w.end()
		s.w.done()
	}
}

// counters writes KV, the memory that holds it, and the queues.
func (s *servingWriter) counters() {
	kv := figure.KV(s.run)
	s.w.counter(pidScheduler, "KV tokens", "tokens", 0, 0)
	for i, at := range kv.AtNs {
		s.w.counter(pidScheduler, "KV tokens", "tokens", at, kv.Level[i])
	}
	s.memory(&kv)
	waiting, running := int64(0), int64(0)
	started := make([]bool, len(s.run.Config.Requests))
	t := s.run.Trace
	for _, e := range t.Events {
		switch e.Kind {
		case trace.ServingArrival:
			waiting++
		case trace.ServingBatchStart:
			b := &t.Batches[e.Ref]
			for _, p := range t.Prefill[b.PrefillFrom:b.PrefillTo] {
				if !started[p.Request] {
					started[p.Request] = true
					waiting--
					running++
				}
			}
		case trace.ServingBatchFinish:
			b := &t.Batches[e.Ref]
			running -= int64(b.CompletedTo - b.CompletedFrom)
		default:
			continue
		}
		s.w.counter(pidScheduler, "requests waiting", "requests", e.AtNs, waiting)
		s.w.counter(pidScheduler, "requests running", "requests", e.AtNs, running)
	}
}

// memory writes the bytes of KV in every domain that holds weights and KV.
func (s *servingWriter) memory(kv *figure.KVTimeline) {
	if s.run.Scenario == nil || kv.Budget <= 0 {
		return
	}
	for _, m := range figure.MemoryTimelines(s.run.Scenario, *kv) {
		name := "memory " + m.Domain + ", KV bytes"
		s.w.counter(pidScheduler, name, "bytes", 0, 0)
		for i, at := range kv.AtNs {
			s.w.counter(pidScheduler, name, "bytes", at, share(m.KVReserved, kv.Level[i], kv.Budget))
		}
	}
}

// share is whole * part / of, rounded down, without overflow; part is at most of.
func share(whole, part, of int64) int64 {
	hi, lo := bits.Mul64(uint64(whole), uint64(part))
	if hi >= uint64(of) {
		return whole
	}
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int64(q)
}

// requests writes every request on a row that is free when it arrives: the whole
// request, inside it the wait and every batch that it was part of.
func (s *servingWriter) requests() {
	run, t := s.run, s.run.Trace
	s.w.process(pidRequests, "requests")
	rows := s.assign()
	last := make([]int32, len(run.Config.Requests)) // 0: arrived, 1: prefilled, 2: decoded
	for i := range run.Requests {
		r := &run.Requests[i]
		s.w.slice(pidRequests, rows[r.Request], run.Config.Requests[r.Request].ID, "request", r.ArrivalNs, r.CompletedAtNs)
		s.w.args()
		s.w.integer("promptTokens", run.Config.Requests[r.Request].PromptTokens)
		s.w.integer("outputTokens", r.TokensTo-r.TokensFrom)
		s.w.at("ttftUs", r.TimeToFirstTokenNs)
		s.w.end()
		s.w.done()
		s.w.flow('s', "request", pidRequests, rows[r.Request], int64(r.Request), r.ArrivalNs)
	}
	for i := range t.Batches {
		b := &t.Batches[i]
		for _, p := range t.Prefill[b.PrefillFrom:b.PrefillTo] {
			tid := rows[p.Request]
			if last[p.Request] == 0 {
				s.queued(p.Request, tid, b.StartNs)
			}
			s.part(tid, "prefill", b, int64(i), p.Tokens)
			if last[p.Request] == 0 {
				last[p.Request] = 1
				s.w.flow('t', "request", pidRequests, tid, int64(p.Request), b.StartNs)
			}
		}
		for k := b.DecodeFrom; k < b.DecodeTo; k++ {
			d := &t.Decode[k]
			tid := rows[d.Request]
			s.part(tid, "decode", b, int64(i), d.CommittedTokens())
			if last[d.Request] == 1 {
				last[d.Request] = 2
				s.w.flow('f', "request", pidRequests, tid, int64(d.Request), b.StartNs)
			}
		}
	}
}

// queued writes the wait before the first batch.
func (s *servingWriter) queued(request int32, tid int, untilNs int64) {
	if from := s.run.Config.Requests[request].ArrivalNs; from < untilNs {
		s.w.slice(pidRequests, tid, "queued", "wait", from, untilNs)
		s.w.done()
	}
}

// part writes a request's share of a batch.
func (s *servingWriter) part(tid int, name string, b *trace.ServingBatch, batch, tokens int64) {
	s.w.slice(pidRequests, tid, name, name, b.StartNs, b.FinishNs())
	s.w.args()
	s.w.integer("batch", batch)
	s.w.integer("tokens", tokens)
	s.w.end()
	s.w.done()
}

// assign gives every request the lowest row that is free when it arrives, and
// names the rows.
func (s *servingWriter) assign() []int {
	rows := make([]int, len(s.run.Config.Requests))
	var ends []int64
	for i := range s.run.Requests { // in the order of arrival
		r := &s.run.Requests[i]
		at := len(ends)
		for k, end := range ends {
			if end <= r.ArrivalNs {
				at = k
				break
			}
		}
		if at == len(ends) {
			ends = append(ends, 0)
			s.w.row(pidRequests, at+1, fmt.Sprintf("request row %d", at+1))
		}
		ends[at] = r.CompletedAtNs
		rows[r.Request] = at + 1
	}
	return rows
}

// machine writes the operations of every batch's plan.
func (s *servingWriter) machine() {
	run := s.run
	used := make(map[lane]bool)
	steps := make([]map[int64]*plan.Step, len(run.Templates))
	for i := range run.Templates {
		markLanes(used, run.Templates[i].Trace.Operations)
		steps[i] = stepsByID(run.Templates[i].Plan)
	}
	if len(used) == 0 {
		return
	}
	l := newLanes(s.w, used)
	for i := range run.Trace.Batches {
		k := run.BatchPlans[i]
		l.operations(run.Templates[k].Trace.Operations, steps[k], run.Trace.Batches[i].StartNs, int64(i))
	}
}
