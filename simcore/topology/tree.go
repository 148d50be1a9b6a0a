package topology

import (
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// document builds the scenario's document in schema order.
func (s *Spec) document() canonical.Object {
	o := canonical.Object{
		{Key: "schemaVersion", Value: s.SchemaVersion},
		{Key: "id", Value: s.ID},
		{Key: "family", Value: string(s.Family)},
		{Key: "memoryDomains", Value: trees(s.MemoryDomains, (*MemoryDomain).tree)},
		{Key: "devices", Value: trees(s.Devices, (*Device).tree)},
	}
	if s.HasNetworkResources || len(s.NetworkResources) > 0 {
		o = append(o, canonical.Member{Key: "networkResources", Value: trees(s.NetworkResources, (*NetworkResource).tree)})
	}
	return append(o, canonical.Object{
		{Key: "links", Value: trees(s.Links, (*Link).tree)},
		{Key: "placements", Value: trees(s.Placements, (*Placement).tree)},
		{Key: "transfers", Value: trees(s.Transfers, (*Transfer).tree)},
		{Key: "groups", Value: trees(s.Groups, (*Group).tree)},
		{Key: "workload", Value: s.Workload.tree()},
		{Key: "execution", Value: s.Execution.tree()},
		{Key: "calibration", Value: canonical.Object{
			{Key: "coefficients", Value: trees(s.Calibration, (*Coefficient).tree)},
		}},
	}...)
}

func trees[T any](items []T, tree func(*T) canonical.Object) []any {
	list := make([]any, len(items))
	for i := range items {
		list[i] = tree(&items[i])
	}
	return list
}

// list turns texts of one vocabulary into a list of strings.
func list[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

func (d *MemoryDomain) tree() canonical.Object {
	return canonical.Object{
		{Key: "id", Value: d.ID},
		{Key: "nodeId", Value: d.NodeID},
		{Key: "kind", Value: string(d.Kind)},
		{Key: "capacityBytes", Value: d.CapacityBytes},
		{Key: "resourceLimitBytes", Value: d.ResourceLimitBytes},
		{Key: "bandwidthBytesPerSec", Value: d.BandwidthBytesPerSec},
		{Key: "latencyNs", Value: d.LatencyNs},
		{Key: "coherent", Value: d.Coherent},
		{Key: "allocationClasses", Value: list(d.AllocationClasses)},
		{Key: "accessibleBy", Value: list(d.AccessibleBy)},
		{Key: "governor", Value: d.Governor.tree()},
		{Key: "provenance", Value: provenanceTree(&d.Provenance)},
	}
}

func (g *Governor) tree() canonical.Object {
	o := canonical.Object{{Key: "kind", Value: string(g.Kind)}}
	switch g.Kind {
	case HostGovernor:
		o = append(o, canonical.Member{Key: "nodeId", Value: g.NodeID})
	case DeviceGovernor:
		o = append(o, canonical.Member{Key: "deviceId", Value: g.DeviceID})
	}
	return o
}

func provenanceTree(p *evidence.Provenance) canonical.Object {
	o := canonical.Object{
		{Key: "confidence", Value: string(p.Confidence)},
		{Key: "source", Value: p.Source},
	}
	o = optionalText(o, "measuredAt", p.MeasuredAt)
	return optionalText(o, "notes", p.Notes)
}

// optionalText adds a text that is present when it is not empty.
func optionalText(o canonical.Object, key, text string) canonical.Object {
	if text == "" {
		return o
	}
	return append(o, canonical.Member{Key: key, Value: text})
}

func (d *Device) tree() canonical.Object {
	o := canonical.Object{
		{Key: "id", Value: d.ID},
		{Key: "nodeId", Value: d.NodeID},
		{Key: "kind", Value: string(d.Kind)},
		{Key: "executionProvider", Value: d.ExecutionProvider},
		{Key: "memoryDomainIds", Value: list(d.MemoryDomainIDs)},
		{Key: "capabilities", Value: list(d.Capabilities)},
		{Key: "supportedDtypes", Value: list(d.SupportedDtypes)},
	}
	o = optionalText(o, "computeProfileId", d.ComputeProfileID)
	if d.HasCustomPeaks || len(d.CustomComputePeaks) > 0 {
		o = append(o, canonical.Member{Key: "customComputePeaks", Value: trees(d.CustomComputePeaks, (*ComputePeak).tree)})
	}
	return append(o,
		canonical.Member{Key: "maxConcurrentCompute", Value: d.MaxConcurrentCompute},
		canonical.Member{Key: "provenance", Value: provenanceTree(&d.Provenance)},
	)
}

func (p *ComputePeak) tree() canonical.Object {
	return canonical.Object{
		{Key: "dtype", Value: p.Dtype},
		{Key: "operationsPerSecond", Value: p.OperationsPerSecond},
	}
}

func (r *NetworkResource) tree() canonical.Object {
	o := canonical.Object{
		{Key: "id", Value: r.ID},
		{Key: "kind", Value: string(r.Kind)},
	}
	o = optionalText(o, "nodeId", r.NodeID)
	return append(o, canonical.Object{
		{Key: "bandwidthBytesPerSec", Value: r.BandwidthBytesPerSec},
		{Key: "latencyNs", Value: r.LatencyNs},
		{Key: "concurrencyLanes", Value: r.ConcurrencyLanes},
		{Key: "supportedTransports", Value: list(r.SupportedTransports)},
		{Key: "directMemoryDomainIds", Value: list(r.DirectMemoryDomainIDs)},
		{Key: "provenance", Value: provenanceTree(&r.Provenance)},
	}...)
}

func (l *Link) tree() canonical.Object {
	o := canonical.Object{
		{Key: "id", Value: l.ID},
		{Key: "sourceDomainId", Value: l.SourceDomainID},
		{Key: "targetDomainId", Value: l.TargetDomainID},
		{Key: "kind", Value: string(l.Kind)},
		{Key: "bandwidthBytesPerSec", Value: l.BandwidthBytesPerSec},
		{Key: "latencyNs", Value: l.LatencyNs},
		{Key: "concurrencyLanes", Value: l.ConcurrencyLanes},
	}
	o = optionalText(o, "transport", string(l.Transport))
	if l.HasNetworkResourceIDs || len(l.NetworkResourceIDs) > 0 {
		o = append(o, canonical.Member{Key: "networkResourceIds", Value: list(l.NetworkResourceIDs)})
	}
	return append(o, canonical.Member{Key: "provenance", Value: provenanceTree(&l.Provenance)})
}

func (p *Placement) tree() canonical.Object {
	o := canonical.Object{
		{Key: "partitionId", Value: p.PartitionID},
		{Key: "deviceId", Value: p.DeviceID},
		{Key: "requiredCapabilities", Value: list(p.RequiredCapabilities)},
		{Key: "allocations", Value: trees(p.Allocations, (*Allocation).tree)},
	}
	if p.HasShared || len(p.SharedAllocationIDs) > 0 {
		o = append(o, canonical.Member{Key: "sharedAllocationIds", Value: list(p.SharedAllocationIDs)})
	}
	return o
}

func (a *Allocation) tree() canonical.Object {
	return canonical.Object{
		{Key: "physicalAllocationId", Value: a.PhysicalAllocationID},
		{Key: "domainId", Value: a.DomainID},
		{Key: "bytes", Value: a.Bytes},
		{Key: "allocationClass", Value: string(a.AllocationClass)},
		{Key: "purpose", Value: string(a.Purpose)},
	}
}

func (t *Transfer) tree() canonical.Object {
	return canonical.Object{
		{Key: "id", Value: t.ID},
		{Key: "sourceDomainId", Value: t.SourceDomainID},
		{Key: "targetDomainId", Value: t.TargetDomainID},
		{Key: "bytes", Value: t.Bytes},
		{Key: "requiresPinnedStaging", Value: t.RequiresPinnedStaging},
		{Key: "stagingAllocationIds", Value: list(t.StagingAllocationIDs)},
	}
}

func (g *Group) tree() canonical.Object {
	return canonical.Object{
		{Key: "id", Value: g.ID},
		{Key: "orderedRanks", Value: trees(g.OrderedRanks, (*Rank).tree)},
	}
}

func (r *Rank) tree() canonical.Object {
	return canonical.Object{
		{Key: "rankId", Value: r.RankID},
		{Key: "deviceId", Value: r.DeviceID},
	}
}

func (w *Workload) tree() canonical.Object {
	o := canonical.Object{
		{Key: "batchSize", Value: w.BatchSize},
		{Key: "inputSequenceLength", Value: w.InputSequenceLength},
		{Key: "outputSequenceLength", Value: w.OutputSequenceLength},
	}
	if w.Speculative != nil {
		o = append(o, canonical.Member{Key: "speculative", Value: canonical.Object{
			{Key: "family", Value: w.Speculative.Family},
			{Key: "maxAdditionalTokens", Value: w.Speculative.MaxAdditionalTokens},
		}})
	}
	return o
}

func (e *Execution) tree() canonical.Object {
	return canonical.Object{
		{Key: "topologyEpoch", Value: e.TopologyEpoch},
		{Key: "seed", Value: e.Seed},
		{Key: "maxEvents", Value: e.MaxEvents},
		{Key: "features", Value: canonical.Object{{Key: "ssdStreaming", Value: e.SSDStreaming}}},
		{Key: "parallelism", Value: canonical.Object{
			{Key: "composition", Value: string(e.Parallelism.Composition)},
			{Key: "tensor", Value: e.Parallelism.Tensor},
			{Key: "pipeline", Value: e.Parallelism.Pipeline},
			{Key: "expert", Value: e.Parallelism.Expert},
			{Key: "data", Value: e.Parallelism.Data},
		}},
	}
}

func (c *Coefficient) tree() canonical.Object {
	return canonical.Object{
		{Key: "id", Value: c.ID},
		{Key: "value", Value: c.Value},
		{Key: "unit", Value: c.Unit},
		{Key: "provenance", Value: provenanceTree(&c.Provenance)},
	}
}
