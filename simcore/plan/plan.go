// Package plan holds the FrozenPlan: one immutable DAG of compute, transfer and
// collective steps that an executor runs on a topology, its validation against a
// scenario, the hazard closure, and the plan artifact.
//
// In go a scenario and a plan as plain data; out come a validated plan whose ids
// are resolved to indices, or the ordered list of every rule it breaks.
//
// Contract 03 sections 2 to 5 (plan contract revision 5, artifact revision 1).
package plan

import "github.com/inferlab/inferlab/simcore/topology"

// ContractRevision is the plan contract that this package implements.
const ContractRevision int64 = 5

// Plan is a FrozenPlan as plain data. The position of a step in Steps is its plan
// index, which decides every tie. Nothing is promised until Validate accepts it.
type Plan struct {
	ContractRevision int64
	ID               string // label
	ExecutionID      string // identity of one execution
	TopologyEpoch    int64  // equals execution.topologyEpoch of the scenario
	Steps            []Step
}

// Step is one node of the DAG. Slices may be shared between steps, plans and
// trace events and must not be written to.
type Step struct {
	ID           int64    // free label, unique in the plan
	Participants []string // rank ids
	Dependencies []int64  // step ids
	Reads        []string // physical allocation ids, shared leases
	Writes       []string // physical allocation ids, exclusive leases
	Operation    Operation
}

// Kind is the kind of an operation.
type Kind string

// The three kinds of operation.
const (
	Compute    Kind = "compute"
	Transfer   Kind = "transfer"
	Collective Kind = "collective"
)

// Kinds lists the kinds in document order.
var Kinds = [...]Kind{Compute, Transfer, Collective}

// Algorithm is the algorithm of a collective.
type Algorithm string

// The two collective algorithms.
const (
	AllReduceRing Algorithm = "all_reduce_ring"
	AllToAllV     Algorithm = "all_to_all_v"
)

// Operation is what a step does. Which fields are meaningful depends on Kind.
type Operation struct {
	Kind       Kind
	DurationNs int64

	// Compute.
	DeviceID      string
	Capability    topology.Capability
	ComponentID   string // optional label, empty when absent
	PipelinePhase string // optional label, empty when absent

	// Transfer.
	LinkID string

	// Collective.
	GroupID        string
	CommSequenceID int64 // 0, 1, 2, … within the group
	Algorithm      Algorithm
	LinkIDs        []string // directed links reserved for the whole duration
}
