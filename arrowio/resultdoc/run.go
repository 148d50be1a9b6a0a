package resultdoc

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Run reads the full document of a serving run back into the run, as far as the
// document holds it: all but the plans of the batches, whose templates have no
// steps and no operations. The scenario is validated again and
// the trace is replayed again, with the batch durations that the document states,
// so that a document that was changed by hand is refused. Errors are *issue.Error
// or those of the reader.
func Run(r io.Reader) (*serving.Run, error) {
	d, err := read(r)
	if err != nil {
		return nil, err
	}
	if d.inputs != nil && d.inputs.Experts != nil {
		return nil, issue.New("result_inputs", "inputs.experts", "is present: the run has an expert cache, which ComposedRun reads")
	}
	return d.complete()
}

// RunWithTrace reads a run from a document of any form, also a summary, and the
// run's serving-trace document, whose inputs and events take the place of those of
// the result. Everything else is as in Run.
func RunWithTrace(result, protocol io.Reader) (*serving.Run, error) {
	d := newDocument(result)
	if err := d.whole(d.root); err != nil {
		return nil, err
	}
	if err := d.checkHead(); err != nil {
		return nil, err
	}
	t := newDocument(protocol)
	if err := t.whole(t.protocol); err != nil {
		return nil, err
	}
	if t.kind != "inferlab/serving-trace" || t.revision != 1 {
		return nil, issue.New("result_kind", "kind", "is %q revision %d; expected \"inferlab/serving-trace\" revision 1", t.kind, t.revision)
	}
	d.inputs, d.events = t.inputs, t.events
	d.prioritise()
	d.emissions()
	return d.complete()
}

// Trace reads a serving-trace document back into the whole run, plans of the batches
// included: the trace is replayed again and every plan is compiled, executed and
// replayed again, so that no figure of the document has to be believed. A document
// of a run with an expert cache is refused. Errors are *issue.Error or those of the
// reader and of serving.Rebuild.
func Trace(protocol io.Reader) (*serving.Run, error) {
	d := newDocument(protocol)
	if err := d.whole(d.protocol); err != nil {
		return nil, err
	}
	switch {
	case d.kind != result.ServingTraceKind || d.revision != result.ServingTraceRevision:
		return nil, issue.New("result_kind", "kind", "is %q revision %d; expected %q revision %d", d.kind, d.revision,
			result.ServingTraceKind, result.ServingTraceRevision)
	case d.composed:
		return nil, issue.New("result_composition", "expertCache", "the trace of a run with an expert cache is not read back here")
	case d.inputs == nil || d.inputs.Serving == nil || d.inputs.Scenario == nil:
		return nil, issue.New("result_inputs", "inputs", "is absent or holds no scenario and no configuration")
	}
	d.traced = false // there are no batch entries to compare with
	scn, err := topologyOf(d.inputs.Scenario)
	if err != nil {
		return nil, err
	}
	model, err := d.inputs.CostModel.model()
	if err != nil {
		return nil, err
	}
	d.requestsOfInputs()
	run, err := d.assemble()
	if err != nil {
		return nil, err
	}
	if err := d.restore(run); err != nil {
		return nil, err
	}
	return serving.Rebuild(scn, run.Config, model, run.Trace, serving.RunOptions{Speculation: run.Speculation})
}

// requestsOfInputs stands in for the results of the requests, which only a result
// document has: their token times are those of the events.
func (d *document) requestsOfInputs() {
	for i := range d.inputs.Serving.Requests {
		r := &d.inputs.Serving.Requests[i]
		d.requests = append(d.requests, requestEntry{ID: r.ID, ArrivalNs: r.ArrivalNs})
	}
	d.prioritise()
	d.emissions()
}

// protocol reads a member of a serving-trace document.
func (d *document) protocol(key string) error {
	switch key {
	case "kind":
		return d.value(key, &d.kind)
	case "revision":
		return d.value(key, &d.revision)
	case "inputs":
		return d.value(key, &d.inputs)
	case "trace":
		return d.serving(key)
	case "compositionRevision":
		d.composed = true
	}
	return d.syntax(key, d.in.skip())
}

// emissions gives every request the times of its tokens, which a summary leaves
// out: a token's time is the end of its batch.
func (d *document) emissions() {
	times := make(map[string][]int64, len(d.requests))
	for i := range d.events {
		e := &d.events[i]
		for _, t := range e.EmittedTokens {
			times[t.RequestID] = append(times[t.RequestID], e.AtNs)
		}
	}
	for i := range d.requests {
		if d.requests[i].TokenTimestampsNs == nil {
			d.requests[i].TokenTimestampsNs = times[d.requests[i].ID]
		}
	}
}

// complete makes the run of a document with inputs and events.
func (d *document) complete() (*serving.Run, error) {
	if d.inputs == nil || d.inputs.Serving == nil || d.inputs.Scenario == nil {
		return nil, issue.New("result_inputs", "inputs", "is absent: the document of an earlier version holds no scenario and no configuration; serve it again, or add its trace document")
	}
	run, err := d.assemble()
	if err != nil {
		return nil, err
	}
	if run.Scenario, err = d.scenario(); err != nil {
		return nil, err
	}
	if run.Model, err = d.inputs.CostModel.model(); err != nil {
		return nil, err
	}
	if err := d.restore(run); err != nil {
		return nil, err
	}
	run.Assumptions, run.ContractRevisions, run.Gain = d.assumptions, d.provenance.Revisions, d.gain.gain()
	run.Replay, err = recheck(run)
	if err == nil && run.Replay != d.replay {
		err = issue.New("result_replay", "serving.replay", "is %+v; replaying the trace gives %+v", d.replay, run.Replay)
	}
	return run, err
}

