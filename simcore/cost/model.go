package cost

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Revision is the revision of the topology cost model that this package
// implements; any other is refused.
const Revision int64 = 9

// Model is a cost model as plain data (contract 06 section 5). Nothing about it
// is promised until Validate accepts it; nobody writes to it afterwards.
type Model struct {
	Revision   int64
	Confidence evidence.Class
	Source     string // where the coefficients come from, never empty
	Devices    DeviceCosts

	ActivationBytesPerToken int64 // A: bytes of one token's activation
	CollectiveBytesPerToken int64 // Q: bytes of one token in a tensor all-reduce
	ColdLoadByteMultiplier  int64 // M: weight of a cold byte in an aggregate load

	Applicability *Applicability // nil: applies to every scenario
	Ranges        *DeviceRanges  // nil: no bound on work items

	// Curves are the measured transports. When HasCurves is true every transfer
	// and collective needs its exact curve, even if the list is empty.
	Curves    []Curve
	HasCurves bool
}

// Coefficients are the costs of one device kind: ns for an invocation, and ns
// for one work item of each capability.
type Coefficients struct {
	InvocationOverheadNs int64
	AttentionNsPerToken  int64
	FFNNsPerToken        int64
	DraftNsPerToken      int64
	LookupNsPerToken     int64
}

// DeviceCosts holds the coefficients of each device kind.
type DeviceCosts struct{ CPU, GPU, NPU Coefficients }

// Applicability limits a model to the scenarios that it was measured for. The
// labels say which product stood for each device kind; they are not matched.
type Applicability struct {
	ScenarioIDs []string
	Labels      KindLabels
}

// KindLabels names the product measured for each device kind.
type KindLabels struct{ CPU, GPU, NPU string }

// Range is an observed range of work items, both ends included.
type Range struct{ MinWorkItems, MaxWorkItems int64 }

// KindRanges are the ranges of one device kind; nil means no bound.
type KindRanges struct{ Attention, FFN, Draft, Lookup *Range }

// DeviceRanges holds the ranges of each device kind.
type DeviceRanges struct{ CPU, GPU, NPU KindRanges }

// Kinds lists the device kinds in document order.
var Kinds = [...]topology.DeviceKind{topology.CPU, topology.GPU, topology.NPU}

// Capabilities lists the priced capabilities in document order.
var Capabilities = [...]topology.Capability{
	topology.Attention, topology.FFN, topology.Draft, topology.Lookup,
}

// For returns the coefficients of a device kind, or nil for an unknown kind.
func (d *DeviceCosts) For(kind topology.DeviceKind) *Coefficients {
	switch kind {
	case topology.CPU:
		return &d.CPU
	case topology.GPU:
		return &d.GPU
	case topology.NPU:
		return &d.NPU
	}
	return nil
}

// PerItem returns the ns of one work item of a capability; 0 for a capability
// that the model does not price.
func (c *Coefficients) PerItem(capability topology.Capability) int64 {
	switch capability {
	case topology.Attention:
		return c.AttentionNsPerToken
	case topology.FFN:
		return c.FFNNsPerToken
	case topology.Draft:
		return c.DraftNsPerToken
	case topology.Lookup:
		return c.LookupNsPerToken
	}
	return 0
}

// For returns the ranges of a device kind, or nil for an unknown kind.
func (d *DeviceRanges) For(kind topology.DeviceKind) *KindRanges {
	switch kind {
	case topology.CPU:
		return &d.CPU
	case topology.GPU:
		return &d.GPU
	case topology.NPU:
		return &d.NPU
	}
	return nil
}

// Of returns the range of a capability, or nil when it has none.
func (k *KindRanges) Of(capability topology.Capability) *Range {
	switch capability {
	case topology.Attention:
		return k.Attention
	case topology.FFN:
		return k.FFN
	case topology.Draft:
		return k.Draft
	case topology.Lookup:
		return k.Lookup
	}
	return nil
}

// Label returns the product name of a device kind.
func (l *KindLabels) Label(kind topology.DeviceKind) string {
	switch kind {
	case topology.CPU:
		return l.CPU
	case topology.GPU:
		return l.GPU
	case topology.NPU:
		return l.NPU
	}
	return ""
}

// DefaultSource is the source text of the default model.
const DefaultSource = "built-in illustrative costs, uncalibrated: fit for comparing shapes of work, not for predicting a product"

