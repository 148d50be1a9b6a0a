package calibration

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// WriteDocument writes the result of the calibrate command into the writer
// (contract 06 section 16.9). A refused result has no costModel and lists its
// refusals instead.
func (r *Result) WriteDocument(w *jsondoc.Writer) {
	w.Object()
	w.Head(jsondoc.Head{
		Command: "calibrate",
		ContractRevisions: []jsondoc.Revision{
			{Name: "calibrationDataset", Revision: Revision},
			{Name: "costModel", Revision: cost.Revision},
		},
		Confidence: r.Confidence(),
	})
	w.Key("datasetId").Text(r.Dataset.ID)
	w.Key("datasetFingerprint").Text(r.Fingerprint)
	if r.Model != nil {
		r.Model.WriteDocument(w.Key("costModel"))
	}
	w.Key("diagnostics").Array()
	for i := range r.Groups {
		r.Groups[i].write(w.Element())
	}
	w.End()
	w.Key("transportDiagnostics").Array()
	for i := range r.Curves {
		r.Curves[i].write(w.Element())
	}
	w.End()
	if len(r.Refusals) > 0 {
		r.writeRefusals(w.Key("refusals"))
	}
	w.End()
}

func (g *GroupFit) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("deviceKind").Text(string(g.DeviceKind))
	w.Key("capability").Text(string(g.Capability))
	w.Key("observationPoints").Int(g.ObservationPoints)
	w.Key("samples").Int(g.Samples)
	w.Key("minWorkItems").Int(g.MinWorkItems)
	w.Key("maxWorkItems").Int(g.MaxWorkItems)
	w.Key("coefficientNs").Int(g.CoefficientNs)
	w.Key("standardErrorNs").Float(g.StandardErrorNs)
	w.Key("confidence95Ns").Float(g.ConfidenceNs)
	w.Key("normalizedRmse").Float(g.NormalizedRMSE)
	w.Key("p95RelativeError").Float(g.P95RelativeError)
	w.End()
}

func (c *CurveFit) write(w *jsondoc.Writer) {
	w.Object()
	c.WriteMembers(w)
	w.Key("observationPoints").Int(c.ObservationPoints)
	w.Key("samples").Int(c.Samples)
	w.Key("minBytes").Int(c.MinBytes)
	w.Key("maxBytes").Int(c.MaxBytes)
	w.Key("normalizedRmse").Float(c.NormalizedRMSE)
	w.Key("p95RelativeError").Float(c.P95RelativeError)
	w.End()
}

func (r *Result) writeRefusals(w *jsondoc.Writer) {
	w.Array()
	for i := range r.Refusals {
		f := &r.Refusals[i]
		w.Element().Object()
		w.Key("group").Text(f.Group)
		w.Key("statistic").Text(string(f.Statistic))
		w.Key("value").Float(f.Value)
		w.Key("bound").Float(f.Bound)
		w.Key("points").Array()
		for _, p := range f.Points {
			w.Element().Object()
			w.Key("observationId").Text(p.ObservationID)
			w.Key("at").Int(p.At)
			w.Key("value").Float(p.Value)
			w.End()
		}
		w.End()
		w.End()
	}
	w.End()
}
