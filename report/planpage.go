package report

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ErrNoExecution reports that there is no executed plan to make a page of.
var ErrNoExecution = errors.New("report: the result is nil or has no trace")

// planStory is what the page of any executed plan says; the sections differ by
// command.
type planStory struct {
	meta       Meta
	command    string // when meta names none
	mode       string
	machines   []*topology.Scenario // the first is the one that ran first
	confidence evidence.Class
	verdict    string
	cards      []card
	applied    int64 // events that the replay applied
	revisions  []jsondoc.Revision
	timeline   figure.PlanTimeline
	summary    canonical.Object // stands for a result document that is missing or too large
	assume     []string
	limits     []string
	sections   []planSection
	more       func(rows int) ([]section, error) // further sections; may be nil
}

// planSection is one question with its figures; a timeline may hold many marks.
type planSection struct {
	id, question, answer, note string
	figures                    []figure.Figure
	table                      *figure.Table // stands below the figures
	caption                    string        // of the table
}

// Bars of a timeline on a page: what contract 09 allows, and what is left when the
// page would exceed its bound. A drawing of more bytes than wideOnly is made once for
// every width.
const (
	pageBars     = 5000
	fallbackBars = 1200
	wideOnly     = 400 << 10
)

// write makes the page within its bound: at last also with fewer bars.
func (s *planStory) write() ([]byte, error) {
	return within(s.meta, func(meta Meta, rows int) ([]byte, error) {
		s.meta = meta
		bars := pageBars
		if rows == fallbackRows {
			bars = fallbackBars
		}
		return s.render(rows, bars)
	})
}

func (s *planStory) render(rows, bars int) ([]byte, error) {
	p := &page{
		Title: s.title(), Verdict: s.verdict, Confidence: s.confidence,
		Replay: "replay verified, " + unit.Plural(s.applied, "event"),
		Cards:  s.cards, Inspector: s.inspector(), Evidence: s.evidence(), Assumptions: s.assume, Limits: s.limitations(),
		Reproduction: reproduction{CommandLine: s.meta.CommandLine, Inputs: s.meta.Inputs},
	}
	if err := p.keep(viewResult, &s.meta, s.standIn()); err != nil {
		return nil, err
	}
	for _, sec := range s.sections {
		drawn, err := sec.draw(rows, bars)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, drawn)
	}
	if s.more != nil {
		more, err := s.more(rows)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, more...)
	}
	return p.render()
}

func (sec *planSection) draw(rows, bars int) (section, error) {
	out := section{ID: sec.id, Question: sec.question, Answer: sec.answer, Note: sec.note}
	for _, f := range sec.figures {
		if t, ok := f.(figure.PlanTimeline); ok {
			t.MaxBars = bars
			f = t
		}
		p, err := drawMany(f, rows)
		if err != nil {
			return out, err
		}
		out.Figures = append(out.Figures, p)
	}
	if sec.table != nil {
		out.Tables = []table{cut(sec.caption, *sec.table, rows)}
	}
	return out, nil
}

// drawMany is draw, but a figure whose full width is large already is drawn once for
// every width.
func drawMany(f figure.Figure, rows int) (picture, error) {
	svg, err := f.SVG(figure.Options{Width: wideWidth, Page: true})
	if err != nil {
		return picture{}, err
	}
	p := picture{Text: f.Text(), Wide: template.HTML(svg), //nolint: the canvas escapes every text
		Table: cut("Numbers of this figure, in base units", f.Table(), rows)}
	if len(svg) > wideOnly {
		return p, nil
	}
	svg, err = f.SVG(figure.Options{Width: narrowWidth, Page: true})
	p.Narrow = template.HTML(svg) //nolint: likewise
	return p, err
}

func (s *planStory) title() string {
	command := s.meta.Command
	if command == "" {
		command = s.command
	}
	parts := []string{command, s.mode}
	for _, m := range s.machines {
		parts = append(parts, m.ID()+" ("+strings.ReplaceAll(string(m.Spec().Family), "_", "-")+")")
	}
	model := s.meta.ModelName
	if model == "" {
		model = "synthetic"
	}
	return strings.Join(append(parts, model), " · ")
}

