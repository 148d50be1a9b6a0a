// Package documents turns the files that commands leave into tables: exported
// results and trace documents of every kind.
//
// In goes a document as it lies on the disk; out come the tables that it holds.
// Nothing is believed: traces are replayed, and what a document does not hold is
// either derived again from its inputs or is not among its tables. A document
// without tables is refused with the kinds that have some.
//
// Contracts: those of the documents (serving trace revision 3, plan revision 5,
// concurrent trace 1, expert cache 5, serving expert-cache composition 3, paged KV 1,
// speculative iteration 1, proposer family 2).
package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/resultdoc"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// reader makes the tables of one kind of document.
type reader struct {
	kind   string
	tables func(r io.ReadSeeker, h head, opt arrowio.Options) ([]*arrowio.Table, error)
}

// readers lists the kinds that have tables.
func readers() []reader {
	return []reader{
		{jsondoc.ResultKind, results},
		{result.ServingTraceKind, servingTrace},
		{trace.PlanDocumentKind, plans},
		{trace.FaultDocumentKind, plans},
		{trace.ConcurrentDocumentKind, plans},
		{trace.NodeFailureDocumentKind, plans},
		{trace.FailoverDocumentKind, plans},
		{trace.ExpertsDocumentKind, expertCache},
		{trace.SpeculativeDocumentKind, speculativeTrace},
	}
}

// Kinds lists the kinds of documents that have tables.
func Kinds() []string {
	var kinds []string
	for _, r := range readers() {
		kinds = append(kinds, r.kind)
	}
	return kinds
}

// Tables reads a document and returns its tables in a fixed order. Errors are
// *issue.Error, mismatches of the replays, and those of the reader.
func Tables(r io.ReadSeeker, opt arrowio.Options) ([]*arrowio.Table, error) {
	h, err := readHead(r)
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	for _, kind := range readers() {
		if kind.kind == h.kind {
			return kind.tables(r, h, opt)
		}
	}
	return nil, issue.New("export_kind", "kind", "%q has no tables; kinds with tables are %s", h.kind, strings.Join(Kinds(), ", "))
}

// head is what decides how a document is read.
type head struct {
	kind, command string
	composed      bool
}

// readHead reads the members that stand before the bulk of a document, wherever a
// rewriter may have put them: it stops at the first that holds a list or an object
// once the kind is known.
func readHead(r io.Reader) (head, error) {
	var h head
	dec := json.NewDecoder(r)
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return h, issue.New("export_syntax", "", "expected a JSON object that begins with kind")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return h, issue.New("export_syntax", "", "at byte %d: %v", dec.InputOffset(), err)
		}
		var value json.RawMessage
		if key == "trace" && h.kind != "" {
			return h, nil
		}
		if err := dec.Decode(&value); err != nil {
			return h, issue.New("export_syntax", fmt.Sprint(key), "at byte %d: %v", dec.InputOffset(), err)
		}
		switch key {
		case "kind":
			err = json.Unmarshal(value, &h.kind)
		case "command":
			err = json.Unmarshal(value, &h.command)
		case "compositionRevision":
			h.composed = true
		}
		if err != nil {
			return h, issue.New("export_syntax", fmt.Sprint(key), "%v", err)
		}
		if h.kind == jsondoc.ResultKind && h.command != "" || h.kind != "" && h.kind != jsondoc.ResultKind && h.kind != result.ServingTraceKind {
			return h, nil
		}
	}
	return h, nil
}

// results reads the exported result of a command.
func results(r io.ReadSeeker, h head, opt arrowio.Options) ([]*arrowio.Table, error) {
	switch h.command {
	case "serving":
		return servingResult(r, opt)
	case "speculative":
		return speculativeResult(r, opt)
	case experts.Command:
		return expertResult(r, opt)
	}
	return nil, issue.New("export_command", "command", "the result of %q has no tables; those of serving, speculative and expert-cache have, and the trace document that --trace leaves", h.command)
}

// servingResult reads the result of serving. Its trace is replayed and its plans are
// made again; it must be the document that this gives. One with an expert cache is run
// again from its inputs, because it does not hold what happened beside the scheduler.
// Documents of older versions hold no inputs, and only the tables of what they say.
func servingResult(r io.ReadSeeker, opt arrowio.Options) ([]*arrowio.Table, error) {
	run, err := experiment.ServingDocument(r)
	if err == nil {
		return servingTables(run, opt), nil
	}
	var refused *issue.Error
	if !errors.As(err, &refused) || refused.Path != "inputs.experts" && refused.Path != "inputs" {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if refused.Path == "inputs" {
		served, err := resultdoc.Serving(r, opt)
		if err != nil {
			return nil, err
		}
		return served.All(), nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	composed, err := resultdoc.ComposedRun(text)
	if err != nil {
		return nil, err
	}
	return arrowio.Composed(composed, opt).All(), nil
}

func servingTrace(r io.ReadSeeker, h head, opt arrowio.Options) ([]*arrowio.Table, error) {
	if h.composed {
		run, err := resultdoc.ComposedTrace(r)
		if err != nil {
			return nil, err
		}
		return arrowio.Composed(run, opt).All(), nil
	}
	run, err := experiment.ServingTrace(r)
	if err != nil {
		return nil, err
	}
	return servingTables(run, opt), nil
}

// servingTables are the tables of a whole run.
func servingTables(run *serving.Run, opt arrowio.Options) []*arrowio.Table {
	served := arrowio.Serving(run, opt)
	tables := served.All()
	if run.Speculation != nil {
		tables = append(tables, served.AcceptanceByPosition())
	}
	return tables
}

// tree reads a whole document as a tree.
func tree(r io.Reader) (document.Value, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return document.Value{}, err
	}
	return document.ParseJSON(text, "")
}

// resultTree reads a result as a tree and makes it again from its inputs.
func resultTree(r io.Reader) (document.Value, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return document.Value{}, err
	}
	root, err := document.ParseJSON(text, "")
	if err != nil || root.Get("inputs") == nil { // older documents hold no inputs
		return root, err
	}
	_, err = experiment.Again(text)
	return root, err
}

func plans(r io.ReadSeeker, _ head, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := tree(r)
	if err != nil {
		return nil, err
	}
	d, err := planreplay.ReadDocument(root)
	if err != nil {
		return nil, err
	}
	if err := d.Verify(); err != nil {
		return nil, err
	}
	if len(d.Contents.Executions) == 0 || d.Kind == trace.FaultDocumentKind && d.Contents.Executions[0].CaseID != "" {
		return nil, errors.New("trace: the document holds no execution, or no run without a fault")
	}
	return arrowio.PlanDocument(d, opt), nil
}
