package composed_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

const mib = 1 << 20

func preset(t testing.TB, name string) *topology.Scenario {
	t.Helper()
	s, err := topology.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cacheOf is an expert cache of n experts of 16 MiB; capacities in experts.
func cacheOf(n int, hot, warm int64) workload.ServingExperts {
	x := workload.ServingExperts{TopK: 2, Strategy: workload.Contiguous}
	for i := range n {
		x.Cache.Experts = append(x.Cache.Experts, workload.Expert{ID: fmt.Sprintf("e%d", i), Bytes: 16 * mib, RoutingWeight: 1 + float64(n-i)/2})
	}
	x.Cache.HotCapacityBytes, x.Cache.WarmCapacityBytes = hot*16*mib, warm*16*mib
	x.Cache.WarmToHotLatencyNs, x.Cache.ColdToHotLatencyNs, x.Cache.ColdToWarmLatencyNs = 3_000, 30_000, 20_000
	x.Cache.RoutingSeed = 7
	x.Cache.AdaptivePrefetch = &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 1, IntervalTokens: 3, MaxExpertsPerDecision: 1}
	return x
}

func requests(arrivals ...int64) workload.Serving {
	cfg := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 6, PrefillChunkTokens: 4, MaxKVTokens: 40}
	for i, at := range arrivals {
		cfg.Requests = append(cfg.Requests, workload.Request{ID: fmt.Sprintf("r%d", i), ArrivalNs: at, PromptTokens: 5, OutputTokens: 4 + int64(i)})
	}
	return cfg
}

