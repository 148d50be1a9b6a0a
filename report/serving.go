package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	results "github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Serving makes the page of one continuous-serving run (contract 09, views V0,
// V13, V5, V8 and V2 in this order). It refuses a run without a trace with
// ErrNoRun; a page above its size bound drops the embedded result first, then
// shortens its tables, and says so.
func Serving(run *serving.Run, meta Meta) ([]byte, error) { return servingWith(run, nil, meta) }

// servingWith makes the page of a run that may have an expert cache.
func servingWith(run *serving.Run, cache *cacheStory, meta Meta) ([]byte, error) {
	if run == nil || run.Trace == nil || len(run.Requests) == 0 {
		return nil, ErrNoRun
	}
	if meta.InputFingerprint == "" && run.Model != nil && run.Scenario != nil {
		meta.InputFingerprint = fingerprintOf(func(w *jsondoc.Writer) { results.ServingInputs(w, run) })
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return servingPage(run, cache, meta, rows) })
}

func servingPage(run *serving.Run, cache *cacheStory, meta Meta, rows int) ([]byte, error) {
	s := servingReport{run: run, meta: meta, rows: rows, kv: figure.KV(run), use: figure.Utilization(run), flow: flowOf(run, &meta)}
	p := &page{
		Title:        s.title(),
		Verdict:      s.verdict(),
		Confidence:   run.Confidence,
		Replay:       s.replay(),
		Cards:        s.cards(),
		Inspector:    s.inspector(),
		Evidence:     s.evidence(),
		Assumptions:  run.Assumptions,
		Limits:       s.limits(),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if err := p.keep(viewResult, &meta, s.summary()); err != nil {
		return nil, err
	}
	for _, build := range []func() (section, error){
		s.latencySection, s.requestSection, s.batchSection, s.speculationSection, s.kvSection, s.resourceSection, s.linkSection, s.machineSection, s.capacitySection, s.rooflineSection,
	} {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		if sec.ID != "" {
			p.Sections = append(p.Sections, sec)
		}
	}
	if cache != nil {
		if err := cache.join(p, rows); err != nil {
			return nil, err
		}
	}
	return p.render()
}

// servingReport holds what several parts of the page need.
type servingReport struct {
	run  *serving.Run
	meta Meta
	rows int
	kv   figure.KVTimeline
	use  figure.ResourceUse
	flow figure.LinkFlow
}

func (s *servingReport) title() string {
	command := s.meta.Command
	if command == "" {
		command = "serving"
	}
	parts := []string{command, "continuous batching, target-only"}
	if s.run.Metrics.ProposedDraftTokens > 0 {
		parts[1] = "continuous batching, speculative"
	}
	if scn := s.run.Scenario; scn != nil {
		parts = append(parts, scn.ID()+" ("+strings.ReplaceAll(string(scn.Spec().Family), "_", "-")+")")
	}
	model := s.meta.ModelName
	if model == "" {
		model = "synthetic"
	}
	return strings.Join(append(parts, model), " · ")
}

// verdict is the main number in one sentence, then what a reader asks next.
func (s *servingReport) verdict() string {
	m := &s.run.Metrics
	v := fmt.Sprintf("%s served in a modeled %s at %s output tokens/s.", unit.Plural(m.Requests, "request"),
		dur(m.TotalDurationNs), unit.Number(m.ThroughputTokensPerSecond))
	if m.Requests > 1 {
		v += fmt.Sprintf(" 95 %% see their first token within %s", dur(m.P95TimeToFirstTokenNs))
	} else {
		v += fmt.Sprintf(" Its first token comes after %s", dur(m.P50TimeToFirstTokenNs))
	}
	return v + fmt.Sprintf("; KV peaks at %s of its budget.", unit.Percent(s.kvShare()))
}

func (s *servingReport) kvShare() float64 {
	return float64(s.run.Metrics.KVHighWaterTokens) / math.Max(1, float64(s.run.Config.MaxKVTokens))
}

func (s *servingReport) replay() string {
	r := &s.run.Replay
	if r.CompletedRequests != s.run.Metrics.Requests || r.AppliedEvents == 0 {
		return "replay not verified"
	}
	return fmt.Sprintf("replay verified, %s", unit.Plural(r.AppliedEvents, "event"))
}

// cards are the headline numbers of a serving run (contract 09, V0).
func (s *servingReport) cards() []card {
	m, t := &s.run.Metrics, &s.run.Topology
	cards := []card{
		{"Predicted throughput", unit.Number(m.ThroughputTokensPerSecond), "tokens/s",
			fmt.Sprintf("%s output tokens in %s", unit.Count(m.OutputTokens), dur(m.TotalDurationNs))},
		{"Modeled TTFT, p50 / p95", dur(m.P50TimeToFirstTokenNs) + " / " + dur(m.P95TimeToFirstTokenNs), "",
			"mean " + unit.Duration(m.AverageTimeToFirstTokenNs)},
		{"Modeled ITL, p50 / p95", dur(m.P50InterTokenLatencyNs) + " / " + dur(m.P95InterTokenLatencyNs), "",
			"mean " + unit.Duration(m.AverageInterTokenLatencyNs)},
		{"Modeled request latency, mean", unit.Duration(m.AverageRequestLatencyNs), "",
			"arrival to completion, " + unit.Plural(m.Requests, "request")},
		{"KV high water", unit.Count(m.KVHighWaterTokens), "tokens",
			fmt.Sprintf("%s of a budget of %s", unit.Percent(s.kvShare()), unit.Count(s.run.Config.MaxKVTokens))},
		{"Batches", unit.Count(m.Batches), "",
			fmt.Sprintf("%s of token slots, %s of sequence slots used", unit.Percent(m.TokenBatchUtilization), unit.Percent(m.SequenceBatchUtilization))},
	}
	if g := s.run.Gain; g != nil {
		cards = append(cards, gainCard(g))
	}
	if len(t.ResourceUtilization) > 0 {
		u := t.ResourceUtilization[0]
		cards = append(cards, card{"Busiest resource, predicted", unit.Percent(u.Utilization), "", u.ResourceID})
	}
	if t.TotalDurationNs > 0 {
		cards = append(cards, card{"Idle, modeled", dur(t.IdleNs), "",
			unit.Percent(float64(t.IdleNs)/float64(t.TotalDurationNs)) + " of the run has no batch"})
	}
	return cards
}

func dur(ns int64) string { return unit.Duration(float64(ns)) }

// inspector lists the last requests to complete, newest first.
func (s *servingReport) inspector() *table {
	order := make([]int, len(s.run.Requests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := s.run.Requests[a].CompletedAtNs, s.run.Requests[b].CompletedAtNs
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return b - a
	})
	n := min(inspectorEntries, len(order))
	t := &table{Total: n, Caption: fmt.Sprintf("The last %s to complete, newest first", unit.Plural(int64(n), "request")),
		Columns: []figure.Column{{Name: "request"}, {Name: "TTFT", Numeric: true}, {Name: "tokens", Numeric: true}, {Name: "latency", Numeric: true}}}
	for _, i := range order[:n] {
		r := &s.run.Requests[i]
		t.Head = append(t.Head, []string{s.id(r), dur(r.TimeToFirstTokenNs), unit.Count(r.TokensTo - r.TokensFrom), dur(r.LatencyNs)})
	}
	return t
}

func (s *servingReport) id(r *serving.RequestResult) string {
	return s.run.Config.Requests[r.Request].ID
}

func (s *servingReport) latencySection() (section, error) {
	m := &s.run.Metrics
	sec := section{ID: "latency", Question: "How long do requests wait for their tokens?"}
	sec.Answer = fmt.Sprintf("The modeled time to the first token is %s at the median and %s at p95; after it a token follows every %s at the median and within %s at p95.",
		dur(m.P50TimeToFirstTokenNs), dur(m.P95TimeToFirstTokenNs), dur(m.P50InterTokenLatencyNs), dur(m.P95InterTokenLatencyNs))
	if m.Requests == 1 {
		sec.Answer = fmt.Sprintf("The one request sees its first token after a modeled %s and completes after %s.",
			dur(m.P50TimeToFirstTokenNs), unit.Duration(m.AverageRequestLatencyNs))
	}
	return s.with(sec, true, figure.TTFT(s.run), figure.ITL(s.run))
}

// with adds figures to a section.
func (s *servingReport) with(sec section, half bool, figures ...figure.Figure) (section, error) {
	for _, f := range figures {
		p, err := draw(f, half, s.rows)
		if err != nil {
			return sec, err
		}
		sec.Figures = append(sec.Figures, p)
	}
	return sec, nil
}

func (s *servingReport) requestSection() (section, error) {
	timeline := figure.Timeline(s.run)
	sec := section{ID: "requests", Question: "What did each request go through?", Answer: timeline.Text().Alt}
	t := cut(fmt.Sprintf("All %s: arrival, first token, completion", unit.Plural(s.run.Metrics.Requests, "request")), s.requestTable(), s.rows)
	t.ID = "request-table"
	sec.Tables = []table{t}
	return s.with(sec, false, figure.Requests(s.run), timeline)
}

// requestTable has one row a request in arrival order.
func (s *servingReport) requestTable() figure.Table {
	num := func(name, u string) figure.Column { return figure.Column{Name: name, Unit: u, Numeric: true} }
	return figure.Table{
		Columns: []figure.Column{{Name: "request"}, num("arrival", "ns"), num("first token", "ns"), num("completion", "ns"),
			num("TTFT", "ns"), num("latency", "ns"), num("tokens", ""), num("ITL mean", "ns")},
		Len: len(s.run.Requests),
		Row: func(i int) []string {
			r := &s.run.Requests[i]
			n := r.TokensTo - r.TokensFrom
			itl := "none"
			if n > 1 {
				itl = strconv.FormatFloat(float64(r.CompletedAtNs-r.FirstTokenNs)/float64(n-1), 'f', 1, 64)
			}
			int64s := func(vs ...int64) (out []string) {
				for _, v := range vs {
					out = append(out, strconv.FormatInt(v, 10))
				}
				return out
			}
			return append(append([]string{s.id(r)}, int64s(r.ArrivalNs, r.FirstTokenNs, r.CompletedAtNs,
				r.TimeToFirstTokenNs, r.LatencyNs, n)...), itl)
		},
	}
}

func (s *servingReport) batchSection() (section, error) {
	m := &s.run.Metrics
	sec := section{ID: "batches", Question: "How well were the batches filled, and what was wasted?"}
	sec.Answer = fmt.Sprintf("%s used %s of their token slots and %s of their sequence slots; the machine had no batch for %s of the modeled run.",
		unit.Plural(m.Batches, "batch"), unit.Percent(m.TokenBatchUtilization), unit.Percent(m.SequenceBatchUtilization),
		unit.Percent(float64(s.run.Topology.IdleNs)/math.Max(1, float64(m.TotalDurationNs))))
	waste := s.waste()
	sec.Tables = []table{waste}
	return s.with(sec, false, figure.Batches(s.run), figure.Throughput(s.run))
}

// waste is each kind of lost work as an amount and a share of its total.
func (s *servingReport) waste() table {
	m, t := &s.run.Metrics, &s.run.Topology
	share := func(part, whole int64) string {
		if whole == 0 {
			return "no such work"
		}
		return unit.Percent(float64(part) / float64(whole))
	}
	return table{
		Caption: "Waste: amounts and shares", Open: true,
		Columns: []figure.Column{{Name: "what"}, {Name: "amount", Numeric: true}, {Name: "share", Numeric: true}, {Name: "of"}},
		Head: [][]string{
			{"verification rows rejected", unit.Count(m.RejectedDraftTokens) + " tokens", share(m.RejectedDraftTokens, m.TargetVerificationTokens), "rows verified by the target"},
			{"prefill recomputed", "0 tokens", share(0, m.PrefillTokens), "prompt tokens (admitted KV is never evicted)"},
			{"idle, no batch running", dur(t.IdleNs), share(t.IdleNs, t.TotalDurationNs), "modeled run"},
			{"background drain", dur(t.BackgroundDrainNs), share(t.BackgroundDrainNs, t.ResourceObservationNs), "observation window"},
		},
		Total: 4,
	}
}

func (s *servingReport) kvSection() (section, error) {
	sec := section{ID: "memory", Question: "How much KV was held, and when?", Answer: s.kv.Text().Alt}
	sec, err := s.with(sec, false, s.kv)
	if err != nil || s.run.Scenario == nil {
		return sec, err
	}
	domains := figure.MemoryTimelines(s.run.Scenario, s.kv)
	switch n := len(domains); {
	case n == 0:
		sec.Note = "No memory timeline in bytes: no enabled domain holds both weights and KV."
	case n > maxDomains:
		sec.Note = fmt.Sprintf("Memory in bytes for the first %d of %d domains that hold weights and KV, in the order of ids.", maxDomains, n)
		domains = domains[:maxDomains]
	}
	for _, d := range domains {
		if sec, err = s.with(sec, true, d); err != nil {
			return sec, err
		}
	}
	return sec, nil
}

// maxDomains is how many memory timelines a page draws.
const maxDomains = 4

// machineSection draws the topology (contract 09, V1).
func (s *servingReport) machineSection() (section, error) {
	sec := section{ID: "machine", Question: "What machine is this?"}
	if s.run.Scenario == nil {
		sec.Note = "The scenario is not part of this result."
		return sec, nil
	}
	f := figure.Machine(s.run.Scenario)
	sec.Answer = f.Text().Alt
	return s.with(sec, false, f)
}

// capacitySection shows the reservations of the scenario (contract 09, V4).
func (s *servingReport) capacitySection() (section, error) {
	sec := section{ID: "capacity", Question: "Is there room in memory?"}
	if s.run.Scenario == nil {
		sec.Note = "The scenario is not part of this result."
		return sec, nil
	}
	f := figure.Memory(s.run.Scenario)
	sec.Answer = f.Text().Alt
	return s.with(sec, false, f)
}

// rooflineSection says why there is no roofline (contract 09, V3).
func (s *servingReport) rooflineSection() (section, error) {
	return section{ID: "roofline", Question: "Is it bound by compute or by bandwidth?", Note: rooflineNote(s.meta.ModelName)}, nil
}

func (s *servingReport) resourceSection() (section, error) {
	sec := section{ID: "resources", Question: "What was the machine busy with?"}
	t := &s.run.Topology
	var parts []string
	for _, kind := range []struct {
		name string
		ns   int64
	}{{"compute", t.ComputeServiceNs}, {"transfers", t.TransferServiceNs}, {"collectives", t.CollectiveServiceNs}} {
		if kind.ns > 0 {
			parts = append(parts, dur(kind.ns)+" of "+kind.name)
		}
	}
	if len(parts) > 0 {
		sec.Answer = "Modeled service time of all operations: " + strings.Join(parts, ", ") + ". "
	}
	sec.Answer += s.use.Text().Alt
	return s.with(sec, false, s.use)
}

func (s *servingReport) linkSection() (section, error) {
	sec := section{ID: "links", Question: "Which links were busy?", Answer: s.flow.Text().Alt}
	return s.with(sec, false, s.flow)
}

// evidence is the block of facts that identify the run and what checked it.
func (s *servingReport) evidence() []fact {
	run := s.run
	facts := []fact{{Label: "Confidence", Value: string(run.Confidence) + ": the weakest input decides; modeled timing is never exact"}}
	r := run.Replay
	verdict := fmt.Sprintf("verified: an independent checker applied %s, %s completed, %s KV tokens left",
		unit.Plural(r.AppliedEvents, "event"), unit.Plural(r.CompletedRequests, "request"), unit.Count(r.FinalKVTokens))
	if s.replay() == "replay not verified" {
		verdict = "not verified"
	}
	facts = append(facts, fact{Label: "Replay", Value: verdict})
	if run.Scenario != nil {
		facts = append(facts, fact{Label: "Scenario schema", Value: strconv.FormatInt(topology.SchemaVersion, 10)},
			fact{Label: "Scenario fingerprint", Value: run.Scenario.Fingerprint(), Code: true})
	}
	facts = append(facts, fact{Label: "Contract revisions", Value: revisionsInWords(run.ContractRevisions)},
		fact{Label: "Input fingerprint", Value: orUnknown(s.meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(s.meta)), Code: true})
	seed := "unknown"
	switch {
	case s.meta.HasSeed:
		seed = strconv.FormatInt(s.meta.Seed, 10)
	case run.Scenario != nil:
		seed = strconv.FormatInt(run.Scenario.Spec().Execution.Seed, 10)
	}
	facts = append(facts, fact{Label: "Seed", Value: seed})
	return append(facts, calibrationFact(&s.meta, run.Model))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// limits is what the result does not say.
func (s *servingReport) limits() []string {
	limits := []string{
		"Bytes per link are not part of a serving result: links are shown by busy time.",
		"Faults, preemption and cancellation do not occur in this run.",
	}
	if len(s.run.Templates) > 0 && (s.run.Templates[0].Plan == nil || len(s.run.Templates[0].Plan.Steps) == 0) {
		limits = append(limits, "This run was read from its document, which holds no plans: its trace was replayed, but busy times of resources and counts of operations are taken as the document states them.")
	}
	if s.meta.ModelName == "" {
		limits = append(limits, "No model is bound: work is synthetic, so absolute times say nothing about a particular model.")
	}
	if !calibrated(&s.meta, s.run.Model) {
		limits = append(limits, "No measurement was used: compare runs with each other rather than with a clock.")
	}
	return limits
}

// outputFingerprint is the given fingerprint of the result, or that of its bytes.
func outputFingerprint(m Meta) string {
	if m.OutputFingerprint != "" || len(m.Result) == 0 {
		return m.OutputFingerprint
	}
	return canonical.FingerprintBytes(m.Result)
}
