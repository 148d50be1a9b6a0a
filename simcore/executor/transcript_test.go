package executor_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// The transcripts under testdata tell the executors' protocol as stories: a
// scenario, plans step by step, then what happens. A step is written
//
//	ID compute DEVICE | transfer FROM TO | collective GROUP SEQ [LINK…]
//	   d=DURATION r=BUFFERS w=BUFFERS after=IDS
//
// with devices by number and buffers as DEVICE.NAME.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &stage{t: t, plans: make(map[string]*plan.Plan)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.command(d)
			if err != nil {
				return out + "error: " + err.Error() + "\n"
			}
			return out
		})
	})
}

// stage is the state of one transcript.
type stage struct {
	t         *testing.T
	shape     plantest.Shape
	spec      *topology.Spec
	fabric    *plan.Fabric
	plans     map[string]*plan.Plan
	runtime   *executor.Runtime
	sequencer executor.Sequencer
}

func (s *stage) command(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "scenario":
		return s.scenario(d), nil
	case "plan":
		p := &plan.Plan{ContractRevision: 5, ID: d.CmdArgs[0].Key, ExecutionID: d.CmdArgs[0].Key, TopologyEpoch: s.spec.Execution.TopologyEpoch}
		for _, line := range strings.Split(d.Input, "\n") {
			p.Steps = append(p.Steps, s.step(line))
		}
		s.plans[p.ID] = p
		_, err := s.fabric.Validate(p)
		return "", err
	case "run":
		return s.run(d)
	case "concurrent":
		return s.concurrent(d)
	case "stream":
		return s.stream(d)
	case "sequence":
		return s.sequence(d), nil
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

func (s *stage) scenario(d *datadriven.TestData) string {
	s.shape = plantest.Small
	number := func(key string, to *int64) {
		if d.HasArg(key) {
			d.ScanArgs(s.t, key, to)
		}
	}
	number("compute-lanes", &s.shape.ComputeLanes)
	number("link-lanes", &s.shape.LinkLanes)
	number("network-lanes", &s.shape.NetworkLanes)
	number("max-events", &s.shape.MaxEvents)
	s.spec = plantest.Spec(s.shape)
	number("epoch", &s.spec.Execution.TopologyEpoch)
	s.fabric = plan.NewFabric(s.spec)
	s.runtime = executor.NewRuntime(s.fabric)
	return ""
}

func (s *stage) step(line string) plan.Step {
	words := strings.Fields(line)
	step := plan.Step{ID: s.number(words[0]), Reads: []string{}, Writes: []string{}}
	op := &step.Operation
	op.Kind = plan.Kind(words[1])
	var place []string
	for _, w := range words[2:] {
		key, value, option := strings.Cut(w, "=")
		switch {
		case !option:
			place = append(place, w)
		case key == "d":
			op.DurationNs = s.number(value)
		case key == "r":
			step.Reads = s.buffers(value)
		case key == "w":
			step.Writes = s.buffers(value)
		case key == "after":
			for _, id := range strings.Split(value, ",") {
				step.Dependencies = append(step.Dependencies, s.number(id))
			}
		}
	}
	switch op.Kind {
	case plan.Compute:
		device := int(s.number(place[0]))
		op.DeviceID, op.Capability, step.Participants = s.shape.DeviceID(device), topology.FFN, []string{s.shape.RankID(device)}
	case plan.Transfer:
		from, to := int(s.number(place[0])), int(s.number(place[1]))
		op.LinkID, step.Participants = s.shape.LinkID(from, to), []string{s.shape.RankID(from), s.shape.RankID(to)}
	case plan.Collective:
		op.GroupID, op.CommSequenceID, op.Algorithm, op.LinkIDs = place[0], s.number(place[1]), plan.AllReduceRing, append([]string{}, place[2:]...)
		for _, g := range s.spec.Groups {
			if g.ID == op.GroupID {
				for _, r := range g.OrderedRanks {
					step.Participants = append(step.Participants, r.RankID)
				}
			}
		}
	}
	return step
}

func (s *stage) buffers(list string) []string {
	var ids []string
	for _, b := range strings.Split(list, ",") {
		device, name, _ := strings.Cut(b, ".")
		ids = append(ids, s.shape.DeviceID(int(s.number(device)))+"."+name)
	}
	return ids
}

func (s *stage) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stage) run(d *datadriven.TestData) (string, error) {
	f, err := s.fabric.Validate(s.plans[d.CmdArgs[0].Key])
	if err != nil {
		return "", err
	}
	o := executor.Options{Fault: s.fault(d)}
	if d.HasArg("before") {
		o.Injection = &executor.Injection{Reason: "injected", Status: trace.Failed}
		d.ScanArgs(s.t, "before", &o.Injection.StepID)
		if d.HasArg("status") {
			var status string
			d.ScanArgs(s.t, "status", &status)
			o.Injection.Status = trace.Status(status)
		}
	}
	r, err := executor.Run(f, o)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i := range r.Trace.Operations {
		writeOperation(&out, "", &r.Trace.Operations[i])
	}
	writeTerminal(&out, &r.Trace.Terminal)
	replayed, err := planreplay.New(s.spec).Check(f.Plan(), &r.Trace)
	if err != nil {
		return out.String(), err
	}
	fmt.Fprintf(&out, "replay applied %d events\n", replayed.AppliedEvents)
	return out.String(), nil
}

