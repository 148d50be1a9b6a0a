package report

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// ErrNoComparison reports that there is nothing to compare.
var ErrNoComparison = errors.New("report: the comparison is nil, empty, or has a run without trace or scenario")

// ServingComparison makes the page of one serving configuration on several
// machines: what differs between them, the ranking with the numbers behind it, the
// distributions on shared axes, the choice between throughput and latency, and then
// the views of the fastest run (contract 09, V14).
func ServingComparison(c *serving.Comparison, meta Meta) ([]byte, error) {
	return comparisonWith(c, nil, meta)
}

// comparisonWith makes the page of a comparison whose runs may have expert caches.
func comparisonWith(c *serving.Comparison, caches *comparedCaches, meta Meta) ([]byte, error) {
	if c == nil || len(c.Entries) == 0 {
		return nil, ErrNoComparison
	}
	for _, e := range c.Entries {
		if e.Run == nil || e.Run.Trace == nil || e.Run.Scenario == nil || len(e.Run.Requests) == 0 {
			return nil, ErrNoComparison
		}
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return comparisonPage(c, caches, meta, rows) })
}

// comparisonReport holds what several parts of the page need.
type comparisonReport struct {
	c    *serving.Comparison
	runs []*serving.Run
	meta Meta
	best servingReport // the fastest run
}

