package executor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// compute is a plan of one step on device 0.
func compute(id string, duration int64) *plan.Plan {
	return &plan.Plan{ContractRevision: 5, ID: id, ExecutionID: id, Steps: []plan.Step{{ID: 7, Participants: []string{"r00"},
		Reads: []string{"n0/d0.w"}, Writes: []string{"n0/d0.kv"},
		Operation: plan.Operation{Kind: plan.Compute, DeviceID: "n0/d0", Capability: topology.FFN, DurationNs: duration}}}}
}

func refusedAs(t *testing.T, what string, err error, code string, names ...string) {
	t.Helper()
	var e *issue.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: error %v, expected code %s", what, err, code)
		return
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v does not name %s", what, err, name)
		}
	}
}

func TestConcurrentFaultsAreChecked(t *testing.T) {
	fabric := plan.NewFabric(plantest.Spec(plantest.Small))
	good := trace.Fault{Kind: trace.NodeFailure, NodeID: "n0", AtNs: 3, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 5}
	requests := []plan.Request{{Plan: compute("x", 10)}}
	if _, err := executor.RunConcurrentNodeFailure(fabric, requests, &good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*trace.Fault){
		"kind":               func(f *trace.Fault) { f.Kind = trace.DeviceFailure },
		"reason":             func(f *trace.Fault) { f.Reason = "" },
		"at_ns":              func(f *trace.Fault) { f.AtNs = 0 },
		"quiesce_timeout_ns": func(f *trace.Fault) { f.HasQuiesceTimeout = false },
		"node_id":            func(f *trace.Fault) { f.NodeID = "n9" },
		"9007199254740991":   func(f *trace.Fault) { f.QuiesceTimeoutNs = 1<<53 - 1 },
	} {
		fault := good
		change(&fault)
		_, err := executor.RunConcurrentNodeFailure(fabric, requests, &fault)
		refusedAs(t, name, err, executor.CodeFault, name)
	}
}

func TestConcurrentRequestsAreChecked(t *testing.T) {
	fabric := plan.NewFabric(plantest.Spec(plantest.Small))
	_, err := executor.RunConcurrent(fabric, nil)
	refusedAs(t, "no request", err, executor.CodeRequest)
	_, err = executor.RunConcurrent(fabric, []plan.Request{{Plan: compute("x", 1), ArrivalNs: -1}})
	refusedAs(t, "negative arrival", err, executor.CodeRequest, "x")
	bad := compute("x", 1)
	bad.Steps[0].Reads = []string{"ghost"}
	_, err = executor.RunConcurrent(fabric, []plan.Request{{Plan: bad}})
	refusedAs(t, "invalid plan", err, executor.CodeRequest, "x", "ghost")
	_, err = executor.RunConcurrent(fabric, []plan.Request{{Plan: compute("x", 1<<53-1)}, {Plan: compute("y", 1), ArrivalNs: 1, AdmissionOrder: 1}})
	refusedAs(t, "overflow", err, executor.CodeOverflow, "step 7")
	other := plan.NewFabric(plantest.Spec(plantest.Small))
	f, err := other.Validate(compute("x", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = executor.NewRuntime(fabric).Admit(f, 0, nil)
	refusedAs(t, "another scenario", err, executor.CodeRequest, "x")
}

// TestOverflowEndsARuntimeForGood: after a failure within the run every later call
// gives the same error.
func TestOverflowEndsARuntimeForGood(t *testing.T) {
	fabric := plan.NewFabric(plantest.Spec(plantest.Small))
	r := executor.NewRuntime(fabric)
	for id, duration := range map[string]int64{"x": 1<<53 - 1, "y": 1} {
		f, err := fabric.Validate(compute(id, duration))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Admit(f, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, first := r.Drain()
	refusedAs(t, "drain", first, executor.CodeOverflow, "step 7")
	if err := r.Advance(5); !errors.Is(err, first) {
		t.Errorf("advance: %v, expected %v", err, first)
	}
	if _, err := r.RunUntil("x", 7); !errors.Is(err, first) {
		t.Errorf("until: %v, expected %v", err, first)
	}
}

func TestFaultAndInjectionExcludeEachOther(t *testing.T) {
	f := freeze(t, plantest.Small, compute("x", 4))
	_, err := executor.Run(f, executor.Options{
		Fault:     &trace.Fault{Kind: trace.TopologyEpochChange, AtNs: 1, Reason: "r", NextTopologyEpoch: 1},
		Injection: &executor.Injection{StepID: 7, Status: trace.Failed, Reason: "r"},
	})
	refusedAs(t, "both", err, executor.CodeInjection)
	_, err = executor.Run(f, executor.Options{Injection: &executor.Injection{StepID: 7, Status: trace.Failed}})
	refusedAs(t, "no reason", err, executor.CodeInjection, "reason")
	_, err = executor.Run(f, executor.Options{Fault: &trace.Fault{Kind: trace.TopologyEpochChange, AtNs: -1, Reason: "r", NextTopologyEpoch: 1}})
	refusedAs(t, "negative time", err, executor.CodeFault, "atNs")
}

func TestResultAsJSON(t *testing.T) {
	r, err := executor.Run(freeze(t, plantest.Small, compute("x", 4)), executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := jsondoc.NewWriter(nil)
	r.Encode(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "status": "succeeded",
  "executionId": "x",
  "completedAtNs": 4,
  "trace": {
    "operations": [
      {
        "contractRevision": 5,
        "executionId": "x",
        "topologyEpoch": 0,
        "sourceSequence": 0,
        "stepId": 7,
        "kind": "compute",
        "submittedAtNs": 0,
        "startNs": 0,
        "finishNs": 4,
        "resources": [
          {
            "resourceId": "compute:n0/d0",
            "resourceLane": 0
          }
        ],
        "participants": [
          "r00"
        ],
        "reads": [
          "n0/d0.w"
        ],
        "writes": [
          "n0/d0.kv"
        ]
      }
    ],
    "terminal": {
      "contractRevision": 5,
      "executionId": "x",
      "topologyEpoch": 0,
      "sourceSequence": 1,
      "kind": "execution_terminal",
      "status": "succeeded",
      "timestampNs": 4,
      "rankStates": [
        {
          "rankId": "r00",
          "status": "succeeded",
          "terminalAtNs": 4
        }
      ]
    }
  },
  "rankCompletions": [
    {
      "rankId": "r00",
      "completedAtNs": 4
    }
  ],
  "rankStates": [
    {
      "rankId": "r00",
      "status": "succeeded",
      "terminalAtNs": 4
    }
  ]
}
`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestManyLanesCostWhatIsUsed runs on a device that declares more lanes than any
// memory could hold.
func TestManyLanesCostWhatIsUsed(t *testing.T) {
	s := plantest.Small
	s.ComputeLanes = 1<<53 - 1
	p := compute("x", 4)
	for id := range int64(3) {
		step := p.Steps[0]
		step.ID, step.Writes = id, nil
		p.Steps = append(p.Steps, step)
	}
	p.Steps[3].Dependencies = []int64{0}
	r, err := executor.Run(freeze(t, s, p), executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lanes []int64
	for _, op := range r.Trace.Operations {
		lanes = append(lanes, op.Resources[0].ResourceLane)
	}
	// Three start at once on fresh lanes; the last waits for step 0 and, though lanes
	// 0 to 2 are free again at 4, takes a lane that was free all along.
	if diff := cmp.Diff([]int64{0, 1, 2, 3}, lanes); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
}
