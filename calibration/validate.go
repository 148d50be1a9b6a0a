package calibration

import (
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// leastSamples is the least number of samples a point that a dataset may ask for.
const leastSamples = 3

// Validate checks the whole dataset (contract 06 sections 16.1 and 16.2) and
// returns an *issue.List of every rule that it breaks, or nil. What only a fit can
// show, the gates included, is Fit's.
func (d *Dataset) Validate() error {
	v := &checker{d: d, list: &issue.List{Subject: "calibration dataset " + d.ID}}
	if d.Revision != Revision {
		v.list.Add("revision", "revision", "is %d, this build reads revision %d", d.Revision, Revision)
	}
	v.text("id", d.ID)
	v.provenance()
	v.applicability()
	v.constants()
	v.quality()
	v.observations()
	v.coverage()
	before := len(v.list.Issues)
	v.transports()
	if len(v.list.Issues) == before { // a wrong identity would tear its curve apart and be reported twice
		v.curves()
	}
	return v.list.Err()
}

type checker struct {
	d    *Dataset
	list *issue.List
}

func (v *checker) text(path, s string) {
	if blank(s) {
		v.list.Add("blank_text", path, "expected a text with a character that is not blank, found %q", s)
	}
}

func (v *checker) provenance() {
	p := &v.d.Provenance
	if p.Kind != Measured && p.Kind != Synthetic {
		v.list.Add("provenance_kind", "provenance.kind", "%q is not measured or synthetic", p.Kind)
	}
	v.text("provenance.source", p.Source)
	v.text("provenance.software_stack", p.SoftwareStack)
	v.text("provenance.model_artifact", p.ModelArtifact)
	if p.Kind == Measured && blank(p.MeasuredAt) {
		v.list.Add("missing_date", "provenance.measured_at", "measured evidence needs the date of measurement")
	}
}

func (v *checker) applicability() {
	a := &v.d.Applicability
	if len(a.ScenarioIDs) == 0 {
		v.list.Add("empty_list", "applicability.scenario_ids", "expected at least one scenario")
	}
	for i, id := range a.ScenarioIDs {
		path := "applicability.scenario_ids[" + strconv.Itoa(i) + "]"
		v.text(path, id)
		if slices.Contains(a.ScenarioIDs[:i], id) {
			v.list.Add("duplicate_value", path, "repeats scenario %s", id)
		}
	}
	for _, kind := range cost.Kinds {
		v.text("applicability.device_kind_labels."+string(kind), a.Labels.Label(kind))
	}
}

func (v *checker) constants() {
	c := &v.d.Constants
	v.positive("model_constants.activation_bytes_per_token", c.ActivationBytesPerToken)
	v.positive("model_constants.collective_bytes_per_token", c.CollectiveBytesPerToken)
	v.positive("model_constants.cold_load_byte_multiplier", c.ColdLoadByteMultiplier)
}

func (v *checker) positive(path string, n int64) {
	if !quantity.IsPositive(n) {
		v.list.Add("positive_integer", path, "expected a positive safe integer, found %d", n)
	}
}

func (v *checker) quality() {
	q := &v.d.Quality
	if q.MinSamplesPerPoint < leastSamples {
		v.list.Add("min_samples", "quality.min_samples_per_point", "expected at least %d, found %d", leastSamples, q.MinSamplesPerPoint)
	}
	v.fraction("quality.max_normalized_rmse", q.MaxNormalizedRMSE)
	v.fraction("quality.max_p95_relative_error", q.MaxP95RelativeError)
}

func (v *checker) fraction(path string, f float64) {
	if !(f > 0 && f <= 1) {
		v.list.Add("fraction", path, "expected a number above 0 and at most 1, found %v", f)
	}
}

func (v *checker) observations() {
	if len(v.d.Observations) == 0 {
		v.list.Add("empty_list", "observations", "expected at least one observation")
	}
	seen := make(map[string]int, len(v.d.Observations))
	for i := range v.d.Observations {
		o := &v.d.Observations[i]
		c := pointCheck{v, "observations", i, o.ID}
		c.identity(seen)
		if !slices.Contains(cost.Kinds[:], o.DeviceKind) {
			c.add("device_kind", ".device_kind", "%q is not cpu, gpu or npu", o.DeviceKind)
		}
		if !slices.Contains(Capabilities[:], o.Capability) {
			c.add("capability", ".capability", "%q is not invocation, attention, ffn, draft or lookup", o.Capability)
		}
		if o.Capability == Invocation && o.WorkItems != 0 {
			c.add("work_items", ".work_items", "an invocation is observed at 0 work items, not at %d", o.WorkItems)
		}
		if o.Capability != Invocation && !quantity.IsPositive(o.WorkItems) {
			c.add("work_items", ".work_items", "%s is observed at a positive number of work items, not at %d", o.Capability, o.WorkItems)
		}
		c.samples(o.DurationsNs)
		c.text(".regime", o.Regime)
	}
}

// pointCheck collects the refusals of one observation; every one names its id.
type pointCheck struct {
	*checker
	list  string
	index int
	id    string
}

func (c *pointCheck) add(code, field, format string, args ...any) {
	issues := c.checker.list
	issues.Add(code, c.list+"["+strconv.Itoa(c.index)+"]"+field, format, args...)
	last := issues.Issues[len(issues.Issues)-1]
	last.Message = "observation " + c.id + ": " + last.Message
}

func (c *pointCheck) identity(seen map[string]int) {
	c.text(".id", c.id)
	if first, ok := seen[c.id]; ok {
		c.add("duplicate_value", ".id", "the id is already that of %s[%d]", c.list, first)
		return
	}
	seen[c.id] = c.index
}

func (c *pointCheck) text(field, s string) {
	if blank(s) {
		c.add("blank_text", field, "expected a text with a character that is not blank, found %q", s)
	}
}

func (c *pointCheck) samples(ns []int64) {
	if int64(len(ns)) < c.d.Quality.MinSamplesPerPoint {
		c.add("too_few_samples", ".durations_ns", "has %d samples; the dataset asks for %d a point", len(ns), c.d.Quality.MinSamplesPerPoint)
	}
	for i, n := range ns {
		if !quantity.IsPositive(n) {
			c.add("positive_integer", ".durations_ns["+strconv.Itoa(i)+"]", "expected a positive safe integer, found %d", n)
		}
	}
}

// coverage asks for every device kind and capability: one point of invocation, two
// distinct points of everything else.
func (v *checker) coverage() {
	points := make(map[group]coveredPoints)
	for i := range v.d.Observations {
		o := &v.d.Observations[i]
		g := group{o.DeviceKind, o.Capability}
		points[g] = points[g].with(o.WorkItems)
	}
	for _, kind := range cost.Kinds {
		for _, capability := range Capabilities {
			wanted := 2
			if capability == Invocation {
				wanted = 1
			}
			if n := points[group{kind, capability}].distinct; n < wanted {
				v.list.Add("coverage", "observations", "%s %s has %d distinct work-item points; %d are needed", kind, capability, n, wanted)
			}
		}
	}
}

// group is one of the 15 combinations that a dataset covers.
type group struct {
	kind       topology.DeviceKind
	capability topology.Capability
}

// coveredPoints counts distinct points as far as coverage asks, to two.
type coveredPoints struct {
	first    int64
	distinct int
}

func (p coveredPoints) with(items int64) coveredPoints {
	switch {
	case p.distinct == 0:
		return coveredPoints{first: items, distinct: 1}
	case p.distinct == 1 && items != p.first:
		p.distinct = 2
	}
	return p
}

func (v *checker) transports() {
	if len(v.d.Transports) == 0 {
		v.list.Add("empty_list", "transport_observations", "expected at least one observation")
	}
	seen := make(map[string]int, len(v.d.Transports))
	for i := range v.d.Transports {
		o := &v.d.Transports[i]
		c := pointCheck{v, "transport_observations", i, o.ID}
		c.identity(seen)
		c.text(".scenario_id", o.ScenarioID)
		if scope := v.d.Applicability.ScenarioIDs; len(scope) > 0 && !slices.Contains(scope, o.ScenarioID) {
			c.add("scenario_scope", ".scenario_id", "scenario %s is not among applicability.scenario_ids %v", o.ScenarioID, scope)
		}
		c.text(".algorithm", o.Algorithm)
		c.path(o)
		if !quantity.IsPositive(o.Bytes) {
			c.add("positive_integer", ".bytes", "expected a positive safe integer, found %d", o.Bytes)
		}
		c.samples(o.DurationsNs)
		c.text(".regime", o.Regime)
	}
}

// path checks the operation with its links, participants and traffic.
func (c *pointCheck) path(o *TransportObservation) {
	if len(o.LinkIDs) == 0 {
		c.add("empty_list", ".link_ids", "expected at least one link")
	}
	for i, id := range o.LinkIDs {
		at := ".link_ids[" + strconv.Itoa(i) + "]"
		c.text(at, id)
		if slices.Contains(o.LinkIDs[:i], id) {
			c.add("duplicate_value", at, "repeats link %s", id)
		}
	}
	switch o.Operation {
	case cost.TransferOperation:
		if len(o.LinkIDs) > 1 {
			c.add("transfer_links", ".link_ids", "a transfer crosses exactly one link, not %d", len(o.LinkIDs))
		}
		if o.ParticipantCount != 2 {
			c.add("participants", ".participant_count", "a transfer has exactly 2 participants, not %d", o.ParticipantCount)
		}
	case cost.CollectiveOperation:
		if o.ParticipantCount < 2 || !quantity.IsSafe(o.ParticipantCount) {
			c.add("participants", ".participant_count", "a collective has at least 2 participants, not %d", o.ParticipantCount)
		}
	default:
		c.add("operation", ".operation", "%q is not transfer or collective", o.Operation)
	}
	if err := cost.CheckSignature(o.Operation, o.Algorithm, o.ParticipantCount, o.TrafficSignature); err != nil {
		c.add("traffic_signature", ".traffic_signature", "%v", err)
	}
}

// curves asks every curve for at least two message sizes, each observed once.
func (v *checker) curves() {
	for _, c := range curveGroups(v.d) {
		key := &v.d.Transports[c.members[0]].CurveKey
		if len(c.members) < 2 {
			v.pointOf(c.members[0]).add("too_few_points", ".bytes", "the curve of %s needs at least two message sizes, it has one", key)
		}
		for i := 1; i < len(c.members); i++ {
			if v.d.Transports[c.members[i]].Bytes == v.d.Transports[c.members[i-1]].Bytes {
				v.pointOf(c.members[i]).add("duplicate_point", ".bytes", "%d bytes are observed twice on the curve of %s, first by %s",
					v.d.Transports[c.members[i]].Bytes, key, v.d.Transports[c.members[i-1]].ID)
			}
		}
	}
}

func (v *checker) pointOf(i int) *pointCheck {
	return &pointCheck{v, "transport_observations", i, v.d.Transports[i].ID}
}
