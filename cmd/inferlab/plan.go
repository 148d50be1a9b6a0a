package main

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
)

func (a *app) planExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "plan-export TARGET WORKLOAD [CALIBRATION]",
		Short: "Compile a workload and print the plan as a fingerprinted artifact",
		Long: `Compiles a workload onto a machine and prints the plan with its scenario as one
artifact in canonical JSON. The artifact's fingerprints show integrity and parity;
they are not signatures.`,
		Example: `  inferlab plan-export multi-gpu workload.yaml > plan.json
  inferlab plan-run plan.json`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, targetArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			compiled, err := experiment.Plan(q.Inputs)
			if err != nil {
				return err
			}
			artifact, err := plan.NewArtifact(q.Scenario, compiled)
			if err != nil {
				return err
			}
			text, err := artifact.Text()
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(text)
			return printed(err)
		},
	}
}

func (a *app) planRunCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "plan-run ARTIFACT",
		Short: "Execute and replay the plan of an artifact",
		Long: `Reads a plan artifact, checks its form, its fingerprints and every rule of the plan,
executes it, replays the trace independently, and prints both.`,
		Example: `  inferlab plan-run plan.json
  inferlab plan-run plan.json --format table
  inferlab plan-run plan.json --report run.html --trace run-trace.json`,
		Args: positional("ARTIFACT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, experiment.ArtifactFile)
			if err != nil {
				return err
			}
			x, made, err := experiment.PlanRun(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return planSheets(x.Artifact, x.Execution, x.Replay) }, servingEvidence{
				trace:    func(w *jsondoc.Writer) { trace.WritePlanDocument(w, x.Scenario, x.Plan, &x.Execution.Trace) },
				tables:   func(opt arrowio.Options) []*arrowio.Table { return arrowio.PlanRun(x.Executed, opt).All() },
				perfetto: func(out io.Writer) error { return perfetto.Plan(out, x.Plan, &x.Execution.Trace) },
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	perfettoFlag(cmd, &out.perfetto)
	return cmd
}

func planSheets(artifact *plan.Artifact, execution *executor.Result, replayed *planreplay.Result) []sheet {
	steps := sheet{
		title: fmt.Sprintf("%s on %s: %s at %s, replay verified %s", artifact.Plan.Plan().ID, artifact.Scenario.ID(),
			execution.Status, duration(float64(execution.CompletedAtNs)), counted(replayed.AppliedEvents, "event")),
		columns: []string{">step", "kind", ">submitted", ">start", ">finish", "resources"},
	}
	const shown = 40
	operations := execution.Trace.Operations
	for i := range operations[:min(shown, len(operations))] {
		o := &operations[i]
		resources := ""
		for _, r := range o.Resources {
			resources += fmt.Sprintf("%s/%d ", r.ResourceID, r.ResourceLane)
		}
		steps.rows = append(steps.rows, []string{count(o.StepID), string(o.Kind), duration(float64(o.SubmittedAtNs)),
			duration(float64(o.StartNs)), duration(float64(o.FinishNs)), resources})
	}
	ranks := sheet{columns: []string{"rank", "state", ">at"}}
	for _, r := range execution.RankStates() {
		ranks.rows = append(ranks.rows, []string{r.RankID, string(r.Status), duration(float64(r.TerminalAtNs))})
	}
	if len(operations) > shown {
		ranks.title = fmt.Sprintf("(the first %d of %d operations are shown)", shown, len(operations))
	}
	return []sheet{steps, ranks}
}
