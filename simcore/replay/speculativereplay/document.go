package speculativereplay

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/kvreplay"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Rules of documents only.
const (
	Unreadable Rule = "unreadable" // an iteration, or what follows the iterations, is not of the form
	Tokens     Rule = "tokens"     // an iteration is not what its token values imply
	Execution  Rule = "execution"  // the trace of the plan breaks a rule of its own
)

// Document is a trace document: inferlab/speculative-trace.
type Document struct {
	Config    workload.SpeculativeRun // valid
	Trace     trace.Speculative       // as far as it could be read
	Tokens    *trace.TokenTrace       // nil: the document holds no token values
	Committed []int64
	Execution *planreplay.Document // nil: there was no machine

	fault    *Mismatch       // where the readable part of the trace ends
	events   *document.Value // of the page cache, nil without paging
	snapshot *document.Value // its final state
}

// ReadDocument reads a trace document. What lies around the trace is refused here,
// as an *issue.Error; the configuration is valid afterwards. A part of the trace
// that cannot be read is reported by Verify at its place.
func ReadDocument(root document.Value) (*Document, error) {
	r := document.NewReader(root, "")
	n := r.Root()
	d := &Document{}
	if n.Closed([]string{"kind", "revision", "contractRevision", "inputs", "trace"}, "execution") {
		n.Get("kind").OneOf(trace.SpeculativeDocumentKind)
		exactly(n.Get("revision"), trace.SpeculativeDocumentRevision)
		exactly(n.Get("contractRevision"), trace.SpeculativeIterationRevision)
	}
	if inputs := n.Get("inputs"); inputs.Closed([]string{"workload"}, "tokens") {
		readWorkload(inputs.Get("workload"), &d.Config)
		if t := inputs.Get("tokens"); t.Present() {
			d.Tokens = readTokens(t, &d.Config)
		}
	}
	record := n.Get("trace")
	record.Object()
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := d.Config.Validate(); err != nil {
		return nil, under("inputs.workload", err)
	}
	if e := n.Get("execution"); e.Present() {
		var err error
		if d.Execution, err = planreplay.ReadDocument(*e.Value()); err != nil {
			return nil, under("execution", err)
		}
	}
	d.readTrace(record)
	return d, nil
}

// under says in which part of the document a refusal arose.
func under(part string, err error) error {
	if all := issue.All(err); len(all) > 0 {
		return issue.New(all[0].Code, part, "%s", all[0].Error())
	}
	return fmt.Errorf("%s: %w", part, err)
}

func exactly(n document.Node, want int64) {
	if v := n.Integer(); n.OK() && v != want {
		n.Fail(document.CodeChoice, "%d is not supported, expected %d", v, want)
	}
}

// Verify derives the record again, from the configuration and, if there are any,
// from the token values, and replays the page cache and the plan. The error is a
// *Mismatch with the first iteration that breaks a rule.
func (d *Document) Verify() (Result, error) {
	r, err := d.derive()
	var bad *Mismatch
	switch {
	case d.fault != nil && (err == nil || errors.As(err, &bad) && bad.Iteration >= d.fault.Iteration):
		return Result{}, d.fault
	case err != nil:
		return Result{}, err
	case d.Execution == nil:
		return r, nil
	}
	if err := d.Execution.Verify(); err != nil {
		return Result{}, &Mismatch{Iteration: r.Iterations, Rule: Execution, Detail: "the trace of the plan", Cause: err}
	}
	return r, nil
}

func (d *Document) derive() (Result, error) {
	if d.Tokens != nil {
		if err := checkTokens(&d.Config, d.Tokens, d.Trace.Iterations, d.Committed); err != nil {
			return Result{}, err
		}
	}
	if d.events != nil {
		paged := *d.Config.PagedKV
		paged.InitialTokenLength = d.Config.InitialTokens
		end, t, err := kvreplay.CheckDocument(paged, d.events)
		if err != nil {
			return Result{}, &Mismatch{Iteration: iterationOf(err), Rule: PagedKV, Detail: "the page trace", Cause: err}
		}
		d.Trace.PagedKV, d.Trace.PagedKVSnapshot = t, end.Snapshot
		if same, err := d.exported(); err != nil || !same {
			return Result{}, &Mismatch{Iteration: int64(len(d.Trace.Iterations)), Rule: PagedKV, Detail: "the exported state is not the replayed one", Cause: err}
		}
	}
	return Check(&d.Config, &d.Trace)
}

// exported compares the exported state of the page cache with the replayed one, as
// JSON values.
func (d *Document) exported() (bool, error) {
	w := jsondoc.NewWriter(nil)
	d.Trace.PagedKV.WriteSnapshot(w, &d.Trace.PagedKVSnapshot)
	if err := w.Close(); err != nil {
		return false, err
	}
	return d.snapshot.IsJSON(w.Bytes())
}

// iterationOf is the iteration of an event of the page cache: one event begins the
// trace, and every iteration has four.
func iterationOf(err error) int64 {
	var bad *kvreplay.Mismatch
	if !errors.As(err, &bad) || bad.Index < 1 {
		return 0
	}
	return (bad.Index - 1) / 4
}

// readTrace reads the record up to the first part that is not of the form.
func (d *Document) readTrace(n document.Node) {
	d.Trace = trace.Speculative{Family: d.Config.Family, InitialTokens: d.Config.InitialTokens}
	place := func(part string, v *document.Value, read func(document.Node)) bool {
		r := document.NewReader(*v, "trace."+part)
		read(r.Root())
		if err := r.Err(); err != nil {
			d.fault = &Mismatch{Iteration: int64(len(d.Trace.Iterations)), Rule: Unreadable, Detail: err.Error()}
		}
		return d.fault == nil
	}
	if v := n.Get("iterations").Value(); v != nil && v.Kind() == document.List {
		for i := range v.Len() {
			var it trace.SpeculativeIteration
			if !place("iterations["+strconv.Itoa(i)+"]", v.At(i), func(n document.Node) { it = ReadIteration(n, int64(i)) }) {
				return
			}
			d.Trace.Iterations = append(d.Trace.Iterations, it)
		}
	}
	v := *n.Value()
	r := document.NewReader(v, "trace")
	d.readEnd(r.Root())
	if err := r.Err(); err != nil {
		d.fault = &Mismatch{Iteration: int64(len(d.Trace.Iterations)), Rule: Unreadable, Detail: err.Error()}
	}
}

// readEnd reads what follows the iterations.
func (d *Document) readEnd(n document.Node) {
	required := []string{"finalTokenLength", "iterations", "metrics", "stateGroups"}
	if d.Tokens != nil {
		required = append(required, "committedOutputTokenIds")
	}
	if d.Config.PagedKV != nil {
		required = append(required, "pagedKv")
	}
	if !n.Closed(required) {
		return
	}
	n.Get("iterations").Len()
	d.Trace.FinalTokens = n.Get("finalTokenLength").Count()
	readMetrics(n.Get("metrics"), &d.Trace.Metrics)
	for _, item := range n.Get("stateGroups").Items() {
		d.Trace.Groups = append(d.Trace.Groups, readGroup(item))
	}
	if d.Tokens != nil {
		d.Committed = readInts(n.Get("committedOutputTokenIds"))
	}
	if p := n.Get("pagedKv"); p.Present() && p.Closed([]string{"snapshot", "trace"}) {
		p.Get("snapshot").Object()
		p.Get("trace").Len()
		d.events, d.snapshot = p.Get("trace").Value(), p.Get("snapshot").Value()
	}
}
