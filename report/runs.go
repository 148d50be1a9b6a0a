package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// ErrReference reports a reference that is none of the runs.
var ErrReference = errors.New("report: the reference is none of the runs")

// maxRuns is how many runs a page compares.
const maxRuns = 24

// Runs makes the page of a comparison of any serving runs (contract 09, V14): the
// differences of their inputs key by key, every run against the reference, the
// distributions on shared axes, the choice between throughput and latency and,
// where two runs served the same workload, their requests in pairs; at the end the
// views of the reference. Runs are ranked only when all served the same workload.
//
// reference is an index. One document gives the page of Serving. Errors are
// ErrNoComparison, ErrReference and those of drawing.
func Runs(docs []Document, reference int, meta Meta) ([]byte, error) {
	if len(docs) == 0 || len(docs) > maxRuns {
		return nil, ErrNoComparison
	}
	if reference < 0 || reference >= len(docs) {
		return nil, ErrReference
	}
	docs = slices.Clone(docs)
	for i := range docs {
		d := &docs[i]
		if d.Run == nil || d.Run.Trace == nil || d.Run.Scenario == nil || len(d.Run.Requests) == 0 {
			return nil, ErrNoComparison
		}
		if err := d.settle(); err != nil {
			return nil, err
		}
	}
	label(docs)
	bound := meta.MaxBytes
	if bound <= 0 {
		bound = DefaultMaxBytes
	}
	out, err := runsPage(docs, reference, meta, tableRows, true)
	if err == nil && len(out) > bound {
		out, err = runsPage(docs, reference, meta, tableRows, false)
	}
	if err == nil && len(out) > bound {
		out, err = runsPage(docs, reference, meta, fallbackRows, false)
	}
	return out, err
}

// label gives every document a name of its own.
func label(docs []Document) {
	seen := make(map[string]int)
	for i := range docs {
		d := &docs[i]
		if d.Name == "" {
			d.Name = d.Run.Scenario.ID()
		}
		seen[d.Name]++
		if n := seen[d.Name]; n > 1 {
			d.Name += " (" + strconv.Itoa(n) + ")"
		}
	}
}

// runsReport holds what several parts of the page need.
type runsReport struct {
	docs      []Document
	reference int
	meta      Meta
	rows      int
	inputs    []*inputTree
	same      bool // all served the same workload
	ref       servingReport
}

func runsPage(docs []Document, reference int, meta Meta, rows int, whole bool) ([]byte, error) {
	r := runsReport{docs: docs, reference: reference, meta: meta, rows: rows, same: true}
	ref := docs[reference].Run
	for i := range docs {
		tree, err := inputsOf(docs[i].Run)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", docs[i].Name, err)
		}
		r.inputs = append(r.inputs, tree)
		r.same = r.same && sameWorkload(docs[i].Run, ref)
	}
	r.ref = servingReport{run: ref, meta: meta, rows: rows, kv: figure.KV(ref), use: figure.Utilization(ref), flow: flowOf(ref, &meta)}
	p := &page{
		Title:        strings.Join([]string{"comparison", unit.Plural(int64(len(docs)), "run"), r.workload()}, " · "),
		Verdict:      r.verdict(),
		Confidence:   r.confidence(),
		Replay:       r.replay(),
		Cards:        r.cards(),
		Inspector:    r.listed(),
		Evidence:     r.evidence(),
		Assumptions:  ref.Assumptions,
		Limits:       append([]string{"Only the runs listed here were compared: the first of them is the best of these, not the best possible.", "The assumptions are those of the reference, " + docs[reference].Name + "."}, r.ref.limits()...),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if err := r.embed(p, whole); err != nil {
		return nil, err
	}
	sections := []func() (section, error){r.differences, r.ranking, r.deltas, r.distributions, r.pairs, r.tradeoff, r.multiples,
		r.ref.latencySection, r.ref.requestSection, r.ref.batchSection, r.ref.kvSection, r.ref.resourceSection,
		r.ref.linkSection, r.ref.machineSection, r.ref.capacitySection}
	const own = 7 // sections of the comparison itself
	for i, build := range sections {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		if sec.ID == "" {
			continue
		}
		if i >= own {
			sec.Question += " (" + docs[reference].Name + ")"
		}
		p.Sections = append(p.Sections, sec)
	}
	return p.render()
}