// inspector lists the last operations to be submitted, newest first.
func (s *planStory) inspector() *table {
	all := s.timeline.Operations
	n := min(inspectorEntries, len(all))
	t := &table{Total: n, Caption: fmt.Sprintf("The last %s, newest first", unit.Plural(int64(n), "operation")),
		Columns: []figure.Column{{Name: "step", Numeric: true}, {Name: "kind"}, {Name: "start", Numeric: true}, {Name: "finish", Numeric: true}, {Name: "resources"}, {Name: "ranks"}}}
	for i := len(all) - 1; i >= len(all)-n; i-- {
		o := &all[i]
		var lanes []string
		for _, r := range o.Resources {
			lanes = append(lanes, r.ResourceID)
		}
		t.Head = append(t.Head, []string{strconv.FormatInt(o.StepID, 10), string(o.Kind), dur(o.StartNs), dur(o.FinishNs),
			few(lanes), few(o.Ranks)})
	}
	return t
}

// few joins ids and counts those beyond the third.
func few(ids []string) string {
	if len(ids) > 3 {
		return strings.Join(ids[:3], ", ") + fmt.Sprintf(" +%d", len(ids)-3)
	}
	return strings.Join(ids, ", ")
}

func (s *planStory) evidence() []fact {
	facts := []fact{
		{Label: "Confidence", Value: string(s.confidence) + ": the weakest input decides; modeled timing is never exact"},
		{Label: "Replay", Value: fmt.Sprintf("verified: an independent checker derived %s from the inputs and found each in the trace", unit.Plural(s.applied, "event"))},
		{Label: "Scenario schema", Value: strconv.FormatInt(topology.SchemaVersion, 10)},
	}
	for i, m := range s.machines {
		label := "Scenario fingerprint"
		if i > 0 {
			label = "Recovery scenario fingerprint"
		}
		facts = append(facts, fact{Label: label, Value: m.Fingerprint(), Code: true})
	}
	seed := s.machines[0].Spec().Execution.Seed
	if s.meta.HasSeed {
		seed = s.meta.Seed
	}
	facts = append(facts, fact{Label: "Contract revisions", Value: revisionsInWords(s.revisions)},
		fact{Label: "Input fingerprint", Value: orUnknown(s.meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(s.meta)), Code: true},
		fact{Label: "Seed", Value: strconv.FormatInt(seed, 10)})
	return append(facts, calibrationFact(&s.meta, nil))
}

// limitations is what no execution of a plan says, and what this one does not.
func (s *planStory) limitations() []string {
	limits := append([]string(nil), s.limits...)
	limits = append(limits, "Bytes per link are not part of the trace: links are shown by busy time.")
	if s.meta.ModelName == "" {
		limits = append(limits, "No model is bound: work is synthetic, so absolute times say nothing about a particular model.")
	}
	if !calibrated(&s.meta, nil) {
		limits = append(limits, "No measurement was used: compare runs with each other rather than with a clock.")
	}
	return limits
}

// standIn is the summary that stands for a result that is not embedded.
func (s *planStory) standIn() *standIn {
	text, err := canonical.Pretty(s.summary)
	if err != nil {
		text = []byte("{}") // a summary holds finite numbers only
	}
	return &standIn{"summary.json", append(text, '\n')}
}

// The sections that several commands share.

func (s *planStory) machine() {
	for i, m := range s.machines {
		sec := planSection{id: "machine", question: "What machine is this?"}
		if i > 0 {
			sec.id, sec.question = "recovery-machine", "On which machine does it recover?"
		} else if len(s.machines) > 1 {
			sec.question = "Which machine fails?"
		}
		f := figure.Machine(m)
		sec.answer, sec.figures = f.Text().Alt, []figure.Figure{f}
		s.sections = append(s.sections, sec)
	}
}

func (s *planStory) links(f figure.LinkFlow) {
	s.sections = append(s.sections, planSection{id: "links", question: "Which links were busy?", answer: f.Text().Alt, figures: []figure.Figure{f}})
}

