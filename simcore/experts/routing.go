package experts

import (
	"slices"
	"sort"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// zeroSeedState replaces a PRNG state of zero, which xorshift never leaves.
const zeroSeedState uint32 = 0x9E3779B9

// generator is the 32-bit xorshift of contract 05 section 2.5.
type generator uint32

func newGenerator(seed int64) generator {
	if x := uint32(seed); x != 0 { // the low 32 bits of a non-negative seed
		return generator(x)
	}
	return generator(zeroSeedState)
}

// next draws a word; the drawn value is word / 2^32.
func (g *generator) next() uint32 {
	x := uint32(*g)
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	*g = generator(x)
	return x
}

// router draws routes: weighted, without replacement, over the experts sorted by
// id.
//
// A draw compares u * total with the running sums of the remaining candidates,
// which are added left to right. Removing a candidate changes the sums to its
// right only, so they are kept and recomputed from there; as weights are positive
// the sums never decrease and the first that exceeds the draw is found by halving.
// Both give the very doubles that a walk from the first candidate gives.
type router struct {
	state generator

	order []int32   // expert indices by id
	mass  []float64 // weights in that order
	sums  []float64 // running sums of mass

	candidates []int32 // of the route being drawn, and their masses and sums
	left       []float64
	running    []float64
}

func newRouter(cfg *workload.ExpertCache) *router {
	n := len(cfg.Experts)
	r := &router{
		state: newGenerator(cfg.RoutingSeed),
		order: make([]int32, n), mass: make([]float64, n), sums: make([]float64, n),
		candidates: make([]int32, n), left: make([]float64, n), running: make([]float64, n),
	}
	for i := range r.order {
		r.order[i] = int32(i)
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return quantity.CompareIDs(cfg.Experts[a].ID, cfg.Experts[b].ID)
	})
	for i, e := range r.order {
		r.mass[i] = cfg.Experts[e].RoutingWeight
	}
	accumulate(r.mass, r.sums, 0)
	return r
}

// accumulate recomputes the running sums from position from on.
func accumulate(mass, sums []float64, from int) {
	var s float64
	if from > 0 {
		s = sums[from-1]
	}
	sums = sums[:len(mass)]
	for i := from; i < len(mass); i++ {
		s += mass[i]
		sums[i] = s
	}
}

// draw appends the experts of one route to chosen, in order of choice. topK is at
// most the number of experts.
func (r *router) draw(topK int, chosen []int32) []int32 {
	n := len(r.order)
	candidates, left, running := r.candidates[:n], r.left[:n], r.running[:n]
	copy(candidates, r.order)
	copy(left, r.mass)
	copy(running, r.sums)
	for {
		u := float64(r.state.next()) / (1 << 32)
		d := u * running[n-1]
		pick := sort.Search(n, func(i int) bool { return d < running[i] })
		if pick == n {
			pick = n - 1
		}
		chosen = append(chosen, candidates[pick])
		if topK--; topK == 0 {
			return chosen
		}
		candidates = slices.Delete(candidates, pick, pick+1)
		left = slices.Delete(left, pick, pick+1)
		n--
		running = running[:n]
		accumulate(left, running, pick)
	}
}
