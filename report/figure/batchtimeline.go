package figure

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// BatchTimeline is the batch timeline: one bar a batch, as wide as it lasts and as high
// as it has tokens, split into decode (below) and prefill; under it, on the same time,
// the sequences of each batch. Gaps are idle time; the limits of tokens and of sequences
// are lines where they lie in range (contract 09, V13).
//
// A window with more batches than half its pixels is reduced: each column shows
// the mean count over time, idle time counted as 0, and behind it the largest batch.
type BatchTimeline struct {
	Source
	Window       Window
	Rows         []Batch // in start order, never overlapping
	MaxTokens    int64   // token limit of a batch
	MaxSequences int64   // sequence limit of a batch
	EndNs        int64   // end of the run
}

// Batch is one row of BatchTimeline.
type Batch struct {
	StartNs, DurationNs int64
	Prefill, Decode     int64 // tokens of work
	Sequences           int64
}

func (b Batch) tokens() int64    { return b.Prefill + b.Decode }
func (b Batch) sequences() int64 { return b.Sequences }
func (b Batch) endNs() int64     { return b.StartNs + b.DurationNs }

// within lists the batches that touch the window.
func (f BatchTimeline) within() []Batch {
	from, to := f.Window.over(f.EndNs)
	i := sort.Search(len(f.Rows), func(i int) bool { return float64(f.Rows[i].endNs()) > from })
	j := sort.Search(len(f.Rows), func(j int) bool { return float64(f.Rows[j].StartNs) >= to })
	if i > j {
		return nil
	}
	return f.Rows[i:j]
}

func (f BatchTimeline) columns(width float64) (n int, reduced bool) {
	n = int((width - 60) / 2)
	return n, len(f.within()) > n
}

// Text gives the figure's words.
func (f BatchTimeline) Text() Text {
	t := f.words()
	rows := f.within()
	t.What = f.Window.say() + unit.Plural(int64(len(rows)), "batch") + " over time"
	if len(rows) == 0 {
		t.Title, t.Empty = "No batch", "No batch ran in this window."
		return t
	}
	var prefill, decode, busy, most, full int64
	for _, b := range rows {
		prefill, decode, busy = prefill+b.Prefill, decode+b.Decode, busy+b.DurationNs
		most = max(most, b.tokens())
		if b.Sequences >= f.MaxSequences {
			full++
		}
	}
	share := float64(prefill) / math.Max(1, float64(prefill+decode))
	t.Title = fmt.Sprintf("Batches average %s tokens of a limit of %s; %s of the work is prefill",
		unit.Number(float64(prefill+decode)/float64(len(rows))), unit.Count(f.MaxTokens), unit.Percent(share))
	t.Alt = fmt.Sprintf("%s with %s prefill and %s decode tokens in %s of modeled service time; the largest batch has %s.",
		unit.Plural(int64(len(rows)), "batch"), unit.Count(prefill), unit.Count(decode), dur(busy), unit.Plural(most, "token"))
	if f.MaxSequences > 0 {
		t.Alt = strings.TrimSuffix(t.Alt, ".") + fmt.Sprintf("; %s of them reach the limit of %s.", unit.Count(full), unit.Plural(f.MaxSequences, "sequence"))
	}
	t.Caption = "Width is duration, height is tokens above and sequences below, gaps are idle time."
	if _, reduced := f.columns(DefaultWidth); reduced {
		t.Caption = fmt.Sprintf("%s drawn in columns two pixels wide: areas are counts averaged over time, idle time counted as 0; behind them the largest batch of each column.",
			unit.Plural(int64(len(rows)), "batch"))
	}
	for _, limit := range []struct {
		most int64
		top  float64
		what string
	}{{f.MaxTokens, f.top(Batch.tokens, f.MaxTokens), "token"}, {f.MaxSequences, f.top(Batch.sequences, f.MaxSequences), "sequence"}} {
		if float64(limit.most) > limit.top {
			t.Caption += fmt.Sprintf(" The limit of %s a batch is above the range shown.", unit.Plural(limit.most, limit.what))
		}
	}
	return t
}

// top is the upper end of a y axis: the limit, unless no batch comes near it.
func (f BatchTimeline) top(count func(Batch) int64, limit int64) float64 {
	var most int64
	for _, b := range f.within() {
		most = max(most, count(b))
	}
	if limit > 0 && most*2 >= limit {
		return float64(max(limit, most)) * 1.08
	}
	return float64(most) * 1.1
}

// SVG renders the figure.
func (f BatchTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f BatchTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f BatchTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a batch.
func (f BatchTimeline) Table() Table {
	rows := f.within()
	return Table{
		Columns: []Column{{"start", "ns", true}, {"duration", "ns", true}, {"prefill", "tokens", true},
			{"decode", "tokens", true}, {"sequences", "", true}},
		Len: len(rows),
		Row: func(i int) []string {
			b := rows[i]
			return decimals(b.StartNs, b.DurationNs, b.Prefill, b.Decode, b.Sequences)
		},
	}
}

// decimals writes integers in full.
func decimals(vs ...int64) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = strconv.FormatInt(v, 10)
	}
	return out
}

