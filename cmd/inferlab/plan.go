package main

import (
	"fmt"
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/run"
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
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.work(args)
			if err != nil {
				return err
			}
			compiled, err := w.plan()
			if err != nil {
				return err
			}
			artifact, err := plan.NewArtifact(w.scenario, compiled)
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
			doc, err := readDocument(args[0])
			if err != nil {
				return err
			}
			artifact, err := plan.ReadArtifact(doc)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			x, err := run.ExecutePlan(artifact.Scenario, artifact.Plan, executor.Options{})
			if err != nil {
				return err
			}
			document := func(w *jsondoc.Writer) { writePlanRun(w, artifact, x) }
			return out.leave(servingEvidence{
				trace:    func(w *jsondoc.Writer) { trace.WritePlanDocument(w, x.Scenario, x.Plan, &x.Execution.Trace) },
				tables:   func(opt arrowio.Options) []*arrowio.Table { return arrowio.PlanRun(x, opt).All() },
				page:     func(about report.Meta) ([]byte, error) { return report.PlanRun(x, about) },
				perfetto: func(out io.Writer) error { return perfetto.Plan(out, x.Plan, &x.Execution.Trace) },
				meta:     func() (report.Meta, error) { return planMeta(cmd, args, 0, document) },
				print:    a.printing(document, func() []sheet { return planSheets(artifact, x.Execution, x.Replay) }),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	perfettoFlag(cmd, &out.perfetto)
	return cmd
}

func writePlanRun(w *jsondoc.Writer, artifact *plan.Artifact, x *run.Executed) {
	w.Object()
	w.Head(jsondoc.Head{Command: "plan-run", ContractRevisions: report.PlanRevisions(),
		ScenarioFingerprint: artifact.ScenarioFingerprint, Confidence: x.Confidence})
	w.Key("artifact").Object()
	w.Key("kind").Text(plan.ArtifactKind)
	w.Key("revision").Int(plan.ArtifactRevision)
	w.Key("artifactFingerprint").Text(artifact.ArtifactFingerprint)
	w.Key("scenarioFingerprint").Text(artifact.ScenarioFingerprint)
	w.Key("planFingerprint").Text(artifact.PlanFingerprint)
	w.End()
	w.Key("scenarioId").Text(artifact.Scenario.ID())
	w.Key("planId").Text(artifact.Plan.Plan().ID)
	w.Key("execution")
	x.Execution.Encode(w)
	w.Key("replay")
	x.Replay.Encode(w)
	w.End()
}

func planSheets(artifact *plan.Artifact, execution *executor.Result, replayed *planreplay.Result) []sheet {
	steps := sheet{
		title: fmt.Sprintf("%s on %s: %s at %s, replay verified %d events", artifact.Plan.Plan().ID, artifact.Scenario.ID(),
			execution.Status, duration(float64(execution.CompletedAtNs)), replayed.AppliedEvents),
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
