package workload

import (
	"math"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

var (
	expertRootKeys  = []string{"expert_cache", "workload", "initial_prefetch"}
	expertCacheKeys = []string{
		"experts", "hot_capacity_bytes", "warm_capacity_bytes",
		"warm_to_hot_latency_ns", "cold_to_hot_latency_ns", "cold_to_warm_latency_ns",
		"routing_seed", "initial_hot_expert_ids", "initial_warm_expert_ids", "adaptive_prefetch",
		"placement_strategy", // read by the commands that bind a topology
	}
	expertServingKeys  = []string{"contract_revision", "top_k"}
	expertWorkloadKeys = []string{"token_count", "top_k", "token_interval_ns", "start_at_ns"}
)

// ReadExpertRun reads the file of the command expert-cache (contract 05 section
// 3) and validates it. Unknown keys become warnings, or refusals in a strict pass.
func ReadExpertRun(root document.Value, strict bool) (*ExpertRun, []document.Warning, error) {
	if root.Kind() != document.Object {
		return nil, nil, issue.New(document.CodeType, "config", "expected an object, found %s", root.Describe())
	}
	r := document.NewReader(root, "")
	r.Strict = strict
	r.Root().Known(expertRootKeys...)
	run := &ExpertRun{Cache: ReadExpertCache(r.Root().Get("expert_cache"))}
	run.Workload = ReadExpertWorkload(r.Root())
	if err := r.Err(); err != nil {
		return nil, r.Warnings(), err
	}
	return run, r.Warnings(), run.Validate()
}

// ReadExpertCache reads an expert_cache block; refusals are with the node's reader
// and name the dotted path. Values are checked one by one, and against each other
// by ExpertCache.Validate.
func ReadExpertCache(n document.Node) ExpertCache {
	if n.Object() {
		n.Known(expertCacheKeys...)
	}
	return readExpertCache(n)
}

func readExpertCache(n document.Node) ExpertCache {
	c := ExpertCache{
		Experts:              readExperts(n.Get("experts")),
		HotCapacityBytes:     n.Get("hot_capacity_bytes").Positive(),
		WarmCapacityBytes:    n.Get("warm_capacity_bytes").Count(),
		WarmToHotLatencyNs:   n.Get("warm_to_hot_latency_ns").Count(),
		ColdToHotLatencyNs:   n.Get("cold_to_hot_latency_ns").Count(),
		ColdToWarmLatencyNs:  n.Get("cold_to_warm_latency_ns").Count(),
		RoutingSeed:          n.Get("routing_seed").CountOr(DefaultRoutingSeed),
		InitialHotExpertIDs:  readExpertIDs(n.Get("initial_hot_expert_ids")),
		InitialWarmExpertIDs: readExpertIDs(n.Get("initial_warm_expert_ids")),
	}
	if a := n.Get("adaptive_prefetch"); a.Present() {
		c.AdaptivePrefetch = readAdaptive(a)
	}
	return c
}

func readExperts(n document.Node) []Expert {
	experts := make([]Expert, 0, n.Len())
	for _, item := range n.Items() {
		item.Known("id", "bytes", "routing_weight")
		e := Expert{ID: item.Get("id").NonEmpty(), RoutingWeight: 1}
		e.Bytes = expertBytes(item.Get("bytes"), e.ID)
		if w := item.Get("routing_weight"); w.Present() {
			e.RoutingWeight = expertWeight(w, e.ID)
		}
		experts = append(experts, e)
	}
	if n.OK() && len(experts) == 0 {
		n.Fail("empty_list", "expected at least one expert, found an empty list")
	}
	return experts
}

// expertBytes reads a positive integer; a refused number names the expert beside
// its path.
func expertBytes(n document.Node, expert string) int64 {
	f := n.Number()
	if !n.OK() {
		return 0
	}
	v, ok := quantity.FromFloat(f)
	if !ok || v < 1 {
		n.Refuse(issue.New(document.CodeRange, n.Path(), "expert %s: expected a positive integer, found %s", expert, n.Value().Describe()))
	}
	return v
}

func expertWeight(n document.Node, expert string) float64 {
	f := n.Number()
	if n.OK() && !(f > 0 && f <= math.MaxFloat64) {
		n.Refuse(issue.New(document.CodeRange, n.Path(), "expert %s: expected a weight above 0, found %s", expert, n.Value().Describe()))
	}
	return f
}

// readExpertIDs reads a list of non-empty texts; an absent one is empty.
func readExpertIDs(n document.Node) []string {
	if !n.Present() {
		return []string{}
	}
	ids := make([]string, 0, n.Len())
	for _, item := range n.Items() {
		ids = append(ids, item.NonEmpty())
	}
	return ids
}

func readAdaptive(n document.Node) *AdaptivePrefetch {
	n.Known("target_tier", "min_observations", "interval_tokens", "max_experts_per_decision")
	return &AdaptivePrefetch{
		TargetTier:            SourceTier(n.Get("target_tier").OneOf(string(Warm))),
		MinObservations:       n.Get("min_observations").Positive(),
		IntervalTokens:        n.Get("interval_tokens").Positive(),
		MaxExpertsPerDecision: n.Get("max_experts_per_decision").Positive(),
	}
}

// ReadExpertWorkload reads the blocks workload and initial_prefetch of a file's
// root; refusals are with the node's reader.
func ReadExpertWorkload(root document.Node) ExpertWorkload {
	n := root.Get("workload")
	if n.Object() {
		n.Known(expertWorkloadKeys...)
	}
	w := ExpertWorkload{
		TokenCount:      n.Get("token_count").Count(),
		TopK:            n.Get("top_k").Positive(),
		StartAtNs:       n.Get("start_at_ns").CountOr(0),
		TokenIntervalNs: n.Get("token_interval_ns").Count(),
	}
	if p := root.Get("initial_prefetch"); p.Present() {
		p.Known("expert_ids", "target_tier", "lead_time_ns")
		w.InitialPrefetch = &InitialPrefetch{
			ExpertIDs:  readRequiredIDs(p.Get("expert_ids")),
			TargetTier: SourceTier(p.Get("target_tier").OneOf(string(Hot), string(Warm))),
			LeadTimeNs: p.Get("lead_time_ns").Count(),
		}
	}
	return w
}

func readRequiredIDs(n document.Node) []string {
	n.Len() // refuses an absent list
	return readExpertIDs(n)
}

// ReadPlacementStrategy reads expert_cache.placement_strategy, contiguous unless
// given (contract 06 section 3).
func ReadPlacementStrategy(block document.Node) PlacementStrategy {
	return PlacementStrategy(block.Get("placement_strategy").OneOfOr(string(Contiguous), string(Contiguous), string(RoundRobin)))
}

// ReadExpertFile reads what the topology-bound run of an expert cache needs from a
// workload file (contract 06 section 3): the run and the placement strategy.
// Refusals of single values are with the node's reader and then also returned.
func ReadExpertFile(r *document.Reader) (*ExpertRun, PlacementStrategy, error) {
	block := r.Root().Get("expert_cache")
	run := &ExpertRun{Cache: ReadExpertCache(block)}
	strategy := ReadPlacementStrategy(block)
	run.Workload = ReadExpertWorkload(r.Root())
	if err := r.Err(); err != nil {
		return nil, "", err
	}
	return run, strategy, run.ValidateUnplaced()
}

// ServingExpertsRevision is the composition of serving and expert cache that this
// product implements (contract 05 section 6.3).
const ServingExpertsRevision int64 = 3

// ServingExperts configures the expert cache of a serving run (contract 05
// section 6.3).
type ServingExperts struct {
	Cache    ExpertCache // never prepartitioned
	TopK     int64
	Strategy PlacementStrategy
}

// ReadServingExperts reads the value of a serving file's expert_cache (contract 05
// section 7.1) and validates it. Unknown keys become warnings, or refusals in a
// strict pass.
func ReadServingExperts(block document.Value, strict bool) (*ServingExperts, []document.Warning, error) {
	r := document.NewReader(block, "expert_cache")
	r.Strict = strict
	n := r.Root()
	n.Known(append(append([]string(nil), expertCacheKeys...), expertServingKeys...)...)
	revision := n.Get("contract_revision")
	if v := revision.Integer(); revision.OK() && v != ServingExpertsRevision {
		revision.Fail(document.CodeChoice, "composition revision %d is not supported, expected %d", v, ServingExpertsRevision)
	}
	s := &ServingExperts{TopK: n.Get("top_k").Positive(), Strategy: ReadPlacementStrategy(n), Cache: readExpertCache(n)}
	if err := r.Err(); err != nil {
		return nil, r.Warnings(), err
	}
	return s, r.Warnings(), s.Validate()
}

// Validate checks the cache and what the composition asks of it.
func (s *ServingExperts) Validate() error {
	if s.Cache.HotPartitions != nil || s.Cache.WarmPartitions != nil {
		return issue.New("prepartitioned", "expert_cache", "a topology-bound run derives its partitions itself; the cache must not declare any")
	}
	if s.Strategy != Contiguous && s.Strategy != RoundRobin {
		return issue.New("placement_strategy", "expert_cache.placement_strategy", "placement_strategy %q is not contiguous or round_robin", s.Strategy)
	}
	if err := s.Cache.ValidateUnplaced(); err != nil {
		return err
	}
	if !quantity.IsPositive(s.TopK) || s.TopK > int64(len(s.Cache.Experts)) {
		return issue.New("top_k", "expert_cache.top_k", "is %d, must be from 1 to %d, the number of experts", s.TopK, len(s.Cache.Experts))
	}
	return nil
}
