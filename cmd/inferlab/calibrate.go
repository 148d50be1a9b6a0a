package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/tables"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/spf13/cobra"
)

// calibrateOutputs are the files that a fit may leave beside its document, also
// when the dataset is refused.
type calibrateOutputs struct {
	report, parquet, arrow string
	plain                  bool
}

func (a *app) calibrateCommand() *cobra.Command {
	var out calibrateOutputs
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
		RunE: func(_ *cobra.Command, args []string) error {
			if err := out.prepare(); err != nil {
				return err
			}
			r, err := a.calibration(args[0])
			if r != nil {
				if failed := out.write(r, args[0]); failed != nil {
					return failed
				}
			}
			if err != nil {
				return err
			}
			if a.format == "table" {
				return a.show(calibrationSheets(r)...)
			}
			return a.emit(r.WriteDocument)
		},
	}
	cmd.Flags().StringVar(&out.report, "report", "", "write the fit as one self-contained HTML page")
	cmd.Flags().StringVar(&out.parquet, "parquet", "", "write the diagnosis as Parquet files into this folder")
	cmd.Flags().StringVar(&out.arrow, "arrow", "", "write the diagnosis as Arrow IPC files into this folder")
	cmd.Flags().BoolVar(&out.plain, "plain-strings", false, "with --parquet or --arrow: plain strings instead of dictionaries")
	a.formatFlag(cmd)
	return cmd
}

// prepare proves that every output can be written, before any work is done.
func (o *calibrateOutputs) prepare() error {
	for _, dir := range []string{o.parquet, o.arrow} {
		if dir != "" {
			if err := arrowio.PrepareDir(dir); err != nil {
				return err
			}
		}
	}
	if o.report != "" {
		return wholefile.Check(o.report)
	}
	return nil
}

func (o *calibrateOutputs) write(r *calibration.Result, path string) error {
	all := tables.All(r, arrowio.Options{PlainStrings: o.plain})
	defer func() {
		for _, t := range all {
			t.Release()
		}
	}()
	if o.parquet != "" {
		if err := parquetio.WriteDir(o.parquet, all...); err != nil {
			return err
		}
	}
	if o.arrow != "" {
		if err := arrowio.WriteDir(o.arrow, arrowio.IPCExt, arrowio.WriteIPC, all...); err != nil {
			return err
		}
	}
	if o.report == "" {
		return nil
	}
	doc := jsondoc.NewWriter(nil)
	r.WriteDocument(doc)
	if err := doc.Close(); err != nil {
		return err
	}
	page, err := report.Calibrate(r, report.Meta{
		Command: "calibrate", CommandLine: "inferlab calibrate " + quoted(filepath.Base(path)), Result: doc.Bytes(),
		Inputs: []report.Input{{Name: filepath.Base(path), Fingerprint: r.Fingerprint, Travels: true}},
	})
	if err != nil {
		return err
	}
	return wholefile.Write(o.report, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
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
