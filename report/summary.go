package report

import (
	"github.com/inferlab/inferlab/simcore/canonical"
)

// summary is the result's headline as canonical JSON, for a page without the result.
func (s *servingReport) summary() *standIn {
	m, t := &s.run.Metrics, &s.run.Topology
	use := make([]any, 0, len(t.ResourceUtilization))
	for _, u := range t.ResourceUtilization {
		use = append(use, canonical.Object{{Key: "resourceId", Value: u.ResourceID}, {Key: "busyNs", Value: u.BusyNs},
			{Key: "capacityLanes", Value: u.CapacityLanes}, {Key: "utilization", Value: u.Utilization}})
	}
	o := canonical.Object{
		{Key: "confidence", Value: string(s.run.Confidence)},
		{Key: "assumptions", Value: s.run.Assumptions},
		{Key: "metrics", Value: canonical.Object{
			{Key: "requests", Value: m.Requests}, {Key: "batches", Value: m.Batches},
			{Key: "prefillTokens", Value: m.PrefillTokens}, {Key: "decodeTokens", Value: m.DecodeTokens},
			{Key: "outputTokens", Value: m.OutputTokens}, {Key: "totalDurationNs", Value: m.TotalDurationNs},
			{Key: "batchServiceNs", Value: m.BatchServiceNs},
			{Key: "throughputTokensPerSecond", Value: m.ThroughputTokensPerSecond},
			{Key: "averageTimeToFirstTokenNs", Value: m.AverageTimeToFirstTokenNs},
			{Key: "p50TimeToFirstTokenNs", Value: m.P50TimeToFirstTokenNs},
			{Key: "p95TimeToFirstTokenNs", Value: m.P95TimeToFirstTokenNs},
			{Key: "averageInterTokenLatencyNs", Value: m.AverageInterTokenLatencyNs},
			{Key: "p50InterTokenLatencyNs", Value: m.P50InterTokenLatencyNs},
			{Key: "p95InterTokenLatencyNs", Value: m.P95InterTokenLatencyNs},
			{Key: "averageRequestLatencyNs", Value: m.AverageRequestLatencyNs},
			{Key: "sequenceBatchUtilization", Value: m.SequenceBatchUtilization},
			{Key: "tokenBatchUtilization", Value: m.TokenBatchUtilization},
			{Key: "kvHighWaterTokens", Value: m.KVHighWaterTokens}}},
		{Key: "resourceUtilization", Value: use},
		{Key: "replay", Value: canonical.Object{{Key: "appliedEvents", Value: s.run.Replay.AppliedEvents},
			{Key: "completedRequests", Value: s.run.Replay.CompletedRequests}, {Key: "finalKvTokens", Value: s.run.Replay.FinalKVTokens}}},
	}
	if s.run.Scenario != nil {
		o = append(o, canonical.Member{Key: "scenarioId", Value: s.run.Scenario.ID()},
			canonical.Member{Key: "scenarioFingerprint", Value: s.run.Scenario.Fingerprint()})
	}
	// A run's numbers are finite, so the text cannot fail.
	text, err := canonical.Pretty(o)
	if err != nil {
		text = []byte("{}")
	}
	return &standIn{"summary.json", append(text, '\n')}
}
