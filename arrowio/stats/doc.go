// Package stats has the statistics that summaries and figures of the tables use:
// quantiles by the contracts' rule, the empirical distribution function, histograms
// over declared bins, and the distance of two distributions.
//
// In go plain slices, for example of arrowio's Table.Samples; out come values that
// a figure draws or a test compares. Arithmetic beyond counting is gonum's.
//
// A latency figure is only as good as its name: compare figures of one definition
// and one quantile rule only. The rule here is nearest rank (contract 05 section
// 4.9): no interpolation.
package stats
