package perfetto

import (
	"io"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Plan writes one executed plan: its operations on the lanes they reserved, and the
// end of every rank. Errors are those of out.
func Plan(out io.Writer, p *plan.Plan, t *trace.Plan) error {
	w := newWriter(out)
	w.process(pidScheduler, "plan "+p.ID)
	used := make(map[lane]bool)
	markLanes(used, t.Operations)
	l := newLanes(w, used)
	l.operations(t.Operations, stepsByID(p), 0, -1)
	for i, r := range t.Terminal.RankStates {
		tid := 1 + i
		w.row(pidScheduler, tid, "rank "+r.RankID)
		w.slice(pidScheduler, tid, string(r.Status), "rank", 0, r.TerminalAtNs)
		w.done()
	}
	return w.close()
}
