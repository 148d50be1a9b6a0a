package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// SpeculativeResult is what the page of a speculative run is made of. Only Workload
// is required.
type SpeculativeResult struct {
	Workload *speculative.Run
	Tokens   *speculative.TokenRun // with a token trace or captures

	// With a machine.
	Run         *run.Result
	Speculation *run.Speculation
}

// Speculative makes the page of one speculative run (contract 09, views V0 and
// V10; with a machine also V7 and V8). It refuses a run without a record with ErrNoRun; a page above its size
// bound shortens its tables.
func Speculative(r SpeculativeResult, meta Meta) ([]byte, error) {
	if r.Workload == nil || r.Workload.Contract == nil {
		return nil, ErrNoRun
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return speculativePage(r, meta, rows) })
}

func speculativePage(r SpeculativeResult, meta Meta, rows int) ([]byte, error) {
	s := speculativeReport{SpeculativeResult: r, meta: meta, rows: rows, m: &r.Workload.Trace.Metrics}
	p := &page{
		Title:        s.title(),
		Verdict:      s.verdict(),
		Confidence:   s.confidence(),
		Replay:       "replay verified, " + unit.Plural(r.Workload.Replayed.Iterations, "iteration"),
		Cards:        s.cards(),
		Inspector:    s.inspector(),
		Evidence:     s.evidence(),
		Assumptions:  s.assumptions(),
		Limits:       s.limits(),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if err := p.keep(viewResult, &meta, nil); err != nil {
		return nil, err
	}
	var err error
	if p.Sections, err = s.sections(s.iterations, s.acceptance, s.balance, s.time, s.timeline, s.use, s.state, s.parity); err != nil {
		return nil, err
	}
	return p.render()
}

// speculativeReport holds what several parts of the page need.
type speculativeReport struct {
	SpeculativeResult
	meta Meta
	rows int
	m    *trace.SpeculativeMetrics
}

// family is the family's name, with its support when that is no release.
func (s *speculativeReport) family() string {
	if s.Workload.Contract.Support == workload.SupportDesignOnly {
		return string(s.Workload.Contract.Family) + " (design-only)"
	}
	return string(s.Workload.Contract.Family)
}

func (s *speculativeReport) title() string {
	command := s.meta.Command
	if command == "" {
		command = "speculative"
	}
	title := command + " · " + s.family() + ", width " + strconv.FormatInt(s.Workload.Config.MaxAdditionalTokens, 10)
	if s.Run != nil {
		title += " · " + s.Run.Scenario.ID()
	}
	return title
}

func (s *speculativeReport) confidence() evidence.Class {
	switch {
	case s.Run != nil:
		return s.Run.Confidence
	case s.Workload.Config.Acceptance.Kind == workload.AcceptReplay:
		return evidence.Exact
	}
	return evidence.Heuristic
}

// verdict is parity first, where there is evidence of tokens, then the main number.
func (s *speculativeReport) verdict() string {
	v := fmt.Sprintf("%s target forwards commit %s tokens, %s each.", unit.Count(s.m.Iterations), unit.Count(s.m.CommittedTokens),
		unit.Number(s.m.CommittedTokensPerTargetForward))
	if s.Tokens != nil {
		v = s.parityText() + " " + v
	}
	if s.Speculation != nil {
		v += fmt.Sprintf(" On %s that is %s × the modeled speed of target-only decoding.", s.Run.Scenario.ID(), unit.Number(s.Speculation.SpeedupVersusTargetOnly))
	}
	return v
}

func (s *speculativeReport) parityText() string {
	d := &s.Tokens.Differential
	if d.MatchesTargetOnly() {
		return fmt.Sprintf("All %s compared tokens equal the target-only run.", unit.Count(d.ComparedTokens))
	}
	return fmt.Sprintf("The outputs differ from the target-only run: first at output %s, expected token %d, found %d.",
		unit.Count(d.Mismatch.OutputIndex), d.Mismatch.Expected, d.Mismatch.Actual)
}

func (s *speculativeReport) cards() []card {
	m := s.m
	share := func(part, whole int64) string { return unit.Percent(float64(part) / math.Max(1, float64(whole))) }
	cards := []card{
		{"Committed tokens per target forward", unit.Number(m.CommittedTokensPerTargetForward), "", "the ceiling of any speedup"},
		{"Accepted of proposed", unit.Count(m.AcceptedAdditionalTokens) + " of " + unit.Count(m.ProposedAdditionalTokens), "tokens",
			share(m.AcceptedAdditionalTokens, m.ProposedAdditionalTokens) + " of the proposer's drafts"},
		{"Corrections, bonuses, tails", fmt.Sprintf("%s, %s, %s", unit.Count(m.CorrectionTokens), unit.Count(m.BonusTokens), unit.Count(m.AcceptedTailIterations)), "",
			unit.Plural(m.TargetOnlyTokens, "target-only step")},
		{"Rejected", unit.Count(m.RejectedDraftTokens), "tokens", share(m.RejectedDraftTokens, m.ProposedDraftTokens) + " of the full proposals"},
		{"KV high water", unit.Count(m.TargetKVHighWaterTokens), "tokens", "target; proposer " + unit.Count(m.ProposerKVHighWaterTokens) + " tokens"},
	}
	if s.Speculation != nil {
		cards = append(cards,
			card{"Modeled speedup", unit.Number(s.Speculation.SpeedupVersusTargetOnly), "×", "target-only " + dur(s.Speculation.TargetOnlyDurationNs)},
			card{"Modeled duration", dur(s.Run.Metrics.TotalDurationNs), "", unit.Number(s.Run.Metrics.TokensPerSecond) + " tokens/s"})
	}
	return cards
}

// inspector lists the last iterations, newest first.
func (s *speculativeReport) inspector() *table {
	its := s.Workload.Trace.Iterations
	n := min(inspectorEntries, len(its))
	t := &table{Total: n, Caption: fmt.Sprintf("The last %s, newest first", unit.Plural(int64(n), "iteration")),
		Columns: []figure.Column{{Name: "iteration", Numeric: true}, {Name: "accepted of proposed", Numeric: true}, {Name: "outcome"}, {Name: "committed", Numeric: true}}}
	for i := len(its) - 1; i >= len(its)-n; i-- {
		it := &its[i]
		t.Head = append(t.Head, []string{unit.Count(int64(i)), fmt.Sprintf("%d of %d", it.AcceptedAdditional, it.ProposedAdditional),
			it.Outcome.String(), unit.Count(it.CommittedTokens())})
	}
	return t
}

// with adds figures to a section.
func (s *speculativeReport) with(sec section, half bool, figures ...figure.Figure) (section, error) {
	for _, f := range figures {
		p, err := draw(f, half, s.rows)
		if err != nil {
			return sec, err
		}
		sec.Figures = append(sec.Figures, p)
	}
	return sec, nil
}

func (s *speculativeReport) iterations() (section, error) {
	f := figure.Iterations(s.Workload)
	if s.Speculation != nil {
		f = figure.IterationsOn(s.Workload, s.Run, s.Speculation)
	}
	return s.with(section{ID: "iterations", Question: "What became of every proposal?", Answer: f.Text().Alt}, false, f)
}

func (s *speculativeReport) acceptance() (section, error) {
	f := figure.Acceptance(s.Workload)
	return s.with(section{ID: "acceptance", Question: "How far can the proposer be trusted?", Answer: f.Text().Alt}, true, f, figure.AcceptedPrefix(s.Workload))
}

// balance adds up what was committed and what was wasted.
func (s *speculativeReport) balance() (section, error) {
	m := s.m
	sec := section{ID: "balance", Question: "What was committed, and what was wasted?"}
	sec.Answer = fmt.Sprintf("Of %s committed tokens %s come from accepted drafts, %s are guaranteed, %s come from corrections, %s from bonuses and %s from target-only steps; the drafts thrown away are %s.",
		unit.Count(m.CommittedTokens), unit.Count(m.AcceptedAdditionalTokens), unit.Count(m.GuaranteedTargetTokens), unit.Count(m.CorrectionTokens),
		unit.Count(m.BonusTokens), unit.Count(m.TargetOnlyTokens), unit.Count(m.RejectedDraftTokens))
	rows := int64(0)
	for i := range s.Workload.Trace.Iterations {
		rows += s.Workload.Trace.Iterations[i].TargetTokenWidth()
	}
	line := func(what string, tokens int64) []string {
		return []string{what, unit.Count(tokens), unit.Percent(float64(tokens) / math.Max(1, float64(rows)))}
	}
	unused := m.AcceptedTailIterations
	sec.Tables = []table{{
		Caption: "Rows of all target forwards", Open: true,
		Columns: []figure.Column{{Name: "rows"}, {Name: "tokens", Numeric: true}, {Name: "share of all rows", Numeric: true}},
		Head: [][]string{line("guaranteed target tokens, committed", m.GuaranteedTargetTokens), line("accepted drafts, committed", m.AcceptedAdditionalTokens),
			line("corrections, committed", m.CorrectionTokens), line("bonuses, committed", m.BonusTokens), line("target-only, committed", m.TargetOnlyTokens),
			line("rejected drafts, wasted", m.RejectedDraftTokens), line("bonus rows of accepted tails, computed and not used", unused)},
		Total: 7,
	}}
	return sec, nil
}

// time splits the modeled time; only with a machine.
func (s *speculativeReport) time() (section, error) {
	x := s.Speculation
	if x == nil {
		return section{}, nil
	}
	sec := section{ID: "time", Question: "Where did the time go, and what did it buy?"}
	sec.Answer = fmt.Sprintf("Of the modeled service time %s is proposing and %s verification; %s of it worked on what was rejected. Target-only decoding of as many tokens lasts %s, %s × as long.",
		dur(x.ProposerNs), dur(x.VerificationNs), dur(x.RejectedProposerNs+x.RejectedComputeNs+x.RejectedCommunicationNs),
		dur(x.TargetOnlyDurationNs), unit.Number(x.SpeedupVersusTargetOnly))
	total := math.Max(1, float64(x.ProposerNs+x.VerificationNs))
	line := func(what string, ns int64, note string) []string {
		return []string{what, dur(ns), unit.Percent(float64(ns) / total), note}
	}
	sec.Tables = []table{{
		Caption: "Service time by part", Open: true,
		Columns: []figure.Column{{Name: "part"}, {Name: "time", Numeric: true}, {Name: "share of service", Numeric: true}, {Name: "note"}},
		Head: [][]string{line("proposing", x.ProposerNs, ""), line("verification", x.VerificationNs, "compute, transfers and collectives"),
			line("rollback", x.RollbackNs, "heuristic coefficients, reported and not part of any duration"),
			line("rejected proposing", x.RejectedProposerNs, "part of proposing"), line("rejected compute", x.RejectedComputeNs, "part of verification"),
			line("rejected communication", x.RejectedCommunicationNs, "part of verification")},
		Total: 6,
	}}
	return sec, nil
}

// state shows the state groups and the pages.
func (s *speculativeReport) state() (section, error) {
	m, t := s.m, &s.Workload.Trace
	sec := section{ID: "state", Question: "What state was kept, and what was rolled back?"}
	o := &m.RollbackOperations
	sec.Answer = fmt.Sprintf("Rollbacks: %s by cursor alone, %s from a snapshot, %s of page tables, %s resets of proposal-local state; nothing was recomputed.",
		unit.Count(o.CursorOnly), unit.Count(o.SnapshotRestore), unit.Count(o.PagedTableMutation), unit.Count(o.SidecarReset))
	if t.PagedKV != nil {
		sec.Answer += fmt.Sprintf(" Paged KV peaks at %s and ends at %s.", unit.Bytes(float64(m.KVHighWaterReservedBytes)), unit.Bytes(float64(m.KVFinalReservedBytes)))
	}
	groups := figure.Table{
		Columns: []figure.Column{{Name: "group"}, {Name: "owner"}, {Name: "lifetime"}, {Name: "length", Unit: "tokens", Numeric: true},
			{Name: "high water", Unit: "tokens", Numeric: true}, {Name: "capacity", Unit: "tokens", Numeric: true}},
		Len: len(t.Groups),
		Row: func(i int) []string {
			g := &t.Groups[i]
			return []string{g.ID, string(g.Owner), string(g.Lifetime), strconv.FormatInt(g.LogicalLength, 10),
				strconv.FormatInt(g.HighWaterLength, 10), strconv.FormatInt(g.CapacityTokens, 10)}
		},
	}
	list := cut("State groups at the end", groups, s.rows)
	list.Open = true
	sec.Tables = []table{list}
	return sec, nil
}

// parity shows the comparison with the target-only run; only with token evidence.
func (s *speculativeReport) parity() (section, error) {
	if s.Tokens == nil {
		return section{}, nil
	}
	p := &s.Tokens.Trace.Provenance
	sec := section{ID: "parity", Question: "Does it say what the target alone would say?", Answer: s.parityText()}
	sec.Tables = []table{{
		Caption: "Identity of the two runs", Open: true,
		Columns: []figure.Column{{Name: "what"}, {Name: "identity"}},
		Head: [][]string{{"token trace", s.Tokens.Trace.ID}, {"target-only run", p.TargetOnlyRunID}, {"speculative run", p.SpeculativeRunID},
			{"source", p.Source}, {"runtime", p.RuntimeRevision}, {"target model", p.ModelFingerprint}, {"proposer", p.ProposerFingerprint},
			{"tokenizer", p.TokenizerFingerprint}, {"generation configuration", p.GenerationConfigFingerprint}},
		Total: 9,
	}}
	sec.Note = "Parity proves selected tokens and logical state of the captured configuration. It proves nothing about logits, sampling distributions, kernels or physical cache bytes."
	return sec, nil
}

func (s *speculativeReport) evidence() []fact {
	a := &s.Workload.Config.Acceptance
	acceptance := string(a.Kind)
	if a.Kind != workload.AcceptReplay {
		acceptance += ", seed " + strconv.FormatInt(a.Seed, 10)
	}
	facts := []fact{
		{Label: "Confidence", Value: string(s.confidence()) + ": the weakest input decides; modeled timing is never exact"},
		{Label: "Replay", Value: fmt.Sprintf("verified: an independent checker derived %s, every state group, every metric and %s again",
			unit.Plural(s.Workload.Replayed.Iterations, "iteration"), unit.Plural(s.Workload.Replayed.PagedKVEvents, "page event"))},
		{Label: "Acceptance", Value: acceptance},
		{Label: "Support", Value: string(s.Workload.Contract.Support)},
		{Label: "Contract revisions", Value: fmt.Sprintf("proposerFamily %d, speculativeIteration %d", workload.FamilyContractRevision, trace.SpeculativeIterationRevision)},
		{Label: "Input fingerprint", Value: orUnknown(s.meta.InputFingerprint), Code: true},
		{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(s.meta)), Code: true},
	}
	if s.Run != nil {
		facts = append(facts, fact{Label: "Scenario fingerprint", Value: s.Run.Scenario.Fingerprint(), Code: true})
	}
	return facts
}

