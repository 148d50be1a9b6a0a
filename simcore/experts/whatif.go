package experts

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// WhatIf is one point of a capacity sweep.
type WhatIf struct {
	HotCapacityBytes int64
	Metrics          trace.ExpertMetrics // meaningful when Refused is nil
	Refused          error               // the cache could not do the workload at all
}

// SweepHotCapacity answers what the same workload would have done with other hot
// capacities: each is simulated and replayed anew, with the same seed and therefore
// the same routes. Working sets or initial experts that do not fit are a refusal of
// that point; whatever else is wrong is an error.
func SweepHotCapacity(cfg workload.ExpertRun, capacities []int64) ([]WhatIf, error) {
	if cfg.Cache.HotPartitions != nil {
		return nil, issue.New("prepartitioned", "expert_cache.hot_partitions", "a sweep over one capacity needs an unpartitioned hot tier")
	}
	points := make([]WhatIf, len(capacities))
	for i, bytes := range capacities {
		points[i].HotCapacityBytes = bytes
		cfg.Cache.HotCapacityBytes = bytes
		run, err := Simulate(cfg)
		switch {
		case err == nil:
			points[i].Metrics = run.Snapshot.Metrics
		case tooSmall(err):
			points[i].Refused = err
		default:
			return nil, fmt.Errorf("with %d bytes of hot capacity: %w", bytes, err)
		}
	}
	return points, nil
}

// tooSmall reports that capacity alone stands in the way.
func tooSmall(err error) bool {
	all := issue.All(err)
	for _, i := range all {
		if i.Code != CodeCapacity {
			return false
		}
	}
	return len(all) > 0
}
