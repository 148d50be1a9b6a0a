package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
)

// ServingInputs writes what a run was made from: the scenario, the cost model, the
// scheduler's configuration with its defaults filled in and, if there is one, the
// proposer's. With it a document stands alone: an independent replay, a page and a
// comparison need no other file.
func ServingInputs(w *jsondoc.Writer, run *serving.Run) {
	w.Object()
	servingInputMembers(w, run)
	w.End()
}

// servingInputMembers writes the members of an object that others may join.
func servingInputMembers(w *jsondoc.Writer, run *serving.Run) {
	w.Key("scenario").Value(run.Scenario.Document())
	w.Key("costModel")
	run.Model.WriteDocument(w)
	w.Key("serving")
	servingConfig(w, &run.Config)
	if run.Speculation != nil {
		w.Key("speculation")
		servingSpeculation(w, run.Speculation)
	}
}
