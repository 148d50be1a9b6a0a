package serving

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// metrics evaluates contract 05 section 4.9 over a finished trace.
func (s *Scheduler) metrics(tr *trace.Serving, results []RequestResult, times []int64) (Metrics, error) {
	m := Metrics{Batches: int64(len(tr.Batches))}
	s.countRequests(&m, int64(len(results)))
	if err := m.countDecodes(tr.Decode); err != nil {
		return m, err
	}
	if err := s.batchMetrics(&m, tr); err != nil {
		return m, err
	}
	m.span(results)
	m.requestLatencies(results)
	m.interTokenLatencies(results, times)
	return m, nil
}

// countRequests fills in what follows from the configuration.
func (s *Scheduler) countRequests(m *Metrics, requests int64) {
	m.Requests, m.PrefillTokens, m.OutputTokens = requests, s.promptTokens, s.outputTokens
	m.DecodeTokens = s.outputTokens - requests // every request emits at least one
}

// span is the time from the first arrival to the last completion, and throughput
// over it.
func (m *Metrics) span(results []RequestResult) {
	firstArrival, lastCompletion := results[0].ArrivalNs, int64(0)
	for i := range results {
		lastCompletion = max(lastCompletion, results[i].CompletedAtNs)
	}
	m.TotalDurationNs = lastCompletion - firstArrival
	if m.TotalDurationNs > 0 {
		m.ThroughputTokensPerSecond = float64(float64(m.OutputTokens)*1e9) / float64(m.TotalDurationNs)
	}
}

// countDecodes sums the decode slices. The sum of the target widths bounds every
// other sum, and cannot wrap: fewer than 2^31 slices of at most 2^31 + 1 rows.
func (m *Metrics) countDecodes(slices []trace.DecodeSlice) error {
	m.addDecodes(slices)
	m.rateDecodes()
	if !quantity.IsSafe(m.TargetVerificationTokens) {
		return fmt.Errorf("serving: target verification tokens: %w", quantity.ErrOverflow)
	}
	return nil
}

// addDecodes adds decode slices to the sums.
func (m *Metrics) addDecodes(slices []trace.DecodeSlice) {
	m.TargetForwards += int64(len(slices))
	for i := range slices {
		d := &slices[i]
		m.TargetVerificationTokens += d.TargetTokenWidth()
		m.GuaranteedTargetTokens += int64(d.Guaranteed)
		m.ProposedAdditionalTokens += int64(d.ProposedAdditional)
		m.AcceptedAdditionalTokens += int64(d.AcceptedAdditional)
		m.ProposedDraftTokens += d.ProposedDraftTokens()
		m.AcceptedDraftTokens += d.AcceptedDraftTokens()
		m.TargetAuthoritativeTokens += int64(d.Authoritative)
	}
}

// rateDecodes derives what follows from the sums.
func (m *Metrics) rateDecodes() {
	m.RejectedDraftTokens = m.ProposedDraftTokens - m.AcceptedDraftTokens
	if m.TargetForwards > 0 {
		m.CommittedTokensPerTargetForward = float64(m.DecodeTokens) / float64(m.TargetForwards)
	}
}

func (s *Scheduler) batchMetrics(m *Metrics, tr *trace.Serving) error {
	var sequences, work int64
	var err error
	for i := range tr.Batches {
		b := &tr.Batches[i]
		sequences += b.SequenceCount()
		if work, err = quantity.Add(work, b.TokenWork); err != nil {
			return fmt.Errorf("serving: token work of the batches: %w", err)
		}
		if m.BatchServiceNs, err = quantity.Add(m.BatchServiceNs, b.DurationNs); err != nil {
			return fmt.Errorf("serving: service time of the batches: %w", err)
		}
		m.KVHighWaterTokens = max(m.KVHighWaterTokens, b.TransientKVTokens)
	}
	s.utilize(m, sequences, work)
	return nil
}

// utilize gives the shares of the sequence slots and token slots that were used.
func (s *Scheduler) utilize(m *Metrics, sequences, work int64) {
	batches := float64(m.Batches)
	m.SequenceBatchUtilization = float64(sequences) / float64(batches*float64(s.cfg.MaxBatchSize))
	m.TokenBatchUtilization = float64(work) / float64(batches*float64(s.cfg.MaxBatchTokens))
}

func (m *Metrics) requestLatencies(results []RequestResult) {
	samples := make([]int64, len(results))
	var first, whole float64
	for i := range results {
		samples[i] = results[i].TimeToFirstTokenNs
		first += float64(results[i].TimeToFirstTokenNs)
		whole += float64(results[i].LatencyNs)
	}
	m.AverageTimeToFirstTokenNs = first / float64(len(results))
	m.AverageRequestLatencyNs = whole / float64(len(results))
	m.P50TimeToFirstTokenNs = nearestRank(samples, 1, 2)
	m.P95TimeToFirstTokenNs = nearestRank(samples, 19, 20)
}

// interTokenLatencies pools the gaps of all requests. Their sum is exact as long
// as it is a safe integer, whatever the order of summation.
func (m *Metrics) interTokenLatencies(results []RequestResult, times []int64) {
	gaps := make([]int64, 0, m.DecodeTokens)
	var sum float64
	for i := range results {
		tokens := times[results[i].TokensFrom:results[i].TokensTo]
		for j := 1; j < len(tokens); j++ {
			gap := tokens[j] - tokens[j-1]
			gaps = append(gaps, gap)
			sum += float64(gap)
		}
	}
	if len(gaps) == 0 {
		return
	}
	m.AverageInterTokenLatencyNs = sum / float64(len(gaps))
	m.P50InterTokenLatencyNs = nearestRank(gaps, 1, 2)
	m.P95InterTokenLatencyNs = nearestRank(gaps, 19, 20)
}