// embed puts the results into the page, all of them or none.
func (r *runsReport) embed(p *page, whole bool) error {
	from := source{View: viewRuns, Meta: r.meta, Reference: r.reference}
	var total compactSize
	for i := range r.docs {
		whole = whole && r.docs[i].Text != nil
		total.add(r.docs[i].Text)
	}
	whole = whole && total.bytes <= MaxResultBytes
	for i := range r.docs {
		d := &r.docs[i]
		one := result{Name: safeName(d.Name), Fingerprint: d.Fingerprint, Reason: "The results are too large for this page: that of " + d.Name + " is left out. The page is drawn again from the result documents, not from itself;"}
		if whole {
			one = embed(safeName(d.Name)+".json", d.Text)
			from.Results = append(from.Results, sourceResult{d.Name, one.Fingerprint})
		}
		if i == 0 {
			p.Result = one
		} else {
			p.More = append(p.More, one)
		}
	}
	var err error
	p.Source, err = from.packed()
	return err
}

// sameWorkload reports whether two runs served the same requests.
func sameWorkload(a, b *serving.Run) bool {
	return slices.Equal(a.Config.Requests, b.Config.Requests)
}

func (r *runsReport) workload() string {
	if r.same {
		return "identical workload"
	}
	return "different workloads"
}

func (r *runsReport) runs() (out []*serving.Run) {
	for i := range r.docs {
		out = append(out, r.docs[i].Run)
	}
	return out
}

func (r *runsReport) confidence() evidence.Class {
	weakest := evidence.Exact
	for i := range r.docs {
		weakest = evidence.Weakest(weakest, r.docs[i].Run.Confidence)
	}
	return weakest
}

