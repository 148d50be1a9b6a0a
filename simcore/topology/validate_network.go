package topology

import "slices"

// link checks section 5.5.
func (v *validator) link(p place, l *Link) {
	enum(v, p, ".kind", l.Kind, linkKinds)
	v.provenance(p, &l.Provenance)
	source, target := v.domainByID(l.SourceDomainID), v.domainByID(l.TargetDomainID)
	if source == nil {
		v.issues.Add("unknown_domain", p.path(".sourceDomainId"), "there is no memory domain %q", l.SourceDomainID)
	}
	if target == nil {
		v.issues.Add("unknown_domain", p.path(".targetDomainId"), "there is no memory domain %q", l.TargetDomainID)
	}
	if l.SourceDomainID == l.TargetDomainID {
		v.issues.Add("self_link", p.path(""), "both ends of the link %q are %q", l.ID, l.SourceDomainID)
	}
	v.positive(p, ".bandwidthBytesPerSec", &l.BandwidthBytesPerSec)
	v.nonNegative(p, ".latencyNs", &l.LatencyNs)
	v.positive(p, ".concurrencyLanes", &l.ConcurrencyLanes)
	if l.Transport != "" {
		enum(v, p, ".transport", l.Transport, transports)
		if !l.Kind.IsNetwork() {
			v.issues.Add("invalid_transport_link", p.path(".transport"), "the transport %s needs an ethernet or infiniband link, found kind %s", l.Transport, l.Kind)
		}
	}
	distinct(v, p, ".networkResourceIds", l.NetworkResourceIDs)
	v.linkResources(p, l)
	if l.Transport != "" && source != nil && target != nil {
		v.networkPath(p, l, source, target)
	}
}

func (v *validator) linkResources(p place, l *Link) {
	for _, id := range l.NetworkResourceIDs {
		i, known := v.index.resources[id]
		switch {
		case !known:
			v.issues.Add("unknown_network_resource", p.path(".networkResourceIds"), "there is no network resource %q", id)
		case l.Transport != "" && !slices.Contains(v.spec.NetworkResources[i].SupportedTransports, l.Transport):
			v.issues.Add("unsupported_network_transport", p.path(".networkResourceIds"), "the resource %q does not support %s", id, l.Transport)
		}
	}
}

// networkPath checks section 8.2, where a transport may run.
func (v *validator) networkPath(p place, l *Link, source, target *MemoryDomain) {
	const code = "invalid_network_path"
	ends := [...]*MemoryDomain{source, target}
	if source.NodeID == target.NodeID {
		v.issues.Add(code, p.path(".transport"), "the transport %s connects two systems; both ends are on %q", l.Transport, source.NodeID)
	}
	if l.Transport == TCP || l.Transport == RDMAHost {
		for _, end := range ends {
			if end.Kind != HostMemory {
				v.issues.Add(code, p.path(".transport"), "the transport %s ends in host memory; %q is %s memory", l.Transport, end.ID, end.Kind)
			}
		}
	}
	if l.Transport == RDMAHost {
		for _, end := range ends {
			if !end.Offers(Pinned) {
				v.issues.Add(code, p.path(".transport"), "the transport rdma_host needs pinned memory; %q offers none", end.ID)
			}
		}
	}
	if l.Transport == GPUDirectRDMA {
		v.directPath(p, l, ends[:])
	}
}

// directPath checks that both ends of a GPUDirect link are device memory that a
// NIC of the link itself reaches directly.
func (v *validator) directPath(p place, l *Link, ends []*MemoryDomain) {
	const code = "invalid_network_path"
	stop := false
	for _, end := range ends {
		if end.Kind != DeviceMemory {
			v.issues.Add(code, p.path(".transport"), "the transport gpudirect_rdma ends in device memory; %q is %s memory", end.ID, end.Kind)
			stop = true
		}
	}
	if stop {
		return
	}
	for _, end := range ends {
		if !v.reachesDirectly(l, end) {
			v.issues.Add(code, p.path(".networkResourceIds"), "no NIC of node %q on this link has direct access to %q", end.NodeID, end.ID)
			return
		}
	}
}

func (v *validator) reachesDirectly(l *Link, end *MemoryDomain) bool {
	for _, id := range l.NetworkResourceIDs {
		i, known := v.index.resources[id]
		if !known {
			continue
		}
		r := &v.spec.NetworkResources[i]
		if r.Kind == NIC && r.NodeID == end.NodeID && slices.Contains(r.DirectMemoryDomainIDs, end.ID) {
			return true
		}
	}
	return false
}

// resource checks section 5.6.
func (v *validator) resource(p place, r *NetworkResource) {
	enum(v, p, ".kind", r.Kind, networkKinds)
	v.provenance(p, &r.Provenance)
	v.positive(p, ".bandwidthBytesPerSec", &r.BandwidthBytesPerSec)
	v.nonNegative(p, ".latencyNs", &r.LatencyNs)
	v.positive(p, ".concurrencyLanes", &r.ConcurrencyLanes)
	distinct(v, p, ".supportedTransports", r.SupportedTransports)
	enums(v, p, ".supportedTransports", r.SupportedTransports, transports)
	distinct(v, p, ".directMemoryDomainIds", r.DirectMemoryDomainIDs)
	if r.Kind == NIC {
		if r.NodeID == "" || !v.isNode(r.NodeID) {
			v.issues.Add("invalid_network_node", p.path(".nodeId"), "a nic stands on the node of some device or domain; %q is none", r.NodeID)
		}
	} else if r.NodeID != "" {
		v.issues.Add("invalid_network_node", p.path(".nodeId"), "only a nic stands on a node, found %q", r.NodeID)
	}
	for _, id := range r.DirectMemoryDomainIDs {
		switch domain := v.domainByID(id); {
		case domain == nil:
			v.issues.Add("unknown_domain", p.path(".directMemoryDomainIds"), "there is no memory domain %q", id)
		case r.Kind != NIC || domain.Kind != DeviceMemory || domain.NodeID != r.NodeID:
			v.issues.Add("invalid_direct_memory", p.path(".directMemoryDomainIds"), "%q is not device memory on the node of a nic", id)
		}
	}
}

// isNode reports whether some device or domain stands on the node.
func (v *validator) isNode(node string) bool {
	if v.nodes == nil {
		v.nodes = make(map[string]bool)
		for _, name := range nodesOf(v.spec) {
			v.nodes[name] = true
		}
	}
	return v.nodes[node]
}
