package serving

import (
	"errors"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// tally counts what the figures of a run need, window by window.
type tally struct {
	s           *Scheduler
	first, last []int64 // by request: time of its first and of its last token so far; -1
	gaps        gapCounts
	m           Metrics // sums over batches and decode slices
	sequences   int64
	work        int64
	overflow    bool
}

func newTally(s *Scheduler) *tally {
	n := len(s.cfg.Requests)
	t := &tally{s: s, first: make([]int64, n), last: make([]int64, n), gaps: gapCounts{counts: make(map[int64]int64)}}
	for i := range n {
		t.first[i], t.last[i] = -1, -1
	}
	return t
}

// add counts a window.
func (t *tally) add(tr *trace.Serving) {
	t.m.addDecodes(tr.Decode)
	for i := range tr.Batches {
		b := &tr.Batches[i]
		t.sequences += b.SequenceCount()
		t.sum(&t.work, b.TokenWork)
		t.sum(&t.m.BatchServiceNs, b.DurationNs)
		t.m.KVHighWaterTokens = max(t.m.KVHighWaterTokens, b.TransientKVTokens)
		finish := b.FinishNs()
		for _, token := range tr.Tokens[b.TokensFrom:b.TokensTo] {
			last := &t.last[token.Request]
			if *last < 0 {
				t.first[token.Request] = finish
			} else {
				t.gaps.add(finish - *last)
			}
			*last = finish
		}
	}
	t.m.Batches += int64(len(tr.Batches))
}

func (t *tally) sum(total *int64, v int64) {
	next, err := quantity.Add(*total, v)
	if err != nil {
		t.overflow = true
		return
	}
	*total = next
}

// requests are the outcomes in arrival order, without ranges of token times.
func (t *tally) requests() []RequestResult {
	results := make([]RequestResult, len(t.s.arrivals))
	for i, r := range t.s.arrivals {
		arrival := t.s.cfg.Requests[r].ArrivalNs
		results[i] = RequestResult{Request: r, ArrivalNs: arrival, FirstTokenNs: t.first[r], CompletedAtNs: t.last[r],
			TimeToFirstTokenNs: t.first[r] - arrival, LatencyNs: t.last[r] - arrival}
	}
	return results
}

// errTallyOverflow reports sums over batches that are no safe integers.
var errTallyOverflow = errors.New("serving: the sums over the batches are no safe integers")

// metrics evaluates contract 05 section 4.9 as Scheduler.metrics does on a trace.
func (t *tally) metrics(results []RequestResult) (Metrics, error) {
	m := t.m
	if t.overflow || !quantity.IsSafe(m.TargetVerificationTokens) {
		return m, errTallyOverflow
	}
	t.s.countRequests(&m, int64(len(results)))
	m.rateDecodes()
	t.s.utilize(&m, t.sequences, t.work)
	m.span(results)
	m.requestLatencies(results)
	if t.gaps.n > 0 {
		m.AverageInterTokenLatencyNs = t.gaps.sum / float64(t.gaps.n)
		m.P50InterTokenLatencyNs, m.P95InterTokenLatencyNs = t.gaps.nearestRank(1, 2), t.gaps.nearestRank(19, 20)
	}
	return m, nil
}

// gapCounts holds the gaps between tokens as counts by value: they are few, because
// most of them are durations of plans. Equal neighbours are counted together.
type gapCounts struct {
	counts       map[int64]int64
	n            int64
	sum          float64 // exact as long as it is a safe integer
	value, equal int64   // the run of equal gaps that is not in counts yet
}

func (g *gapCounts) add(gap int64) {
	g.n++
	g.sum += float64(gap)
	if gap != g.value {
		g.settle()
		g.value = gap
	}
	g.equal++
}

func (g *gapCounts) settle() {
	if g.equal > 0 {
		g.counts[g.value] += g.equal
		g.equal = 0
	}
}

// nearestRank is element ⌈n·num/den⌉ of the gaps in ascending order, as nearestRank
// gives it for samples.
func (g *gapCounts) nearestRank(num, den int64) int64 {
	g.settle()
	values := make([]int64, 0, len(g.counts))
	for v := range g.counts {
		values = append(values, v)
	}
	slices.Sort(values)
	left := max((g.n*num+den-1)/den, 1)
	for _, v := range values {
		if left -= g.counts[v]; left <= 0 {
			return v
		}
	}
	return math.MaxInt64
}
