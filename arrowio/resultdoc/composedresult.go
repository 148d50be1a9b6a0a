package resultdoc

import (
	"bytes"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
)

// ComposedRun reads the full result document of a serving run with an expert cache
// back into the whole run, the traces of the cache and of all plans included. The
// run is made again from the document's inputs, and its own document must be the one
// that was read. A document of a run without an expert cache gives nil and no error.
func ComposedRun(text []byte) (*composed.Run, error) {
	d, err := read(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if d.inputs == nil || d.inputs.Experts == nil {
		return nil, nil
	}
	if d.inputs.Serving == nil || d.inputs.Scenario == nil {
		return nil, issue.New("result_inputs", "inputs", "hold no scenario and no configuration")
	}
	run, err := d.composeAgain()
	if err != nil {
		return nil, err
	}
	w := jsondoc.NewWriter(nil)
	result.Composed(w, run, result.Full)
	if err := w.Close(); err != nil {
		return nil, err
	}
	same, err := sameDocument(text, w.Bytes())
	if err == nil && !same {
		err = issue.New("result_replay", "", "the document differs from the one that its inputs give")
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}
