package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// RequestTimeline is one row a request, in arrival order: queued from its arrival to its
// first batch, prefill chunks, decode steps, completion (contract 09, V13).
//
// More rows than MaxRows are reduced to the slowest requests, which the caption
// says; gaps narrower than half a pixel are closed. Over a whole run against which
// the requests are short, rows are shifted so that each starts at its arrival.
type RequestTimeline struct {
	Source
	Window  Window
	Rows    []RequestRow // arrival order
	EndNs   int64
	MaxRows int      // 0: 120
	Only    []string // ids of the requests to draw; empty: all
}

// RequestRow is one row of RequestTimeline. Spans are half-open, ascending and disjoint.
type RequestRow struct {
	ID                                   string
	ArrivalNs, FirstTokenNs, CompletedNs int64
	Prefill, Decode                      []Span
}

// Span is an interval of run time in ns.
type Span struct{ FromNs, ToNs int64 }

func (r RequestRow) startNs() int64 {
	start := r.CompletedNs
	if len(r.Prefill) > 0 {
		start = r.Prefill[0].FromNs
	}
	return start
}

// mostSpans is up to how many spans of work a row tells a page exactly.
const mostSpans = 256

// worked lists when the request was part of a batch, touching spans joined. Of more than
// mostSpans the gaps below half a pixel are closed, as in the drawing.
func (r RequestRow) worked(rangeNs, pixels float64) []Span {
	closing := func(gapNs int64) (out []Span) {
		for _, spans := range [][]Span{r.Prefill, r.Decode} {
			for _, s := range spans {
				if n := len(out); n > 0 && s.FromNs-out[n-1].ToNs <= gapNs {
					out[n-1].ToNs = max(out[n-1].ToNs, s.ToNs)
				} else {
					out = append(out, s)
				}
			}
		}
		return out
	}
	out := closing(0)
	if len(out) > mostSpans {
		out = closing(int64(rangeNs / pixels / 2))
	}
	return out
}

// selection is what passes the filters, reduced to the slowest.
func (f RequestTimeline) selection() (rows []RequestRow, candidates int) {
	from, to := f.Window.over(f.EndNs)
	for _, r := range f.Rows {
		if float64(r.CompletedNs) < from || float64(r.ArrivalNs) >= to {
			continue
		}
		if len(f.Only) > 0 && !slices.Contains(f.Only, r.ID) {
			continue
		}
		rows = append(rows, r)
	}
	most := f.MaxRows
	if most <= 0 {
		most = 120
	}
	candidates = len(rows)
	if candidates <= most {
		return rows, candidates
	}
	order := make([]int, candidates)
	for i := range order {
		order[i] = i
	}
	latency := func(i int) int64 { return rows[i].CompletedNs - rows[i].ArrivalNs }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(latency(b), latency(a)), a-b) })
	order = order[:most]
	slices.Sort(order)
	kept := make([]RequestRow, most)
	for i, k := range order {
		kept[i] = rows[k]
	}
	return kept, candidates
}

// shifted says whether the rows start at their own arrival: without a window, when
// their mean latency is less than a fiftieth of the run.
func (f RequestTimeline) shifted(rows []RequestRow) bool {
	if f.Window != (Window{}) || len(rows) == 0 {
		return false
	}
	sum := 0.0
	for _, r := range rows {
		sum += float64(r.CompletedNs - r.ArrivalNs)
	}
	return sum/float64(len(rows)) < float64(f.EndNs)/50
}

// Text gives the figure's words.
func (f RequestTimeline) Text() Text {
	t := f.words()
	rows, candidates := f.selection()
	t.What = f.Window.say() + "Life of each request, in arrival order"
	if f.shifted(rows) {
		t.What = "Life of each request from its arrival, in arrival order"
	}
	if len(rows) == 0 {
		t.Title, t.Empty = "No request", "No request lies in this window or passes the filter."
		return t
	}
	var queued, life, longest int64
	worst := rows[0]
	for _, r := range f.Rows {
		queued += r.startNs() - r.ArrivalNs
		life += r.CompletedNs - r.ArrivalNs
	}
	for _, r := range rows {
		if wait := r.startNs() - r.ArrivalNs; wait > longest {
			longest, worst = wait, r
		}
	}
	share := float64(queued) / math.Max(1, float64(life))
	if longest == 0 {
		t.Title = "No request waits before its first batch"
	} else {
		t.Title = fmt.Sprintf("Requests spend %s of their time queued; the longest wait is %s", unit.Percent(share), dur(longest))
	}
	t.Alt = fmt.Sprintf("%s: %s of their modeled time queued, the longest wait, %s, is that of %s.",
		unit.Plural(int64(candidates), "request"), unit.Percent(share), dur(longest), brief(worst.ID))
	t.Caption = "Thin line: waiting without a batch. Gaps narrower than half a pixel are closed."
	if f.shifted(rows) {
		t.Caption = "Every row starts at its own arrival, because the requests are short against the run. " + t.Caption
	}
	if len(rows) < candidates {
		t.Caption = fmt.Sprintf("Showing the %d slowest of %s requests, in arrival order. ", len(rows), unit.Count(int64(candidates))) + t.Caption
	}
	return t
}

