package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore"
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
			w, err := a.work(args)
			if err != nil {
				return err
			}
			r, speculation, err := w.execute()
			if err != nil {
				return err
			}
			document := func(d *jsondoc.Writer) { r.WriteDocument(d, speculationKey(speculation)) }
			return out.leave(servingEvidence{
				trace:    func(d *jsondoc.Writer) { trace.WritePlanDocument(d, r.Scenario, r.Compiled.Plan, r.Trace) },
				tables:   func(opt arrowio.Options) []*arrowio.Table { return runTables(w, r, speculation, opt) },
				page:     func(about report.Meta) ([]byte, error) { return report.Run(r, about) },
				perfetto: func(out io.Writer) error { return perfetto.Plan(out, r.Compiled.Plan, r.Trace) },
				meta:     func() (report.Meta, error) { return planMeta(cmd, args, 1, document) },
				print: a.printing(document, func() []sheet {
					sheets := runSheets(r)
					if speculation != nil {
						sheets = append(sheets, speculationSheet(speculation))
					}
					return sheets
				}),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	perfettoFlag(cmd, &out.perfetto)
	return cmd
}

// runTables are the tables of a run: those of its plan, and for a speculative workload
// those of its iterations.
func runTables(w *work, r *run.Result, s *run.Speculation, opt arrowio.Options) []*arrowio.Table {
	tables := arrowio.Run(r, opt).All()
	if s != nil {
		tables = append(tables, arrowio.SpeculativeOn(w.file.speculative, r, s, opt).All()...)
	}
	return tables
}

// execute runs the workload on its machine, and splits the time of a speculative one.
func (w *work) execute() (*run.Result, *run.Speculation, error) {
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
