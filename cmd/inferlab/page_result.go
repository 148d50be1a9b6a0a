package main

import (
	"fmt"
	"math"
	"os"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// settle makes sure that what was printed into a file is on the disk before
// anything is drawn. Pipes and terminals cannot be synced and need not be.
func (a *app) settle() error {
	f, ok := a.stdout.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return printed(f.Sync())
}

// printing prints a document, or sheets for people, and settles it.
func (a *app) printing(document func(*jsondoc.Writer), sheets func() []sheet) func() error {
	return func() error {
		var err error
		if a.format == "table" {
			err = a.show(sheets()...)
		} else {
			err = a.emit(document)
		}
		if err != nil {
			return err
		}
		return a.settle()
	}
}

// calibrationFacts is what a page says about the dataset behind its timing. Its
// warnings were given when the run was priced.
func calibrationFacts(path string) (*report.Calibration, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	d, _, err := calibration.Read(doc, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	fitted, err := calibration.Fit(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rmse, p95 := 0.0, 0.0
	for i := range fitted.Groups {
		rmse, p95 = math.Max(rmse, fitted.Groups[i].NormalizedRMSE), math.Max(p95, fitted.Groups[i].P95RelativeError)
	}
	return &report.Calibration{DatasetID: d.ID, Fingerprint: fitted.Fingerprint, EvidenceKind: string(d.Provenance.Kind) + " evidence",
		Fit: fmt.Sprintf("largest normalized RMSE %s, largest p95 relative error %s", unit.Percent(rmse), unit.Percent(p95))}, nil
}