// gainEntry is the key speculationGain.
type gainEntry struct {
	BaselineTokensPerSecond, SpeculativeTokensPerSecond, Speedup float64
	CommittedTokensPerTargetForward                              float64
	FirstPositionAcceptance, AcceptanceDecay                     *float64
}

func (g *gainEntry) gain() *serving.Gain {
	if g == nil {
		return nil
	}
	out := &serving.Gain{BaselineTokensPerSecond: g.BaselineTokensPerSecond, SpeculativeTokensPerSecond: g.SpeculativeTokensPerSecond,
		Speedup: g.Speedup, CommittedTokensPerTargetForward: g.CommittedTokensPerTargetForward}
	if g.FirstPositionAcceptance != nil {
		out.FirstPositionAcceptance, out.HasFirstPositionAcceptance = *g.FirstPositionAcceptance, true
	}
	if g.AcceptanceDecay != nil {
		out.AcceptanceDecay, out.HasAcceptanceDecay = *g.AcceptanceDecay, true
	}
	return out
}

// restore puts the configuration in the place of the one that was guessed from the
// trace, numbers requests as it does, and fills in the events.
func (d *document) restore(run *serving.Run) error {
	guessed := run.Config.Requests
	var err error
	if run.Config, err = d.inputs.Serving.config(); err != nil {
		return err
	}
	if run.Speculation, err = d.inputs.Speculation.proposer(run.Config.Requests); err != nil {
		return err
	}
	index := make(map[string]int32, len(run.Config.Requests))
	run.Trace.RequestIDs = make([]string, len(run.Config.Requests))
	for i := range run.Config.Requests {
		run.Trace.RequestIDs[i] = run.Config.Requests[i].ID
		index[run.Config.Requests[i].ID] = int32(i)
	}
	if len(index) != len(guessed) || len(guessed) != len(run.Config.Requests) {
		return issue.New("result_inputs", "inputs.serving.requests", "has %d entries for %d requests", len(run.Config.Requests), len(guessed))
	}
	to := make([]int32, len(guessed))
	for i := range guessed {
		at, ok := index[guessed[i].ID]
		if !ok {
			return issue.New("result_inputs", "inputs.serving.requests", "has no request %q", guessed[i].ID)
		}
		to[i] = at
	}
	renumber(run, to)
	return d.sequence(run, index)
}

func renumber(run *serving.Run, to []int32) {
	t := run.Trace
	for i := range run.Requests {
		run.Requests[i].Request = to[run.Requests[i].Request]
	}
	for i := range t.Prefill {
		t.Prefill[i].Request = to[t.Prefill[i].Request]
	}
	for i := range t.Decode {
		t.Decode[i].Request = to[t.Decode[i].Request]
	}
	for i := range t.Tokens {
		t.Tokens[i].Request = to[t.Tokens[i].Request]
	}
	for i := range t.Completed {
		t.Completed[i] = to[t.Completed[i]]
	}
}

// sequence fills in the order of arrivals, starts and finishes and the terminal.
func (d *document) sequence(run *serving.Run, index map[string]int32) error {
	t := run.Trace
	starts := int32(0)
	for i := range d.events {
		e := &d.events[i]
		out := trace.ServingEvent{AtNs: e.AtNs}
		switch e.Kind {
		case "arrival":
			r, ok := index[e.RequestID]
			if !ok {
				return issue.New("result_event", fmt.Sprintf("serving.trace[%d].requestId", i), "is %q, which is no request", e.RequestID)
			}
			out.Kind, out.Ref = trace.ServingArrival, r
		case "batch_start":
			out.Kind, out.Ref = trace.ServingBatchStart, starts
			starts++
		case "batch_finish":
			out.Kind, out.Ref = trace.ServingBatchFinish, starts-1
		case "terminal":
			out.Kind = trace.ServingTerminal
			t.CompletedRequests, t.TotalOutputTokens, t.FinalKVTokens = e.CompletedRequests, e.TotalOutputTokens, e.KVTokensAfter
		}
		t.Events = append(t.Events, out)
	}
	return nil
}

// stated answers a batch's duration as the document states it.
type stated struct{ t *trace.Serving }

func (s stated) Duration(work *trace.BatchWork, _ int64) (int64, error) {
	if !quantity.IsCount(work.BatchID) || work.BatchID >= int64(len(s.t.Batches)) {
		return 0, issue.New("result_batches", "batches", "has no entry %d", work.BatchID)
	}
	return s.t.Batches[work.BatchID].DurationNs, nil
}

// recheck replays the trace of a run that was read.
func recheck(run *serving.Run) (serving.Replay, error) {
	in := servingreplay.Input{Config: run.Config, Trace: run.Trace, Estimator: stated{run.Trace}}
	if run.Speculation != nil {
		checker, err := speculativereplay.NewServing(run.Speculation, run.Config.Requests)
		if err != nil {
			return serving.Replay{}, err
		}
		in.Speculation = checker
	}
	found, err := servingreplay.Check(in)
	if err != nil {
		return serving.Replay{}, fmt.Errorf("serving.trace: %w", err)
	}
	return serving.Replay{AppliedEvents: found.AppliedEvents, CompletedRequests: found.CompletedRequests, FinalKVTokens: found.FinalKVTokens}, nil
}
