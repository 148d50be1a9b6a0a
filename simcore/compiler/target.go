package compiler

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// target emits the target forward of the unit along the path that the scenario's
// parallelism asks for and returns its terminal (contract 06 section 9).
func (u *unitCompiler) target(after []int64) (int64, error) {
	many := len(u.machine.targets) > 1
	switch {
	case u.machine.pipeline > 1:
		return u.pipelineStages(after)
	case u.unit.ExpertRouted && u.machine.expert > 1 && many:
		return u.expertParallel(after)
	case u.machine.tensor > 1 && many:
		return u.tensorParallel(after)
	}
	return u.onPlacement(u.machine.targets[0], 1, after)
}

// onPlacement runs the unit on one placement (section 9.1): its cache load, then
// attention and ffn in the order that the placement lists them. Shards divide the
// bytes of the load.
func (u *unitCompiler) onPlacement(p *placement, shards int64, after []int64) (int64, error) {
	load, err := u.cacheLoad(p, shards, after)
	if err != nil {
		return 0, err
	}
	penalty := load.penaltyNs
	step := int64(0)
	after = load.after
	for _, capability := range p.stages {
		ns, err := u.stageNs(p, capability)
		if err != nil {
			return 0, err
		}
		if ns, err = u.sum(ns, penalty); err != nil {
			return 0, err
		}
		hot := ""
		if capability == topology.FFN && u.unit.ExpertRouted {
			if hot, err = u.machine.hotCache(p); err != nil {
				return 0, err
			}
		}
		if step, err = u.compute(p, computeOperation(capability, ns), after, hot); err != nil {
			return 0, err
		}
		after, penalty = []int64{step}, 0
	}
	return step, nil
}

// stageNs prices attention or ffn of the unit outside expert owners: items over
// the shard degree of section 5.2, bounded below by the floors of a bound model.
func (u *unitCompiler) stageNs(p *placement, capability topology.Capability) (int64, error) {
	w := stageWork{placement: p, capability: capability, items: u.tokens, shards: u.machine.tensor, owned: 1, all: 1}
	if capability == topology.FFN {
		w.items = u.items
		if u.unit.ExpertRouted {
			w.shards = u.machine.expert
		}
	}
	return u.workNs(w)
}

// pipelineStages runs the target placements one after another and hands the
// activations on between their memories (section 9.2).
func (u *unitCompiler) pipelineStages(after []int64) (int64, error) {
	var step int64
	for i, p := range u.machine.targets {
		var err error
		if step, err = u.onPlacement(p, 1, after); err != nil {
			return 0, err
		}
		after = []int64{step}
		if i+1 == len(u.machine.targets) {
			break
		}
		if after, err = u.handOver(p, u.machine.targets[i+1], after); err != nil {
			return 0, err
		}
	}
	return step, nil
}

// handOver copies the unit's activations from one stage's workspace to the next.
func (u *unitCompiler) handOver(from, to *placement, after []int64) ([]int64, error) {
	bytes, err := u.product(u.model.ActivationBytesPerToken, u.tokens)
	if err != nil {
		return nil, err
	}
	moved, err := u.betweenWorkspaces(from, to, bytes, after)
	if err != nil || moved.empty() {
		return after, err
	}
	return []int64{moved.last}, nil
}

// betweenWorkspaces copies bytes from one placement's workspace domain to
// another's; the ranks of both devices take part.
func (u *unitCompiler) betweenWorkspaces(from, to *placement, bytes int64, after []int64) (copied, error) {
	_, source, err := u.machine.workspaceOf(from)
	if err != nil {
		return copied{}, err
	}
	_, target, err := u.machine.workspaceOf(to)
	if err != nil {
		return copied{}, err
	}
	sender, err := u.machine.participants(from.spec.DeviceID)
	if err != nil {
		return copied{}, err
	}
	receiver, err := u.machine.participants(to.spec.DeviceID)
	if err != nil {
		return copied{}, err
	}
	return u.copy(copyWork{
		source: source, target: target, bytes: bytes, after: after,
		participants: distinct(sender[0], receiver[0]),
	})
}

// tensorParallel runs every target placement side by side and joins them in one
// all-reduce (section 9.3).
func (u *unitCompiler) tensorParallel(after []int64) (int64, error) {
	shards := max(1, int64(len(u.machine.ffn)))
	ends := make([]int64, 0, len(u.machine.targets))
	for _, p := range u.machine.targets {
		end, err := u.onPlacement(p, shards, after)
		if err != nil {
			return 0, err
		}
		ends = append(ends, end)
	}
	g, err := u.machine.communicatorOf(u.machine.targets)
	if err != nil {
		return 0, err
	}
	return u.reduce(g, u.machine.targets, ends)
}