// sequenceHeight is the room of the panel of sequences, its time axis included, in px.
const sequenceHeight = 124.0

func (f BatchTimeline) plotHeight(float64) float64 { return 212 + sequenceHeight + keyLineHeight }

func (f BatchTimeline) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	columns, reduced := f.columns(width)
	keys := []key{{ink: Decode, label: "decode"}, {ink: Prefill, label: "prefill"}}
	if reduced {
		keys = append(keys, key{ink: Waiting.Faint(0.35), label: "largest batch of the column"})
	}
	c = drawKeys(c, keys)
	from, to := f.Window.over(f.EndNs)
	height := (c.Max.Y - c.Min.Y).Points() - sequenceHeight
	tokens := panel{x: timeAxis(from, to, width), noGridX: true, hideX: true,
		y: countAxis("Tokens in the batch", f.top(Batch.tokens, f.MaxTokens), height-nameHeight, yTickSpace)}
	sequences := panel{x: tokens.x, noGridX: true,
		y: countAxis("Sequences in the batch", f.top(Batch.sequences, f.MaxSequences), sequenceHeight-60, 24)}
	if reduced {
		tokens.marks, sequences.marks = f.envelopes(from, to, columns)
	} else {
		tokens.marks, sequences.marks = f.bars()
	}
	tokens.marks = append(tokens.marks, limitLine(f.MaxTokens, "token"))
	sequences.marks = append(sequences.marks, limitLine(f.MaxSequences, "sequence"))
	alignPanels(&tokens, &sequences)
	tokens.draw(draw.Crop(c, 0, 0, sequenceHeight, 0))
	sequences.draw(draw.Crop(c, 0, 0, 0, -vg.Length(height)))
}

// limitLine is the line of a limit; without a limit there is none.
func limitLine(limit int64, what string) reference {
	r := reference{y: float64(limit), ink: Fault, dash: []vg.Length{5, 3}, label: "limit " + unit.Plural(limit, what)}
	if limit <= 0 {
		r.y = math.Inf(1)
	}
	return r
}

// bars are the batches one by one, in the panel of tokens and in that of sequences.
func (f BatchTimeline) bars() (tokens, sequences []plot.Plotter) {
	of := func(ink Ink) boxes { return boxes{ink: ink, inset: 0.5, minWidth: 0.5, batches: true} }
	decode, prefill, count := of(Decode), of(Prefill), of(Muted)
	for _, b := range f.within() {
		x0, x1 := float64(b.StartNs), float64(b.endNs())
		d := float64(b.Decode)
		about := fmt.Sprintf("%s to %s: %s prefill and %s decode tokens of %s", dur(b.StartNs), dur(b.endNs()),
			unit.Count(b.Prefill), unit.Count(b.Decode), unit.Plural(b.Sequences, "sequence"))
		decode.spans = append(decode.spans, box{x0, 0, x1, d, about})
		prefill.spans = append(prefill.spans, box{x0, d, x1, d + float64(b.Prefill), about})
		count.spans = append(count.spans, box{x0, 0, x1, float64(b.Sequences), about})
	}
	return []plot.Plotter{decode, prefill}, []plot.Plotter{count}
}

// envelopes are the batches in columns, for both panels.
func (f BatchTimeline) envelopes(from, to float64, columns int) (tokens, sequences []plot.Plotter) {
	rows := f.within()
	var at, decode, all, count []int64
	for i, b := range rows {
		at, decode, all, count = append(at, b.StartNs), append(decode, b.Decode), append(all, b.tokens()), append(count, b.Sequences)
		if i+1 == len(rows) || rows[i+1].StartNs > b.endNs() {
			at, decode, all, count = append(at, b.endNs()), append(decode, 0), append(all, 0), append(count, 0)
		}
	}
	d, a, s := reduce(at, decode, 0, from, to, columns), reduce(at, all, 0, from, to, columns), reduce(at, count, 0, from, to, columns)
	behind := func(e envelope, most int64, what string) band {
		return band{at: e.at, high: e.high, end: to, ink: Waiting.Faint(0.35), batches: true,
			about: "largest batch of each column: up to " + unit.Plural(most, what)}
	}
	tokens = []plot.Plotter{
		behind(a, slices.Max(all), "token"),
		band{at: d.at, high: d.mean, end: to, ink: Decode, batches: true, about: "decode: up to " + unit.Number(slices.Max(d.mean)) + " tokens, mean of a column"},
		band{at: a.at, low: d.mean, high: a.mean, end: to, ink: Prefill, batches: true, about: "prefill on top of decode: together up to " + unit.Number(slices.Max(a.mean)) + " tokens, mean of a column"},
	}
	return tokens, []plot.Plotter{behind(s, slices.Max(count), "sequence"),
		band{at: s.at, high: s.mean, end: to, ink: Muted, batches: true, about: "sequences: up to " + unit.Number(slices.Max(s.mean)) + ", mean of a column"}}
}
