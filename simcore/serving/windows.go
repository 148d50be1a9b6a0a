package serving

import (
	"errors"
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// WindowTokens is the number of output tokens that make a window of a run that
// streams: a window ends with the first batch that reaches it.
const WindowTokens = 64 << 10

// Window is a piece of a run that streams: some of its batches with all that
// belongs to them. Ranges and references of the trace count within the window. It is
// lent: nothing of it may be used after the receiver has returned.
type Window struct {
	Trace      *trace.Serving
	BatchPlans []int32    // batch of the window -> template
	Templates  []Template // all that the run has had so far; Occurrences grow on
}

// windows is where a run hands its windows.
type windows struct {
	tokens int
	take   func(tr *trace.Serving) error
}

// handOver gives the window away and begins the next one in its memory. No batch
// runs.
func (e *engine) handOver() error {
	if err := e.opts.windows.take(e.tr); err != nil {
		return err
	}
	tr := e.tr
	e.firstBatch += int64(len(tr.Batches))
	e.firstToken += int64(len(tr.Tokens))
	tr.Events, tr.Batches, tr.Prefill, tr.Decode = tr.Events[:0], tr.Batches[:0], tr.Prefill[:0], tr.Decode[:0]
	tr.Tokens, tr.Completed = tr.Tokens[:0], tr.Completed[:0]
	return nil
}

// Stream is Simulate for runs that are too long to be kept: the trace is handed to
// take window by window, each of which the independent replay has accepted before,
// and is forgotten. Memory is that of the live requests, one window, one row a
// request, and the distinct gaps between tokens.
//
// The run that is returned has the same requests, metrics, templates and replay
// counts as that of Simulate, but neither rows in its trace nor token times nor
// batch plans. windowTokens 0 means WindowTokens. An error of take ends the run and
// is returned wrapped.
func Stream(scn *topology.Scenario, cfg workload.Serving, model *cost.Model, opts RunOptions, windowTokens int, take func(*Window) error) (*Run, error) {
	if windowTokens <= 0 {
		windowTokens = WindowTokens
	}
	b, err := bindWindows(scn, cfg, model, &opts, windowTokens)
	if err != nil {
		return nil, err
	}
	replay := servingreplay.NewWindows(servingreplay.Input{Config: b.s.cfg, Estimator: b.est, Speculation: b.proposer.checker})
	tally := newTally(b.s)
	tr, err := b.s.Schedule(b.est, Options{Speculation: b.proposer.live, Progress: opts.Progress, Interrupted: opts.Interrupted,
		windows: &windows{tokens: windowTokens, take: func(tr *trace.Serving) error {
			if err := replay.Check(tr); err != nil {
				return err
			}
			tally.add(tr)
			if err := take(&Window{Trace: tr, BatchPlans: b.est.batchPlans, Templates: b.est.templates}); err != nil {
				return fmt.Errorf("serving: a window of the trace: %w", err)
			}
			b.est.forget()
			return nil
		}}})
	if err != nil {
		return nil, confirmLast(replay, err)
	}
	replayed, err := replay.Finish()
	if err != nil {
		return nil, err
	}
	return b.finishTally(tr, tally, replayed)
}

// confirmLast has a deadlock confirmed by the replay that has seen the windows
// before. Other errors pass.
func confirmLast(replay *servingreplay.Windows, err error) error {
	var d *Deadlock
	if !errors.As(err, &d) {
		return err
	}
	found, err := replay.Deadlock(d.Trace)
	if err != nil {
		return err
	}
	return d.confirmed(found)
}

// Describe is a run before it has begun: what is known of it beforehand (scenario,
// configuration, confidence, contract revisions, assumptions) and nothing else.
func Describe(scn *topology.Scenario, cfg *workload.Serving, model *cost.Model, speculation *workload.ServingSpeculation) *Run {
	b := &binding{scn: scn, model: model, opts: &RunOptions{Speculation: speculation}, s: &Scheduler{cfg: *cfg}, est: &templateEstimator{}}
	return b.describe(&trace.Serving{}, servingreplay.Result{})
}

// finishTally evaluates a run whose trace is gone.
func (b *binding) finishTally(tr *trace.Serving, t *tally, replayed servingreplay.Result) (*Run, error) {
	run := b.describe(tr, replayed)
	run.BatchPlans = nil
	run.Requests = t.requests()
	var err error
	if run.Metrics, err = t.metrics(run.Requests); err != nil {
		return nil, err
	}
	run.Topology, err = topologyMetrics(b.scn, &run.Metrics, run.Templates)
	return run, err
}
