package topology

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/hardware"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Projection is the graph that every view of a scenario is drawn from (contract 02
// section 15): systems with their devices, memories and adapters, and a directed
// edge for every access and every link segment. It holds no layout.
type Projection struct {
	SchemaVersion int64
	ScenarioID    string
	TopologyEpoch int64
	Nodes         []ProjectedNode
	Edges         []ProjectedEdge
}

// NodeCategory says what a projected node stands for.
type NodeCategory string

// The four categories of nodes.
const (
	SystemNode  NodeCategory = "system"
	DeviceNode  NodeCategory = "device"
	MemoryNode  NodeCategory = "memory"
	NetworkNode NodeCategory = "network"
)

// ProjectedNode is one node. The pointer of its category is set, nil for systems;
// the items belong to the scenario and must not be changed.
type ProjectedNode struct {
	ID       string
	Category NodeCategory
	Kind     string
	Title    string
	NodeID   string // empty for switches without a node
	ParentID string // the system node, empty for systems and for switches

	DeviceCount, MemoryDomainCount, NetworkAdapterCount int // of a system

	Device  *Device
	Memory  *MemoryDomain
	Network *NetworkResource
	Enabled bool // of a memory, as in the ledger

	ComputeModel string // of a device bound to a profile: the profile's model
}

// ProjectedEdge is one directed edge: an access when Link is nil, else one segment
// of that link.
type ProjectedEdge struct {
	ID             string
	Kind           string
	Source, Target string
	InterNode      bool

	Local bool // of an access: the domain's governor is the device

	Link                       *Link
	SegmentIndex, SegmentCount int
	ReverseLinkID              string // empty: no link runs back alike
	Labelled                   bool   // the performance label is shown on this segment
}

// Projection computes the projection. It is a pure function of the scenario.
func (s *Scenario) Projection() *Projection {
	p := &Projection{SchemaVersion: SchemaVersion, ScenarioID: s.spec.ID, TopologyEpoch: s.spec.Execution.TopologyEpoch}
	systems := s.systems()
	for _, node := range systems {
		p.Nodes = append(p.Nodes, s.projectSystem(node)...)
	}
	p.Nodes = append(p.Nodes, s.projectNetwork("")...)
	p.Edges = append(s.projectAccess(), s.projectLinks()...)
	return p
}

// systems lists the nodes of devices, domains and network resources.
func (s *Scenario) systems() []string {
	nodes := nodesOf(s.spec)
	for i := range s.spec.NetworkResources {
		if node := s.spec.NetworkResources[i].NodeID; node != "" {
			nodes = append(nodes, node)
		}
	}
	quantity.SortIDs(nodes)
	return slices.Compact(nodes)
}

func (s *Scenario) projectSystem(node string) []ProjectedNode {
	parent := "system:" + node
	var devices, memories []ProjectedNode
	for i := range s.spec.Devices {
		if d := &s.spec.Devices[i]; d.NodeID == node {
			n := ProjectedNode{ID: d.ID, Category: DeviceNode, Kind: string(d.Kind), Title: d.ID, NodeID: node, ParentID: parent, Device: d}
			if profile, known := hardware.ProfileByID(d.ComputeProfileID); known {
				n.ComputeModel = profile.Model
			}
			devices = append(devices, n)
		}
	}
	for i := range s.spec.MemoryDomains {
		if d := &s.spec.MemoryDomains[i]; d.NodeID == node {
			memories = append(memories, ProjectedNode{ID: d.ID, Category: MemoryNode, Kind: string(d.Kind), Title: d.ID,
				NodeID: node, ParentID: parent, Memory: d, Enabled: s.DomainEnabled(d)})
		}
	}
	network := s.projectNetwork(node)
	system := ProjectedNode{ID: parent, Category: SystemNode, Kind: "system", Title: node, NodeID: node,
		DeviceCount: len(devices), MemoryDomainCount: len(memories), NetworkAdapterCount: len(network)}
	byID := func(a, b ProjectedNode) int { return quantity.CompareIDs(a.ID, b.ID) }
	slices.SortStableFunc(devices, byID)
	slices.SortStableFunc(memories, byID)
	return slices.Concat([]ProjectedNode{system}, devices, memories, network)
}

