package planreplay

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Check replays the trace of one execution of a valid plan on a valid scenario.
// A caller with many traces of one scenario makes a Checker once.
func Check(scn *topology.Scenario, p *plan.Plan, t *trace.Plan) (*Result, error) {
	return New(scn.Spec()).Check(p, t)
}
