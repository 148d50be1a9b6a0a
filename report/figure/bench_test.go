package figure_test

import (
	"testing"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/internal/sample"
)

// BenchmarkFigures draws each figure of a run of about a million output tokens,
// made from the run each time.
func BenchmarkFigures(b *testing.B) {
	run := sample.Run(sample.Options{Requests: 4000, Output: 250, Rate: 400, Scenario: preset(b, "multi-gpu")})
	for name, make := range map[string]func() figure.Figure{
		"ITL":      func() figure.Figure { return figure.ITL(run) },
		"Batches":  func() figure.Figure { return figure.Batches(run) },
		"KV":       func() figure.Figure { return figure.KV(run) },
		"Timeline": func() figure.Figure { return figure.Timeline(run) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				svg, err := make().SVG(figure.Options{})
				if err != nil {
					b.Fatal(err)
				}
				size = len(svg)
			}
			b.ReportMetric(float64(size), "svg-bytes")
			b.ReportMetric(float64(run.Metrics.OutputTokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
