package executor

import (
	"math"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// CampaignOptions say how a seeded campaign multiplies one plan (contract 03
// section 16).
type CampaignOptions struct {
	ExecutionCount  int64 // > 0
	Seed            int64 // 0 … 4294967295
	ArrivalWindowNs int64 // arrivals are drawn from 0 … window, then shifted to begin at 0
}

// MaxCampaignExecutions bounds a campaign whatever event budget a scenario
// declares: every execution is held in memory.
const MaxCampaignExecutions int64 = 10_000_000

// Campaign draws the requests of a seeded campaign: the template under
// ExecutionCount identities, with the same steps and the same physical
// allocations. Requests stand by index; admission orders follow arrival and a
// shuffled tie-break.
func Campaign(f *plan.Frozen, o CampaignOptions) ([]plan.Request, error) {
	if err := checkCampaign(f, o); err != nil {
		return nil, err
	}
	n := int(o.ExecutionCount)
	g := generator(o.Seed)
	tieBreak := shuffle(n, &g)
	arrivals := make([]int64, n)
	for i := range arrivals {
		arrivals[i] = int64(math.Floor(g.draw() * float64(o.ArrivalWindowNs+1)))
	}
	earliest := slices.Min(arrivals)
	order := make([]int, n)
	for i := range arrivals {
		arrivals[i] -= earliest
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if arrivals[a] != arrivals[b] {
			return compare(arrivals[a], arrivals[b])
		}
		return tieBreak[a] - tieBreak[b]
	})
	requests := make([]plan.Request, n)
	for admission, k := range order {
		clone := *f.Plan()
		suffix := ":campaign:" + strconv.Itoa(k)
		clone.ID, clone.ExecutionID = clone.ID+suffix, clone.ExecutionID+suffix
		requests[k] = plan.Request{Plan: &clone, ArrivalNs: arrivals[k], AdmissionOrder: int64(admission)}
	}
	return requests, nil
}

func checkCampaign(f *plan.Frozen, o CampaignOptions) error {
	switch {
	case !quantity.IsPositive(o.ExecutionCount):
		return issue.New(CodeCampaign, "execution_count", "%d is not a safe integer greater than 0", o.ExecutionCount)
	case o.Seed < 0 || o.Seed > math.MaxUint32:
		return issue.New(CodeCampaign, "seed", "%d is not within 0..4294967295", o.Seed)
	case o.ArrivalWindowNs < 0 || o.ArrivalWindowNs >= quantity.MaxSafe:
		return issue.New(CodeCampaign, "arrival_window_ns", "%d is not within 0..%d", o.ArrivalWindowNs, quantity.MaxSafe-1)
	}
	limit := f.Spec().Execution.MaxEvents
	events, err := quantity.Mul(o.ExecutionCount, int64(f.Len())+2)
	if err != nil {
		return issue.New(CodeEventBudget, "execution.maxEvents", "%d executions of %d steps exceed maxEvents = %d", o.ExecutionCount, f.Len(), limit)
	}
	if events > limit {
		return overTotal(events, limit)
	}
	if o.ExecutionCount > MaxCampaignExecutions {
		return issue.New(CodeCampaign, "execution_count", "%d is more than %d executions", o.ExecutionCount, MaxCampaignExecutions)
	}
	return nil
}

// generator is the 32-bit generator of contract 03 section 16.
type generator uint32

// next advances the state and returns the 32 bits of one draw.
func (g *generator) next() uint32 {
	*g += 0x6D2B79F5
	z := uint32(*g)
	z = (z ^ z>>15) * (z | 1)
	z ^= z + (z^z>>7)*(z|61)
	return z ^ z>>14
}

// draw returns a number in [0, 1).
func (g *generator) draw() float64 { return float64(g.next()) / (1 << 32) }

// shuffle returns, for every index, its position in the shuffled list of indices.
func shuffle(n int, g *generator) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for i := n - 1; i >= 1; i-- {
		j := int(math.Floor(g.draw() * float64(i+1)))
		list[i], list[j] = list[j], list[i]
	}
	position := make([]int, n)
	for at, index := range list {
		position[index] = at
	}
	return position
}
