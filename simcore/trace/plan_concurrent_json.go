package trace

import "github.com/inferlab/inferlab/simcore/jsondoc"

// Encode writes the admission as a JSON object.
func (a *Admission) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("executionId").Text(a.ExecutionID)
	w.Key("arrivalNs").Int(a.ArrivalNs)
	w.Key("admissionOrder").Int(a.AdmissionOrder)
	w.End()
}

// Encode writes the concurrent trace as a JSON object (contract 03 section 13.5).
func (c *Concurrent) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("revision").Int(c.Revision)
	w.Key("admissions").Array()
	for i := range c.Admissions {
		w.Element()
		c.Admissions[i].Encode(w)
	}
	w.End()
	w.Key("operations").Array()
	for i := range c.Operations {
		w.Element().Object()
		w.Key("globalSequence").Int(c.Operations[i].GlobalSequence)
		w.Key("event")
		c.Operations[i].Event.Encode(w)
		w.End()
	}
	w.End()
	w.Key("terminals").Array()
	for i := range c.Terminals {
		w.Element()
		c.Terminals[i].Encode(w)
	}
	w.End()
	w.End()
}
