package simcore

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Profile is a sequence of work units, the compiler's input.
type Profile = workload.Profile

// Result is a profile that was compiled, executed and replayed on a machine.
type Result = run.Result

// TargetOnly is the profile of so many tokens of the target model alone, one
// forward each.
func TargetOnly(tokens int64) (*Profile, error) { return workload.TargetOnly(tokens) }

// Run compiles a profile onto a machine, executes the plan, replays its trace
// independently, and evaluates it with the default cost model.
func Run(s *topology.Scenario, p *Profile) (*Result, error) {
	return run.Execute(s, p, cost.Default())
}

// Compare runs one profile on the six topology families and ranks them by
// duration.
func Compare(p *Profile) (*run.Comparison, error) {
	families, err := Families()
	if err != nil {
		return nil, err
	}
	return run.Compare(families, func(*topology.Scenario) (*Profile, error) { return p, nil }, cost.Default())
}
