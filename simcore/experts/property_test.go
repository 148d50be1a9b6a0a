package experts_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// drawCache makes a small valid cache with tight tiers, sometimes partitioned.
func drawCache(t *rapid.T) workload.ExpertCache {
	n := rapid.IntRange(1, 8).Draw(t, "experts")
	c := workload.ExpertCache{
		WarmToHotLatencyNs:  rapid.Int64Range(0, 5).Draw(t, "w2h"),
		ColdToHotLatencyNs:  rapid.Int64Range(0, 20).Draw(t, "c2h"),
		ColdToWarmLatencyNs: rapid.Int64Range(0, 30).Draw(t, "c2w"),
		RoutingSeed:         rapid.Int64Range(0, 1<<34).Draw(t, "seed"),
	}
	for i := range n {
		c.Experts = append(c.Experts, workload.Expert{ID: fmt.Sprintf("e%d", i),
			Bytes: rapid.Int64Range(1, 9).Draw(t, "bytes"), RoutingWeight: rapid.Float64Range(0.1, 4).Draw(t, "weight")})
	}
	c.HotPartitions, c.HotCapacityBytes, c.InitialHotExpertIDs = drawTier(t, "hot", c.Experts, 9)
	c.WarmPartitions, c.WarmCapacityBytes, c.InitialWarmExpertIDs = drawTier(t, "warm", c.Experts, 0)
	if c.WarmCapacityBytes > 0 && rapid.Bool().Draw(t, "adaptive") {
		c.AdaptivePrefetch = &workload.AdaptivePrefetch{TargetTier: workload.Warm,
			MinObservations:       rapid.Int64Range(1, 3).Draw(t, "min"),
			IntervalTokens:        rapid.Int64Range(1, 3).Draw(t, "interval"),
			MaxExpertsPerDecision: rapid.Int64Range(1, 3).Draw(t, "max")}
	}
	return c
}

func drawTier(t *rapid.T, name string, all []workload.Expert, least int64) ([]workload.ExpertPartition, int64, []string) {
	parts := make([]workload.ExpertPartition, rapid.IntRange(1, 3).Draw(t, name+" partitions"))
	for i := range all {
		p := &parts[rapid.IntRange(0, len(parts)-1).Draw(t, name+" owner")]
		p.ExpertIDs = append(p.ExpertIDs, all[i].ID)
	}
	parts = slices.DeleteFunc(parts, func(p workload.ExpertPartition) bool { return p.ExpertIDs == nil })
	initial := []string{}
	var total int64
	for i := range parts {
		p := &parts[i]
		p.ID = fmt.Sprintf("%s-%d", name, i)
		p.CapacityBytes = rapid.Int64Range(least, 30).Draw(t, name+" capacity")
		total += p.CapacityBytes
		room := p.CapacityBytes
		for _, e := range all {
			if slices.Contains(p.ExpertIDs, e.ID) && e.Bytes <= room && rapid.Bool().Draw(t, name+" initial") {
				room -= e.Bytes
				initial = append(initial, e.ID)
			}
		}
	}
	if len(parts) == 1 && rapid.Bool().Draw(t, name+" default") {
		parts = nil
	}
	return parts, total, initial
}

// step does one random thing to a cache and says whether it was refused.
func step(t *rapid.T, c *experts.Cache, active *int32, token *int64) error {
	later := c.Now() + rapid.Int64Range(0, 15).Draw(t, "later")
	var pending []trace.ExpertLoad
	if s := c.Snapshot(); true {
		pending = s.PendingLoads
	}
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0, 1:
		if *active != 0 {
			_, err := c.Complete(*active)
			if err == nil {
				*active = 0
			}
			return err
		}
		n := int64(len(c.Trace().Config.Experts))
		a, err := c.Begin(*token, rapid.Int64Range(1, min(3, n)).Draw(t, "topK"), later)
		if err == nil {
			*active = a.Request
			*token++
		}
		return err
	case 2:
		ids := rapid.SliceOfN(rapid.SampledFrom(c.Trace().Config.ExpertIDs()), 0, 4).Draw(t, "ids")
		_, err := c.Prefetch(ids, trace.Tier(rapid.IntRange(0, 1).Draw(t, "tier")), later)
		return err
	case 3:
		return c.Advance(later)
	default:
		if len(pending) == 0 {
			return nil
		}
		l := rapid.SampledFrom(pending).Draw(t, "load")
		to := c.Now() + rapid.Int64Range(-2, 20).Draw(t, "to")
		if rapid.Bool().Draw(t, "physical") {
			physical := to - rapid.Int64Range(0, 4).Draw(t, "before")
			return c.Retime(l.Load, to, &physical)
		}
		return c.Retime(l.Load, to, nil)
	}
}

// TestRandomCalls holds a cache to its promises under calls of every kind: no
// partition ever exceeds its capacity, a refusal changes nothing but time, what
// waits is never resident, and an independent replay of whatever was traced leads
// to the live state.
func TestRandomCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := experts.New(drawCache(t))
		if err != nil {
			t.Fatal(err)
		}
		var active int32
		var token int64
		for range rapid.IntRange(0, 60).Draw(t, "calls") {
			before, events := c.Snapshot(), len(c.Trace().Events)
			if err := step(t, c, &active, &token); err != nil {
				unchanged(t, c, before, events)
			}
			within(t, c)
		}
		if active != 0 {
			if _, err := c.Complete(active); err != nil {
				t.Fatal(err)
			}
		}
		r, err := expertsreplay.Check(expertsreplay.Input{Trace: c.Trace(), EndNs: c.Now()})
		if err != nil {
			t.Fatal(err)
		}
		live := c.Snapshot()
		if err := r.Confirm(&live); err != nil {
			t.Fatal(err)
		}
	})
}

