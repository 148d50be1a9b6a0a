package topology

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Sketch is a scenario that has passed the structural boundary and not yet the
// semantic rules.
type Sketch struct {
	spec *Spec

	// odd holds the true value of every number that is not a safe integer, by the
	// field that should hold it, so that semantic rules judge and name what the
	// file says. It is empty in every valid scenario.
	odd map[*int64]float64
}

// Spec returns the sketched scenario as plain data. Numbers that are not safe
// integers stand as zero in it.
func (d *Sketch) Spec() *Spec { return d.spec }

// Parse checks the structure of a decoded scenario (contract 02 section 4). It
// stops at the first failure, an *issue.Error with the path; nothing is coerced,
// filled in or dropped.
func Parse(doc document.Value) (*Sketch, error) {
	r := document.NewReader(doc, "")
	d := ReadSketch(r.Root())
	if err := r.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// ReadScenario parses and validates in one step; the error is that of Parse or of
// Sketch.Validate.
func ReadScenario(doc document.Value) (*Scenario, error) {
	d, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	return d.Validate()
}

// ReadSketch is Parse for a scenario within a larger document: failures are
// recorded by the cursor's Reader, under the cursor's path.
func ReadSketch(n document.Node) *Sketch {
	b := boundary{odd: make(map[*int64]float64)}
	spec := new(Spec)
	b.root(n, spec)
	return &Sketch{spec: spec, odd: b.odd}
}

// boundary reads nodes into a Spec. Slices are made at their full length before
// they are filled, because odd holds addresses of their fields.
type boundary struct{ odd map[*int64]float64 }

// The field lists of the closed objects, in schema order.
var (
	rootFields = []string{"schemaVersion", "id", "family", "memoryDomains", "devices", "links",
		"placements", "transfers", "groups", "workload", "execution", "calibration"}
	domainFields = []string{"id", "nodeId", "kind", "capacityBytes", "resourceLimitBytes", "bandwidthBytesPerSec",
		"latencyNs", "coherent", "allocationClasses", "accessibleBy", "governor", "provenance"}
	provenanceFields = []string{"confidence", "source"}
	deviceFields     = []string{"id", "nodeId", "kind", "executionProvider", "memoryDomainIds", "capabilities",
		"supportedDtypes", "maxConcurrentCompute", "provenance"}
	peakFields     = []string{"dtype", "operationsPerSecond"}
	resourceFields = []string{"id", "kind", "bandwidthBytesPerSec", "latencyNs", "concurrencyLanes",
		"supportedTransports", "directMemoryDomainIds", "provenance"}
	linkFields = []string{"id", "sourceDomainId", "targetDomainId", "kind", "bandwidthBytesPerSec", "latencyNs",
		"concurrencyLanes", "provenance"}
	placementFields  = []string{"partitionId", "deviceId", "requiredCapabilities", "allocations"}
	allocationFields = []string{"physicalAllocationId", "domainId", "bytes", "allocationClass", "purpose"}
	transferFields   = []string{"id", "sourceDomainId", "targetDomainId", "bytes", "requiresPinnedStaging",
		"stagingAllocationIds"}
	groupFields       = []string{"id", "orderedRanks"}
	rankFields        = []string{"rankId", "deviceId"}
	workloadFields    = []string{"batchSize", "inputSequenceLength", "outputSequenceLength"}
	speculativeFields = []string{"family", "maxAdditionalTokens"}
	executionFields   = []string{"topologyEpoch", "seed", "maxEvents", "features", "parallelism"}
	featureFields     = []string{"ssdStreaming"}
	parallelismFields = []string{"composition", "tensor", "pipeline", "expert", "data"}
	coefficientFields = []string{"id", "value", "unit", "provenance"}
)

func (b *boundary) root(n document.Node, s *Spec) {
	if !n.Closed(rootFields, "networkResources") {
		return
	}
	version := n.Get("schemaVersion")
	if v := version.Value(); v.Kind() != document.Number || v.Number() != float64(SchemaVersion) {
		version.Fail("schema_version", "expected 5, found %s", v.Describe())
		return
	}
	s.SchemaVersion = SchemaVersion
	s.ID = n.Get("id").NonEmpty()
	s.Family = Family(n.Get("family").NonEmpty())
	s.MemoryDomains = objects(n.Get("memoryDomains"), b.domain)
	s.Devices = objects(n.Get("devices"), b.device)
	if resources := n.Get("networkResources"); resources.Present() {
		s.HasNetworkResources = true
		s.NetworkResources = objects(resources, b.resource)
	}
	s.Links = objects(n.Get("links"), b.link)
	s.Placements = objects(n.Get("placements"), b.placement)
	s.Transfers = objects(n.Get("transfers"), b.transfer)
	s.Groups = objects(n.Get("groups"), b.group)
	b.workload(n.Get("workload"), &s.Workload)
	b.execution(n.Get("execution"), &s.Execution)
	calibration := n.Get("calibration")
	if calibration.Closed([]string{"coefficients"}) {
		s.Calibration = objects(calibration.Get("coefficients"), b.coefficient)
	}
}

// objects reads a list of objects: first that it is a list, then that every
// element is an object, then each element fully.
func objects[T any](n document.Node, read func(document.Node, *T)) []T {
	out := make([]T, n.Len())
	for _, item := range n.Items() {
		item.Object()
	}
	for i, item := range n.Items() {
		read(item, &out[i])
	}
	return out
}

// texts reads a list of strings of one vocabulary; empty elements are a semantic
// matter.
func texts[T ~string](n document.Node) []T {
	out := make([]T, 0, n.Len())
	for _, item := range n.Items() {
		out = append(out, T(item.Text()))
	}
	return out
}

// number reads a finite number into an integer field.
func (b *boundary) number(n document.Node, field *int64) {
	f := n.Number()
	if !n.OK() {
		return
	}
	i, ok := quantity.FromFloat(f)
	if !ok {
		b.odd[field] = f
	}
	*field = i
}

func (b *boundary) domain(n document.Node, d *MemoryDomain) {
	if !n.Closed(domainFields) {
		return
	}
	d.ID = n.Get("id").NonEmpty()
	d.NodeID = n.Get("nodeId").NonEmpty()
	d.Kind = DomainKind(n.Get("kind").NonEmpty())
	b.number(n.Get("capacityBytes"), &d.CapacityBytes)
	b.number(n.Get("resourceLimitBytes"), &d.ResourceLimitBytes)
	b.number(n.Get("bandwidthBytesPerSec"), &d.BandwidthBytesPerSec)
	b.number(n.Get("latencyNs"), &d.LatencyNs)
	d.Coherent = n.Get("coherent").Bool()
	d.AllocationClasses = texts[AllocationClass](n.Get("allocationClasses"))
	d.AccessibleBy = texts[string](n.Get("accessibleBy"))
	b.governor(n.Get("governor"), &d.Governor)
	b.provenance(n.Get("provenance"), &d.Provenance)
}

func (b *boundary) governor(n document.Node, g *Governor) {
	kind := n.Get("kind")
	g.Kind = GovernorKind(kind.NonEmpty())
	if !n.OK() {
		return
	}
	switch g.Kind {
	case HostGovernor:
		if n.Closed([]string{"kind", "nodeId"}) {
			g.NodeID = n.Get("nodeId").NonEmpty()
		}
	case DeviceGovernor:
		if n.Closed([]string{"kind", "deviceId"}) {
			g.DeviceID = n.Get("deviceId").NonEmpty()
		}
	case NoGovernor:
		n.Closed([]string{"kind"})
	default:
		kind.Fail("governor_kind", "expected host, device or none, found %q", g.Kind)
	}
}

func (b *boundary) provenance(n document.Node, p *evidence.Provenance) {
	if !n.Closed(provenanceFields, "measuredAt", "notes") {
		return
	}
	p.Confidence = evidence.Class(n.Get("confidence").NonEmpty())
	p.Source = n.Get("source").NonEmpty()
	p.MeasuredAt = optional(n.Get("measuredAt"))
	p.Notes = optional(n.Get("notes"))
}

// optional reads a text that may be absent and is not empty when present.
func optional(n document.Node) string {
	if !n.Present() {
		return ""
	}
	return n.NonEmpty()
}

func (b *boundary) device(n document.Node, d *Device) {
	if !n.Closed(deviceFields, "computeProfileId", "customComputePeaks") {
		return
	}
	d.ID = n.Get("id").NonEmpty()
	d.NodeID = n.Get("nodeId").NonEmpty()
	d.Kind = DeviceKind(n.Get("kind").NonEmpty())
	d.ExecutionProvider = n.Get("executionProvider").NonEmpty()
	d.MemoryDomainIDs = texts[string](n.Get("memoryDomainIds"))
	d.Capabilities = texts[Capability](n.Get("capabilities"))
	d.SupportedDtypes = texts[string](n.Get("supportedDtypes"))
	d.ComputeProfileID = optional(n.Get("computeProfileId"))
	if peaks := n.Get("customComputePeaks"); peaks.Present() {
		d.HasCustomPeaks = true
		d.CustomComputePeaks = objects(peaks, b.peak)
	}
	b.number(n.Get("maxConcurrentCompute"), &d.MaxConcurrentCompute)
	b.provenance(n.Get("provenance"), &d.Provenance)
}

func (b *boundary) peak(n document.Node, p *ComputePeak) {
	if !n.Closed(peakFields) {
		return
	}
	p.Dtype = n.Get("dtype").NonEmpty()
	p.OperationsPerSecond = n.Get("operationsPerSecond").Number()
}

func (b *boundary) resource(n document.Node, r *NetworkResource) {
	if !n.Closed(resourceFields, "nodeId") {
		return
	}
	r.ID = n.Get("id").NonEmpty()
	r.Kind = NetworkKind(n.Get("kind").NonEmpty())
	r.NodeID = optional(n.Get("nodeId"))
	b.number(n.Get("bandwidthBytesPerSec"), &r.BandwidthBytesPerSec)
	b.number(n.Get("latencyNs"), &r.LatencyNs)
	b.number(n.Get("concurrencyLanes"), &r.ConcurrencyLanes)
	r.SupportedTransports = texts[Transport](n.Get("supportedTransports"))
	r.DirectMemoryDomainIDs = texts[string](n.Get("directMemoryDomainIds"))
	b.provenance(n.Get("provenance"), &r.Provenance)
}

func (b *boundary) link(n document.Node, l *Link) {
	if !n.Closed(linkFields, "transport", "networkResourceIds") {
		return
	}
	l.ID = n.Get("id").NonEmpty()
	l.SourceDomainID = n.Get("sourceDomainId").NonEmpty()
	l.TargetDomainID = n.Get("targetDomainId").NonEmpty()
	l.Kind = LinkKind(n.Get("kind").NonEmpty())
	b.number(n.Get("bandwidthBytesPerSec"), &l.BandwidthBytesPerSec)
	b.number(n.Get("latencyNs"), &l.LatencyNs)
	b.number(n.Get("concurrencyLanes"), &l.ConcurrencyLanes)
	l.Transport = Transport(optional(n.Get("transport")))
	if ids := n.Get("networkResourceIds"); ids.Present() {
		l.HasNetworkResourceIDs = true
		l.NetworkResourceIDs = texts[string](ids)
	}
	b.provenance(n.Get("provenance"), &l.Provenance)
}

func (b *boundary) placement(n document.Node, p *Placement) {
	if !n.Closed(placementFields, "sharedAllocationIds") {
		return
	}
	p.PartitionID = n.Get("partitionId").NonEmpty()
	p.DeviceID = n.Get("deviceId").NonEmpty()
	p.RequiredCapabilities = texts[Capability](n.Get("requiredCapabilities"))
	if shared := n.Get("sharedAllocationIds"); shared.Present() {
		p.HasShared = true
		p.SharedAllocationIDs = texts[string](shared)
	}
	p.Allocations = objects(n.Get("allocations"), b.allocation)
}

func (b *boundary) allocation(n document.Node, a *Allocation) {
	if !n.Closed(allocationFields) {
		return
	}
	a.PhysicalAllocationID = n.Get("physicalAllocationId").NonEmpty()
	a.DomainID = n.Get("domainId").NonEmpty()
	a.AllocationClass = AllocationClass(n.Get("allocationClass").NonEmpty())
	a.Purpose = Purpose(n.Get("purpose").NonEmpty())
	b.number(n.Get("bytes"), &a.Bytes)
}

func (b *boundary) transfer(n document.Node, t *Transfer) {
	if !n.Closed(transferFields) {
		return
	}
	t.ID = n.Get("id").NonEmpty()
	t.SourceDomainID = n.Get("sourceDomainId").NonEmpty()
	t.TargetDomainID = n.Get("targetDomainId").NonEmpty()
	b.number(n.Get("bytes"), &t.Bytes)
	t.RequiresPinnedStaging = n.Get("requiresPinnedStaging").Bool()
	t.StagingAllocationIDs = texts[string](n.Get("stagingAllocationIds"))
}

func (b *boundary) group(n document.Node, g *Group) {
	if !n.Closed(groupFields) {
		return
	}
	g.ID = n.Get("id").NonEmpty()
	g.OrderedRanks = objects(n.Get("orderedRanks"), b.rank)
}

func (b *boundary) rank(n document.Node, r *Rank) {
	if !n.Closed(rankFields) {
		return
	}
	r.RankID = n.Get("rankId").NonEmpty()
	r.DeviceID = n.Get("deviceId").NonEmpty()
}

func (b *boundary) workload(n document.Node, w *Workload) {
	if !n.Closed(workloadFields, "speculative") {
		return
	}
	b.number(n.Get("batchSize"), &w.BatchSize)
	b.number(n.Get("inputSequenceLength"), &w.InputSequenceLength)
	b.number(n.Get("outputSequenceLength"), &w.OutputSequenceLength)
	if s := n.Get("speculative"); s.Present() && s.Closed(speculativeFields) {
		w.Speculative = new(SpeculativeWorkload)
		w.Speculative.Family = s.Get("family").NonEmpty()
		b.number(s.Get("maxAdditionalTokens"), &w.Speculative.MaxAdditionalTokens)
	}
}

func (b *boundary) execution(n document.Node, e *Execution) {
	if !n.Closed(executionFields) {
		return
	}
	b.number(n.Get("topologyEpoch"), &e.TopologyEpoch)
	b.number(n.Get("seed"), &e.Seed)
	b.number(n.Get("maxEvents"), &e.MaxEvents)
	if f := n.Get("features"); f.Closed(featureFields) {
		e.SSDStreaming = f.Get("ssdStreaming").Bool()
	}
	p := n.Get("parallelism")
	if !p.Closed(parallelismFields) {
		return
	}
	e.Parallelism.Composition = Composition(p.Get("composition").NonEmpty())
	b.number(p.Get("tensor"), &e.Parallelism.Tensor)
	b.number(p.Get("pipeline"), &e.Parallelism.Pipeline)
	b.number(p.Get("expert"), &e.Parallelism.Expert)
	b.number(p.Get("data"), &e.Parallelism.Data)
}

func (b *boundary) coefficient(n document.Node, c *Coefficient) {
	if !n.Closed(coefficientFields) {
		return
	}
	c.ID = n.Get("id").NonEmpty()
	c.Unit = n.Get("unit").NonEmpty()
	c.Value = n.Get("value").Number()
	b.provenance(n.Get("provenance"), &c.Provenance)
}
