package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "run TARGET WORKLOAD [CALIBRATION]",
		Short: "Compile, execute and replay a workload on one machine",
		Long: `Compiles a workload into a plan on one machine, validates it, executes it on the
machine's contended resources, replays the trace independently, and prints
figures and evidence.`,
		Example: `  inferlab run multi-gpu workload.yaml
  inferlab run multi-gpu-ring-8 workload.yaml --format table
  inferlab run multi-gpu workload.yaml --report run.html --parquet run/ --trace run-trace.json`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, targetArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			r, made, err := experiment.Run(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return ranSheets(r) }, servingEvidence{
				trace:    func(d *jsondoc.Writer) { trace.WritePlanDocument(d, r.Scenario, r.Compiled.Plan, r.Trace) },
				tables:   func(opt arrowio.Options) []*arrowio.Table { return ranTables(r, opt) },
				perfetto: func(out io.Writer) error { return perfetto.Plan(out, r.Compiled.Plan, r.Trace) },
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	perfettoFlag(cmd, &out.perfetto)
	return cmd
}

// ranTables are the tables of a run: those of its plan, and for a speculative workload
// those of its iterations.
func ranTables(r *experiment.Ran, opt arrowio.Options) []*arrowio.Table {
	tables := arrowio.Run(r.Result, opt).All()
	if r.Speculation != nil {
		tables = append(tables, arrowio.SpeculativeOn(r.Drafted, r.Result, r.Speculation, opt).All()...)
	}
	return tables
}

func ranSheets(r *experiment.Ran) []sheet {
	sheets := runSheets(r.Result)
	if r.Speculation != nil {
		sheets = append(sheets, speculationSheet(r.Speculation))
	}
	return sheets
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
	var out servingOutputs
	cmd := &cobra.Command{
		Use:   "compare WORKLOAD [CALIBRATION]",
		Short: "Run a workload on the six topology families and rank them",
		Example: `  inferlab compare workload.yaml
  inferlab compare workload.yaml --format table
  inferlab compare workload.yaml --report compared.html`,
		Args: positional("WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.prepare(); err != nil {
				return err
			}
			q, err := a.asked(cmd, args, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			c, made, err := experiment.Compare(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out, q, made, func() []sheet { return []sheet{comparisonSheet(c)} }, servingEvidence{})
		},
	}
	pageFlag(cmd, &out.report)
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
