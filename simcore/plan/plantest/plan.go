package plantest

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Draw returns a number in 0..limit-1; limit is at least 1.
type Draw func(limit int) int

// Generator is a seeded Draw: the linear congruential generator of Knuth's MMIX,
// high bits taken.
func Generator(seed uint64) Draw {
	state := seed
	return func(limit int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int((state >> 33) % uint64(limit))
	}
}

// Mix says what a random plan is made of.
type Mix struct {
	Steps       int
	MaxDuration int // durations are drawn from 0..MaxDuration
	Shuffle     bool
	ComputeOnly bool
}

// Plan makes a random valid plan for the scenario of a shape: compute, transfers
// and collectives on random places, closed under hazards and communicator order,
// with some more dependencies, in an order that need not be topological.
func Plan(s Shape, executionID string, m Mix, draw Draw) *plan.Plan {
	g := generator{shape: s, draw: draw, mix: m, spec: Spec(s), sequence: make(map[string]int64), last: make(map[string]int64)}
	for len(g.steps) < m.Steps {
		g.step()
	}
	if m.Shuffle {
		for i := len(g.steps) - 1; i > 0; i-- {
			j := draw(i + 1)
			g.steps[i], g.steps[j] = g.steps[j], g.steps[i]
		}
	}
	return &plan.Plan{ContractRevision: plan.ContractRevision, ID: "plan-" + executionID, ExecutionID: executionID, Steps: g.steps}
}

type generator struct {
	shape    Shape
	spec     *topology.Spec
	draw     Draw
	mix      Mix
	hazards  plan.Hazards
	steps    []plan.Step
	sequence map[string]int64 // next commSequenceId of a group
	last     map[string]int64 // last collective of a group
}

func (g *generator) step() {
	id := int64(len(g.steps))*7 + 3
	var explicit []int64
	for range g.draw(3) {
		if n := len(g.steps); n > 0 {
			explicit = append(explicit, g.steps[max(0, n-1-g.draw(8))].ID)
		}
	}
	s := plan.Step{ID: id}
	s.Operation.DurationNs = int64(g.draw(g.mix.MaxDuration + 1))
	kind := g.draw(5)
	if g.mix.ComputeOnly {
		kind = 0
	}
	switch {
	case kind < 2:
		g.compute(&s)
	case kind < 4:
		g.transfer(&s)
	default:
		explicit = append(explicit, g.collective(&s)...)
	}
	s.Dependencies = g.hazards.Step(id, explicit, s.Reads, s.Writes)
	g.steps = append(g.steps, s)
}

func (g *generator) compute(s *plan.Step) {
	d := g.draw(g.shape.Devices())
	device := g.shape.DeviceID(d)
	s.Participants = []string{g.shape.RankID(d)}
	if d == 0 && g.draw(4) == 0 {
		s.Participants[0] = "alias"
	}
	s.Reads = []string{device + ".w"}
	if g.draw(2) == 0 {
		s.Reads = append(s.Reads, device+".in")
	}
	s.Writes = []string{device + "." + Buffers[1+g.draw(2)]}
	s.Operation.Kind, s.Operation.DeviceID, s.Operation.Capability = plan.Compute, device, topology.Attention
	if g.draw(6) == 0 {
		s.Operation.ComponentID, s.Operation.PipelinePhase = "encoder", "every_step"
	}
}

func (g *generator) transfer(s *plan.Step) {
	n := g.shape.Devices()
	from := g.draw(n)
	to := (from + 1 + g.draw(n-1)) % n
	s.Participants = []string{g.shape.RankID(from), g.shape.RankID(to)}
	s.Reads = []string{g.shape.DeviceID(from) + "." + [...]string{"out", "kv", "w"}[g.draw(3)]}
	s.Writes = []string{g.shape.DeviceID(to) + ".in"}
	s.Operation.Kind, s.Operation.LinkID = plan.Transfer, g.shape.LinkID(from, to)
}

