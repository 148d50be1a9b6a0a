package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// ErrNoRoofline reports a study without a subject.
var ErrNoRoofline = errors.New("report: the roofline study names no subject")

// RooflineStudy is what the page of a roofline is made from: the summary that the
// engine computes (contract 07, section 15), or roofs and points put together by
// hand. The page computes nothing but positions.
type RooflineStudy struct {
	Subject string // what was run on what, for example "serving on multi-gpu"
	Figure  figure.Roofline

	Reading     *RooflineReading // nil: the summary holds no interpretation
	Assumptions []string         // of the summary
	Unknowns    []string         // what the summary does not know, by its codes
}

// RooflineReading is the interpretation of a summary (contract 07, section 15.5).
type RooflineReading struct {
	RoofID, Phase string
	Verdict       string // code
	Tone          string // neutral, warning or danger
	NextStep      string // code
	WorstPointID  string
	Points        []RooflineClass
}

// RooflineClass says on which side of the roofs a point lies.
type RooflineClass struct {
	ID, Classification string
	Ratio              float64 // predicted rate over the lower roof; meaningful when HasRatio
	HasRatio           bool
}

// Roofline makes the page of a roofline study (contract 09, view V3). A study whose
// status is unavailable gives a page that says why.
func Roofline(study RooflineStudy, meta Meta) ([]byte, error) {
	if study.Subject == "" {
		return nil, ErrNoRoofline
	}
	text, err := json.MarshalIndent(study, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report: the study has a number that is not finite: %w", err)
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return rooflinePage(study, text, meta, rows) })
}

func rooflinePage(study RooflineStudy, text []byte, meta Meta, rows int) ([]byte, error) {
	r := rooflineReport{study: study, meta: meta, rows: rows}
	p := &page{
		Title:      strings.Join([]string{"roofline", study.Subject}, " · "),
		Verdict:    r.verdict(),
		Confidence: study.Figure.Confidence,
		Replay:     "predicted, not measured", Standing: "plain",
		Cards:        r.cards(),
		Evidence:     r.evidence(),
		Assumptions:  spelled(study.Assumptions),
		Limits:       r.limits(),
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if err := p.keepStudy(&meta, text); err != nil {
		return nil, err
	}
	for _, build := range []func() (section, error){r.roofline, r.reading, r.roofs, r.terms} {
		sec, err := build()
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, sec)
	}
	return p.render()
}

// keepStudy embeds the study, which is what the page is drawn of, and the result
// document that it was taken from, where there is one.
func (p *page) keepStudy(meta *Meta, study []byte) (err error) {
	from := source{View: viewRoofline, Meta: *meta}
	p.Result = embed("study.json", study)
	from.Results = []sourceResult{{p.Result.Name, p.Result.Fingerprint}}
	switch {
	case embeddable(meta.Result):
		doc := embed("result.json", meta.Result)
		p.More = append(p.More, doc)
		from.Results = append(from.Results, sourceResult{doc.Name, doc.Fingerprint})
	case outputFingerprint(*meta) != "":
		p.More = append(p.More, leftOut(meta, nil))
	}
	p.Source, err = from.packed()
	return err
}

// rebuildRoofline draws a study again.
func (s *pageOrigin) rebuildRoofline() ([]byte, error) {
	var study RooflineStudy
	in := json.NewDecoder(bytes.NewReader(s.docs[0]))
	in.DisallowUnknownFields()
	if err := in.Decode(&study); err != nil {
		return nil, fmt.Errorf("report: embedded study: %w", err)
	}
	meta := s.Meta
	if len(s.docs) > 1 {
		meta.Result = s.docs[1]
	}
	return Roofline(study, meta)
}

type rooflineReport struct {
	study RooflineStudy
	meta  Meta
	rows  int
}

