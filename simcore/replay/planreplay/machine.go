package planreplay

import (
	"github.com/inferlab/inferlab/simcore/topology"
)

// machine is the scenario as the checker reads it: which resources there are and
// which of them a link takes, and where ranks live.
type machine struct {
	spec *topology.Spec

	names  []string // resource ids
	limits []int64  // lanes of a resource
	byName map[string]int32

	computes    map[string]int32    // device id to its resource
	collectives map[string]int32    // group id to its resource
	linkUses    map[string][]int32  // link id to its resources
	members     map[string][]string // group id to its ranks in order
	rankHome    map[string]home
	buffers     map[string]int32 // allocation id to a dense number
}

// home is where a rank lives.
type home struct{ device, node string }

func newMachine(spec *topology.Spec) *machine {
	m := &machine{
		spec: spec, byName: make(map[string]int32),
		computes: make(map[string]int32), collectives: make(map[string]int32), linkUses: make(map[string][]int32),
		members: make(map[string][]string), rankHome: make(map[string]home), buffers: make(map[string]int32),
	}
	nodes := make(map[string]string, len(spec.Devices))
	for i := len(spec.Devices) - 1; i >= 0; i-- { // backwards: the first holder of an id stays
		nodes[spec.Devices[i].ID] = spec.Devices[i].NodeID
	}
	for i := range spec.Devices {
		m.computes[spec.Devices[i].ID] = m.declare("compute:"+spec.Devices[i].ID, spec.Devices[i].MaxConcurrentCompute)
	}
	for i := range spec.NetworkResources {
		m.declare("network:"+spec.NetworkResources[i].ID, spec.NetworkResources[i].ConcurrencyLanes)
	}
	for i := range spec.Links {
		m.readLink(&spec.Links[i])
	}
	for i := range spec.Groups {
		m.readGroup(&spec.Groups[i], nodes)
	}
	for i := range spec.Placements {
		for _, a := range spec.Placements[i].Allocations {
			if _, known := m.buffers[a.PhysicalAllocationID]; !known {
				m.buffers[a.PhysicalAllocationID] = int32(len(m.buffers))
			}
		}
	}
	return m
}

func (m *machine) declare(name string, lanes int64) int32 {
	if r, known := m.byName[name]; known {
		return r
	}
	r := int32(len(m.names))
	m.byName[name] = r
	m.names, m.limits = append(m.names, name), append(m.limits, lanes)
	return r
}

func (m *machine) readLink(l *topology.Link) {
	uses := []int32{m.declare("link:"+l.ID, l.ConcurrencyLanes)}
	for _, id := range l.NetworkResourceIDs {
		if r, known := m.byName["network:"+id]; known {
			uses = append(uses, r)
		}
	}
	if _, known := m.linkUses[l.ID]; !known {
		m.linkUses[l.ID] = uses
	}
}

func (m *machine) readGroup(g *topology.Group, nodes map[string]string) {
	m.collectives[g.ID] = m.declare("collective:"+g.ID, 1)
	if _, known := m.members[g.ID]; known {
		return
	}
	ranks := make([]string, 0, len(g.OrderedRanks))
	for _, r := range g.OrderedRanks {
		ranks = append(ranks, r.RankID)
		if _, known := m.rankHome[r.RankID]; !known {
			m.rankHome[r.RankID] = home{device: r.DeviceID, node: nodes[r.DeviceID]}
		}
	}
	m.members[g.ID] = ranks
}
