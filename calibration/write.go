package calibration

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// WriteFile writes the dataset as the file that Read reads, below the key
// calibration: what an importer of another tool's measurements produces.
func (d *Dataset) WriteFile(w *jsondoc.Writer) {
	w.Object()
	w.Key(wrapperKey).Object()
	w.Key("revision").Int(d.Revision)
	w.Key("id").Text(d.ID)
	d.Provenance.write(w.Key("provenance"))
	writeApplicability(w.Key("applicability"), &d.Applicability)
	w.Key("model_constants").Object()
	w.Key("activation_bytes_per_token").Int(d.Constants.ActivationBytesPerToken)
	w.Key("collective_bytes_per_token").Int(d.Constants.CollectiveBytesPerToken)
	w.Key("cold_load_byte_multiplier").Int(d.Constants.ColdLoadByteMultiplier)
	w.End()
	w.Key("quality").Object()
	w.Key("min_samples_per_point").Int(d.Quality.MinSamplesPerPoint)
	w.Key("max_normalized_rmse").Float(d.Quality.MaxNormalizedRMSE)
	w.Key("max_p95_relative_error").Float(d.Quality.MaxP95RelativeError)
	w.End()
	w.Key("observations").Array()
	for i := range d.Observations {
		d.Observations[i].write(w.Element())
	}
	w.End()
	w.Key("transport_observations").Array()
	for i := range d.Transports {
		d.Transports[i].write(w.Element())
	}
	w.End()
	w.End()
	w.End()
}

func (p *Provenance) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("kind").Text(string(p.Kind))
	w.Key("source").Text(p.Source)
	w.Key("software_stack").Text(p.SoftwareStack)
	w.Key("model_artifact").Text(p.ModelArtifact)
	if p.MeasuredAt != "" {
		w.Key("measured_at").Text(p.MeasuredAt)
	}
	if p.Notes != "" {
		w.Key("notes").Text(p.Notes)
	}
	w.End()
}

func writeApplicability(w *jsondoc.Writer, a *cost.Applicability) {
	w.Object()
	w.Key("scenario_ids").Texts(a.ScenarioIDs)
	w.Key("device_kind_labels").Object()
	for _, kind := range cost.Kinds {
		w.Key(string(kind)).Text(a.Labels.Label(kind))
	}
	w.End()
	w.End()
}

func (o *Observation) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("id").Text(o.ID)
	w.Key("device_kind").Text(string(o.DeviceKind))
	w.Key("capability").Text(string(o.Capability))
	w.Key("work_items").Int(o.WorkItems)
	w.Key("durations_ns").Ints(o.DurationsNs)
	w.Key("regime").Text(o.Regime)
	w.End()
}

func (o *TransportObservation) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("id").Text(o.ID)
	w.Key("scenario_id").Text(o.ScenarioID)
	w.Key("operation").Text(string(o.Operation))
	w.Key("link_ids").Texts(o.LinkIDs)
	w.Key("participant_count").Int(o.ParticipantCount)
	w.Key("algorithm").Text(o.Algorithm)
	if o.TrafficSignature != "" {
		w.Key("traffic_signature").Text(o.TrafficSignature)
	}
	w.Key("bytes").Int(o.Bytes)
	w.Key("durations_ns").Ints(o.DurationsNs)
	w.Key("regime").Text(o.Regime)
	w.End()
}