// rooflineVerdicts explains the verdicts in a sentence.
var rooflineVerdicts = map[string]string{
	"no_work":                   "No work is visible under this phase filter.",
	"scope_mismatch":            "The points span several devices, and the roof is the memory of one: they cannot be compared.",
	"evidence_conflict":         "Some work is predicted faster than its roofs allow: the cost model and the declared rates contradict each other.",
	"bandwidth_bound":           "All visible work runs at its bandwidth roof; whether a compute roof would bind first is not known.",
	"bandwidth_bound_in_part":   "Some of the visible work runs at its bandwidth roof; the rest has an unknown limit.",
	"limit_unproven":            "No visible work reaches the bandwidth roof and no compute roof is known: what limits it is unproven.",
	"bandwidth_sensitive":       "All visible work lies left of the knee: bandwidth decides before compute does.",
	"compute_sensitive":         "All visible work lies right of the knee: compute decides before bandwidth does.",
	"phase_dependent":           "The phases lie on both sides of the knee: no single change helps all of them.",
	"model_not_bound":           "No model is bound.",
	"execution_profile_empty":   "The execution profile has no work.",
	"no_positive_duration_work": "No work has a positive duration.",
}

// rooflineSteps explains the next experiment in a sentence.
var rooflineSteps = map[string]string{
	"widen_phase_filter":                    "Widen the phase filter.",
	"select_aggregate_device_memory":        "Select the aggregate roof of all device memories.",
	"calibrate_operating_regime":            "Calibrate the cost model in this operating regime.",
	"supply_compute_evidence":               "Supply evidence of a compute peak.",
	"widen_batches_and_keep_weights_local":  "Widen batches, and keep the weights in the device's own memory.",
	"reduce_tier_traffic":                   "Reduce the traffic through this tier.",
	"faster_kernel_or_compute_quantization": "Try a faster kernel, or quantize the computation.",
	"tune_phases_separately":                "Tune the phases separately.",
}

// sentence is the explanation of a code, or the code itself in words.
func sentence(of map[string]string, code string) string {
	if s, ok := of[code]; ok {
		return s
	}
	return words(code) + "."
}

// words spells a code.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

func spelled(codes []string) []string {
	out := make([]string, len(codes))
	for i, c := range codes {
		out[i] = words(c)
	}
	return out
}

func (r *rooflineReport) verdict() string {
	text := r.study.Figure.Text()
	if text.Empty != "" {
		return text.Empty
	}
	if r.study.Reading == nil {
		return text.Alt
	}
	return sentence(rooflineVerdicts, r.study.Reading.Verdict) + " " + text.Alt
}

func (r *rooflineReport) cards() []card {
	f := &r.study.Figure
	cards := []card{{"Work", unit.Count(int64(len(f.Points))), "points", "one a phase or component"}}
	at := f.SelectedRoof()
	if at >= 0 {
		roof := &f.Roofs[at]
		cards = append(cards, card{"Bandwidth roof", unit.Rate(roof.BytesPerSecond), "", roof.Name() + ", " + string(roof.Confidence)})
	}
	peak := card{"Compute roof", "unknown", "", f.Absence}
	if f.Compute != nil {
		peak = card{"Compute roof", unit.Flops(f.Compute.FlopsPerSecond), "", f.Compute.DType + ", " + f.Compute.Evidence.String()}
	}
	cards = append(cards, peak)
	if k := f.Knee(at); k > 0 {
		cards = append(cards, card{"Knee", unit.Number(k), "FLOP/byte", "left of it bandwidth binds, right of it compute"})
	}
	return cards
}

func (r *rooflineReport) roofline() (section, error) {
	f := r.study.Figure
	sec := section{ID: "roofline", Question: "What limits the work: bandwidth or compute?", Answer: f.Text().Alt}
	if f.Unavailable != "" {
		sec.Note = f.Text().Empty
		return sec, nil
	}
	p, err := draw(f, false, r.rows)
	if err != nil {
		return sec, err
	}
	sec.Figures = []picture{p}
	return sec, nil
}

