package calibration

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// median is the middle of the samples, or the mean of the two middle ones; it may
// end in .5. Scratch is overwritten and returned for reuse.
func median(scratch, samples []int64) (float64, []int64) {
	scratch = append(scratch[:0], samples...)
	slices.Sort(scratch)
	n := len(scratch)
	if n%2 == 1 {
		return float64(scratch[n/2]), scratch
	}
	return float64(scratch[n/2-1]+scratch[n/2]) / 2, scratch
}

// errorSums accumulates the residuals of a group or a curve, sample by sample, in
// dataset order (contract 06 section 16.4).
type errorSums struct {
	n                  int64
	squares, durations float64
	relative           []float64
}

func (s *errorSums) add(predicted, duration float64) {
	r := predicted - duration
	s.n++
	s.squares += float64(r * r)
	s.durations += duration
	s.relative = append(s.relative, math.Abs(r)/duration)
}

// normalizedRMSE is the root mean square of the residuals over the mean duration.
func (s *errorSums) normalizedRMSE() float64 {
	return math.Sqrt(s.squares/float64(s.n)) / (s.durations / float64(s.n))
}

// p95 is the 95th percentile of the relative errors, by nearest rank. It sorts
// them.
func (s *errorSums) p95() float64 {
	slices.Sort(s.relative)
	at := int(math.Ceil(float64(0.95*float64(s.n)))) - 1
	return s.relative[max(0, at)]
}

// medianStandardError is the asymptotic standard error of the median of normal
// samples, sqrt(pi / 2) * sd / sqrt(n).
func medianStandardError(samples []float64) float64 {
	return math.Sqrt(math.Pi/2) * stat.StdErr(stat.StdDev(samples, nil), float64(len(samples)))
}

// confidence95 is the half width of the two-sided 95 % interval of an estimate
// with the given standard error and degrees of freedom.
func confidence95(standardError float64, degrees int64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(max(1, degrees))}
	return t.Quantile(0.975) * standardError
}
