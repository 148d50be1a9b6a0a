package serving

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/workload"
)

// assumptions states what a stateless run takes for granted, in the order of
// contract 05 section 7.1.
func assumptions(run *Run, model *cost.Model, bound *workload.ModelWork) []string {
	work := "No model is bound: token work is synthetic and normalised to the cost model's units; memory bandwidths and compute peaks of devices play no part, so machines whose devices are of one kind and number compute alike."
	if bound != nil {
		work = fmt.Sprintf("Token work is bound to model %s (%s): every step lasts at least as long as its weight bytes and FLOPs allow.",
			bound.ModelName, bound.ModelID)
	}
	transport := "Transport takes the declared bandwidth, latency and lanes of each link on the route."
	if model.HasCurves {
		transport = "Transport takes measured curves; a transfer or collective without its exact curve is refused."
	}
	list := []string{
		"Costs: " + model.Source + ".",
		fmt.Sprintf("Timing is %s: the weakest of the cost model (%s) and the scenario's devices, memories and links (%s).",
			run.Confidence, model.Confidence, run.Scenario.PerformanceEvidence()),
		work,
		transport,
		"Batches are never preempted and never overlap: an arrival during a batch waits for its end.",
		"Prefill tokens and decode rows share one forward per batch: a fixed cost per invocation plus a cost per token, whatever the context length.",
		howDecoded(run.Speculation),
		"The feed-forward part is dense: no experts are routed, loaded or cached.",
		"A batch ends when its plan's foreground terminal step finishes; all its tokens are emitted then.",
		"Each batch's plan runs in isolated relative time on idle resources.",
		"Batches of equal aggregate work share one compiled, executed and replayed plan; their reservations count once per batch.",
		"Utilisation is taken over the time from the first arrival to the last completion, idle time included.",
		"Inside a batch, steps overlap as far as dependencies, lanes and buffer leases allow; work of different batches does not overlap.",
	}
	if run.Config.Admission == workload.AdmitUnguarded {
		list = append(list, "KV was admitted WITHOUT the admission guard (--unsafe-admission): free space alone decided. This rule can deadlock, is not the contract's, and serves teaching and tests only.")
	}
	return list
}
