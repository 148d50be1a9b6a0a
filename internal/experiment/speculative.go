package experiment

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Drafted is a speculative workload as a protocol, with what came with it.
type Drafted struct {
	Workload  *speculative.Run
	Tokens    *speculative.TokenRun // nil: without token values
	Execution *result.Execution     // nil: without a machine
}

// confidence is the class of the document.
func (d *Drafted) confidence() evidence.Class {
	switch {
	case d.Execution != nil:
		return d.Execution.Run.Confidence
	case d.Tokens != nil:
		return evidence.Exact
	}
	return result.SpeculativeConfidence(d.Workload)
}

// WriteTrace writes the protocol trace: the record of the iterations with all that
// replays it, token values and the trace of the machine's plan included.
func (d *Drafted) WriteTrace(w *jsondoc.Writer) {
	document := trace.SpeculativeDocument{Config: &d.Workload.Config, Trace: &d.Workload.Trace}
	if d.Tokens != nil {
		document.Tokens, document.Committed = d.Tokens.Trace, d.Tokens.Committed
	}
	if d.Execution != nil {
		r := d.Execution.Run
		document.Execution = func(w *jsondoc.Writer) { trace.WritePlanDocument(w, r.Scenario, r.Compiled.Plan, r.Trace) }
	}
	document.Write(w)
}

// Speculative is the command speculative.
func Speculative(in *Inputs) (*Drafted, *Made, error) {
	f, err := in.file(ConfigFile)
	if err != nil {
		return nil, nil, err
	}
	cfg, warnings, err := workload.ReadSpeculative(f.doc, in.Strict)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	in.warn(f.name, warnings)
	d := new(Drafted)
	if d.Workload, err = speculative.Simulate(*cfg); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return d, in.made("speculative", d, d.confidence(), func(w *jsondoc.Writer) { result.Speculative(w, d.Workload) }), nil
}

// TokenTrace is the command speculative-trace.
func TokenTrace(in *Inputs) (*Drafted, *Made, error) {
	f, err := in.file(TokenTraceFile)
	if err != nil {
		return nil, nil, err
	}
	d := new(Drafted)
	t, err := speculative.ReadTokenTrace(f.doc)
	if err == nil {
		d.Tokens, err = speculative.CheckTokens(t)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if err := d.execute(in); err != nil {
		return nil, nil, err
	}
	return d, in.made("speculative-trace", d, d.confidence(), func(w *jsondoc.Writer) { result.TokenTrace(w, d.Tokens, d.Execution) }), nil
}

// Capture is the command speculative-capture.
func Capture(in *Inputs) (*Drafted, *Made, error) {
	var captures [2]*trace.Capture
	var names [2]string
	for i, key := range []string{TargetOnlyFile, SpeculativeFile} {
		f, err := in.file(key)
		if err != nil {
			return nil, nil, err
		}
		names[i] = f.name
		if captures[i], err = speculative.ReadCapture(f.doc); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	c, err := speculative.BindCaptures(captures[0], captures[1])
	if err != nil {
		return nil, nil, fmt.Errorf("%s with %s: %w", names[0], names[1], err)
	}
	d := &Drafted{Tokens: c.Tokens}
	if err := d.execute(in); err != nil {
		return nil, nil, err
	}
	return d, in.made("speculative-capture", d, d.confidence(), func(w *jsondoc.Writer) { result.Capture(w, c, d.Execution) }), nil
}

// execute runs the derived iterations on the machine, if one is named.
func (d *Drafted) execute(in *Inputs) error {
	d.Workload = d.Tokens.Workload
	if in.Scenario == nil {
		return nil
	}
	model, err := in.Model()
	if err != nil {
		return err
	}
	profile, err := d.Workload.Trace.Profile()
	if err != nil {
		return err
	}
	e := &result.Execution{}
	if e.Run, err = run.Execute(in.Scenario, profile, model); err != nil {
		return err
	}
	d.Execution = e
	e.Speculation, err = run.MeasureSpeculation(e.Run, &d.Workload.Trace, model)
	return err
}
