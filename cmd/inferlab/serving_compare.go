package main

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
)

func (a *app) servingCompareCommand() *cobra.Command {
	var outputs servingOutputs
	cmd := &cobra.Command{
		Use:   "serving-compare CONFIG [CALIBRATION]",
		Short: "Serve the same requests on the six topology families and rank them",
		Example: `  inferlab serving-compare serving.yaml
  inferlab serving-compare serving.yaml --format table --report compared.html`,
		Args: positional("CONFIG", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := outputs.prepare(); err != nil {
				return fmt.Errorf("serving-compare: %w", err)
			}
			in, err := a.readServing(args[0], false)
			if err != nil {
				return err
			}
			model, err := a.costModel(args, 1)
			if err != nil {
				return err
			}
			c, runs, err := compareServing(cmd, &in, model)
			if err != nil {
				return err
			}
			print := a.printing(func(w *jsondoc.Writer) { result.ServingCompare(w, c) }, func() []sheet { return []sheet{servingComparisonSheet(c)} })
			return outputs.leaveComparison(cmd, args, c, runs, print)
		},
	}
	outputs.flags(cmd)
	a.formatFlag(cmd)
	return cmd
}

// leaveComparison writes the outputs of a comparison; runs are those behind it when
// they have expert caches.
func (o *servingOutputs) leaveComparison(cmd *cobra.Command, args []string, c *serving.Comparison, runs []*composed.Run, print func() error) error {
	return o.leave(servingEvidence{
		print:  print,
		tables: func(opt arrowio.Options) []*arrowio.Table { return []*arrowio.Table{arrowio.ServingComparison(c, opt)} },
		page: func(about report.Meta) ([]byte, error) {
			if runs != nil {
				return report.ComposedComparison(c, runs, about)
			}
			return report.ServingComparison(c, about)
		},
		meta: func() (report.Meta, error) {
			meta, err := filesMeta(cmd, args, func(w *jsondoc.Writer) { result.ServingCompare(w, c) })
			if err == nil && len(args) > 1 {
				meta.Calibration, err = calibrationFacts(args[1])
			}
			return meta, err
		},
	})
}

// compareServing runs the configuration on the six families; the second result are
// the runs with expert caches, if that is what they are.
func compareServing(cmd *cobra.Command, in *servingInput, model *cost.Model) (*serving.Comparison, []*composed.Run, error) {
	interrupted := func() bool { return cmd.Context().Err() != nil }
	if in.experts == nil {
		c, err := simcore.CompareServing(in.Serving, simcore.ServingOptions{Model: model, Speculation: in.speculation, Interrupted: interrupted})
		return c, nil, err
	}
	families, err := simcore.Families()
	if err != nil {
		return nil, nil, err
	}
	return composed.Compare(families, in.Serving, *in.experts, model, composed.Options{Speculation: in.speculation, Interrupted: interrupted})
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
