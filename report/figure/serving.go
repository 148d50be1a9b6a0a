package figure

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// sourceOf names a serving run by its scenario.
func sourceOf(run *serving.Run) Source {
	s := Source{Confidence: run.Confidence}
	if run.Scenario != nil {
		s.Run = run.Scenario.ID()
	}
	return s
}

// endNs is the last completion.
func endNs(run *serving.Run) int64 {
	var end int64
	for i := range run.Requests {
		end = max(end, run.Requests[i].CompletedAtNs)
	}
	return end
}

// TTFT is the distribution of the time to first token over the requests.
func TTFT(run *serving.Run) Distribution {
	ns := make([]int64, len(run.Requests))
	for i := range run.Requests {
		ns[i] = run.Requests[i].TimeToFirstTokenNs
	}
	d := NewDistribution(sourceOf(run), "TTFT", "Time to first token", "request", ns)
	d.Nothing = "No request was scheduled in this run."
	return d
}

// ITL is the distribution of the gaps between consecutive tokens of the same
// request, pooled over all requests (contract 05 section 4.9).
func ITL(run *serving.Run) Distribution {
	var ns []int64
	if n := len(run.TokenTimes) - len(run.Requests); n > 0 {
		ns = make([]int64, 0, n)
	}
	for i := range run.Requests {
		r := &run.Requests[i]
		times := run.TokenTimes[r.TokensFrom:r.TokensTo]
		for k := 1; k < len(times); k++ {
			ns = append(ns, times[k]-times[k-1])
		}
	}
	d := NewDistribution(sourceOf(run), "ITL", "Inter-token latency", "token gap", ns)
	d.Nothing = "No request emitted a second token, so there is no gap between tokens."
	return d
}

// RequestLatency is the distribution of arrival to completion over the requests.
func RequestLatency(run *serving.Run) Distribution {
	ns := make([]int64, len(run.Requests))
	for i := range run.Requests {
		ns[i] = run.Requests[i].LatencyNs
	}
	d := NewDistribution(sourceOf(run), "latency", "Request latency, arrival to completion", "request", ns)
	d.Nothing = "No request was scheduled in this run."
	return d
}

// Latency shows TTFT and ITL beside each other.
func Latency(run *serving.Run) Pair { return Pair{Left: TTFT(run), Right: ITL(run)} }

// Batches shows the batches of a run over time.
func Batches(run *serving.Run) BatchTimeline {
	f := BatchTimeline{Source: sourceOf(run), MaxTokens: run.Config.MaxBatchTokens, MaxSequences: run.Config.MaxBatchSize, EndNs: endNs(run)}
	f.Rows = make([]Batch, len(run.Trace.Batches))
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		var prefill int64
		for _, p := range run.Trace.Prefill[b.PrefillFrom:b.PrefillTo] {
			prefill += p.Tokens
		}
		f.Rows[i] = Batch{StartNs: b.StartNs, DurationNs: b.DurationNs, Prefill: prefill,
			Decode: b.TokenWork - prefill, Sequences: b.SequenceCount()}
	}
	return f
}

// KV shows the KV pool of a run over time.
func KV(run *serving.Run) KVTimeline {
	f := KVTimeline{Source: sourceOf(run), Budget: run.Config.MaxKVTokens, EndNs: endNs(run)}
	n := len(run.Trace.Batches)
	f.AtNs, f.Level = make([]int64, 0, 2*n), make([]int64, 0, 2*n)
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		if k := len(f.AtNs); k > 0 && f.AtNs[k-1] == b.StartNs {
			f.Level[k-1] = b.TransientKVTokens
		} else {
			f.AtNs, f.Level = append(f.AtNs, b.StartNs), append(f.Level, b.TransientKVTokens)
		}
		f.AtNs, f.Level = append(f.AtNs, b.FinishNs()), append(f.Level, b.KVTokensAfter)
	}
	return f
}

// Utilization shows the busy share of each resource of a run.
func Utilization(run *serving.Run) ResourceUse {
	f := ResourceUse{Source: sourceOf(run), WindowNs: run.Topology.ResourceObservationNs, DrainNs: run.Topology.BackgroundDrainNs}
	f.Rows = make([]Resource, len(run.Topology.ResourceUtilization))
	for i, u := range run.Topology.ResourceUtilization {
		f.Rows[i] = Resource{ID: u.ResourceID, BusyNs: u.BusyNs, Lanes: u.CapacityLanes, Share: u.Utilization}
	}
	return f
}

