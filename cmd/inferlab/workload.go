package main

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// builder makes the work profile of a workload file for a machine.
type builder func(*topology.Scenario) (*workload.Profile, error)

// workloadFile is a workload file whose deciding block was read; commands may
// read blocks of their own from it.
type workloadFile struct {
	path   string
	reader *document.Reader
	build  builder

	speculative *speculative.Run // nil: another kind of workload
}

// workload reads a workload file.
func (a *app) workload(path string) (*workloadFile, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	f := &workloadFile{path: path, reader: document.NewReader(doc, "")}
	f.reader.Strict = a.strict
	cfg, err := workload.ReadRun(f.reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := f.decide(cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a.warn(path, f.reader.Warnings())
	return f, nil
}

// decide reads the block that decides and makes its builder.
func (f *workloadFile) decide(cfg workload.RunConfig) error {
	switch cfg.Kind {
	case workload.RunSpeculative:
		return f.speculate()
	case workload.RunTargetOnly:
		f.build = func(s *topology.Scenario) (*workload.Profile, error) {
			if err := f.fits("target_only.token_count", cfg.TokenCount, s); err != nil {
				return nil, err
			}
			return workload.TargetOnly(cfg.TokenCount)
		}
		return nil
	}
	return f.cacheTokens()
}

// fits refuses more tokens than the machine's event budget has room for, before
// anything is built: every token is at least one step.
func (f *workloadFile) fits(path string, tokens int64, s *topology.Scenario) error {
	if limit := s.Spec().Execution.MaxEvents; tokens > limit {
		return fmt.Errorf("%s: %w", f.path, issue.New("max_events", path,
			"found %d tokens, expected at most %d, the execution.maxEvents of scenario %s", tokens, limit, s.ID()))
	}
	return nil
}

// block reads a command's own block of the file.
func (f *workloadFile) block(read func(root document.Node)) error {
	read(f.reader.Root())
	if err := f.reader.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// work is what TARGET, WORKLOAD and CALIBRATION of a command line stand for.
type work struct {
	scenario *topology.Scenario
	file     *workloadFile
	model    *cost.Model
}

// work resolves TARGET, WORKLOAD and CALIBRATION.
func (a *app) work(args []string) (*work, error) {
	s, err := target(args[0])
	if err != nil {
		return nil, err
	}
	f, err := a.workload(args[1])
	if err != nil {
		return nil, err
	}
	model, err := a.costModel(args, 2)
	return &work{s, f, model}, err
}

// plan compiles the workload for its machine.
func (w *work) plan() (*plan.Plan, error) { return w.file.plan(w.scenario, w.model) }

// plan compiles the workload for a machine.
func (f *workloadFile) plan(s *topology.Scenario, m *cost.Model) (*plan.Plan, error) {
	profile, err := f.build(s)
	if err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(s, profile, m)
	if err != nil {
		return nil, err
	}
	return compiled.Plan, nil
}
