package main

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
)

// costModel is the cost model of a command line: the default, or the one fitted
// from the calibration file at position at of args.
func (a *app) costModel(args []string, at int) (*cost.Model, error) {
	if len(args) <= at {
		return cost.Default(), nil
	}
	return nil, fmt.Errorf("%s: calibration datasets are not part of this version; leave the argument out for the default cost model", args[at])
}
