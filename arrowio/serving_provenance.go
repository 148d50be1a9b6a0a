package arrowio

import "github.com/inferlab/inferlab/simcore/serving"

// servingProvenance names the run that the tables come from. A run without a
// scenario, which only hand-made runs are, leaves those facts empty.
func servingProvenance(run *serving.Run) Provenance {
	p := Provenance{Command: "serving", Confidence: run.Confidence, Revisions: run.ContractRevisions}
	if run.Scenario != nil {
		p.ScenarioID, p.ScenarioFingerprint = run.Scenario.ID(), run.Scenario.Fingerprint()
	}
	return p
}
