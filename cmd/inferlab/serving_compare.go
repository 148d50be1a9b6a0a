package main

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
)

func (a *app) servingCompareCommand() *cobra.Command {
	var outputs servingOutputs
	cmd := &cobra.Command{
		Use:   "serving-compare CONFIG [CALIBRATION]",
		Short: "Serve the same requests on the six topology families and rank them",
		Long: `Serves the requests of CONFIG on the six preset machines, replays every run, and ranks
them by modeled duration.

A comparison is six runs and leaves no protocol trace of its own; that of one machine is
left by inferlab serving TARGET CONFIG --trace FILE.json.`,
		Example: `  inferlab serving-compare serving.yaml
  inferlab serving-compare serving.yaml --format table --report compared.html`,
		Args: positional("CONFIG", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if outputs.trace != "" {
				return fmt.Errorf("serving-compare: --trace %s: a comparison is six runs and has no one trace; inferlab serving TARGET %s --trace %s leaves that of one machine",
					outputs.trace, args[0], outputs.trace)
			}
			if err := outputs.prepare(); err != nil {
				return fmt.Errorf("serving-compare: %w", err)
			}
			q, err := a.asked(cmd, args, experiment.ConfigFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			c, made, err := experiment.ServingCompare(q.Inputs, func() bool { return cmd.Context().Err() != nil })
			if err != nil {
				return err
			}
			return a.leave(&outputs, q, made, func() []sheet { return []sheet{servingComparisonSheet(c.Comparison)} }, servingEvidence{
				tables: func(opt arrowio.Options) []*arrowio.Table {
					return []*arrowio.Table{arrowio.ServingComparison(c.Comparison, opt)}
				},
			})
		},
	}
	outputs.flags(cmd)
	cmd.Flags().StringVar(&outputs.trace, "trace", "", "refused: the trace of one machine is left by inferlab serving TARGET CONFIG --trace")
	a.formatFlag(cmd)
	return cmd
}

func servingComparisonSheet(c *serving.Comparison) sheet {
	s := sheet{title: "the same requests on the six families, shortest modeled duration first",
		columns: []string{">rank", "machine", ">duration", ">× fastest", ">tokens/s", ">TTFT p95", ">ITL p95", ">KV high water", "confidence"}}
	for _, e := range c.Entries {
		m := &e.Run.Metrics
		s.rows = append(s.rows, []string{count(e.Rank), e.Run.Scenario.ID(), duration(float64(m.TotalDurationNs)),
			strconv.FormatFloat(e.RelativeToFastest, 'f', 2, 64), fmt.Sprintf("%.1f", m.ThroughputTokensPerSecond),
			duration(float64(m.P95TimeToFirstTokenNs)), duration(float64(m.P95InterTokenLatencyNs)), count(m.KVHighWaterTokens), string(e.Run.Confidence)})
	}
	return s
}
