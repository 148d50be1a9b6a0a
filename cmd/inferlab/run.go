package main

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run TARGET WORKLOAD [CALIBRATION]",
		Short: "Compile, execute and replay a workload on one machine",
		Long: `Compiles a workload into a plan on one machine, validates it, executes it on the
machine's contended resources, replays the trace independently, and prints
figures and evidence.`,
		Example: `  inferlab run multi-gpu workload.yaml
  inferlab run multi-gpu-ring-8 workload.yaml --format table`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, speculation, err := a.execute(args)
			if err != nil {
				return err
			}
			if a.format == "table" {
				sheets := runSheets(r)
				if speculation != nil {
					sheets = append(sheets, speculationSheet(speculation))
				}
				return a.show(sheets...)
			}
			return a.emit(func(w *jsondoc.Writer) { r.WriteDocument(w, speculationKey(speculation)) })
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// execute runs the workload of args on the machine of args, and splits the time of
// a speculative one.
func (a *app) execute(args []string) (*run.Result, *run.Speculation, error) {
	w, err := a.work(args)
	if err != nil {
		return nil, nil, err
	}
	profile, err := w.file.build(w.scenario)
	if err != nil {
		return nil, nil, err
	}
	r, err := run.Execute(w.scenario, profile, w.model)
	if err != nil || w.file.speculative == nil {
		return r, nil, err
	}
	speculation, err := run.MeasureSpeculation(r, &w.file.speculative.Trace, w.model)
	return r, speculation, err
}

func runSheets(r *run.Result) []sheet {
	m := &r.Metrics
	figures := sheet{
		title:   fmt.Sprintf("%s on %s: timing %s, replay verified", r.Profile.ID, r.Scenario.ID(), r.Confidence),
		columns: []string{"modeled figure", ">value"},
		rows: [][]string{
			{"duration", duration(float64(m.TotalDurationNs))},
			{"foreground", duration(float64(m.ForegroundDurationNs))},
			{"background drain", duration(float64(m.BackgroundDrainNs))},
			{"committed tokens", count(m.CommittedTokens)},
			{"throughput", strconv.FormatFloat(m.TokensPerSecond, 'f', 1, 64) + " tokens/s"},
			{"compute, transfer, collective steps", fmt.Sprintf("%d, %d, %d", r.Operations.Compute, r.Operations.Transfer, r.Operations.Collective)},
		},
	}
	use := sheet{columns: []string{"resource", ">busy", ">lanes", ">utilisation"}}
	for _, list := range [][]run.Utilization{m.ComputeUtilization, m.LinkUtilization} {
		for _, u := range list {
			use.rows = append(use.rows, []string{u.ResourceID, duration(float64(u.BusyNs)), count(u.CapacityLanes), percent(u.Utilization)})
		}
	}
	return []sheet{figures, use}
}

func (a *app) compareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare WORKLOAD [CALIBRATION]",
		Short: "Run a workload on the six topology families and rank them",
		Example: `  inferlab compare workload.yaml
  inferlab compare workload.yaml --format table`,
		Args: positional("WORKLOAD", "[CALIBRATION]"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := a.workload(args[0])
			if err != nil {
				return err
			}
			model, err := a.costModel(args, 1)
			if err != nil {
				return err
			}
			families, err := simcore.Families()
			if err != nil {
				return err
			}
			c, err := run.Compare(families, file.build, model)
			if err != nil {
				return err
			}
			if a.format == "table" {
				return a.show(comparisonSheet(c))
			}
			return a.emit(c.WriteDocument)
		},
	}
	a.formatFlag(cmd)
	return cmd
}

func comparisonSheet(c *run.Comparison) sheet {
	s := sheet{title: fmt.Sprintf("%s on the six families, fastest first", c.ProfileID),
		columns: []string{">rank", "machine", ">modeled duration", ">tokens/s", ">× fastest", "confidence"}}
	for _, e := range c.Entries {
		s.rows = append(s.rows, []string{count(e.Rank), e.ScenarioID, duration(float64(e.DurationNs)),
			strconv.FormatFloat(e.TokensPerSecond, 'f', 1, 64), strconv.FormatFloat(e.RelativeToFastest, 'f', 2, 64), string(e.Confidence)})
	}
	return s
}
