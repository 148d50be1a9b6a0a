package workload

import "math"

// The declared ladder of acceptance (contract 08 section B10): an assumption, to
// be shown as one.
const (
	AcceptanceDecay = 0.78 // from one position to the next
	AcceptanceFloor = 0.05
)

// AcceptanceLadder is max(0.05, p * 0.78^i) for i = 0 … n-1: the conditional
// acceptance of n positions from that of the first.
func AcceptanceLadder(p float64, n int64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = max(AcceptanceFloor, float64(p*math.Pow(AcceptanceDecay, float64(i))))
	}
	return list
}

// IsAcceptanceLadder reports whether a list of at least two positions is the
// ladder from its first one, but for the last digits that people write or round.
func IsAcceptanceLadder(list []float64) bool {
	if len(list) < 2 {
		return false
	}
	for i, p := range AcceptanceLadder(list[0], int64(len(list))) {
		if math.Abs(list[i]-p) > 1e-9 {
			return false
		}
	}
	return true
}