func (s *planStory) times(question string, arrangements ...figure.Arrangement) {
	sec := planSection{id: "timeline", question: question, answer: s.timeline.Text().Alt}
	for _, a := range arrangements {
		t := s.timeline
		t.Arrange = a
		sec.figures = append(sec.figures, t)
	}
	s.sections = append(s.sections, sec)
}

func (s *planStory) use(f figure.ResourceUse) {
	s.sections = append(s.sections, planSection{id: "resources", question: "What was the machine busy with?", answer: f.Text().Alt, figures: []figure.Figure{f}})
}

func (s *planStory) capacity() {
	f := figure.Memory(s.machines[0])
	s.sections = append(s.sections, planSection{id: "capacity", question: "Is there room in memory?", answer: f.Text().Alt, figures: []figure.Figure{f}})
}

func (s *planStory) ranks(f figure.RankBars, question string) {
	s.sections = append(s.sections, planSection{id: "ranks", question: question, answer: f.Text().Alt, figures: []figure.Figure{f}})
}

// ready lists, below the section of the ranks, the steps that nothing but the fault
// kept from being submitted: all their dependencies had completed.
func (s *planStory) ready(plans map[string]*plan.Plan) {
	rows := readySteps(s.timeline, plans)
	for i := range s.sections {
		if s.sections[i].id != "ranks" {
			continue
		}
		if len(rows) == 0 {
			s.sections[i].note = "No step was ready but not submitted: every dropped step waits for another one."
			return
		}
		s.sections[i].caption = unit.Plural(int64(len(rows)), "step") + " ready but not submitted"
		s.sections[i].table = &figure.Table{
			Columns: []figure.Column{{Name: "execution"}, {Name: "step", Numeric: true}, {Name: "kind"}, {Name: "ranks"}},
			Len:     len(rows), Row: func(k int) []string { return rows[k] },
		}
	}
}

// readySteps goes through the executions in their order and their steps in plan order.
func readySteps(f figure.PlanTimeline, plans map[string]*plan.Plan) (rows [][]string) {
	type key struct {
		execution int
		step      int64
	}
	had, completed := make(map[key]bool), make(map[key]bool)
	for i := range f.Operations {
		o := &f.Operations[i]
		had[key{o.Execution, o.StepID}] = true
		completed[key{o.Execution, o.StepID}] = o.Outcome == figure.Completed
	}
	for e := range f.Executions {
		p := plans[f.Executions[e].ID]
		if p == nil {
			continue
		}
		for i := range p.Steps {
			step := &p.Steps[i]
			open := slices.ContainsFunc(step.Dependencies, func(d int64) bool { return !completed[key{e, d}] })
			if open || had[key{e, step.ID}] {
				continue
			}
			rows = append(rows, []string{p.ExecutionID, strconv.FormatInt(step.ID, 10), string(step.Operation.Kind), few(step.Participants)})
		}
	}
	return rows
}

// busiestCard is the first row of a use.
func busiestCard(f figure.ResourceUse) []card {
	if len(f.Rows) == 0 {
		return nil
	}
	return []card{{"Busiest resource, predicted", unit.Percent(f.Rows[0].Share), "", f.Rows[0].ID}}
}

// kindCard counts operations by kind.
func kindCard(operations []figure.PlanOperation, label string) card {
	n := make(map[plan.Kind]int64, 3)
	for i := range operations {
		n[operations[i].Kind]++
	}
	return card{label, unit.Count(int64(len(operations))), "",
		fmt.Sprintf("%s compute, %s transfer, %s collective", unit.Count(n[plan.Compute]), unit.Count(n[plan.Transfer]), unit.Count(n[plan.Collective]))}
}

// stateCounts tells how ranks ended.
func stateCounts(states ...[]trace.RankState) string {
	n := make(map[trace.Status]int64, 3)
	for _, list := range states {
		for _, s := range list {
			n[s.Status]++
		}
	}
	return fmt.Sprintf("%s succeeded, %s aborted, %s failed", unit.Count(n[trace.Succeeded]), unit.Count(n[trace.Aborted]), unit.Count(n[trace.Failed]))
}
