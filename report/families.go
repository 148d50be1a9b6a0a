package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Comparison makes the page of one workload on several machines (contract 09, V14):
// what is equal and what differs, the ranking with the numbers that put every machine
// there, the use of all of them on one axis, and then the views of the fastest run. It
// refuses a comparison without traces with ErrNoComparison.
func Comparison(c *run.Comparison, meta Meta) ([]byte, error) {
	if c == nil || c.Model == nil || len(c.Results) == 0 || len(c.Results) != len(c.Entries) {
		return nil, ErrNoComparison
	}
	for _, r := range c.Results {
		if r == nil || r.Trace == nil || len(r.Trace.Operations) == 0 {
			return nil, ErrNoComparison
		}
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) {
		bars := pageBars
		if rows == fallbackRows {
			bars = fallbackBars
		}
		f := familiesReport{c: c, meta: meta, rows: rows, bars: bars, fastest: runStory(c.Results[0], meta)}
		return f.page()
	})
}

// familiesReport holds what several parts of the page need.
type familiesReport struct {
	c          *run.Comparison
	meta       Meta
	rows, bars int
	fastest    *planStory
}

func (f *familiesReport) page() ([]byte, error) {
	p := &page{
		Title: f.title(), Verdict: f.verdict(), Confidence: f.c.Confidence(), Replay: f.replay(),
		Cards: bestCards(planQuantities, f.compared()), Inspector: f.ranked(), Evidence: f.evidence(),
		Assumptions: f.c.Results[0].Assumptions, Limits: f.limits(),
		Reproduction: reproduction{CommandLine: f.meta.CommandLine, Inputs: f.meta.Inputs},
	}
	text, err := canonical.Pretty(f.summary())
	if err != nil {
		return nil, err
	}
	if err := p.keep(viewResult, &f.meta, &standIn{"summary.json", append(text, '\n')}); err != nil {
		return nil, err
	}
	for _, build := range []func() (section, error){f.differences, f.ranking, f.work, f.use} {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, sec)
	}
	for i := range f.fastest.sections {
		sec, err := f.fastest.sections[i].draw(f.rows, f.bars)
		if err != nil {
			return nil, err
		}
		sec.Question += " (" + f.c.Entries[0].ScenarioID + ")"
		p.Sections = append(p.Sections, sec)
	}
	return p.render()
}

func (f *familiesReport) title() string {
	command, model := f.meta.Command, f.fastest.meta.ModelName
	if command == "" {
		command = "compare"
	}
	if model == "" {
		model = "synthetic"
	}
	return strings.Join([]string{command, unit.Plural(int64(len(f.c.Entries)), "machine"), "identical workload", f.c.ProfileID, model}, " · ")
}

// verdict names the fastest machine with the numbers that put it there.
func (f *familiesReport) verdict() string {
	first := &f.c.Entries[0]
	v := fmt.Sprintf("%s finishes the workload first, in a modeled %s at %s tokens/s", first.ScenarioID, dur(first.DurationNs), unit.Number(first.TokensPerSecond))
	if len(f.c.Entries) == 1 {
		return v + "."
	}
	second := &f.c.Entries[1]
	if second.DurationNs == first.DurationNs {
		return v + fmt.Sprintf(", as long as %s; the order of equals is that of their ids.", second.ScenarioID)
	}
	last := &f.c.Entries[len(f.c.Entries)-1]
	return v + fmt.Sprintf(", %s less than %s; the slowest, %s, takes %s as long.", dur(second.DurationNs-first.DurationNs), second.ScenarioID,
		last.ScenarioID, unit.Factor(last.RelativeToFastest))
}

// events are what the replays applied: every operation and the terminal of each run.
func (f *familiesReport) events() (n int64) {
	for _, r := range f.c.Results {
		n += int64(len(r.Trace.Operations)) + 1
	}
	return n
}

func (f *familiesReport) replay() string {
	return "all replays verified, " + unit.Plural(f.events(), "event")
}

func (f *familiesReport) compared() (list []compared[*run.Result]) {
	for _, r := range f.c.Results {
		list = append(list, compared[*run.Result]{r.Scenario.ID(), r, r.Confidence})
	}
	return list
}

// ranked lists the entries as the result ranks them.
func (f *familiesReport) ranked() *table {
	t := &table{Caption: "The ranking in numbers", Open: true, Total: min(len(f.c.Entries), inspectorEntries),
		Columns: []figure.Column{{Name: "rank", Numeric: true}, {Name: "scenario"}, {Name: "duration", Numeric: true},
			{Name: "relative", Numeric: true}, {Name: "throughput", Numeric: true}, {Name: "confidence"}}}
	for i := range f.c.Entries[:t.Total] {
		e := &f.c.Entries[i]
		t.Head = append(t.Head, []string{strconv.FormatInt(e.Rank, 10), e.ScenarioID, dur(e.DurationNs), unit.Factor(e.RelativeToFastest),
			unit.Number(e.TokensPerSecond) + " tokens/s", string(e.Confidence)})
	}
	return t
}

// differences states what is held equal and lists what differs, machine by machine.
func (f *familiesReport) differences() (section, error) {
	sec := section{ID: "differences", Question: "What is equal, and what differs?"}
	sec.Answer = fmt.Sprintf("Equal: the workload %s, %s of it, and the cost model (%s). Different: the machine.", f.c.ProfileID,
		unit.Plural(f.c.Results[0].Metrics.CommittedTokens, "committed token"), strings.TrimSuffix(f.c.Model.Source, "."))
	if f.c.Results[0].Profile.ExpertPlacement != nil {
		sec.Answer += " Experts are partitioned for each machine, so their loads differ too."
	}
	var names []string
	var machines []*topology.Scenario
	for _, r := range f.c.Results {
		names, machines = append(names, r.Scenario.ID()), append(machines, r.Scenario)
	}
	sec.addMachines(names, machines)
	return sec, nil
}

