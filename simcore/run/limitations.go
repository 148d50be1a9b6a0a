package run

import "github.com/inferlab/inferlab/simcore/workload"

// Limitation is one thing that a model-bound run does not model: a code that
// programs compare, and what it means for the figures (contract 06 section 19.4).
type Limitation struct{ Code, Text string }

// limitations lists what a model-bound run leaves out; nil when no model is bound.
func limitations(p *workload.Profile) []Limitation {
	if p.ModelWork == nil {
		return nil
	}
	list := []Limitation{
		{"draft_model_costs", "Proposers are priced by the device's draft cost and a family factor, not by the weights of an imported draft model."},
		{"iterative_schedulers", "Iterative schedulers (diffusion steps, beam search) run as the single passes that the package declares."},
		{"nested_inner_loops", "Loops inside a component run once an invocation."},
		{"model_bound_routing", "Routed experts follow the workload's routes, not the router weights of the bound model."},
	}
	if hasOnDemand(p.Pipeline) {
		list = append([]Limitation{{"on_demand_components", "Components that run on demand are never invoked and cost nothing."}}, list...)
	}
	return list
}

func hasOnDemand(p *workload.Pipeline) bool {
	if p == nil {
		return false
	}
	for i := range p.Components {
		if p.Components[i].Phase == workload.OnDemand {
			return true
		}
	}
	return false
}