// unchanged allows a refused call to have moved time and completed what was due.
func unchanged(t *rapid.T, c *experts.Cache, before trace.ExpertSnapshot, events int) {
	for _, e := range c.Trace().Events[events:] {
		if e.Kind != trace.ExpertLoadCompleted {
			t.Fatalf("a refused call left a %s event", e.Kind)
		}
	}
	if after := c.Snapshot(); after.Metrics != before.Metrics {
		t.Fatalf("a refused call changed metrics: %s", cmp.Diff(before.Metrics, after.Metrics))
	} else if len(c.Trace().Events) == events && after.CurrentTimeNs == before.CurrentTimeNs {
		if d := before.Difference(&after); d != "" {
			t.Fatalf("a refused call changed %s", d)
		}
	}
}

// within checks sums and capacities of every partition from the trace's own bytes.
func within(t *rapid.T, c *experts.Cache) {
	s := c.Snapshot()
	for i, tier := range []*trace.ExpertTierState{&s.Hot, &s.Warm} {
		var resident, reserved, pending int64
		for _, p := range tier.Partitions {
			var held int64
			for _, e := range p.Experts {
				held += c.Trace().Config.Experts[e].Bytes
			}
			if held != p.ResidentBytes {
				t.Fatalf("partition %s lists %d bytes, counts %d", p.ID, held, p.ResidentBytes)
			}
			if p.ResidentBytes+p.ReservedBytes > p.CapacityBytes {
				t.Fatalf("partition %s holds %d + %d of %d bytes", p.ID, p.ResidentBytes, p.ReservedBytes, p.CapacityBytes)
			}
			resident += p.ResidentBytes
			reserved += p.ReservedBytes
		}
		for _, l := range s.PendingLoads {
			if l.Target == trace.Tier(i) {
				pending += l.Bytes
			}
		}
		if resident != tier.ResidentBytes || reserved != tier.ReservedBytes || reserved != pending {
			t.Fatalf("%s: %d resident of %d, %d reserved of %d, %d pending", trace.Tier(i), resident, tier.ResidentBytes, reserved, tier.ReservedBytes, pending)
		}
	}
}

// drawRun makes a run of a cache that stands alone.
func drawRun(t *rapid.T) workload.ExpertRun {
	run := workload.ExpertRun{Cache: drawCache(t)}
	run.Workload = workload.ExpertWorkload{
		TokenCount:      rapid.Int64Range(0, 12).Draw(t, "tokens"),
		TopK:            rapid.Int64Range(1, int64(min(2, len(run.Cache.Experts)))).Draw(t, "topK"),
		StartAtNs:       rapid.Int64Range(0, 9).Draw(t, "start"),
		TokenIntervalNs: rapid.Int64Range(0, 12).Draw(t, "interval"),
	}
	if rapid.Bool().Draw(t, "prefetch") {
		run.Workload.InitialPrefetch = &workload.InitialPrefetch{
			ExpertIDs:  rapid.SliceOfN(rapid.SampledFrom(run.Cache.ExpertIDs()), 0, 3).Draw(t, "ids"),
			TargetTier: rapid.SampledFrom([]workload.SourceTier{workload.Hot, workload.Warm}).Draw(t, "tier"),
			LeadTimeNs: rapid.Int64Range(0, 25).Draw(t, "lead"),
		}
	}
	return run
}

// TestRunsShiftWithTheirStart: a later start moves every time by the same amount
// and changes no count, no stall and no choice.
func TestRunsShiftWithTheirStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawRun(t)
		first, err := experts.Simulate(cfg)
		if err != nil {
			return // refused for its capacities; the shifted run is refused as well
		}
		const shift = 1000
		cfg.Workload.StartAtNs += shift
		second, err := experts.Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if first.Snapshot.Metrics != second.Snapshot.Metrics {
			t.Fatal(cmp.Diff(first.Snapshot.Metrics, second.Snapshot.Metrics))
		}
		a, b := first.Trace.Events[1:], second.Trace.Events[1:]
		if len(a) != len(b) {
			t.Fatalf("%d and %d events", len(a), len(b))
		}
		for i := range a {
			if a[i].AtNs+shift != b[i].AtNs || a[i].Kind != b[i].Kind {
				t.Fatalf("event %d: %v and %v", i+1, a[i], b[i])
			}
		}
	})
}

// TestTraceDocumentsVerify: what a run writes reads back as the same trace and
// verifies, and writing it again gives the same bytes.
func TestTraceDocumentsVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, err := experts.Simulate(drawRun(t))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := run.TraceDocument(&file); err != nil {
			t.Fatal(err)
		}
		v, err := document.ParseJSON(file.Bytes(), "trace.json")
		if err != nil {
			t.Fatal(err)
		}
		d, err := expertsreplay.ReadDocument(v)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Verify()
		if err != nil {
			t.Fatal(err)
		}
		if r.AppliedEvents != int64(len(run.Trace.Events)) {
			t.Fatalf("%d of %d events", r.AppliedEvents, len(run.Trace.Events))
		}
		again := experts.Run{Config: run.Config, Trace: d.Input.Trace, Snapshot: r.Snapshot}
		var second bytes.Buffer
		if err := again.TraceDocument(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file.Bytes(), second.Bytes()) {
			t.Fatal(cmp.Diff(file.String(), second.String()))
		}
	})
}