// reading is the panel with the tone, the verdict, its explanation and the next
// experiment.
func (r *rooflineReport) reading() (section, error) {
	sec := section{ID: "reading", Question: "What does that mean, and what should be tried next?"}
	reading := r.study.Reading
	if reading == nil {
		sec.Note = "The summary holds no interpretation."
		return sec, nil
	}
	roof := reading.RoofID
	for i := range r.study.Figure.Roofs {
		if r.study.Figure.Roofs[i].ID == roof {
			roof = r.study.Figure.Roofs[i].Name()
		}
	}
	sec.Answer = sentence(rooflineVerdicts, reading.Verdict) + " Next: " + sentence(rooflineSteps, reading.NextStep)
	sec.Note = fmt.Sprintf("Verdict %s, tone %s, read against %s, phases: %s. The reading stays that of this roof when another is selected above.", words(reading.Verdict), reading.Tone, roof, words(reading.Phase))
	t := table{Caption: "Every point against its roofs", Open: true, Total: len(reading.Points),
		Columns: []figure.Column{{Name: "work"}, {Name: "classification"}, {Name: "of what the roofs allow", Numeric: true}}}
	for _, p := range reading.Points {
		ratio := "not comparable"
		if p.HasRatio {
			ratio = unit.Percent(p.Ratio)
		}
		name := p.ID
		if p.ID == reading.WorstPointID {
			name += " (largest ratio)"
		}
		t.Head = append(t.Head, []string{name, words(p.Classification), ratio})
	}
	if t.Total > 0 {
		sec.Tables = []table{t}
	}
	return sec, nil
}

func (r *rooflineReport) roofs() (section, error) {
	f := &r.study.Figure
	sec := section{ID: "roofs", Question: "Which roofs are there?", Answer: unit.Plural(int64(len(f.Roofs)), "bandwidth roof") + ", the highest rate first where the summary sorts them so."}
	t := cut("All bandwidth roofs", figure.Table{
		Columns: []figure.Column{{Name: "roof"}, {Name: "kind"}, {Name: "rate", Unit: "B/s", Numeric: true}, {Name: "knee", Unit: "FLOP/byte", Numeric: true}, {Name: "use"}, {Name: "confidence"}},
		Len:     len(f.Roofs),
		Row: func(i int) []string {
			use, knee := "bounds the run", "none"
			if f.Roofs[i].Counterfactual() {
				use = "counterfactual"
			}
			if k := f.Knee(i); k > 0 {
				knee = strconv.FormatFloat(k, 'f', -1, 64)
			}
			return []string{f.Roofs[i].Name(), words(f.Roofs[i].Kind), strconv.FormatFloat(f.Roofs[i].BytesPerSecond, 'f', -1, 64), knee, use, string(f.Roofs[i].Confidence)}
		},
	}, r.rows)
	t.Open = true
	if len(f.Roofs) > 0 {
		sec.Tables = []table{t}
	}
	return sec, nil
}

// terms defines the words of the view.
func (r *rooflineReport) terms() (section, error) {
	rows := [][]string{
		{"arithmetic intensity", "floating-point operations for every byte of weights that is read"},
		{"knee", "the intensity at which a bandwidth roof meets the compute roof"},
		{"predicted", "computed by the cost model from the declared machine; nobody measured it"},
		{"counterfactual", "a roof that the run's model data did not pass; it shows what would hold if they did"},
	}
	return section{ID: "terms", Question: "What do the words mean?", Tables: []table{{Caption: "Terms", Open: true, Total: len(rows), Head: rows,
		Columns: []figure.Column{{Name: "term"}, {Name: "meaning"}}}}}, nil
}

func (r *rooflineReport) evidence() []fact {
	f := &r.study.Figure
	facts := []fact{{Label: "Confidence", Value: string(f.Confidence) + ": the weakest input decides; predicted rates are never exact"}}
	if f.Compute != nil {
		for _, url := range f.Compute.SourceURLs {
			facts = append(facts, fact{Label: "Source of the peak", Value: url})
		}
	} else {
		facts = append(facts, fact{Label: "Compute roof", Value: "absent: " + orUnknown(f.Absence)})
	}
	weakest := evidence.Exact
	for i := range f.Roofs {
		weakest = evidence.Weakest(weakest, f.Roofs[i].Confidence)
	}
	return append(facts, fact{Label: "Weakest bandwidth", Value: string(weakest)},
		fact{Label: "Input fingerprint", Value: orUnknown(r.meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(r.meta)), Code: true})
}

func (r *rooflineReport) limits() []string {
	limits := []string{"Bytes are those of active weights: whatever else moves is not counted."}
	for _, u := range r.study.Unknowns {
		limits = append(limits, "Not known: "+words(u)+".")
	}
	return limits
}
