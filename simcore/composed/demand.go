package composed

import (
	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// demandKey is what the plan of a demand load depends on; an expert's bytes never
// change.
type demandKey struct {
	expert int32
	source trace.Tier
}

// demandPlan is the compiled, validated plan of a demand load: frozen is nil when
// the expert lies in the memory that uses it.
type demandPlan struct {
	frozen    *plan.Frozen
	terminals []int64
}

// demand admits the plans of a route's new loads together, then waits for them
// load by load and moves each load's completion to where its transfers ended
// (contract 05 sections 6.4 and 6.5). A load without transfers is complete at once.
func (e *estimator) demand(loads []int32, at int64) error {
	plans := make([]*demandPlan, len(loads))
	for i, number := range loads {
		p, err := e.demandPlan(number)
		if err != nil {
			return err
		}
		plans[i] = p
		if p.frozen == nil {
			err = e.cache.Retime(number, at, &at)
		} else {
			err = e.admit(e.identified(p, number), at, nil)
		}
		if err != nil {
			return err
		}
	}
	for i, number := range loads {
		if plans[i].frozen == nil {
			continue
		}
		if err := e.await(number, plans[i].terminals); err != nil {
			return err
		}
	}
	return nil
}

// await runs the clock until a load's terminals are complete.
func (e *estimator) await(number int32, terminals []int64) error {
	var physical int64
	for _, step := range terminals {
		done, err := e.runtime.RunUntil(e.executionID(number), step)
		if err != nil {
			return err
		}
		physical = max(physical, done.CompletedAtNs)
	}
	return e.cache.Retime(number, max(physical, e.cache.Now()), &physical)
}

func (e *estimator) executionID(number int32) string {
	return e.scenario.ID() + ":expert-load:" + trace.LoadID(number)
}

// identified is a demand plan under the identity of one load.
func (e *estimator) identified(p *demandPlan, number int32) *plan.Frozen {
	return p.frozen.WithIdentity("topology-expert-load:"+trace.LoadID(number), e.executionID(number))
}

// demandPlan compiles the plan of a load, or finds the one of an earlier load of
// the same expert from the same tier.
func (e *estimator) demandPlan(number int32) (*demandPlan, error) {
	l, _ := e.cache.Load(number)
	key := demandKey{expert: l.Expert, source: l.Source}
	if p, known := e.demands[key]; known {
		return p, nil
	}
	compiled, err := e.compiler.CompileExpertLoad(&compiler.ExpertLoad{
		ID: trace.LoadID(number), ExpertID: e.placement.ExpertIDs[l.Expert],
		SourceTier: workload.SourceTier(l.Source.String()), Bytes: l.Bytes, Placement: e.placement,
	})
	if err != nil {
		return nil, err
	}
	p := &demandPlan{terminals: compiled.TerminalStepIDs}
	if compiled.Plan != nil {
		if p.frozen, err = e.fabric.Validate(compiled.Plan); err != nil {
			return nil, err
		}
	}
	e.demands[key] = p
	return p, nil
}
