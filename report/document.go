package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	results "github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
)

// Document is one result: of a serving run, which alone can be compared with others, or
// of any other command, read with ReadResult.
type Document struct {
	Name string       // label, for example the name of its file; empty: the scenario's id
	Run  *serving.Run // nil: the result of another command
	Text []byte       // the full result document; nil: too large for a page, or written from Run

	// Fingerprint is that of the full document; empty: of Text, or of what Run gives.
	Fingerprint string

	Experts *composed.Run // the whole run when it has an expert cache; Run is its Serving

	made *experiment.Made // the result of any other command
}

// settle completes a document that was given as a run, and takes the fingerprint of
// one that was given as text.
func (d *Document) settle() (err error) {
	switch {
	case d.Fingerprint != "":
	case d.Text != nil:
		d.Fingerprint = canonical.FingerprintBytes(d.Text)
	case d.Experts != nil:
		d.Text, d.Fingerprint, err = Embeddable(func(w *jsondoc.Writer) { results.Composed(w, d.Experts, results.Full) })
	default:
		d.Text, d.Fingerprint, err = Embeddable(func(w *jsondoc.Writer) { results.Serving(w, d.Run, results.Full) })
	}
	return err
}

// Command is the command that printed the document.
func (d *Document) Command() string {
	if d.made != nil {
		return d.made.Command
	}
	return servingCommand
}

const servingCommand = "serving"

// Confidence is the class of the result.
func (d *Document) Confidence() evidence.Class {
	if d.made != nil {
		return d.made.Confidence
	}
	return d.Run.Confidence
}

// ScenarioIDs names the machines of the result, none or more.
func (d *Document) ScenarioIDs() []string {
	ids := []string{}
	if d.made == nil {
		return append(ids, d.Run.Scenario.ID())
	}
	for _, s := range d.made.Machines {
		ids = append(ids, s.ID())
	}
	return ids
}

// About completes what a page of the one document says about its making: what the
// document itself holds of it.
func (d *Document) About(meta *Meta) error {
	meta.Command, meta.Result, meta.OutputFingerprint = d.Command(), d.Text, d.Fingerprint
	if d.made == nil {
		return nil
	}
	fitted, err := d.made.Inputs.Calibrated()
	meta.InputFingerprint, meta.Calibration = d.made.Inputs.Main(), CalibrationOf(fitted)
	return err
}

// Page makes the page of the one result.
func (d *Document) Page(meta Meta) ([]byte, error) {
	switch {
	case d.made != nil:
		return PageOf(d.made.Value, meta)
	case d.Experts != nil:
		return Composed(d.Experts, meta)
	}
	return Serving(d.Run, meta)
}

// PageOf makes the page of the result of any command, also in the form in which
// notebooks have it. It answers ErrNoExecution for any other value.
func PageOf(v any, meta Meta) ([]byte, error) {
	switch v := v.(type) {
	case *run.Result:
		return Run(v, meta)
	case *experiment.Ran:
		return ran(v, meta)
	case *run.Executed:
		return PlanRun(v, meta)
	case *experiment.ArtifactRun:
		return PlanRun(v.Executed, meta)
	case *run.Comparison:
		return Comparison(v, meta)
	case *campaign.Faults:
		return FaultCampaign(v, meta)
	case *campaign.Concurrent:
		return ConcurrentCampaign(v, meta)
	case *campaign.NodeFailure:
		return NodeFailure(v, meta)
	case *campaign.Failover:
		return Failover(v, meta)
	case *experiment.Drafted:
		return draftedPage(v, meta)
	case SpeculativeResult:
		return Speculative(v, meta)
	case *speculative.Run:
		return Speculative(SpeculativeResult{Workload: v}, meta)
	case *experts.Run:
		return sweptPage(v, meta)
	case *serving.Run:
		return Serving(v, meta)
	case *composed.Run:
		return Composed(v, meta)
	case *serving.Comparison:
		return ServingComparison(v, meta)
	case *experiment.ServedEverywhere:
		if v.Composed != nil {
			return ComposedComparison(v.Comparison, v.Composed, meta)
		}
		return ServingComparison(v.Comparison, meta)
	case *calibration.Result:
		return Calibrate(v, meta)
	case RooflineStudy:
		return Roofline(v, meta)
	}
	return nil, ErrNoExecution
}

