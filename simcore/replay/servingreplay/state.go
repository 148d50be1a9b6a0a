package servingreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// request is the derived state of one request, by configuration index.
type request struct {
	arrived, finished          bool
	chunks                     int64 // prefill slices so far
	processed, written, extent int64 // prompt tokens done, tokens emitted, KV held
}

// checker is the derived state of the whole run; tr is the window of the trace under
// examination.
type checker struct {
	cfg  *workload.Serving
	tr   *trace.Serving
	est  Estimator
	spec Speculation

	requests []request
	order    []int32 // request indices in arrival order
	place    []int32 // request indices in candidate order
	placeOf  []int32 // request index -> position in place
	queue    promptQueue
	decoders []int32 // positions in place, ascending

	index   int64 // of the event under examination
	now     int64 // time of the previous event
	held    int64 // KV held by all requests
	emitted int64

	arrivedCount int
	completed    int64
	batches      int64

	firstEvent, firstBatch int64 // of the window, in the whole trace

	// Rows of the window consumed so far: each batch must continue where the last one ended.
	prefillAt, decodeAt, tokenAt, completedAt int32

	running          bool
	finishNs         int64 // of the running batch
	startDue         bool  // a batch must start at now
	startAfterFinish bool  // …because one has just finished
	ended            bool

	prefill []trace.PrefillSlice // derived selection, reused
	decode  []trace.DecodeSlice
	work    trace.BatchWork
}

func newChecker(in Input) *checker {
	n := len(in.Config.Requests)
	c := &checker{
		cfg: &in.Config, est: in.Estimator, spec: in.Speculation,
		requests: make([]request, n),
		order:    make([]int32, n),
		placeOf:  make([]int32, n),
		queue:    newPromptQueue(n),
	}
	for i := range c.order {
		c.order[i] = int32(i)
	}
	c.place = slices.Clone(c.order)
	slices.SortFunc(c.order, c.arrivesBefore)
	slices.SortFunc(c.place, c.visitedBefore)
	for position, i := range c.place {
		c.placeOf[i] = int32(position)
	}
	return c
}

// arrivesBefore is the order of arrival events: time, priority, id.
func (c *checker) arrivesBefore(i, j int32) int {
	a, b := &c.cfg.Requests[i], &c.cfg.Requests[j]
	if a.ArrivalNs != b.ArrivalNs {
		return sign(a.ArrivalNs < b.ArrivalNs)
	}
	if a.Priority != b.Priority {
		return sign(a.Priority > b.Priority)
	}
	return quantity.CompareIDs(a.ID, b.ID)
}

// visitedBefore is the order of candidates: priority, arrival, id.
func (c *checker) visitedBefore(i, j int32) int {
	a, b := &c.cfg.Requests[i], &c.cfg.Requests[j]
	if a.Priority != b.Priority {
		return sign(a.Priority > b.Priority)
	}
	if a.ArrivalNs != b.ArrivalNs {
		return sign(a.ArrivalNs < b.ArrivalNs)
	}
	return quantity.CompareIDs(a.ID, b.ID)
}

func sign(first bool) int {
	if first {
		return -1
	}
	return 1
}

// outstanding is the KV that a request with prompt left still needs until it
// completes: what is left of its prompt and, but for one token, its output.
func (c *checker) outstanding(i int32) int64 {
	r, cfg := &c.requests[i], &c.cfg.Requests[i]
	return cfg.PromptTokens - r.processed + cfg.OutputTokens - 1
}
