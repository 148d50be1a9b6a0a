package perfetto

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// stepsByID finds the steps of a plan.
func stepsByID(p *plan.Plan) map[int64]*plan.Step {
	steps := make(map[int64]*plan.Step, len(p.Steps))
	for i := range p.Steps {
		steps[p.Steps[i].ID] = &p.Steps[i]
	}
	return steps
}

// operations writes a plan's operations onto the lanes they reserve, all shifted by
// atNs.
func (l *lanes) operations(ops []trace.Operation, steps map[int64]*plan.Step, atNs, batch int64) {
	for i := range ops {
		o := &ops[i]
		name := nameOf(o, steps[o.StepID])
		for _, r := range o.Resources {
			from, to := atNs+o.StartNs, atNs+o.FinishNs
			pid, tid := l.place(lane{r.ResourceID, r.ResourceLane}, from, to)
			l.w.slice(pid, tid, name, string(o.Kind), from, to)
			l.w.args()
			l.w.integer("step", o.StepID)
			if batch >= 0 {
				l.w.integer("batch", batch)
			}
			l.w.at("submittedUs", atNs+o.SubmittedAtNs)
			if len(o.Participants) > 0 {
				l.w.text("ranks", strings.Join(o.Participants, ", "))
			}
			if o.Kind == plan.Collective {
				l.w.text("group", o.GroupID)
				l.w.integer("sequence", o.CommSequenceID)
			}
			l.w.end()
			l.w.done()
		}
	}
}

// nameOf says what an operation does.
func nameOf(o *trace.Operation, s *plan.Step) string {
	switch {
	case o.Kind == plan.Collective:
		return string(o.CollectiveAlgorithm)
	case s == nil:
		return string(o.Kind)
	case o.Kind == plan.Transfer:
		return "transfer " + s.Operation.LinkID
	case s.Operation.ComponentID != "":
		return string(s.Operation.Capability) + " " + s.Operation.ComponentID
	}
	return string(s.Operation.Capability)
}