// sweptPage draws an expert cache, with the other hot capacities that meta asks about.
func sweptPage(r *experts.Run, meta Meta) ([]byte, error) {
	if r == nil || len(meta.WhatIf) == 0 {
		return ExpertCache(r, nil, meta)
	}
	sweep, err := experts.SweepHotCapacity(r.Config, meta.WhatIf)
	if err != nil {
		return nil, err
	}
	return ExpertCache(r, sweep, meta)
}

func draftedPage(d *experiment.Drafted, meta Meta) ([]byte, error) {
	r := SpeculativeResult{Workload: d.Workload, Tokens: d.Tokens}
	if d.Execution != nil {
		r.Run, r.Speculation = d.Execution.Run, d.Execution.Speculation
	}
	return Speculative(r, meta)
}

// Commands names the commands whose result documents pages can be drawn of.
func Commands() []string { return append([]string{servingCommand}, experiment.Commands()...) }

// ReadResult reads the full result document of any of Commands. The trace of a serving
// run is replayed, and its plans with it; any other result is made again from the
// inputs that its document carries. Either way the document that this gives must be the
// one that was read. An error says what is wrong; nothing that fails these checks is
// drawn.
func ReadResult(text []byte) (*Document, error) {
	doc := &Document{Text: text, Fingerprint: canonical.FingerprintBytes(text)}
	kind, command := headOf(text)
	switch {
	case kind == "" || kind == jsondoc.ResultKind && command == servingCommand:
		return doc, doc.readServing(text)
	case kind != jsondoc.ResultKind:
		return nil, issue.New("result_kind", "kind", "is %q; expected %q, the document that a command prints: it carries its inputs and needs no trace beside it (of a summary of serving, name the trace with --trace)",
			kind, jsondoc.ResultKind)
	case !slices.Contains(experiment.Commands(), command):
		return nil, issue.New("result_command", "command", "results of %q have no page; those of %s have", command, strings.Join(Commands(), ", "))
	}
	var err error
	doc.made, err = experiment.Again(text)
	return doc, err
}

// readServing reads the document of a serving run; only its reader knows whether it has
// an expert cache.
func (d *Document) readServing(text []byte) (err error) {
	var refused *issue.Error
	if d.Run, err = experiment.ServingDocument(bytes.NewReader(text)); !errors.As(err, &refused) || refused.Path != "inputs.experts" {
		return err
	}
	if d.Experts, err = resultdoc.ComposedRun(text); err == nil {
		d.Run = d.Experts.Serving
	}
	return err
}

// headOf reads what a document is from its first members, which stand before its bulk;
// empty when it is none of ours.
func headOf(text []byte) (kind, command string) {
	in := json.NewDecoder(bytes.NewReader(text))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return "", ""
	}
	for in.More() && (kind == "" || kind == jsondoc.ResultKind && command == "") {
		key, err := in.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			break
		}
		switch key {
		case "kind":
			_ = json.Unmarshal(value, &kind) // anything but a text leaves it empty
		case "command":
			_ = json.Unmarshal(value, &command)
		}
	}
	return kind, command
}

// ReadWithTrace reads the document of a serving run in any form, also a summary, with
// the run's trace document. Both are checked as ReadResult does; together they are the
// full document.
func ReadWithTrace(text []byte, protocol io.Reader) (*Document, error) {
	doc := new(Document)
	var err error
	if doc.Run, err = experiment.ServingSummary(text, protocol); err != nil {
		return nil, err
	}
	doc.Text, doc.Fingerprint, err = Embeddable(func(w *jsondoc.Writer) { results.Serving(w, doc.Run, results.Full) })
	return doc, err
}
