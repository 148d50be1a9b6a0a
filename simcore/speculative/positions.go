package speculative

import (
	"math"

	"github.com/inferlab/inferlab/simcore/trace"
)

// Position is the acceptance of one draft position, counted from iterations. The
// position is additional: a guaranteed token has none.
type Position struct {
	Proposals int64 // iterations that proposed so far
	Trials    int64 // of these, iterations in which all earlier positions were accepted
	Accepted  int64 // of these, iterations in which this one was, too
}

// Conditional is P(accepted | reached), and false without a trial.
func (p Position) Conditional() (float64, bool) {
	if p.Trials == 0 {
		return 0, false
	}
	return float64(p.Accepted) / float64(p.Trials), true
}

// Interval is the 95 % Wilson score interval of Conditional: unlike the normal
// approximation it stays within [0, 1] and holds for few trials and for shares
// near the ends. Without a trial it is [0, 1].
func (p Position) Interval() (low, high float64) {
	if p.Trials == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // 97.5 % quantile of the standard normal distribution
	n, share := float64(p.Trials), float64(p.Accepted)/float64(p.Trials)
	centre := share + float64(z*z)/(2*n)
	half := float64(z * math.Sqrt(float64(share*(1-share))/n+float64(z*z)/(4*float64(n*n))))
	scale := 1 + float64(z*z)/n
	return max(0, (centre-half)/scale), min(1, (centre+half)/scale)
}

// Positions counts acceptance by position over the iterations of a workload.
func Positions(iterations []trace.SpeculativeIteration) []Position {
	var list positions
	for i := range iterations {
		list.add(iterations[i].ProposedAdditional, iterations[i].AcceptedAdditional)
	}
	return list.sum()
}

// ServingPositions counts acceptance by position over the decode steps of a served
// run.
func ServingPositions(steps []trace.DecodeSlice) []Position {
	var list positions
	for i := range steps {
		list.add(int64(steps[i].ProposedAdditional), int64(steps[i].AcceptedAdditional))
	}
	return list.sum()
}

// positions counts, at index k, iterations that end at k: as proposals, trials and
// acceptances. Sums from the end turn them into counts by position.
type positions struct{ proposed, reached, accepted []int64 }

func (p *positions) add(proposed, accepted int64) {
	for int64(len(p.proposed)) <= proposed {
		p.proposed, p.reached, p.accepted = append(p.proposed, 0), append(p.reached, 0), append(p.accepted, 0)
	}
	p.proposed[proposed]++
	p.reached[min(accepted+1, proposed)]++ // position a is tried when it exists
	p.accepted[accepted]++
}

func (p *positions) sum() []Position {
	n := max(0, len(p.proposed)-1)
	list := make([]Position, n)
	var proposals, trials, accepted int64
	for j := n - 1; j >= 0; j-- {
		proposals += p.proposed[j+1]
		trials += p.reached[j+1]
		accepted += p.accepted[j+1]
		list[j] = Position{proposals, trials, accepted}
	}
	return list
}
