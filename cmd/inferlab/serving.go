package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/arrowio/requesttrace"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
	"github.com/spf13/cobra"
)

// servingFlags are the options of the serving command.
type servingFlags struct {
	summary     bool
	requests    string // --trace with --trace-format: a request trace to read
	traceFormat string
	limit       int
	skipEmpty   bool
	limits      schedulerLimits
	unsafe      bool // admit on free space alone
	stream      bool // write the tables while the run goes on
	outputs     servingOutputs
}

// schedulerLimits are the scheduler's settings when no file gives them.
type schedulerLimits struct {
	batchSize, batchTokens, chunkTokens, kvTokens, events int64
}

// Settings for a request trace without a configuration file: a mid-sized server.
const (
	defaultBatchSize   = 64
	defaultBatchTokens = 2048
	defaultChunkTokens = 512
	defaultKVTokens    = 262_144
)

func (a *app) servingCommand() *cobra.Command {
	var f servingFlags
	cmd := &cobra.Command{
		Use:   "serving TARGET [CONFIG] [CALIBRATION]",
		Short: "Serve requests with continuous batching on one machine",
		Long: `Serves requests with continuous batching and chunked prefill on one machine, under
the KV admission guard: KV is granted only to a request whose whole remaining
need fits in the free pool, so no mix of requests can deadlock it. Every distinct
batch is compiled into a plan, executed on the machine's contended resources and
replayed; the serving trace itself is replayed by an independent checker.

Requests come from the file CONFIG, or from a request trace with --trace and
--trace-format, in which case CONFIG is optional and its own requests are not
used; limits may then be given as flags.

Two blocks in CONFIG add a proposer (under serving) and an expert cache (at the root,
without the workload of inferlab expert-cache; its capacities are those of each owner):
  serving:
    speculative: {family: draft_model, max_additional_tokens: 2, acceptance:
      {kind: conditional_heuristic, match_probability_by_position: [0.8, 0.6], seed: 7}}
  expert_cache: {contract_revision: 3, top_k: 1, experts: ..., hot_capacity_bytes: ...}

The document holds the whole trace; --summary leaves out the per-batch and
per-token evidence.`,
		Example: `  inferlab serving multi-gpu serving.yaml
  inferlab serving multi-gpu serving.yaml --summary --format table
  inferlab serving multi-gpu serving.yaml --report out.html --parquet out/
  inferlab serving multi-gpu --trace conv.csv --trace-format azure --limit 2000 --summary
  inferlab serving multi-gpu-ring-8 serving.yaml --trace run-trace.json
  inferlab serving multi-gpu --trace year.csv --trace-format csv --parquet out/ --stream`,
		Args: positional("TARGET", "[CONFIG]", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.serve(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.summary, "summary", false, "leave out the trace, the batches and the token times")
	flags.StringVar(&f.requests, "trace", "", "with --trace-format: read requests from this file; without: write the protocol trace to this .json file")
	flags.StringVar(&f.traceFormat, "trace-format", "", "format of the request trace: "+strings.Join(formatNames(), ", "))
	flags.IntVar(&f.limit, "limit", 0, "read at most this many requests of the trace (0: all)")
	flags.BoolVar(&f.skipEmpty, "skip-empty", false, "drop rows of the trace without prompt or output tokens instead of refusing them")
	flags.Int64Var(&f.limits.batchSize, "max-batch-size", 0, fmt.Sprintf("sequences in a batch (default of a trace without CONFIG: %d)", defaultBatchSize))
	flags.Int64Var(&f.limits.batchTokens, "max-batch-tokens", 0, fmt.Sprintf("tokens in a batch (default of a trace without CONFIG: %d)", defaultBatchTokens))
	flags.Int64Var(&f.limits.chunkTokens, "prefill-chunk-tokens", 0, fmt.Sprintf("prompt tokens of one request in a batch (default of a trace without CONFIG: %d)", defaultChunkTokens))
	flags.Int64Var(&f.limits.kvTokens, "max-kv-tokens", 0, fmt.Sprintf("KV pool in token positions (default of a trace without CONFIG: %d)", defaultKVTokens))
	flags.Int64Var(&f.limits.events, "max-events", 0, "event budget of the scheduler (default of a trace without CONFIG: large enough for the trace)")
	flags.BoolVar(&f.unsafe, "unsafe-admission", false, "teaching and tests only: grant KV on free space alone; such a run can deadlock, which is diagnosed and ends it")
	flags.BoolVar(&f.stream, "stream", false, fmt.Sprintf("with --parquet: write the tables while the run goes on and keep live state only; the document is the summary (done without asking for --summary with --parquet alone above %d output tokens)", streamAbove))
	f.outputs.flags(cmd)
	perfettoFlag(cmd, &f.outputs.perfetto)
	a.formatFlag(cmd)
	return cmd
}

func formatNames() []string {
	var names []string
	for _, f := range requesttrace.Formats() {
		names = append(names, string(f))
	}
	return names
}

func (a *app) serve(cmd *cobra.Command, args []string, f *servingFlags) error {
	if err := f.settle(args); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	q, err := a.asked(cmd, args, targetArgument, experiment.ConfigFile, experiment.CalibrationFile)
	if err != nil {
		return err
	}
	scenario := q.Scenario
	in, err := a.servingConfig(q, f)
	if err != nil {
		return err
	}
	model, err := q.Model()
	if err != nil {
		return err
	}
	if err := f.outputs.prepare(); err != nil {
		return err
	}
	if err := f.admit(in); err != nil {
		return err
	}
	if f.streams(in) {
		return a.serveStream(cmd, args, f, scenario, in, model)
	}
	if in.Experts != nil {
		return a.serveExperts(q, f, in, model)
	}
	bar := newProgress(a.stderr, "serving")
	run, err := simcore.Serve(scenario, in.Serving, simcore.ServingOptions{
		Model:       model,
		Speculation: in.Speculation,
		Progress:    func(done, total, _ int64) { bar.at(done, total) },
		Interrupted: func() bool { return cmd.Context().Err() != nil },
	})
	bar.end()
	if err != nil {
		return located(args[1:], err)
	}
	return f.outputs.write(run,
		a.printing(func(w *jsondoc.Writer) { result.Serving(w, run, f.form()) }, func() []sheet { return servingSheets(run) }),
		func() (report.Meta, error) { return a.servingMeta(q, run, f.requests) })
}

// form is how much evidence the document holds.
func (f *servingFlags) form() result.Form {
	if f.summary {
		return result.Summary
	}
	return result.Full
}

// located names the configuration file in a refusal that points into it.
func located(files []string, err error) error {
	found := issue.All(err)
	if len(found) == 0 || len(files) == 0 || strings.HasPrefix(err.Error(), files[0]) {
		return err
	}
	if block, _, _ := strings.Cut(found[0].Path, "."); block == "serving" || block == "expert_cache" {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	return err
}

// settle checks the options against each other and against the arguments.
func (f *servingFlags) settle(args []string) error {
	reading := f.traceFormat != ""
	switch {
	case reading && f.requests == "":
		return fmt.Errorf("--trace-format needs --trace FILE, the request trace to read")
	case !reading && f.requests != "" && !document.IsJSONName(f.requests):
		return fmt.Errorf("--trace %s: the protocol trace is JSON and its name must end in .json; to read requests from this file, say its --trace-format (%s)",
			f.requests, strings.Join(formatNames(), ", "))
	case !reading && f.limit != 0:
		return fmt.Errorf("--limit acts on a request trace; give --trace and --trace-format")
	case !reading && f.skipEmpty:
		return fmt.Errorf("--skip-empty acts on a request trace; give --trace and --trace-format")
	case f.limit < 0:
		return fmt.Errorf("--limit: found %d, expected zero or more", f.limit)
	case f.outputs.plain && f.outputs.parquet == "" && f.outputs.arrow == "":
		return fmt.Errorf("--plain-strings acts on tables; give --parquet or --arrow")
	case !reading && len(args) < 2:
		return fmt.Errorf("missing argument CONFIG (or --trace FILE with --trace-format)")
	}
	if !reading {
		f.outputs.trace, f.requests = f.requests, ""
	}
	if err := f.settleStream(); err != nil {
		return err
	}
	return f.limits.check()
}

// servingConfig builds the configuration from the file, the request trace and the
// flags, in that order of strength: a flag overrides the file.
func (a *app) servingConfig(q *asked, f *servingFlags) (*experiment.Served, error) {
	in, file := new(experiment.Served), len(q.args) > 1
	if file {
		var err error
		if in, err = q.Served(f.requests == ""); err != nil {
			return nil, err
		}
	}
	if f.requests != "" {
		requests, err := a.readRequests(f)
		if err != nil {
			return nil, err
		}
		in.Requests = requests
		if !file {
			in.MaxEvents = traceEvents(requests)
		}
	}
	f.limits.apply(&in.Serving, !file)
	return in, nil
}

func (a *app) readRequests(f *servingFlags) ([]workload.Request, error) {
	format, err := requesttrace.ParseFormat(f.traceFormat)
	if err != nil {
		return nil, fmt.Errorf("--trace-format: %w", err)
	}
	trace, err := requesttrace.ReadFile(f.requests, requesttrace.Options{Format: format, Limit: f.limit, SkipEmpty: f.skipEmpty})
	if err != nil {
		return nil, err
	}
	for _, w := range trace.Warnings {
		fmt.Fprintf(a.stderr, "inferlab: warning: %v\n", w)
	}
	if trace.Skipped > 0 {
		fmt.Fprintf(a.stderr, "inferlab: %s: dropped %s without prompt or output tokens\n", f.requests, counted(int64(trace.Skipped), "row"))
	}
	return trace.Requests, nil
}

// traceEvents is a budget that no run of these requests can exceed: an arrival
// and a dispatch a request, and at most one batch for every token position.
func traceEvents(requests []workload.Request) int64 {
	budget := workload.DefaultServingMaxEvents
	total := 2 * int64(len(requests))
	for i := range requests {
		total += requests[i].PromptTokens + requests[i].OutputTokens
		if !quantity.IsSafe(total) {
			return quantity.MaxSafe
		}
	}
	return max(budget, total)
}

// limit is one scheduler setting that a flag may give.
type limit struct {
	flag     string
	value    int64 // 0: not given
	field    *int64
	fallback int64
}

func (l *schedulerLimits) all(cfg *workload.Serving) []limit {
	return []limit{
		{"max-batch-size", l.batchSize, &cfg.MaxBatchSize, defaultBatchSize},
		{"max-batch-tokens", l.batchTokens, &cfg.MaxBatchTokens, defaultBatchTokens},
		{"prefill-chunk-tokens", l.chunkTokens, &cfg.PrefillChunkTokens, defaultChunkTokens},
		{"max-kv-tokens", l.kvTokens, &cfg.MaxKVTokens, defaultKVTokens},
		{"max-events", l.events, &cfg.MaxEvents, cfg.MaxEvents},
	}
}

// check refuses values that no setting may have.
func (l *schedulerLimits) check() error {
	for _, s := range l.all(new(workload.Serving)) {
		if !quantity.IsCount(s.value) {
			return fmt.Errorf("--%s: found %d, expected a positive integer up to %d", s.flag, s.value, quantity.MaxSafe)
		}
	}
	return nil
}

// apply sets the limits that flags give, and the defaults where no file gave any.
func (l *schedulerLimits) apply(cfg *workload.Serving, defaults bool) {
	for _, s := range l.all(cfg) {
		switch {
		case s.value > 0:
			*s.field = s.value
		case defaults:
			*s.field = s.fallback
		}
	}
}

func servingSheets(run *serving.Run) []sheet {
	m, t := &run.Metrics, &run.Topology
	summary := sheet{
		title: fmt.Sprintf("%s: %s served, timing %s, replay verified %s",
			run.Scenario.ID(), counted(m.Requests, "request"), run.Confidence, counted(run.Replay.AppliedEvents, "event")),
		columns: []string{"modeled figure", ">value"},
		rows: [][]string{
			{"duration", duration(float64(m.TotalDurationNs))},
			{"throughput", strconv.FormatFloat(m.ThroughputTokensPerSecond, 'f', 1, 64) + " tokens/s"},
			{"TTFT p50", duration(float64(m.P50TimeToFirstTokenNs))},
			{"TTFT p95", duration(float64(m.P95TimeToFirstTokenNs))},
			{"ITL p50", duration(float64(m.P50InterTokenLatencyNs))},
			{"ITL p95", duration(float64(m.P95InterTokenLatencyNs))},
			{"request latency, mean", duration(m.AverageRequestLatencyNs)},
			{"KV high water", fmt.Sprintf("%s of %s tokens (%s)", count(m.KVHighWaterTokens), count(run.Config.MaxKVTokens),
				percent(float64(m.KVHighWaterTokens)/float64(run.Config.MaxKVTokens)))},
			{"batches", count(m.Batches)},
			{"sequence slots used", percent(m.SequenceBatchUtilization)},
			{"token slots used", percent(m.TokenBatchUtilization)},
			{"idle", duration(float64(t.IdleNs))},
			{"plans compiled, reused", count(t.CompiledTopologyTemplates) + ", " + count(t.ReusedTopologyBatches)},
		},
	}
	use := sheet{columns: []string{"resource", ">busy", ">lanes", ">utilisation"}}
	for _, u := range t.ResourceUtilization {
		use.rows = append(use.rows, []string{u.ResourceID, duration(float64(u.BusyNs)), count(u.CapacityLanes), percent(u.Utilization)})
	}
	return []sheet{summary, use}
}