// Throughput shows the output tokens of a run over time. Tokens are emitted
// at batch finishes.
func Throughput(run *serving.Run) TokenCurve {
	f := TokenCurve{Source: sourceOf(run), EndNs: endNs(run), PerSecond: run.Metrics.ThroughputTokensPerSecond}
	if len(run.Requests) > 0 {
		f.StartNs = run.Requests[0].ArrivalNs
	}
	var total int64
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		if n := int64(b.TokensTo - b.TokensFrom); n > 0 {
			total += n
			f.AtNs, f.Tokens = append(f.AtNs, b.FinishNs()), append(f.Tokens, total)
		}
	}
	return f
}

// Requests shows TTFT and latency of every request in arrival order.
func Requests(run *serving.Run) RequestBars {
	f := RequestBars{Source: sourceOf(run), Rows: make([]RequestBar, len(run.Requests))}
	for i := range run.Requests {
		r := &run.Requests[i]
		f.Rows[i] = RequestBar{ID: run.Config.Requests[r.Request].ID, TTFTNs: r.TimeToFirstTokenNs, LatencyNs: r.LatencyNs}
	}
	return f
}

// Timeline shows the life of every request. Slices of one request in
// batches that follow each other without a pause are one span.
func Timeline(run *serving.Run) RequestTimeline {
	rows := make([]RequestRow, len(run.Requests))
	place := make([]int, len(run.Config.Requests)) // configuration index to row
	for i := range run.Requests {
		r := &run.Requests[i]
		rows[i] = RequestRow{ID: run.Config.Requests[r.Request].ID, ArrivalNs: r.ArrivalNs,
			FirstTokenNs: r.FirstTokenNs, CompletedNs: r.CompletedAtNs}
		place[r.Request] = i
	}
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		span := Span{b.StartNs, b.FinishNs()}
		for _, p := range run.Trace.Prefill[b.PrefillFrom:b.PrefillTo] {
			row := &rows[place[p.Request]]
			row.Prefill = extend(row.Prefill, span)
		}
		for k := b.DecodeFrom; k < b.DecodeTo; k++ {
			row := &rows[place[run.Trace.Decode[k].Request]]
			row.Decode = extend(row.Decode, span)
		}
	}
	return RequestTimeline{Source: sourceOf(run), Rows: rows, EndNs: endNs(run)}
}

// extend appends a span, joining it to the last one when they touch.
func extend(spans []Span, s Span) []Span {
	if n := len(spans); n > 0 && spans[n-1].ToNs == s.FromNs {
		spans[n-1].ToNs = s.ToNs
		return spans
	}
	return append(spans, s)
}

// Flow shows which links of the scenario were busy and for how long.
func Flow(run *serving.Run) LinkFlow {
	f := LinkFlow{Source: sourceOf(run), WindowNs: run.Topology.ResourceObservationNs}
	if run.Scenario == nil {
		return f
	}
	used := make(map[string]serving.Utilization)
	for _, u := range run.Topology.ResourceUtilization {
		if id, ok := strings.CutPrefix(u.ResourceID, "link:"); ok {
			used[id] = u
		}
	}
	operations, known := linkOperations(run)
	spec := run.Scenario.Spec()
	for i := range spec.Links {
		l := &spec.Links[i]
		u, ok := used[l.ID]
		if !ok {
			f.Unused = append(f.Unused, l.ID)
			continue
		}
		f.Bands = append(f.Bands, FlowBand{Link: l.ID, Kind: string(l.Kind),
			SourceSystem: system(run.Scenario, l.SourceDomainID), SourceDomain: l.SourceDomainID,
			TargetSystem: system(run.Scenario, l.TargetDomainID), TargetDomain: l.TargetDomainID,
			Through: l.NetworkResourceIDs, Operations: operations[l.ID], BusyNs: u.BusyNs,
			Lanes: u.CapacityLanes, Share: u.Utilization})
	}
	if !known {
		for i := range f.Bands {
			f.Bands[i].Operations = -1
		}
	}
	quantity.SortIDs(f.Unused)
	slices.SortFunc(f.Bands, func(a, b FlowBand) int { return quantity.CompareIDs(a.Link, b.Link) })
	return f
}

// system is the node id of a memory domain.
func system(s *topology.Scenario, domain string) string {
	if d := s.Domain(domain); d != nil {
		return d.NodeID
	}
	return ""
}

// linkOperations counts the operations that reserved each link, and says whether
// the run holds the plans to count in.
func linkOperations(run *serving.Run) (map[string]int64, bool) {
	known := false
	counts := make(map[string]int64)
	for i := range run.Templates {
		t := &run.Templates[i]
		known = known || len(t.Trace.Operations) > 0
		for k := range t.Trace.Operations {
			for _, r := range t.Trace.Operations[k].Resources {
				if id, ok := strings.CutPrefix(r.ResourceID, "link:"); ok {
					counts[id] += t.Occurrences
				}
			}
		}
	}
	return counts, known
}
