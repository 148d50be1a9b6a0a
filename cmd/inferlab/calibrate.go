package main

import (
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/calibration"
	"github.com/spf13/cobra"
)

func (a *app) calibrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calibrate DATASET",
		Short: "Fit a cost model to measurements and say how far to trust it",
		Long: `Reads a calibration dataset (repeated durations of compute work and of transports),
checks its coverage and provenance, fits a cost model, and prints it with the
diagnosis of every group and curve. The dataset's own gates decide whether the fit
is good enough; a refusal names every point behind it.

Every command that takes CALIBRATION fits the same file and prices its work with
the result, within the measured ranges only.`,
		Example: `  inferlab calibrate lab.yaml
  inferlab calibrate lab.yaml --format table
  inferlab run multi-gpu workload.yaml lab.yaml`,
		Args: positional("DATASET"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.calibration(args[0])
			if err != nil {
				return err
			}
			if a.format == "table" {
				return a.show(calibrationSheets(r)...)
			}
			return a.emit(r.WriteDocument)
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// calibrationSheets shows a fit to people: groups with their intervals, then
// curves with their ranges.
func calibrationSheets(r *calibration.Result) []sheet {
	groups := sheet{
		title:   fmt.Sprintf("%s (%s), %s evidence: a %s cost model", r.Dataset.ID, r.Fingerprint, r.Dataset.Provenance.Kind, r.Confidence()),
		columns: []string{"group", ">coefficient, ns", ">± 95 %", ">samples", ">work items", ">normalized RMSE", ">P95 error"},
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		groups.rows = append(groups.rows, []string{g.Name(), count(g.CoefficientNs), strconv.FormatFloat(g.ConfidenceNs, 'f', 1, 64), count(g.Samples),
			count(g.MinWorkItems) + " to " + count(g.MaxWorkItems), percent(g.NormalizedRMSE), percent(g.P95RelativeError)})
	}
	curves := sheet{columns: []string{"transport", "links", ">ranks", ">bytes", ">samples", ">normalized RMSE", ">P95 error"}}
	for i := range r.Curves {
		c := &r.Curves[i]
		curves.rows = append(curves.rows, []string{c.Algorithm + " on " + c.ScenarioID, c.LinkIDs[0] + more(len(c.LinkIDs)-1), count(c.ParticipantCount),
			count(c.MinBytes) + " to " + count(c.MaxBytes), count(c.Samples), percent(c.NormalizedRMSE), percent(c.P95RelativeError)})
	}
	return []sheet{groups, curves}
}

// more counts what a cell leaves out.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
