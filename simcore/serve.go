package simcore

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Serving configures continuous batching: limits and requests.
type Serving = workload.Serving

// Request is one prompt with the number of tokens it will produce.
type Request = workload.Request

// ServingRun is a finished, verified serving run.
type ServingRun = serving.Run

// ServingOptions are what a serving run may be given beside machine and
// configuration. The zero value is complete.
type ServingOptions struct {
	// Model prices the work; nil is the default cost model, whose confidence is
	// heuristic.
	Model *cost.Model

	// Speculation configures a proposer; nil is target-only decoding.
	Speculation *ServingSpeculation

	// Progress, when set, is called now and then and once at the end with the
	// number of completed requests, the number of requests and the clock in ns.
	Progress func(done, total, nowNs int64)

	// Interrupted, when set, is asked now and then; true stops the run.
	Interrupted func() bool
}

// ServingSpeculation is the proposer of a serving run.
type ServingSpeculation = workload.ServingSpeculation

// Serve runs continuous batching on a machine: it schedules every batch under the
// KV admission guard, compiles and executes each distinct batch on the topology,
// replays the whole trace independently, and evaluates it. With a proposer the same
// configuration also runs target-only, and the run says what speculation gained.
func Serve(s *topology.Scenario, cfg Serving, opts ...ServingOptions) (*ServingRun, error) {
	var o ServingOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	run, err := serving.Simulate(s, cfg, modelOr(o.Model), serving.RunOptions{
		Speculation: o.Speculation, Progress: o.Progress, Interrupted: o.Interrupted,
	})
	if err != nil || o.Speculation == nil {
		return run, err
	}
	// The budget is the run's; the baseline, which needs more batches, is only a
	// measure beside it.
	cfg.MaxEvents = quantity.MaxSafe
	baseline, err := serving.Simulate(s, cfg, modelOr(o.Model), serving.RunOptions{Interrupted: o.Interrupted})
	if err != nil {
		return nil, err
	}
	run.Gain = serving.NewGain(run, baseline)
	return run, nil
}

// CompareServing runs one configuration on the six topology families and ranks
// them by total duration.
func CompareServing(cfg Serving, opts ...ServingOptions) (*serving.Comparison, error) {
	families, err := Families()
	if err != nil {
		return nil, err
	}
	var o ServingOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	return serving.Compare(families, cfg, modelOr(o.Model), serving.RunOptions{
		Speculation: o.Speculation, Progress: o.Progress, Interrupted: o.Interrupted,
	})
}

func modelOr(m *cost.Model) *cost.Model {
	if m == nil {
		return cost.Default()
	}
	return m
}
