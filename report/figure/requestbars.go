package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// RequestBars shows the time to first token and the total latency of every request
// in arrival order (contract 09, V13). More requests than a third of the pixels
// are grouped: a bar is then the largest value among consecutive requests.
type RequestBars struct {
	Source
	Rows []RequestBar // arrival order
}

// RequestBar is one row of RequestBars.
type RequestBar struct {
	ID                string
	TTFTNs, LatencyNs int64
}

// widestBar is the most px that a bar is wide: few requests stand apart.
const widestBar = 48.0

// group is how many consecutive requests one bar stands for at a width.
func (f RequestBars) group(width float64) int {
	bars := max(int((width-60)/3), 1)
	return (len(f.Rows) + bars - 1) / bars
}

// Text gives the figure's words.
func (f RequestBars) Text() Text {
	t := f.words()
	t.What = "Time to first token and total latency by request, in arrival order"
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "No request", "No request was scheduled in this run."
		return t
	}
	worst := 0
	for i, r := range f.Rows {
		if r.LatencyNs > f.Rows[worst].LatencyNs {
			worst = i
		}
	}
	r := f.Rows[worst]
	t.Title = fmt.Sprintf("The slowest request takes %s: number %s of %s to arrive", dur(r.LatencyNs),
		unit.Count(int64(worst+1)), unit.Count(int64(len(f.Rows))))
	t.Alt = fmt.Sprintf("The slowest of %s is %s with a modeled latency of %s, of which %s to the first token.",
		unit.Plural(int64(len(f.Rows)), "request"), brief(r.ID), dur(r.LatencyNs), dur(r.TTFTNs))
	if k := f.group(DefaultWidth); k > 1 {
		t.Caption = fmt.Sprintf("%s requests; where they do not fit, a bar is the largest value among consecutive arrivals (about %d).",
			unit.Count(int64(len(f.Rows))), k)
	}
	return t
}

// SVG renders the figure.
func (f RequestBars) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f RequestBars) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f RequestBars) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a request.
func (f RequestBars) Table() Table {
	return Table{
		Columns: []Column{{"request", "", false}, {"ttft", "ns", true}, {"latency", "ns", true}},
		Len:     len(f.Rows),
		Row: func(i int) []string {
			r := f.Rows[i]
			return append([]string{r.ID}, decimals(r.TTFTNs, r.LatencyNs)...)
		},
	}
}

func (f RequestBars) plotHeight(float64) float64 { return 220 + keyLineHeight }

func (f RequestBars) paint(c draw.Canvas) {
	c = drawKeys(c, []key{{ink: Prefill, label: "to the first token (queued and prefill)"}, {ink: Decode, label: "after it, to completion"}})
	width := (c.Max.X - c.Min.X).Points()
	k := f.group(width)
	ttft, rest := boxes{ink: Prefill, minWidth: 1, inset: 0.7}, boxes{ink: Decode, minWidth: 1, inset: 0.7}
	top := 0.0
	for i := 0; i < len(f.Rows); i += k {
		var first, latency int64
		about := f.Rows[i].ID
		if k > 1 {
			about = fmt.Sprintf("arrivals %s to %s, largest", unit.Count(int64(i+1)), unit.Count(int64(min(i+k, len(f.Rows)))))
		}
		for _, r := range f.Rows[i:min(i+k, len(f.Rows))] {
			first, latency = max(first, r.TTFTNs), max(latency, r.LatencyNs)
		}
		about = fmt.Sprintf("%s: TTFT %s, latency %s", about, dur(first), dur(latency))
		x0, x1 := float64(i), float64(min(i+k, len(f.Rows)))
		if wide := widestBar / ((width - 60) / float64(len(f.Rows))); k == 1 && wide < 1 {
			x0, x1 = x0+(1-wide)/2, x1-(1-wide)/2
		}
		ttft.spans = append(ttft.spans, box{x0, 0, x1, float64(first), about})
		rest.spans = append(rest.spans, box{x0, float64(first), x1, float64(latency), about})
		top = max(top, float64(latency))
	}
	y := durationAxis("Modeled latency", 0, top*1.08, (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)
	y.min = 0
	p := panel{x: f.ordinals(), y: y, noGridX: true}
	p.marks = []plot.Plotter{ttft, rest}
	p.draw(c)
}

// ordinals labels at most eight requests by their place in arrival order.
func (f RequestBars) ordinals() axis {
	n := float64(len(f.Rows))
	a := axis{max: n, name: "Request, by order of arrival"}
	step := max(niceStep(n, 8), 1)
	a.ticks = append(a.ticks, plot.Tick{Value: 0.5, Label: "1"})
	for v := step; v <= n && len(a.ticks) < 8; v += step {
		if v > 1 {
			a.ticks = append(a.ticks, plot.Tick{Value: v - 0.5, Label: tickLabel(v, 0)})
		}
	}
	return a
}