// ranking shows the ranked quantity and every machine's distance from the first.
func (f *familiesReport) ranking() (section, error) {
	sec := section{ID: "ranking", Question: "Which machine is fastest, and by how much?"}
	r := f.durations()
	sec.Answer = r.Text().Alt
	sec.Note = r.Text().Caption // unequal confidence is said before the ranking, not only under it
	sec.Tables = []table{deltaTable(planQuantities, f.compared(), 0)}
	drawn, err := draw(r, false, f.rows)
	sec.Figures = []picture{drawn}
	return sec, err
}

// durations are the machines by the quantity that ranks them.
func (f *familiesReport) durations() figure.Ranking {
	r := figure.Ranking{Source: figure.Source{Run: unit.Plural(int64(len(f.c.Entries)), "run"), Confidence: f.c.Confidence()},
		Quantity: "Modeled duration of the whole plan", Unit: "ns"}
	for i := range f.c.Entries {
		e := &f.c.Entries[i]
		r.Rows = append(r.Rows, figure.Ranked{Label: e.ScenarioID, Value: float64(e.DurationNs), Confidence: e.Confidence})
	}
	return r
}

// work says what each machine had to do for the same workload.
func (f *familiesReport) work() (section, error) {
	sec := section{ID: "work", Question: "Why: what did each machine have to do?",
		Answer: "The same tokens become other steps on each machine; the service times add up over all lanes and may exceed the duration."}
	t := table{Caption: "Steps and service time by machine", Open: true, Total: len(f.c.Results), Columns: []figure.Column{{Name: "run"},
		{Name: "compute steps", Numeric: true}, {Name: "transfers", Numeric: true}, {Name: "all-reduce", Numeric: true}, {Name: "all-to-all", Numeric: true},
		{Name: "compute, share of service", Numeric: true}, {Name: "busiest resource"}, {Name: "in use", Numeric: true}}}
	for _, r := range f.c.Results {
		o, m := &r.Operations, &r.Metrics
		service := max(1, m.ComputeServiceNs+m.TransferServiceNs+m.CollectiveServiceNs)
		row := []string{r.Scenario.ID(), unit.Count(o.Compute), unit.Count(o.Transfer), unit.Count(o.AllReduce), unit.Count(o.AllToAll),
			unit.Percent(float64(m.ComputeServiceNs) / float64(service)), "none", ""}
		if use := f.useOf(r); len(use.Rows) > 0 {
			row[6], row[7] = use.Rows[0].ID, unit.Percent(use.Rows[0].Share)
		}
		t.Head = append(t.Head, row)
	}
	sec.Tables = []table{t}
	return sec, nil
}

func (f *familiesReport) useOf(r *run.Result) figure.ResourceUse {
	return figure.PlanUse(figure.RunPlan(r), r.Scenario, r.Metrics.TotalDurationNs)
}

// use shows the utilisation of every machine on the same axis.
func (f *familiesReport) use() (section, error) {
	sec := section{ID: "multiples", Question: "What was each machine busy with?",
		Answer: "Predicted utilisation of every machine, all on the axis from 0 to 100 %."}
	for _, r := range f.c.Results {
		use := f.useOf(r)
		use.Top = 5
		p, err := draw(use, true, f.rows)
		if err != nil {
			return sec, err
		}
		p.Text.Title = r.Scenario.ID() + ": " + p.Text.Title
		sec.Figures = append(sec.Figures, p)
	}
	return sec, nil
}

func (f *familiesReport) evidence() []fact {
	facts := []fact{{Label: "Confidence", Value: string(f.c.Confidence()) + ": the weakest of all runs"},
		{Label: "Replay", Value: fmt.Sprintf("verified: an independent checker derived %s from the inputs and found each in the traces", unit.Plural(f.events(), "event"))}}
	for _, r := range f.c.Results {
		facts = append(facts, fact{Label: r.Scenario.ID(), Value: r.Scenario.Fingerprint(), Code: true})
	}
	facts = append(facts, fact{Label: "Contract revisions", Value: revisionsInWords(run.Revisions())},
		fact{Label: "Cost model", Value: fmt.Sprintf("revision %d, %s: %s", f.c.Model.Revision, f.c.Model.Confidence, f.c.Model.Source)},
		fact{Label: "Input fingerprint", Value: orUnknown(f.meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(f.meta)), Code: true})
	return append(facts, calibrationFact(&f.meta, f.c.Model))
}

// limits are those of the fastest run, and what no comparison says.
func (f *familiesReport) limits() []string {
	return append([]string{
		"Only the machines listed here were compared: the first of them is the fastest of these, not the fastest possible.",
		"A machine that refuses the workload fails the whole comparison, so no refused run is missing from the ranking.",
		"The assumptions are those of the fastest run, " + f.c.Entries[0].ScenarioID + ".",
	}, f.fastest.limitations()...)
}

func (f *familiesReport) summary() canonical.Object {
	var entries []any
	for i := range f.c.Entries {
		e := &f.c.Entries[i]
		entries = append(entries, canonical.Object{{Key: "rank", Value: e.Rank}, {Key: "scenarioId", Value: e.ScenarioID}, {Key: "durationNs", Value: e.DurationNs}})
	}
	return canonical.Object{{Key: "profileId", Value: f.c.ProfileID}, {Key: "comparison", Value: entries}}
}