func comparisonPage(c *serving.Comparison, caches *comparedCaches, meta Meta, rows int) ([]byte, error) {
	r := comparisonReport{c: c, meta: meta}
	for _, e := range c.Entries {
		r.runs = append(r.runs, e.Run)
	}
	fastest := r.runs[0]
	r.best = servingReport{run: fastest, meta: meta, rows: rows, kv: figure.KV(fastest),
		use: figure.Utilization(fastest), flow: flowOf(fastest, &meta)}
	p := &page{
		Title:        r.title(),
		Verdict:      r.verdict(),
		Confidence:   c.Confidence,
		Replay:       r.replay(),
		Cards:        r.cards(),
		Inspector:    r.ranked(),
		Evidence:     r.evidence(),
		Assumptions:  c.Assumptions,
		Limits:       append([]string{"Only the machines listed here were compared: the first of them is the fastest of these, not the fastest possible."}, r.best.limits()...),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	fastestOnly := r.best.summary()
	fastestOnly.name = "summary-of-the-fastest-run.json"
	if err := p.keep(viewResult, &meta, fastestOnly); err != nil {
		return nil, err
	}
	sections := []func() (section, error){r.differences, r.ranking, r.distributions, r.tradeoff, r.multiples,
		r.best.latencySection, r.best.requestSection, r.best.batchSection, r.best.kvSection, r.best.resourceSection,
		r.best.linkSection, r.best.machineSection, r.best.capacitySection}
	for i, build := range sections {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		if i >= 5 {
			sec.Question += " (" + fastest.Scenario.ID() + ")"
		}
		p.Sections = append(p.Sections, sec)
	}
	if caches != nil {
		if err := caches.join(p, fastest.Scenario.ID(), rows); err != nil {
			return nil, err
		}
	}
	return p.render()
}

func (r *comparisonReport) title() string {
	command := r.meta.Command
	if command == "" {
		command = "serving-compare"
	}
	model := r.meta.ModelName
	if model == "" {
		model = "synthetic"
	}
	return strings.Join([]string{command, unit.Plural(int64(len(r.runs)), "machine"), "identical workload", model}, " · ")
}

// verdict names the fastest run with the numbers that put it there.
func (r *comparisonReport) verdict() string {
	first := r.runs[0]
	v := fmt.Sprintf("%s serves the %s first, in a modeled %s", first.Scenario.ID(),
		unit.Plural(first.Metrics.Requests, "request"), dur(first.Metrics.TotalDurationNs))
	if len(r.runs) > 1 {
		second := r.runs[1]
		if second.Metrics.TotalDurationNs == first.Metrics.TotalDurationNs {
			return v + fmt.Sprintf(", as long as %s; the order of equals is that of their ids.", second.Scenario.ID())
		}
		v += fmt.Sprintf(", %s less than %s", dur(second.Metrics.TotalDurationNs-first.Metrics.TotalDurationNs), second.Scenario.ID())
		if bound := first.Topology.IdleNs * 2; bound > first.Metrics.TotalDurationNs {
			v += fmt.Sprintf("; it is idle for %s of that, so arrivals decide as much as the machine",
				unit.Percent(float64(first.Topology.IdleNs)/float64(first.Metrics.TotalDurationNs)))
		}
	}
	return v + "."
}

func (r *comparisonReport) replay() string {
	var events int64
	for _, run := range r.runs {
		one := servingReport{run: run}
		if one.replay() == "replay not verified" {
			return "replay not verified for " + run.Scenario.ID()
		}
		events += run.Replay.AppliedEvents
	}
	return fmt.Sprintf("all replays verified, %s", unit.Plural(events, "event"))
}

// cards name the best run in each quantity.
func (r *comparisonReport) cards() []card { return bestCards(quantities, r.compared()) }

// compared are the runs by rank.
func (r *comparisonReport) compared() (list []compared[*serving.Run]) {
	for _, run := range r.runs {
		list = append(list, compared[*serving.Run]{run.Scenario.ID(), run, run.Confidence})
	}
	return list
}

// ranked lists the entries as the result ranks them.
func (r *comparisonReport) ranked() *table {
	t := &table{Caption: "The ranking in numbers", Open: true, Total: min(len(r.c.Entries), inspectorEntries),
		Columns: []figure.Column{{Name: "rank", Numeric: true}, {Name: "scenario"}, {Name: "duration", Numeric: true},
			{Name: "relative", Numeric: true}, {Name: "throughput", Numeric: true}, {Name: "p95 TTFT", Numeric: true}, {Name: "confidence"}}}
	for _, e := range r.c.Entries[:t.Total] {
		m := &e.Run.Metrics
		t.Head = append(t.Head, []string{strconv.FormatInt(e.Rank, 10), e.Run.Scenario.ID(), dur(m.TotalDurationNs),
			unit.Factor(e.RelativeToFastest), unit.Number(m.ThroughputTokensPerSecond) + " tokens/s", dur(m.P95TimeToFirstTokenNs), string(e.Run.Confidence)})
	}
	return t
}

// differences states what is held equal and lists what differs, key by key.
func (r *comparisonReport) differences() (section, error) {
	cfg := &r.runs[0].Config
	sec := section{ID: "differences", Question: "What is equal, and what differs?"}
	sec.Answer = fmt.Sprintf("Equal: the %s with their arrivals and lengths, batches of at most %s and %s tokens, prompt chunks of %s tokens, a KV pool of %s tokens, the cost model. Different: the machine.",
		unit.Plural(int64(len(cfg.Requests)), "request"), unit.Plural(cfg.MaxBatchSize, "sequence"), unit.Count(cfg.MaxBatchTokens),
		unit.Count(cfg.PrefillChunkTokens), unit.Count(cfg.MaxKVTokens))
	names, machines := make([]string, len(r.runs)), make([]*topology.Scenario, len(r.runs))
	for i, run := range r.runs {
		names[i], machines[i] = run.Scenario.ID(), run.Scenario
	}
	sec.addMachines(names, machines)
	return sec, nil
}

// addMachines adds what differs between machines, or that nothing does.
func (sec *section) addMachines(names []string, machines []*topology.Scenario) {
	if t := machineTable(names, machines); t.Total > 0 {
		sec.Tables = append(sec.Tables, t)
	} else {
		sec.Note = "The machines do not differ in anything listed here."
	}
}

// machineTable lists the facts in which machines differ, a column a machine.
func machineTable(names []string, machines []*topology.Scenario) table {
	columns := []figure.Column{{Name: "what"}}
	for _, name := range names {
		columns = append(columns, figure.Column{Name: name})
	}
	t := table{Caption: "What differs between the machines", Open: true, Columns: columns}
	for _, f := range machineFacts {
		row := []string{f.name}
		equal := true
		for _, s := range machines {
			row = append(row, f.of(s))
			equal = equal && row[len(row)-1] == row[1]
		}
		if !equal {
			t.Head = append(t.Head, row)
		}
	}
	t.Total = len(t.Head)
	return t
}

// machineFacts are the keys by which machines are told apart.
var machineFacts = []struct {
	name string
	of   func(*topology.Scenario) string
}{
	{"family", func(s *topology.Scenario) string { return string(s.Spec().Family) }},
	{"systems", func(s *topology.Scenario) string { return count(s, topology.SystemNode) }},
	{"devices", func(s *topology.Scenario) string { return count(s, topology.DeviceNode) }},
	{"memory domains", func(s *topology.Scenario) string { return count(s, topology.MemoryNode) }},
	{"network resources", func(s *topology.Scenario) string { return count(s, topology.NetworkNode) }},
	{"directed links", func(s *topology.Scenario) string { return strconv.Itoa(len(s.Spec().Links)) }},
	{"fastest memory", func(s *topology.Scenario) string {
		var most int64
		for i := range s.Spec().MemoryDomains {
			most = max(most, s.Spec().MemoryDomains[i].BandwidthBytesPerSec)
		}
		return unit.Rate(float64(most))
	}},
	{"device and unified memory", func(s *topology.Scenario) string {
		var sum int64
		for i := range s.Spec().MemoryDomains {
			if d := &s.Spec().MemoryDomains[i]; d.Kind == topology.DeviceMemory || d.Kind == topology.UnifiedMemory {
				sum += d.ResourceLimitBytes
			}
		}
		return unit.Bytes(float64(sum))
	}},
	{"tensor, pipeline, expert, data", func(s *topology.Scenario) string {
		p := s.Spec().Execution.Parallelism
		return fmt.Sprintf("%d, %d, %d, %d", p.Tensor, p.Pipeline, p.Expert, p.Data)
	}},
	{"weakest evidence", func(s *topology.Scenario) string { return string(s.PerformanceEvidence()) }},
	{"fingerprint", func(s *topology.Scenario) string { return s.Fingerprint() }},
}

func count(s *topology.Scenario, c topology.NodeCategory) string {
	n := 0
	for _, node := range s.Projection().Nodes {
		if node.Category == c {
			n++
		}
	}
	return strconv.Itoa(n)
}

// ranking shows the ranked quantity and every run's distance from the first.
func (r *comparisonReport) ranking() (section, error) {
	sec := section{ID: "ranking", Question: "Which machine is fastest, and by how much?"}
	f := figure.Ranking{Source: figure.Source{Run: unit.Plural(int64(len(r.runs)), "run"), Confidence: r.c.Confidence},
		Quantity: "Modeled duration, first arrival to last completion", Unit: "ns"}
	for _, run := range r.runs {
		f.Rows = append(f.Rows, figure.Ranked{Label: run.Scenario.ID(), Value: float64(run.Metrics.TotalDurationNs), Confidence: run.Confidence})
	}
	sec.Answer = f.Text().Alt
	sec.Note = f.Text().Caption // unequal confidence is said before the ranking, not only under it
	sec.Tables = []table{r.deltas()}
	return r.best.with(sec, false, f)
}

// deltas compares every run with the first, absolute and relative.
func (r *comparisonReport) deltas() table { return deltaTable(quantities, r.compared(), 0) }

func (r *comparisonReport) distributions() (section, error) {
	ttft, itl := figure.CompareTTFT(r.runs), figure.CompareITL(r.runs)
	sec := section{ID: "distributions", Question: "How do waiting times compare?", Answer: ttft.Text().Alt + " " + itl.Text().Alt}
	return r.best.with(sec, true, ttft, itl)
}

func (r *comparisonReport) tradeoff() (section, error) {
	f := figure.CompareTradeoff(r.runs)
	sec := section{ID: "tradeoff", Question: "Is it a choice between throughput and latency?", Answer: f.Text().Alt}
	return r.best.with(sec, true, f)
}

// multiples shows the utilisation of every run on the same axis.
func (r *comparisonReport) multiples() (section, error) {
	sec := section{ID: "multiples", Question: "What was each machine busy with?",
		Answer: "Predicted utilisation of every machine, all on the axis from 0 to 100 %."}
	for _, run := range r.runs {
		use := figure.Utilization(run)
		use.Top = 5
		var err error
		if sec, err = r.best.with(sec, true, use); err != nil {
			return sec, err
		}
		words := &sec.Figures[len(sec.Figures)-1].Text
		words.Title = run.Scenario.ID() + ": " + words.Title
	}
	return sec, nil
}

func (r *comparisonReport) evidence() []fact {
	facts := []fact{{Label: "Confidence", Value: string(r.c.Confidence) + ": the weakest of all runs"}, {Label: "Replay", Value: r.replay()}}
	for _, run := range r.runs {
		facts = append(facts, fact{Label: run.Scenario.ID(), Value: run.Scenario.Fingerprint(), Code: true})
	}
	return append(facts, fact{Label: "Contract revisions", Value: revisionsInWords(r.c.ContractRevisions)},
		fact{Label: "Input fingerprint", Value: orUnknown(r.meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(r.meta)), Code: true})
}