// reduce all-reduces the unit's tokens over a group, reading the workspaces of
// the given placements.
func (u *unitCompiler) reduce(g *communicator, placements []*placement, after []int64) (int64, error) {
	bytes, err := u.product(u.model.CollectiveBytesPerToken, u.tokens)
	if err != nil {
		return 0, err
	}
	reads, err := u.workspaces(placements)
	if err != nil {
		return 0, err
	}
	return u.allReduce(g, bytes, after, reads)
}

func (u *unitCompiler) workspaces(placements []*placement) ([]string, error) {
	ids := make([]string, 0, len(placements))
	for _, p := range placements {
		id, _, err := u.machine.workspaceOf(p)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// expertParallel runs attention tensor-parallel, sends every token to the owners
// of its experts, computes there and gathers the results (section 9.4).
func (u *unitCompiler) expertParallel(after []int64) (int64, error) {
	m := u.machine
	if int64(len(m.attention)) != m.tensor || int64(len(m.ffn)) != m.expert {
		return 0, issue.New("parallel_degrees", "",
			"scenario %s has %d attention placements for tensor degree %d and %d ffn placements for expert degree %d",
			m.spec.ID, len(m.attention), m.tensor, len(m.ffn), m.expert)
	}
	g, err := m.communicatorOf(m.targets)
	if err != nil {
		return 0, err
	}
	attended, err := u.attend(after)
	if err != nil {
		return 0, err
	}
	reduced, err := u.reduce(g, m.attention, attended)
	if err != nil {
		return 0, err
	}
	return u.dispatchAndGather(g, reduced)
}

func (u *unitCompiler) attend(after []int64) ([]int64, error) {
	steps := make([]int64, 0, len(u.machine.attention))
	for _, p := range u.machine.attention {
		ns, err := u.stageNs(p, topology.Attention)
		if err != nil {
			return nil, err
		}
		step, err := u.compute(p, computeOperation(topology.Attention, ns), after, "")
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func (u *unitCompiler) dispatchAndGather(g *communicator, reduced int64) (int64, error) {
	traffic, err := u.traffic(g)
	if err != nil {
		return 0, err
	}
	bytes, err := u.product(u.model.ActivationBytesPerToken, u.items)
	if err != nil {
		return 0, err
	}
	reads, err := u.workspaces(u.machine.attention)
	if err != nil {
		return 0, err
	}
	dispatch, err := u.allToAll(g, bytes, traffic, []int64{reduced}, reads)
	if err != nil {
		return 0, err
	}
	steps, active, err := u.ownersCompute(dispatch)
	if err != nil {
		return 0, err
	}
	if len(active) == 0 {
		return 0, issue.New("no_owned_assignment", "", "unit %s: no ffn placement owns any of its experts", u.unit.ID)
	}
	if reads, err = u.workspaces(active); err != nil {
		return 0, err
	}
	return u.allToAll(g, bytes, traffic.Transpose(), steps, distinct(reads...))
}

// ownersCompute loads and runs the assignments of every owner, in placement
// order, after the dispatch. It returns the steps and the owners that had work.
func (u *unitCompiler) ownersCompute(dispatch int64) ([]int64, []*placement, error) {
	var steps []int64
	var active []*placement
	for _, p := range u.machine.ffn {
		owned, err := u.ownedBy(p)
		if err != nil {
			return nil, nil, err
		}
		if owned == 0 {
			continue
		}
		step, err := u.ownerCompute(p, owned, dispatch)
		if err != nil {
			return nil, nil, err
		}
		steps, active = append(steps, step), append(active, p)
	}
	return steps, active, nil
}

func (u *unitCompiler) ownerCompute(p *placement, owned, dispatch int64) (int64, error) {
	load, err := u.routedLoad(p, 1, []int64{dispatch})
	if err != nil {
		return 0, err
	}
	ns, err := u.workNs(stageWork{
		placement: p, capability: topology.FFN, items: owned, shards: 1,
		owned: owned, all: int64(len(u.unit.RoutedExperts)),
	})
	if err != nil {
		return 0, err
	}
	if ns, err = u.sum(ns, load.penaltyNs); err != nil {
		return 0, err
	}
	hot, err := u.machine.hotCache(p)
	if err != nil {
		return 0, err
	}
	return u.compute(p, plan.Operation{Capability: topology.FFN, DurationNs: ns}, load.after, hot)
}
