// Package workload says what is asked to run: the configurations that files and
// notebooks give (target-only, serving, …) and the work profile that every
// workload becomes before it is compiled into a plan.
//
// Contract 06 sections 3 and 4; contract 05 sections 4.1 and 7.1.
package workload

// TokenRoundRobin is the one placement of routed tokens on ranks: token ordinal t
// of a unit originates on rank t mod N.
const TokenRoundRobin = "round_robin"

// Profile is the compiler's input: work units that run one after another.
type Profile struct {
	ID        string
	BatchSize int64 // B, positive
	Units     []Unit

	ExpertPlacement      *ExpertPlacement     // nil: absent
	ExpertTokenPlacement string               // "round_robin" or empty (absent)
	BackgroundPrefetches []BackgroundPrefetch // nil: absent
	ModelWork            *ModelWork           // nil: absent
	Pipeline             *Pipeline            // nil: absent
}

// ProposerExecution says where a proposer runs.
type ProposerExecution string

// The five execution classes of a proposer; SeparateModel is the default.
const (
	CPULookup         ProposerExecution = "cpu_lookup"
	SeparateModel     ProposerExecution = "separate_model"
	SidecarExecution  ProposerExecution = "sidecar"
	SharedKVAssistant ProposerExecution = "shared_kv_assistant"
	TargetEarlyExit   ProposerExecution = "target_early_exit"
)

// Unit is one target forward with everything around it.
type Unit struct {
	ID               string
	TargetTokenWidth int64 // W, tokens of the target forward, positive
	CommittedTokens  int64
	DraftTokens      int64 // additional draft tokens; 0 means no proposer step

	ProposerExecution ProposerExecution // empty: separate_model
	ProposerCostScale float64           // 0: absent, which means 1

	ActiveExperts int64 // K, experts per token, 1 when dense
	ExpertRouted  bool
	RoutedExperts []RoutedExpert // only and always when ExpertRouted

	WarmLoadBytes int64 // used only by units that are not routed
	ColdLoadBytes int64

	RequiredPrefetchIDs []string

	PromptInvocations          int64
	FinalInvocations           int64
	PipelineStepInvocations    int64
	HasPipelineStepInvocations bool // false: max(1, W)
}

// SourceTier is where an expert's bytes come from.
type SourceTier string

// The three tiers, fastest first.
const (
	Hot  SourceTier = "hot"
	Warm SourceTier = "warm"
	Cold SourceTier = "cold"
)

// RoutedExpert is one assignment of a token to an expert, token-major.
type RoutedExpert struct {
	ExpertID   string
	SourceTier SourceTier
	LoadBytes  int64 // 0 exactly when hot
}

// PlacementStrategy assigns experts to owners.
type PlacementStrategy string

// The two strategies; Contiguous is the default.
const (
	Contiguous PlacementStrategy = "contiguous"
	RoundRobin PlacementStrategy = "round_robin"
)

// ExpertPlacement is the ordered expert universe and how it is spread.
type ExpertPlacement struct {
	Strategy  PlacementStrategy
	ExpertIDs []string
}

// BackgroundPrefetch is a storage-to-warm copy triggered by a unit.
type BackgroundPrefetch struct {
	ID             string
	ExpertID       string // empty: absent
	AfterUnitIndex int64  // -1: before the first unit
	Bytes          int64
}

// ModelWork binds a model's weight bytes and FLOPs (contract 06 section 12).
type ModelWork struct {
	ModelID, ModelName           string
	AttentionWeightBytesPerToken int64
	FFNWeightBytesPerToken       int64
	ForwardFlopsPerToken         int64
	ComputeDtype                 string // empty: absent
}

// Pipeline is a package of components around or instead of the target (contract
// 06 section 11).
type Pipeline struct {
	StrategyKind   string
	ReplacesTarget bool
	Components     []PipelineComponent
	Edges          []PipelineEdge
}

// PipelinePhase says when a component runs.
type PipelinePhase string

// The four phases; on-demand components are never emitted.
const (
	PromptOnly PipelinePhase = "prompt_only"
	EveryStep  PipelinePhase = "every_step"
	FinalOnly  PipelinePhase = "final_only"
	OnDemand   PipelinePhase = "on_demand"
)

// PipelineComponent is one model of a package.
type PipelineComponent struct {
	ID, Role             string
	Phase                PipelinePhase
	StrategyKind         string
	InvocationMultiplier int64
	WeightBytes          int64
	DevicePreference     string // empty: absent
	IsPrimary            bool
	Order                int64
	RerunEveryStep       bool
}

// PipelineEdge hands data from one component to another.
type PipelineEdge struct {
	FromComponent, ToComponent string
	// CoLocated is deviceTransfer given as false: both ends must share a memory
	// domain. An edge whose deviceTransfer is true or absent may cross domains.
	CoLocated bool
}
