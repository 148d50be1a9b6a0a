package experiment

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// builder makes the work profile of a workload file for a machine.
type builder func(*topology.Scenario) (*workload.Profile, error)

// workloadFile is a workload file whose deciding block was read; commands may
// read blocks of their own from it.
type workloadFile struct {
	name   string
	reader *document.Reader
	told   func([]document.Warning) // ignored keys
	build  builder

	speculative *speculative.Run // nil: another kind of workload
}

// workload reads the workload file.
func (in *Inputs) workload() (*workloadFile, error) {
	f, err := in.file(WorkloadFile)
	if err != nil {
		return nil, err
	}
	w := &workloadFile{name: f.name, reader: document.NewReader(f.doc, ""), told: func(ignored []document.Warning) { in.warn(f.name, ignored) }}
	w.reader.Strict = in.Strict
	cfg, err := workload.ReadRun(w.reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if err := w.decide(cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	w.told(w.reader.Warnings())
	return w, nil
}

// decide reads the block that decides and makes its builder.
func (w *workloadFile) decide(cfg workload.RunConfig) error {
	switch cfg.Kind {
	case workload.RunSpeculative:
		return w.speculate()
	case workload.RunTargetOnly:
		w.build = func(s *topology.Scenario) (*workload.Profile, error) {
			if err := w.fits("target_only.token_count", cfg.TokenCount, s); err != nil {
				return nil, err
			}
			return workload.TargetOnly(cfg.TokenCount)
		}
		return nil
	}
	return w.cacheTokens()
}

// speculate runs the file's speculative block; its iterations are the same on every
// machine.
func (w *workloadFile) speculate() error {
	cfg, err := workload.ReadSpeculativeFile(w.reader)
	if err != nil {
		return err
	}
	if w.speculative, err = speculative.Simulate(*cfg); err != nil {
		return err
	}
	profile, err := w.speculative.Trace.Profile()
	w.build = func(*topology.Scenario) (*workload.Profile, error) { return profile, nil }
	return err
}

// cacheTokens makes the builder of a workload whose deciding block is
// expert_cache: the cache is partitioned for each machine before it runs.
func (w *workloadFile) cacheTokens() error {
	cfg, strategy, err := workload.ReadExpertFile(w.reader)
	if err != nil {
		return err
	}
	w.build = func(s *topology.Scenario) (*workload.Profile, error) {
		if err := w.fits("workload.token_count", cfg.Workload.TokenCount, s); err != nil {
			return nil, err
		}
		r, err := experts.SimulateOn(s, *cfg, strategy)
		if err != nil {
			return nil, err
		}
		return r.Profile(strategy), nil
	}
	return nil
}

// fits refuses more tokens than the machine's event budget has room for, before
// anything is built: every token is at least one step.
func (w *workloadFile) fits(path string, tokens int64, s *topology.Scenario) error {
	if limit := s.Spec().Execution.MaxEvents; tokens > limit {
		return fmt.Errorf("%s: %w", w.name, issue.New("max_events", path,
			"found %d tokens, expected at most %d, the execution.maxEvents of scenario %s", tokens, limit, s.ID()))
	}
	return nil
}

// located names the file in a refusal that points into it.
func (w *workloadFile) located(err error) error {
	return file{w.name, *w.reader.Root().Value()}.located(err)
}

// block reads a command's own block of the file.
func (w *workloadFile) block(read func(root document.Node)) error {
	before := len(w.reader.Warnings())
	read(w.reader.Root())
	if err := w.reader.Err(); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	w.told(w.reader.Warnings()[before:])
	return nil
}

// plan compiles the workload for a machine.
func (w *workloadFile) plan(s *topology.Scenario, m *cost.Model) (*plan.Plan, error) {
	profile, err := w.build(s)
	if err != nil {
		return nil, w.located(err)
	}
	compiled, err := compiler.Compile(s, profile, m)
	if err != nil {
		return nil, err
	}
	return compiled.Plan, nil
}

// work is a workload file on a machine, with its cost model.
type work struct {
	scenario *topology.Scenario
	file     *workloadFile
	model    *cost.Model
}

// work resolves machine, workload and calibration.
func (in *Inputs) work() (*work, error) {
	s, err := in.machine()
	if err != nil {
		return nil, err
	}
	f, err := in.workload()
	if err != nil {
		return nil, err
	}
	model, err := in.Model()
	return &work{s, f, model}, err
}

// plan compiles the workload for its machine.
func (w *work) plan() (*plan.Plan, error) { return w.file.plan(w.scenario, w.model) }

// confidence is the label of the timing of a compiled plan.
func (w *work) confidence() evidence.Class { return run.Confidence(w.scenario, w.model, false) }

// Plan compiles the workload of the inputs for their machine.
func Plan(in *Inputs) (*plan.Plan, error) {
	w, err := in.work()
	if err != nil {
		return nil, err
	}
	return w.plan()
}

// Ran is a workload that was compiled, executed and replayed on one machine.
type Ran struct {
	*run.Result
	Speculation *run.Speculation // the time split of a speculative workload; nil: of another
	Drafted     *speculative.Run // its iterations
}

// Run is the command run.
func Run(in *Inputs) (*Ran, *Made, error) {
	w, err := in.work()
	if err != nil {
		return nil, nil, err
	}
	profile, err := w.file.build(w.scenario)
	if err != nil {
		return nil, nil, w.file.located(err)
	}
	r := &Ran{Drafted: w.file.speculative}
	if r.Result, err = run.Execute(w.scenario, profile, w.model); err != nil {
		return nil, nil, err
	}
	var speculation func(*jsondoc.Writer)
	if r.Drafted != nil {
		if r.Speculation, err = run.MeasureSpeculation(r.Result, &r.Drafted.Trace, w.model); err != nil {
			return nil, nil, err
		}
		speculation = func(d *jsondoc.Writer) {
			d.Key("speculation")
			r.Speculation.WriteDocument(d)
		}
	}
	return r, in.made("run", r, r.Confidence, func(d *jsondoc.Writer) { r.WriteDocument(d, speculation) }), nil
}

// families are the six machines of a comparison, with the cost model for all of them.
func (in *Inputs) families() ([]*topology.Scenario, *cost.Model, error) {
	model, err := in.Model()
	if err != nil {
		return nil, nil, err
	}
	machines, err := simcore.Families()
	return machines, model, err
}

// Compare is the command compare: the workload on the six families.
func Compare(in *Inputs) (*run.Comparison, *Made, error) {
	file, err := in.workload()
	if err != nil {
		return nil, nil, err
	}
	families, model, err := in.families()
	if err != nil {
		return nil, nil, err
	}
	c, err := run.Compare(families, file.build, model)
	if err != nil {
		return nil, nil, file.located(err)
	}
	m := in.made("compare", c, c.Confidence(), c.WriteDocument)
	for _, r := range c.Results {
		m.Machines = append(m.Machines, r.Scenario)
	}
	return c, m, nil
}
