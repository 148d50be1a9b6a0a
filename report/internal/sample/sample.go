// Package sample makes serving runs by hand for the tests of the figures and the
// page: a plain continuous-batching loop over invented requests, with a duration
// that is linear in the work. It is no simulation of a machine: it only has the
// shape of one, and every count in it adds up.
package sample

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Options shapes a run.
type Options struct {
	Requests int
	Output   int64 // mean output tokens a request
	Rate     float64
	Names    []string // ids of the first requests; the others are request-<n>
	Scenario *topology.Scenario
}

// draw is a small generator of numbers in [0, 1).
type draw uint64

func (d *draw) next() float64 {
	*d ^= *d << 13
	*d ^= *d >> 7
	*d ^= *d << 17
	return float64(uint64(*d)>>11) / (1 << 53)
}

// Run makes a run: arrivals in bursts, lengths with a long tail.
func Run(o Options) *serving.Run {
	cfg := workload.Serving{MaxBatchSize: 32, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 24_576}
	d := draw(88172645463325252)
	at := 0.0
	for i := range o.Requests {
		if i%40 == 39 {
			at += 1.2e9 // a lull between bursts
		}
		at += -math.Log(1-d.next()) * 1e9 / o.Rate
		name := fmt.Sprintf("request-%d", i)
		if i < len(o.Names) {
			name = o.Names[i]
		}
		tail := math.Exp(2.2 * (d.next() - 0.5))
		cfg.Requests = append(cfg.Requests, workload.Request{ID: name, ArrivalNs: int64(at),
			PromptTokens: 16 + int64(900*d.next()*tail), OutputTokens: 1 + int64(float64(o.Output)*2*d.next()*tail)})
	}
	s := &state{run: &serving.Run{Scenario: o.Scenario, Config: cfg, Trace: &trace.Serving{}, Confidence: evidence.Heuristic}}
	s.loop()
	s.finish()
	return s.run
}

type state struct {
	run       *serving.Run
	order     []int32 // by arrival
	processed []int64
	emitted   []int64
	times     [][]int64
	done      []int64
	kv        int64
}

func (s *state) loop() {
	cfg, tr := &s.run.Config, s.run.Trace
	n := len(cfg.Requests)
	s.processed, s.emitted, s.times, s.done = make([]int64, n), make([]int64, n), make([][]int64, n), make([]int64, n)
	for i := range cfg.Requests {
		s.order = append(s.order, int32(i))
		tr.RequestIDs = append(tr.RequestIDs, cfg.Requests[i].ID)
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		x, y := &cfg.Requests[a], &cfg.Requests[b]
		return cmp.Or(cmp.Compare(x.ArrivalNs, y.ArrivalNs), quantity.CompareIDs(x.ID, y.ID))
	})
	var now int64
	live, first := 0, 0
	for left := n; left > 0; {
		for live < n && cfg.Requests[s.order[live]].ArrivalNs <= now {
			live++
		}
		for first < live && s.done[s.order[first]] > 0 {
			first++
		}
		b := s.batch(s.order[first:live], now)
		if b.TokenWork == 0 {
			now = cfg.Requests[s.order[live]].ArrivalNs
			continue
		}
		now = b.FinishNs()
		left -= s.close(b, now)
	}
}

