package campaign

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Faults is a fault campaign over one plan.
type Faults struct {
	Scenario   *topology.Scenario
	Plan       *plan.Plan
	Confidence evidence.Class // of the plan's durations: heuristic, unless the caller knows better
	Baseline   Case           // without a fault
	Trace      *trace.Plan    // of the baseline
	Cases      []Case
}

// Case is one execution of a fault campaign. Its trace is not kept; see
// RunFaults.
type Case struct {
	ID                 string       // empty for the baseline
	Fault              *trace.Fault // nil for the baseline
	Status             trace.Status
	CompletedAtNs      int64
	SubmittedSteps     int64
	UnsubmittedStepIDs []int64
	RankStates         []trace.RankState
	AppliedEvents      int64 // by the replay
}

// RunFaults executes a plan without a fault and then once for every node, device
// and link that it uses and for a change of the topology epoch, each fault in the
// middle of the first operation that occupies the item, and replays every trace.
// Each, when not nil, is shown every execution with its trace, the baseline first.
func RunFaults(scn *topology.Scenario, p *plan.Plan, each func(Case, *executor.Result)) (*Faults, error) {
	f, err := plan.Validate(scn, p)
	if err != nil {
		return nil, err
	}
	checker := planreplay.New(scn.Spec())
	one := func(id string, fault *trace.Fault) (Case, *executor.Result, error) {
		r, err := executor.Run(f, executor.Options{Fault: fault})
		if err != nil {
			return Case{}, nil, fmt.Errorf("case %q: %w", id, err)
		}
		replayed, err := checker.Check(p, &r.Trace)
		if err != nil {
			return Case{}, nil, fmt.Errorf("case %q: %w", id, err)
		}
		c := Case{ID: id, Fault: fault, Status: r.Status, CompletedAtNs: r.CompletedAtNs, SubmittedSteps: int64(len(r.Trace.Operations)),
			UnsubmittedStepIDs: r.Trace.Terminal.UnsubmittedStepIDs, RankStates: r.RankStates(), AppliedEvents: replayed.AppliedEvents}
		if each != nil {
			each(c, r)
		}
		return c, r, nil
	}
	baseline, run, err := one("", nil)
	if err != nil {
		return nil, err
	}
	out := &Faults{Scenario: scn, Plan: p, Confidence: evidence.Heuristic, Baseline: baseline, Trace: &run.Trace}
	for _, drawn := range executor.FaultCases(f, run.Trace.Operations) {
		c, _, err := one(drawn.ID, &drawn.Fault)
		if err != nil {
			return nil, err
		}
		out.Cases = append(out.Cases, c)
	}
	return out, nil
}

// unsubmittedPreview is how many unsubmitted step ids a document lists.
const unsubmittedPreview = 16

// WriteDocument writes the result of the fault-campaign command.
func (f *Faults) WriteDocument(w *jsondoc.Writer, head jsondoc.Head) {
	w.Object()
	w.Head(head)
	w.Key("baseline").Object()
	w.Key("status").Text(string(f.Baseline.Status))
	w.Key("completedAtNs").Int(f.Baseline.CompletedAtNs)
	w.Key("submittedSteps").Int(f.Baseline.SubmittedSteps)
	w.Key("replayAppliedEvents").Int(f.Baseline.AppliedEvents)
	w.End()
	w.Key("cases").Array()
	for i := range f.Cases {
		w.Element()
		f.Cases[i].write(w)
	}
	w.End()
	w.End()
}

func (c *Case) write(w *jsondoc.Writer) {
	w.Object()
	w.Key("id").Text(c.ID)
	w.Key("fault")
	c.Fault.Encode(w)
	w.Key("status").Text(string(c.Status))
	w.Key("completedAtNs").Int(c.CompletedAtNs)
	w.Key("submittedSteps").Int(c.SubmittedSteps)
	w.Key("unsubmittedSteps").Int(int64(len(c.UnsubmittedStepIDs)))
	w.Key("unsubmittedStepIdsPreview").Ints(c.UnsubmittedStepIDs[:min(unsubmittedPreview, len(c.UnsubmittedStepIDs))])
	trace.EncodeRankStates(w.Key("rankStates"), c.RankStates)
	w.Key("replayAppliedEvents").Int(c.AppliedEvents)
	w.End()
}
