package experts_test

import (
	"fmt"
	"testing"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/workload"
)

// large is a universe of 256 experts of which two thirds fit hot, with weights
// that double arithmetic cannot add exactly.
func large(tokens int64, adaptive *workload.AdaptivePrefetch) workload.ExpertRun {
	var run workload.ExpertRun
	for i := range 256 {
		run.Cache.Experts = append(run.Cache.Experts, workload.Expert{
			ID: fmt.Sprintf("expert-%03d", i), Bytes: 8 << 20, RoutingWeight: 0.1 + 1/float64(1+i),
		})
	}
	run.Cache.HotCapacityBytes, run.Cache.WarmCapacityBytes = 170*8<<20, 64*8<<20
	run.Cache.WarmToHotLatencyNs, run.Cache.ColdToHotLatencyNs, run.Cache.ColdToWarmLatencyNs = 300_000, 2_000_000, 1_700_000
	run.Cache.RoutingSeed = workload.DefaultRoutingSeed
	run.Cache.AdaptivePrefetch = adaptive
	run.Workload = workload.ExpertWorkload{TokenCount: tokens, TopK: 8, TokenIntervalNs: 20_000}
	return run
}

var everyTurn = &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 2, IntervalTokens: 16, MaxExpertsPerDecision: 4}

func benchmark(b *testing.B, run workload.ExpertRun, once func(workload.ExpertRun) error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := once(run); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(run.Workload.TokenCount)*float64(b.N)/b.Elapsed().Seconds(), "routes/s")
}

func drive(run workload.ExpertRun) error {
	c, err := experts.New(run.Cache)
	if err != nil {
		return err
	}
	return c.Drive(&run.Workload)
}

func BenchmarkDrive(b *testing.B)         { benchmark(b, large(100_000, nil), drive) }
func BenchmarkDriveAdaptive(b *testing.B) { benchmark(b, large(100_000, everyTurn), drive) }

func BenchmarkReplay(b *testing.B) {
	run := large(100_000, everyTurn)
	c, err := experts.New(run.Cache)
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Drive(&run.Workload); err != nil {
		b.Fatal(err)
	}
	benchmark(b, run, func(run workload.ExpertRun) error {
		_, err := expertsreplay.Check(expertsreplay.Input{Trace: c.Trace(), Workload: &run.Workload})
		return err
	})
}

func BenchmarkSimulate(b *testing.B) {
	benchmark(b, large(100_000, everyTurn), func(run workload.ExpertRun) error {
		_, err := experts.Simulate(run)
		return err
	})
}
