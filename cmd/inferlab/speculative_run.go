package main

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculate runs the file's speculative block; its iterations are the same on every
// machine.
func (f *workloadFile) speculate() error {
	cfg, err := workload.ReadSpeculativeFile(f.reader)
	if err != nil {
		return err
	}
	if f.speculative, err = speculative.Simulate(*cfg); err != nil {
		return err
	}
	profile, err := f.speculative.Trace.Profile()
	f.build = func(*topology.Scenario) (*workload.Profile, error) { return profile, nil }
	return err
}

// speculationKey adds the time split of a speculative run to its document.
func speculationKey(s *run.Speculation) func(*jsondoc.Writer) {
	if s == nil {
		return nil
	}
	return func(w *jsondoc.Writer) {
		w.Key("speculation")
		s.WriteDocument(w)
	}
}
