package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/tables"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/spf13/cobra"
)

func (a *app) calibrateCommand() *cobra.Command {
	var out servingOutputs
	cmd := &cobra.Command{
		Use:   "calibrate DATASET",
		Short: "Fit a cost model to measurements and say how far to trust it",
		Long: `Reads a calibration dataset (repeated durations of compute work and of transports),
checks its coverage and provenance, fits a cost model, and prints it with the
diagnosis of every group and curve. The dataset's own gates decide whether the fit
is good enough; a refusal names every point behind it, and --report, --parquet and
--arrow still write the whole diagnosis.

Every command that takes CALIBRATION fits the same file and prices its work with
the result, within the measured ranges only.`,
		Example: `  inferlab calibrate lab.yaml
  inferlab calibrate lab.yaml --format table
  inferlab calibrate lab.yaml --report lab.html --parquet lab/
  inferlab run multi-gpu workload.yaml lab.yaml`,
		Args: positional("DATASET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.prepare(); err != nil {
				return err
			}
			q, err := a.asked(cmd, args, experiment.DatasetFile)
			if err != nil {
				return err
			}
			r, made, refused := experiment.Calibrate(q.Inputs)
			if made == nil {
				return refused
			}
			if err := a.leaveCalibration(&out, q, r, made, refused); err != nil || refused == nil {
				return errors.Join(err, brief(refused, ""))
			}
			return brief(refused, out.report)
		},
	}
	out.tableFlags(cmd, "the diagnosis")
	a.formatFlag(cmd)
	return cmd
}

// leaveCalibration writes the outputs of a fit. Of a refused one nothing is printed, but
// the diagnosis is left in the files.
func (a *app) leaveCalibration(out *servingOutputs, q *asked, r *calibration.Result, made *experiment.Made, refused error) error {
	e := servingEvidence{tables: func(opt arrowio.Options) []*arrowio.Table { return tables.All(r, opt) }}
	if refused == nil {
		return a.leave(out, q, made, func() []sheet { return calibrationSheets(r) }, e)
	}
	e.page = func(about report.Meta) ([]byte, error) { return report.PageOf(made.Value, about) }
	e.meta = func() (report.Meta, error) { return q.metaOf(made) }
	return out.leave(e)
}

// listedIssues bounds how many of the points that refuse a fit are printed.
const listedIssues = 8

// brief is a refusal with its first issues alone, and says where the others stand: on
// the page, where one was written.
func brief(refused error, page string) error {
	list, ok := errors.AsType[*issue.List](refused)
	if !ok || len(list.Issues) <= listedIssues && page == "" {
		return refused
	}
	text := strings.Replace(refused.Error(), list.Error(), list.Brief(listedIssues), 1)
	if page != "" {
		return fmt.Errorf("%s\nthe whole diagnosis is on the page %s", text, page)
	}
	return fmt.Errorf("%s (--report FILE.html shows the whole diagnosis)", text)
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
