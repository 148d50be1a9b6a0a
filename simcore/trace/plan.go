// Package trace holds the record types of every protocol trace: what an engine
// writes and what an independent checker reads back. Records are lossless,
// ordered and revisioned, and carry no wall-clock time.
//
// This file: executions of one plan (contract 03 section 8, plan contract 5).
package trace

import "github.com/inferlab/inferlab/simcore/plan"

// Status is the state in which an execution or a rank ended.
type Status string

// The three terminal states.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Aborted   Status = "aborted"
)

// Reservation is one lane of one resource held by an operation.
type Reservation struct {
	ResourceID   string // "compute:", "link:", "network:" or "collective:" and the id
	ResourceLane int64  // from 0
}

// Operation is one submitted step, in submission order. Slices are shared with
// the plan and must not be written to.
type Operation struct {
	ContractRevision int64
	ExecutionID      string
	TopologyEpoch    int64
	SourceSequence   int64 // 0, 1, 2, … within the execution
	StepID           int64
	Kind             plan.Kind
	SubmittedAtNs    int64
	StartNs          int64
	FinishNs         int64
	Resources        []Reservation // in reservation order
	Participants     []string
	Reads, Writes    []string

	// Collectives only.
	GroupID             string
	CommSequenceID      int64
	CollectiveAlgorithm plan.Algorithm
}

// RankState is how a participating rank ended.
type RankState struct {
	RankID       string
	Status       Status
	TerminalAtNs int64
}

// RankCompletion is the completion of a rank that succeeded.
type RankCompletion struct {
	RankID        string
	CompletedAtNs int64
}

// Terminal closes an execution.
type Terminal struct {
	ContractRevision int64
	ExecutionID      string
	TopologyEpoch    int64
	SourceSequence   int64 // number of operations
	Status           Status
	TimestampNs      int64 // completion or quiescence
	RankStates       []RankState

	// Only when not succeeded.
	FailureAtNs        int64
	Reason             string
	UnsubmittedStepIDs []int64
	Fault              *Fault // after a fault
	BeforeStepID       int64  // after a terminal injection
	HasBeforeStep      bool
}

// FaultKind is the kind of a fault.
type FaultKind string

// The four kinds of fault (contract 03 section 9).
const (
	NodeFailure         FaultKind = "node_failure"
	DeviceFailure       FaultKind = "device_failure"
	LinkFailure         FaultKind = "link_failure"
	TopologyEpochChange FaultKind = "topology_epoch_change"
)

// Fault is a typed, time-anchored fault. Which id is meaningful depends on Kind.
type Fault struct {
	Kind              FaultKind
	AtNs              int64
	Reason            string
	NodeID            string
	QuiesceTimeoutNs  int64 // node failures; meaningful when HasQuiesceTimeout
	HasQuiesceTimeout bool
	DeviceID          string
	LinkID            string
	NextTopologyEpoch int64
}

// Plan is the whole trace of one execution.
type Plan struct {
	Operations []Operation
	Terminal   Terminal
}