// Default returns the heuristic model of contract 06 section 5.1. Every call
// gives a value of its own.
func Default() *Model {
	return &Model{
		Revision:   Revision,
		Confidence: evidence.Heuristic,
		Source:     DefaultSource,
		Devices: DeviceCosts{
			CPU: Coefficients{400000, 220000, 300000, 110000, 8000},
			GPU: Coefficients{120000, 28000, 38000, 17000, 8000},
			NPU: Coefficients{100000, 22000, 52000, 24000, 8000},
		},
		ActivationBytesPerToken: 1 << 20,
		CollectiveBytesPerToken: 1 << 19,
		ColdLoadByteMultiplier:  2,
	}
}

// Validate checks the whole model and returns an *issue.List of every rule that
// it breaks (contract 06 sections 5 and 16.6), or nil.
func (m *Model) Validate() error {
	l := &issue.List{Subject: "cost model"}
	if m.Revision != Revision {
		l.Add("revision", "revision", "is %d, this build prices revision %d", m.Revision, Revision)
	}
	if !m.Confidence.Valid() {
		l.Add("confidence", "confidence", "%q is not one of exact, bounded, calibrated, heuristic", m.Confidence)
	}
	if m.Source == "" {
		l.Add("empty_text", "source", "must say where the coefficients come from")
	}
	for _, kind := range Kinds {
		m.Devices.For(kind).validate(l, "deviceCosts."+string(kind))
	}
	positive(l, "activationBytesPerToken", m.ActivationBytesPerToken)
	positive(l, "collectiveBytesPerToken", m.CollectiveBytesPerToken)
	positive(l, "coldLoadByteMultiplier", m.ColdLoadByteMultiplier)
	m.validateRanges(l)
	m.validateApplicability(l)
	m.validateCurves(l)
	return l.Err()
}

func (c *Coefficients) validate(l *issue.List, path string) {
	positive(l, path+".invocationOverheadNs", c.InvocationOverheadNs)
	positive(l, path+".attentionNsPerToken", c.AttentionNsPerToken)
	positive(l, path+".ffnNsPerToken", c.FFNNsPerToken)
	positive(l, path+".draftNsPerToken", c.DraftNsPerToken)
	positive(l, path+".lookupNsPerToken", c.LookupNsPerToken)
}

func positive(l *issue.List, path string, v int64) {
	if !quantity.IsPositive(v) {
		l.Add("positive_integer", path, "is %d, must be a positive safe integer", v)
	}
}

func (m *Model) validateRanges(l *issue.List) {
	if m.Ranges == nil {
		return
	}
	for _, kind := range Kinds {
		for _, capability := range Capabilities {
			r := m.Ranges.For(kind).Of(capability)
			if r == nil {
				continue
			}
			path := "validWorkItemRanges." + string(kind) + "." + string(capability)
			positive(l, path+".minWorkItems", r.MinWorkItems)
			positive(l, path+".maxWorkItems", r.MaxWorkItems)
			if r.MinWorkItems > r.MaxWorkItems {
				l.Add("inverted_range", path, "runs from %d down to %d", r.MinWorkItems, r.MaxWorkItems)
			}
		}
	}
}

func (m *Model) validateApplicability(l *issue.List) {
	if m.Applicability == nil {
		return
	}
	if len(m.Applicability.ScenarioIDs) == 0 {
		l.Add("empty_list", "applicability.scenarioIds", "names no scenario")
	}
	seen := make(map[string]bool, len(m.Applicability.ScenarioIDs))
	for i, id := range m.Applicability.ScenarioIDs {
		path := "applicability.scenarioIds[" + strconv.Itoa(i) + "]"
		switch {
		case id == "":
			l.Add("empty_text", path, "must not be empty")
		case seen[id]:
			l.Add("duplicate_value", path, "repeats scenario %s", id)
		}
		seen[id] = true
	}
	for _, kind := range Kinds {
		if m.Applicability.Labels.Label(kind) == "" {
			l.Add("empty_text", "applicability.deviceKindLabels."+string(kind), "must name the product measured")
		}
	}
}

// CheckScenario refuses a scenario that the model was not measured for, naming
// it.
func (m *Model) CheckScenario(scenarioID string) error {
	if m.Applicability == nil || m.Applicability.covers(scenarioID) {
		return nil
	}
	return issue.New("not_applicable", "", "the cost model does not apply to scenario %s: it covers %v (%s)",
		scenarioID, m.Applicability.ScenarioIDs, m.Source)
}

func (a *Applicability) covers(scenarioID string) bool {
	for _, id := range a.ScenarioIDs {
		if id == scenarioID {
			return true
		}
	}
	return false
}
