package workload

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/issue"
)

// ExpertWorkload drives a cache that stands alone: one route a token, a token an
// interval, none before its predecessor's experts are resident (contract 05
// section 2.17). Times are in ns.
type ExpertWorkload struct {
	TokenCount      int64
	TopK            int64 // experts of each token, positive
	StartAtNs       int64
	TokenIntervalNs int64
	InitialPrefetch *InitialPrefetch // nil: none
}

// InitialPrefetch is a manual prefetch before the first token.
type InitialPrefetch struct {
	ExpertIDs  []string // repeats are dropped, the first occurrence stays
	TargetTier SourceTier
	LeadTimeNs int64 // from the prefetch to the first token
}

// MaxRecordedRoutes is the most routes that one workload, or one serving batch, may
// ask of an expert cache: every route is recorded, and more would not fit in memory.
const MaxRecordedRoutes int64 = 1 << 24

// ExpertRun is a cache with the workload that drives it: what the command
// expert-cache reads.
type ExpertRun struct {
	Cache    ExpertCache
	Workload ExpertWorkload
}

// Validate checks the cache, the workload, and the workload against the cache. It
// returns an *issue.List of every rule broken, or nil.
func (r *ExpertRun) Validate() error {
	if err := r.Cache.Validate(); err != nil {
		return err
	}
	return r.validateWorkload()
}

// ValidateUnplaced is Validate for a run that is still to be bound to a topology;
// see ExpertCache.ValidateUnplaced.
func (r *ExpertRun) ValidateUnplaced() error {
	if err := r.Cache.ValidateUnplaced(); err != nil {
		return err
	}
	return r.validateWorkload()
}

func (r *ExpertRun) validateWorkload() error {
	l := issue.List{Subject: "expert workload"}
	w := &r.Workload
	count(&l, "workload.token_count", w.TokenCount)
	if w.TokenCount > MaxRecordedRoutes {
		l.Add("too_many_routes", "workload.token_count", "is %d, must be at most %d: every route is recorded", w.TokenCount, MaxRecordedRoutes)
	}
	positive(&l, "workload.top_k", w.TopK)
	count(&l, "workload.start_at_ns", w.StartAtNs)
	count(&l, "workload.token_interval_ns", w.TokenIntervalNs)
	if w.TokenCount > 0 && w.TopK > int64(len(r.Cache.Experts)) {
		l.Add("top_k", "workload.top_k", "is %d, must be at most %d, the number of experts", w.TopK, len(r.Cache.Experts))
	}
	if p := w.InitialPrefetch; p != nil {
		count(&l, "initial_prefetch.lead_time_ns", p.LeadTimeNs)
		if p.TargetTier != Hot && p.TargetTier != Warm {
			l.Add("target_tier", "initial_prefetch.target_tier", "%q is not hot or warm", p.TargetTier)
		}
		known := make(map[string]bool, len(r.Cache.Experts))
		for i := range r.Cache.Experts {
			known[r.Cache.Experts[i].ID] = true
		}
		for i, id := range p.ExpertIDs {
			if !known[id] {
				l.Add("unknown_expert", "initial_prefetch.expert_ids["+strconv.Itoa(i)+"]", "expert %q is not declared", id)
			}
		}
	}
	return l.Err()
}
