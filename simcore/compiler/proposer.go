package compiler

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// propose emits the unit's proposer step (contract 06 sections 5.2 and 8.1).
func (u *unitCompiler) propose(after []int64) (int64, error) {
	if u.unit.ProposerExecution == workload.CPULookup {
		return u.lookup(after)
	}
	p := u.drafter()
	if p == nil {
		return 0, u.noProposer(topology.Draft)
	}
	ns, err := u.proposerNs(p.device.Kind, topology.Draft)
	if err != nil {
		return 0, err
	}
	return u.compute(p, computeOperation(topology.Draft, ns), after, "")
}

func (u *unitCompiler) noProposer(c topology.Capability) error {
	execution := u.unit.ProposerExecution
	if execution == "" {
		execution = workload.SeparateModel
	}
	return issue.New("no_proposer", "", "scenario %s has no device that can run a %s proposer (capability %s)",
		u.machine.spec.ID, execution, c)
}

func (u *unitCompiler) proposerNs(kind topology.DeviceKind, c topology.Capability) (int64, error) {
	items, err := u.product(u.unit.DraftTokens, u.profile.BatchSize)
	if err != nil {
		return 0, err
	}
	scale := u.unit.ProposerCostScale
	if scale == 0 {
		scale = 1
	}
	return u.model.ProposerNs(kind, c, items, scale)
}

// drafter is the placement on which the unit's execution class drafts, or nil.
func (u *unitCompiler) drafter() *placement {
	m := u.machine
	drafts := func(p *placement) bool { return offers(p.device, topology.Draft) }
	switch u.unit.ProposerExecution {
	case workload.SidecarExecution, workload.SharedKVAssistant:
		if p := first(m.targets, func(p *placement) bool { return p.attention && drafts(p) }); p != nil {
			return p
		}
	case workload.TargetEarlyExit:
	default:
		for i := range m.placements {
			if m.placements[i].draft {
				return &m.placements[i]
			}
		}
	}
	return first(m.targets, drafts)
}

func first(placements []*placement, ok func(*placement) bool) *placement {
	if i := slices.IndexFunc(placements, ok); i >= 0 {
		return placements[i]
	}
	return nil
}

// lookup emits a host lookup: the first CPU that offers it writes the first
// staging or workspace buffer in one of its memories, and reads nothing.
func (u *unitCompiler) lookup(after []int64) (int64, error) {
	device, buffer := u.machine.lookupHost()
	if device == nil || buffer == "" {
		return 0, u.noProposer(topology.Lookup)
	}
	ns, err := u.proposerNs(device.Kind, topology.Lookup)
	if err != nil {
		return 0, err
	}
	participants, err := u.machine.participants(device.ID)
	if err != nil {
		return 0, err
	}
	return u.add(after, participants, nil, []string{buffer}, plan.Operation{
		Kind: plan.Compute, DeviceID: device.ID, Capability: topology.Lookup, DurationNs: ns,
	})
}

func (m *machine) lookupHost() (*topology.Device, string) {
	at := slices.IndexFunc(m.spec.Devices, func(d topology.Device) bool {
		return d.Kind == topology.CPU && offers(&d, topology.Lookup)
	})
	if at < 0 {
		return nil, ""
	}
	device := &m.spec.Devices[at]
	for i := range m.spec.Placements {
		for j := range m.spec.Placements[i].Allocations {
			a := &m.spec.Placements[i].Allocations[j]
			if (a.Purpose == topology.Staging || a.Purpose == topology.Workspace) &&
				slices.Contains(device.MemoryDomainIDs, a.DomainID) {
				return device, a.PhysicalAllocationID
			}
		}
	}
	return device, ""
}