func simulate(t testing.TB, s *topology.Scenario, cfg workload.Serving, x workload.ServingExperts, opts composed.Options) *composed.Run {
	t.Helper()
	run, err := composed.Simulate(s, cfg, x, cost.Default(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func speculation(family workload.Family) *workload.ServingSpeculation {
	contract, err := workload.ContractOf(family)
	if err != nil {
		panic(err)
	}
	s := &workload.ServingSpeculation{Family: family, MaxAdditionalTokens: 3, Eligibility: contract.DefaultEligibility()}
	s.Eligibility.AllowDesignOnly = true
	s.Acceptance.Kind = workload.AcceptHeuristic
	s.Acceptance.Probabilities = []float64{0.9, 0.7, 0.5}
	s.Acceptance.Seed = 42
	return s
}

// TestMatrix runs every proposer on every family with an expert cache. All three
// replays run inside; what is asserted here is what ties the three together.
func TestMatrix(t *testing.T) {
	for _, family := range topology.FamilyNames() {
		scn := preset(t, family)
		for _, proposer := range append([]string{"target-only"}, workload.FamilyNames()...) {
			t.Run(family+"/"+proposer, func(t *testing.T) {
				var opts composed.Options
				if proposer != "target-only" {
					opts.Speculation = speculation(workload.Family(proposer))
				}
				consistent(t, simulate(t, scn, requests(0, 0, 700_000_000), cacheOf(6, 4, 3), opts))
			})
		}
	}
}

func consistent(t *testing.T, run *composed.Run) {
	t.Helper()
	s := run.Serving
	var work, loads, prefetches int64
	for i := range s.Trace.Batches {
		b, c := &s.Trace.Batches[i], &run.Batches[i]
		work += b.TokenWork
		loads += int64(len(c.Loads))
		prefetches += int64(len(c.Prefetches))
		if c.Routes != b.TokenWork || c.ReadyNs != b.StartNs+c.CacheConstraintNs || b.DurationNs <= c.CacheConstraintNs {
			t.Errorf("batch %d: %+v with %+v", i, *b, *c)
		}
	}
	m := run.Snapshot.Metrics
	if m.Routes != work || m.DemandLoads != loads || m.PrefetchLoads != prefetches || m.RoutedExperts != work*run.Experts.TopK {
		t.Errorf("%d tokens, %d loads, %d prefetches; the cache counts %+v", work, loads, prefetches, m)
	}
	if len(run.Snapshot.PendingLoads) != 0 {
		t.Errorf("%d loads are pending at the end", len(run.Snapshot.PendingLoads))
	}
	top := &s.Topology
	if top.ResourceObservationNs < top.TotalDurationNs || top.PlanSteps != run.Physical.Operations || top.ReusedTopologyBatches != 0 {
		t.Errorf("%+v", *top)
	}
	if n := int64(len(run.Physical.Requests) + int(run.Physical.Operations) + len(run.Physical.Trace.Terminals)); run.Physical.ReplayAppliedEvents != n {
		t.Errorf("the physical replay applied %d of %d events", run.Physical.ReplayAppliedEvents, n)
	}
	for _, u := range top.ResourceUtilization {
		if u.Utilization <= 0 || u.Utilization > 1 {
			t.Errorf("%+v", u)
		}
	}
}

// TestColdLoadGatesTheFirstRoute works a demand load out by hand: on single-gpu-cpu
// a cold expert crosses the storage link and the PCIe link before the first batch
// can compute, and the configured latency plays no part.
func TestColdLoadGatesTheFirstRoute(t *testing.T) {
	scn := preset(t, "single-gpu-cpu")
	x := cacheOf(2, 2, 2)
	x.TopK, x.Cache.AdaptivePrefetch = 2, nil
	x.Cache.ColdToHotLatencyNs = 12345
	cfg := requests(1_000)
	run := simulate(t, scn, cfg, x, composed.Options{})
	var first []trace.Operation
	for i := range run.Physical.Trace.Operations {
		if op := run.Physical.Trace.Operations[i].Event; strings.Contains(op.ExecutionID, ":expert-load:") {
			first = append(first, op)
		}
	}
	if len(first) == 0 || len(run.Batches[0].Loads) != 2 || run.Snapshot.Metrics.ColdMisses != 2 {
		t.Fatalf("%d demand operations, %+v", len(first), run.Batches[0])
	}
	// Each hop lasts its link's latency and ceil(bytes / bandwidth * 1e9); the hops of
	// the two loads queue on the links, so the second load ends after the first by
	// the time of the slower hop.
	ends := map[string]int64{}
	for _, op := range first {
		link := scn.Link(strings.TrimPrefix(op.Resources[0].ResourceID, "link:"))
		service, _ := quantity.ServiceNs(16*mib, link.BandwidthBytesPerSec)
		if got, want := op.FinishNs-op.StartNs, link.LatencyNs+service; got != want {
			t.Errorf("%s on %s lasts %d ns, want %d", op.ExecutionID, link.ID, got, want)
		}
		ends[op.ExecutionID] = max(ends[op.ExecutionID], op.FinishNs)
	}
	var last int64
	for _, end := range ends {
		last = max(last, end)
	}
	if run.Batches[0].ReadyNs != last || run.Batches[0].CacheConstraintNs != last-1_000 {
		t.Errorf("ready at %d ns, the last transfer ends at %d ns", run.Batches[0].ReadyNs, last)
	}
	for i := 1; i < len(run.Batches); i++ {
		if run.Batches[i].CacheConstraintNs != 0 {
			t.Errorf("batch %d waits %d ns for resident experts", i, run.Batches[i].CacheConstraintNs)
		}
	}
	for _, r := range run.Cache.Retimes {
		if !r.HasPhysical || r.PriorCompletesAtNs != 1_000+12345 && r.PriorCompletesAtNs != r.CompletesAtNs {
			t.Errorf("retimed without evidence: %+v", r)
		}
	}
}

// TestBackgroundOutlastsTheForeground: wanted copies start only after their batch's
// foreground, and what drains after the last completion widens the observation
// window and nothing else.
func TestBackgroundOutlastsTheForeground(t *testing.T) {
	run := simulate(t, preset(t, "multi-gpu"), requests(0), cacheOf(6, 4, 3), composed.Options{})
	finish := map[int64]int64{} // batch -> end of its foreground
	for i := range run.Serving.Trace.Batches {
		finish[int64(i)] = run.Serving.Trace.Batches[i].FinishNs()
	}
	background := 0
	for i := range run.Physical.Trace.Operations {
		op := &run.Physical.Trace.Operations[i].Event
		for batch, end := range finish {
			if op.ExecutionID == fmt.Sprintf("multi-gpu:serving-batch:%d:expert-cache", batch) && len(op.Writes) > 0 && strings.HasPrefix(op.Writes[0], "expert-warm-cache:") {
				background++
				if op.StartNs < end {
					t.Errorf("%s writes the warm pool at %d ns, its foreground ends at %d ns", op.ExecutionID, op.StartNs, end)
				}
			}
		}
	}
	if int64(background) != run.Snapshot.Metrics.PrefetchLoads || background == 0 {
		t.Errorf("%d background copies for %d loads", background, run.Snapshot.Metrics.PrefetchLoads)
	}
	top := run.Serving.Topology
	if top.BackgroundDrainNs != run.Physical.CompletedAtNs-run.Serving.Requests[0].CompletedAtNs || top.BackgroundDrainNs == 0 {
		t.Errorf("drain %d ns, plans complete at %d ns, the request at %d ns", top.BackgroundDrainNs, run.Physical.CompletedAtNs, run.Serving.Requests[0].CompletedAtNs)
	}
}

// TestShiftedArrivals: a constant added to all arrivals is added to all absolute
// times and changes no duration, count or ratio (contract 05 section 9 (2)).
func TestShiftedArrivals(t *testing.T) {
	const shift = 123_456_789
	scn := preset(t, "multi-node")
	a := simulate(t, scn, requests(0, 5_000, 900_000_000), cacheOf(6, 4, 3), composed.Options{})
	b := simulate(t, scn, requests(shift, shift+5_000, shift+900_000_000), cacheOf(6, 4, 3), composed.Options{})
	if d := cmp.Diff(a.Serving.Topology, b.Serving.Topology); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(a.Snapshot.Metrics, b.Snapshot.Metrics); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(a.Serving.Metrics, b.Serving.Metrics); d != "" {
		t.Error(d)
	}
	if a.Physical.CompletedAtNs+shift != b.Physical.CompletedAtNs {
		t.Errorf("plans complete at %d and %d ns", a.Physical.CompletedAtNs, b.Physical.CompletedAtNs)
	}
	for i := range a.Serving.TokenTimes {
		if a.Serving.TokenTimes[i]+shift != b.Serving.TokenTimes[i] {
			t.Fatalf("token %d at %d and %d ns", i, a.Serving.TokenTimes[i], b.Serving.TokenTimes[i])
		}
	}
}

// TestSameInputSameBytes: neither repetition nor a watched run changes a byte.
func TestSameInputSameBytes(t *testing.T) {
	write := func(opts composed.Options) string {
		opts.Speculation = speculation("mtp")
		run := simulate(t, preset(t, "multi-gpu"), requests(0, 10), cacheOf(5, 3, 2), opts)
		var out bytes.Buffer
		w := jsondoc.NewWriter(&out)
		result.Composed(w, run, result.Full)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	calls := 0
	plain := write(composed.Options{})
	watched := write(composed.Options{Progress: func(_, _, _ int64) { calls++ }, Interrupted: func() bool { return false }})
	if plain != watched || calls == 0 {
		t.Errorf("a watched run differs (%d reports): %s", calls, cmp.Diff(plain, watched))
	}
}

// TestCacheTraceVerifies: the cache's trace reads back from its document and
// verifies there.
func TestCacheTraceVerifies(t *testing.T) {
	run := simulate(t, preset(t, "multi-node"), requests(0, 5), cacheOf(6, 4, 3), composed.Options{})
	w := jsondoc.NewWriter(nil)
	run.WriteCacheTrace(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := document.ParseJSON(w.Bytes(), "trace.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := expertsreplay.ReadDocument(v)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.Verify(); err != nil || r.AppliedEvents != run.CacheAppliedEvents {
		t.Errorf("%d events, %v; the run applied %d", r.AppliedEvents, err, run.CacheAppliedEvents)
	}
}

func TestRefusals(t *testing.T) {
	scn := preset(t, "multi-gpu")
	for _, c := range []struct {
		name   string
		change func(*workload.ServingExperts)
		want   string
	}{
		{"partitions", func(x *workload.ServingExperts) { x.Cache.HotPartitions = []workload.ExpertPartition{} }, "partitions itself"},
		{"strategy", func(x *workload.ServingExperts) { x.Strategy = "hashed" }, "hashed"},
		{"top k", func(x *workload.ServingExperts) { x.TopK = 7 }, "from 1 to 6, the number of experts"},
		{"hot room", func(x *workload.ServingExperts) {
			for i := range x.Cache.Experts {
				x.Cache.Experts[i].Bytes = 1 << 40
			}
			x.Cache.HotCapacityBytes = 1 << 41
		}, "target-shard-0"},
		{"warm room", func(x *workload.ServingExperts) {
			for i := range x.Cache.Experts {
				x.Cache.Experts[i].Bytes = 1 << 40
			}
			x.Cache.HotCapacityBytes, x.Cache.WarmCapacityBytes = 1, 1<<42
		}, "node0"},
		{"initial owner", func(x *workload.ServingExperts) {
			x.Cache.HotCapacityBytes = 16 * mib
			x.Cache.InitialHotExpertIDs = []string{"e0", "e1"}
		}, "target-shard-0"},
	} {
		x := cacheOf(6, 4, 3)
		c.change(&x)
		_, err := composed.Simulate(scn, requests(0), x, cost.Default(), composed.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want a refusal that names %s", c.name, err, c.want)
		}
	}
	// One expert on each owner fits although both together exceed one owner's limit.
	x := cacheOf(6, 1, 3)
	x.TopK = 1
	x.Cache.InitialHotExpertIDs = []string{"e0", "e5"}
	simulate(t, scn, requests(0), x, composed.Options{})
}

func TestStreamingOff(t *testing.T) {
	spec := *preset(t, "multi-gpu").Spec()
	spec.Execution.SSDStreaming = false
	scn, err := topology.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"e0", "e1", "e2", "e3"}
	x := cacheOf(4, 2, 4)
	x.Cache.AdaptivePrefetch = nil
	x.Cache.InitialHotExpertIDs = all
	run := simulate(t, scn, requests(0), x, composed.Options{})
	if m := run.Snapshot.Metrics; m.HotHits != m.RoutedExperts || m.BytesMoved != 0 {
		t.Errorf("%+v", m)
	}
	x.Cache.InitialHotExpertIDs, x.Cache.InitialWarmExpertIDs = nil, all
	run = simulate(t, scn, requests(0), x, composed.Options{})
	if m := run.Snapshot.Metrics; m.WarmMisses != 4 || m.ColdMisses != 0 {
		t.Errorf("%+v", m)
	}
	x.Cache.InitialWarmExpertIDs = nil
	if _, err := composed.Simulate(scn, requests(0), x, cost.Default(), composed.Options{}); err == nil || !strings.Contains(err.Error(), "expert-load-1") {
		t.Errorf("a cold expert without storage: %v", err)
	}
	x = cacheOf(4, 2, 4)
	x.Cache.InitialHotExpertIDs = all
	if _, err := composed.Simulate(scn, requests(0), x, cost.Default(), composed.Options{}); err == nil || !strings.Contains(err.Error(), "expert-load-1") {
		t.Errorf("an adaptive prefetch without storage: %v", err)
	}
}

func TestCompare(t *testing.T) {
	var families []*topology.Scenario
	for _, name := range topology.FamilyNames() {
		families = append(families, preset(t, name))
	}
	c, runs, err := composed.Compare(families, requests(0, 3), cacheOf(6, 4, 3), cost.Default(), composed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 6 || len(runs) != 6 || c.Entries[0].RelativeToFastest != 1 {
		t.Fatalf("%+v", c)
	}
	for i := 1; i < len(c.Entries); i++ {
		if c.Entries[i].RelativeToFastest < c.Entries[i-1].RelativeToFastest || c.Entries[i].Rank != int64(i)+1 {
			t.Errorf("entry %d: %+v", i, c.Entries[i])
		}
	}
	if _, _, err := composed.Compare(nil, requests(0), cacheOf(6, 4, 3), cost.Default(), composed.Options{}); err == nil {
		t.Error("an empty comparison is accepted")
	}
	if _, _, err := composed.Compare([]*topology.Scenario{families[0], families[0]}, requests(0), cacheOf(6, 4, 3), cost.Default(), composed.Options{}); err == nil || !strings.Contains(err.Error(), families[0].ID()) {
		t.Errorf("a scenario twice: %v", err)
	}
}

// BenchmarkComposed is speculative serving of 10,000 output tokens over 32 experts,
// all replays included.
func BenchmarkComposed(b *testing.B) {
	spec := *preset(b, "multi-gpu").Spec()
	spec.Execution.MaxEvents = 10_000_000
	scn, err := topology.New(spec)
	if err != nil {
		b.Fatal(err)
	}
	cfg := workload.Serving{MaxBatchSize: 16, MaxBatchTokens: 256, PrefillChunkTokens: 64, MaxKVTokens: 40_000}
	for i := range 50 {
		cfg.Requests = append(cfg.Requests, workload.Request{ID: fmt.Sprintf("r%02d", i), ArrivalNs: int64(i) * 1_000_000, PromptTokens: 64, OutputTokens: 200})
	}
	x := cacheOf(32, 12, 16)
	x.Cache.AdaptivePrefetch.IntervalTokens = 64
	b.ReportAllocs()
	for b.Loop() {
		simulate(b, scn, cfg, x, composed.Options{Speculation: speculation("mtp")})
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
