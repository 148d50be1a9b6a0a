package figure

import (
	"fmt"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// KVTimeline is the level of the KV pool over time in token positions, from the counters
// of the lossless trace: the level before plus transient rows at a batch start,
// the level after at its end (contract 09, V5.1). The budget is a line when it
// lies in range.
//
// More changes than half the pixels are reduced to an envelope: the area is the
// mean over time, the lines are the largest and smallest level of each column.
type KVTimeline struct {
	Source
	Window Window
	AtNs   []int64 // ascending
	Level  []int64 // tokens held from AtNs[i] on
	Budget int64   // tokens
	EndNs  int64   // end of the run
}

// peak is the highest level within the window and its time.
func (f KVTimeline) peak() (level, atNs int64) {
	i, j, before := f.within()
	from, _ := f.Window.over(f.EndNs)
	level, atNs = before, int64(from)
	for k := i; k < j; k++ {
		if f.Level[k] > level {
			level, atNs = f.Level[k], f.AtNs[k]
		}
	}
	return level, atNs
}

// within is the range of changes inside the window, its start excluded, and the
// level that the window starts with.
func (f KVTimeline) within() (i, j int, before int64) {
	from, to := f.Window.over(f.EndNs)
	i = sort.Search(len(f.AtNs), func(k int) bool { return float64(f.AtNs[k]) > from })
	j = sort.Search(len(f.AtNs), func(k int) bool { return float64(f.AtNs[k]) >= to })
	if i > 0 {
		before = f.Level[i-1]
	}
	return i, max(i, j), before
}

// Text gives the figure's words.
func (f KVTimeline) Text() Text {
	t := f.words()
	t.What = f.Window.say() + "KV cache held over time, in token positions"
	level, at := f.peak()
	if len(f.AtNs) < 2 || level == 0 {
		t.Title, t.Empty = "No KV level to show", "No KV was held in this window: fewer than two samples."
		return t
	}
	share := float64(level) / float64(max(f.Budget, 1))
	t.Title = fmt.Sprintf("KV peaks at %s, %s of its budget", unit.Plural(level, "token"), unit.Percent(share))
	t.Alt = fmt.Sprintf("The KV level peaks at %s of %s (%s) at %s of modeled time.",
		unit.Count(level), unit.Plural(f.Budget, "token"), unit.Percent(share), dur(at))
	t.Caption = fmt.Sprintf("Peak at %s. From the counters of the lossless trace: held plus candidate rows while a batch runs, held after it.", dur(at))
	if _, reduced := f.columns(DefaultWidth); reduced {
		t.Caption += fmt.Sprintf(" %s level changes drawn in columns two pixels wide: the area is the mean over time, the lines are the highest and lowest level.",
			unit.Count(int64(len(f.AtNs))))
	}
	if float64(f.Budget) > f.top() {
		t.Caption += fmt.Sprintf(" The budget of %s tokens is above the range shown.", unit.Count(f.Budget))
	}
	return t
}

func (f KVTimeline) top() float64 {
	level, _ := f.peak()
	if level*2 >= f.Budget {
		return float64(max(f.Budget, level)) * 1.08
	}
	return float64(level) * 1.25
}

func (f KVTimeline) columns(width float64) (n int, reduced bool) {
	n = int((width - 60) / 2)
	i, j, _ := f.within()
	return n, j-i > 2*n
}

// SVG renders the figure.
func (f KVTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f KVTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f KVTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a change of the level.
func (f KVTimeline) Table() Table {
	return Table{
		Columns: []Column{{"at", "ns", true}, {"kv", "tokens", true}},
		Len:     len(f.AtNs),
		Row:     func(i int) []string { return decimals(f.AtNs[i], f.Level[i]) },
	}
}

func (f KVTimeline) plotHeight(float64) float64 { return 200 }

func (f KVTimeline) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	from, to := f.Window.over(f.EndNs)
	level, at := f.peak()
	about := fmt.Sprintf("KV held: peak %s at %s, %s of %s", unit.Plural(level, "token"), dur(at), unit.Percent(float64(level)/float64(max(f.Budget, 1))), unit.Count(f.Budget))
	p := panel{x: timeAxis(from, to, width), noGridX: true,
		y: countAxis("KV held, token positions", f.top(), (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)}
	if columns, reduced := f.columns(width); reduced {
		e := reduce(f.AtNs, f.Level, 0, from, to, columns)
		high, low := line{ink: KVCache, width: 1, step: true}, line{ink: KVCache, width: 1, step: true}
		for i, x := range e.at {
			high.points = append(high.points, point{x, e.high[i]})
			low.points = append(low.points, point{x, e.low[i]})
		}
		p.marks = []plot.Plotter{band{at: e.at, high: e.mean, end: to, ink: KVCache.Faint(0.45), about: about}, low, high}
	} else {
		xs, ys := stepsWithin(f.AtNs, f.Level, 0, from, to)
		top := line{ink: KVCache, width: 1.5, step: true}
		for i, x := range xs {
			top.points = append(top.points, point{x, ys[i]})
		}
		top.points = append(top.points, point{to, ys[len(ys)-1]})
		p.marks = []plot.Plotter{band{at: xs, high: ys, end: to, ink: KVCache.Faint(0.45), about: about}, top}
	}
	p.marks = append(p.marks, f.peakMark(), reference{y: float64(f.Budget), ink: Fault,
		dash: []vg.Length{5, 3}, label: "budget " + unit.Plural(f.Budget, "token")})
	p.draw(c)
}

func (f KVTimeline) peakMark() plot.Plotter {
	level, at := f.peak()
	// Above a peak near the budget stands the budget's name: then the peak's stands below.
	return spot{at: point{float64(at), float64(level)}, ink: inkText, label: "peak " + unit.Count(level), below: float64(f.Budget) <= f.top() && float64(level) > 0.85*float64(f.Budget)}
}

// spot is a labelled dot; its label stands on the side that has room.
type spot struct {
	at    point
	ink   Ink
	label string
	below bool // the label stands under the dot
}

// Plot draws nothing that could be stretched.
func (s spot) Plot(draw.Canvas, *plot.Plot) {}

func (s spot) group() string { return "moving" }

// over draws the dot and its label.
func (s spot) over(c draw.Canvas, g *plot.Plot) {
	tx, ty := g.Transforms(&c)
	x, y := tx(s.at.x), ty(s.at.y)
	fill(c, s.ink, circle(x, y, 3))
	w := vg.Length(widthOf(plain(textSize), s.label))
	if s.below {
		y -= 14
	}
	if x+8+w < c.Max.X {
		label(c, x+7, y-4, left, s.ink, s.label)
		return
	}
	label(c, x-7, y-4, right, s.ink, s.label)
}
