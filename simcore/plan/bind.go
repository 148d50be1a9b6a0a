package plan

import "github.com/inferlab/inferlab/simcore/topology"

// Validate checks a plan against a valid scenario and freezes it; see
// Fabric.Validate. A caller with many plans of one scenario makes the Fabric once.
func Validate(scn *topology.Scenario, p *Plan) (*Frozen, error) {
	return Bind(scn).Validate(p)
}

// Bind interns a valid scenario for any number of plans.
func Bind(scn *topology.Scenario) *Fabric { return NewFabric(scn.Spec()) }
