package experiment

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Served is a serving file with the blocks that other engines read.
type Served struct {
	workload.Serving
	Speculation *workload.ServingSpeculation // nil: target-only decoding
	Experts     *workload.ServingExperts     // nil: dense FFN work
}

// Served reads the serving file of the inputs, or with requests false only its limits
// and the blocks of other engines.
func (in *Inputs) Served(requests bool) (*Served, error) {
	f, err := in.file(ConfigFile)
	if err != nil {
		return nil, err
	}
	read := workload.ReadServing
	if !requests {
		read = workload.ReadServingLimits
	}
	c, warnings, err := read(f.doc, in.Strict)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	in.warn(f.name, warnings)
	s := &Served{Serving: c.Serving}
	if c.Speculative.Present() {
		if s.Speculation, warnings, err = workload.ReadServingSpeculation(*c.Speculative.Value(), in.Strict); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		in.warn(f.name, warnings)
	}
	if c.ExpertCache.Present() {
		if s.Experts, warnings, err = workload.ReadServingExperts(*c.ExpertCache.Value(), in.Strict); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		in.warn(f.name, warnings)
	}
	return s, nil
}

// ServedEverywhere is one serving configuration on the six families.
type ServedEverywhere struct {
	*serving.Comparison
	Composed []*composed.Run // the runs behind it when they have expert caches
}

// ServingCompare is the command serving-compare. Interrupted, when not nil, ends it
// early.
func ServingCompare(in *Inputs, interrupted func() bool) (*ServedEverywhere, *Made, error) {
	served, err := in.Served(true)
	if err != nil {
		return nil, nil, err
	}
	families, model, err := in.families()
	if err != nil {
		return nil, nil, err
	}
	c := new(ServedEverywhere)
	if served.Experts != nil {
		c.Comparison, c.Composed, err = composed.Compare(families, served.Serving, *served.Experts, model,
			composed.Options{Speculation: served.Speculation, Interrupted: interrupted})
	} else {
		c.Comparison, err = serving.Compare(families, served.Serving, model,
			serving.RunOptions{Speculation: served.Speculation, Interrupted: interrupted})
	}
	if err != nil {
		return nil, nil, in.Located(ConfigFile, err)
	}
	m := in.made("serving-compare", c, c.Confidence, func(w *jsondoc.Writer) { result.ServingCompare(w, c.Comparison) })
	for i := range c.Entries {
		m.Machines = append(m.Machines, c.Entries[i].Run.Scenario)
	}
	return c, m, nil
}