// order lists the runs by duration, shortest first, then as they were given.
func (r *runsReport) order() []int {
	order := make([]int, len(r.docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := r.docs[a].Run.Metrics.TotalDurationNs, r.docs[b].Run.Metrics.TotalDurationNs
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return order
}

// verdict names the first run with the numbers that put it there, or says why none
// is first.
func (r *runsReport) verdict() string {
	if !r.same {
		return fmt.Sprintf("%s served different workloads, so they are shown beside each other and not ranked. The reference, %s, serves %s at %s output tokens/s.",
			unit.Plural(int64(len(r.docs)), "run"), r.docs[r.reference].Name, unit.Plural(r.ref.run.Metrics.Requests, "request"), unit.Number(r.ref.run.Metrics.ThroughputTokensPerSecond))
	}
	order := r.order()
	first := &r.docs[order[0]]
	v := fmt.Sprintf("%s serves the %s first, in a modeled %s at %s output tokens/s", first.Name, unit.Plural(first.Run.Metrics.Requests, "request"),
		dur(first.Run.Metrics.TotalDurationNs), unit.Number(first.Run.Metrics.ThroughputTokensPerSecond))
	if len(order) > 1 {
		second := &r.docs[order[1]]
		if d := second.Run.Metrics.TotalDurationNs - first.Run.Metrics.TotalDurationNs; d == 0 {
			v += ", as long as " + second.Name
		} else {
			v += fmt.Sprintf(", %s less than %s", dur(d), second.Name)
		}
		v += fmt.Sprintf("; p95 TTFT %s against %s", dur(first.Run.Metrics.P95TimeToFirstTokenNs), dur(second.Run.Metrics.P95TimeToFirstTokenNs))
	}
	return v + "."
}

func (r *runsReport) replay() string {
	var events int64
	for i := range r.docs {
		one := servingReport{run: r.docs[i].Run}
		if one.replay() == "replay not verified" {
			return "replay not verified for " + r.docs[i].Name
		}
		events += r.docs[i].Run.Replay.AppliedEvents
	}
	return "all replays verified, " + unit.Plural(events, "event")
}

// cards name the best run in each quantity.
func (r *runsReport) cards() []card { return bestCards(quantities, r.compared()) }

// compared are the runs as they were given.
func (r *runsReport) compared() (list []compared[*serving.Run]) {
	for i := range r.docs {
		list = append(list, compared[*serving.Run]{r.docs[i].Name, r.docs[i].Run, r.docs[i].Run.Confidence})
	}
	return list
}

// listed shows the runs with the numbers behind their order.
func (r *runsReport) listed() *table {
	t := &table{Caption: "The runs in numbers", Open: true, Total: len(r.docs),
		Columns: []figure.Column{{Name: "run"}, {Name: "scenario"}, {Name: "duration", Numeric: true},
			{Name: "throughput", Numeric: true}, {Name: "p95 TTFT", Numeric: true}, {Name: "p95 ITL", Numeric: true}, {Name: "confidence"}}}
	order := r.order()
	if !r.same {
		slices.Sort(order)
	}
	for _, i := range order {
		run := r.docs[i].Run
		m := &run.Metrics
		t.Head = append(t.Head, []string{r.docs[i].Name, run.Scenario.ID(), dur(m.TotalDurationNs), unit.Number(m.ThroughputTokensPerSecond) + " tokens/s",
			dur(m.P95TimeToFirstTokenNs), dur(m.P95InterTokenLatencyNs), string(run.Confidence)})
	}
	return t
}

// differences lists what differs between the inputs, key by key.
func (r *runsReport) differences() (section, error) {
	sec := section{ID: "differences", Question: "What is equal, and what differs?"}
	keys, equal := differing(r.inputs)
	held := []string{}
	for _, part := range []struct{ name, prefix string }{{"the machine", "scenario."}, {"the scheduler's settings", "serving."}, {"the cost model", "costModel."}, {"the proposer", "speculation."}} {
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k+".", part.prefix) }) && r.inputs[0].has(part.prefix) {
			held = append(held, part.name)
		}
	}
	if r.same {
		held = append([]string{"the " + unit.Plural(int64(len(r.ref.run.Config.Requests)), "request") + " with arrivals, lengths and priorities"}, held...)
	}
	sec.Answer = fmt.Sprintf("%s of the inputs differ, %s are equal.", unit.Plural(int64(len(keys)), "key"), unit.Count(int64(equal)))
	if len(held) > 0 {
		sec.Answer += " Held equal: " + strings.Join(held, ", ") + "."
	}
	if len(keys) == 0 {
		sec.Note = "The inputs of the runs do not differ."
		return sec, nil
	}
	columns := []figure.Column{{Name: "key"}}
	for i := range r.docs {
		columns = append(columns, figure.Column{Name: r.docs[i].Name})
	}
	t := cut("What differs between the inputs", figure.Table{Columns: columns, Len: len(keys), Row: func(k int) []string {
		row := []string{keys[k]}
		for _, in := range r.inputs {
			row = append(row, in.value(keys[k]))
		}
		return row
	}}, r.rows)
	t.Open = len(keys) <= 40
	names, machines := make([]string, len(r.docs)), make([]*topology.Scenario, len(r.docs))
	for i := range r.docs {
		names[i], machines[i] = r.docs[i].Name, r.docs[i].Run.Scenario
	}
	if short := machineTable(names, machines); short.Total > 0 {
		sec.Tables = append(sec.Tables, short)
	}
	t.Caption = "Every key of the inputs that differs"
	sec.Tables = append(sec.Tables, t)
	return sec, nil
}

// ranking shows the ranked quantity, where runs may be ranked.
func (r *runsReport) ranking() (section, error) {
	sec := section{ID: "ranking", Question: "Which run is fastest, and by how much?"}
	if !r.same {
		sec.Answer, sec.Note = "None is named fastest.", "Not ranked: the runs served different workloads."
		return sec, nil
	}
	f := figure.Ranking{Source: figure.Source{Run: unit.Plural(int64(len(r.docs)), "run"), Confidence: r.confidence()},
		Quantity: "Modeled duration, first arrival to last completion", Unit: "ns"}
	for _, i := range r.order() {
		f.Rows = append(f.Rows, figure.Ranked{Label: r.docs[i].Name, Value: float64(r.docs[i].Run.Metrics.TotalDurationNs), Confidence: r.docs[i].Run.Confidence})
	}
	sec.Answer, sec.Note = f.Text().Alt, f.Text().Caption
	return r.ref.with(sec, false, f)
}

