package plan

import (
	"errors"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
)

// What identifies a plan artifact (contract 03 section 5).
const (
	ArtifactKind           = "inference-sim/frozen-plan"
	ArtifactRevision int64 = 1
)

// Artifact is a plan together with the scenario it was made for, under
// fingerprints that show whether either was altered. Both are valid.
type Artifact struct {
	Scenario *topology.Scenario
	Plan     *Frozen

	ScenarioFingerprint string
	PlanFingerprint     string
	ArtifactFingerprint string
}

// NewArtifact packs a plan with its scenario. The error is that of Validate.
func NewArtifact(scn *topology.Scenario, p *Plan) (*Artifact, error) {
	frozen, err := Validate(scn, p)
	if err != nil {
		return nil, err
	}
	a := &Artifact{Scenario: scn, Plan: frozen, ScenarioFingerprint: scn.Fingerprint()}
	if a.PlanFingerprint, err = p.Fingerprint(); err != nil {
		return nil, err
	}
	a.ArtifactFingerprint, err = canonical.Fingerprint(a.body(scn.Document(), Object(p)))
	return a, err
}

// body is the artifact without its own fingerprint.
func (a *Artifact) body(scenario, plan any) canonical.Object {
	return canonical.Object{
		{Key: "kind", Value: ArtifactKind},
		{Key: "plan", Value: plan},
		{Key: "planContractRevision", Value: ContractRevision},
		{Key: "planFingerprint", Value: a.PlanFingerprint},
		{Key: "revision", Value: ArtifactRevision},
		{Key: "scenario", Value: scenario},
		{Key: "scenarioFingerprint", Value: a.ScenarioFingerprint},
		{Key: "scenarioSchemaVersion", Value: topology.SchemaVersion},
	}
}

// Text returns the artifact's file: pretty canonical JSON and one final newline.
func (a *Artifact) Text() ([]byte, error) {
	o := append(a.body(a.Scenario.Document(), Object(a.Plan.plan)),
		canonical.Member{Key: "artifactFingerprint", Value: a.ArtifactFingerprint})
	text, err := canonical.Pretty(o)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// ReadArtifact reads an artifact and makes the seven checks of contract 03 section
// 5 in their order. The error is the first failure: an *issue.Error, or for the
// semantic rules an *issue.List of every violation, those of the scenario first
// and with codes and paths under "scenario.".
func ReadArtifact(doc document.Value) (*Artifact, error) {
	r := document.NewReader(doc, "")
	root := r.Root()
	readEnvelope(root)
	sketch := new(topology.Sketch)
	p := new(Plan)
	if root.OK() {
		sketch = topology.ReadSketch(root.Get("scenario"))
	}
	if root.OK() {
		p = Read(root.Get("plan"))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	a := &Artifact{}
	if err := a.compareFingerprints(root); err != nil {
		return nil, err
	}
	scn, err := sketch.Validate()
	if err != nil {
		return nil, joinIssues(p.ID, err, sketch.Spec(), p)
	}
	a.Scenario = scn
	a.Plan, err = Validate(scn, p)
	return a, err
}

// readEnvelope makes checks 1 to 3.
func readEnvelope(root document.Node) {
	if !root.Closed([]string{"kind", "revision", "scenarioSchemaVersion", "planContractRevision",
		"scenarioFingerprint", "planFingerprint", "artifactFingerprint", "scenario", "plan"}) {
		return
	}
	if n := root.Get("kind"); n.Value().Kind() != document.String || n.Value().Text() != ArtifactKind {
		n.Fail("artifact_kind", "expected %q, found %s", ArtifactKind, n.Value().Describe())
	}
	for _, want := range []struct {
		key   string
		value int64
	}{
		{"revision", ArtifactRevision},
		{"scenarioSchemaVersion", topology.SchemaVersion},
		{"planContractRevision", ContractRevision},
	} {
		n := root.Get(want.key)
		if v := n.Value(); v != nil && (v.Kind() != document.Number || v.Number() != float64(want.value)) {
			n.Fail("artifact_revision", "expected %d, found %s; nothing is migrated", want.value, v.Describe())
		}
	}
	for _, key := range fingerprintKeys {
		n := root.Get(key)
		if v := n.Value(); v != nil && (v.Kind() != document.String || !canonical.IsFingerprint(v.Text())) {
			n.Fail("fingerprint_form", "expected fnv1a32: and 8 digits 0-9a-f, found %s", v.Describe())
		}
	}
}

var fingerprintKeys = [3]string{"scenarioFingerprint", "planFingerprint", "artifactFingerprint"}

// compareFingerprints makes check 6 over the values as they stand in the document.
func (a *Artifact) compareFingerprints(root document.Node) error {
	a.ScenarioFingerprint = root.Get("scenarioFingerprint").Text()
	a.PlanFingerprint = root.Get("planFingerprint").Text()
	a.ArtifactFingerprint = root.Get("artifactFingerprint").Text()
	scenario, p := root.Get("scenario").Value().Canonical(), root.Get("plan").Value().Canonical()
	for i, part := range []struct {
		name, recorded string
		value          any
	}{
		{"scenario", a.ScenarioFingerprint, scenario},
		{"plan", a.PlanFingerprint, p},
		{"artifact", a.ArtifactFingerprint, a.body(scenario, p)},
	} {
		computed, err := canonical.Fingerprint(part.value)
		if err != nil {
			return issue.New("fingerprint", fingerprintKeys[i], "the %s has no canonical text: %v", part.name, err)
		}
		if computed != part.recorded {
			return issue.New("fingerprint", fingerprintKeys[i], "the %s was altered: %s is recorded, %s computed", part.name, part.recorded, computed)
		}
	}
	return nil
}

// joinIssues lists an invalid scenario's violations and then those of the plan.
func joinIssues(planID string, scenario error, spec *topology.Spec, p *Plan) error {
	all := issue.List{Subject: "plan " + planID}
	for _, e := range issue.All(scenario) {
		all.Issues = append(all.Issues, &issue.Error{Code: "scenario." + e.Code, Path: "scenario." + e.Path, Message: e.Message})
	}
	if len(all.Issues) == 0 { // no violation but a failure of another kind
		return scenario
	}
	if _, err := NewFabric(spec).Validate(p); err != nil {
		var list *issue.List
		if errors.As(err, &list) {
			all.Issues = append(all.Issues, list.Issues...)
		}
	}
	return all.Err()
}
