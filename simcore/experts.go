package simcore

import (
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ExpertWork configures an expert cache that stands alone and the tokens that drive
// it.
type ExpertWork = workload.ExpertRun

// ExpertCacheRun is a finished, verified run of a cache that stands alone.
type ExpertCacheRun = experts.Run

// ServingExperts configures the expert cache of a serving run; capacities are those
// of one owner and of one node.
type ServingExperts = workload.ServingExperts

// ExpertServingRun is a finished, verified serving run with an expert cache.
type ExpertServingRun = composed.Run

// RouteExperts drives an expert cache with a seeded workload: weighted routing, hot
// and warm tiers, demand loads and adaptive prefetch.
func RouteExperts(cfg ExpertWork) (*ExpertCacheRun, error) { return experts.Simulate(cfg) }

// ServeWithExperts is Serve with an expert cache: routes, demand loads, batches and
// background copies share one clock and contend for the machine's links.
func ServeWithExperts(s *topology.Scenario, cfg Serving, x ServingExperts, opts ...ServingOptions) (*ExpertServingRun, error) {
	var o ServingOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	return composed.Simulate(s, cfg, x, modelOr(o.Model), composed.Options{
		Speculation: o.Speculation, Progress: o.Progress, Interrupted: o.Interrupted,
	})
}
