package arrowio

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// PlanDocument returns the tables of a trace document of plan executions that was
// verified. A trace does not say where its durations come from: their class is
// heuristic.
func PlanDocument(d *planreplay.Document, opt Options) []*Table {
	c := &d.Contents
	p := planProvenance(strings.TrimPrefix(d.Kind, "inferlab/"), c.Scenario, evidence.Heuristic, documentRevisions(d.Kind)...)
	if d.Kind == trace.FaultDocumentKind {
		t := FaultCampaign(faultsOf(c), opt)
		t.provenance = p
		return t.All()
	}
	executions := make([]PlanExecution, len(c.Executions))
	for i, e := range c.Executions {
		executions[i] = PlanExecution{Plan: e.Plan, Trace: e.Trace, ArrivalNs: e.ArrivalNs, OffsetNs: e.OffsetNs}
	}
	return Plans(c.Scenario, executions, p, opt).All()
}

// documentRevisions are the contracts of a kind of document beside that of plans.
func documentRevisions(kind string) []jsondoc.Revision {
	switch kind {
	case trace.ConcurrentDocumentKind, trace.NodeFailureDocumentKind:
		return []jsondoc.Revision{concurrentTraceRevision}
	case trace.FailoverDocumentKind:
		return []jsondoc.Revision{{Name: "nodeRecovery", Revision: trace.RecoveryRevision}}
	}
	return nil
}

// faultsOf is the campaign that a document holds. What its cases say follows from
// their traces.
func faultsOf(c *planreplay.Contents) *campaign.Faults {
	f := &campaign.Faults{Scenario: c.Scenario, Confidence: evidence.Heuristic}
	for _, e := range c.Executions {
		end := &e.Trace.Terminal
		one := campaign.Case{ID: e.CaseID, Fault: end.Fault, Status: end.Status, CompletedAtNs: end.TimestampNs,
			SubmittedSteps: int64(len(e.Trace.Operations)), UnsubmittedStepIDs: end.UnsubmittedStepIDs,
			RankStates: end.RankStates, AppliedEvents: int64(len(e.Trace.Operations)) + 1}
		if e.CaseID == "" {
			f.Plan, f.Trace, f.Baseline = e.Plan, e.Trace, one
			continue
		}
		f.Cases = append(f.Cases, one)
	}
	return f
}
