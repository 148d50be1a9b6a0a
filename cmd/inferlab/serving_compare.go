package main

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
)

func (a *app) servingCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serving-compare CONFIG [CALIBRATION]",
		Short: "Serve the same requests on the six topology families and rank them",
		Example: `  inferlab serving-compare serving.yaml
  inferlab serving-compare serving.yaml --format table`,
		Args: positional("CONFIG", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := a.readServing(args[0], false)
			if err != nil {
				return err
			}
			model, err := a.costModel(args, 1)
			if err != nil {
				return err
			}
			c, err := compareServing(cmd, &in, model)
			if err != nil {
				return err
			}
			if a.format == "table" {
				return a.show(servingComparisonSheet(c))
			}
			return a.emit(func(w *jsondoc.Writer) { result.ServingCompare(w, c) })
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// compareServing runs the configuration on the six families.
func compareServing(cmd *cobra.Command, in *servingInput, model *cost.Model) (*serving.Comparison, error) {
	interrupted := func() bool { return cmd.Context().Err() != nil }
	if in.experts == nil {
		return simcore.CompareServing(in.Serving, simcore.ServingOptions{Model: model, Speculation: in.speculation, Interrupted: interrupted})
	}
	families, err := simcore.Families()
	if err != nil {
		return nil, err
	}
	c, _, err := composed.Compare(families, in.Serving, *in.experts, model, composed.Options{Speculation: in.speculation, Interrupted: interrupted})
	return c, err
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
