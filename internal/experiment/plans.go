package experiment

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// PlanRevisions are the contracts behind the execution of a plan artifact.
func PlanRevisions() []jsondoc.Revision {
	return []jsondoc.Revision{{Name: "scenario", Revision: topology.SchemaVersion}, {Name: "plan", Revision: plan.ContractRevision},
		{Name: "planArtifact", Revision: plan.ArtifactRevision}}
}

// ArtifactRun is an artifact's plan, executed and replayed.
type ArtifactRun struct {
	*run.Executed
	Artifact *plan.Artifact
}

// PlanRun is the command plan-run.
func PlanRun(in *Inputs) (*ArtifactRun, *Made, error) {
	f, err := in.file(ArtifactFile)
	if err != nil {
		return nil, nil, err
	}
	r := new(ArtifactRun)
	if r.Artifact, err = plan.ReadArtifact(f.doc); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if r.Executed, err = run.ExecutePlan(r.Artifact.Scenario, r.Artifact.Plan, executor.Options{}); err != nil {
		return nil, nil, err
	}
	m := in.made("plan-run", r, r.Confidence, r.write)
	m.Machines = append(m.Machines, r.Scenario)
	return r, m, nil
}

// write writes the document of plan-run (contract 03 section 19).
func (r *ArtifactRun) write(w *jsondoc.Writer) {
	a := r.Artifact
	w.Object()
	w.Head(jsondoc.Head{Command: "plan-run", ContractRevisions: PlanRevisions(), ScenarioFingerprint: a.ScenarioFingerprint, Confidence: r.Confidence})
	w.Key("artifact").Object()
	w.Key("kind").Text(plan.ArtifactKind)
	w.Key("revision").Int(plan.ArtifactRevision)
	w.Key("artifactFingerprint").Text(a.ArtifactFingerprint)
	w.Key("scenarioFingerprint").Text(a.ScenarioFingerprint)
	w.Key("planFingerprint").Text(a.PlanFingerprint)
	w.End()
	w.Key("scenarioId").Text(a.Scenario.ID())
	w.Key("planId").Text(r.Plan.ID)
	w.Key("execution")
	r.Execution.Encode(w)
	w.Key("replay")
	r.Replay.Encode(w)
	w.End()
}

// head is the head of a campaign's document.
func (w *work) head(command string, revisions ...jsondoc.Revision) jsondoc.Head {
	return jsondoc.Head{
		Command:             command,
		ContractRevisions:   append(run.Revisions(), revisions...),
		ScenarioFingerprint: w.scenario.Fingerprint(),
		Confidence:          w.confidence(),
	}
}

var (
	concurrentRevision = jsondoc.Revision{Name: "concurrentTrace", Revision: trace.ConcurrentRevision}
	recoveryRevision   = jsondoc.Revision{Name: "nodeRecovery", Revision: trace.RecoveryRevision}
)

// FaultCampaign is the command fault-campaign. Watch, when not nil, is told of the
// plan before it runs and answers with what is shown every execution; neither keeps a
// trace.
func FaultCampaign(in *Inputs, watch func(*topology.Scenario, *plan.Plan) func(campaign.Case, *executor.Result)) (*campaign.Faults, *Made, error) {
	w, err := in.work()
	if err != nil {
		return nil, nil, err
	}
	p, err := w.plan()
	if err != nil {
		return nil, nil, err
	}
	var each func(campaign.Case, *executor.Result)
	if watch != nil {
		each = watch(w.scenario, p)
	}
	f, err := campaign.RunFaults(w.scenario, p, each)
	if err != nil {
		return nil, nil, err
	}
	f.Confidence = w.confidence()
	return f, in.made("fault-campaign", f, f.Confidence, func(d *jsondoc.Writer) { f.WriteDocument(d, w.head("fault-campaign")) }), nil
}

// seeded resolves a seeded campaign: its machine and plan, and its options.
func (in *Inputs) seeded() (*work, *plan.Plan, executor.CampaignOptions, error) {
	var options executor.CampaignOptions
	w, err := in.work()
	if err != nil {
		return nil, nil, options, err
	}
	if err := w.file.block(func(root document.Node) {
		options = campaign.ReadOptions(root, w.scenario.Spec().Execution.Seed)
	}); err != nil {
		return nil, nil, options, err
	}
	p, err := w.plan()
	return w, p, options, err
}

// ConcurrentCampaign is the command concurrent-campaign.
func ConcurrentCampaign(in *Inputs) (*campaign.Concurrent, *Made, error) {
	w, p, options, err := in.seeded()
	if err != nil {
		return nil, nil, err
	}
	c, err := campaign.RunConcurrent(w.scenario, p, options)
	if err != nil {
		return nil, nil, w.file.located(err)
	}
	c.Confidence = w.confidence()
	return c, in.made("concurrent-campaign", c, c.Confidence, func(d *jsondoc.Writer) {
		c.WriteDocument(d, w.head("concurrent-campaign", concurrentRevision))
	}), nil
}

// NodeFailure is the command concurrent-node-failure.
func NodeFailure(in *Inputs) (*campaign.NodeFailure, *Made, error) {
	w, p, options, err := in.seeded()
	if err != nil {
		return nil, nil, err
	}
	var fault trace.Fault
	if err := w.file.block(func(root document.Node) { fault = campaign.ReadNodeFailure(root) }); err != nil {
		return nil, nil, err
	}
	n, err := campaign.RunNodeFailure(w.scenario, p, options, fault)
	if err != nil {
		return nil, nil, w.file.located(err)
	}
	n.Confidence = w.confidence()
	return n, in.made("concurrent-node-failure", n, n.Confidence, func(d *jsondoc.Writer) {
		n.WriteDocument(d, w.head("concurrent-node-failure", concurrentRevision))
	}), nil
}

// Failover is the command node-failover.
func Failover(in *Inputs) (*campaign.Failover, *Made, error) {
	w, request, err := in.failover()
	if err != nil {
		return nil, nil, err
	}
	f, err := campaign.RunFailover(request)
	if err != nil {
		return nil, nil, w.file.located(err)
	}
	f.Confidence = evidence.Weakest(w.confidence(), run.Confidence(request.RecoveryScenario, w.model, false))
	head := w.head("node-failover", recoveryRevision)
	head.Confidence = f.Confidence
	return f, in.made("node-failover", f, f.Confidence, func(d *jsondoc.Writer) { f.WriteDocument(d, head) }), nil
}

// failover compiles both plans of a failover.
func (in *Inputs) failover() (*work, trace.FailoverRequest, error) {
	var q trace.FailoverRequest
	w, err := in.work()
	if err != nil {
		return nil, q, err
	}
	if in.Recovery == nil {
		return nil, q, issue.New("experiment_inputs", recoveryKey, "is missing")
	}
	if err := w.file.block(func(root document.Node) { q = campaign.ReadFailover(root) }); err != nil {
		return nil, q, err
	}
	q.FailedScenario = w.scenario
	if q.FailedPlan, err = w.plan(); err != nil {
		return nil, q, err
	}
	if q.RecoveryScenario, err = campaign.NextEpoch(w.scenario, in.Recovery); err != nil {
		return nil, q, err
	}
	q.RecoveryPlan, err = w.file.plan(q.RecoveryScenario, w.model)
	return w, q, err
}
