package expertsreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// draws repeats the seeded selection of routes (contract 05 section 2.5). It knows
// the claimed choice, so each draw is one pass over the remaining candidates: the
// running sum up to the claimed one must be the first that exceeds the draw.
type draws struct {
	word    uint32
	order   []int32 // experts by id
	weights []float64
	at      []int32   // expert -> position in order
	sums    []float64 // running sums of all candidates
	gone    []bool    // by position: already chosen in this route
	running []float64 // running sums of the remaining candidates, by position
}

func newDraws(cfg *workload.ExpertCache) draws {
	n := len(cfg.Experts)
	d := draws{
		word: uint32(uint64(cfg.RoutingSeed) % (1 << 32)), order: make([]int32, n), weights: make([]float64, n),
		at: make([]int32, n), sums: make([]float64, n), gone: make([]bool, n), running: make([]float64, n),
	}
	if d.word == 0 {
		d.word = 0x9E3779B9
	}
	for e := range d.order {
		d.order[e] = int32(e)
	}
	slices.SortStableFunc(d.order, func(a, b int32) int { return quantity.CompareIDs(cfg.Experts[a].ID, cfg.Experts[b].ID) })
	for position, e := range d.order {
		d.weights[position] = cfg.Experts[e].RoutingWeight
		d.at[e] = int32(position)
	}
	sumFrom(d.sums, d.weights, d.gone, 0)
	return d
}

// sumFrom writes running sums from a position on. A candidate that is gone repeats
// the sum before it, so it can never be the first to exceed a draw.
func sumFrom(sums, weights []float64, gone []bool, from int) {
	sum := 0.0
	if from > 0 {
		sum = sums[from-1]
	}
	for i := from; i < len(weights); i++ {
		if !gone[i] {
			sum += weights[i]
		}
		sums[i] = sum
	}
}

// verify draws a route and reports the position in claimed of the first expert
// that was not drawn, or -1. Experts in claimed must be known.
func (d *draws) verify(claimed []int32) int {
	copy(d.running, d.sums)
	wrong := -1
	for k, e := range claimed {
		d.word ^= d.word << 13
		d.word ^= d.word >> 17
		d.word ^= d.word << 5
		p := int(d.at[e])
		if d.gone[p] || !d.first(p, float64(d.word)/4294967296) {
			wrong = k
			break
		}
		d.gone[p] = true
		if k+1 < len(claimed) {
			sumFrom(d.running, d.weights, d.gone, p)
		}
	}
	for _, e := range claimed {
		d.gone[d.at[e]] = false
	}
	return wrong
}

// first reports whether the remaining candidate at p is the one that a value u
// in [0, 1) selects.
func (d *draws) first(p int, u float64) bool {
	last := len(d.running) - 1
	drawn := float64(u * d.running[last])
	if p > 0 && drawn < d.running[p-1] {
		return false // one before it exceeds the draw
	}
	if drawn < d.running[p] {
		return true
	}
	if drawn < d.running[last] {
		return false // one after it does
	}
	for i := p + 1; i <= last; i++ { // nothing exceeds it: the last candidate is taken
		if !d.gone[i] {
			return false
		}
	}
	return true
}
