package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barRows are stacked horizontal bars on one axis: a name and a few words over each
// bar, segments from the left, and whatever is left of a bar's whole as an outline.
type barRows struct {
	x    axis
	keys []key
	rows []barLine
}

// barLine is one bar of a barRows.
type barLine struct {
	name, words string
	parts       []barPart
	whole       float64 // outlined from 0 to here; 0: no outline
	mark        float64 // a line across the bar, with markName in its hover text; 0: none
	markName    string
}

// barPart is one segment.
type barPart struct {
	size    float64
	ink     Ink
	hatched bool
	hover   string
}

const barLineHeight = 40.0

func (b *barRows) height(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(b.keys, width))) + 10 + barLineHeight*float64(len(b.rows)) + tickHeight + xNameSpace
}

func (b *barRows) paint(c draw.Canvas) {
	c = drawKeys(c, b.keys)
	p := panel{x: b.x, left: 1, right: 14, y: axis{max: 1}, noGridX: true}
	p.draw(c)
	area := draw.Crop(c, 1, -14, tickHeight+xNameSpace, -8)
	for i := range b.rows {
		b.line(area, &b.rows[i], area.Max.Y-vg.Length(barLineHeight*float64(i)))
	}
}

func (b *barRows) line(c draw.Canvas, r *barLine, y vg.Length) {
	at := func(v float64) vg.Length {
		return c.Min.X + (c.Max.X-c.Min.X)*vg.Length(math.Min(v, b.x.max)/b.x.max)
	}
	room := (c.Max.X - c.Min.X).Points()
	words := elide(r.words, plain(textSize), room*0.7)
	put(c, plain(textSize), Muted, c.Max.X, y-12, right, words)
	put(c, plain(textSize), inkText, c.Min.X, y-12, left, elide(r.name, plain(textSize), room-widthOf(plain(textSize), words)-12))
	y0, y1, sum := y-31, y-17, 0.0
	if r.whole > 0 {
		stroke(c, Muted, 1, rect(at(0)+0.5, y0+0.5, at(r.whole)-0.5, y1-0.5))
	}
	for _, p := range r.parts {
		if p.size <= 0 {
			continue
		}
		from, to := at(sum), at(sum+p.size)
		sum += p.size
		marked(c, p.hover, func() {
			if p.hatched {
				hatch(c, p.ink, from, y0, max(to, from+1), y1)
				return
			}
			fill(c, p.ink, rect(from, y0, max(to, from+1), y1))
		})
	}
	if r.mark > 0 {
		x := crisp(at(r.mark))
		marked(c, r.markName, func() { stroke(c, inkText, 2, segment(x, y0-3, x, y1+3)) })
	}
}
