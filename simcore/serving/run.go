package serving

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Run is a finished, verified serving run on a topology: everything that the
// document, the tables and the figures are made from. It is read-only.
type Run struct {
	Scenario    *topology.Scenario
	Config      workload.Serving             // event budget filled in
	Speculation *workload.ServingSpeculation // nil: target-only decoding
	Model       *cost.Model
	Trace       *trace.Serving
	Requests    []RequestResult // ordered by arrivalNs, priority descending, id
	TokenTimes  []int64         // ns; Requests[i].TokensFrom…TokensTo is request i's range
	Metrics     Metrics
	Topology    TopologyMetrics
	Templates   []Template
	BatchPlans  []int32 // batch index -> template index
	Replay      Replay
	Gain        *Gain          // over target-only decoding; nil unless it was measured
	Confidence  evidence.Class // of the first batch's topology result; timing is never exact
	Assumptions []string       // in the order of contract 05 section 7.1

	ContractRevisions []Revision // only those on the execution path, in a fixed order
}

// Revision is one entry of the contract map.
type Revision = jsondoc.Revision

// RequestResult is one request's outcome; times in ns.
type RequestResult struct {
	Request            int32 // index in Config.Requests
	ArrivalNs          int64
	FirstTokenNs       int64
	CompletedAtNs      int64
	TimeToFirstTokenNs int64 // first token - arrival
	LatencyNs          int64 // completion - arrival
	TokensFrom         int64 // half-open range in Run.TokenTimes
	TokensTo           int64
}

// Metrics are the scheduler's figures (contract 05 section 4.9).
type Metrics struct {
	Requests, Batches                                  int64
	PrefillTokens, DecodeTokens, OutputTokens          int64
	TargetForwards, TargetVerificationTokens           int64
	GuaranteedTargetTokens                             int64
	ProposedAdditionalTokens, AcceptedAdditionalTokens int64
	ProposedDraftTokens, AcceptedDraftTokens           int64
	RejectedDraftTokens, TargetAuthoritativeTokens     int64
	CommittedTokensPerTargetForward                    float64
	TotalDurationNs, BatchServiceNs                    int64
	ThroughputTokensPerSecond                          float64
	AverageTimeToFirstTokenNs                          float64
	P50TimeToFirstTokenNs, P95TimeToFirstTokenNs       int64
	AverageInterTokenLatencyNs                         float64
	P50InterTokenLatencyNs, P95InterTokenLatencyNs     int64
	AverageRequestLatencyNs                            float64
	SequenceBatchUtilization, TokenBatchUtilization    float64
	KVHighWaterTokens                                  int64
}

// TopologyMetrics are the figures of the machine (contract 05 section 6.9).
type TopologyMetrics struct {
	TotalDurationNs, BatchServiceNs, IdleNs                       int64
	ResourceObservationNs, BackgroundDrainNs                      int64
	CompiledTopologyTemplates, ReusedTopologyBatches              int64
	PlanSteps                                                     int64
	ComputeOperations, TransferOperations                         int64
	CollectiveOperations, AllReduceOperations, AllToAllOperations int64
	ComputeServiceNs, TransferServiceNs, CollectiveServiceNs      int64
	ResourceUtilization                                           []Utilization // utilisation descending, then resource id
}

// Utilization is the busy share of one resource over the observation window.
type Utilization struct {
	ResourceID    string // "compute:", "link:" or "network:" and the id
	BusyNs        int64
	CapacityLanes int64
	Utilization   float64 // busyNs / (window * lanes), at most 1
}

// Template is one compiled, executed and replayed batch plan that equal batches
// share; its operations are in relative time from 0.
type Template struct {
	Plan        *plan.Plan
	Trace       *trace.Plan
	DurationNs  int64 // foreground duration: what a batch lasts
	TopologyNs  int64 // completion of the whole plan
	Occurrences int64 // batches that use it
	Operations  OperationCounts
}

// OperationCounts counts executed operations by kind and algorithm.
type OperationCounts struct {
	Compute, Transfer, Collective, AllReduce, AllToAll int64
}

// Replay is what the independent checker of the serving trace answered.
type Replay struct {
	AppliedEvents     int64
	CompletedRequests int64
	FinalKVTokens     int64
}