// batch selects decode steps, then prompt chunks.
func (s *state) batch(live []int32, now int64) *trace.ServingBatch {
	cfg, tr := &s.run.Config, s.run.Trace
	tr.Batches = append(tr.Batches, trace.ServingBatch{StartNs: now, KVTokensBefore: s.kv,
		PrefillFrom: int32(len(tr.Prefill)), DecodeFrom: int32(len(tr.Decode)),
		TokensFrom: int32(len(tr.Tokens)), CompletedFrom: int32(len(tr.Completed))})
	b := &tr.Batches[len(tr.Batches)-1]
	tokens, seats, reserved := cfg.MaxBatchTokens, cfg.MaxBatchSize, int64(0)
	for pass := range 2 {
		for _, r := range live {
			q := &cfg.Requests[r]
			decoding := s.processed[r] == q.PromptTokens
			if s.done[r] > 0 || decoding != (pass == 0) || tokens == 0 || seats == 0 {
				continue
			}
			held := s.processed[r] + max(s.emitted[r]-1, 0)
			if q.PeakKVTokens()-held > cfg.MaxKVTokens-s.kv-reserved {
				continue
			}
			work := int64(1)
			if decoding {
				tr.Decode = append(tr.Decode, trace.DecodeSlice{Request: r, Authoritative: 1})
			} else {
				work = min(q.PromptTokens-s.processed[r], cfg.PrefillChunkTokens, tokens)
				tr.Prefill = append(tr.Prefill, trace.PrefillSlice{Request: r, Tokens: work})
			}
			tokens, seats, reserved = tokens-work, seats-1, reserved+work
		}
	}
	b.PrefillTo, b.DecodeTo = int32(len(tr.Prefill)), int32(len(tr.Decode))
	b.TokenWork = cfg.MaxBatchTokens - tokens
	b.TransientKVTokens = s.kv + reserved
	b.DurationNs = 2_500_000 + 21_000*b.TokenWork + 60_000*int64(b.DecodeTo-b.DecodeFrom)
	if b.TokenWork == 0 {
		tr.Batches = tr.Batches[:len(tr.Batches)-1]
		return &trace.ServingBatch{}
	}
	return b
}

// close applies a batch and answers how many requests it completed.
func (s *state) close(b *trace.ServingBatch, now int64) (completed int) {
	cfg, tr := &s.run.Config, s.run.Trace
	emit := func(r int32, source trace.TokenSource) {
		tr.Tokens = append(tr.Tokens, trace.TokenEmission{Request: r, Index: int32(s.emitted[r]), Source: source})
		s.emitted[r]++
		s.times[r] = append(s.times[r], now)
		if s.emitted[r] == cfg.Requests[r].OutputTokens {
			s.done[r] = now
			s.kv -= s.processed[r] + s.emitted[r] - 1
			tr.Completed = append(tr.Completed, r)
			completed++
		}
	}
	for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
		s.processed[p.Request] += p.Tokens
		s.kv += p.Tokens
		if s.processed[p.Request] == cfg.Requests[p.Request].PromptTokens {
			emit(p.Request, trace.SourcePrefill)
		}
	}
	for _, d := range tr.Decode[b.DecodeFrom:b.DecodeTo] {
		s.kv++
		emit(d.Request, trace.SourceTargetDecode)
	}
	b.TokensTo, b.CompletedTo = int32(len(tr.Tokens)), int32(len(tr.Completed))
	b.KVTokensAfter = s.kv
	return completed
}

// finish fills in requests, metrics and the machine's figures.
func (s *state) finish() {
	run, cfg := s.run, &s.run.Config
	var gaps, ttft []int64
	m := &run.Metrics
	for _, r := range s.order {
		q := &cfg.Requests[r]
		res := serving.RequestResult{Request: r, ArrivalNs: q.ArrivalNs, FirstTokenNs: s.times[r][0], CompletedAtNs: s.done[r],
			TimeToFirstTokenNs: s.times[r][0] - q.ArrivalNs, LatencyNs: s.done[r] - q.ArrivalNs, TokensFrom: int64(len(run.TokenTimes))}
		run.TokenTimes = append(run.TokenTimes, s.times[r]...)
		res.TokensTo = int64(len(run.TokenTimes))
		run.Requests = append(run.Requests, res)
		ttft = append(ttft, res.TimeToFirstTokenNs)
		for k := 1; k < len(s.times[r]); k++ {
			gaps = append(gaps, s.times[r][k]-s.times[r][k-1])
		}
		m.PrefillTokens += q.PromptTokens
		m.OutputTokens += q.OutputTokens
		m.DecodeTokens += q.OutputTokens - 1
		m.AverageRequestLatencyNs += float64(res.LatencyNs)
		m.TotalDurationNs = max(m.TotalDurationNs, res.CompletedAtNs)
	}
	first := run.Requests[0].ArrivalNs
	m.TotalDurationNs -= first
	m.Requests, m.Batches = int64(len(run.Requests)), int64(len(run.Trace.Batches))
	m.AverageRequestLatencyNs /= float64(m.Requests)
	m.ThroughputTokensPerSecond = float64(m.OutputTokens) * 1e9 / float64(m.TotalDurationNs)
	m.P50TimeToFirstTokenNs, m.P95TimeToFirstTokenNs, m.AverageTimeToFirstTokenNs = ranks(ttft)
	m.P50InterTokenLatencyNs, m.P95InterTokenLatencyNs, m.AverageInterTokenLatencyNs = ranks(gaps)
	m.TargetForwards, m.TargetVerificationTokens, m.TargetAuthoritativeTokens = m.DecodeTokens, m.DecodeTokens, m.DecodeTokens
	m.CommittedTokensPerTargetForward = 1
	var work, seats int64
	for i := range run.Trace.Batches {
		b := &run.Trace.Batches[i]
		m.BatchServiceNs += b.DurationNs
		m.KVHighWaterTokens = max(m.KVHighWaterTokens, b.TransientKVTokens)
		work, seats = work+b.TokenWork, seats+b.SequenceCount()
	}
	m.SequenceBatchUtilization = float64(seats) / float64(m.Batches*cfg.MaxBatchSize)
	m.TokenBatchUtilization = float64(work) / float64(m.Batches*cfg.MaxBatchTokens)
	s.machine()
	run.Replay = serving.Replay{AppliedEvents: m.Requests + 2*m.Batches + 1, CompletedRequests: m.Requests}
	run.Trace.CompletedRequests, run.Trace.TotalOutputTokens = m.Requests, m.OutputTokens
	run.Assumptions = []string{
		"Durations come from the built-in cost coefficients of the product.",
		"Timing is heuristic: no calibration dataset was given.",
		"No model is bound: work is synthetic and normalised.",
		"Batches are not preemptive.",
	}
	run.ContractRevisions = []serving.Revision{{Name: "plan", Revision: 5}, {Name: "serving-trace", Revision: 3}}
}

