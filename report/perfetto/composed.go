package perfetto

import (
	"io"
	"strings"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Composed writes a serving run with an expert cache: batches, requests and counters
// as Serving does, the operations of all plans (demand loads, batches, background
// copies) where they lie on the shared clock, and the cache: demand loads, prefetches,
// waits, evictions, decisions and the bytes of its partitions. Errors are those of out.
func Composed(out io.Writer, run *composed.Run) error {
	w := newWriter(out)
	w.process(pidScheduler, "scheduler")
	w.row(pidScheduler, rowBatches, "batches")
	s := &servingWriter{w: w, run: run.Serving}
	s.batches()
	s.counters()
	s.requests()
	sharedClock(w, run)
	experts(w, run)
	return w.close()
}

// sharedClock writes the physical trace. Plans are admitted batch by batch: the
// demand plans of its routes, then its own.
func sharedClock(w *writer, run *composed.Run) {
	type admitted struct {
		steps map[int64]*plan.Step
		batch int64
	}
	executions := make(map[string]admitted, len(run.Physical.Requests))
	demand, batch := run.Serving.Scenario.ID()+":expert-load:", int64(0)
	for i := range run.Physical.Requests {
		p := run.Physical.Requests[i].Plan
		executions[p.ExecutionID] = admitted{stepsByID(p), batch}
		if !strings.HasPrefix(p.ExecutionID, demand) {
			batch++
		}
	}
	operations := run.Physical.Trace.Operations
	used := make(map[lane]bool)
	for i := range operations {
		markLanes(used, []trace.Operation{operations[i].Event})
	}
	l := newLanes(w, used)
	for i := range operations {
		e := executions[operations[i].Event.ExecutionID]
		l.operations([]trace.Operation{operations[i].Event}, e.steps, 0, e.batch)
	}
}
