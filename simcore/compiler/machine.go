package compiler

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
)

// machine is what compilation needs of a scenario, resolved once (contract 06
// section 6). List orders are the scenario's declaration order.
type machine struct {
	spec       *topology.Spec
	placements []placement
	targets    []*placement // require attention or ffn
	attention  []*placement
	ffn        []*placement
	domains    map[string]*topology.MemoryDomain
	devices    map[string]*topology.Device
	ranks      map[string]deviceRank // by device
	groups     []communicator
	buffers    map[string]string // domain to its default transfer end, filled on demand
	tensor     int64
	expert     int64
	pipeline   int64
}

// placement is a partition with the buffers that its steps use.
type placement struct {
	spec   *topology.Placement
	device *topology.Device

	attention, ffn, draft bool
	stages                []topology.Capability // attention and ffn in the order that the placement lists them

	workspace string                 // first workspace allocation, empty when there is none
	domain    *topology.MemoryDomain // of the workspace

	reads  []string // weights
	writes []string // kv, workspace and sidecar
	caches []string // cache allocations in the workspace domain

	weightsDomain *topology.MemoryDomain // of the first weights allocation, nil when there is none
}

// deviceRank is the rank of a device; a device that groups know by two names has
// none.
type deviceRank struct {
	participants []string // the rank, alone
	other        string   // a second rank id, empty unless the device has two
}

// communicator is a group with the workspace domain of each rank.
type communicator struct {
	spec    *topology.Group
	ranks   []string
	domains []string // by rank; an empty text where no target placement stands on the device
}

func newMachine(s *topology.Scenario) *machine {
	spec := s.Spec()
	m := &machine{
		spec:     spec,
		domains:  make(map[string]*topology.MemoryDomain, len(spec.MemoryDomains)),
		devices:  make(map[string]*topology.Device, len(spec.Devices)),
		ranks:    make(map[string]deviceRank),
		buffers:  make(map[string]string),
		tensor:   spec.Execution.Parallelism.Tensor,
		expert:   spec.Execution.Parallelism.Expert,
		pipeline: spec.Execution.Parallelism.Pipeline,
	}
	for i := range spec.MemoryDomains {
		m.domains[spec.MemoryDomains[i].ID] = &spec.MemoryDomains[i]
	}
	for i := range spec.Devices {
		m.devices[spec.Devices[i].ID] = &spec.Devices[i]
	}
	m.resolvePlacements()
	m.resolveGroups()
	return m
}

func (m *machine) resolvePlacements() {
	m.placements = make([]placement, len(m.spec.Placements))
	for i := range m.placements {
		p := &m.placements[i]
		p.spec = &m.spec.Placements[i]
		p.device = m.devices[p.spec.DeviceID]
		m.resolvePlacement(p)
		if !p.attention && !p.ffn {
			continue
		}
		m.targets = append(m.targets, p)
		if p.attention {
			m.attention = append(m.attention, p)
		}
		if p.ffn {
			m.ffn = append(m.ffn, p)
		}
	}
}

func (m *machine) resolvePlacement(p *placement) {
	for _, c := range p.spec.RequiredCapabilities {
		switch c {
		case topology.Attention:
			p.attention = true
			p.stages = append(p.stages, c)
		case topology.FFN:
			p.ffn = true
			p.stages = append(p.stages, c)
		case topology.Draft:
			p.draft = true
		}
	}
	for i := range p.spec.Allocations {
		a := &p.spec.Allocations[i]
		switch a.Purpose {
		case topology.Weights:
			p.reads = append(p.reads, a.PhysicalAllocationID)
			if p.weightsDomain == nil {
				p.weightsDomain = m.domains[a.DomainID]
			}
		case topology.Workspace:
			if p.workspace == "" {
				p.workspace, p.domain = a.PhysicalAllocationID, m.domains[a.DomainID]
			}
			p.writes = append(p.writes, a.PhysicalAllocationID)
		case topology.KV, topology.Sidecar:
			p.writes = append(p.writes, a.PhysicalAllocationID)
		}
	}
	for i := range p.spec.Allocations {
		a := &p.spec.Allocations[i]
		if a.Purpose == topology.Cache && p.domain != nil && a.DomainID == p.domain.ID {
			p.caches = append(p.caches, a.PhysicalAllocationID)
		}
	}
}

func (m *machine) resolveGroups() {
	m.groups = make([]communicator, len(m.spec.Groups))
	for i := range m.groups {
		g := &m.groups[i]
		g.spec = &m.spec.Groups[i]
		for _, r := range g.spec.OrderedRanks {
			g.ranks = append(g.ranks, r.RankID)
			domain := ""
			if p := m.firstTargetOn(r.DeviceID); p != nil && p.domain != nil {
				domain = p.domain.ID
			}
			g.domains = append(g.domains, domain)
			m.nameRank(r)
		}
	}
}

func (m *machine) nameRank(r topology.Rank) {
	known, ok := m.ranks[r.DeviceID]
	switch {
	case !ok:
		m.ranks[r.DeviceID] = deviceRank{participants: []string{r.RankID}}
	case known.participants[0] != r.RankID && known.other == "":
		known.other = r.RankID
		m.ranks[r.DeviceID] = known
	}
}

// participants returns the rank of a device as a participant list.
func (m *machine) participants(deviceID string) ([]string, error) {
	rank, ok := m.ranks[deviceID]
	switch {
	case !ok:
		return nil, issue.New("unranked_device", "", "device %s has a step but no rank in any communicator group of scenario %s",
			deviceID, m.spec.ID)
	case rank.other != "":
		return nil, issue.New("ambiguous_rank", "", "device %s is rank %s in one communicator group and %s in another",
			deviceID, rank.participants[0], rank.other)
	}
	return rank.participants, nil
}