func (s *stage) fault(d *datadriven.TestData) *trace.Fault {
	if !d.HasArg("fault") {
		return nil
	}
	f := &trace.Fault{Reason: "fault"}
	var kind string
	d.ScanArgs(s.t, "fault", &kind)
	f.Kind = trace.FaultKind(kind)
	d.ScanArgs(s.t, "at", &f.AtNs)
	for key, to := range map[string]*string{"node": &f.NodeID, "device": &f.DeviceID, "link": &f.LinkID} {
		if d.HasArg(key) {
			d.ScanArgs(s.t, key, to)
		}
	}
	if d.HasArg("next") {
		d.ScanArgs(s.t, "next", &f.NextTopologyEpoch)
	}
	if d.HasArg("timeout") {
		f.HasQuiesceTimeout = true
		d.ScanArgs(s.t, "timeout", &f.QuiesceTimeoutNs)
	}
	return f
}

func (s *stage) concurrent(d *datadriven.TestData) (string, error) {
	var requests []plan.Request
	for k, line := range strings.Split(d.Input, "\n") {
		words := strings.Fields(line) // EXECUTION PLAN at=TIME [release=STEP:TIME]
		q := plan.Request{Plan: plantest.Copy(s.plans[words[1]], words[0]), AdmissionOrder: int64(k)}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "at":
				q.ArrivalNs = s.number(value)
			case "order":
				q.AdmissionOrder = s.number(value)
			case "release":
				step, at, _ := strings.Cut(value, ":")
				q.NotBefore = append(q.NotBefore, plan.NotBefore{StepID: s.number(step), AtNs: s.number(at)})
			}
		}
		requests = append(requests, q)
	}
	checker := planreplay.New(s.spec)
	if fault := s.fault(d); fault != nil {
		r, err := executor.RunConcurrentNodeFailure(s.fabric, requests, fault)
		if err != nil {
			return "", err
		}
		replayed, err := checker.CheckConcurrentNodeFailure(requests, fault, &r.Trace)
		return describeConcurrent(r, replayed, err)
	}
	r, err := executor.RunConcurrent(s.fabric, requests)
	if err != nil {
		return "", err
	}
	replayed, err := checker.CheckConcurrent(requests, &r.Trace)
	return describeConcurrent(r, replayed, err)
}

func describeConcurrent(r *executor.ConcurrentResult, replayed *planreplay.ConcurrentResult, err error) (string, error) {
	var out strings.Builder
	for i := range r.Trace.Operations {
		writeOperation(&out, r.Trace.Operations[i].Event.ExecutionID+" ", &r.Trace.Operations[i].Event)
	}
	for i := range r.Trace.Terminals {
		fmt.Fprintf(&out, "%s ", r.Trace.Terminals[i].ExecutionID)
		writeTerminal(&out, &r.Trace.Terminals[i])
	}
	if err != nil {
		return out.String(), err
	}
	fmt.Fprintf(&out, "completed at %d, at most %d at once, replay applied %d events\n",
		r.CompletedAtNs, r.MaximumConcurrentExecutions, replayed.AppliedEvents)
	return out.String(), nil
}

