package main

import (
	"errors"
	"fmt"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
)

func (a *app) expertCacheCommand() *cobra.Command {
	var outputs servingOutputs
	var whatIf int
	cmd := &cobra.Command{
		Use:   "expert-cache CONFIG",
		Short: "Route tokens through an expert cache that stands alone",
		Long: `Drives an expert cache with a seeded workload: weighted routing without replacement,
hot and warm tiers with reservations and protected LRU, demand loads, and adaptive
prefetch into the warm tier. The trace is replayed independently.

The page shows the tiers of every expert over the routed tokens, what the cache did
and what tokens waited for; with --what-if also what other hot capacities would have
done with the same routes.

A small CONFIG, without partitions, prefetch or experts that are hot at the start:
  expert_cache:
    experts:
      - {id: a, bytes: 100, routing_weight: 4}
      - {id: b, bytes: 100, routing_weight: 2}
      - {id: c, bytes: 100, routing_weight: 1}
    hot_capacity_bytes: 200
    warm_capacity_bytes: 300
    warm_to_hot_latency_ns: 1000
    cold_to_hot_latency_ns: 5000
    cold_to_warm_latency_ns: 4000
  workload: {token_count: 500, top_k: 1, token_interval_ns: 2000}`,
		Example: `  inferlab expert-cache experts.yaml
  inferlab expert-cache experts.yaml --report experts.html --what-if 12 --format table
  inferlab expert-cache experts.yaml --format table`,
		Args: positional("CONFIG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkTraceFile(outputs.trace), checkWhatIf(whatIf, &outputs), outputs.prepare()); err != nil {
				return fmt.Errorf("expert-cache: %w", err)
			}
			q, err := a.asked(cmd, args, experiment.ConfigFile)
			if err != nil {
				return err
			}
			r, made, err := experiment.ExpertCache(q.Inputs)
			if err != nil {
				return err
			}
			return a.leaveExperts(&outputs, q, r, made, whatIf)
		},
	}
	cmd.Flags().StringVar(&outputs.trace, "trace", "", "write the protocol trace to this .json file")
	cmd.Flags().IntVar(&whatIf, "what-if", 0, "with --report: simulate this many hot capacities as well and show their hit rates")
	outputs.flags(cmd)
	a.formatFlag(cmd)
	return cmd
}

// expertSheet shows what an expert cache did.
func expertSheet(m *trace.ExpertMetrics, replayed int64) sheet {
	return sheet{
		title:   fmt.Sprintf("expert cache: %s, replay verified %s", counted(m.Routes, "route"), counted(replayed, "event")),
		columns: []string{"figure", ">value"},
		rows: [][]string{
			{"hot hit rate", percent(m.HotHitRate())},
			{"hot hits, warm misses, cold misses", fmt.Sprintf("%d, %d, %d", m.HotHits, m.WarmMisses, m.ColdMisses)},
			{"demand loads, prefetch loads", fmt.Sprintf("%d, %d", m.DemandLoads, m.PrefetchLoads)},
			{"evictions", count(m.Evictions)},
			{"bytes moved", binary(m.BytesMoved)},
			{"modeled stall", duration(float64(m.StallNs))},
			{"hot high water, warm high water", binary(m.HighWaterHotBytes) + ", " + binary(m.HighWaterWarmBytes)},
		},
	}
}
