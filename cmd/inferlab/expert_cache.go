package main

import (
	"errors"
	"fmt"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
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
done with the same routes.`,
		Example: `  inferlab expert-cache experts.yaml
  inferlab expert-cache experts.yaml --report experts.html --what-if 12 --format table
  inferlab expert-cache experts.yaml --format table`,
		Args: positional("CONFIG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkTraceFile(outputs.trace), checkWhatIf(whatIf, &outputs), outputs.prepare()); err != nil {
				return fmt.Errorf("expert-cache: %w", err)
			}
			doc, err := readDocument(args[0])
			if err != nil {
				return err
			}
			cfg, warnings, err := experts.ReadConfig(doc, a.strict)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			a.warn(args[0], warnings)
			r, err := experts.Simulate(*cfg)
			if err != nil {
				return err
			}
			print := a.printing(r.WriteDocument, func() []sheet { return []sheet{expertSheet(&r.Snapshot.Metrics, r.AppliedEvents)} })
			return outputs.leaveExperts(cmd, args, r, whatIf, print)
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
		title:   fmt.Sprintf("expert cache: %d routes, replay verified %d events", m.Routes, replayed),
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

// cacheTokens makes the builder of a workload whose deciding block is
// expert_cache: the cache is partitioned for each machine before it runs.
func (f *workloadFile) cacheTokens() error {
	cfg, strategy, err := workload.ReadExpertFile(f.reader)
	if err != nil {
		return err
	}
	f.build = func(s *topology.Scenario) (*workload.Profile, error) {
		if err := f.fits("workload.token_count", cfg.Workload.TokenCount, s); err != nil {
			return nil, err
		}
		r, err := experts.SimulateOn(s, *cfg, strategy)
		if err != nil {
			return nil, err
		}
		return r.Profile(strategy), nil
	}
	return nil
}
