package compiler

import (
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// components runs a phase of the profile's package the given number of times
// (contract 06 section 11) and returns the steps that end it; without a package,
// or without an active component, the entry steps.
func (u *unitCompiler) components(phase workload.PipelinePhase, times int64, after []int64) ([]int64, error) {
	p := u.profile.Pipeline
	if p == nil {
		return after, nil
	}
	if err := u.checkPrimary(p); err != nil {
		return nil, err
	}
	for range times {
		v := invocation{unitCompiler: u, pipeline: p, phase: phase, entry: after}
		end, err := v.run()
		if err != nil {
			return nil, err
		}
		if len(v.active) == 0 {
			return after, nil
		}
		after = end
	}
	return after, nil
}

// checkPrimary refuses a package whose primary, the target itself, asks for
// another device than the first target placement's.
func (u *unitCompiler) checkPrimary(p *workload.Pipeline) error {
	if p.ReplacesTarget {
		return nil
	}
	for i := range p.Components {
		c := &p.Components[i]
		if c.IsPrimary && !prefers(c.DevicePreference, u.machine.targets[0].device) {
			return issue.New("device_preference", "", "primary component %s prefers %s, but the first target placement of scenario %s is on %s",
				c.ID, c.DevicePreference, u.machine.spec.ID, u.machine.targets[0].spec.DeviceID)
		}
	}
	return nil
}

// prefers reports whether a device suits a component's preference: a device kind,
// or part of a GPU's or a Core ML device's execution provider.
func prefers(preference string, d *topology.Device) bool {
	provider := strings.ToLower(d.ExecutionProvider)
	switch preference {
	case "", "auto":
		return true
	case "cpu", "npu":
		return string(d.Kind) == preference
	case "coreml":
		return strings.Contains(provider, "coreml")
	}
	return d.Kind == topology.GPU && strings.Contains(provider, preference)
}

func (m *machine) byPreference(c *workload.PipelineComponent) (*placement, error) {
	p := first(m.targets, func(p *placement) bool { return prefers(c.DevicePreference, p.device) })
	if p == nil {
		return nil, issue.New("device_preference", "", "component %s prefers %s, which no target placement of scenario %s offers",
			c.ID, c.DevicePreference, m.spec.ID)
	}
	return p, nil
}

// invocation is one run through the active components of a phase.
type invocation struct {
	*unitCompiler
	pipeline *workload.Pipeline
	phase    workload.PipelinePhase
	entry    []int64
	active   []placed
}

// placed is a component that has run in this invocation.
type placed struct {
	component *workload.PipelineComponent
	placement *placement
	step      int64
}

func (v *invocation) run() ([]int64, error) {
	for i := range v.pipeline.Components {
		c := &v.pipeline.Components[i]
		if !v.isActive(c) {
			continue
		}
		if err := v.component(c); err != nil {
			return nil, err
		}
	}
	ends := make([]int64, 0, len(v.active))
	for _, a := range v.active {
		ends = append(ends, a.step)
	}
	if v.pipeline.ReplacesTarget {
		return unique(ends), nil
	}
	fed, err := v.feedTarget()
	return unique(append(ends, fed...)), err
}

func (v *invocation) isActive(c *workload.PipelineComponent) bool {
	if c.IsPrimary && !v.pipeline.ReplacesTarget || c.Phase == workload.OnDemand {
		return false
	}
	return c.Phase == v.phase || v.phase == workload.EveryStep && c.RerunEveryStep
}

func (v *invocation) component(c *workload.PipelineComponent) error {
	p, err := v.place(c)
	if err != nil {
		return err
	}
	after := slices.Clone(v.entry)
	if n := len(v.active); n > 0 {
		after = append(after, v.active[n-1].step)
	}
	for i := range v.pipeline.Edges {
		e := &v.pipeline.Edges[i]
		if e.ToComponent != c.ID {
			continue
		}
		step, ok, err := v.contribution(e, p)
		if err != nil {
			return err
		}
		if ok {
			after = append(after, step)
		}
	}
	op, err := v.operation(c, p)
	if err != nil {
		return err
	}
	step, err := v.compute(p, op, unique(after), "")
	v.active = append(v.active, placed{c, p, step})
	return err
}

// place puts a component beside the first source that it must share a domain
// with, else where it prefers.
func (v *invocation) place(c *workload.PipelineComponent) (*placement, error) {
	for i := range v.pipeline.Edges {
		e := &v.pipeline.Edges[i]
		if e.ToComponent != c.ID || !e.CoLocated {
			continue
		}
		source := v.placedNow(e.FromComponent)
		if source == nil {
			continue
		}
		if !prefers(c.DevicePreference, source.placement.device) {
			return nil, issue.New("device_preference", "", "component %s prefers %s, but must stay with component %s on %s",
				c.ID, c.DevicePreference, e.FromComponent, source.placement.spec.DeviceID)
		}
		return source.placement, nil
	}
	return v.machine.byPreference(c)
}

func (v *invocation) placedNow(id string) *placed {
	for i := range v.active {
		if v.active[i].component.ID == id {
			return &v.active[i]
		}
	}
	return nil
}

// contribution is the step that an incoming edge makes a component wait for: its
// source, or the copy of the source's activations.
func (v *invocation) contribution(e *workload.PipelineEdge, target *placement) (int64, bool, error) {
	source, step, ok, err := v.source(e.FromComponent)
	if err != nil || !ok {
		return 0, false, err
	}
	return v.carry(e, source, target, step)
}

// source finds where an edge's data are and after which step: in this invocation,
// or from before it.
func (v *invocation) source(id string) (*placement, int64, bool, error) {
	if now := v.placedNow(id); now != nil {
		return now.placement, now.step, true, nil
	}
	at := slices.IndexFunc(v.pipeline.Components, func(c workload.PipelineComponent) bool { return c.ID == id })
	c := &v.pipeline.Components[at]
	if c.Phase == v.phase || len(v.entry) == 0 {
		return nil, 0, false, nil
	}
	step := v.entry[len(v.entry)-1]
	if c.IsPrimary {
		return v.machine.targets[0], step, true, nil
	}
	p, err := v.machine.byPreference(c)
	return p, step, err == nil, err
}

// carry returns the step after which the target has the data of a source step: the
// step itself within one domain, else the last hop of a copy of one activation.
func (v *invocation) carry(e *workload.PipelineEdge, source, target *placement, step int64) (int64, bool, error) {
	if source.domain == target.domain {
		return step, true, nil
	}
	if e.CoLocated {
		return 0, false, issue.New("device_transfer", "", "components %s and %s are in different memory domains, but their edge forbids a device transfer",
			e.FromComponent, e.ToComponent)
	}
	moved, err := v.betweenWorkspaces(source, target, v.model.ActivationBytesPerToken, []int64{step})
	return moved.last, err == nil, err
}

// feedTarget copies the results that the target consumes to its first placement.
func (v *invocation) feedTarget() ([]int64, error) {
	var fed []int64
	target := v.machine.targets[0]
	for i := range v.pipeline.Edges {
		e := &v.pipeline.Edges[i]
		source := v.placedNow(e.FromComponent)
		if source == nil || source.placement.domain == target.domain || !v.isPrimary(e.ToComponent) {
			continue
		}
		step, _, err := v.carry(e, source.placement, target, source.step)
		if err != nil {
			return nil, err
		}
		fed = append(fed, step)
	}
	return fed, nil
}

func (v *invocation) isPrimary(id string) bool {
	return slices.ContainsFunc(v.pipeline.Components, func(c workload.PipelineComponent) bool {
		return c.ID == id && c.IsPrimary
	})
}

// operation prices one component: its multiplier times the longest of one work
// item and one pass over its weights.
func (v *invocation) operation(c *workload.PipelineComponent, p *placement) (plan.Operation, error) {
	capability := topology.Attention
	if p.ffn {
		capability = topology.FFN
	}
	domain := p.weightsDomain
	if domain == nil {
		var err error
		if _, domain, err = v.machine.workspaceOf(p); err != nil {
			return plan.Operation{}, err
		}
	}
	costs := v.model.Devices.For(p.device.Kind)
	item, err := v.sum(costs.InvocationOverheadNs, costs.PerItem(capability))
	if err != nil {
		return plan.Operation{}, err
	}
	streamed, ok := quantity.ServiceNs(c.WeightBytes, domain.BandwidthBytesPerSec)
	if !ok {
		return plan.Operation{}, issue.New("overflow", "", "component %s: %d weight bytes take no safe number of ns", c.ID, c.WeightBytes)
	}
	ns, err := v.product(c.InvocationMultiplier, max(1, item, streamed))
	return plan.Operation{
		Capability: capability, DurationNs: ns, ComponentID: c.ID, PipelinePhase: string(v.phase),
	}, err
}
