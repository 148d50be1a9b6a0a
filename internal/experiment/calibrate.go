package experiment

import (
	"github.com/inferlab/inferlab/calibration"
)

// Calibrate is the command calibrate. A dataset that its own gates refuse gives the
// whole diagnosis together with the error.
func Calibrate(in *Inputs) (*calibration.Result, *Made, error) {
	f, err := in.file(DatasetFile)
	if err != nil {
		return nil, nil, err
	}
	r, err := in.fit(f)
	if r == nil {
		return nil, nil, err
	}
	return r, in.made("calibrate", r, r.Confidence(), r.WriteDocument), err
}