// projectNetwork lists the network resources of a node, or those without one.
func (s *Scenario) projectNetwork(node string) []ProjectedNode {
	var nodes []ProjectedNode
	for i := range s.spec.NetworkResources {
		r := &s.spec.NetworkResources[i]
		if r.NodeID != node {
			continue
		}
		n := ProjectedNode{ID: r.ID, Category: NetworkNode, Kind: string(r.Kind), Title: r.ID, NodeID: node, Network: r}
		if node != "" {
			n.ParentID = "system:" + node
		}
		nodes = append(nodes, n)
	}
	slices.SortStableFunc(nodes, func(a, b ProjectedNode) int { return quantity.CompareIDs(a.ID, b.ID) })
	return nodes
}

func (s *Scenario) projectAccess() []ProjectedEdge {
	var edges []ProjectedEdge
	for i := range s.spec.Devices {
		d := &s.spec.Devices[i]
		for _, id := range d.MemoryDomainIDs {
			domain := s.Domain(id)
			edges = append(edges, ProjectedEdge{
				ID: "access:" + d.ID + ":" + id, Kind: "memory_access", Source: d.ID, Target: id,
				InterNode: d.NodeID != domain.NodeID,
				Local:     domain.Governor.Kind == DeviceGovernor && domain.Governor.DeviceID == d.ID,
			})
		}
	}
	return edges
}

func (s *Scenario) projectLinks() []ProjectedEdge {
	type ends struct{ source, target string }
	between := make(map[ends][]int)
	for i := range s.spec.Links {
		l := &s.spec.Links[i]
		between[ends{l.SourceDomainID, l.TargetDomainID}] = append(between[ends{l.SourceDomainID, l.TargetDomainID}], i)
	}
	var edges []ProjectedEdge
	for i := range s.spec.Links {
		l := &s.spec.Links[i]
		reverse := s.reverseOf(l, between[ends{l.TargetDomainID, l.SourceDomainID}])
		stops := slices.Concat([]string{l.SourceDomainID}, l.NetworkResourceIDs, []string{l.TargetDomainID})
		segments := len(stops) - 1
		for k := range segments {
			e := ProjectedEdge{ID: l.ID, Kind: string(l.Kind), Source: stops[k], Target: stops[k+1],
				InterNode: s.Domain(l.SourceDomainID).NodeID != s.Domain(l.TargetDomainID).NodeID,
				Link:      l, SegmentIndex: k, SegmentCount: segments,
				Labelled: k == (segments-1)/2 && (reverse < 0 || reverse > i)}
			if segments > 1 {
				e.ID = l.ID + ":path:" + decimal(k)
			}
			if reverse >= 0 {
				e.ReverseLinkID = s.spec.Links[reverse].ID
			}
			edges = append(edges, e)
		}
	}
	return edges
}

// reverseOf is the position of the first of the links that run back which is
// alike, or -1.
func (s *Scenario) reverseOf(l *Link, back []int) int {
	for _, i := range back {
		o := &s.spec.Links[i]
		if o.Kind == l.Kind && o.BandwidthBytesPerSec == l.BandwidthBytesPerSec && o.LatencyNs == l.LatencyNs &&
			o.ConcurrencyLanes == l.ConcurrencyLanes && o.Transport == l.Transport &&
			sameSet(o.NetworkResourceIDs, l.NetworkResourceIDs) {
			return i
		}
	}
	return -1
}

// sameSet compares lists of unique ids without regard to order.
func sameSet(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id string) bool { return !slices.Contains(b, id) })
}

// Touches reports whether the edge has id as an end, as an end of its link, or as
// one of its link's network resources.
func (e *ProjectedEdge) Touches(id string) bool {
	if e.Source == id || e.Target == id {
		return true
	}
	return e.Link != nil && (e.Link.SourceDomainID == id || e.Link.TargetDomainID == id ||
		slices.Contains(e.Link.NetworkResourceIDs, id))
}

// Object is the projection as in documents.
func (p *Projection) Object() canonical.Object {
	return canonical.Object{
		{Key: "schemaVersion", Value: p.SchemaVersion},
		{Key: "scenarioId", Value: p.ScenarioID},
		{Key: "topologyEpoch", Value: p.TopologyEpoch},
		{Key: "nodes", Value: trees(p.Nodes, (*ProjectedNode).tree)},
		{Key: "edges", Value: trees(p.Edges, (*ProjectedEdge).tree)},
	}
}

