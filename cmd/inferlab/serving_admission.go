package main

import (
	"errors"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/workload"
)

// admit gives the configuration the admission rule that the command line asks for.
// The unguarded one is not composed with an expert cache.
func (f *servingFlags) admit(in *experiment.Served) error {
	switch {
	case !f.unsafe:
		return nil
	case in.Experts != nil:
		return errors.New("serving: --unsafe-admission does not act on a run with expert_cache; leave one of them out")
	}
	in.Admission = workload.AdmitUnguarded
	return nil
}
