package compiler

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Compiled is a plan and the steps in it that its users wait for.
type Compiled struct {
	Plan             *plan.Plan
	ForegroundStepID int64   // terminal of the last unit
	UnitTerminals    []int64 // by unit
	Prefetches       []PrefetchTerminal
}

// PrefetchTerminal is one background prefetch into one warm domain.
type PrefetchTerminal struct {
	PrefetchID     string
	TargetDomainID string
	StepIDs        []int64 // every hop, in order
	StepID         int64   // the last hop
}

// Compiler compiles profiles onto one scenario with one cost model.
type Compiler struct {
	machine *machine
	model   *cost.Model
	fabric  *cost.Fabric
	rings   map[ringKey]ringCost
	hazards plan.Hazards
	owned   ownership
}

// New resolves a scenario for a cost model. It refuses a model that is not valid.
// The applicability of the model to the scenario is checked by Compile; a
// standalone expert load does without (contract 06 section 13).
func New(s *topology.Scenario, m *cost.Model) (*Compiler, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &Compiler{
		machine: newMachine(s),
		model:   m,
		fabric:  cost.NewFabric(s),
		rings:   make(map[ringKey]ringCost),
	}, nil
}

// Compile compiles one profile with a compiler of its own.
func Compile(s *topology.Scenario, p *workload.Profile, m *cost.Model) (*Compiled, error) {
	c, err := New(s, m)
	if err != nil {
		return nil, err
	}
	return c.Compile(p)
}

// Compile turns a profile into a plan (contract 06 section 8). Errors are typed:
// *issue.List for a profile that breaks its own rules, *issue.Error otherwise.
func (c *Compiler) Compile(p *workload.Profile) (*Compiled, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := c.model.CheckScenario(c.machine.spec.ID); err != nil {
		return nil, err
	}
	if len(c.machine.targets) == 0 {
		return nil, issue.New("no_target", "", "scenario %s has no placement that requires attention or ffn", c.machine.spec.ID)
	}
	b := c.newBuilder(len(p.Units) * (2*len(c.machine.targets) + 1))
	u := &unitCompiler{builder: b, profile: p}
	if err := u.run(); err != nil {
		return nil, err
	}
	return &Compiled{
		Plan:             b.plan("topology-workload:"+p.ID, c.machine.spec.ID+":"+p.ID),
		ForegroundStepID: u.terminals[len(u.terminals)-1],
		UnitTerminals:    u.terminals,
		Prefetches:       u.prefetches,
	}, nil
}

// unitCompiler walks the units of one profile.
type unitCompiler struct {
	*builder
	profile    *workload.Profile
	terminals  []int64
	prefetches []PrefetchTerminal

	assigned    []*placement   // owner of each assignment of a unit, when EP > 1
	assignedFor *workload.Unit // the unit that assigned belongs to

	byTrigger  []int              // positions of the prefetches, by trigger
	triggered  int                // how many of them have been emitted
	prefetchAt map[string]int     // position of a prefetch by id
	producers  map[producer]int64 // last step of a prefetch into a domain
	fillers    map[string]int64   // last background writer of a warm domain

	unit   *workload.Unit
	tokens int64 // W x B
	items  int64 // W x B x K
}

type producer struct{ prefetchID, domainID string }

func (u *unitCompiler) run() error {
	u.terminals = make([]int64, 0, len(u.profile.Units))
	u.orderPrefetches()
	if err := u.prefetchAfter(-1, nil); err != nil {
		return err
	}
	var last []int64
	for i := range u.profile.Units {
		u.unit = &u.profile.Units[i]
		if err := u.size(); err != nil {
			return err
		}
		end, err := u.compileUnit(last)
		if err != nil {
			return err
		}
		if len(end) == 0 {
			return issue.New("empty_unit", "", "unit %s of profile %s emits no step", u.unit.ID, u.profile.ID)
		}
		terminal := end[len(end)-1]
		u.terminals = append(u.terminals, terminal)
		last = []int64{terminal}
		if err := u.prefetchAfter(int64(i), last); err != nil {
			return err
		}
	}
	return nil
}

// size multiplies out the unit's work, checked.
func (u *unitCompiler) size() error {
	var err error
	if u.tokens, err = u.product(u.unit.TargetTokenWidth, u.profile.BatchSize); err != nil {
		return err
	}
	u.items, err = u.product(u.tokens, u.unit.ActiveExperts)
	return err
}

// compileUnit emits one unit after the given steps and returns the steps that end
// it; the last of them is its terminal.
func (u *unitCompiler) compileUnit(after []int64) ([]int64, error) {
	end, err := u.components(workload.PromptOnly, u.unit.PromptInvocations, after)
	if err != nil {
		return nil, err
	}
	if u.unit.DraftTokens > 0 {
		draft, err := u.propose(end)
		if err != nil {
			return nil, err
		}
		end = []int64{draft}
	}
	if end, err = u.body(end); err != nil {
		return nil, err
	}
	return u.components(workload.FinalOnly, u.unit.FinalInvocations, end)
}

// body is the unit's forward: the components that replace the target, or those
// that run beside it and then the target itself.
func (u *unitCompiler) body(after []int64) ([]int64, error) {
	p := u.profile.Pipeline
	if p != nil && p.ReplacesTarget {
		return u.components(workload.EveryStep, max(1, u.unit.CommittedTokens), after)
	}
	steps := max(1, u.unit.TargetTokenWidth)
	if u.unit.HasPipelineStepInvocations {
		steps = u.unit.PipelineStepInvocations
	}
	after, err := u.components(workload.EveryStep, steps, after)
	if err != nil {
		return nil, err
	}
	target, err := u.target(after)
	if err != nil {
		return nil, err
	}
	return []int64{target}, nil
}
