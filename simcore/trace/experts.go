package trace

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/workload"
)

// ExpertsContractRevision is the expert-cache trace contract (05 section 2.15).
const ExpertsContractRevision int64 = 5

// Experts is the lossless trace of an expert cache, kept in columns: experts are
// indices in declaration order, requests and loads are their numbers, ids appear
// only at the edge. Events refer to rows of the other tables, and rows to ranges
// of two flat lists, so a token costs a few flat records and no pointer.
type Experts struct {
	Config workload.ExpertCache // of the initialize event

	Events      []ExpertEvent
	Routes      []ExpertRoute
	Prefetches  []ExpertPrefetch
	Decisions   []ExpertDecision
	Evictions   []ExpertEviction
	Loads       []ExpertLoad // as started
	Retimes     []ExpertRetime
	Completions []ExpertCompletion
	Accesses    []ExpertAccess

	ExpertLists []int32 // expert indices; rows own half-open ranges, which may be shared
	TierLists   []Tier  // source tiers of accesses
}

// Tier is where an expert's bytes are.
type Tier uint8

// The three tiers, fastest first.
const (
	TierHot Tier = iota
	TierWarm
	TierCold
)

// String gives the contract's spelling.
func (t Tier) String() string { return spelling(uint8(t), "hot", "warm", "cold") }

// Source is the tier as work profiles spell it.
func (t Tier) Source() workload.SourceTier { return workload.SourceTier(t.String()) }

// spelling is the name of an enumeration's value, "?" beyond its last.
func spelling(v uint8, names ...string) string {
	if int(v) >= len(names) {
		return "?"
	}
	return names[v]
}

// ExpertEventKind is the kind of a cache event.
type ExpertEventKind uint8

// The nine kinds.
const (
	ExpertInitialize ExpertEventKind = iota
	ExpertRouted
	ExpertPrefetched
	ExpertDecided
	ExpertEvicted
	ExpertLoadStarted
	ExpertLoadRetimed
	ExpertLoadCompleted
	ExpertAccessed
)

// String gives the contract's spelling.
func (k ExpertEventKind) String() string {
	return spelling(uint8(k), "initialize", "route", "prefetch", "prefetch_decision", "evict",
		"load_start", "load_retime", "load_complete", "access")
}

// ExpertEvent is one event; its position is its sourceSequence. Ref is a row of
// the kind's table.
type ExpertEvent struct {
	AtNs int64 // atNs, startedAtNs, completedAtNs or readyAtNs; 0 for initialize
	Ref  int32
	Kind ExpertEventKind
}

// ExpertRoute is an admitted route: TopK experts in order of choice.
type ExpertRoute struct {
	TokenIndex int64
	TopK       int64
	Request    int32 // request number, from 1
	From, To   int32 // in ExpertLists
}

// PrefetchTrigger says who asked for a prefetch.
type PrefetchTrigger uint8

// The two triggers.
const (
	TriggerManual PrefetchTrigger = iota
	TriggerAdaptive
)

// String gives the contract's spelling.
func (t PrefetchTrigger) String() string { return spelling(uint8(t), "manual", "adaptive") }

// ExpertPrefetch is a prefetch request with its ids, repeats dropped.
type ExpertPrefetch struct {
	From, To int32 // in ExpertLists
	Target   Tier
	Trigger  PrefetchTrigger
}

// ExpertDecision is one decision of the adaptive policy; the range may be empty.
type ExpertDecision struct {
	TokenIndex     int64
	ObservedRoutes int64
	From, To       int32 // in ExpertLists
}

// ExpertEviction is a copy that left its tier to make room.
type ExpertEviction struct {
	Bytes     int64
	Expert    int32
	Partition int32 // index in the tier's partition table
	Tier      Tier
}

// LoadKind says why a load was started.
type LoadKind uint8

// The two kinds of load.
const (
	LoadDemand LoadKind = iota
	LoadPrefetch
)

// String gives the contract's spelling.
func (k LoadKind) String() string { return spelling(uint8(k), "demand", "prefetch") }

// ExpertLoad is a copy on its way into a tier.
type ExpertLoad struct {
	StartedAtNs   int64
	CompletesAtNs int64 // as first scheduled in a trace, as last retimed in a snapshot
	Bytes         int64
	Load          int32 // load number, from 1
	Expert        int32
	Source        Tier
	Target        Tier
	Kind          LoadKind
}

// ExpertRetime is a new completion time of a pending load.
type ExpertRetime struct {
	PriorCompletesAtNs    int64
	CompletesAtNs         int64
	PhysicalCompletesAtNs int64 // meaningful when HasPhysical
	Load                  int32
	HasPhysical           bool
}

// ExpertCompletion makes a load's copy visible.
type ExpertCompletion struct {
	Load   int32
	Expert int32
	Target Tier
}

// ExpertAccess ends a route: its experts are resident hot and are used.
type ExpertAccess struct {
	RequestedAtNs    int64
	StallNs          int64
	Request          int32
	From, To         int32 // in ExpertLists
	TierFrom, TierTo int32 // in TierLists
}

// RequestID spells a request number.
func RequestID(number int32) string { return "expert-request-" + strconv.Itoa(int(number)) }

// LoadID spells a load number.
func LoadID(number int32) string { return "expert-load-" + strconv.Itoa(int(number)) }

// ExpertID is the id of an expert index.
func (t *Experts) ExpertID(expert int32) string { return t.Config.Experts[expert].ID }

// Partition is the id of a partition index of a tier.
func (t *Experts) Partition(tier Tier, partition int32) string {
	declared := t.Config.HotPartitions
	if tier == TierWarm {
		declared = t.Config.WarmPartitions
	}
	if declared == nil {
		return workload.DefaultPartition
	}
	return declared[partition].ID
}