func (s *speculativeReport) assumptions() []string {
	list := []string{"What is committed is decided by the first mismatch and by the target alone; no rate ever commits a draft."}
	switch s.Workload.Config.Acceptance.Kind {
	case workload.AcceptReplay:
		list = append(list, "Accepted lengths are replayed evidence.")
	case workload.AcceptEmpirical:
		list = append(list, "Accepted lengths are drawn from a declared, measured distribution by draft position.")
	default:
		list = append(list, "Accepted lengths are drawn from an assumed distribution by draft position.")
	}
	if s.Run != nil {
		list = append(list, s.Run.Assumptions...)
	}
	return list
}

func (s *speculativeReport) limits() []string {
	list := []string{"Token values, logits and sampling are outside the model: acceptance is a count."}
	if s.Run == nil {
		list = append(list, "No machine takes part: nothing is said about time.")
	}
	if s.Workload.Contract.Support == workload.SupportDesignOnly {
		list = append(list, "This proposer family is a design; no released runtime has it.")
	}
	return list
}

// gainCard is the headline of what speculation bought, beside what was declared and
// what bounds it.
func gainCard(g *serving.Gain) card {
	context := "ceiling " + unit.Number(g.CommittedTokensPerTargetForward) + " tokens a forward"
	if g.HasFirstPositionAcceptance {
		context += ", declared acceptance " + unit.Percent(g.FirstPositionAcceptance)
	}
	return card{"Predicted speedup over target-only", unit.Number(g.Speedup), "×", context}
}