// collective fills in the step and returns its predecessor in the group, if any.
func (g *generator) collective(s *plan.Step) []int64 {
	group := &g.spec.Groups[g.draw(len(g.spec.Groups))]
	for _, r := range group.OrderedRanks {
		s.Participants = append(s.Participants, r.RankID)
	}
	first := group.OrderedRanks[0].DeviceID
	s.Reads, s.Writes = []string{first + ".w"}, []string{}
	if g.draw(2) == 0 {
		s.Writes = append(s.Writes, first+".ws")
	}
	s.Operation = plan.Operation{
		Kind: plan.Collective, DurationNs: s.Operation.DurationNs, GroupID: group.ID, CommSequenceID: g.sequence[group.ID],
		Algorithm: [...]plan.Algorithm{plan.AllReduceRing, plan.AllToAllV}[g.draw(2)], LinkIDs: []string{},
	}
	for range g.draw(3) {
		link := g.spec.Links[g.draw(len(g.spec.Links))].ID
		if len(s.Operation.LinkIDs) == 0 || s.Operation.LinkIDs[0] != link {
			s.Operation.LinkIDs = append(s.Operation.LinkIDs, link)
		}
	}
	g.sequence[group.ID]++
	before, any := g.last[group.ID]
	g.last[group.ID] = s.ID
	if !any {
		return nil
	}
	return []int64{before}
}

// Copy returns a deep copy of a plan under another execution id, for tests that
// change plans.
func Copy(p *plan.Plan, executionID string) *plan.Plan {
	c := *p
	c.ExecutionID = executionID
	c.Steps = make([]plan.Step, len(p.Steps))
	for i, s := range p.Steps {
		s.Participants = append([]string{}, s.Participants...)
		s.Dependencies = append([]int64{}, s.Dependencies...)
		s.Reads = append([]string{}, s.Reads...)
		s.Writes = append([]string{}, s.Writes...)
		s.Operation.LinkIDs = append([]string{}, s.Operation.LinkIDs...)
		c.Steps[i] = s
	}
	return &c
}

// Large makes a plan of many steps over all ranks of a shape, as a compiler would:
// layers of compute on every device, transfers to the neighbour, and a collective
// of the world now and then.
func Large(s Shape, steps int) *plan.Plan {
	var h plan.Hazards
	p := &plan.Plan{ContractRevision: plan.ContractRevision, ID: "large", ExecutionID: "large"}
	world := make([]string, s.Devices())
	for d := range world {
		world[d] = s.RankID(d)
	}
	ring := make([]string, s.Devices())
	for d := range ring {
		ring[d] = s.LinkID(d, (d+1)%s.Devices())
	}
	var collectives int64
	last := int64(-1)
	add := func(step plan.Step, explicit ...int64) {
		step.ID = int64(len(p.Steps))
		step.Dependencies = h.Step(step.ID, explicit, step.Reads, step.Writes)
		p.Steps = append(p.Steps, step)
	}
	for layer := 0; len(p.Steps) < steps; layer++ {
		for d := 0; d < s.Devices() && len(p.Steps) < steps; d++ {
			device, next := s.DeviceID(d), (d+1)%s.Devices()
			add(plan.Step{Participants: world[d : d+1], Reads: []string{device + ".w", device + ".in"}, Writes: []string{device + ".kv", device + ".out"},
				Operation: plan.Operation{Kind: plan.Compute, DeviceID: device, Capability: topology.Attention, DurationNs: 100 + int64(d%7)}})
			add(plan.Step{Participants: []string{world[d], world[next]}, Reads: []string{device + ".out"}, Writes: []string{s.DeviceID(next) + ".in"},
				Operation: plan.Operation{Kind: plan.Transfer, LinkID: s.LinkID(d, next), DurationNs: 30}})
		}
		if layer%8 == 7 {
			step := plan.Step{Participants: world, Reads: []string{s.DeviceID(0) + ".w"}, Writes: []string{},
				Operation: plan.Operation{Kind: plan.Collective, GroupID: "world", CommSequenceID: collectives, Algorithm: plan.AllReduceRing, LinkIDs: ring, DurationNs: 50}}
			if last >= 0 {
				add(step, last)
			} else {
				add(step)
			}
			collectives++
			last = int64(len(p.Steps) - 1)
		}
	}
	return p
}

// Describe prints a plan compactly for the message of a failing property.
func Describe(p *plan.Plan) string {
	out := p.ExecutionID + ":"
	for i, s := range p.Steps {
		out += fmt.Sprintf("\n  [%d] id %d %s d=%d ranks %v deps %v reads %v writes %v", i, s.ID, s.Operation.Kind, s.Operation.DurationNs,
			s.Participants, s.Dependencies, s.Reads, s.Writes)
	}
	return out
}
