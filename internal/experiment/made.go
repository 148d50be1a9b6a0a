package experiment

import (
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Made is a finished result with what it was made from.
type Made struct {
	Command    string
	Inputs     *Inputs
	Value      any // what a page is drawn of: *Ran, *run.Executed, *campaign.Faults and so on
	Confidence evidence.Class
	Machines   []*topology.Scenario // on which it was made, none or more

	document func(*jsondoc.Writer)
}

// WriteDocument writes the command's result document, with the inputs.
func (m *Made) WriteDocument(w *jsondoc.Writer) {
	w.AfterHead(m.Inputs.write)
	m.document(w)
}

// made puts together what a command made.
func (in *Inputs) made(command string, value any, confidence evidence.Class, document func(*jsondoc.Writer)) *Made {
	m := &Made{Command: command, Inputs: in, Value: value, Confidence: confidence, document: document}
	for _, s := range []*topology.Scenario{in.Scenario, in.Recovery} {
		if s != nil {
			m.Machines = append(m.Machines, s)
		}
	}
	return m
}
