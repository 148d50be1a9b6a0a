package experts_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestSweepIsTheStackDistance compares a capacity sweep with an oracle that knows no
// cache: with experts of one size, one expert a token and no prefetch, a token hits
// exactly when fewer distinct experts than fit were used since its last use.
func TestSweepIsTheStackDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "experts")
		cfg := workload.ExpertRun{
			Cache:    workload.ExpertCache{RoutingSeed: rapid.Int64Range(0, 1<<32).Draw(t, "seed"), ColdToHotLatencyNs: 7},
			Workload: workload.ExpertWorkload{TokenCount: rapid.Int64Range(0, 60).Draw(t, "tokens"), TopK: 1, TokenIntervalNs: 3},
		}
		var capacities []int64
		for i := range n {
			cfg.Cache.Experts = append(cfg.Cache.Experts, workload.Expert{ID: fmt.Sprintf("e%d", i), Bytes: 10, RoutingWeight: 1 + float64(i)})
			capacities = append(capacities, int64(i+1)*10+3)
		}
		points, err := experts.SweepHotCapacity(cfg, append(capacities, 9))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Cache.HotCapacityBytes = 10
		run, err := experts.Simulate(cfg)
		if err != nil {
			t.Fatal(err)
		}
		hits := make([]int64, n)
		var stack []int32 // latest first
		for _, r := range run.Trace.Routes {
			e := run.Trace.ExpertLists[r.From]
			at := slices.Index(stack, e)
			if at >= 0 {
				for fit := at; fit < n; fit++ {
					hits[fit]++
				}
				stack = slices.Delete(stack, at, at+1)
			}
			stack = slices.Insert(stack, 0, e)
		}
		for i := range n {
			if points[i].Refused != nil || points[i].Metrics.HotHits != hits[i] {
				t.Fatalf("with room for %d: %+v, want %d hits", i+1, points[i], hits[i])
			}
		}
		if last := points[n]; (last.Refused == nil) != (cfg.Workload.TokenCount == 0) {
			t.Fatalf("with room for none: %+v", last)
		}
	})
	if _, err := experts.SweepHotCapacity(workload.ExpertRun{}, []int64{1}); err == nil {
		t.Error("a run without experts is swept")
	}
}

// TestResidencesAreWhatSnapshotsShow: at every access the open stays are the
// residents of a cache that is driven to the same point.
func TestResidencesAreWhatSnapshotsShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawRun(t)
		run, err := experts.Simulate(cfg)
		if err != nil {
			return
		}
		stays := experts.Residences(run.Trace, run.Snapshot.CurrentTimeNs)
		for i, tier := range []*trace.ExpertTierState{&run.Snapshot.Hot, &run.Snapshot.Warm} {
			var open []int32
			for _, s := range stays {
				if s.FromNs > s.ToNs || s.FromRoute > s.ToRoute {
					t.Fatalf("%+v", s)
				}
				if s.Tier == trace.Tier(i) && !s.Evicted {
					open = append(open, s.Expert)
				}
			}
			want := slices.Sorted(slices.Values(tier.Experts))
			slices.Sort(open)
			if !slices.Equal(open, want) {
				t.Fatalf("%s: %v are open, %v are resident", trace.Tier(i), open, want)
			}
		}
		var evicted int64
		for _, s := range stays {
			if s.Evicted {
				evicted++
			}
		}
		if evicted != run.Snapshot.Metrics.Evictions {
			t.Fatalf("%d stays ended, %d evictions", evicted, run.Snapshot.Metrics.Evictions)
		}
	})
}