func ranks(ns []int64) (p50, p95 int64, mean float64) {
	if len(ns) == 0 {
		return 0, 0, 0
	}
	slices.Sort(ns)
	n := len(ns)
	sum := 0.0
	for _, v := range ns {
		sum += float64(v)
	}
	return ns[(n+1)/2-1], ns[(19*n+19)/20-1], sum / float64(n)
}

// machine invents the use of the scenario's resources and one template.
func (s *state) machine() {
	run, m := s.run, &s.run.Metrics
	t := &run.Topology
	t.TotalDurationNs, t.BatchServiceNs = m.TotalDurationNs, m.BatchServiceNs
	t.IdleNs = m.TotalDurationNs - m.BatchServiceNs
	t.ResourceObservationNs = m.TotalDurationNs
	t.CompiledTopologyTemplates, t.ReusedTopologyBatches = 1, m.Batches-1
	if run.Scenario == nil {
		return
	}
	template := serving.Template{Plan: &plan.Plan{}, Trace: &trace.Plan{}, Occurrences: m.Batches}
	use := func(id string, lanes int64, share float64) {
		busy := int64(share * float64(m.BatchServiceNs))
		t.ResourceUtilization = append(t.ResourceUtilization, serving.Utilization{ResourceID: id, BusyNs: busy,
			CapacityLanes: lanes, Utilization: float64(busy) / float64(m.TotalDurationNs*lanes)})
		template.Trace.Operations = append(template.Trace.Operations, trace.Operation{Kind: plan.Compute,
			Resources: []trace.Reservation{{ResourceID: id}}})
	}
	spec := run.Scenario.Spec()
	for i := range spec.Devices {
		use("compute:"+spec.Devices[i].ID, spec.Devices[i].MaxConcurrentCompute, 0.92/float64(1+i))
	}
	for i := range spec.Links {
		if i%5 != 4 {
			use("link:"+spec.Links[i].ID, spec.Links[i].ConcurrencyLanes, 0.3/float64(1+i))
		}
	}
	for i := range spec.NetworkResources {
		use("network:"+spec.NetworkResources[i].ID, spec.NetworkResources[i].ConcurrencyLanes, 0.1/float64(1+i))
	}
	t.PlanSteps = int64(len(template.Trace.Operations)) * m.Batches
	t.ComputeOperations = int64(len(spec.Devices)) * m.Batches
	t.ComputeServiceNs = m.BatchServiceNs
	run.Templates = []serving.Template{template}
	run.BatchPlans = make([]int32, m.Batches)
	slices.SortFunc(t.ResourceUtilization, func(a, b serving.Utilization) int {
		return cmp.Or(cmp.Compare(b.Utilization, a.Utilization), quantity.CompareIDs(a.ResourceID, b.ResourceID))
	})
}
