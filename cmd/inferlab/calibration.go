package main

import (
	"fmt"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/simcore/cost"
)

// costModel is the cost model of a command line: the default, or the one fitted
// from the calibration file at position at of args.
func (a *app) costModel(args []string, at int) (*cost.Model, error) {
	if len(args) <= at {
		return cost.Default(), nil
	}
	fitted, err := a.calibration(args[at])
	if err != nil {
		return nil, err
	}
	return fitted.Model, nil
}

// calibration reads and fits a dataset. A dataset that only its fit refuses gives
// both the diagnosis and the error.
func (a *app) calibration(path string) (*calibration.Result, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	d, warnings, err := calibration.Read(doc, a.strict)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a.warn(path, warnings)
	fitted, err := calibration.Fit(d)
	if err != nil {
		return fitted, fmt.Errorf("%s: %w", path, err)
	}
	return fitted, nil
}
