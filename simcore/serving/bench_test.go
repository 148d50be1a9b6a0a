package serving_test

import (
	"fmt"
	"testing"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// uniform is n equal requests that arrive spacing ns apart.
func uniform(n int, spacing, prompt, output int64, cfg workload.Serving) workload.Serving {
	for i := range n {
		cfg.Requests = append(cfg.Requests, workload.Request{
			ID: fmt.Sprintf("request-%06d", i), ArrivalNs: int64(i) * spacing, PromptTokens: prompt, OutputTokens: output})
	}
	return cfg
}

// The shapes that the speed goals of the project name, and an overload in which a
// long queue waits for KV.
var benchShapes = []struct {
	name string
	cfg  workload.Serving
}{
	{"32x4096", uniform(32, 1000, 64, 4096, workload.Serving{
		MaxBatchSize: 32, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 140_000})},
	{"1000x128", uniform(1000, 1000, 64, 128, workload.Serving{
		MaxBatchSize: 32, MaxBatchTokens: 512, PrefillChunkTokens: 256, MaxKVTokens: 140_000})},
	{"overload-20000x64", uniform(20_000, 1000, 256, 64, workload.Serving{
		MaxBatchSize: 256, MaxBatchTokens: 2048, PrefillChunkTokens: 512, MaxKVTokens: 8_192})},
	{"prompt-1048576", uniform(1, 0, 1_048_576, 8, workload.Serving{
		MaxBatchSize: 1, MaxBatchTokens: 8192, PrefillChunkTokens: 4096, MaxKVTokens: 1_048_583})},
}

func BenchmarkSchedule(b *testing.B) {
	for _, shape := range benchShapes {
		b.Run(shape.name, func(b *testing.B) {
			s, err := serving.New(shape.cfg)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var tokens int64
			for b.Loop() {
				tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
				if err != nil {
					b.Fatal(err)
				}
				tokens += tr.TotalOutputTokens
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, shape := range benchShapes {
		b.Run(shape.name, func(b *testing.B) {
			s, err := serving.New(shape.cfg)
			if err != nil {
				b.Fatal(err)
			}
			tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := servingreplay.Check(servingreplay.Input{
					Config: s.Config(), Trace: tr, Estimator: serving.DefaultEstimator}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tr.TotalOutputTokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