func (n *ProjectedNode) tree() canonical.Object {
	o := canonical.Object{
		{Key: "id", Value: n.ID},
		{Key: "category", Value: string(n.Category)},
		{Key: "kind", Value: n.Kind},
		{Key: "title", Value: n.Title},
	}
	o = optionalText(o, "nodeId", n.NodeID)
	o = optionalText(o, "parentId", n.ParentID)
	switch n.Category {
	case SystemNode:
		return append(o, canonical.Object{
			{Key: "deviceCount", Value: n.DeviceCount},
			{Key: "memoryDomainCount", Value: n.MemoryDomainCount},
			{Key: "networkAdapterCount", Value: n.NetworkAdapterCount},
		}...)
	case DeviceNode:
		return append(o, n.deviceTree()...)
	case MemoryNode:
		return append(o, canonical.Object{
			{Key: "enabled", Value: n.Enabled},
			{Key: "capacityBytes", Value: n.Memory.CapacityBytes},
			{Key: "resourceLimitBytes", Value: n.Memory.ResourceLimitBytes},
			{Key: "bandwidthBytesPerSec", Value: n.Memory.BandwidthBytesPerSec},
			{Key: "latencyNs", Value: n.Memory.LatencyNs},
			{Key: "coherent", Value: n.Memory.Coherent},
		}...)
	}
	return append(o, canonical.Object{
		{Key: "bandwidthBytesPerSec", Value: n.Network.BandwidthBytesPerSec},
		{Key: "latencyNs", Value: n.Network.LatencyNs},
		{Key: "concurrencyLanes", Value: n.Network.ConcurrencyLanes},
		{Key: "supportedTransports", Value: list(n.Network.SupportedTransports)},
		{Key: "directMemoryDomainIds", Value: list(n.Network.DirectMemoryDomainIDs)},
	}...)
}

func (n *ProjectedNode) deviceTree() canonical.Object {
	o := canonical.Object{
		{Key: "executionProvider", Value: n.Device.ExecutionProvider},
		{Key: "maxConcurrentCompute", Value: n.Device.MaxConcurrentCompute},
		{Key: "capabilities", Value: list(n.Device.Capabilities)},
		{Key: "supportedDtypes", Value: list(n.Device.SupportedDtypes)},
	}
	switch {
	case n.Device.ComputeProfileID != "":
		return append(o, canonical.Object{
			{Key: "computeBinding", Value: "profile"},
			{Key: "computeProfileId", Value: n.Device.ComputeProfileID},
			{Key: "computeModel", Value: n.ComputeModel},
		}...)
	case n.Device.HasCustomPeaks:
		return append(o, canonical.Member{Key: "computeBinding", Value: "custom"})
	}
	return append(o, canonical.Member{Key: "computeBinding", Value: "none"})
}

func (e *ProjectedEdge) tree() canonical.Object {
	category, scope := "access", "intra-node"
	if e.Link != nil {
		category = "link"
	}
	if e.InterNode {
		scope = "inter-node"
	}
	o := canonical.Object{
		{Key: "id", Value: e.ID},
		{Key: "category", Value: category},
		{Key: "kind", Value: e.Kind},
		{Key: "source", Value: e.Source},
		{Key: "target", Value: e.Target},
		{Key: "scope", Value: scope},
	}
	if e.Link != nil {
		return append(o, e.linkTree()...)
	}
	relation := "accessible"
	if e.Local {
		relation = "local"
	}
	return append(o, canonical.Object{
		{Key: "memoryRelation", Value: relation},
		{Key: "dashed", Value: true},
	}...)
}

func (e *ProjectedEdge) linkTree() canonical.Object {
	l := e.Link
	o := canonical.Object{
		{Key: "linkId", Value: l.ID},
		{Key: "segmentIndex", Value: e.SegmentIndex},
		{Key: "segmentCount", Value: e.SegmentCount},
		{Key: "logicalSourceId", Value: l.SourceDomainID},
		{Key: "logicalTargetId", Value: l.TargetDomainID},
		{Key: "bandwidthBytesPerSec", Value: l.BandwidthBytesPerSec},
		{Key: "latencyNs", Value: l.LatencyNs},
		{Key: "concurrencyLanes", Value: l.ConcurrencyLanes},
	}
	o = optionalText(o, "transport", string(l.Transport))
	if l.HasNetworkResourceIDs {
		o = append(o, canonical.Member{Key: "networkResourceIds", Value: list(l.NetworkResourceIDs)})
	}
	o = append(o, canonical.Member{Key: "bidirectional", Value: e.ReverseLinkID != ""})
	o = optionalText(o, "reverseLinkId", e.ReverseLinkID)
	return append(o, canonical.Member{Key: "labelled", Value: e.Labelled})
}
