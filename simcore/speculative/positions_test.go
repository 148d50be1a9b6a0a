package speculative

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/trace"
)

func TestPositions(t *testing.T) {
	got := Positions([]trace.SpeculativeIteration{
		{ProposedAdditional: 3, AcceptedAdditional: 3}, {ProposedAdditional: 3, AcceptedAdditional: 1},
		{ProposedAdditional: 3, AcceptedAdditional: 0}, {ProposedAdditional: 1, AcceptedAdditional: 1}, {},
	})
	want := []Position{{Proposals: 4, Trials: 4, Accepted: 3}, {Proposals: 3, Trials: 2, Accepted: 1}, {Proposals: 3, Trials: 1, Accepted: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Positions(nil); len(got) != 0 {
		t.Errorf("no iteration gives %v", got)
	}
}

// TestInterval compares with figures of the literature: 8 of 10 is 0.490 to 0.943,
// and no success in 20 trials still leaves 0.161.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		p         Position
		low, high float64
	}{{Position{10, 10, 8}, 0.4902, 0.9433}, {Position{20, 20, 0}, 0, 0.1611}, {Position{5, 0, 0}, 0, 1}} {
		low, high := c.p.Interval()
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%+v: %.4f to %.4f, want %.4f to %.4f", c.p, low, high, c.low, c.high)
		}
	}
}
