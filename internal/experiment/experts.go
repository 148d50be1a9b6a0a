package experiment

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/experts"
)

// ExpertCache is the command expert-cache.
func ExpertCache(in *Inputs) (*experts.Run, *Made, error) {
	f, err := in.file(ConfigFile)
	if err != nil {
		return nil, nil, err
	}
	cfg, warnings, err := experts.ReadConfig(f.doc, in.Strict)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	in.warn(f.name, warnings)
	r, err := experts.Simulate(*cfg)
	if err != nil {
		return nil, nil, f.located(err)
	}
	return r, in.made(experts.Command, r, r.Confidence(), r.WriteDocument), nil
}
