package main

import (
	"path/filepath"
	"slices"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/spf13/cobra"
)

// Arguments that name a machine; the words of package experiment stand for files.
const (
	targetArgument   = "TARGET"
	recoveryArgument = "RECOVERY-TARGET"
)

// asked is a command line with what its arguments stand for.
type asked struct {
	*experiment.Inputs
	cmd  *cobra.Command
	args []string
	what []string
}

// asked resolves arguments: machines, and files as the words of package experiment
// name them. Arguments beyond the words are ignored.
func (a *app) asked(cmd *cobra.Command, args []string, what ...string) (*asked, error) {
	q := &asked{Inputs: &experiment.Inputs{Strict: a.strict, Warn: a.warn}, cmd: cmd, args: args[:min(len(args), len(what))], what: what}
	for i, path := range q.args {
		switch what[i] {
		case targetArgument, recoveryArgument:
			s, err := target(path)
			if err != nil {
				return nil, err
			}
			q.machine(what[i], s)
		default:
			doc, err := readDocument(path)
			if err != nil {
				return nil, err
			}
			q.Add(what[i], path, doc)
		}
	}
	return q, nil
}

func (q *asked) machine(what string, s *topology.Scenario) {
	if what == targetArgument {
		q.Scenario = s
	} else {
		q.Recovery = s
	}
}

// files is what a page says about the command line that repeats its result, and the
// files that must travel with it, named without their folders. Requests is the request
// trace that was read, if any.
func (q *asked) files(requests string) (report.Meta, error) {
	meta := report.Meta{Command: q.cmd.Name(), CommandLine: reproduction(q.cmd, q.args, requests != "")}
	paths := q.args
	if requests != "" {
		paths = append(slices.Clone(paths), requests)
	}
	for i, path := range paths {
		fingerprint := ""
		if i < len(q.args) {
			fingerprint = q.Fingerprint(q.what[i])
			if machine := q.what[i] == targetArgument || q.what[i] == recoveryArgument; machine && !isFile(path) {
				continue // a preset
			}
		}
		if fingerprint == "" {
			var err error
			if fingerprint, err = fileFingerprint(path); err != nil {
				return meta, err
			}
		}
		meta.Inputs = append(meta.Inputs, report.Input{Name: filepath.Base(path), Fingerprint: fingerprint, Travels: true})
	}
	return meta, nil
}

// meta is what the page of a result says about its making, with the document that it
// embeds; nil: none.
func (q *asked) meta(requests string, document func(*jsondoc.Writer)) (report.Meta, error) {
	meta, err := q.files(requests)
	if err != nil {
		return meta, err
	}
	fitted, err := q.Calibrated()
	if err != nil {
		return meta, err
	}
	meta.Calibration = report.CalibrationOf(fitted)
	if document == nil {
		return meta, nil
	}
	meta.Result, meta.OutputFingerprint, err = report.Embeddable(document)
	return meta, err
}

// metaOf is meta for a result that was made.
func (q *asked) metaOf(made *experiment.Made) (report.Meta, error) {
	meta, err := q.meta("", made.WriteDocument)
	meta.InputFingerprint = q.Main()
	return meta, err
}

// leave writes the outputs of a result that was made: those of e, the document, and
// the page.
func (a *app) leave(o *servingOutputs, q *asked, made *experiment.Made, sheets func() []sheet, e servingEvidence) error {
	e.print = a.printing(made.WriteDocument, sheets)
	e.meta = func() (report.Meta, error) { return q.metaOf(made) }
	if e.page == nil {
		e.page = func(about report.Meta) ([]byte, error) { return report.PageOf(made.Value, about) }
	}
	return o.leave(e)
}