// speculationSection is the section about the proposer (contract 09, V10).
// Target-only runs have none: its ID is then empty.
func (s *servingReport) speculationSection() (section, error) {
	r, rows := s.run, s.rows
	if r.Speculation == nil {
		return section{}, nil
	}
	sec := section{ID: "speculation", Question: "What did speculation buy?"}
	m := &r.Metrics
	sec.Answer = fmt.Sprintf("Decode steps commit %s tokens a target forward; %s of %s drafted tokens are accepted and %s of the full proposals thrown away.",
		unit.Number(m.CommittedTokensPerTargetForward), unit.Count(m.AcceptedAdditionalTokens), unit.Count(m.ProposedAdditionalTokens), unit.Count(m.RejectedDraftTokens))
	if r.Gain != nil {
		sec.Answer = fmt.Sprintf("Throughput is %s × that of target-only decoding. ", unit.Number(r.Gain.Speedup)) + sec.Answer
		sec.Tables = []table{gainTable(r.Gain)}
	}
	for i, f := range []figure.Figure{figure.ServedIterations(r), figure.ServedAcceptance(r), figure.ServedPrefix(r)} {
		p, err := draw(f, i > 0, rows)
		if err != nil {
			return sec, err
		}
		sec.Figures = append(sec.Figures, p)
	}
	return sec, nil
}

// gainTable puts measured gain, ceiling and declared inputs side by side.
func gainTable(g *serving.Gain) table {
	declared := func(v float64, has bool) string {
		if has {
			return unit.Number(v)
		}
		return "not declared"
	}
	t := table{
		Caption: "Gain over target-only decoding of the same requests", Open: true,
		Columns: []figure.Column{{Name: "what"}, {Name: "value", Numeric: true}},
		Head: [][]string{{"target-only throughput", unit.Number(g.BaselineTokensPerSecond) + " tokens/s"},
			{"speculative throughput", unit.Number(g.SpeculativeTokensPerSecond) + " tokens/s"},
			{"speedup", unit.Number(g.Speedup) + " ×"}, {"ceiling: committed tokens per target forward", unit.Number(g.CommittedTokensPerTargetForward)},
			{"declared acceptance of the first position", declared(g.FirstPositionAcceptance, g.HasFirstPositionAcceptance)},
			{"declared decay from position to position", declared(g.AcceptanceDecay, g.HasAcceptanceDecay)}},
	}
	t.Total = len(t.Head)
	return t
}
