package composed

import "fmt"

// assumptions states what a composed run takes for granted, in the order of
// contract 05 section 7.1.
func assumptions(run *Run, opts *Options) []string {
	model := run.Serving.Model
	work := "No model is bound: token work is synthetic and normalised to the cost model's units."
	if opts.ModelWork != nil {
		work = fmt.Sprintf("Token work is bound to model %s (%s): every step lasts at least as long as its weight bytes and FLOPs allow.",
			opts.ModelWork.ModelName, opts.ModelWork.ModelID)
	}
	transport := "Transport takes the declared bandwidth, latency and lanes of each link on the route."
	if model.HasCurves {
		transport = "Transport takes measured curves; a transfer or collective without its exact curve is refused."
	}
	decoding := "Decoding is target-only: each step yields one token per request."
	if opts.Speculation != nil {
		decoding = fmt.Sprintf("Decoding is speculative: proposer %s with at most %d additional tokens, accepted by %s; each",
			opts.Speculation.Family, opts.Speculation.MaxAdditionalTokens, opts.Speculation.Acceptance.Kind) + " request has an acceptance stream of its own, which neither timing nor other requests influence."
	}
	placed := fmt.Sprintf("Experts are routed %d to a token, placed %s, and held in hot and warm caches that persist over the whole run.",
		run.Experts.TopK, run.Experts.Strategy)
	return []string{
		"Costs: " + model.Source + ".",
		fmt.Sprintf("Timing is %s: the weakest of the cost model (%s) and the scenario's devices, memories and links (%s).",
			run.Serving.Confidence, model.Confidence, run.Serving.Scenario.PerformanceEvidence()),
		work,
		transport,
		"Batches are never preempted and never overlap: an arrival during a batch waits for its end.",
		"Prefill tokens and decode rows share one forward per batch: a fixed cost per invocation plus a cost per token, whatever the context length.",
		decoding,
		placed,
		"A batch ends when its plan's foreground terminal step finishes; all its tokens are emitted then. Its routes and their demand loads come before it and are part of its duration.",
		"Demand plans, batch plans and background copies of all batches share one timeline and its resources.",
		"Every batch is compiled for its own routes; no plan is reused for another batch.",
		"Utilisation is taken over the time from the first arrival to the last completion or, if later, the end of the last plan.",
		"Background copies may overlap later batches and outlast the last one; the foregrounds of batches do not overlap.",
	}
}
