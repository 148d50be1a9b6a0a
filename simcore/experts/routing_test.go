package experts

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// The words are the vectors of contract 05 section 2.5.
func TestGeneratorVectors(t *testing.T) {
	for _, c := range []struct {
		seed    int64
		initial uint32
		words   [4]uint32
	}{
		{0, 0x9E3779B9, [4]uint32{1359758873, 3761132862, 2075758394, 25405621}},
		{1, 1, [4]uint32{270369, 67634689, 2647435461, 307599695}},
		{42, 42, [4]uint32{11355432, 2836018348, 476557059, 3648046016}},
		{4294967301, 5, [4]uint32{1351845, 336141829, 3472693697, 3580160835}},
		{8589934592, 0x9E3779B9, [4]uint32{1359758873, 3761132862, 2075758394, 25405621}},
	} {
		g := newGenerator(c.seed)
		if uint32(g) != c.initial {
			t.Errorf("seed %d starts at %d, want %d", c.seed, uint32(g), c.initial)
		}
		for i, want := range c.words {
			if got := g.next(); got != want {
				t.Errorf("seed %d, draw %d: %d, want %d", c.seed, i+1, got, want)
			}
		}
	}
}

// walk is the selection as contract 05 section 2.5 words it: sum, draw, walk.
func walk(cfg *workload.ExpertCache, g *generator, topK int) []int32 {
	var candidates []int32
	for e := range cfg.Experts {
		candidates = append(candidates, int32(e))
	}
	slices.SortFunc(candidates, func(a, b int32) int { return quantity.CompareIDs(cfg.Experts[a].ID, cfg.Experts[b].ID) })
	var chosen []int32
	for range topK {
		total := 0.0
		for _, e := range candidates {
			total += cfg.Experts[e].RoutingWeight
		}
		d := float64(g.next()) / 4294967296 * total
		pick, sum := len(candidates)-1, 0.0
		for i, e := range candidates {
			if sum += cfg.Experts[e].RoutingWeight; d < sum {
				pick = i
				break
			}
		}
		chosen = append(chosen, candidates[pick])
		candidates = slices.Delete(candidates, pick, pick+1)
	}
	return chosen
}

// TestRouterIsTheWalk compares the kept sums with the walk, over weights from
// denormal to nearly infinite, where sums round, absorb and overflow.
func TestRouterIsTheWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.OneOf(rapid.Float64Range(5e-324, 1e-300), rapid.Float64Range(0.01, 10),
			rapid.Float64Range(1e300, 1.7e308), rapid.Just(1.0))
		n := rapid.IntRange(1, 40).Draw(t, "experts")
		cfg := workload.ExpertCache{RoutingSeed: rapid.Int64Range(0, 1<<40).Draw(t, "seed")}
		for i := range n {
			cfg.Experts = append(cfg.Experts, workload.Expert{ID: fmt.Sprintf("e%d", i), RoutingWeight: weight.Draw(t, "weight")})
		}
		r, g := newRouter(&cfg), newGenerator(cfg.RoutingSeed)
		for range 20 {
			topK := rapid.IntRange(1, n).Draw(t, "topK")
			if got, want := r.draw(topK, nil), walk(&cfg, &g, topK); !slices.Equal(got, want) {
				t.Fatalf("drew %v, the walk gives %v", got, want)
			}
		}
		if r.state != g {
			t.Fatalf("the generators part: %d and %d", r.state, g)
		}
	})
}
