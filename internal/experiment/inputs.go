package experiment

import (
	"fmt"
	"strings"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
)

// The files of command lines, by what they are. The word is the member of the inputs
// that holds the file.
const (
	WorkloadFile    = "workload"
	CalibrationFile = "calibration"
	ConfigFile      = "config"
	TokenTraceFile  = "tokenTrace"
	TargetOnlyFile  = "targetOnlyCapture"
	SpeculativeFile = "speculativeCapture"
	DatasetFile     = "dataset"
	ArtifactFile    = "artifact"
)

// fileKeys lists them in the order in which a document writes them.
var fileKeys = []string{WorkloadFile, ConfigFile, TokenTraceFile, TargetOnlyFile, SpeculativeFile, DatasetFile, ArtifactFile, CalibrationFile}

// The machines among the inputs.
const (
	scenarioKey = "scenario"
	recoveryKey = "recoveryScenario"
)

// Inputs are what a command is asked to work on.
type Inputs struct {
	Scenario *topology.Scenario // nil: the command names no machine
	Recovery *topology.Scenario // of a failover

	Strict bool                                           // keys that a reader would ignore are errors
	Warn   func(name string, warnings []document.Warning) // is told of keys that a reader ignored; nil: nobody is

	files  map[string]file
	fitted *calibration.Result // of the calibration, once it was asked for
}

// file is a document with the name that refusals give it.
type file struct {
	name string
	doc  document.Value
}

// located names the file in a refusal of one of its blocks, unless it is named. The
// settings of a serving file may stand at its root.
func (f file) located(err error) error {
	found := issue.All(err)
	if len(found) == 0 || strings.HasPrefix(err.Error(), f.name) {
		return err
	}
	if block, _, _ := strings.Cut(found[0].Path, "."); block != "serving" && f.doc.Get(block) == nil {
		return err
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// Located names the file under one of the words above in a refusal that points into it.
func (in *Inputs) Located(key string, err error) error {
	if f, ok := in.files[key]; ok {
		return f.located(err)
	}
	return err
}

// Add adds a file under one of the words above; name is for messages.
func (in *Inputs) Add(key, name string, doc document.Value) {
	if in.files == nil {
		in.files = make(map[string]file)
	}
	in.files[key] = file{name, doc}
}

// Fingerprint is that of a file's canonical text; empty when there is no such file.
func (in *Inputs) Fingerprint(key string) string {
	f, ok := in.files[key]
	if !ok {
		return ""
	}
	text, err := canonical.Fingerprint(f.doc.Canonical())
	if err != nil {
		return "" // a document that was read holds finite numbers only
	}
	return text
}

// Main is the fingerprint of the file that says what to do.
func (in *Inputs) Main() string {
	for _, key := range fileKeys {
		if f := in.Fingerprint(key); f != "" {
			return f
		}
	}
	return ""
}

// file is a file that the command needs.
func (in *Inputs) file(key string) (file, error) {
	f, ok := in.files[key]
	if !ok {
		return f, issue.New("experiment_inputs", key, "is missing")
	}
	return f, nil
}

// machine is the scenario of a command that needs one.
func (in *Inputs) machine() (*topology.Scenario, error) {
	if in.Scenario == nil {
		return nil, issue.New("experiment_inputs", scenarioKey, "is missing")
	}
	return in.Scenario, nil
}

func (in *Inputs) warn(name string, warnings []document.Warning) {
	if in.Warn != nil && len(warnings) > 0 {
		in.Warn(name, warnings)
	}
}

// Calibrated is the fitted dataset behind the cost model; nil when there is none.
func (in *Inputs) Calibrated() (*calibration.Result, error) {
	f, ok := in.files[CalibrationFile]
	if !ok || in.fitted != nil {
		return in.fitted, nil
	}
	fitted, err := in.fit(f)
	if err != nil {
		return nil, err
	}
	in.fitted = fitted
	return fitted, nil
}

// fit reads and fits a dataset. A dataset that only its fit refuses gives both the
// diagnosis and the error.
func (in *Inputs) fit(f file) (*calibration.Result, error) {
	d, warnings, err := calibration.Read(f.doc, in.Strict)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	in.warn(f.name, warnings)
	fitted, err := calibration.Fit(d)
	if err != nil {
		return fitted, fmt.Errorf("%s: %w", f.name, err)
	}
	return fitted, nil
}

// Model is the cost model: the fitted one, or the default.
func (in *Inputs) Model() (*cost.Model, error) {
	fitted, err := in.Calibrated()
	if err != nil {
		return nil, err
	}
	if fitted == nil {
		return cost.Default(), nil
	}
	return fitted.Model, nil
}

// write writes the member inputs of a document.
func (in *Inputs) write(w *jsondoc.Writer) {
	w.Key("inputs").Object()
	if in.Scenario != nil {
		w.Key(scenarioKey).Value(in.Scenario.Document())
	}
	if in.Recovery != nil {
		w.Key(recoveryKey).Value(in.Recovery.Document())
	}
	for _, key := range fileKeys {
		if f, ok := in.files[key]; ok {
			w.Key(key).Value(f.doc.Canonical())
		}
	}
	w.End()
}

// readInputs reads what write wrote.
func readInputs(root *document.Value) (*Inputs, error) {
	v := root.Get("inputs")
	if v == nil || v.Kind() != document.Object {
		return nil, issue.New("result_inputs", "inputs", "is absent: the document does not say what it was made from, as those of earlier versions; run its command again")
	}
	in := new(Inputs)
	var err error
	if s := v.Get(scenarioKey); s != nil {
		if in.Scenario, err = topology.ReadScenario(*s); err != nil {
			return nil, fmt.Errorf("inputs.%s: %w", scenarioKey, err)
		}
	}
	if s := v.Get(recoveryKey); s != nil {
		if in.Recovery, err = topology.ReadScenario(*s); err != nil {
			return nil, fmt.Errorf("inputs.%s: %w", recoveryKey, err)
		}
	}
	for _, key := range fileKeys {
		if f := v.Get(key); f != nil {
			in.Add(key, "inputs."+key, *f)
		}
	}
	return in, nil
}