// deltas compares every run with the reference, absolute and relative.
func (r *runsReport) deltas() (section, error) {
	ref := &r.docs[r.reference]
	sec := section{ID: "deltas", Question: "How far is each run from the reference?",
		Answer: fmt.Sprintf("The reference is %s. Every figure is modeled; each run has its own confidence, and a difference is no more certain than the weaker of the two.", ref.Name)}
	t := deltaTable(quantities, r.compared(), r.reference)
	t.Columns = append(t.Columns, figure.Column{Name: "result"})
	for i := range t.Head {
		t.Head[i] = append(t.Head[i], r.docs[i].Fingerprint)
	}
	sec.Tables = []table{t}
	return sec, nil
}

// distributions overlays the waiting times.
func (r *runsReport) distributions() (section, error) {
	ttft, itl := figure.CompareTTFT(r.runs()), figure.CompareITL(r.runs())
	for i := range r.docs {
		ttft.Runs[i].Run, itl.Runs[i].Run = r.docs[i].Name, r.docs[i].Name
	}
	sec := section{ID: "distributions", Question: "How do waiting times compare?", Answer: ttft.Text().Alt + " " + itl.Text().Alt}
	return r.ref.with(sec, true, ttft, itl)
}

// pairs sets the requests of every run with the reference's workload against the
// reference's.
func (r *runsReport) pairs() (section, error) {
	sec := section{ID: "pairs", Question: "Is a run better for every request, or only for some?"}
	var figures []figure.Figure
	var words, apart []string
	ref := &r.docs[r.reference]
	for i := range r.docs {
		switch {
		case i == r.reference:
		case !sameWorkload(r.docs[i].Run, ref.Run):
			apart = append(apart, r.docs[i].Name)
		default:
			f := figure.PairTTFT(ref.Run, r.docs[i].Run, ref.Name, r.docs[i].Name)
			figures, words = append(figures, f), append(words, f.Text().Alt)
		}
	}
	sec.Answer = strings.Join(words, " ")
	if len(apart) > 0 {
		sec.Note = "Not paired, because the workload is another: " + strings.Join(apart, ", ") + "."
	}
	if len(r.docs) == 1 {
		return section{}, nil
	}
	return r.ref.with(sec, true, figures...)
}

func (r *runsReport) tradeoff() (section, error) {
	f := figure.CompareTradeoff(r.runs())
	for i := range r.docs {
		f.Points[i].Label = r.docs[i].Name
	}
	sec := section{ID: "tradeoff", Question: "Is it a choice between throughput and latency?", Answer: f.Text().Alt}
	return r.ref.with(sec, true, f)
}

// multiples shows the utilisation of every run on the same axis.
func (r *runsReport) multiples() (section, error) {
	sec := section{ID: "multiples", Question: "What was each machine busy with?", Answer: "Predicted utilisation of every run, all on the axis from 0 to 100 %."}
	for i := range r.docs {
		use := figure.Utilization(r.docs[i].Run)
		use.Top = 5
		var err error
		if sec, err = r.ref.with(sec, true, use); err != nil {
			return sec, err
		}
		words := &sec.Figures[len(sec.Figures)-1].Text
		words.Title = r.docs[i].Name + ": " + words.Title
	}
	return sec, nil
}

func (r *runsReport) evidence() []fact {
	facts := []fact{{Label: "Confidence", Value: string(r.confidence()) + ": the weakest of all runs"}, {Label: "Replay", Value: r.replay()}}
	for i := range r.docs {
		run := r.docs[i].Run
		facts = append(facts, fact{Label: r.docs[i].Name, Value: fmt.Sprintf("result %s, scenario %s %s, %s timing", r.docs[i].Fingerprint, run.Scenario.ID(), run.Scenario.Fingerprint(), run.Confidence)})
	}
	return facts
}