func (m *machine) firstTargetOn(deviceID string) *placement {
	for _, p := range m.targets {
		if p.spec.DeviceID == deviceID {
			return p
		}
	}
	return nil
}

// workspaceOf refuses a placement without a workspace allocation.
func (m *machine) workspaceOf(p *placement) (string, *topology.MemoryDomain, error) {
	if p.workspace == "" {
		return "", nil, issue.New("missing_workspace", "", "placement %s of scenario %s has no workspace allocation",
			p.spec.PartitionID, m.spec.ID)
	}
	return p.workspace, p.domain, nil
}

// hotCache is the one cache allocation of a placement in its workspace domain.
func (m *machine) hotCache(p *placement) (string, error) {
	if len(p.caches) != 1 {
		return "", issue.New("hot_cache", "", "placement %s has %d cache allocations in its workspace domain; expert loads need exactly one",
			p.spec.PartitionID, len(p.caches))
	}
	return p.caches[0], nil
}

// warmDomain is where experts wait in host memory before they are copied to a
// target domain: the domain itself when it is host or unified memory, else the
// first host domain of its node.
func (m *machine) warmDomain(target *topology.MemoryDomain) (*topology.MemoryDomain, error) {
	if target.Kind == topology.HostMemory || target.Kind == topology.UnifiedMemory {
		return target, nil
	}
	if d := m.firstDomain(target.NodeID, topology.HostMemory); d != nil {
		return d, nil
	}
	return nil, issue.New("missing_warm_domain", "", "node %s of scenario %s has no host domain to hold warm experts for domain %s",
		target.NodeID, m.spec.ID, target.ID)
}

// storage is the first storage domain of a node.
func (m *machine) storage(nodeID string) (*topology.MemoryDomain, error) {
	if d := m.firstDomain(nodeID, topology.StorageMemory); d != nil {
		return d, nil
	}
	return nil, issue.New("missing_storage", "", "node %s of scenario %s has no storage domain", nodeID, m.spec.ID)
}

func (m *machine) firstDomain(nodeID string, kind topology.DomainKind) *topology.MemoryDomain {
	for i := range m.spec.MemoryDomains {
		d := &m.spec.MemoryDomains[i]
		if d.NodeID == nodeID && d.Kind == kind {
			return d
		}
	}
	return nil
}

// warmPool and backingStore name the expert allocations of a node. They are not
// looked up: a scenario that names them otherwise fails plan validation.
func warmPool(nodeID string) string     { return "expert-warm-cache:" + nodeID }
func backingStore(nodeID string) string { return "expert-backing:" + nodeID }

// buffer is the allocation that a transfer through a domain uses when none is
// given (contract 06 section 6.6).
func (m *machine) buffer(domainID string) (string, error) {
	if id, ok := m.buffers[domainID]; ok {
		return id, nil
	}
	id := m.findBuffer(domainID)
	if id == "" {
		return "", issue.New("missing_buffer", "", "domain %s of scenario %s has no allocation that a transfer could use", domainID, m.spec.ID)
	}
	m.buffers[domainID] = id
	return id, nil
}

func (m *machine) findBuffer(domainID string) string {
	for _, p := range m.targets {
		if p.domain != nil && p.domain.ID == domainID {
			return p.workspace
		}
	}
	var workspace, first string
	for i := range m.spec.Placements {
		for j := range m.spec.Placements[i].Allocations {
			a := &m.spec.Placements[i].Allocations[j]
			if a.DomainID != domainID {
				continue
			}
			if a.Purpose == topology.Staging {
				return a.PhysicalAllocationID
			}
			if workspace == "" && a.Purpose == topology.Workspace {
				workspace = a.PhysicalAllocationID
			}
			if first == "" {
				first = a.PhysicalAllocationID
			}
		}
	}
	if workspace != "" {
		return workspace
	}
	return first
}

// communicatorOf is the only group that has as many ranks as there are placements
// and whose every device carries one of them (contract 06 section 6.5).
func (m *machine) communicatorOf(placements []*placement) (*communicator, error) {
	var found *communicator
	for i := range m.groups {
		g := &m.groups[i]
		if !g.matches(placements) {
			continue
		}
		if found != nil {
			return nil, issue.New("ambiguous_communicator", "", "scenario %s: groups %s and %s both join the %d placements",
				m.spec.ID, found.spec.ID, g.spec.ID, len(placements))
		}
		found = g
	}
	if found == nil {
		return nil, issue.New("missing_communicator", "", "scenario %s: no communicator group joins exactly the %d placements",
			m.spec.ID, len(placements))
	}
	return found, nil
}

func (g *communicator) matches(placements []*placement) bool {
	if len(g.ranks) != len(placements) {
		return false
	}
	for _, r := range g.spec.OrderedRanks {
		if !slices.ContainsFunc(placements, func(p *placement) bool { return p.spec.DeviceID == r.DeviceID }) {
			return false
		}
	}
	return true
}

// rankOf is the index of a device in the group, or -1.
func (g *communicator) rankOf(deviceID string) int {
	return slices.IndexFunc(g.spec.OrderedRanks, func(r topology.Rank) bool { return r.DeviceID == deviceID })
}

func offers(d *topology.Device, c topology.Capability) bool {
	return slices.Contains(d.Capabilities, c)
}
