package calibration

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// wrapperKey is the root key below which a dataset may stand.
const wrapperKey = "calibration"

// Read reads a dataset from the root of a decoded document, or from its key
// calibration, and validates it. Unknown keys become warnings, or refusals in a
// strict pass. A refusal names the path of the offending value, and for a value of
// an observation also the observation's id.
func Read(root document.Value, strict bool) (*Dataset, []document.Warning, error) {
	r := document.NewReader(root, "")
	r.Strict = strict
	n := r.Root()
	if wrapped := n.Get(wrapperKey); wrapped.Present() {
		n.Known(wrapperKey)
		n = wrapped
	}
	d := &Dataset{Revision: n.Get("revision").Integer()}
	if n.OK() && d.Revision != Revision {
		n.Get("revision").Fail("revision", "is %d, this build reads revision %d", d.Revision, Revision)
	}
	n.Known("revision", "id", "provenance", "applicability", "model_constants", "quality", "observations", "transport_observations")
	d.ID = n.Get("id").Text()
	readProvenance(n.Get("provenance"), &d.Provenance)
	readApplicability(n.Get("applicability"), &d.Applicability)
	readConstants(n.Get("model_constants"), &d.Constants)
	readQuality(n.Get("quality"), &d.Quality)
	readObservations(n.Get("observations"), d)
	readTransports(n.Get("transport_observations"), d)
	if err := r.Err(); err != nil {
		return nil, r.Warnings(), err
	}
	if err := d.Validate(); err != nil {
		return nil, r.Warnings(), err
	}
	return d, r.Warnings(), nil
}

func readProvenance(n document.Node, p *Provenance) {
	n.Known("kind", "source", "software_stack", "model_artifact", "measured_at", "notes")
	p.Kind = Kind(n.Get("kind").OneOf(string(Measured), string(Synthetic)))
	p.Source = n.Get("source").Text()
	p.SoftwareStack = n.Get("software_stack").Text()
	p.ModelArtifact = n.Get("model_artifact").Text()
	p.MeasuredAt = optionalText(n.Get("measured_at"))
	p.Notes = optionalText(n.Get("notes"))
}

// optionalText reads a text that may be absent but, when there, says something.
func optionalText(n document.Node) string {
	if !n.Present() {
		return ""
	}
	text := n.Text()
	if n.OK() && blank(text) {
		n.Fail("blank_text", "is there but says nothing; leave it out or fill it in")
	}
	return text
}

func readApplicability(n document.Node, a *cost.Applicability) {
	n.Known("scenario_ids", "device_kind_labels")
	a.ScenarioIDs = n.Get("scenario_ids").Texts()
	labels := n.Get("device_kind_labels")
	labels.Known("cpu", "gpu", "npu")
	a.Labels = cost.KindLabels{CPU: labels.Get("cpu").Text(), GPU: labels.Get("gpu").Text(), NPU: labels.Get("npu").Text()}
}

func readConstants(n document.Node, c *Constants) {
	n.Known("activation_bytes_per_token", "collective_bytes_per_token", "cold_load_byte_multiplier")
	c.ActivationBytesPerToken = n.Get("activation_bytes_per_token").Positive()
	c.CollectiveBytesPerToken = n.Get("collective_bytes_per_token").Positive()
	c.ColdLoadByteMultiplier = n.Get("cold_load_byte_multiplier").Positive()
}

func readQuality(n document.Node, q *Quality) {
	n.Known("min_samples_per_point", "max_normalized_rmse", "max_p95_relative_error")
	q.MinSamplesPerPoint = n.Get("min_samples_per_point").Count()
	q.MaxNormalizedRMSE = n.Get("max_normalized_rmse").Number()
	q.MaxP95RelativeError = n.Get("max_p95_relative_error").Number()
}

func readObservations(list document.Node, d *Dataset) {
	d.Observations = make([]Observation, 0, list.Len())
	for _, n := range list.Items() {
		n.Known("id", "device_kind", "capability", "work_items", "durations_ns", "regime")
		o := Observation{ID: n.Get("id").Text()}
		o.DeviceKind = topology.DeviceKind(n.Get("device_kind").OneOf("cpu", "gpu", "npu"))
		o.Capability = topology.Capability(n.Get("capability").OneOf("invocation", "attention", "ffn", "draft", "lookup"))
		o.WorkItems = integer(n.Get("work_items"), o.ID, 0)
		o.DurationsNs = durations(n.Get("durations_ns"), o.ID)
		o.Regime = n.Get("regime").Text()
		d.Observations = append(d.Observations, o)
	}
}

func readTransports(list document.Node, d *Dataset) {
	d.Transports = make([]TransportObservation, 0, list.Len())
	for _, n := range list.Items() {
		n.Known("id", "scenario_id", "operation", "link_ids", "participant_count", "algorithm", "traffic_signature",
			"bytes", "durations_ns", "regime")
		o := TransportObservation{ID: n.Get("id").Text()}
		o.ScenarioID = n.Get("scenario_id").Text()
		o.Operation = cost.Operation(n.Get("operation").OneOf(string(cost.TransferOperation), string(cost.CollectiveOperation)))
		o.LinkIDs = n.Get("link_ids").Texts()
		o.ParticipantCount = integer(n.Get("participant_count"), o.ID, 0)
		o.Algorithm = n.Get("algorithm").Text()
		o.TrafficSignature = optionalText(n.Get("traffic_signature"))
		o.Bytes = integer(n.Get("bytes"), o.ID, 1)
		o.DurationsNs = durations(n.Get("durations_ns"), o.ID)
		o.Regime = n.Get("regime").Text()
		d.Transports = append(d.Transports, o)
	}
}

func durations(list document.Node, id string) []int64 {
	ns := make([]int64, 0, list.Len())
	for _, n := range list.Items() {
		ns = append(ns, integer(n, id, 1))
	}
	return ns
}

// integer reads an integer of at least lo; a refused value names the observation
// beside its path.
func integer(n document.Node, id string, lo int64) int64 {
	f := n.Number()
	if !n.OK() {
		return 0
	}
	if v, ok := quantity.FromFloat(f); ok && v >= lo {
		return v
	}
	wanted := "a non-negative integer"
	if lo == 1 {
		wanted = "a positive integer"
	}
	n.Refuse(issue.New(document.CodeRange, n.Path(), "observation %q: expected %s up to %d, found %s", id, wanted, quantity.MaxSafe, n.Value().Describe()))
	return 0
}