// SVG renders the figure.
func (f RequestTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f RequestTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f RequestTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a request drawn.
func (f RequestTimeline) Table() Table {
	rows, _ := f.selection()
	return Table{
		Columns: []Column{{"request", "", false}, {"arrival", "ns", true}, {"first batch", "ns", true},
			{"first token", "ns", true}, {"completion", "ns", true}},
		Len: len(rows),
		Row: func(i int) []string {
			r := rows[i]
			return append([]string{r.ID}, decimals(r.ArrivalNs, r.startNs(), r.FirstTokenNs, r.CompletedNs)...)
		},
	}
}

// rowHeight is 16 px for a few rows, with labels, down to 4 px for many.
func rowHeight(rows int) float64 { return math.Min(16, math.Max(4, math.Round(480/float64(rows)))) }

const labelledRow = 11 // px of a row from which on it carries its id

func (f RequestTimeline) plotHeight(float64) float64 {
	rows, _ := f.selection()
	return keyLineHeight + nameHeight + rowHeight(len(rows))*float64(len(rows)) + tickHeight + xNameSpace + 4
}

func (f RequestTimeline) paint(c draw.Canvas) {
	rows, _ := f.selection()
	c = drawKeys(c, []key{{ink: Waiting, label: "queued or paused", shape: keyLine},
		{ink: Prefill, label: "prefill"}, {ink: Decode, label: "decode"},
		{ink: inkText, label: "first token", shape: keyTick}})
	width := (c.Max.X - c.Min.X).Points()
	from, to := f.Window.over(f.EndNs)
	p := panel{x: timeAxis(from, to, width), left: 14, right: 16,
		y: axis{max: float64(len(rows)), name: "Requests, first arrival on top"}}
	labelled := rowHeight(len(rows)) >= labelledRow
	if labelled {
		for _, r := range rows {
			p.left = math.Max(p.left, widthOf(plain(textSize), elide(r.ID, plain(textSize), width*0.25))+10)
		}
	}
	shifted := f.shifted(rows)
	if shifted {
		longest := int64(0)
		for _, r := range rows {
			longest = max(longest, r.CompletedNs-r.ArrivalNs)
		}
		p.x = durationAxis("Modeled time since the request's arrival", 0, float64(longest)*1.01, width-60, xTickSpace)
	}
	p.marks = []plot.Plotter{lifeRows{rows, labelled, shifted}}
	p.draw(c)
}

// lifeRows draws the rows, the first on top.
type lifeRows struct {
	rows     []RequestRow
	labelled bool
	shifted  bool // each row starts at its arrival
}

// Plot draws every row.
func (l lifeRows) Plot(c draw.Canvas, g *plot.Plot) {
	tx, _ := g.Transforms(&c)
	step := (c.Max.Y - c.Min.Y) / vg.Length(len(l.rows))
	half := max(step/2-1.5, 1.2)
	for i, r := range l.rows {
		y := c.Max.Y - step*vg.Length(float64(i)+0.5)
		origin := int64(0)
		if l.shifted {
			origin = r.ArrivalNs
		}
		clamp := func(ns int64) vg.Length { return tx(math.Min(math.Max(float64(ns-origin), g.X.Min), g.X.Max)) }
		hover := fmt.Sprintf("%s: arrival %s, first batch %s, first token %s, completion %s; latency %s", r.ID,
			dur(r.ArrivalNs), dur(r.startNs()), dur(r.FirstTokenNs), dur(r.CompletedNs), dur(r.CompletedNs-r.ArrivalNs))
		joined(c, hover, markedRequest+spell(r.worked(g.X.Max-g.X.Min, (c.Max.X-c.Min.X).Points())...), func() {
			stroke(c, Waiting, 1, segment(clamp(r.ArrivalNs), y, clamp(r.CompletedNs), y))
			stroke(c, Waiting, 1, segment(clamp(r.ArrivalNs), y-half, clamp(r.ArrivalNs), y+half))
			fillSpans(c, Prefill, r.Prefill, y, half, clamp)
			fillSpans(c, Decode, r.Decode, y, half, clamp)
			if first := float64(r.FirstTokenNs - origin); first >= g.X.Min && first <= g.X.Max && half > 1.6 {
				stroke(c, inkText, 1.5, segment(clamp(r.FirstTokenNs), y-half-1, clamp(r.FirstTokenNs), y+half+1))
			}
		})
	}
}

func (l lifeRows) group() string { return "fixed" }

// over writes the ids beside their rows, when the rows are high enough.
func (l lifeRows) over(c draw.Canvas, _ *plot.Plot) {
	if !l.labelled {
		return
	}
	step := (c.Max.Y - c.Min.Y) / vg.Length(len(l.rows))
	room := math.Max(c.Min.X.Points()-8, 40)
	for i, r := range l.rows {
		y := c.Max.Y - step*vg.Length(float64(i)+0.5)
		put(c, plain(textSize), inkText, c.Min.X-8, y-4, right, elide(r.ID, plain(textSize), room))
	}
}

// fillSpans paints spans as one path, closing gaps narrower than half a pixel.
func fillSpans(c draw.Canvas, ink Ink, spans []Span, y, half vg.Length, clamp func(int64) vg.Length) {
	var p vg.Path
	for i := 0; i < len(spans); {
		from, to := clamp(spans[i].FromNs), clamp(spans[i].ToNs)
		for i++; i < len(spans) && clamp(spans[i].FromNs)-to < 0.5; i++ {
			to = max(to, clamp(spans[i].ToNs))
		}
		if to > c.Min.X && from < c.Max.X {
			addRect(&p, from, y-half, max(to, from+0.5), y+half)
		}
	}
	if len(p) > 0 {
		fill(c, ink, p)
	}
}
