package experiment

import (
	"bytes"
	"io"

	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
)

// ServingDocument reads the full document of a serving run without an expert cache back
// into the whole run, with the plans of its batches. Its trace is replayed, its plans
// are compiled, executed and replayed, what speculation gained is measured, and the
// document that all of this gives must be the one that was read. Errors are those of
// resultdoc.Run and serving.Rebuild, and *issue.Error.
func ServingDocument(in io.ReadSeeker) (*serving.Run, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	read, err := resultdoc.Run(in)
	if err != nil {
		return nil, err
	}
	run, err := serving.Rebuild(read.Scenario, read.Config, read.Model, read.Trace, serving.RunOptions{Speculation: read.Speculation})
	if err != nil {
		return nil, err
	}
	if read.Gain != nil {
		if err := measureGain(run); err != nil {
			return nil, err
		}
	}
	return run, same(in, func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) })
}

// ServingSummary reads a document of such a run in any form, also a summary, with the
// serving-trace document of the run, and checks both as ServingDocument does.
func ServingSummary(text []byte, protocol io.Reader) (*serving.Run, error) {
	run, err := resultdoc.Trace(protocol)
	if err != nil {
		return nil, err
	}
	if run.Speculation != nil {
		if err := measureGain(run); err != nil {
			return nil, err
		}
	}
	if same(bytes.NewReader(text), func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) }) == nil {
		return run, nil
	}
	return run, same(bytes.NewReader(text), func(w *jsondoc.Writer) { result.Serving(w, run, result.Summary) })
}

// ServingTrace reads the serving-trace document of such a run back into the whole run.
// Its trace is replayed, its plans are compiled, executed and replayed, and the document
// that this gives must be the one that was read. Errors are those of resultdoc.Trace,
// and *issue.Error.
func ServingTrace(in io.ReadSeeker) (*serving.Run, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	run, err := resultdoc.Trace(in)
	if err != nil {
		return nil, err
	}
	return run, same(in, func(w *jsondoc.Writer) { result.ServingTraceDocument(w, run) })
}

// measureGain serves the same requests target-only. The event budget is the run's, not
// that of its baseline.
func measureGain(run *serving.Run) error {
	cfg := run.Config
	cfg.MaxEvents = quantity.MaxSafe
	baseline, err := serving.Simulate(run.Scenario, cfg, run.Model, serving.RunOptions{})
	if err == nil {
		run.Gain = serving.NewGain(run, baseline)
	}
	return err
}
