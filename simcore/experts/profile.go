package experts

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Profile turns the trace of a cache into the work of its tokens (contract 06
// section 4.4): one routed unit a route, a background prefetch for every copy that
// was prefetched into the warm tier, and for each unit the prefetches that its
// warm experts came from. Hot prefetches leave no work.
//
// The trace must have been replayed. A trace without routes gives a profile
// without units, which its validation refuses.
func Profile(tr *trace.Experts, strategy workload.PlacementStrategy) *workload.Profile {
	p := projection{
		tr: tr, producer: make([]int32, len(tr.Config.Experts)),
		profile: &workload.Profile{
			ID: "expert-cache", BatchSize: 1, ExpertTokenPlacement: workload.TokenRoundRobin,
			ExpertPlacement: &workload.ExpertPlacement{Strategy: strategy, ExpertIDs: tr.Config.ExpertIDs()},
			Units:           make([]workload.Unit, 0, len(tr.Accesses)),
		},
	}
	for i := range tr.Events {
		p.apply(&tr.Events[i])
	}
	return p.profile
}

// projection walks a trace. A producer is the prefetch that a warm copy came from,
// 0 when it is none or the copy is gone.
type projection struct {
	tr       *trace.Experts
	producer []int32 // expert -> load number
	profile  *workload.Profile
}

func (p *projection) apply(e *trace.ExpertEvent) {
	switch e.Kind {
	case trace.ExpertLoadStarted:
		if l := &p.tr.Loads[e.Ref]; l.Kind == trace.LoadPrefetch && l.Target == trace.TierWarm {
			p.profile.BackgroundPrefetches = append(p.profile.BackgroundPrefetches, workload.BackgroundPrefetch{
				ID: trace.LoadID(l.Load), ExpertID: p.tr.ExpertID(l.Expert), Bytes: l.Bytes,
				AfterUnitIndex: int64(len(p.profile.Units)) - 1,
			})
		}
	case trace.ExpertLoadCompleted:
		if c := &p.tr.Completions[e.Ref]; c.Target == trace.TierWarm { // only prefetches go to the warm tier
			p.producer[c.Expert] = c.Load
		}
	case trace.ExpertEvicted:
		if v := &p.tr.Evictions[e.Ref]; v.Tier == trace.TierWarm {
			p.producer[v.Expert] = 0
		}
	case trace.ExpertAccessed:
		p.unit(&p.tr.Accesses[e.Ref])
	}
}

// unit appends the work of one route.
func (p *projection) unit(a *trace.ExpertAccess) {
	experts, tiers := p.tr.ExpertLists[a.From:a.To], p.tr.TierLists[a.TierFrom:a.TierTo]
	u := workload.Unit{
		ID:               "route-" + strconv.Itoa(len(p.profile.Units)),
		TargetTokenWidth: 1, CommittedTokens: 1,
		ActiveExperts: int64(len(experts)), ExpertRouted: true,
		RoutedExperts: make([]workload.RoutedExpert, len(experts)),
	}
	for i, e := range experts {
		r := &u.RoutedExperts[i]
		r.ExpertID, r.SourceTier = p.tr.ExpertID(e), tiers[i].Source()
		bytes := p.tr.Config.Experts[e].Bytes
		switch tiers[i] {
		case trace.TierWarm:
			r.LoadBytes = bytes
			u.WarmLoadBytes += bytes
			if load := p.producer[e]; load != 0 { // experts of a route differ, and so do producers
				u.RequiredPrefetchIDs = append(u.RequiredPrefetchIDs, trace.LoadID(load))
			}
		case trace.TierCold:
			r.LoadBytes = bytes
			u.ColdLoadBytes += bytes
		}
	}
	p.profile.Units = append(p.profile.Units, u)
}

// Profile is the work of the run's tokens; see the function of the same name.
func (r *Run) Profile(strategy workload.PlacementStrategy) *workload.Profile {
	return Profile(r.Trace, strategy)
}

// SimulateOn is Simulate for a run that is bound to a topology: the cache is
// checked against the scenario's resource limits and partitioned for it first
// (contract 02 section 18, contract 06 section 3). Profile with the same
// strategy then gives the work to compile.
func SimulateOn(s *topology.Scenario, cfg workload.ExpertRun, strategy workload.PlacementStrategy) (*Run, error) {
	if err := cfg.ValidateUnplaced(); err != nil {
		return nil, err
	}
	err := CheckLimits(&cfg.Cache, s, strategy)
	if err != nil {
		return nil, err
	}
	if cfg.Cache, err = Partition(cfg.Cache, s, strategy); err != nil {
		return nil, err
	}
	return Simulate(cfg)
}