func writeOperation(out *strings.Builder, who string, op *trace.Operation) {
	fmt.Fprintf(out, "#%d %sstep %d submitted %d runs %d..%d on", op.SourceSequence, who, op.StepID, op.SubmittedAtNs, op.StartNs, op.FinishNs)
	for _, r := range op.Resources {
		fmt.Fprintf(out, " %s[%d]", r.ResourceID, r.ResourceLane)
	}
	out.WriteString("\n")
}

func writeTerminal(out *strings.Builder, end *trace.Terminal) {
	fmt.Fprintf(out, "%s at %d", end.Status, end.TimestampNs)
	if end.Status != trace.Succeeded {
		fmt.Fprintf(out, " (%q at %d), not submitted: %v", end.Reason, end.FailureAtNs, end.UnsubmittedStepIDs)
	}
	out.WriteString("\n")
	for _, r := range end.RankStates {
		fmt.Fprintf(out, "  %s %s at %d\n", r.RankID, r.Status, r.TerminalAtNs)
	}
}

// stream feeds the runtime line by line: admit EXECUTION PLAN at=T, advance T,
// until EXECUTION STEP, drain.
func (s *stage) stream(d *datadriven.TestData) (string, error) {
	var out strings.Builder
	s.runtime.OnOperation(func(op trace.Operation) { writeOperation(&out, op.ExecutionID+" ", &op) })
	for _, line := range strings.Split(d.Input, "\n") {
		words := strings.Fields(line)
		fmt.Fprintf(&out, "> %s\n", line)
		if err := s.streamed(&out, words); err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
		fmt.Fprintf(&out, "now %d\n", s.runtime.Now())
	}
	return out.String(), nil
}

func (s *stage) streamed(out *strings.Builder, words []string) error {
	switch words[0] {
	case "admit":
		f, err := s.fabric.Validate(plantest.Copy(s.plans[words[2]], words[1]))
		if err != nil {
			return err
		}
		var releases []plan.NotBefore
		for _, w := range words[4:] {
			step, at, _ := strings.Cut(strings.TrimPrefix(w, "release="), ":")
			releases = append(releases, plan.NotBefore{StepID: s.number(step), AtNs: s.number(at)})
		}
		order, err := s.runtime.Admit(f, s.number(strings.TrimPrefix(words[3], "at=")), releases)
		if err == nil {
			fmt.Fprintf(out, "admitted as number %d\n", order)
		}
		return err
	case "advance":
		return s.runtime.Advance(s.number(words[1]))
	case "until":
		c, err := s.runtime.RunUntil(words[1], s.number(words[2]))
		if err == nil {
			fmt.Fprintf(out, "step %d of %s completed at %d\n", c.StepID, c.ExecutionID, c.CompletedAtNs)
		}
		return err
	case "drain":
		r, err := s.runtime.Drain()
		if err == nil {
			fmt.Fprintf(out, "%d executions completed at %d\n", len(r.Executions), r.CompletedAtNs)
		}
		return err
	}
	return fmt.Errorf("unknown line %v", words)
}

// sequence drives the communicator sequencer line by line.
func (s *stage) sequence(d *datadriven.TestData) string {
	var out strings.Builder
	q := &s.sequencer
	for _, line := range strings.Split(d.Input, "\n") {
		words := strings.Fields(line)
		fmt.Fprintf(&out, "> %s\n", line)
		var err error
		switch words[0] {
		case "register": // register EXECUTION EPOCH [GROUP:COUNT…]
			var counts []executor.GroupCount
			for _, w := range words[3:] {
				group, n, _ := strings.Cut(w, ":")
				counts = append(counts, executor.GroupCount{GroupID: group, Count: s.number(n)})
			}
			err = q.Register(words[1], s.number(words[2]), counts)
		case "can":
			var can bool
			if can, err = q.CanSubmit(words[1], words[2], s.number(words[3])); err == nil {
				fmt.Fprintln(&out, can)
			}
		case "submit":
			err = q.Submit(words[1], words[2], s.number(words[3]))
		case "complete":
			err = q.Complete(words[1])
		case "abort":
			var impacted []string
			if impacted, err = q.Abort(words[1]); err == nil {
				fmt.Fprintf(&out, "impacted %v, epoch %d poisoned: %v\n", impacted, q.Epoch(), q.Poisoned())
			}
		case "advance":
			err = q.Advance(s.number(words[1]))
		case "queue":
			fmt.Fprintln(&out, q.Queue(words[1]))
		}
		if err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
	}
	return out.String()
}
