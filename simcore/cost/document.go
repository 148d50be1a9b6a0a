package cost

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
)

// WriteDocument writes the applicability as an object of documents.
func (a *Applicability) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Key("scenarioIds").Texts(a.ScenarioIDs)
	w.Key("deviceKindLabels").Object()
	for _, kind := range Kinds {
		w.Key(string(kind)).Text(a.Labels.Label(kind))
	}
	w.End()
	w.End()
}

// WriteDocument writes the whole model as an object of documents (contract 06
// section 16.6). Absent parts are left out.
func (m *Model) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Key("revision").Int(m.Revision)
	w.Key("confidence").Text(string(m.Confidence))
	w.Key("source").Text(m.Source)
	w.Key("deviceCosts").Object()
	for _, kind := range Kinds {
		w.Key(string(kind))
		m.Devices.For(kind).write(w)
	}
	w.End()
	w.Key("activationBytesPerToken").Int(m.ActivationBytesPerToken)
	w.Key("collectiveBytesPerToken").Int(m.CollectiveBytesPerToken)
	w.Key("coldLoadByteMultiplier").Int(m.ColdLoadByteMultiplier)
	if m.Applicability != nil {
		m.Applicability.WriteDocument(w.Key("applicability"))
	}
	if m.Ranges != nil {
		m.Ranges.write(w.Key("validWorkItemRanges"))
	}
	if m.HasCurves {
		w.Key("transportCurves").Array()
		for i := range m.Curves {
			m.Curves[i].write(w.Element())
		}
		w.End()
	}
	w.End()
}

func (c *Coefficients) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("invocationOverheadNs").Int(c.InvocationOverheadNs)
	w.Key("attentionNsPerToken").Int(c.AttentionNsPerToken)
	w.Key("ffnNsPerToken").Int(c.FFNNsPerToken)
	w.Key("draftNsPerToken").Int(c.DraftNsPerToken)
	w.Key("lookupNsPerToken").Int(c.LookupNsPerToken)
	w.End()
}

func (d *DeviceRanges) write(w *jsondoc.Writer) {
	w.Object()
	for _, kind := range Kinds {
		w.Key(string(kind)).Object()
		for _, capability := range Capabilities {
			writeRange(w, capability, d.For(kind).Of(capability))
		}
		w.End()
	}
	w.End()
}

func writeRange(w *jsondoc.Writer, capability topology.Capability, r *Range) {
	if r == nil {
		return
	}
	w.Key(string(capability)).Object()
	w.Key("minWorkItems").Int(r.MinWorkItems)
	w.Key("maxWorkItems").Int(r.MaxWorkItems)
	w.End()
}

// WriteMembers writes the parts of the key into the open object.
func (k *CurveKey) WriteMembers(w *jsondoc.Writer) {
	w.Key("scenarioId").Text(k.ScenarioID)
	w.Key("operation").Text(string(k.Operation))
	w.Key("linkIds").Texts(k.LinkIDs)
	w.Key("participantCount").Int(k.ParticipantCount)
	w.Key("algorithm").Text(k.Algorithm)
	if k.TrafficSignature != "" {
		w.Key("trafficSignature").Text(k.TrafficSignature)
	}
}

func (c *Curve) write(w *jsondoc.Writer) {
	w.Object()
	c.WriteMembers(w)
	w.Key("points").Array()
	for _, p := range c.Points {
		w.Element().Object()
		w.Key("bytes").Int(p.Bytes)
		w.Key("durationNs").Int(p.DurationNs)
		w.End()
	}
	w.End()
	w.End()
}
